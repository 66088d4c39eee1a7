"""`translate tables drift` and `add`: what a freshly harvested catalog changes, from the recorded
facts of the releases of the past.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import asdict, evolve
from support import tables as tables_files
from support import toml_text
from support.program import translate
from support.tables import (
    MAPPINGS,
    catalog,
    committed,
    flag,
    of_the_project,
    shape,
    versions,
)

from translator.authoring.drift import Committed, Report, addition, differences, proposals, report
from translator.authoring.harvest import (
    HarvestError,
    from_python,
    misnamed,
)
from translator.authoring.lint import changes as of_changes
from translator.authoring.lint.changes import disappearances, unaccounted
from translator.authoring.lint.rules import Context, Rule
from translator.authoring.load import parse, texts
from translator.model import CATALOGS, RELEASES, Tables
from translator.model.changes import Changes
from translator.tables.versions import Version

NEWEST, BEFORE = "0.33.0", "0.32.0"


def written(changes: Changes) -> str:
    """A changes.toml with these entries."""
    lines = []
    for part in ("same", "split", "gone", "value"):
        for entry in getattr(changes, part):
            lines += toml_text.entry(part, **asdict(entry, recurse=False))
    return "\n".join(lines) + "\n"


def less(changes: Changes, names: set[str], older: set[str]) -> Changes:
    """Changes as they were before some names disappeared: entries about others that disappeared
    earlier stay, without the note on where nothing is left.
    """
    same = [
        item
        for item in changes.same
        if not names & set(item.carriers) or older & set(item.carriers)
    ]
    same = [evolve(item, note=None) if names & set(item.carriers) else item for item in same]
    gone = [
        evolve(item, names=kept)
        for item in changes.gone
        if (kept := tuple(name for name in item.names if name not in names))
    ]
    return evolve(
        changes,
        same=tuple(same),
        gone=tuple(gone),
        split=tuple(item for item in changes.split if item.name not in names),
    )


@pytest.fixture
def shipped() -> Tables:
    return of_the_project()


def lost_with(tables: Tables, version: str) -> set[str]:
    """The names that a version lacks and the one before it had."""
    place = [item.version for item in tables.catalogs].index(version)
    return {
        name
        for name, versions in disappearances(tables.catalogs[: place + 1]).items()
        if versions[-1] == version
    }


@pytest.fixture(scope="module")
def without_newest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's tables as they were before a version came out: no catalog of it and of newer
    ones, and no entries for what these dropped.
    """
    shipped = of_the_project()
    folder = tmp_path_factory.mktemp("mappings")
    shutil.copytree(MAPPINGS, folder, dirs_exist_ok=True)
    place = [item.version for item in shipped.catalogs].index(NEWEST)
    for item in shipped.catalogs[place:]:
        (folder / CATALOGS / f"{item.version}.json").unlink()
    assert shipped.changes is not None
    before = set(disappearances(shipped.catalogs[:place]))
    lost = set().union(*(lost_with(shipped, item.version) for item in shipped.catalogs[place:]))
    (folder / "changes.toml").write_text(
        written(less(shipped.changes, lost - before, before)),
        encoding="utf-8",
    )
    return folder


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's tables with the catalogs of some versions only, which are quickly read."""
    folder = tmp_path_factory.mktemp("few")
    shutil.copytree(
        MAPPINGS,
        folder,
        dirs_exist_ok=True,
        ignore=lambda path, _: ["catalogs"] * (path == str(MAPPINGS)),
    )
    some = ("0.6.6", "0.27.1", "0.29.0", "0.30.0", NEWEST)
    return tables_files.write(
        folder, {f"{CATALOGS}/{item}.json": json.dumps(committed(item)).encode() for item in some}
    )


# --- the same version -----------------------------------------------------------------------------


def test_no_drift(few: Path) -> None:
    ran = translate(
        "tables",
        "drift",
        str(few),
        "--harvested",
        str(few / CATALOGS / "0.6.6.json"),
        "--harvested",
        str(few / CATALOGS / f"{NEWEST}.json"),
    )
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "vLLM 0.6.6: the committed catalog is what was harvested"
    told = json.loads(
        translate(
            "tables",
            "drift",
            str(few),
            "--harvested",
            str(few / CATALOGS),
            "--vllm",
            NEWEST,
            "--format",
            "json",
        ).out
    )
    assert (told["drift"], [item["version"] for item in told["versions"]]) == (False, [NEWEST])


def _of(catalog: dict[str, Any], name: str) -> dict[str, Any]:
    return next(
        row
        for row in (*catalog["flags"], *catalog["env"])
        if name in (row.get("flag"), row.get("name"))
    )


SPOILT: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (
        lambda new: _of(new, "--max-model-len").update(kind="size"),
        '  ~ --max-model-len: kind: "size-or-auto" -> "size"',
    ),
    (lambda new: _of(new, "--dtype")["choices"].remove("half"), '  ~ --dtype: choices: -"half"'),
    (lambda new: _of(new, "--seed").update(default=False), "  ~ --seed: default: 0 -> false"),
    (lambda new: _of(new, "--seed").update(default=0.0), "  ~ --seed: default: 0 -> 0.0"),
    (
        lambda new: _of(new, "--tensor-parallel-size").update(aliases=[]),
        '  ~ --tensor-parallel-size: aliases: -"-tp"',
    ),
    (
        lambda new: new["flags"].append(flag("--brand-new", "toggle")),
        '  + --brand-new: toggle, negations ["--no-brand-new"]',
    ),
    (lambda new: new["flags"].remove(_of(new, "--seed")), "  - --seed: "),
    (
        lambda new: _of(new, "--compilation-config")["shape"]["keys"].pop("mode"),
        "  - --compilation-config.mode: ",
    ),
    (
        lambda new: _of(new, "--compilation-config")["shape"]["keys"]["pass_config"].update(
            nullable="x"
        ),
        "  ~ --compilation-config.pass_config: nullable: ",
    ),
    (
        lambda new: _of(new, "VLLM_LOGGING_LEVEL").update(default="WARN"),
        '  ~ VLLM_LOGGING_LEVEL: default: "INFO" -> "WARN"',
    ),
    (lambda new: new["env"].remove(_of(new, "VLLM_PORT")), "  - VLLM_PORT: int"),
    (lambda new: new["grammar"].update(plus=False), "  ~ plus: true -> false"),
]


@pytest.mark.parametrize(("spoil", "told"), SPOILT, ids=[text.strip() for _, text in SPOILT])
def test_every_kind_of_difference_is_told(
    spoil: Callable[[dict[str, Any]], Any], told: str
) -> None:
    """In the text; nothing else differs."""
    from translator.cli.tables.maintain import _part

    old = committed(NEWEST)
    new = copy.deepcopy(old)
    spoil(new)
    found = differences(old, new)
    lines = [line for part in ("flags", "keys", "variables") for line in _part(found[part])]
    lines += [
        f"  ~ {name}: {json.dumps(change['before'])} -> {json.dumps(change['after'])}"
        for name, change in found["grammar"].items()
    ]
    assert len(lines) == 1
    assert lines[0].startswith(told), lines
    assert Report("1", "1", differences(new, old)).drifted
    assert not Report("1", "1", differences(new, copy.deepcopy(new))).drifted


def test_drift_of_a_known_version_is_status_1(few: Path, tmp_path: Path) -> None:
    new = committed("0.27.1")
    _of(new, "--seed")["default"] = 7
    path = tmp_path / "0.27.1.json"
    path.write_text(json.dumps(new))
    ran = translate("tables", "drift", str(few), "--harvested", str(tmp_path))
    assert ran.status == 1
    assert (
        ran.out
        == "vLLM 0.27.1: the committed catalog is not what was harvested\n\nflags\n  ~ --seed:"
        " default: 0 -> 7\n"
    )


def test_the_json_has_both_facts_of_what_changed(tmp_path: Path) -> None:
    small = tables_files.write(tmp_path / "tables", tables_files.files(OLD, changes=""))
    new = copy.deepcopy(OLD)
    _of(new, "--odd")["default"] = 7
    (tmp_path / "0.9.2.json").write_text(json.dumps(new))
    ran = translate("tables", "drift", str(small), "--harvested", str(tmp_path), "--format", "json")
    told = json.loads(ran.out)
    assert (ran.status, told["drift"]) == (1, True)
    assert told["versions"][0]["flags"]["changed"] == {
        "--odd": {"default": {"before": None, "after": 7}}
    }
    assert (told["versions"][0]["needed"], told["versions"][0]["lint"]) == ([], [])


# --- a version without a catalog ------------------------------------------------------------------


def test_what_a_release_needs_is_exactly_what_lint_demands(
    without_newest: Path, shipped: Tables
) -> None:
    """The newest release, as if it had just come out: pasted and finished, the proposals make lint
    content; unfinished they do not.
    """
    known = Committed(without_newest)
    told = report(committed(NEWEST), known)
    assert (told.version, told.against, told.drifted) == (NEWEST, BEFORE, True)
    kept = known.tables.changes
    assert kept is not None
    wanted = lost_with(shipped, NEWEST) - {
        name for _, entry in kept.entries() for name in entry.names
    }
    assert len(wanted) == 6
    assert told.needed.keys() == wanted
    assert {
        item.text.split(" became of ")[1].partition(",")[0]
        for item in told.problems
        if "became of" in item.text
    } == wanted
    assert [
        item.severity
        for item in told.problems
        if "nothing replaces VLLM_USE_RAY_COMPILED_DAG_NCCL_CHANNEL in 0.33.0" in item.text
    ] == ["warning"]
    pasted = "\n".join(told.needed.values()) + "\n"

    def with_changes(more: str) -> Context:
        changes = parse({"changes.toml": (known.text("changes.toml") + more).encode()}).changes
        return Context(evolve(shipped, changes=changes))

    assert (
        len(list(of_changes.nothing_left_to_do(with_changes(pasted))))
        == pasted.count('"TODO')
        == len(wanted)
    )
    finished = with_changes(pasted.replace('"TODO: ', '"'))
    assert [
        problem
        for rule in vars(of_changes).values()
        if isinstance(rule, Rule)
        for problem in rule(finished)
        if problem.severity == "error"
    ] == []


def test_what_a_release_needs_is_told_in_the_text(tmp_path: Path) -> None:
    small = tables_files.write(tmp_path / "tables", tables_files.files(OLD, changes=""))
    (tmp_path / "new.json").write_text(json.dumps(NEW))
    path = str(tmp_path / "new.json")
    text = translate("tables", "drift", str(small), "--harvested", path).out
    needed = report(NEW, Committed(small)).needed
    assert all(entry in text for entry in needed.values())
    assert f"# --- for changes.toml: {len(needed)} names that lint wants accounted for" in text
    assert "`translate tables add 0.10.2` adds it" in text


@pytest.mark.parametrize("number", range(1, 28))
def test_the_releases_of_the_past_get_what_they_needed(number: int, shipped: Tables) -> None:
    """For each release: one proposal a name that it dropped, and none beside; what is pasted can be
    read.
    """
    tables = evolve(shipped, catalogs=shipped.catalogs[: number + 1], changes=Changes())
    version = tables.catalogs[-1].version
    found = proposals(tables, version)
    assert (
        found.keys()
        == {name for name, versions in unaccounted(Context(tables)).items() if version in versions}
        == lost_with(shipped, version)
    )
    text = "\n".join(found.values())
    pasted = (
        parse({"changes.toml": text.replace('"TODO: ', '"').encode()}).changes
        if text
        else Changes()
    )
    assert pasted is not None
    assert {name for _, entry in pasted.entries() for name in entry.names} >= found.keys()


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


def proposed(tmp_path: Path, changes: str = "", *, new: dict[str, Any] = NEW) -> Any:
    folder = tables_files.write(tmp_path / "tables", tables_files.files(OLD, changes=changes))
    return report(new, Committed(folder))


def test_a_name_that_is_lost_becomes_an_entry_to_finish(tmp_path: Path) -> None:
    """One entry a name, which says where vLLM declared it."""
    found = proposed(tmp_path)
    entries = parse({"changes.toml": "\n".join(found.needed.values()).encode()}).changes
    assert entries is not None
    assert [item.names for item in entries.gone] == [
        ("--conf.old_size",),
        ("--disable-thing-log",),
        ("--odd",),
        ("VLLM_OLD_SPEED",),
    ]
    assert all(item.why.startswith("TODO") for item in entries.gone)
    assert entries.gone[-1].source.endswith("/v0.9.2/vllm/envs.py")


def test_a_patch_is_compared_with_the_one_before(few: Path, tmp_path: Path) -> None:
    found = proposed(tmp_path, new={**NEW, "version": "0.9.3"})
    assert (found.against, found.drifted) == ("0.9.2", True)
    older = proposed(tmp_path, new={**NEW, "version": "0.8.5"})
    assert older.against == "0.9.2"
    assert {"--enable-thing-log", "VLLM_OLD_SPEEDS"} <= older.needed.keys()
    assert report(committed("0.30.0"), Committed(few), "0.29.0").needed == {}


def test_a_flag_that_lives_on_as_another_spelling_is_not_gone() -> None:
    new = catalog("0.10.2", flag("--wise", "int", aliases=["--odd"]))
    found = differences(catalog("0.9.2", flag("--odd", "int")), new)
    assert (found["flags"]["new"], found["flags"]["gone"]) == ({}, {})
    assert found["flags"]["changed"]["--odd"]["flag"] == {"before": "--odd", "after": "--wise"}


# --- a release that is added ----------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.8.5.post1", "0.9.0.1", "0.11.1", "0.11.2", "0.33.0"])
def test_a_release_that_was_left_out_is_added_as_it_was(version: str, tmp_path: Path) -> None:
    """The newest of a minor, from which the others differ then; one in the middle; one that is like
    another; one of a new minor.
    """
    minor = Version(version).minor
    there = [item for item in versions() if Version(item).minor == minor] + [BEFORE]
    facts = {item: committed(item) for item in there if item != version}
    releases = (MAPPINGS / RELEASES).read_text()
    (line,) = (line for line in releases.splitlines(True) if line.startswith(f'"{version}" = '))
    folder = tables_files.write(
        tmp_path,
        {f"{CATALOGS}/{item}.json": text.encode() for item, text in texts(facts).items()}
        | {RELEASES: releases.replace(line, "").encode(), "changes.toml": b""},
    )
    fresh, known = committed(version), Committed(folder)
    found = addition(fresh, line.split('"')[3], report(fresh, known), known)
    tables_files.write(folder, {name: text.encode() for name, text in found.items()})
    for name in (RELEASES, *(f"{CATALOGS}/{item}.json" for item in there)):
        assert (folder / name).read_bytes() == (MAPPINGS / name).read_bytes(), name


def test_what_has_to_be_decided_is_added_to_the_changes(tmp_path: Path) -> None:
    kept = (
        "# Written by people.\n[[gone]]\n"
        + 'names = ["--odd"]\nwhy = "w"\nsource = "https://example.org"\n'
    )
    folder = tables_files.write(tmp_path, tables_files.files(OLD, changes=kept))
    known = Committed(folder)
    found = addition(NEW, "2025-09-13", report(NEW, known), known)
    assert found[RELEASES] == '[published]\n"0.10.2" = "2025-09-13"\n'
    assert found["changes.toml"].startswith(kept)
    changes = parse({"changes.toml": found["changes.toml"].encode()}).changes
    assert changes is not None
    assert [item.names for item in changes.gone if item.why.startswith("TODO: ")] == [
        ("--conf.old_size",),
        ("--disable-thing-log",),
        ("VLLM_OLD_SPEED",),
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
    assert from_python(str(python), "0.10.2", release=True) == NEW
    with pytest.raises(HarvestError, match=r"it has vLLM 0\.10\.2\+cpu, not 0\.11\.0"):
        from_python(str(python), "0.11.0", release=True)
    assert from_python(str(python), "0.11.0") == NEW


# --- wrong use ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--harvested", "/nowhere.json"], "No such file"),
        (["--harvested", "{tmp}"], "holds no *.json"),
        (["--python", "/nowhere/python"], "No such file"),
        (["--harvested", "{good}", "--against", "0.1.0"], "there is no catalog of it"),
        (["--harvested", "{good}", "--vllm", "0.1.0"], "none of the files"),
        (["--harvested", "{bad}"], "not a catalog"),
        ([], "no vLLM is installed"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.json").write_text('{"version": "0.34.0"}')
    small = tables_files.write(tmp_path / "tables", tables_files.files(OLD))
    places = {
        "tmp": tmp_path / "empty",
        "good": MAPPINGS / CATALOGS / f"{NEWEST}.json",
        "bad": tmp_path / "bad.json",
    }
    ran = translate(
        "tables", "drift", str(small), *(argument.format(**places) for argument in arguments)
    )
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_folder_without_catalogs_is_status_2(tmp_path: Path) -> None:
    ran = translate(
        "tables", "drift", str(tmp_path), "--harvested", str(MAPPINGS / CATALOGS / f"{NEWEST}.json")
    )
    assert (ran.status, ran.out) == (2, "")
    (tmp_path / "changes.toml").write_text("")
    ran = translate(
        "tables", "drift", str(tmp_path), "--harvested", str(MAPPINGS / CATALOGS / f"{NEWEST}.json")
    )
    assert (ran.status, ran.out) == (2, "")
    assert "no catalogs" in ran.err


def test_facts_that_the_schema_does_not_know_are_told_with_their_place(
    few: Path, tmp_path: Path
) -> None:
    """What a vLLM of another time may bring: status 1, and the rest is compared all the same."""
    new = committed(NEWEST)
    new["version"] = "0.34.0"
    _of(new, "--seed")["kind"] = "quantum"
    (tmp_path / "0.34.0.json").write_text(json.dumps(new))
    ran = translate(
        "tables",
        "drift",
        str(few),
        "--harvested",
        str(tmp_path),
        "--harvested",
        str(MAPPINGS / CATALOGS / f"{NEWEST}.json"),
    )
    assert ran.status == 1
    assert "is what was harvested" in ran.out
    assert "catalogs/0.34.0.json $.flags[" in ran.err
    assert "quantum" in ran.err
