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
    shape,
    tables,
    write,
)

from translator.authoring.load import load, parse
from translator.authoring.sources import TablesError
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
    assert "dialects/runpod.toml" in found.dialects
    assert found.changes is not None
    assert found.secrets is not None


def test_a_part_of_the_tables_loads() -> None:
    found = tables(mine=DIALECT)
    assert found.catalogs == ()
    assert found.changes is None
    assert found.dialects["dialects/mine.toml"].dialect.name == "mine"


def test_catalogs_come_in_the_order_of_their_versions() -> None:
    assert [item.version for item in tables(catalog("0.10.2"), catalog("0.9.2")).catalogs] == [
        "0.9.2",
        "0.10.2",
    ]


def test_every_mistake_of_every_file_is_told_at_once() -> None:
    bad = catalog(
        "0.9.2", {**flag("--x"), "kind": "text", "nullable": "false"}, {**flag("--y"), "alias": []}
    )
    dialect = (
        DIALECT
        + '[[variable]]\nname = "A"\nrole = "flag"\nflag = "x"\nsince = "0.9"\n[[variable]]\nname ='
        ' "B C"\nrole = "flg"\ninverted = 1\n'
    )
    assert mistakes(bad, mine=dialect, changes="[[gone]]\nnames = []\nsource = 'web'\n") == [
        (
            "catalogs/0.9.2.json $.flags[1].kind: expected one of switch, toggle, bool-value, int,"
            " size, size-or-auto, float, str, json, json-or-str, optional-str, list, append, found"
            " a text ('text')"
        ),
        "catalogs/0.9.2.json $.flags[1].nullable: expected true or false, found a text ('false')",
        "catalogs/0.9.2.json $.flags[2].alias: unknown field, did you mean 'aliases'?",
        "dialects/mine.toml $.variable[0].flag: 'x' is not a flag or a key of one (--name.key)",
        "dialects/mine.toml $.variable[0].since: unknown field",
        "dialects/mine.toml $.variable[1].name: 'B C' is not a variable's name",
        (
            "dialects/mine.toml $.variable[1].role: expected one of flag, choice, worker,"
            " environment, reserved, found a text ('flg')"
        ),
        "dialects/mine.toml $.variable[1].inverted: expected true or false, found an integer (1)",
        "changes.toml $.gone[0].names: is empty",
        "changes.toml $.gone[0].why: is missing",
        "changes.toml $.gone[0].source: 'web' is not a source (https://… or \"catalogs\")",
    ]


def test_every_item_of_a_list_and_of_a_table_is_judged() -> None:
    assert mistakes(
        secrets='patterns = ["A*B", "C", "D*E"]',
        releases='[published]\n"0.9.2" = "soon"\n"0.10.2" = 1\n',
    ) == [
        "secrets.toml $.patterns[0]: 'A*B' is not a pattern (text with * at its ends only)",
        "secrets.toml $.patterns[2]: 'D*E' is not a pattern (text with * at its ends only)",
        "releases.toml $.published.\"0.9.2\": 'soon' is not a day (2026-11-02)",
        'releases.toml $.published."0.10.2": expected a text, found an integer (1)',
    ]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("catalogs/0.9.2.json", b"{", "catalogs/0.9.2.json: Expecting property name"),
        ("catalogs/0.9.2.json", b'{"version": NaN}', "catalogs/0.9.2.json: NaN is not JSON"),
        ("catalogs/0.9.2.json", b"[]", "catalogs/0.9.2.json $: expected a table, found a list"),
        ("changes.toml", b"same = 1\nsame = 2", "changes.toml: "),
        ("changes.toml", b"\xff", "changes.toml: 'utf-8' codec"),
        (
            "changes.toml",
            b'same = "abc"',
            "changes.toml $.same: expected a list, found a text ('abc')",
        ),
        (
            "changes.toml",
            b"same = [1]",
            "changes.toml $.same[0]: expected a table, found an integer (1)",
        ),
        (
            "secrets.toml",
            b'patterns = "*_KEY"',
            "secrets.toml $.patterns: expected a list, found a text ('*_KEY')",
        ),
        (
            "secrets.toml",
            b'patterns = ["A*B"]',
            "secrets.toml $.patterns[0]: 'A*B' is not a pattern",
        ),
        (
            "secrets.toml",
            b"[[secret]]",
            "secrets.toml $.secret[0]: names neither 'flag' nor 'variable'",
        ),
    ],
)
def test_what_cannot_be_read_is_told(name: str, content: bytes, said: str) -> None:
    with pytest.raises(TablesError) as caught:
        parse({name: content})
    assert str(caught.value).startswith(said)
    assert len(caught.value.problems) == 1


def test_a_file_is_named_after_what_it_holds() -> None:
    content = {
        "catalogs/0.9.2.json": files(catalog("0.10.2"))["catalogs/0.10.2.json"],
        "dialects/yours.toml": DIALECT.encode(),
    }
    with pytest.raises(
        TablesError,
        match=(
            r"catalogs/0\.9\.2\.json \$\.version: '0\.10\.2' is not the name of the file\n.*'mine'"
            r" is not the name"
        ),
    ):
        parse(content)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (flag("--x", "toggle", negations=[]), "a flag of kind 'toggle' without 'negations'"),
        (flag("--x", "int", suffixes="k"), "a flag of kind 'int' with 'suffixes'"),
        (flag("--x", "size"), "a flag of kind 'size' without 'suffixes'"),
        (flag("--x", "list", element="comma"), "a flag of kind 'list' with the element 'comma'"),
        (flag("--x", "bool-value"), "a flag of kind 'bool-value' without 'false'"),
        (flag("--x", "str", shape=shape()), "a flag of kind 'str' with 'shape'"),
        (flag("--x", choices=["a", 1]), "holds neither texts only nor integers only"),
        (flag("--x", choices=[True]), "holds neither texts only nor integers only"),
        (flag("--x", aliases=["-x", "-x"]), "holds -x twice"),
        (flag("--x", aliases=["x"]), "'x' is not a flag's spelling"),
        (flag("--x", "json", shape={"kind": "object"}), "a shape of kind 'object' without 'keys'"),
        (
            flag("--x", "json", shape=shape(a={"kind": "int", "choices": [1]})),
            "a shape of kind 'int' with 'choices'",
        ),
        (
            flag("--x", "json", shape=shape(a={"kind": "int", "ge": "1"})),
            "expected a number, found a text ('1')",
        ),
    ],
)
def test_facts_that_contradict_each_other_are_refused(entry: dict[str, object], said: str) -> None:
    (mistake,) = mistakes(catalog("0.9.2", entry))
    assert mistake.startswith("catalogs/0.9.2.json $.flags[1]")
    assert said in mistake


@pytest.mark.parametrize("kind", ["str", "bool-value"])
def test_an_empty_text_is_a_value(kind: str) -> None:
    assert (
        tables(
            catalog(
                "0.9.2",
                flag("--x", kind, **({"false": ""} if kind == "bool-value" else {"default": ""})),
            )
        )
        .catalogs[0]
        .flags[1]
        .flag
        == "--x"
    )


def test_the_grammar_is_strict() -> None:
    assert mistakes(catalog("0.9.2") | {"grammar": GRAMMAR | {"dotted": 1, "dots": True}}) == [
        "catalogs/0.9.2.json $.grammar.dotted: expected true or false, found an integer (1)",
        "catalogs/0.9.2.json $.grammar.dots: unknown field, did you mean 'dotted'?",
    ]


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ('role = "flag"', "a variable of role 'flag' without 'flag'"),
        ('role = "worker"\nflag = "--x"', "a variable of role 'worker' with 'flag'"),
        ('role = "worker"', "a variable of role 'worker' without 'note'"),
        ('role = "reserved"', "a variable of role 'reserved' without 'note'"),
        ('role = "environment"\nunset = ["0"]', "a variable of role 'environment' with 'unset'"),
        (
            'role = "environment"\ninverted = true',
            "a variable of role 'environment' with 'inverted'",
        ),
        ('role = "environment"\nmeant = "--x"', "'meant' goes with"),
        ('role = "flag"\nflag = "--x"\nnote = "a\\nb"', "is not one line of text"),
    ],
)
def test_the_role_of_a_variable_decides_about_its_fields(variable: str, said: str) -> None:
    (mistake,) = mistakes(mine=f'{DIALECT}[[variable]]\nname = "A"\n{variable}\n')
    assert said in mistake


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            '[[same]]\ncarriers = ["--a"]\nsource = "catalogs"',
            "$.same[0].carriers: holds fewer than two",
        ),
        (
            '[[same]]\ncarriers = ["--a", "--b"]\ninverted = ["--c"]\nsource = "catalogs"',
            "'inverted' names --c, which is not among the carriers",
        ),
        (
            '[[same]]\ncarriers = ["--a", "--b"]\nvalues."--c".x = "y"\nsource = "catalogs"',
            "'values' names --c",
        ),
        (
            '[[same]]\ncarriers = ["--a", "--b"]\nsince."--b" = "soon"\nsource = "catalogs"',
            "'soon' is not a version",
        ),
        (
            '[[same]]\ncarriers = ["--a", "--b"]\nvalues."--a".x = 1979-05-27\nsource = "catalogs"',
            "JSON cannot hold date",
        ),
        (
            '[[same]]\ncarriers = ["--a", "--b"]\nvalues."--a".x = nan\nsource = "catalogs"',
            "JSON cannot hold float",
        ),
        (
            '[[split]]\nname = "--a"\nsource = "catalogs"\nvalues = {}',
            "$.split[0].values: is empty",
        ),
        (
            '[[split]]\nname = "--a"\nsource = "catalogs"\nvalues.x = {"--a" = "y"}',
            "'x' becomes --a itself",
        ),
        (
            '[[split]]\nname = "--a"\nsource = "catalogs"\nvalues.x = {"a b" = "y"}',
            "'a b' is not a flag, a key of one",
        ),
        (
            '[[value]]\nname = "--a"\nsource = "catalogs"\nvalues = ["x", "x"]',
            "$.value[0].values: holds x twice",
        ),
        ('[[gone]]\nnames = ["--a"]\nwhy = "because"', "$.gone[0].source: is missing"),
    ],
)
def test_an_entry_of_the_changes_makes_sense_on_its_own(entry: str, said: str) -> None:
    (mistake,) = mistakes(changes=entry)
    assert mistake.startswith("changes.toml $.")
    assert said in mistake


def test_keys_with_dots_are_quoted_in_a_path() -> None:
    assert mistakes(
        changes='[[same]]\ncarriers = ["--a", "--b"]\nvalues."--a.x" = 1\nsource = "catalogs"'
    ) == ['changes.toml $.same[0].values."--a.x": expected a table, found an integer (1)']


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


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('[dialect]\nname = "m"\n[consumer]\ntrue = "bare"', "true without false, empty, array"),
        (
            (
                '[dialect]\nname = "m"\n[consumer]\ntrue = "bare"\nfalse = "omit"\nempty ='
                ' "omit"\narray = "token"\nvalue_flags = ["--x"]'
            ),
            "lists of flags",
        ),
        ('[dialect]\nname = "m"\nlimit_name = 0', "is not positive"),
        ('[dialect]\nname = "m"\n[consumer.behind]\n"--x" = "A"', "is not an assignment"),
        ('[dialect]\nname = "m"\n[properties]\nfile = "f"\nkeys = {}', "is empty"),
        (
            '[dialect]\nname = "m"\n[properties]\nfile = "f"\nkeys = { "o." = "" }',
            "is not how a variable begins",
        ),
        (
            (
                '[dialect]\nname = "m"\n[[variable]]\nname = "A"\nrole = "choice"\notherwise ='
                ' "b"\nsets = { a = {} }'
            ),
            "none of the values",
        ),
        ('[dialect]\nname = "m"\n[consumer]\nexact = true', "'exact' is of a consumer"),
        (
            (
                '[dialect]\nname = "m"\n[[variable]]\nname = "A"\nrole = "choice"\npositive ='
                ' "1"\nsets = { a = {} }'
            ),
            "none of the values",
        ),
        (
            (
                '[dialect]\nname = "m"\n[[variable]]\nname = "A"\nrole = "worker"\nnote ='
                ' "n"\nmost = 3'
            ),
            "of role 'worker' with 'most'",
        ),
        ('[dialect]\nname = "m"\n[[variable]]\nname = "A"\nrole = "choice"', "without 'sets'"),
        (
            (
                '[dialect]\nname = "m"\n[[variable]]\nname = "A"\nrole = "worker"\nnote ='
                ' "n"\nfallback = true'
            ),
            "of role 'worker' with 'fallback'",
        ),
        (
            (
                '[dialect]\nname = "m"\n[[variable]]\nname = "A"\nrole = "flag"\nflag ='
                ' "--x"\nunread = ["max"]'
            ),
            "'unread' goes with a note",
        ),
    ],
)
def test_a_rule_that_is_half_said_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(TablesError, match=wrong):
        parse({"dialects/m.toml": text.encode()})


def test_a_cluster_says_where_the_first_machine_is() -> None:
    head = '[cluster]\nname = "c"\nsources = ["https://example.org"]\nnodes = ["N"]\nrank = ["R"]\n'
    assert parse({"clusters/c.toml": (head + 'address = ["A"]').encode()}).clusters[
        "clusters/c.toml"
    ].rank == ("R",)
    here = 'address = ["A"]\n'
    for more, wrong in (
        ("", "neither"),
        (here + 'processes = ["P"]\nper_node = ["L"]', "names P"),
        (here + 'processes = ["N"]', "go together"),
    ):
        with pytest.raises(TablesError, match=wrong):
            parse({"clusters/c.toml": (head + more).encode()})
