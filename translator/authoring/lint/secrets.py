"""Rules for secrets.toml: what is secret exists, and nothing public is caught."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from translator.authoring.lint.rules import Context
from translator.authoring.names import capitals, keys_of
from translator.authoring.schema.catalog import Shape
from translator.authoring.sources import SECRETS, Problem


def secrets_there(context: Context) -> Iterator[Problem]:
    """There is a secrets.toml, and nothing is named twice in it."""
    secrets = context.tables.secrets
    if secrets is None:
        if context.complete:
            yield Problem(SECRETS, "", "is missing")
        return
    seen: set[str] = set()
    for index, entry in enumerate(secrets.secret):
        for name in (entry.flag, entry.variable):
            if name is not None and name in seen:
                yield Problem(SECRETS, f"$.secret[{index}]", f"{name} is listed twice")
            seen.add(name or "")


def secrets_exist(context: Context) -> Iterator[Problem]:
    """A secret flag exists in some version and takes a text; a secret variable that would be vLLM's
    own is in its table.
    """
    variables = {name for catalog in context.catalogs for name in catalog.variables}
    for index, entry in enumerate(
        context.tables.secrets.secret if context.tables.secrets is not None else ()
    ):
        flags = [
            catalog.spellings[entry.flag]
            for catalog in context.catalogs
            if entry.flag is not None and entry.flag in catalog.spellings
        ]
        if entry.flag is not None and not flags:
            yield Problem(SECRETS, f"$.secret[{index}].flag", f"no vLLM has a flag {entry.flag}")
        elif any(flag.boolean for flag in flags):
            yield Problem(
                SECRETS,
                f"$.secret[{index}].flag",
                f"{entry.flag} has no value that could be secret",
            )
        if (
            entry.variable is not None
            and entry.variable.startswith("VLLM_")
            and entry.variable not in variables
        ):
            yield Problem(
                SECRETS, f"$.secret[{index}].variable", f"no vLLM reads a variable {entry.variable}"
            )


def _matched(name: str, patterns: tuple[str, ...]) -> str | None:
    return next((pattern for pattern in patterns if fnmatchcase(name, pattern)), None)


def _public_names(context: Context) -> set[str]:
    """Every name that is known not to be secret: flags' names in capitals, variables of vLLM and of
    the dialects.
    """
    assert context.tables.secrets is not None
    known = {capitals(flag.flag) for catalog in context.catalogs for flag in catalog.flags}
    known |= {name for catalog in context.catalogs for name in catalog.variables}
    known |= {
        variable.name
        for dialect in context.tables.dialects.values()
        for variable in dialect.variable
    }
    secret = {
        name
        for entry in context.tables.secrets.secret
        for name in (entry.variable, capitals(entry.flag or ""))
    }
    return {name for name in known if name not in secret}


def patterns_catch_nothing_public(context: Context) -> Iterator[Problem]:
    """A known name that a pattern matches is a secret, or listed as `public`; what is listed there
    is known and matched.
    """
    secrets = context.tables.secrets
    if secrets is None:
        return
    names = _public_names(context)
    for name in sorted(names):
        pattern = _matched(name, secrets.patterns)
        if pattern is not None and name not in secrets.public:
            yield Problem(
                SECRETS,
                "$.patterns",
                f"{pattern!r} makes {name} a secret: list it under [[secret]] or as public",
            )
    for index, name in enumerate(secrets.public):
        if name not in names or _matched(name, secrets.patterns) is None:
            yield Problem(
                SECRETS,
                f"$.public[{index}]",
                f"{name} needs no exception: no pattern matches it, or nothing is called so",
            )


def _all_keys(shape: Shape) -> Iterator[str]:
    for key, inner in keys_of(shape).items():
        yield key
        yield from _all_keys(inner)
    for part in (shape.values, shape.items):
        if part is not None:
            yield from _all_keys(part)


def key_patterns_catch_no_known_key(context: Context) -> Iterator[Problem]:
    """No key that vLLM itself declares is taken for a secret, and the patterns are in small
    letters, as they are applied.
    """
    secrets = context.tables.secrets
    if secrets is None:
        return
    for index, pattern in enumerate(secrets.key_patterns):
        if pattern != pattern.lower() or "-" in pattern:
            yield Problem(
                SECRETS,
                f"$.key_patterns[{index}]",
                f"{pattern!r} matches nothing: keys are compared in small letters, with"
                " underscores",
            )
    keys = {
        key
        for catalog in context.catalogs
        for flag in catalog.flags
        if flag.shape is not None
        for key in _all_keys(flag.shape)
    }
    for key in sorted(keys):
        pattern_found = _matched(key.lower(), secrets.key_patterns)
        if pattern_found is not None:
            yield Problem(
                SECRETS,
                "$.key_patterns",
                f"{pattern_found!r} makes the key {key} of vLLM's own a secret",
            )


RULES = (
    secrets_there,
    secrets_exist,
    patterns_catch_nothing_public,
    key_patterns_catch_no_known_key,
)
