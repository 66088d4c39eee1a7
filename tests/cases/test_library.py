"""What the library gives, as data (cases/library/ROOM_MODULE.toml).

A case has calls. The name of a call's function holds what it is given: variables, or a command line
as a shell takes it. `with` are its other arguments; what must come of it:

    argv, env       of the result; not looked at if absent
    refused         whether it raises
    codes           every finding, in order, as "code SUBJECT"
    severity        of all of them; or `severities`, of each
    says            texts in the findings; [2, text]: in the message or the hint of the third
    never           texts in none
    told            [0, "hint", text]: all of the first one's hint
    facts, cases    [0, "name", value]: a fact of the first; [0, case]; under "=", all its facts
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from cases import HERE
from translator import Finding, TranslationError, args_to_env, check, convert, env_to_args

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "args_to_env": args_to_env,
    "check": check,
    "convert": convert,
    "env_to_args": env_to_args,
}
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['title']}")
    for path in sorted((HERE / "library").glob("*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


def _line(given: Any) -> Any:
    return shlex.split(given) if isinstance(given, str) else given


def _compare(call: dict[str, Any], findings: Sequence[Finding]) -> None:
    assert [f"{item.code} {item.subject}".rstrip() for item in findings] == call.get("codes", [])
    if "severity" in call:
        assert {item.severity for item in findings} == {call["severity"]}
    if "severities" in call:
        assert [item.severity for item in findings] == call["severities"]
    texts = [f"{item.message}\n{item.hint}\n{item.line()}" for item in findings]
    for said in call.get("says", ()):
        at, text = said if isinstance(said, list) else (None, said)
        assert text in ("\n".join(texts) if at is None else texts[at])
    assert [text for text in call.get("never", ()) if text in "\n".join(texts)] == []
    for at, name, text in call.get("told", ()):
        assert getattr(findings[at], name) == text
    for at, name, value in call.get("facts", ()):
        assert (findings[at].facts if name == "=" else findings[at].facts[name]) == value
    for at, case in call.get("cases", ()):
        assert findings[at].case == case


@pytest.mark.parametrize("case", CASES)
def test_what_the_library_gives(case: dict[str, Any]) -> None:
    """Each call, in its order."""
    for call in case["call"]:
        (name,) = FUNCTIONS.keys() & call.keys()
        try:
            done = FUNCTIONS[name](_line(call[name]), **call.get("with", {}))
        except TranslationError as error:
            if not call.get("refused"):
                raise
            _compare(call, error.findings)
            continue
        assert not call.get("refused")
        _compare(call, done if name == "check" else done.findings)
        if "argv" in call:
            assert done.argv == _line(call["argv"])
        if "env" in call:
            assert done.env == call["env"]
