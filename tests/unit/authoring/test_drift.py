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
from support import tables as tables_files
from support.program import Ran, translate
from support.tables import (
    MAPPINGS,
    catalog,
    committed,
    flag,
    of_the_project,
    of_versions,
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
from translator.authoring.load import laid_over, parse, texts
from translator.model import CATALOGS, RELEASES, Tables
from translator.model.changes import Changes
from translator.tables.versions import Version

NEWEST, BEFORE = "0.33.0", "0.32.0"


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


def drift(*arguments: str | Path) -> Ran:
    return translate("tables", "drift", *map(str, arguments))


def test_no_drift(few: Path) -> None:
    oldest, newest = (few / CATALOGS / f"{item}.json" for item in ("0.6.6", NEWEST))
    ran = drift(few, "--harvested", oldest, "--harvested", newest)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "vLLM 0.6.6: the committed catalog is what was harvested"
    ran = drift(few, "--harvested", few / CATALOGS, "--vllm", NEWEST, "--format", "json")
    told = json.loads(ran.out)
    assert (told["drift"], [item["version"] for item in told["versions"]]) == (False, [NEWEST])


def _of(catalog: dict[str, Any], name: str) -> dict[str, Any]:
    return next(
        row
        for row in (*catalog["flags"], *catalog["env"])
        if name in (row.get("flag"), row.get("name"))
    )


SPOILT: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda new: _of(new, "--max-model-len").update(kind="size"), '~ --max-model-len: kind: "size-or-auto" -> "size"'),
    (lambda new: _of(new, "--dtype")["choices"].remove("half"), '~ --dtype: choices: -"half"'),
    (lambda new: _of(new, "--seed").update(default=False), "~ --seed: default: 0 -> false"),
    (lambda new: _of(new, "--seed").update(default=0.0), "~ --seed: default: 0 -> 0.0"),
    (lambda new: _of(new, "--tensor-parallel-size").update(aliases=[]), '~ --tensor-parallel-size: aliases: -"-tp"'),
    (lambda new: new["flags"].append(flag("--brand-new", "toggle")), '+ --brand-new: toggle, negations ["--no-brand-new"]'),
    (lambda new: new["flags"].remove(_of(new, "--seed")), "- --seed: "),
    (lambda new: _of(new, "--compilation-config")["shape"]["keys"].pop("mode"), "- --compilation-config.mode: "),
    (lambda new: _of(new, "--compilation-config")["shape"]["keys"]["pass_config"].update(nullable="x"), "~ --compilation-config.pass_config: nullable: "),
    (lambda new: _of(new, "VLLM_LOGGING_LEVEL").update(default="WARN"), '~ VLLM_LOGGING_LEVEL: default: "INFO" -> "WARN"'),
    (lambda new: new["env"].remove(_of(new, "VLLM_PORT")), "- VLLM_PORT: int"),
    (lambda new: new["grammar"].update(plus=False), "~ plus: true -> false"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "told"), SPOILT, ids=[text for _, text in SPOILT])
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
    assert lines[0].startswith(f"  {told}"), lines
    assert Report("1", "1", differences(new, old)).drifted
    assert not Report("1", "1", differences(new, copy.deepcopy(new))).drifted


def test_drift_of_a_known_version_is_status_1(few: Path, tmp_path: Path) -> None:
    """In the text, and as JSON with both facts."""
    new = committed("0.27.1")
    _of(new, "--seed")["default"] = 7
    (tmp_path / "0.27.1.json").write_text(json.dumps(new))
    ran = drift(few, "--harvested", tmp_path)
    said = "vLLM 0.27.1: the committed catalog is not what was harvested"
    assert (ran.status, ran.out) == (1, f"{said}\n\nflags\n  ~ --seed: default: 0 -> 7\n")
    ran = drift(few, "--harvested", tmp_path, "--format", "json")
    (told,) = json.loads(ran.out)["versions"]
    assert (ran.status, json.loads(ran.out)["drift"]) == (1, True)
    assert told["flags"]["changed"] == {"--seed": {"default": {"before": 0, "after": 7}}}
    assert (told["needed"], told["lint"]) == ([], [])


# --- a version without a catalog ------------------------------------------------------------------


def test_what_a_release_needs_is_told_in_the_text(tmp_path: Path) -> None:
    small = tables_files.write(tmp_path / "tables", tables_files.files(OLD, changes=""))
    (tmp_path / "new.json").write_text(json.dumps(NEW))
    text = drift(small, "--harvested", tmp_path / "new.json").out
    needed = report(NEW, Committed(small)).needed
    assert all(entry in text for entry in needed.values())
    assert f"# --- for changes.toml: {len(needed)} names that lint wants accounted for" in text
    assert "`translate tables add 0.10.2` adds it" in text


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
        return Context(laid_over(tables, parse({"changes.toml": text.encode()}).files))

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


def proposed(tmp_path: Path, changes: str = "", *, new: dict[str, Any] = NEW) -> Any:
    folder = tables_files.write(tmp_path / "tables", tables_files.files(OLD, changes=changes))
    return report(new, Committed(folder))


def test_a_name_that_is_lost_becomes_an_entry_to_finish(tmp_path: Path) -> None:
    """One entry a name, which says where vLLM declared it."""
    found = proposed(tmp_path)
    entries = parse({"changes.toml": "\n".join(found.needed.values()).encode()}).files[
        "changes.toml"
    ]
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
    changes = parse({"changes.toml": found["changes.toml"].encode()}).files["changes.toml"]
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
    good = MAPPINGS / CATALOGS / f"{NEWEST}.json"
    places = {"tmp": tmp_path / "empty", "good": good, "bad": tmp_path / "bad.json"}
    ran = drift(small, *(argument.format(**places) for argument in arguments))
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_folder_without_catalogs_is_status_2(tmp_path: Path) -> None:
    for said in ("no tables in", "no catalogs"):
        ran = drift(tmp_path, "--harvested", MAPPINGS / CATALOGS / f"{NEWEST}.json")
        assert (ran.status, ran.out, said in ran.err) == (2, "", True)
        (tmp_path / "changes.toml").write_text("")


def test_facts_that_the_schema_does_not_know_are_told_with_their_place(
    few: Path, tmp_path: Path
) -> None:
    """What a vLLM of another time may bring: status 1, and the rest is compared all the same."""
    new = committed(NEWEST)
    new["version"] = "0.34.0"
    _of(new, "--seed")["kind"] = "quantum"
    (tmp_path / "0.34.0.json").write_text(json.dumps(new))
    known = MAPPINGS / CATALOGS / f"{NEWEST}.json"
    ran = drift(few, "--harvested", tmp_path, "--harvested", known)
    assert ran.status == 1
    assert "is what was harvested" in ran.out
    assert "catalogs/0.34.0.json $.flags[" in ran.err
    assert "quantum" in ran.err
