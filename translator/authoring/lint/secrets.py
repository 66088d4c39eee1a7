"""Rules for secrets.toml: what is secret exists, and nothing public is caught."""

from __future__ import annotations

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.authoring.names import all_keys
from translator.model.secrets import Secrets
from translator.text.names import SecretNames, snake


@rule_for("secrets")
def named_once(secrets: Secrets, _: Context) -> Wrong:
    """Nothing is named twice in secrets.toml."""
    for name in twice(_names(secrets)):
        yield "$.secret", f"{name} stands twice"


def _names(secrets: Secrets) -> list[str]:
    both = [name for entry in secrets.secret for name in (entry.flag, entry.variable)]
    return [name for name in both if name is not None]


@rule_for("secrets")
def secrets_exist(secrets: Secrets, context: Context) -> Wrong:
    """A secret flag exists in some version and takes a text; a secret variable that would be vLLM's
    own is in its table.
    """

    variables = {name for catalog in context.catalogs for name in catalog.variables}
    for index, entry in enumerate(secrets.secret):
        flags = [
            catalog.spellings[entry.flag]
            for catalog in context.catalogs
            if entry.flag is not None and entry.flag in catalog.spellings
        ]
        if entry.flag is not None and not flags:
            yield f"$.secret[{index}].flag", f"no vLLM has a flag {entry.flag}"
        elif any(flag.boolean for flag in flags):
            yield f"$.secret[{index}].flag", f"{entry.flag} has no value that could be secret"
        name = entry.variable or ""
        if name.startswith("VLLM_") and name not in variables:
            yield f"$.secret[{index}].variable", f"no vLLM reads a variable {name}"


@rule_for("secrets")
def patterns_catch_nothing_harmless(secrets: Secrets, context: Context) -> Wrong:
    """A known name that a pattern matches is a secret, or listed as `public`; what is listed there
    is matched.
    """
    names = SecretNames(secrets.patterns, secrets.public)
    for name in sorted(_harmless_names(secrets, context)):
        if names.match(name):
            text = f"a pattern makes {name} a secret: list it under [[secret]] or as public"
            yield "$.patterns", text
    without = SecretNames(secrets.patterns, ())
    for index, name in enumerate(secrets.public):
        if "*" not in name and not without.match(name):
            yield f"$.public[{index}]", f"{name} needs no exception: no pattern matches it"


def _harmless_names(secrets: Secrets, context: Context) -> set[str]:
    """Every name that is known not to be secret: flags, vLLM's and the dialects' variables, and the
    keys that vLLM declares.
    """
    known = set(context.spellings)
    for catalog in context.catalogs:
        known.update(catalog.variables)
        for flag in catalog.flags:
            if flag.shape is not None:
                known.update(all_keys(flag.shape))
    for dialect in context.tables.dialects.values():
        known.update(variable.name for variable in dialect.variable)
    secret = set(map(snake, _names(secrets)))
    return {name for name in known if snake(name) not in secret}


RULES = (
    named_once,
    secrets_exist,
    patterns_catch_nothing_harmless,
)
