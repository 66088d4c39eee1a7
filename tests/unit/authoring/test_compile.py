"""The compiled files: they say what the tables say, and they are fresh."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
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
from translator.authoring import compiled as folder
from translator.authoring.sources import TablesError
from translator.authoring.stored import bases
from translator.tables.catalog import Tables

NOT_AT_RUN_TIME = ("default", "custom", "names")


def rows(text: str) -> dict[str, Any]:
    """The entries of a compiled file, which has one a line."""
    found: dict[str, Any] = json.loads(text)
    assert text.count("\n") == len(found) + 2
    return found


def without(shape: dict[str, Any]) -> dict[str, Any]:
    """A shape of the catalogs as running reads it: no defaults, nothing that is null or false."""
    found = {
        name: value
        for name, value in shape.items()
        if name not in NOT_AT_RUN_TIME and value is not None and value is not False
    }
    for name in ("values", "items"):
        if name in found:
            found[name] = without(found[name])
    if "keys" in found:
        found["keys"] = {key: without(inner) for key, inner in found["keys"].items()}
    if "of" in found:
        found["of"] = [without(inner) for inner in found["of"]]
    return found


def given(entry: dict[str, Any], *leave_out: str) -> dict[str, Any]:
    """An entry of a catalog as it is compiled: nothing that is null, false or an empty list, but
    for defaults.
    """
    return {
        name: value
        for name, value in entry.items()
        if name not in leave_out
        and value is not None
        and (name in ("default", "const") or (value is not False and value != []))
    }


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    return compiling.compile_loaded(of_the_project())


def test_the_committed_files_are_fresh(compiled: dict[str, str]) -> None:
    assert folder.compare(folder.joined(compiled)) == [], "run `translate tables compile`"


@pytest.fixture(scope="module")
def tables_of(compiled: dict[str, str]) -> Tables:
    return Tables(compiled)


@pytest.mark.parametrize("version", sorted(versions()))
def test_a_compiled_catalog_says_what_the_catalog_says(version: str, tables_of: Tables) -> None:
    raw, found = committed(version), tables_of.catalog(version)
    assert given(vars(found.grammar)) == given({"O": {}, **raw["grammar"]})
    objects = {
        entry["flag"]: entry[part]
        for entry in raw["flags"]
        for part in ("shape", "start")
        if entry.get(part, {}).get("kind") == "object"
    }
    for entry in raw["flags"]:
        name = entry["flag"]
        assert found.shape(name) == (without(objects[name]) if name in objects else None)
    expected = {}
    for entry in raw["flags"]:
        usual = ("element",) if entry.get("element") == "str" else ()
        expected[entry["flag"]] = given(entry, "flag", "dest", *usual)
        if "shape" in entry:
            expected[entry["flag"]]["shape"] = True
        if "start" in entry:
            start = entry["start"]
            keys = start["kind"] == "object"
            expected[entry["flag"]]["start"] = {"kind": "object"} if keys else without(start)
    expected |= {entry["name"]: given(entry, "name") for entry in raw["env"]}
    decode = json.JSONDecoder().raw_decode
    assert {name: decode(line)[0] for name, line in found._lines.items()} == expected
    assert [*found.flag_names(), *found.variable_names()] == list(expected), "also in their order"


def test_a_release_like_another_is_one_line(compiled: dict[str, str]) -> None:
    one, other = json.loads((MAPPINGS / "catalogs" / "0.11.1.json").read_text()), "0.11.2"
    assert one == {"version": "0.11.1", "like": other}
    assert json.loads(compiled["0.11.1.json"]) == {"@like": other, "@without": []}
    assert compiled["0.11.1.shapes.json"] == "{\n}\n"


def test_only_a_short_difference_is_read_beside_another_release(compiled: dict[str, str]) -> None:
    """A start that has to read two files must not take much longer for it."""
    catalogs = {version: compiled[f"{version}.json"] for version in versions()}
    like = {
        version: entries["@like"]
        for version, text in catalogs.items()
        if "@like" in (entries := json.loads(text))
    }
    minors = bases(versions())
    apart = [version for version, other in like.items() if minors[version] == version]
    assert apart, "of the newest of their minors"
    for version in apart:
        whole = like[version]
        assert whole not in like
        assert 3 * len(catalogs[version]) < len(catalogs[whole])


def test_the_index_knows_every_version_of_every_name(compiled: dict[str, str]) -> None:
    found = rows(compiled["index.json"])
    versions = found["@versions"]
    assert found["@digest"] == of_the_project().digest
    assert versions[:2] == ["0.5.2", "0.5.3"]
    assert found["--disable-log-requests"]["of"] == "--enable-log-requests"
    assert found["--max-model-len"] == {"in": ["0.5.2-" + versions[-1]]}


def test_a_decompiled_catalog_compiles_to_the_same(
    tmp_path: Path, compiled: dict[str, str]
) -> None:
    for name, text in compiled.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    catalogs = folder.tables_in(tmp_path).catalogs
    for name, text in compiling.compile_catalogs(catalogs).items():
        assert text == compiled[name]


def test_a_dialect_is_one_record_a_variable() -> None:
    text = """
[dialect]
name = "mine"
sources = ["https://example.org"]
extra_args = "MY_ARGS"
[consumer]
vllm = "0.9.2"
value_flags = ["--x"]
[[variable]]
name = "METHOD"
role = "flag"
flag = "--x.a.b"
default = ""
unset = ["0", ""]
[[variable]]
name = "HOST"
role = "reserved"
note = "say so\tclearly"
"""
    (found,) = compiling.compile_loaded(tables(mine=text)).values()
    assert found.startswith('{\n"@dialect":{"name":"mine",')
    assert rows(found) == {
        "@dialect": {
            "name": "mine",
            "extra_args": "MY_ARGS",
            "sources": ["https://example.org"],
        },
        "@consumer": {"vllm": "0.9.2", "value_flags": ["--x"]},
        "METHOD": {
            "role": "flag",
            "flag": "--x.a.b",
            "default": "",
            "unset": ["0", ""],
        },
        "HOST": {"role": "reserved", "note": "say so\tclearly"},
    }


def test_changes_are_one_record_a_name() -> None:
    text = """
[[same]]
carriers = ["--a", "B"]
inverted = ["B"]
values."--a".x = 1
since."--a" = "0.9.2"
note = "so"
source = "catalogs"
[[split]]
name = "--c"
values.x = {"--d" = "y"}
source = "catalogs"
[[gone]]
names = ["E"]
why = "because"
default_when = "true"
source = "catalogs"
[[value]]
name = "--d"
values = ["y", "z|"]
source = "catalogs"
"""
    same = {
        "kind": "same",
        "carriers": ["--a", "B"],
        "inverted": ["B"],
        "values": {"--a": {"x": 1}},
        "since": {"--a": "0.9.2"},
        "note": "so",
        "source": "catalogs",
    }
    assert rows(compiling.compile_loaded(tables(changes=text))["changes.json"]) == {
        "--a": same,
        "B": same,
        "--c": {"kind": "split", "values": {"x": {"--d": "y"}}, "source": "catalogs"},
        "E": {"kind": "gone", "why": "because", "default_when": "true", "source": "catalogs"},
        "--d=y": {"kind": "value", "values": ["y", "z|"], "source": "catalogs"},
        "--d=z|": {"kind": "value", "values": ["y", "z|"], "source": "catalogs"},
    }


def test_secrets_are_patterns_and_one_record_a_name() -> None:
    text = (
        'patterns = ["*_KEY", "token"]\n[[secret]]\nflag = "--k"\nvariable ='
        ' "K"\n[[secret]]\nvariable = "L"\n'
    )
    assert rows(compiling.compile_loaded(tables(secrets=text))["secrets.json"]) == {
        "@patterns": {"patterns": ["*_KEY", "token"]},
        "@public": {"patterns": []},
        "@beginnings": {"patterns": []},
        "--k": {"secret": True, "variable": "K"},
        "K": {"secret": True, "flag": "--k"},
        "L": {"secret": True},
    }


def test_a_part_of_the_tables_compiles_to_its_own_files_only(tmp_path: Path) -> None:
    dialect = '[dialect]\nname = "mine"\nsources = ["https://example.org"]\n'
    assert list(compiling.compile_tables(write(tmp_path, files(mine=dialect)))) == [
        "dialect.mine.json"
    ]
    write(tmp_path, files(catalog("0.99.0", flag("--x", "json", shape=shape(a={"kind": "int"})))))
    assert set(compiling.compile_tables(tmp_path)) == {
        "index.json",
        "0.99.0.json",
        "0.99.0.shapes.json",
        "dialect.mine.json",
    }


def test_the_index_of_an_overlay_speaks_of_both(tmp_path: Path) -> None:
    found = compiling.compile_overlay(write(tmp_path, files(catalog("0.99.0", flag("--of-mine")))))
    entries = rows(found["index.json"])
    shipped = rows((folder.COMPILED / "index.json").read_text(encoding="utf-8"))["@versions"]
    assert entries["@versions"] == [*shipped, "0.99.0"]
    assert entries["--of-mine"] == {"in": ["0.99.0-0.99.0"]}
    assert entries["--seed"] == {"in": [f"{shipped[0]}-{shipped[-1]}"]}
    assert entries["--model"] == {"in": ["0.5.2-0.99.0"]}


def test_compare_tells_missing_stale_and_left_over_files(tmp_path: Path) -> None:
    mappings = write(tmp_path / "mappings", files(catalog("0.8.5"), catalog("0.9.2")))
    target = tmp_path / "compiled"
    compiled = compiling.compile_tables(mappings)
    assert compiling.check(mappings, target) == sorted(folder.joined(compiled))
    assert compiling.write(mappings, target) == sorted(folder.joined(compiled))
    assert folder.files_in(target) == compiled
    assert compiling.check(mappings, target) == []
    write(mappings, files(catalog("0.9.2", flag("--x"))))
    (mappings / "catalogs" / "0.8.5.json").unlink()
    (target / "package.json").write_text('{\n  "name": "not ours"\n}\n', encoding="utf-8")
    (target / "0.8.5.json").write_text('{\n"left": 1\n}\n', encoding="utf-8")
    stale = ["0.8.5.json", "catalogs.pack", "index.json"]
    assert compiling.check(mappings, target) == stale
    assert compiling.write(mappings, target) == stale
    assert compiling.check(mappings, target) == []
    assert not (target / "0.8.5.json").exists()
    assert (target / "package.json").exists()


def test_a_change_that_says_nothing_new_is_a_change_all_the_same(tmp_path: Path) -> None:
    mappings = write(tmp_path / "mappings", files(catalog("0.9.2"), changes=""))
    compiling.write(mappings, tmp_path / "compiled")
    write(mappings, {"changes.toml": b"# nothing\n"})
    assert compiling.check(mappings, tmp_path / "compiled") == ["index.json"]


def test_nothing_is_written_of_tables_with_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TablesError):
        compiling.write(
            write(tmp_path / "mappings", files(catalog("0.9.2"), changes="same = 1")),
            tmp_path / "compiled",
        )
    assert not (tmp_path / "compiled").exists()
