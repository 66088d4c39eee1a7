"""A changes.toml written from its entries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def value(content: Any) -> str:
    """A value in one line; a text as JSON is one in TOML, too, but for DEL."""
    if isinstance(content, Mapping):
        return (
            "{" + ", ".join(f"{_key(key)} = {value(item)}" for key, item in content.items()) + "}"
        )
    if isinstance(content, (list, tuple)):
        return "[" + ", ".join(map(value, content)) + "]"
    return json.dumps(content, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return (
        name
        if name.replace("_", "").replace("-", "").isalnum()
        and name.isascii()
        and not name.startswith("-")
        else value(name)
    )


def entry(head: str, **fields: Any) -> list[str]:
    """The lines of an entry `[[head]]`: tables as dotted keys, and nothing for a field that is None
    or empty.
    """
    lines = [f"[[{head}]]"]
    for field, content in fields.items():
        if isinstance(content, Mapping):
            lines += [f"{field}.{_key(name)} = {value(inner)}" for name, inner in content.items()]
        elif content not in (None, (), []):
            lines.append(f"{field} = {value(content)}")
    return lines
