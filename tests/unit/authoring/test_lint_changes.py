"""The rules for changes: a deleted, misspelt or stale entry is seen."""

from __future__ import annotations

import pytest
from attrs import evolve
from support.tables import catalog, flag, of_the_project, said, shape, tables

from translator.authoring.lint import changes as of_changes
from translator.authoring.lint.changes import disappearances
from translator.authoring.lint.rules import Context, Rule
from translator.model import Tables
from translator.model.changes import Changes


@pytest.fixture
def shipped() -> Tables:
    return of_the_project()


OLD = catalog(
    "0.8.5",
    flag("--old", "switch"),
    flag("--gone", "int"),
    flag("--stay"),
    flag("--task", choices=["embed", "generate"]),
    flag("--mode", choices=["a", "b"]),
    flag(
        "--conf",
        "json",
        shape=shape(level={"kind": "int"}, deep=shape(k={"kind": "str"}, l={"kind": "str"})),
    ),
    flag("--lost", "json", shape=shape(k={"kind": "int"})),
    flag("--free", "json"),
    env=[{"name": "VLLM_OLD", "kind": "bool"}],
)
NEW = catalog(
    "0.9.2",
    flag("--new", "toggle"),
    flag("--stay", aliases=["--still"]),
    flag("--runner", choices=["pooling", "generate"]),
    flag("--mode", choices=["a", "c"]),
    flag(
        "--conf",
        "json",
        shape=shape(
            mode={"kind": "choice", "choices": ["NONE", "FAST"]}, deep=shape(k={"kind": "str"})
        ),
    ),
    flag("--free", "json"),
)
SAME = '[[same]]\ncarriers = ["--old", "--new"]\ninverted = ["--old"]\nsource = "catalogs"\n'
LEVEL = (
    '[[same]]\ncarriers = ["--conf.level", "--conf.mode"]\nsource ='
    ' "catalogs"\nvalues."--conf.level" = {0 = "NONE", 3 = "FAST"}\n'
)
ALL = (
    SAME
    + LEVEL
    + """
[[split]]
name = "--task"
source = "catalogs"
values.embed = {"--runner" = "pooling"}
values.generate = {}
[[gone]]
names = ["--gone", "--lost", "--conf.deep.l", "VLLM_OLD"]
why = "so"
source = "catalogs"
[[value]]
name = "--mode"
values = ["b", "c"]
source = "catalogs"
"""
)


def changed(text: str) -> Tables:
    return tables(OLD, NEW, changes=text)


def rules_of_changes(found: Tables) -> list[str]:
    rules = [rule for rule in vars(of_changes).values() if isinstance(rule, Rule)]
    return [str(problem) for rule in rules for problem in rule(Context(found))]


def test_a_full_account_passes() -> None:
    assert rules_of_changes(changed(ALL)) == []
    assert sorted(disappearances(changed(ALL).catalogs)) == [
        "--conf.deep.l",
        "--conf.level",
        "--gone",
        "--lost",
        "--old",
        "--task",
        "VLLM_OLD",
    ]


def test_a_value_of_another_carrier_counts() -> None:
    found = tables(
        catalog("0.8.5", env=[{"name": "VLLM_B", "kind": "str", "choices": ["X_V1"]}]),
        catalog("0.9.2", flag("--b", choices=["X"])),
        changes=(
            '[[same]]\ncarriers = ["VLLM_B", "--b"]\nsource = "catalogs"\n[[value]]\nname ='
            ' "--b"\nvalues = ["X_V1", "X"]\nsource = "catalogs"\n'
        ),
    )
    assert rules_of_changes(found) == []


def test_a_version_where_nothing_carries_it_is_told_unless_a_note_helps() -> None:
    catalogs = (catalog("0.8.5", flag("--x")), catalog("0.9.2"), catalog("0.10.2", flag("--again")))
    text = '[[same]]\ncarriers = ["--x", "--again"]\nsource = "catalogs"\n'
    found = tables(*catalogs, changes=text)
    assert said(of_changes.something_carries_it, found) == [
        "changes.toml $.same[0]: nothing replaces --x in 0.9.2, and no note explains what to do"
    ]
    (problem,) = of_changes.something_carries_it(Context(found))
    assert problem.severity == "warning"
    noted = tables(*catalogs, changes=text + 'note = "wait"\n')
    assert said(of_changes.something_carries_it, noted) == []


def test_each_entry_of_the_project_is_needed(shipped: Tables) -> None:
    """Without it, lint fails, or a new name would not reach the older versions."""
    entries = shipped.files["changes.toml"]
    lost = disappearances(shipped.catalogs)
    for entry in entries.entries():
        part = type(entry).__name__.lower()
        kept = tuple(item for item in getattr(entries, part) if item is not entry)
        changes = evolve(entries, **{part: kept})
        found = Tables({**shipped.files, "changes.toml": changes})
        missing = [
            problem.text for problem in of_changes.every_disappearance_has_an_entry(Context(found))
        ]
        assert len(missing) == len(set(entry.names) & lost.keys())
        assert missing or part == "same", entry


def test_without_any_entry_everything_is_missing(shipped: Tables) -> None:
    found = Tables({**shipped.files, "changes.toml": Changes()})
    assert (
        len(list(of_changes.every_disappearance_has_an_entry(Context(found))))
        == len(disappearances(shipped.catalogs))
        > 150
    )
