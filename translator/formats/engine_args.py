"""A command line as the keyword arguments of `LLM(...)` and `AsyncEngineArgs(...)`, and back.

vLLM makes its arguments of the command line field by field (`AsyncEngineArgs.from_cli_args`): a
field is called as its flag, with underscores. Options of the server have none (a fact of the
catalogs).
"""

from __future__ import annotations

from translator.core.argv.parser import parse
from translator.core.findings import Finding, finding, has_errors
from translator.core.settings.changes import flag_elsewhere
from translator.core.tables.catalog import MODEL
from translator.core.text.json_text import JsonError, loads
from translator.core.values import BadValue, plain, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.core.tables.catalog import Catalog, Flag


def engine_args(argv: Sequence[str], catalog: Catalog) -> tuple[dict[str, Any], list[Finding]]:
    """Return the keyword arguments that a command line stands for, and what they cannot hold.

    Args:
        argv: ["vllm", "serve", …], as written by `env_to_args`.
        catalog: of the version.
    """
    parsed = parse(list(argv[2:]), catalog)
    if has_errors(parsed.findings):
        return {}, parsed.findings
    findings: list[Finding] = []
    if parsed.config is not None:
        file = parsed.config
        findings.append(finding("not-expressible", "--config", case="config", file=file))
    found: dict[str, Any] = {} if parsed.model is None else {field(MODEL): parsed.model}
    left_out = []
    for name, (value, _) in parsed.settings().items():
        flag = catalog.flag(name)
        if name == MODEL and parsed.model is not None:
            continue  # up to 0.8.2, the positional model wins
        if flag is None or flag.server:
            left_out.append(name)
        elif flag.element == "comma" and isinstance(value, str):
            parts = [part.strip() for part in value.split(",")]
            found[field(name)] = [int(part) if part.isdecimal() else part for part in parts]
        else:
            found[field(name)] = value
    if left_out:
        names, version = tuple(left_out), catalog.version
        findings.append(finding("not-in-file", names[0], flags=names, version=version))
    return found, findings


def command_line(arguments: Mapping[str, Any], catalog: Catalog) -> list[str]:
    """Return the command line that makes the same arguments: `vllm serve MODEL --flag=value …`.

    None sets nothing, where it is no value of its own. What is no argument becomes an option, too,
    which the parser then refuses.

    Args:
        arguments: field → value, as JSON and YAML have it.
        catalog: of the version to write for.
    """
    head, found = ["vllm", "serve"], []
    for key, value in arguments.items():
        name = f"--{key.replace('_', '-')}"
        if name == MODEL and isinstance(value, str) and not value.startswith("-"):
            head.append(value)
            continue
        flag = catalog.flag(name) or flag_elsewhere(name, catalog.tables)
        takes = flag and (flag.nullable or (flag.kind == "json" and not flag.shaped))
        if value is None and not (takes and flag and flag.default is not None):
            continue
        if flag is not None and flag.flag == name:
            found += _tokens(flag, value)
        else:  # another spelling of a flag, or no flag
            found.append(name if value is True else f"{name}={plain(value)}")
    return [*head, *found]


def field(flag: str) -> str:
    """Return the argument of a flag."""
    return flag[2:].replace("-", "_")


def _tokens(flag: Flag, value: Any) -> list[str]:
    if flag.kind in ("switch", "toggle"):
        if value is True:
            return [flag.flag]
        # The negative form that the most versions have; a switch is false without it.
        return list(flag.negations[:1]) if value is False else [f"{flag.flag}={plain(value)}"]
    if flag.element == "comma" and isinstance(value, list):
        return [f"{flag.flag}={','.join(map(plain, value))}"]
    if flag.kind == "list" and not isinstance(value, list):
        value = [value]
    # A text may be a number with a suffix or a whole JSON value, which the parser reads.
    is_text = isinstance(value, str) and flag.kind not in ("list", "append")
    if is_text and not _is_json_string(flag, value):
        return [f"{flag.flag}={value}"]
    try:
        return tokens(flag, value)
    except (BadValue, AttributeError, TypeError):  # it has the wrong type
        return [f"{flag.flag}={plain(value)}"]


def _is_json_string(flag: Flag, text: str) -> bool:
    """Return whether a text for a JSON flag is no JSON by itself, but its value."""
    try:
        return flag.kind == "json" and flag.syntax is None and loads(text) is None
    except JsonError:
        return True
