"""Lines written for another vLLM."""

from typing import Any

import pytest
from support.made_up import scope as made_scope

from translator.advice.check import written_for
from translator.core.argv.reader import read_line
from translator.core.settings.changes import fitted
from translator.core.settings.scope import Scope
from translator.core.values import BadValue

OLD = ("--gone kind=str", "--both kind=str", "--listed kind=str", "--turned kind=switch")


@pytest.fixture(scope="module")
def here() -> Scope:
    return made_scope(
        "--both kind=int",
        "--listed kind=list element=str",
        "--enable-x kind=toggle negations:--turned",
        older={"0.6.6": OLD},
    )


def of_another(here: Scope, line: str) -> Any:
    return read_line(line.split(), here)


def test_a_line_of_another_version_is_read_as_that_one_reads_it(here: Scope) -> None:
    """What this version has is set; what it lacks is left to be carried."""
    found = of_another(here, "m --gone x --both 3 --listed a --turned")
    assert found is not None
    assert {name: value for name, (value, _) in found.settings().items()} == {
        "--both": 3,
        "--listed": ["a"],
        "--enable-x": False,
    }
    assert [(item.name, item.value) for item in found.missing] == [("--gone", "x")]
    assert found.model == "m"
    assert found.findings == []
    assert written_for(["m", "--gone", "x"], here) == "0.6.6"


@pytest.mark.parametrize(
    ("line", "mistakes"),
    [
        ("m --gone x --never y", ["unknown-flag"]),
        ("m --gone x stray", ["stray-token"]),
        ("m --gone", []),
        ("m --gone x --both y", ["bad-integer"]),
    ],
)
def test_a_line_that_no_version_takes(here: Scope, line: str, mistakes: list[str]) -> None:
    """What only another version has is no mistake; the others are."""
    found = of_another(here, line)
    assert [item.code for item in found.findings if item.severity == "error"] == mistakes


def test_values_change_their_kind_with_the_flag(here: Scope) -> None:
    """One text is a list of one, and back; what the other cannot read, it refuses."""
    old, new = here.tables.catalog("0.6.6"), here.catalog

    def move(value: Any, was: str, now: str, back: bool = False) -> Any:
        first, second = (new, old) if back else (old, new)
        flag, other = first.flag(was), second.flag(now)
        assert flag is not None
        assert other is not None
        return fitted(other, value, flag)

    assert move("3", "--both", "--both") == 3
    assert move("a", "--listed", "--listed") == ["a"]
    assert move(["a"], "--listed", "--listed", back=True) == "a"
    assert move(3, "--both", "--gone", back=True) == "3"
    assert move(None, "--listed", "--listed") is None
    for value, flag, back in (
        ("x", "--both", False),
        (["a", "b"], "--listed", True),
        ({"a": 1}, "--listed", True),
    ):
        with pytest.raises(BadValue):
            move(value, flag, flag, back)
