"""Lint: the project's tables pass, each rule for catalogs and secrets sees what it is for, and a
user's own tables are checked.
"""

from pathlib import Path

import pytest
from attrs import evolve
from support.tables import (
    HEAD,
    catalog,
    files,
    flag,
    of_the_project,
    of_versions,
    said,
    tables,
    variable,
    write,
)

from translator.core.tables.catalog import shipped as compiled_tables
from translator.maintain.compile import tables_in
from translator.maintain.lint import RULES, changes, lint
from translator.maintain.lint.rules import Context
from translator.maintain.load import load
from translator.maintain.model import Tables


@pytest.fixture
def shipped() -> Tables:
    return of_the_project()


def newest(found: Tables) -> Tables:
    """The tables with the catalog of the newest version only: what is asked of a user's own tables
    is asked of every catalog.
    """
    return of_versions(found, [found.catalogs[-1].version])


@pytest.fixture(scope="module")
def installed() -> Tables:
    """The project's tables where only the compiled files are; with the newest catalog."""
    return newest(tables_in(compiled_tables()))


def test_the_projects_tables_pass(shipped: Tables) -> None:
    assert [str(problem) for problem in lint(shipped)] == []


def test_every_rule_says_what_it_demands() -> None:
    assert len(set(RULES)) == len(RULES)
    assert all(rule.look.__doc__ for rule in RULES)


def test_the_users_own_tables_are_checked(
    shipped: Tables, installed: Tables, tmp_path: Path
) -> None:
    """Against the project's, also in an installation."""
    own = HEAD + f"[[variable]]\n{variable('LEN', '--max-model-len')}\n"
    folder = write(tmp_path, files(mine=own))
    assert lint(load(folder), newest(shipped)) == []
    write(folder, files(catalog("0.99.0"), mine=own.replace("model-len", "model-lem")))
    for base in (newest(shipped), installed):
        assert [str(problem) for problem in lint(load(folder), base)] == [
            "dialects/mine.toml $.variable[0].flag: no vLLM has a flag --max-model-lem"
        ]


def test_what_the_users_own_dialect_extends_must_be_there(
    shipped: Tables, installed: Tables
) -> None:
    """One of the project's, or of their own; also where only the compiled files are."""
    head = '[dialect]\nname = "{}"\nsources = ["https://example.org"]\nextends = "{}"\n'
    bases = {"mine": "sagemaker@shell", "more": "mine", "lost": "sagemakr"}
    bases |= {"own": "own", "one": "two", "two": "one", "lmi": "lmi"}
    found = tables(
        catalog("0.99.0"), **{name: head.format(name, base) for name, base in bases.items()}
    )
    for base in (newest(shipped), installed):
        assert [str(problem) for problem in lint(found, base)] == [
            "dialects/lmi.toml $.dialect.extends: lmi extends lmi",
            "dialects/lost.toml $.dialect.extends: there is no dialect sagemakr",
            "dialects/one.toml $.dialect.extends: one extends two extends one",
            "dialects/own.toml $.dialect.extends: own extends own",
            "dialects/two.toml $.dialect.extends: two extends one extends two",
        ]


def test_only_the_users_own_mistakes_are_told() -> None:
    base = tables(catalog("0.9.2"), mine='[dialect]\nname = "mine"\n')
    own = tables(catalog("0.10.2"), yours='[dialect]\nname = "yours"\n')
    assert [str(problem) for problem in lint(own, base)] == [
        "dialects/yours.toml $.dialect.sources: is missing"
    ]
    both = Tables({**base.files, **own.files})
    assert [item.version for item in both.catalogs] == ["0.9.2", "0.10.2"]
    assert len(both.dialects) == 2


def test_a_version_where_nothing_carries_it_is_told_unless_a_note_helps() -> None:
    catalogs = (catalog("0.8.5", flag("--x")), catalog("0.9.2"), catalog("0.10.2", flag("--again")))
    text = '[[same]]\ncarriers = ["--x", "--again"]\nsource = "catalogs"\n'
    found = tables(*catalogs, changes=text)
    assert said(changes.something_carries_it, found) == [
        "changes.toml $.same[0]: nothing replaces --x in 0.9.2, and no note explains what to do"
    ]
    (problem,) = changes.something_carries_it(Context(found))
    assert problem.severity == "warning"
    noted = tables(*catalogs, changes=text + 'note = "wait"\n')
    assert said(changes.something_carries_it, noted) == []


def test_each_change_of_the_project_is_needed(
    shipped: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, lint fails, or a new name would not reach the older versions."""
    entries = shipped.files["changes.toml"]
    lost = changes.disappearances(shipped.catalogs)
    # The same for each entry, like the other tables: anew for each, it takes half a minute.
    monkeypatch.setattr(changes, "disappearances", lambda _: lost)
    for entry in entries.entries():
        part = type(entry).__name__.lower()
        kept = tuple(item for item in getattr(entries, part) if item is not entry)
        less = evolve(entries, **{part: kept})
        found = Tables({"changes.toml": less})
        missing = [
            problem.text for problem in changes.every_disappearance_has_an_entry(Context(found))
        ]
        assert len(missing) == len(set(entry.names) & lost.keys())
        assert missing or part == "same", entry
