"""Every finding that the package can return can be rendered: its code and case exist, and one of
the messages needs no other facts than those that are given.
"""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import translator
from translator.core.findings import codes, texts_of

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
    assert code in codes(), place
    named = {item.arg: item.value for item in call.keywords}
    case = named.get("case")
    if call.func.id == "BadValue" and len(call.args) > 1:  # type: ignore[attr-defined]
        case = call.args[1]
    known = "" if case is None else text(case)
    if known is None:
        return
    assert known in texts_of(code).cases, place
    if None in named or call.func.id == "BadValue":  # type: ignore[attr-defined]
        return
    messages = texts_of(code).cases[known]["message"]
    assert any(fields(template) <= set(named) for template in messages), place


def test_every_text_is_used() -> None:
    """Codes and cases stand in the package, or in the tables of dialects and relations."""
    mappings = Path(__file__).parents[4] / "mappings"
    sources = [*PACKAGE.rglob("*.py"), *(mappings / "dialects").glob("*.toml")]
    sources.append(mappings / "relations.toml")
    used = set(re.findall(r'"([a-z0-9-]+)"', "".join(path.read_text("utf-8") for path in sources)))
    assert [code for code in codes() if code not in used] == []
    cases = {case for code in codes() for case in texts_of(code).cases if case}
    assert sorted(cases - used) == []
