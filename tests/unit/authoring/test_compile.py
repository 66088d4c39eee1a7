"""The compiled files: they say what the tables say, and they are fresh."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import (
    MAPPINGS,
    catalog,
    committed,
    files,
    flag,
    of_the_project,
    shape,
    tables,
    versions,
    write,
)

from translator.authoring import compile as compiling
from translator.authoring.load import load
from translator.model.catalog import Catalog
from translator.model.schema import structure, unstructure
from translator.tables.catalog import Tables


def rows(text: str) -> dict[str, Any]:
    """The entries of a compiled file, which has one a line."""
    found: dict[str, Any] = json.loads(text)
    assert text.count("\n") == len(found) + 2
    return found


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    return compiling.compile_loaded(of_the_project())


def test_the_committed_files_are_fresh(compiled: dict[str, str]) -> None:
    assert compiling.compare(compiling.in_folder(compiled)) == [], "run `translate tables compile`"


@pytest.fixture(scope="module")
def tables_of(compiled: dict[str, str]) -> Tables:
    return Tables(compiled)


@pytest.mark.parametrize("version", sorted(versions()))
def test_a_compiled_catalog_is_the_catalog(version: str, tables_of: Tables) -> None:
    catalog = structure(committed(version), Catalog)
    assert compiling.catalog_of(version) == compiling.catalog_of(version, tables_of)
    assert unstructure(compiling.catalog_of(version)) == unstructure(catalog)


def test_the_catalogs_of_all_versions_hold_once_what_they_have_in_common(
    compiled: dict[str, str],
) -> None:
    one = json.loads((MAPPINGS / "catalogs" / "0.11.1.json").read_text())
    assert one == {"version": "0.11.1", "like": "0.11.2"}
    assert compiled["0.11.1.json"] == compiled["0.11.2.json"]
    head, *lines = compiling.in_folder(compiled)["catalogs.pack"].splitlines()
    entries = lines[len(versions()) :]
    assert int(head.split()[0]) == len(entries) == len(set(entries))


def test_the_index_knows_every_version_of_every_name(compiled: dict[str, str]) -> None:
    found = rows(compiled["index.json"])
    versions = found["@versions"]
    assert versions[:2] == ["0.5.2", "0.5.3"]
    assert found["--disable-log-requests"]["of"] == "--enable-log-requests"
    assert found["--max-model-len"] == {"in": ["0.5.2-" + versions[-1]]}
    assert compiling.index(compiling.indexed(found)) == found


def test_a_part_of_the_tables_compiles_to_its_own_files_only(tmp_path: Path) -> None:
    dialect = '[dialect]\nname = "mine"\nsources = ["https://example.org"]\n'
    write(tmp_path, files(mine=dialect))
    assert list(compiling.compile_loaded(load(tmp_path))) == ["dialect.mine.json"]
    write(tmp_path, files(catalog("0.99.0", flag("--x", "json", shape=shape(a={"kind": "int"})))))
    found = compiling.compile_loaded(load(tmp_path))
    assert found.keys() == {"index.json", "0.99.0.json", "dialect.mine.json"}


def test_the_index_of_an_overlay_speaks_of_both(tmp_path: Path) -> None:
    found = compiling.compile_overlay(write(tmp_path, files(catalog("0.99.0", flag("--of-mine")))))
    entries = rows(found["index.json"])
    shipped = rows((compiling.COMPILED / "index.json").read_text(encoding="utf-8"))["@versions"]
    assert entries["@versions"] == [*shipped, "0.99.0"]
    assert entries["--of-mine"] == {"in": ["0.99.0-0.99.0"]}
    assert entries["--seed"] == {"in": [f"{shipped[0]}-{shipped[-1]}"]}
    assert entries["--model"] == {"in": ["0.5.2-0.99.0"]}


def stale(mappings: Path, target: Path) -> list[str]:
    return compiling.compare(compiling.files_of(load(mappings), target), target)


def written(mappings: Path, target: Path) -> list[str]:
    return compiling.write(compiling.files_of(load(mappings), target), target)


def test_compare_tells_missing_stale_and_left_over_files(tmp_path: Path) -> None:
    mappings = write(tmp_path / "mappings", files(catalog("0.8.5"), catalog("0.9.2")))
    target = tmp_path / "compiled"
    everything = ["catalogs.pack", "index.json"]
    assert stale(mappings, target) == written(mappings, target) == everything
    assert stale(mappings, target) == []
    write(mappings, files(catalog("0.9.2", flag("--x"))))
    (mappings / "catalogs" / "0.8.5.json").unlink()
    foreign = ("package.json", "left.json", "dialect.left.json", "0.8.5.json")
    for name in foreign:
        (target / name).write_text('{\n"left": 1\n}\n', encoding="utf-8")
    (target / "dialect.gone.json").write_text('{\n"@dialect":{}\n}\n', encoding="utf-8")
    everything.insert(1, "dialect.gone.json")
    assert stale(mappings, target) == written(mappings, target) == everything
    assert stale(mappings, target) == []
    assert not (target / "dialect.gone.json").exists()
    assert all((target / name).exists() for name in foreign)


# --- index.json: which versions have a name

SOME = ["0.8.5", "0.9.2", "0.10.2", "0.11.2"]


def known(*catalogs: dict[str, object]) -> dict[str, compiling.Names]:
    return {item.version: compiling.names_of(item) for item in tables(*catalogs).catalogs}


@given(st.sets(st.sampled_from(SOME)))
def test_ranges_are_runs_of_successive_versions(having: set[str]) -> None:
    names = {version: {"A": "A"} if version in having else {} for version in SOME}
    entries = compiling.index(names)
    assert compiling.indexed(entries) == names
    assert len(entries.get("A", {"in": ()})["in"]) == sum(
        version in having and (at == 0 or SOME[at - 1] not in having)
        for at, version in enumerate(SOME)
    )


def test_a_version_that_is_added_again_replaces_what_was_known_of_it() -> None:
    found = known(catalog("0.8.5", flag("--x")), catalog("0.10.2", flag("--x")))
    found |= known(catalog("0.9.2", flag("--y")), catalog("0.10.2", flag("--y")))
    entries = compiling.index(found)
    assert entries["@versions"] == ["0.8.5", "0.9.2", "0.10.2"]
    assert entries["--x"] == {"in": ["0.8.5-0.8.5"]}
    assert entries["--y"] == {"in": ["0.9.2-0.10.2"]}
