"""Rules for secrets.toml: what is secret exists, and nothing public is caught."""

from __future__ import annotations

from collections.abc import Iterator

from translator.authoring.lint.rules import Context
from translator.authoring.names import all_keys
from translator.authoring.sources import SECRETS, Problem
from translator.text.names import SecretNames, snake


def named_once(context: Context) -> Iterator[Problem]:
    """Nothing is named twice in secrets.toml."""
    secrets = context.tables.secrets
    if secrets is None:
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


def _harmless_names(context: Context) -> set[str]:
    """Every name that is known not to be secret: flags, vLLM's and the dialects' variables, and the
    keys that vLLM declares.
    """
    assert context.tables.secrets is not None
    flags = [flag for catalog in context.catalogs for flag in catalog.flags]
    known = {spelling for flag in flags for spelling in flag.spellings}
    known |= {key for flag in flags if flag.shape is not None for key in all_keys(flag.shape)}
    known |= {name for catalog in context.catalogs for name in catalog.variables}
    known |= {
        variable.name
        for dialect in context.tables.dialects.values()
        for variable in dialect.variable
    }
    secret = {
        snake(name)
        for entry in context.tables.secrets.secret
        for name in (entry.variable, entry.flag)
        if name is not None
    }
    return {name for name in known if snake(name) not in secret}


def patterns_catch_nothing_harmless(context: Context) -> Iterator[Problem]:
    """A known name that a pattern matches is a secret, or listed as `public`; what is listed there
    is matched.
    """
    secrets = context.tables.secrets
    if secrets is None:
        return
    patterns = (*secrets.patterns, *secrets.key_patterns)
    names = SecretNames(patterns, secrets.public)
    for name in sorted(_harmless_names(context)):
        if names.match(name):
            yield Problem(
                SECRETS,
                "$.patterns",
                f"a pattern makes {name} a secret: list it under [[secret]] or as public",
            )
    without = SecretNames(patterns, ())
    for index, name in enumerate(secrets.public):
        if "*" not in name and not without.match(name):
            yield Problem(
                SECRETS, f"$.public[{index}]", f"{name} needs no exception: no pattern matches it"
            )


RULES = (
    named_once,
    secrets_exist,
    patterns_catch_nothing_harmless,
)
