"""Strict loading: nothing is coerced, and every mistake of every file is told at once with its
place.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tables import (
    GRAMMAR,
    MAPPINGS,
    catalog,
    files,
    flag,
    of_the_project,
    tables,
    write,
)

from translator.authoring.load import TablesError, load, parse
from translator.tables.versions import Version

DIALECT = '[dialect]\nname = "mine"\nsources = ["https://example.org"]\n'


def mistakes(*catalogs: dict[str, object], **toml: str) -> list[str]:
    with pytest.raises(TablesError) as caught:
        tables(*catalogs, **toml)
    return [str(problem) for problem in caught.value.problems]


def test_the_projects_own_tables_load() -> None:
    found = of_the_project()
    assert [item.version for item in found.catalogs] == sorted(
        (path.stem for path in (MAPPINGS / "catalogs").glob("*.json")), key=Version
    )
    assert found.files.keys() >= {"dialects/runpod.toml", "changes.toml", "secrets.toml"}


def test_a_part_of_the_tables_loads() -> None:
    found = tables(mine=DIALECT)
    assert found.files.keys() == {"dialects/mine.toml"}
    assert found.dialects[0].dialect.name == "mine"


def test_catalogs_come_in_the_order_of_their_versions() -> None:
    assert [item.version for item in tables(catalog("0.10.2"), catalog("0.9.2")).catalogs] == [
        "0.9.2",
        "0.10.2",
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("catalogs/0.9.2.json", b"{", ": Expecting property name"),
        ("catalogs/0.9.2.json", b'{"version": NaN}', ": NaN is not JSON"),
        ("catalogs/0.9.2.json", b"[]", " $: expected a table, found a list"),
        ("changes.toml", b"same = 1\nsame = 2", ": "),
        ("changes.toml", b"\xff", ": 'utf-8' codec"),
        ("changes.toml", b'same = "abc"', " $.same: expected a list, found a text ('abc')"),
        ("changes.toml", b"same = [1]", " $.same[0]: expected a table, found an integer (1)"),
        ("secrets.toml", b'patterns = "*_KEY"', " $.patterns: expected a list, found a text ('*_KEY')"),
        ("secrets.toml", b'patterns = ["A*B"]', " $.patterns[0]: 'A*B' is not a pattern"),
        ("secrets.toml", b"[[secret]]", " $.secret[0]: names neither 'flag' nor 'variable'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(name: str, content: bytes, said: str) -> None:
    with pytest.raises(TablesError) as caught:
        parse({name: content})
    assert str(caught.value).startswith(name + said)
    assert len(caught.value.problems) == 1


def test_a_file_is_named_after_what_it_holds() -> None:
    content = {
        "catalogs/0.9.2.json": files(catalog("0.10.2"))["catalogs/0.10.2.json"],
        "dialects/yours.toml": DIALECT.encode(),
    }
    first, second = (
        r"0\.9\.2\.json \$\.version: '0\.10\.2' is not the name of the file",
        "'mine' is not",
    )
    with pytest.raises(TablesError, match=f"{first}\n.*{second}"):
        parse(content)


@pytest.mark.parametrize(("kind", "fact"), [("str", "default"), ("bool-value", "false")])
def test_an_empty_text_is_a_value(kind: str, fact: str) -> None:
    (found,) = tables(catalog("0.9.2", flag("--x", kind, **{fact: ""}))).catalogs
    assert getattr(found.flags[1], fact) == ""


def test_the_grammar_is_strict() -> None:
    assert mistakes(catalog("0.9.2") | {"grammar": GRAMMAR | {"dotted": 1, "dots": True}}) == [
        "catalogs/0.9.2.json $.grammar.dotted: expected true or false, found an integer (1)",
        "catalogs/0.9.2.json $.grammar.dots: unknown field, did you mean 'dotted'?",
    ]


def test_a_directory_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TablesError, match="no tables in"):
        load(tmp_path)


def test_a_table_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "changes.toml").mkdir()
    with pytest.raises(TablesError, match=r"changes\.toml: cannot be read"):
        load(tmp_path)


def test_loading_from_a_directory_and_from_memory_is_the_same(tmp_path: Path) -> None:
    content = files(catalog("0.9.2"), mine=DIALECT)
    assert load(write(tmp_path, content)) == parse(content)


VARIABLE = '[[variable]]\nname = "A"\nrole = '


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('[consumer]\ntrue = "bare"', "true without false, empty, array"),
        ('[consumer]\ntrue = "bare"\nfalse = "omit"\nempty = "omit"\narray = "token"\nvalue_flags = ["--x"]', "lists of flags"),
        ("limit_name = 0", "is not positive"),
        ('[consumer.behind]\n"--x" = "A"', "is not an assignment"),
        ('[properties]\nfile = "f"\nkeys = {}', "is empty"),
        ('[properties]\nfile = "f"\nkeys = { "o." = "" }', "is not how a variable begins"),
        (VARIABLE + '"choice"\notherwise = "b"\nsets = { a = {} }', "none of the values"),
        ("[consumer]\nexact = true", "'exact' is of a consumer"),
        (VARIABLE + '"choice"\npositive = "1"\nsets = { a = {} }', "none of the values"),
        (VARIABLE + '"worker"\nnote = "n"\nmost = 3', "of role 'worker' with 'most'"),
        (VARIABLE + '"choice"', "without 'sets'"),
        (VARIABLE + '"worker"\nnote = "n"\nfallback = true', "of role 'worker' with 'fallback'"),
        (VARIABLE + '"flag"\nflag = "--x"\nunread = ["max"]', "'unread' goes with a note"),
    ],
)  # fmt: skip
def test_a_rule_that_is_half_said_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(TablesError, match=wrong):
        parse({"dialects/m.toml": f'[dialect]\nname = "m"\n{text}'.encode()})


def test_a_cluster_says_where_the_first_machine_is() -> None:
    head = '[cluster]\nname = "c"\nsources = ["https://example.org"]\nnodes = ["N"]\nrank = ["R"]\n'
    found = parse({"clusters/c.toml": (head + 'address = ["A"]').encode()}).files["clusters/c.toml"]
    assert found.cluster.rank == ("R",)
    here = 'address = ["A"]\n'
    for more, wrong in (
        ("", "neither"),
        (here + 'processes = ["P"]\nper_node = ["L"]', "names P"),
        (here + 'processes = ["N"]', "go together"),
    ):
        with pytest.raises(TablesError, match=wrong):
            parse({"clusters/c.toml": (head + more).encode()})
