"""What a command line sets, by our own reader, and how two of them differ."""

from typing import Any

from translator.core.argv.parser import parse
from translator.core.argv.rewriting import LineRules
from translator.core.secrets import secrets_of
from translator.core.settings import same
from translator.core.tables.catalog import shipped
from translator.core.tables.shapes import problems

SECRET_FLAGS = tuple(secrets_of(shipped()).variables)


def meaning(tokens: list[str], version: str, *, module: bool = False) -> dict[str, Any] | None:
    """What the tokens behind `vllm serve` set, less the secrets, which do not come back; None when
    our reader refuses them.

    Keys of JSON flags that another version knows count as refused, too, as the real parser has it:
    our reader leaves them for later to carry over.
    """
    catalog = shipped().catalog(version)
    parsed = parse(tokens, catalog, LineRules(module=module))
    if parsed.findings:
        return None
    for item in parsed.uses:
        shape = catalog.shape(item.flag.flag) if item.flag.shaped else None
        if shape is not None and item.value is not None and any(problems(item.value, shape)):
            return None
    found = {
        name: value for name, (value, _) in parsed.settings().items() if name not in SECRET_FLAGS
    }
    if parsed.model is not None:
        found["--model"] = parsed.model
    return found


def sorted_keys(value: Any) -> Any:
    """The value with the keys of every object in one order: it means nothing."""
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return [sorted_keys(item) for item in value] if isinstance(value, list) else value


def unlike(first: dict[str, Any] | None, second: dict[str, Any] | None) -> dict[str, Any]:
    """The flags on which two readings differ, with both values."""
    if first is None or second is None:
        return {"refused": (first, second)}
    missing = "(not set)"
    return {
        name: (first.get(name, missing), second.get(name, missing)) for name in first.keys() | second.keys()
        if not same(sorted_keys(first.get(name, missing)), sorted_keys(second.get(name, missing)))
    }  # fmt: skip
