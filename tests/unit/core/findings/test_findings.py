"""The registry of findings, and the form in which they leave the library (what each means, and an
input that gives it: tests/cases/findings.py).
"""

import pickle

import pytest

from translator import TranslationError
from translator.core.findings import UsageError, finding, has_errors, one_line, show


def test_a_finding_is_an_immutable_value() -> None:
    """The fields of the contract, by name and as JSON; equal, hashed and pickled as a value."""
    item = finding("bad-bool", "X", given="X=maybe", flag="--x", version="9")
    texts = {"message": item.message, "hint": item.hint}
    assert item.as_dict() == {"code": "bad-bool", "severity": "error", "subject": "X", **texts}
    assert "`X=maybe`" in item.message
    assert item.facts == {"given": "X=maybe", "flag": "--x", "version": "9"}
    assert len({item, finding("bad-bool", "X", given="X=maybe", flag="--x", version="9")}) == 1
    assert pickle.loads(pickle.dumps(item)) == item
    assert repr(item).startswith("Finding(code='bad-bool', severity='error', subject='X', message=")
    with pytest.raises(AttributeError):
        item.code = "x"  # type: ignore[misc]


@pytest.mark.parametrize(("code", "case"), [("no-such-code", ""), ("bad-bool", "no-such-case")])
def test_what_is_not_compiled_yet_says_what_to_do(code: str, case: str) -> None:
    """It was a KeyError."""
    with pytest.raises(UsageError, match=rf"`{case or code}`.*: run `translate tables compile`"):
        finding(code, "X", case=case).line()


def test_a_line_of_a_log_is_one_line() -> None:
    """Control characters are shown, not obeyed."""
    item = finding("missing-value", "--x", given="a\nb\x1b[31m\u2028ü", version="9")
    assert "a\\nb\\x1b[31m\\u2028ü" in item.line()
    assert item.line().isprintable()
    assert one_line("\udc80\0") == "\\udc80\\x00"


def test_an_error_holds_all_findings_and_says_the_errors() -> None:
    wrong, told = finding("bad-bool", "A", given="a\nb"), finding("replaced", "B", given="b")
    error = TranslationError(iter([wrong, told, wrong]))
    assert error.findings == (wrong, told, wrong)
    lines = [line.partition(":")[0] for line in str(error).split("\n")]
    assert lines == ["error[bad-bool]"] * 2
    assert isinstance(error, ValueError)
    assert has_errors(error.findings)
    assert not has_errors(error.findings[1:2])


def test_long_values_are_shown_short() -> None:
    """Cut at sixty characters."""
    assert show("x" * 60) == "x" * 60
    assert show("x" * 61) == "x" * 59 + "…"
