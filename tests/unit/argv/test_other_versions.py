"""Lines written for another vLLM."""

from __future__ import annotations

from typing import Any

import pytest
from support.made_up import scope as made_scope

from translator import check
from translator.argv import reader
from translator.argv.argparse_rules import settings_of
from translator.argv.parser import parse
from translator.argv.reader import accepting, written_for
from translator.naming.scope import Scope, scope
from translator.settings.changes import fitted
from translator.tables.catalog import Tables, shipped
from translator.values.errors import BadValue

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
    tokens = line.split()
    return written_for(parse(tokens, here.catalog), tokens, here)


def test_a_line_of_another_version_is_read_as_that_one_reads_it(here: Scope) -> None:
    """What this version has is set; what it lacks is left to be carried."""
    found = of_another(here, "m --gone x --both 3 --listed a --turned")
    assert found is not None
    assert {name: value for name, (value, _) in settings_of(found.occurrences).items()} == {
        "--both": 3,
        "--listed": ["a"],
        "--enable-x": False,
    }
    assert [(item.name, item.value) for item in found.missing] == [("--gone", "x")]
    assert found.model == "m"
    assert [(item.code, item.subject) for item in found.findings] == [
        ("written-for-another", "--gone")
    ]
    assert "0.6.6" in found.findings[0].message


@pytest.mark.parametrize("line", ["m --never x", "m --both x", "m stray"])
def test_a_plain_mistake_stays_a_mistake(here: Scope, line: str) -> None:
    """A flag that no version has, or a value that this one refuses."""
    assert of_another(here, line) is None


@pytest.mark.parametrize(
    ("line", "mistakes"),
    [
        ("m --gone x --never y", ["unknown-flag"]),
        ("m --gone x stray", ["stray-token"]),
        ("m --gone", ["missing-value"]),
        ("m --gone x --both y", ["bad-integer"]),
    ],
)
def test_a_line_that_no_version_takes(here: Scope, line: str, mistakes: list[str]) -> None:
    """What only another version has is no mistake; the others are."""
    found = of_another(here, line)
    assert [item.code for item in found.findings if item.severity == "error"] == mistakes
    assert found.findings[0].code == "written-for-another"


def test_which_versions_take_a_line(here: Scope) -> None:
    """Newest first."""
    both = here.tables.versions()
    for value, versions in (("3", both[::-1]), ("x", ["0.6.6"])):
        assert [version for version, _ in accepting(["m", "--both", value], both, here)] == versions
    real = scope("0.33.0", "runpod", {}, shipped())[0]
    assert accepting(["m", "--task", "embed"], real.tables.versions(), real)[0][0] == "0.12.0"


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


def test_a_long_line_is_not_given_to_the_parser_of_each_version() -> None:
    """That would take as many times as long as there are versions."""
    read = set()

    class Noting(Tables):
        def text(self, name: str) -> str | None:
            read.add(name)
            return super().text(name)

    def files(count: int) -> int:
        read.clear()
        here = scope("0.33.0", "runpod", {}, Noting())[0]
        tokens = ["m", *(f"--swap-space={at}" for at in range(count))]
        found = written_for(parse(tokens, here.catalog), tokens, here)
        assert found is not None
        assert [item.value for item in found.missing] == [count - 1]
        return len([name for name in read if name[0].isdigit()])

    assert files(1001) < 4 < files(2)


def test_a_line_is_asked_once_for_all_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The findings are the same as if each version asked anew."""
    lines = [["m", "--swap-space", "4", "--seed", "1"], ["m", "--task=embed", "--swap-space=4"]]
    asked: list[str] = []
    ask = reader.accepted

    def counting(tokens: list[str], catalog: Any, *more: Any) -> Any:
        asked.append(catalog.version)
        return ask(tokens, catalog, *more)

    def findings(*, anew: bool) -> tuple[list[str], int]:
        asked.clear()
        found = []
        for line in lines:
            for version in ("0.19.1", "0.26.0", "0.33.0"):
                if anew:
                    shipped().kept.pop(reader._LAST, None)
                found += [item.line() for item in check(line, version)]
        return found, len(asked)

    monkeypatch.setattr(reader, "accepted", counting)
    (first, often), (second, seldom) = findings(anew=True), findings(anew=False)
    assert first == second
    assert 0 < 2 * seldom <= often
