"""`translate tables add`: what a freshly harvested catalog changes, from the recorded facts of the
releases of the past.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from cases import NEWEST
from support import tables as tables_files
from support.tables import MAPPINGS, catalog, committed, flag, of_the_project, of_versions, shape

from translator.maintain import history
from translator.maintain.adding import addition, proposals
from translator.maintain.harvest import HarvestError, from_python, misnamed
from translator.maintain.lint import changes as of_changes
from translator.maintain.lint.changes import disappearances, unaccounted
from translator.maintain.lint.rules import Context, Rule
from translator.maintain.load import TablesError, harvested, parse
from translator.maintain.model import RELEASES, Tables
from translator.maintain.model.catalog import Catalog
from translator.maintain.model.changes import Changes
from translator.maintain.model.schema import structure


def test_the_releases_of_the_past_get_what_they_needed() -> None:
    """For each release: one proposal a name that it dropped, and none beside. All of them pasted
    and finished make lint content; unfinished they do not.
    """
    shipped = of_the_project()
    needed: dict[str, str] = {}
    for number in range(1, 28):
        versions = [item.version for item in shipped.catalogs[: number + 1]]
        files = of_versions(shipped, versions).files
        tables, version = Tables({**files, "changes.toml": Changes()}), versions[-1]
        found = proposals(tables, version)
        missing = unaccounted(Context(tables)).items()
        lost = {
            name
            for name, lacking in disappearances(tables.catalogs).items()
            if lacking[-1] == version
        }
        assert found.keys() == {name for name, lacking in missing if version in lacking} == lost
        needed |= found
    pasted = "\n".join(needed.values())

    def with_changes(text: str) -> Context:
        return Context(Tables({**tables.files, **parse({"changes.toml": text.encode()}).files}))

    unfinished = list(of_changes.nothing_left_to_do(with_changes(pasted)))
    assert len(unfinished) == pasted.count('"TODO') == len(needed) > 20
    finished = with_changes(pasted.replace('"TODO: ', '"'))
    rules = [rule for rule in vars(of_changes).values() if isinstance(rule, Rule)]
    problems = [problem for rule in rules for problem in rule(finished)]
    assert [problem for problem in problems if problem.severity == "error"] == []


OLD = catalog(
    "0.9.2",
    flag("--disable-thing-log", "toggle", default=False),
    flag("--odd", "int"),
    flag("--speed-level", choices=["slow", "fast_mode"]),
    flag("--conf", "json", shape=shape(old_size={"kind": "int"}, deep=shape(k={"kind": "str"}))),
    env=[{"name": "VLLM_OLD_SPEED", "kind": "bool"}],
)
NEW = catalog(
    "0.10.2",
    flag("--enable-thing-log", "toggle", default=True),
    flag("--speed-level", choices=["slow", "fast-mode"]),
    flag("--conf", "json", shape=shape(new_sizes={"kind": "int"}, deep=shape(k={"kind": "str"}))),
    env=[{"name": "VLLM_OLD_SPEEDS", "kind": "bool"}],
)


def proposed(
    tmp_path: Path, changes: str = "", *, new: dict[str, Any] = NEW
) -> tuple[dict[str, str], list[str]]:
    folder = tables_files.write(tmp_path / "tables", tables_files.files(OLD, changes=changes))
    return addition(folder, structure(new, Catalog), "2025-09-13")


def test_a_name_that_is_lost_becomes_an_entry_to_finish(tmp_path: Path) -> None:
    """One entry a name, which says where vLLM declared it."""
    files, names = proposed(tmp_path)
    entries = parse({"changes.toml": files["changes.toml"].encode()}).files["changes.toml"]
    assert entries is not None
    assert names == ["--conf.old_size", "--disable-thing-log", "--odd", "VLLM_OLD_SPEED"]
    assert [item.names for item in entries.gone] == [(name,) for name in names]
    assert all(item.why.startswith("TODO") for item in entries.gone)
    assert entries.gone[-1].source.endswith("/v0.9.2/vllm/envs.py")


def test_a_release_between_two_needs_what_the_next_lacks(tmp_path: Path) -> None:
    _, names = proposed(tmp_path, new={**NEW, "version": "0.8.5"})
    assert {"--enable-thing-log", "VLLM_OLD_SPEEDS"} <= set(names)


# --- a release that is added ----------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.5.2", "0.8.5.post1", "0.9.0.1", "0.11.1", NEWEST])
def test_a_release_that_was_left_out_is_added_as_it_was(version: str, tmp_path: Path) -> None:
    """The oldest, the newest, one that is like another, and some that are not."""
    others = [item for item in of_the_project().catalogs if item.version != version]
    releases = (MAPPINGS / RELEASES).read_text()
    (line,) = (line for line in releases.splitlines(True) if line.startswith(f'"{version}" = '))
    left = {**history.texts(others), RELEASES: releases.replace(line, ""), "changes.toml": ""}
    folder = tables_files.write(tmp_path, {name: text.encode() for name, text in left.items()})
    found, _ = addition(folder, structure(committed(version), Catalog), line.split('"')[3])
    found.pop("changes.toml", "")
    for name, text in (left | found).items():
        assert name == "changes.toml" or text == (MAPPINGS / name).read_text(), name


def test_what_has_to_be_decided_is_added_to_the_changes(tmp_path: Path) -> None:
    kept = (
        "# Written by people.\n[[gone]]\n"
        + 'names = ["--odd"]\nwhy = "w"\nsource = "https://example.org"\n'
    )
    folder = tables_files.write(tmp_path, tables_files.files(OLD, changes=kept))
    found, names = addition(folder, structure(NEW, Catalog), "2025-09-13")
    assert found[RELEASES] == '[published]\n"0.10.2" = "2025-09-13"\n'
    assert found["changes.toml"].startswith(kept)
    changes = parse({"changes.toml": found["changes.toml"].encode()}).files["changes.toml"]
    assert changes is not None
    assert names == ["--conf.old_size", "--disable-thing-log", "VLLM_OLD_SPEED"]
    assert [item.names for item in changes.gone if item.why.startswith("TODO: ")] == [
        (name,) for name in names
    ]


@pytest.mark.parametrize(
    ("there", "version", "wrong"),
    [
        ("0.33.0", "0.34.0", True),
        ("0.10.1", "0.10.1.1", True),
        ("0.33.0+cpu", "0.33.0", False),
        ("0.34.0rc1.dev5+gabcdef", "0.34.0", False),
        ("dev", "0.34.0", False),
    ],
)
def test_a_release_is_not_recorded_as_another(there: str, version: str, wrong: bool) -> None:
    assert misnamed(there, version) is wrong


def test_a_python_with_another_release_is_refused(tmp_path: Path) -> None:
    """To compare it, or to ask it, a vLLM may be called anything."""
    (tmp_path / "facts.json").write_text(json.dumps(NEW))
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncp {tmp_path}/facts.json "$7"\nprintf 0.10.2+cpu >"$7.version"\n'
    )
    python.chmod(0o755)
    assert from_python(str(python), "0.10.2", release=True) == structure(NEW, Catalog)
    with pytest.raises(HarvestError, match=r"it has vLLM 0\.10\.2\+cpu, not 0\.11\.0"):
        from_python(str(python), "0.11.0", release=True)
    assert from_python(str(python), "0.11.0") == structure(NEW, Catalog)


def test_facts_that_the_schema_does_not_know_are_told_with_their_place() -> None:
    """What a vLLM of another time may bring: nothing is written."""
    new = json.dumps(catalog("0.10.2", flag("--seed", "quantum")))
    with pytest.raises(TablesError, match=r"vLLM 0\.10\.2 \$\.flags\[1\].*quantum"):
        harvested("vLLM 0.10.2", new.encode())
