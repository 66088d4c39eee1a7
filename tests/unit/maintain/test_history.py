"""The table of all releases: it holds every catalog whole, and a mistake is told with its line."""

import pytest
from attrs import evolve
from support.tables import MAPPINGS, catalog, flag, of_the_project, shape, tables

from translator.maintain import history
from translator.maintain.lint import facts
from translator.maintain.lint.rules import Context
from translator.maintain.load import TablesError, parse
from translator.maintain.model import FACTS, RELEASES, Tables
from translator.maintain.model.catalog import Catalog

RELEASED = b'[published]\n"0.8.5" = "2025-04-28"\n"0.9.2" = "2025-07-08"\n"0.10.2" = "2025-09-13"\n'
NAMES = ("vllm/flags.jsonl", "vllm/variables.jsonl", "vllm/grammar.jsonl")


def committed() -> dict[str, str]:
    return {name: (MAPPINGS / name).read_text(encoding="utf-8") for name in NAMES}


def test_a_release_that_is_added_again_gives_the_same_bytes() -> None:
    catalogs = of_the_project().catalogs
    assert history.texts(catalogs) == committed()
    less = history.texts(catalogs[:-1])
    back = parse({**{name: text.encode() for name, text in less.items()}, **_released(less)})
    assert history.texts((*back.catalogs, catalogs[-1])) == committed()


def _released(_: object) -> dict[str, bytes]:
    text = (MAPPINGS / RELEASES).read_text(encoding="utf-8")
    return {RELEASES: text.rstrip().rpartition("\n")[0].encode()}


def test_a_release_that_changes_nothing_changes_no_line() -> None:
    catalogs = of_the_project().catalogs
    newest = evolve(catalogs[-1], version="99.0.0")
    assert history.texts((*catalogs, newest)) == committed()


def made_up() -> tuple[Catalog, ...]:
    keys = shape(a={"kind": "int"}, b=shape(c={"kind": "str"}))
    return tables(
        catalog("0.8.5", flag("--x", "int"), flag("--j", "json", shape=shape(a={"kind": "int"}))),
        catalog("0.9.2", flag("--x", "int"), flag("--j", "json", shape=keys)),
        catalog("0.10.2", flag("--x", "size", suffixes="k"), flag("--j", "json", shape=keys)),
    ).catalogs


def test_what_a_line_says() -> None:
    """Its name, from when to when, and the facts; a key of a JSON flag has lines of its own."""
    found = history.texts(made_up())
    assert found["vllm/flags.jsonl"].splitlines() == [
        '{"flag": "--j", "kind": "json", "shape": {"kind": "object"}}',
        '{"flag": "--j.a", "kind": "int"}',
        '{"flag": "--j.b", "since": "0.9.2", "kind": "object"}',
        '{"flag": "--j.b.c", "since": "0.9.2", "kind": "str"}',
        '{"flag": "--model", "kind": "str"}',
        '{"flag": "--x", "until": "0.9.2", "kind": "int"}',
        '{"flag": "--x", "since": "0.10.2", "kind": "size", "suffixes": "k"}',
    ]
    assert found["vllm/variables.jsonl"] == '{"name": "VLLM_HOME", "kind": "str"}\n'
    assert '{"fact": "dotted", "value": true}\n' in found["vllm/grammar.jsonl"]
    assert history.texts(read(found).catalogs) == found


def read(texts: dict[str, str]) -> Tables:
    return parse({**{name: text.encode() for name, text in texts.items()}, RELEASES: RELEASED})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('{"flag": "--x", "since": "0.9.9", "kind": "int"}', "$.since: '0.9.9' is no release of releases.toml"),
        ('{"flag": "--x", "since": ["0.9.2"], "kind": "int"}', "$.since: ['0.9.2'] is no release of releases.toml"),
        ('{"flag": "--x", "since": "0.9.2", "until": "0.8.5", "kind": "int"}', "$.since: is later than `until`"),
        ('{"flag": "--x", "kind": "text"}', "$.kind: expected one of switch"),
        ('{"flag": "--x", "kind": "int", "start": 3}', "$.start: expected a table, found an integer (3)"),
        ('{"flag": "--x", "kind": "int", "nulable": true}', "$.nulable: unknown field, did you mean 'nullable'?"),
        ('{"flag": "--j.a", "kind": "number"}', "$.kind: expected one of object"),
        ('{"name": "VLLM_X", "kind": "int"}', "$: expected a table with the text 'flag'"),
        ('{"flag": "", "kind": "int"}', "$: expected a table with the text 'flag'"),
        ('{"flag": "@dotted", "kind": "int"}', "$.dotted: expected true or false, found null"),
        ('{"flag": "--x", "kind": "int"', "Expecting"),
        ("", "Expecting"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(wrong: str, said: str) -> None:
    """And so are all the others of the file."""
    found = history.texts(made_up())
    lines = found["vllm/flags.jsonl"].splitlines()
    lines[5:5] = [wrong, '{"flag": "--y", "kind": "no"}']
    with pytest.raises(TablesError) as caught:
        read({**found, "vllm/flags.jsonl": "\n".join(lines)})
    first, second = map(str, caught.value.problems)
    assert said in first
    assert first.startswith("vllm/flags.jsonl:6")
    assert second.startswith("vllm/flags.jsonl:7 $.kind: expected one of")


def test_lines_without_releases_are_told() -> None:
    found = {name: text.encode() for name, text in history.texts(made_up()).items()}
    with pytest.raises(TablesError, match=r"releases\.toml: has no release, which the lines of"):
        parse(found)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('{"flag": "--x", "until": "0.8.5", "kind": "str"}', "vllm/flags.jsonl:8: another line is about --x of 0.8.5, too"),
        ('{"flag": "--x.k", "since": "0.9.2", "kind": "str"}', "vLLM 0.9.2: --x has keys, but is no JSON of known keys there"),
        ('{"flag": "--y", "kind": "str", "aliases": ["--x"]}', "vLLM 0.8.5: --x stands twice"),
    ],
)  # fmt: skip
def test_lines_that_do_not_go_together_are_told(wrong: str, said: str) -> None:
    found = history.texts(made_up())
    with pytest.raises(TablesError) as caught:
        read({**found, "vllm/flags.jsonl": f"{found['vllm/flags.jsonl']}{wrong}\n"})
    assert str(caught.value.problems[0]) == said


@pytest.mark.parametrize(
    ("right", "wrong", "at"),
    [
        ('{"flag": "--model", "kind": "str"}\n', "", 5),
        ('"until": "0.9.2", "kind": "int"', '"until": "0.8.5", "kind": "int"}\n{"flag": "--x", "since": "0.9.2", "until": "0.9.2", "kind": "int"', 6),
        ('"until": "0.9.2", "kind": "int"', '"since": "0.8.5", "until": "0.9.2", "kind": "int"', 6),
        ('"kind": "int"}\n{"flag": "--j.b"', '"kind": "int", "nullable": false}\n{"flag": "--j.b"', 2),
    ],
)  # fmt: skip
def test_lint_wants_the_lines_that_add_writes(right: str, wrong: str, at: int) -> None:
    """In order, joined, and without what is at its default or said by `since` left out."""
    found = history.texts(made_up())
    text = found["vllm/flags.jsonl"]
    assert text.count(right) == 1
    spoilt = text.replace(right, wrong) + ("" if wrong else right)
    read_back = read({**found, "vllm/flags.jsonl": spoilt})
    (problem,) = facts.lines_as_written(Context(read_back))
    assert problem.file == f"vllm/flags.jsonl:{at}"
    assert list(facts.lines_as_written(Context(read(found)))) == []
    assert FACTS in read_back.files
