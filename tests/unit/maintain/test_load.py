"""Strict loading: nothing is coerced, and every mistake of every file is told at once with its
place.
"""

import json
from pathlib import Path

import pytest
from support.tables import GRAMMAR, HEAD, catalog, files, flag, tables, write

from translator.maintain.load import TablesError, load, parse


def of_catalog(**fields: object) -> bytes:
    return json.dumps(catalog("0.9.2") | fields).encode()


CLUSTER = b'[cluster]\nname = "c"\nsources = ["https://example.org"]\nnodes = ["N"]\nrank = ["R"]\n'
HERE = CLUSTER + b'address = ["A"]\n'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("catalogs/0.9.2.json", b"{", ": Expecting property name"),
        ("catalogs/0.9.2.json", b'{"version": NaN}', ": NaN is not JSON"),
        ("catalogs/0.9.2.json", b"[]", " $: expected a table, found a list"),
        ("catalogs/0.9.2.json", of_catalog(flags=[]), " $: has no --model"),
        ("catalogs/0.9.2.json", of_catalog(env=[]), " $.env: is empty"),
        ("catalogs/0.9.2.json", of_catalog(grammar=GRAMMAR | {"dots": 1}), " $.grammar.dots: unknown field, did you mean 'dotted'?"),
        ("catalogs/0.9.2.json", of_catalog(grammar=GRAMMAR | {"dotted": 1}), " $.grammar.dotted: expected true or false, found an integer (1)"),
        ("catalogs/0.9.2.json", of_catalog(env=[{"name": "A", "kind": "str", "choices": ["\ud800"]}]), ": 'utf-8' codec can't encode character '\\ud800'"),
        ("catalogs/0.9.2.json", of_catalog(version="0.10.2"), " $.version: '0.10.2' is not the name of the file"),
        ("dialects/yours.toml", HEAD.encode(), " $.dialect.name: 'mine' is not the name of the file"),
        ("changes.toml", b"same = 1\nsame = 2", ": "),
        ("changes.toml", b"\xff", ": 'utf-8' codec"),
        ("changes.toml", b'same = "abc"', " $.same: expected a list, found a text ('abc')"),
        ("changes.toml", b"same = [1]", " $.same[0]: expected a table, found an integer (1)"),
        ("secrets.toml", b'patterns = "*_KEY"', " $.patterns: expected a list, found a text ('*_KEY')"),
        ("secrets.toml", b"[[secret]]", " $.secret[0]: names neither 'flag' nor 'variable'"),
        ("clusters/c.toml", CLUSTER, " $.cluster: neither 'address' nor 'host_list'"),
        ("clusters/c.toml", HERE + b'processes = ["P"]\nper_node = ["L"]', " $.cluster: 'processes' names P"),
        ("clusters/c.toml", HERE + b'processes = ["N"]', " $.cluster: 'processes' and 'per_node' go together"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(name: str, content: bytes, said: str) -> None:
    with pytest.raises(TablesError) as caught:
        parse({name: content})
    assert str(caught.value).startswith(name + said)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(("kind", "fact"), [("str", "default"), ("bool-value", "false")])
def test_an_empty_text_is_a_value(kind: str, fact: str) -> None:
    (found,) = tables(catalog("0.9.2", flag("--x", kind, **{fact: ""}))).catalogs
    assert getattr(found.flags[1], fact) == ""


def test_loading_from_a_directory_and_from_memory_is_the_same(tmp_path: Path) -> None:
    content = files(catalog("0.9.2"), mine=HEAD)
    assert load(write(tmp_path, content)) == parse(content)


def test_a_directory_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TablesError, match="no tables in"):
        load(tmp_path)
