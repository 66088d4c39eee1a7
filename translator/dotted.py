"""JSON values as dotted keys: `--flag.key=value` and `--flag.key+=a,b`, where the version reads back what was meant."""

from __future__ import annotations

from translator import jsontext
from translator.secrets import secrets_of
from translator.values import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from translator.catalog import Catalog, Flag


def dotted_tokens(flag: Flag, value: Any, catalog: Catalog) -> list[str]:
    """The tokens that set a JSON flag key by key; the compact form where that would not survive.

    Args:
        flag: of the version.
        value: a JSON object.
        catalog: of the version.
    """
    if not isinstance(value, dict) or not value or not catalog.grammar.get("dotted"):
        return tokens(flag, value)
    found = list(_leaves(flag.flag, value, catalog))
    return found if _reads_back(found, flag, value, catalog) else tokens(flag, value)


def _leaves(name: str, value: dict[str, Any], catalog: Catalog) -> Iterator[str]:
    secrets = secrets_of(catalog.tables)
    for key, item in value.items():
        here = f"{name}.{key}"
        if isinstance(item, dict) and item and not secrets.key(key):  # the keys inside of a secret may be secret, and would be names
            yield from _leaves(here, item, catalog)
        elif catalog.grammar.get("plus") and _is_plain_list(item):
            yield f"{here}+={','.join(item)}"
        else:
            yield f"{here}={_text(item, catalog)}"


def _is_plain_list(value: Any) -> bool:
    """Elements given by `+` are texts, separated by commas."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and item and "," not in item for item in value)


def _text(value: Any, catalog: Catalog) -> str:
    """A text as it stands, unless the parser would read JSON or a size in it; everything else as JSON."""
    if isinstance(value, str):
        from translator.grammar import dotted_value

        if dotted_value(value, catalog) == value:
            return value
    return jsontext.dumps(value)


def _reads_back(found: list[str], flag: Flag, value: dict[str, Any], catalog: Catalog) -> bool:
    from translator.envwriter import same
    from translator.grammar import parse, settings_of

    parsed = parse(found, catalog, partial=True)
    read = settings_of(parsed.occurrences)
    return not parsed.findings and list(read) == [flag.flag] and same(read[flag.flag][0], value)
