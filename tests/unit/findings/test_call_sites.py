"""Every finding that the package can return can be rendered: its code and case exist, and one of
the messages needs no other facts than those that are given.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import translator
from translator.findings.registry import CODES

PACKAGE = Path(translator.__file__).parent
WRAPPERS = {"finding", "BadValue"}
BY_WRAPPER = {"BadValue": {"given", "flag", "version", "reason", "write", "missing"}}


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not any(f"{name}(" in source for name in WRAPPERS):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in WRAPPERS:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_finding_has_its_texts() -> None:
    """In one test: to list the calls takes longer than to look at them."""
    found = list(calls())
    assert found
    for place, call in found:
        has_its_texts(place, call)


def has_its_texts(place: str, call: ast.Call) -> None:
    code = text(call.args[0])
    if code is None:
        return  # computed: covered by what produces it
    assert code in CODES, place
    named = {item.arg: item.value for item in call.keywords}
    case = named.get("case")
    if call.func.id == "BadValue" and len(call.args) > 1:  # type: ignore[attr-defined]
        case = call.args[1]
    known = "" if case is None else text(case)
    if known is None:
        return
    assert known in CODES[code].cases, place
    if None in named or call.func.id == "BadValue":  # type: ignore[attr-defined]
        return
    messages = CODES[code].cases[known][0]
    every = (messages,) if isinstance(messages, str) else messages
    assert any(template and fields(template) <= set(named) for template in every), place


def test_every_text_is_a_template() -> None:
    """With names in its braces, and a message for each case."""
    for code, entry in CODES.items():
        for case, (messages, remedies) in entry.cases.items():
            for template in (messages, remedies):
                for item in (template,) if isinstance(template, str) else template:
                    assert all(name.isidentifier() for name in fields(item)), (code, case, item)
            assert messages or (not case and len(entry.cases) > 1), (code, case)
