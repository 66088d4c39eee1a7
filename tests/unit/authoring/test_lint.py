"""Lint: the project's tables pass, each rule for catalogs and secrets sees what it is for, and a
user's own tables are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.tables import (
    HEAD,
    MAPPINGS,
    catalog,
    files,
    flag,
    of_the_project,
    of_versions,
    said,
    tables,
    variable,
    write,
)

from translator.authoring.compile import tables_in
from translator.authoring.lint import (
    RULES,
    facts,
    lint,
)
from translator.authoring.lint.rules import Context
from translator.authoring.load import TablesError, laid_over, load, parse
from translator.model import SINGLE, Tables
from translator.tables.catalog import shipped as compiled_tables


@pytest.fixture
def shipped() -> Tables:
    return of_the_project()


def newest(found: Tables) -> Tables:
    """The tables with the catalog of the newest version only: what is asked of a user's own tables
    is asked of every catalog.
    """
    return of_versions(found, [found.catalogs[-1].version])


@pytest.fixture(scope="module")
def installed() -> Tables:
    """The project's tables where only the compiled files are; with the newest catalog."""
    return newest(tables_in(compiled_tables()))


def mistakes(*catalogs: dict[str, Any], **toml: str) -> list[str]:
    """What the loader has against tables."""
    with pytest.raises(TablesError) as caught:
        tables(*catalogs, **toml)
    return [str(problem) for problem in caught.value.problems]


def test_the_projects_tables_pass(shipped: Tables) -> None:
    assert [str(problem) for problem in lint(shipped)] == []


def test_every_rule_says_what_it_demands() -> None:
    assert len(set(RULES)) == len(RULES)
    assert all(rule.look.__doc__ for rule in RULES)


def test_a_missing_table_is_seen(shipped: Tables) -> None:
    for file in SINGLE:
        found = Tables({name: table for name, table in shipped.files.items() if name != file})
        assert [str(item) for item in facts.all_there(Context(found))] == [f"{file}: is missing"]
        assert list(facts.all_there(Context(found, complete=False))) == []
    assert facts.all_there in RULES


# --- catalogs ---


def test_a_missing_catalog_is_seen(shipped: Tables) -> None:
    found = of_versions(shipped, {item.version for item in shipped.catalogs} - {"0.9.2"})
    assert [str(problem) for problem in facts.every_release(Context(found))] == [
        "catalogs/0.9.2.json: is missing: `translate tables add` harvests it where that vLLM is installed"
    ]


def test_an_empty_catalog_is_seen() -> None:
    assert mistakes(catalog("0.9.2") | {"flags": []}) == ["catalogs/0.9.2.json $: has no --model"]
    assert mistakes(catalog("0.9.2") | {"env": []}) == ["catalogs/0.9.2.json $.env: is empty"]


# --- charts.toml ---

CHART = """\
[[chart]]
name = "a"
sources = ["https://example.org"]
models = "m"
model = "u"
image = ["i"]
start = ["vllm", "serve", "{u}", "--n"]
argument = [{ key = "x", tokens = ["--tp", "{}"] }, { key = "y", tokens = ["--no-such"], otherwise = ["--r"] }]
"""


def charts(text: str) -> Tables:
    flags = map(flag, MACHINE_FLAGS)
    return parse({**files(catalog("0.9.2", *flags)), "charts.toml": text.encode()})


def test_what_a_chart_writes_exists() -> None:
    assert said(facts.flags_of_charts_exist, charts(CHART)) == [
        "charts.toml $.chart[0].argument[1]: no vLLM has a flag --no-such"
    ]
    with pytest.raises(TablesError, match="a stands twice"):
        charts(CHART + CHART)
    with pytest.raises(TablesError, match="either 'tokens' or 'several'"):
        charts(CHART.replace('tokens = ["--tp", "{}"]', "there = true"))
    with pytest.raises(TablesError, match="'within' is for 'otherwise'"):
        charts(CHART.replace('["--tp", "{}"]', '["--tp", "{}"], within = "z"'))


# --- the releases that are promised ---


def published(*versions: str) -> str:
    """A releases.toml."""
    return "[published]\n" + "".join(f'"{version}" = "2025-07-08"\n' for version in versions)


# --- clusters/_flags.toml ---


def machines(text: str) -> Tables:
    flags = (*map(flag, MACHINE_FLAGS), flag("--backend", choices=["ray", "mp"]))
    return parse({**files(catalog("0.9.2", *flags)), "clusters/_flags.toml": text.encode()})


MACHINE_FLAGS = [
    "--headless", "--n", "--r", "--a", "--p", "--local", "--total", "--start", "--da", "--dp",
    "--lb", "--api", "--tp", "--rank", "--ranks-backend", "--single",
]  # fmt: skip
MACHINES = """\
sources = ["https://example.org"]
headless = "--headless"
servers = ["--api"]
nodes = { count = "--n", rank = "--r", address = "--a", port = "--p", sizes = ["--tp"] }
data_parallel = { local = "--local", total = "--total", start = "--start", rank = "--rank", address = "--da", port = "--dp", backend = "--ranks-backend", single = "--single", everywhere = ["--lb"] }
joined = { name = "Ray", flag = "--backend", value = "ray", first = "ray start", others = "ray start {address}", port = 6379 }
"""


def test_what_a_place_becomes_exists() -> None:
    assert said(facts.names_exist, machines(MACHINES)) == []
    assert said(facts.joined_by_a_choice, machines(MACHINES)) == []
    spoilt = (
        MACHINES.replace('"--n"', '"--nn"')
        .replace('["--lb"]', '["--lb", "--lc"]')
        .replace('"--dp"', '"--dq"')
        .replace('["--tp"]', '["--tq"]')
        .replace('value = "ray"', 'value = "rai"')
    )
    assert said(facts.names_exist, machines(spoilt)) == [
        "clusters/_flags.toml $.nodes.count: no vLLM has a flag --nn",
        "clusters/_flags.toml $.nodes.sizes[0]: no vLLM has a flag --tq",
        "clusters/_flags.toml $.data_parallel.port: no vLLM has a flag --dq",
        "clusters/_flags.toml $.data_parallel.everywhere[1]: no vLLM has a flag --lc",
    ]
    assert said(facts.joined_by_a_choice, machines(spoilt)) == [
        "clusters/_flags.toml $.joined.value: no version accepts 'rai' for --backend",
    ]
    with pytest.raises(TablesError, match="'others' does not say where"):
        machines(MACHINES.replace("{address}", "there"))


# --- the whole ---


def test_what_cannot_be_written_is_seen() -> None:
    (mistake,) = mistakes(catalog("0.9.2", flag("--x", choices=["\ud800"])))
    assert mistake.startswith("catalogs/0.9.2.json: 'utf-8' codec can't encode character '\\ud800'")


def test_the_users_own_tables_are_checked(
    shipped: Tables, installed: Tables, tmp_path: Path
) -> None:
    """Against the project's, also in an installation."""
    own = HEAD + f"[[variable]]\n{variable('LEN', '--max-model-len')}\n"
    folder = write(tmp_path, files(mine=own))
    assert lint(load(folder), newest(shipped)) == []
    write(folder, files(catalog("0.99.0"), mine=own.replace("model-len", "model-lem")))
    for base in (newest(shipped), installed):
        assert [str(problem) for problem in lint(load(folder), base)] == [
            "dialects/mine.toml $.variable[0].flag: no vLLM has a flag --max-model-lem"
        ]


def test_what_the_users_own_dialect_extends_must_be_there(
    shipped: Tables, installed: Tables
) -> None:
    """One of the project's, or of their own; also where only the compiled files are."""
    head = '[dialect]\nname = "{}"\nsources = ["https://example.org"]\nextends = "{}"\n'
    bases = {"mine": "sagemaker@shell", "more": "mine", "lost": "sagemakr"}
    bases |= {"own": "own", "one": "two", "two": "one", "lmi": "lmi"}
    found = tables(
        catalog("0.99.0"), **{name: head.format(name, base) for name, base in bases.items()}
    )
    for base in (newest(shipped), installed):
        assert [str(problem) for problem in lint(found, base)] == [
            "dialects/lmi.toml $.dialect.extends: lmi extends lmi",
            "dialects/lost.toml $.dialect.extends: there is no dialect sagemakr",
            "dialects/one.toml $.dialect.extends: one extends two extends one",
            "dialects/own.toml $.dialect.extends: own extends own",
            "dialects/two.toml $.dialect.extends: two extends one extends two",
        ]


def test_only_the_users_own_mistakes_are_told() -> None:
    base = tables(catalog("0.9.2"), mine='[dialect]\nname = "mine"\n')
    own = tables(catalog("0.10.2"), yours='[dialect]\nname = "yours"\n')
    assert [str(problem) for problem in lint(own, base)] == [
        "dialects/yours.toml $.dialect.sources: is missing"
    ]
    both = laid_over(base, own.files)
    assert [item.version for item in both.catalogs] == ["0.9.2", "0.10.2"]
    assert len(both.dialects) == 2


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda folder: (folder / "changes.toml").unlink(), "changes.toml: is missing"),
        (lambda folder: (folder / "releases.toml").unlink(), "releases.toml: is missing"),
        (
            lambda folder: (folder / "catalogs" / "0.9.2.json").unlink(),
            "catalogs/0.9.2.json: is missing: `translate tables add` harvests it where that vLLM is installed",
        ),
        (
            lambda folder: (folder / "secrets.toml").write_text("pattern = []"),
            "secrets.toml $.pattern: unknown field, did you mean 'patterns'?",
        ),
        (lambda folder: (folder / "changes.toml").write_text("x"), "changes.toml: "),
    ],
)
def test_a_spoilt_copy_fails(spoil: Callable[[Path], Any], text: str, tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            path.relative_to(MAPPINGS).as_posix(): path.read_bytes()
            for path in (*MAPPINGS.glob("*.toml"), *MAPPINGS.glob("catalogs/0.9.2.json"))
        },
    )
    (folder / "releases.toml").write_text(published("0.9.2"))

    def told() -> list[str]:
        try:
            problems = lint(load(folder))
        except TablesError as error:
            problems = list(error.problems)
        return [str(problem) for problem in problems]

    assert not any(line.startswith(text) for line in told())
    spoil(folder)
    assert any(line.startswith(text) for line in told())
