"""The JSON results of the contract, indented.

The standard library's writer is not used for its import alone takes 6 ms (it brings re): only its C
function for texts is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from translator.findings import Finding


def dump(value: Any) -> str:
    """Indented JSON; lone surrogates (bytes that are not UTF-8) are escaped."""
    try:
        from _json import encode_basestring, encode_basestring_ascii
    except ImportError:  # another Python than CPython
        from json.encoder import encode_basestring, encode_basestring_ascii

    text = _text(value, encode_basestring, "\n")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = _text(value, encode_basestring_ascii, "\n")
    return text + "\n"


def _text(value: Any, quote: Callable[[str], str], line: str) -> str:
    if isinstance(value, str):
        return quote(value)
    inner = line + "  "
    if isinstance(value, dict) and value:
        items = [f"{quote(str(key))}: {_text(item, quote, inner)}" for key, item in value.items()]
        return f"{{{inner}{f',{inner}'.join(items)}{line}}}"
    if isinstance(value, (list, tuple)) and value:
        items = [_text(item, quote, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{line}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value)) or repr(
            value
        )
    return "{}" if isinstance(value, dict) else "[]"


def of(findings: Iterable[Finding], **parts: Any) -> str:
    """An object of the parts and the findings."""
    return dump({**parts, "findings": [item.as_dict() for item in findings]})
