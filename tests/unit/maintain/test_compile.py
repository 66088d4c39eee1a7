"""The compiled files: they say what the tables say, and they are fresh."""

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from cases import RELEASES
from support.tables import catalog, committed, files, flag, of_the_project, write

from translator.core.tables import catalog as running
from translator.maintain import compile as compiling
from translator.maintain.load import load
from translator.maintain.model import Tables
from translator.maintain.model.catalog import Catalog
from translator.maintain.model.schema import structure


def rows(text: str) -> dict[str, Any]:
    """The entries of a compiled file, which has one a line."""
    found: dict[str, Any] = json.loads(text)
    assert text.count("\n") == len(found) + 2
    return found


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    return compiling.compile_loaded(of_the_project())


def test_the_committed_files_are_fresh(compiled: dict[str, str]) -> None:
    found = compiling.files_of(of_the_project(), compiling.COMPILED)
    assert compiling.compare(found) == [], "run `translate tables compile`"
    assert compiled.items() <= found.items()


@pytest.mark.parametrize("version", RELEASES)
def test_a_compiled_catalog_is_the_catalog(version: str) -> None:
    """As read from the lines of the table without the package."""
    assert compiling.catalog_of(version) == structure(committed(version), Catalog)


def test_the_next_release_changes_few_compiled_lines(compiled: dict[str, str]) -> None:
    """What the newest has is said to go on: only the heads name the new one."""
    tables = of_the_project()
    release = evolve(tables.catalogs[-1], version="99.0.0")
    after = compiling.compile_loaded(Tables({**tables.files, "the release": release}))
    for name in ("facts.pack", "keys.pack", "spellings.pack"):
        before = compiled[name].splitlines()
        changed = [line for line in after[name].splitlines() if line not in before]
        assert [line[:6] for line in changed] == ["0.5.2:"]


def test_a_part_of_the_tables_compiles_to_its_own_files_only(tmp_path: Path) -> None:
    dialect = '[dialect]\nname = "mine"\nsources = ["https://example.org"]\n'
    write(tmp_path, files(mine=dialect))
    assert list(compiling.compile_loaded(load(tmp_path))) == ["dialect.mine.json"]


def test_a_users_own_catalog_stands_among_the_others(tmp_path: Path) -> None:
    """In its place, or in that of one with the same name."""
    own = (catalog("0.9.3", flag("--of-mine")), catalog("0.9.2", flag("--x")))
    found = running.Tables(compiling.compile_overlay(write(tmp_path, files(*own))))
    assert found.versions()[-1] == RELEASES[-1]
    assert found.having("--of-mine") == ["0.9.3"]
    assert found.having("--x") == ["0.9.2"]
    assert found.knowing("--seed") == [f"{RELEASES[0]}-0.9.1", f"0.10.0-{RELEASES[-1]}"]
    assert found.catalog("0.9.1").flag_names() == running.shipped().catalog("0.9.1").flag_names()


def stale(mappings: Path, target: Path) -> list[str]:
    return compiling.compare(compiling.files_of(load(mappings), target), target)


def written(mappings: Path, target: Path) -> list[str]:
    return compiling.write(compiling.files_of(load(mappings), target), target)


def test_compare_tells_missing_stale_and_left_over_files(tmp_path: Path) -> None:
    mappings = write(tmp_path / "mappings", files(catalog("0.8.5"), catalog("0.9.2")))
    target = tmp_path / "compiled"
    everything = ["facts.pack", "keys.pack", "known.txt", "names.json", "spellings.pack"]
    assert stale(mappings, target) == written(mappings, target) == everything
    assert stale(mappings, target) == []
    write(mappings, files(catalog("0.9.2", flag("--x", aliases=["-x"]))))
    (mappings / "catalogs" / "0.8.5.json").unlink()
    foreign = ("package.json", "left.json", "dialect.left.json", "0.8.5.json")
    for name in foreign:
        (target / name).write_text('{\n"left": 1\n}\n', encoding="utf-8")
    (target / "dialect.gone.json").write_text('{\n"@dialect":{}\n}\n', encoding="utf-8")
    changed = ["dialect.gone.json", "facts.pack", "keys.pack", "known.txt", "spellings.pack"]
    assert stale(mappings, target) == written(mappings, target) == changed
    assert stale(mappings, target) == []
    assert not (target / "dialect.gone.json").exists()
    assert all((target / name).exists() for name in foreign)
