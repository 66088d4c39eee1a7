"""Paste and check: what the page `check.html` of the site calls, in a browser.

The text is the standard input of the program's own commands, so that the page's answers are those
of the command line.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from translator.cli.main import main
from translator.cli.process import OK
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import shipped
from translator.deployments.read.targets import kind_of

KINDS = ("auto", "command", "variables", "log")
"""How a text is read; `auto` looks at it."""
# Nobody knows what the value of an unknown name is, such as `--hf-tokn`, nor what is in a text that
# cannot be read.
_UNCLEAR = (
    "unknown-flag",
    "unknown-variable",
    "shell-syntax",
    "bad-manifest",
    "bad-env-file",
    "unreadable-file",
)
_PART = "[A-Za-z0-9_.-]"
_BETWEEN = re.compile(r"[\s'\"=:,;|&(){}\[\]<>]+")


def answer(request: str) -> str:
    """Return the answer to a request, both as JSON: the arguments and the result of `paste`."""
    return json.dumps(paste(**json.loads(request)))


def paste(
    text: str, kind: str = "auto", source: str = "", target: str = "", dialect: str = "runpod"
) -> dict[str, Any]:
    """Check a text and translate it.

    Args:
        text: variables, a command, a script, a manifest, or the log of a start.
        kind: one of `KINDS`.
        source, target: the vLLM that it was written for, and to check it for; "" for that of its
            image, or else the newest.
        dialect: whose variables they are.

    Returns:
        `kind`: how it was read; `version`: the vLLM that all of it is for; `check`, `command` and
        `variables`: what was run, and its `status`, `out` and `err`; `checked` and `findings`: of
        `check --format json`, each finding with its `mark`, a line of the text; `secret`: whether
        the text may hold one. A log is explained in the place of `check`, and becomes nothing else.
    """
    if kind == "log":
        return _explained(text, target)
    is_open = kind == "auto"
    if is_open:
        kind = kind_of(text)
    before, to = _option("--from", source), ["--dialect", dialect]
    read = ["--env-file", "-"] if kind == "variables" else ["-"]
    vllm = _option("--vllm", target)
    check = _run(text, ["check", *read, *vllm, *before, *to, "--format", "json"])
    report = json.loads(check["out"] or "{}")  # nothing where the text cannot be read
    # That of the first image, for all parts of the answer.
    checked = [target or item["vllm"] for item in report.get("checked", ())]
    if is_open and not checked:  # nothing in it starts vLLM
        log = _explained(text, target)
        if log["check"]["status"] == OK:
            return log
    version = checked[0] if checked else target or shipped().versions()[-1]
    target_of = [*before, "--to", version, "--from-dialect", dialect]
    if kind == "variables":
        command = ["env-to-args", *read, "--vllm", version, *to, "--format", "multiline"]
        variables = ["convert", *read, *target_of]
    else:
        command = ["convert", *target_of, "--format", "multiline"]
        variables = ["args-to-env", "--file", "-", "--vllm", version, *before, *to]
    return {
        "kind": kind,
        "version": version,
        "check": check,
        "command": _run(text, command),
        "variables": _run(text, variables),
        "checked": report.get("checked", []),
        **_marked(text, report.get("findings", ())),
    }


def _explained(text: str, vllm: str) -> dict[str, Any]:
    """Return what `paste` returns of a log."""
    ran = _run(text, ["explain", "-", *_option("--vllm", vllm), "--format", "json"])
    findings = json.loads(ran["out"] or "[]")
    checked = [{"vllm": item["vllm"]} for item in findings if item["vllm"]]
    version = checked[0]["vllm"] if checked else vllm
    parts = {"kind": "log", "version": version, "check": ran, "checked": checked}
    return parts | _marked(text, findings)


def _marked(text: str, findings: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return findings with their lines of a text, and whether the text may hold a secret."""
    marked = [{**item, "mark": _mark(text, item)} for item in findings]
    unclear = any(item["code"] in _UNCLEAR for item in marked)
    return {"findings": marked, "secret": holds_a_secret(text) or unclear}


def _option(name: str, value: str) -> list[str]:
    return [name, value] if value else []


def _run(text: str, arguments: list[str]) -> dict[str, Any]:
    """Run a command with a text as its standard input."""
    streams = sys.stdin, sys.stdout, sys.stderr
    given = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(given, "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(out, "utf-8", "surrogateescape", write_through=True)
    sys.stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True)
    try:
        status = main(arguments)
        texts = [stream.getvalue().decode("utf-8", "replace") for stream in (out, err)]
        return {"arguments": arguments, "status": status, "out": texts[0], "err": texts[1]}
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def _mark(text: str, item: dict[str, Any]) -> int | None:
    """Return the line of a text that a finding is about: the first in which its subject stands,
    from the line of its command on.
    """
    first: int | None = item["line"]
    whole = re.compile(rf"(?<!{_PART}){re.escape(item['subject'])}(?!{_PART})")
    for number, line in enumerate(text.splitlines() if item["subject"] else (), 1):
        if number >= (first or 1) and whole.search(line):
            return number
    return first


def holds_a_secret(text: str) -> bool:
    """Tell whether our own finder sees a secret in a text, or a name that may hold one."""
    secrets = secrets_of(shipped())
    return secrets.mask(text) != text or any(map(secrets.named, _BETWEEN.split(text)))
