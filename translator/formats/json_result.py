"""The JSON results of the contract, indented.

Only the C function of the standard library's encoder is used, for strings: importing the encoder
takes 6 ms, because it imports re.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from translator.findings import Finding
    from translator.formats.forms import CommandLine, Environment, Written


def dump(value: Any) -> str:
    """Return indented JSON; lone surrogates (non-UTF-8 bytes) are escaped."""
    try:
        from _json import encode_basestring, encode_basestring_ascii
    except ImportError:  # not CPython
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


def write_argv(line: CommandLine) -> Written:
    """Write the object of `env-to-args --format json`: argv, env and findings."""
    return _result(line.findings, argv=line.argv, env=dict(line.env)), []


def write_env(environment: Environment) -> Written:
    """Write the object of `args-to-env --format json`: env and findings."""
    return _result(environment.findings, env=dict(environment.env)), []


def _result(findings: Iterable[Finding], **parts: Any) -> str:
    return dump({**parts, "findings": [item.as_dict() for item in findings]})
