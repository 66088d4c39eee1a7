"""The rules for changes: a deleted, misspelt or stale entry is seen."""

from __future__ import annotations

from attrs import evolve
from support.tables import catalog, flag, of_the_project, said, tables

from translator.authoring.lint import changes as of_changes
from translator.authoring.lint.changes import disappearances
from translator.authoring.lint.rules import Context
from translator.model import Tables


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


def test_each_entry_of_the_project_is_needed() -> None:
    """Without it, lint fails, or a new name would not reach the older versions."""
    shipped = of_the_project()
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
