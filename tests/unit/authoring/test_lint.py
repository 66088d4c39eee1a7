"""Lint: the project's tables pass, each rule for catalogs and secrets sees what it is for, and a
user's own tables are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from support.tables import (
    HEAD,
    MAPPINGS,
    catalog,
    files,
    flag,
    of_the_project,
    said,
    shape,
    tables,
    variable,
    write,
)

from translator.authoring.compiled import tables_in
from translator.authoring.lint import facts
from translator.authoring.lint.lint import (
    RULES,
    all_there,
    lint,
    lint_directory,
    names_exist,
    overlay,
)
from translator.authoring.lint.rules import Context
from translator.authoring.load import parse
from translator.authoring.sources import TablesError
from translator.model.tables import SINGLE, Tables


@pytest.fixture
def shipped() -> Tables:
    return of_the_project()


def newest(found: Tables) -> Tables:
    """The tables with the catalog of the newest version only: what is asked of a user's own tables
    is asked of every catalog.
    """
    return evolve(found, catalogs=found.catalogs[-1:])


@pytest.fixture(scope="module")
def installed() -> Tables:
    """The project's tables where only the compiled files are; with the newest catalog."""
    return newest(tables_in())


def mistakes(*catalogs: dict[str, Any], **toml: str) -> list[str]:
    """What the loader has against tables."""
    with pytest.raises(TablesError) as caught:
        tables(*catalogs, **toml)
    return [str(problem) for problem in caught.value.problems]


def test_the_projects_tables_pass(shipped: Tables) -> None:
    assert [str(problem) for problem in lint(shipped)] == []


def test_every_rule_says_what_it_demands() -> None:
    assert len(set(RULES)) == len(RULES)
    assert all(rule.__doc__ for rule in RULES)


def test_a_missing_table_is_seen(shipped: Tables) -> None:
    for file, (field, _) in SINGLE.items():
        found = evolve(shipped, **{field: None})
        assert [str(item) for item in all_there(Context(found))] == [f"{file}: is missing"]
        assert list(all_there(Context(found, complete=False))) == []
    assert all_there in RULES


# --- catalogs ---


def test_a_missing_catalog_is_seen(shipped: Tables) -> None:
    found = evolve(shipped, catalogs=[item for item in shipped.catalogs if item.version != "0.9.2"])
    assert [str(problem) for problem in facts.every_release(Context(found))] == [
        "catalogs/0.9.2.json: is missing: `translate tables add` harvests it where that vLLM is installed"
    ]


def test_an_empty_catalog_is_seen() -> None:
    found = tables(catalog("0.9.2") | {"flags": [], "env": []})
    assert said(facts.something_in_it, found) == [
        "catalogs/0.9.2.json $.flags: has no --model",
        "catalogs/0.9.2.json $.env: is empty",
    ]


def test_a_spelling_of_two_flags_is_seen() -> None:
    found = catalog(
        "0.9.2",
        flag("--x", "toggle"),
        flag("--no-x"),
        env=[{"name": "A", "kind": "str"}, {"name": "A", "kind": "int"}],
    )
    assert mistakes(found) == [
        "catalogs/0.9.2.json $.flags: --no-x stands twice",
        "catalogs/0.9.2.json $.env: A stands twice",
    ]


def test_keys_that_cannot_be_dotted_are_seen() -> None:
    inner = {
        **shape(a={"kind": "int"}),
        "required": ["b"],
        "rules": [{"key": "c", "needs": {"a": [1]}}],
    }
    found = tables(catalog("0.9.2", flag("--x", "json", shape=shape(**{"k.l": inner}))))
    assert said(facts.keys_that_hang_together, found) == [
        (
            "catalogs/0.9.2.json $.flags[1].shape: --x: the key 'k.l' cannot be written as a"
            " dotted key"
        ),
        (
            "catalogs/0.9.2.json $.flags[1].shape.keys.k.l: --x: names the key 'b', which it"
            " does not have"
        ),
        (
            "catalogs/0.9.2.json $.flags[1].shape.keys.k.l: --x: names the key 'c', which it"
            " does not have"
        ),
    ]


# --- secrets ---

KEYS = catalog(
    "0.9.2",
    flag("--key"),
    flag("--on", "switch"),
    flag("--max-token", "int"),
    flag("--conf", "json", shape=shape(token={"kind": "str"})),
)


def secret(text: str) -> Tables:
    return tables(KEYS, secrets=text)


def test_secrets_that_are_named_twice_are_seen() -> None:
    twice = '[[secret]]\nflag = "--key"\nvariable = "KEY"\n[[secret]]\nvariable = "KEY"\n'
    assert mistakes(secrets=twice) == ["secrets.toml $.secret: KEY stands twice"]


def test_a_secret_that_does_not_exist_is_seen() -> None:
    found = secret(
        "".join(
            f"[[secret]]\n{text}\n"
            for text in (
                'flag = "--kee"',
                'flag = "--on"',
                'variable = "VLLM_KEE"',
                'variable = "VLLM_HOME"',
                'variable = "K"',
            )
        )
    )
    assert said(names_exist, found) == ["secrets.toml $.secret[0].flag: no vLLM has a flag --kee"]
    assert said(facts.secrets_exist, found) == [
        "secrets.toml $.secret[1].flag: --on has no value that could be secret",
        "secrets.toml $.secret[2].variable: no vLLM reads a variable VLLM_KEE",
    ]


def test_a_pattern_that_catches_a_public_name_is_seen() -> None:
    """In any spelling; a key that vLLM declares is a name as well."""
    assert said(
        facts.patterns_catch_nothing_harmless, secret('patterns = ["*_TOKEN", "token"]')
    ) == [
        "secrets.toml $.patterns: a pattern makes --max-token a secret: list it under [[secret]] or"
        " as public",
        "secrets.toml $.patterns: a pattern makes token a secret: list it under [[secret]] or as"
        " public",
    ]
    assert said(
        facts.patterns_catch_nothing_harmless,
        secret('patterns = ["*_token"]\npublic = ["max_*", "KEY", "other_token"]'),
    ) == [
        "secrets.toml $.patterns: a pattern makes token a secret: list it under [[secret]] or as"
        " public"
    ]


# --- releases.toml ---


def test_the_days_of_the_releases_are_in_order() -> None:
    rule = facts.days_in_order
    for days, problems in (
        ('"0.9.2" = "2025-07-08"\n"0.10.2" = "2025-09-13"', []),
        (
            '"0.10.2" = "2025-09-13"\n"0.9.2" = "2025-07-08"',
            ["$.published: not in the order of the versions and of the days"],
        ),
        (
            '"0.9.2" = "2025-09-14"\n"0.10.2" = "2025-09-13"',
            ["$.published: not in the order of the versions and of the days"],
        ),
    ):
        found = tables(releases=f"[published]\n{days}")
        assert said(rule, found) == [f"releases.toml {problem}" for problem in problems]
    with pytest.raises(TablesError, match="is not a day"):
        tables(releases='[published]\n"0.9.2" = "July 2025"')


# --- plugins.toml ---


def test_what_plugins_read_is_listed_once_and_is_not_vllms_own() -> None:
    def plugin(name: str, *variables: str) -> str:
        return (
            f'[[plugin]]\nname = "{name}"\nhardware = "NPUs"\nsources = ["https://example.org"]\n'
            f'prefixes = ["VLLM_{name.upper()}_"]\nvariables = {list(variables)}\n'
        )

    twice = plugin("a", "VLLM_X") + plugin("b", "VLLM_X")
    assert mistakes(plugins=twice) == ["plugins.toml $.plugin: VLLM_X stands twice"]
    own = {"name": "VLLM_X", "kind": "str"}
    found = tables(catalog("0.9.2", env=[own]), catalog("0.10.2"), plugins=plugin("a", "VLLM_X"))
    assert said(facts.not_in_the_newest, found) == []
    found = tables(catalog("0.9.2"), catalog("0.10.2", env=[own]), plugins=plugin("a", "VLLM_X"))
    assert said(facts.not_in_the_newest, found) == [
        "plugins.toml $.plugin.a: vLLM 0.10.2 reads VLLM_X itself"
    ]


# --- defaults.toml ---


def a_default(*spans: str, name: str = "--seed") -> str:
    at_start = f"at_start = [{', '.join(spans)}]" if spans else ""
    return (
        f'[[default]]\nname = "{name}"\neffect = "It matters."\nsource = "catalogs"\n{at_start}\n'
    )


def test_defaults_are_of_names_that_exist_and_have_two_known_defaults() -> None:
    rule = facts.defaults_that_change
    one, other = ({"flag": "--seed", "dest": "seed", "kind": "int", "aliases": [], "default": value} for value in (0, 1))  # fmt: skip
    both = (catalog("0.9.2", one), catalog("0.10.2", other))
    assert said(rule, tables(*both, defaults=a_default())) == []
    assert said(names_exist, tables(*both, defaults=a_default(name="--wat"))) == [
        "defaults.toml $.default[0].name: no vLLM has a flag --wat"
    ]
    assert mistakes(*both, defaults=a_default() + a_default()) == [
        "defaults.toml $.default: --seed stands twice"
    ]
    assert said(rule, tables(both[0], defaults=a_default())) == [
        "defaults.toml $.default[0]: --seed has one known default in all versions"
    ]
    unknown = {"flag": "--seed", "dest": "seed", "kind": "int", "aliases": []}
    never_compared = (both[0], catalog("0.10.2", unknown))
    assert said(rule, tables(*never_compared, defaults=a_default())) == [
        "defaults.toml $.default[0]: --seed has one known default in all versions"
    ]
    here = a_default('{since = "0.10.2", value = "7"}')
    assert said(rule, tables(*never_compared, defaults=here)) == []


def test_at_start_speaks_of_versions_without_a_default_in_the_parser() -> None:
    rule = facts.only_what_vllm_decides
    none, one = ({"flag": "--seed", "dest": "seed", "kind": "int", "aliases": [], **more} for more in ({}, {"default": 1}))  # fmt: skip
    both = (catalog("0.9.2", none), catalog("0.10.2", one))

    def problems(*spans: str) -> list[str]:
        return said(rule, tables(*both, defaults=a_default(*spans)))

    assert problems('{ until = "0.9.2", value = "0" }') == []
    assert problems('{ until = "0.10.2", value = "0" }') == [
        "defaults.toml $.default[0].at_start[0]: 0.10.2: the parser has a default of --seed"
    ]
    assert problems('{ until = "0.9.2", value = "none" }') == [
        "defaults.toml $.default[0].at_start[0]: 0.9.2: --seed does not accept 'none'"
    ]
    before = tables(catalog("0.8.5"), *both, defaults=a_default('{ until = "0.9.2", value = "0" }'))
    assert said(rule, before) == [
        "defaults.toml $.default[0].at_start[0]: 0.8.5: there is no --seed"
    ]
    assert problems('{ until = "0.9.1", value = "0" }')[0] == (
        "defaults.toml $.default[0].at_start[0]: 0.9.1 is no known version"
    )
    overlapping = problems('{ until = "0.9.2", value = "0" }', '{ since = "0.9.2", value = "1" }')
    assert overlapping[1:] == [
        "defaults.toml $.default[0].at_start: --seed: not in order, or not apart"
    ]
    with pytest.raises(TablesError, match="either 'value' or 'depends'"):
        problems('{ until = "0.9.2" }')


# --- requires.toml ---


def a_refusal(**more: str) -> str:
    facts = {"flag": "--x", "needs": '{ "--y" = "true" }', "source": "https://example.org", **more}
    lines = (f"{name} = {text if text[0] == '{' else repr(text)}" for name, text in facts.items())
    return "\n".join(("[[refusal]]", *lines, ""))


def test_a_rule_of_the_start_begins_and_ends_where_its_flags_do() -> None:
    catalogs = (
        catalog("0.8.5", flag("--x")),
        catalog("0.9.2", flag("--x"), flag("--y")),
        catalog("0.10.2", flag("--x"), flag("--y")),
        catalog("0.11.2"),
    )

    def problems(**more: str) -> list[str]:
        return said(facts.refusals_fit, tables(*catalogs, requires=a_refusal(**more)))

    assert problems(since="0.9.2") == problems(since="0.9.2", until="0.9.2") == []
    assert problems(since="0.8.5") == [
        "requires.toml $.refusal[0]: no flag --y in 0.8.5: `since` and `until` say which versions are"
        " meant"
    ]
    assert problems(since="0.11.2") == [
        "requires.toml $.refusal[0]: no version in its range has the flag --x"
    ]
    assert problems(since="0.9.0") == [
        "requires.toml $.refusal[0].since: 0.9.0 is no known version"
    ]


def test_a_word_about_numbers_is_of_a_number() -> None:
    found = (catalog("0.9.2", flag("--x", "int")), catalog("0.10.2", flag("--x", "str")))
    rule = tables(*found, requires=a_refusal(needs="{}", when="negative"))
    assert said(facts.refusals_fit, rule) == [
        "requires.toml $.refusal[0]: --x of 0.10.2 is no number"
    ]
    of_others = tables(
        catalog("0.9.2", flag("--x"), flag("--y")), requires=a_refusal(needs='{ "--y" = "many" }')
    )
    assert said(facts.refusals_fit, of_others) == [
        "requires.toml $.refusal[0]: --y of 0.9.2 is no number"
    ]


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
    return parse(
        {
            **files(catalog("0.9.2", *(flag(name) for name in MACHINE_FLAGS))),
            "charts.toml": text.encode(),
        }
    )


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


# --- launchers.toml ---


def test_what_a_launcher_knows_is_vllms() -> None:
    text = """
    [[launcher]]
    name = "a"
    sources = ["https://example.org"]
    served = "--served"
    left = ["--tp", "--no-such"]
    server = ["--port", "--tp"]
    """
    versions = catalog("0.9.2", flag("--tp"), flag("--served"), flag("--port", server=True))
    found = tables(versions, launchers=text)
    assert said(names_exist, found) == [
        "launchers.toml $.launcher[0].left[1]: no vLLM has a flag --no-such"
    ]
    assert said(facts.options_of_the_server, found) == [
        "launchers.toml $.launcher[0]: --tp is no option of vLLM's server"
    ]
    assert mistakes(versions, launchers=text + text) == [
        "launchers.toml $.launcher: a stands twice"
    ]


# --- images.toml ---


def test_what_images_hold_is_a_release_and_each_is_listed_once() -> None:
    def image(name: str, version: str) -> str:
        return (
            f'[[image]]\nnames = ["{name}"]\npublisher = "us"\nsources = ["https://example.org"]\n'
            f'[image.versions]\n"1.0" = "{version}"\n'
        )

    releases = '[published]\n"0.9.2" = "2025-07-08"'
    found = tables(releases=releases, images=image("a/b", "0.9.2rc1") + image("c", "0.9.3"))
    assert said(facts.versions_are_vllms, found) == [
        "images.toml $.image[1].versions: 1.0: 0.9.3 is no release of vLLM"
    ]
    twice = mistakes(releases=releases, images=image("a/b", "0.9.2") * 2)
    assert twice == ["images.toml $.image: a/b stands twice"]


# --- the releases that are promised ---


def published(*versions: str) -> str:
    """A releases.toml."""
    return "[published]\n" + "".join(f'"{version}" = "2025-07-08"\n' for version in versions)


def test_the_versions_that_are_promised_are_those_with_a_catalog() -> None:
    catalogs = [catalog("0.9.2"), catalog("0.10.2")]
    assert (
        said(
            facts.every_release,
            tables(*catalogs, releases=published("0.9.2", "0.10.2")),
        )
        == []
    )
    assert said(
        facts.every_release,
        tables(*catalogs, releases=published("0.8.5", "0.10.2")),
    ) == [
        "catalogs/0.8.5.json: is missing: `translate tables add` harvests it where that vLLM is installed",
        (
            "catalogs/0.9.2.json: releases.toml does not have this version: list it there, or take"
            " the catalog away"
        ),
    ]


# --- clusters/_flags.toml ---


def machines(text: str) -> Tables:
    return parse(
        {
            **files(
                catalog(
                    "0.9.2",
                    *(flag(name) for name in MACHINE_FLAGS),
                    flag("--backend", choices=["ray", "mp"]),
                )
            ),
            "clusters/_flags.toml": text.encode(),
        }
    )


MACHINE_FLAGS = (
    "--headless",
    "--n",
    "--r",
    "--a",
    "--p",
    "--local",
    "--total",
    "--start",
    "--da",
    "--dp",
    "--lb",
    "--api",
    "--tp",
    "--rank",
    "--ranks-backend",
    "--single",
)
MACHINES = """\
sources = ["https://example.org"]
headless = "--headless"
servers = ["--api"]
nodes = { count = "--n", rank = "--r", address = "--a", port = "--p", sizes = ["--tp"] }
data_parallel = { local = "--local", total = "--total", start = "--start", rank = "--rank", address = "--da", port = "--dp", backend = "--ranks-backend", single = "--single", everywhere = ["--lb"] }
joined = { name = "Ray", flag = "--backend", value = "ray", first = "ray start", others = "ray start {address}", port = 6379 }
"""


def test_what_a_place_becomes_exists() -> None:
    assert said(names_exist, machines(MACHINES)) == []
    assert said(facts.joined_by_a_choice, machines(MACHINES)) == []
    spoilt = (
        MACHINES.replace('"--n"', '"--nn"')
        .replace('["--lb"]', '["--lb", "--lc"]')
        .replace('"--dp"', '"--dq"')
        .replace('["--tp"]', '["--tq"]')
        .replace('value = "ray"', 'value = "rai"')
    )
    assert said(names_exist, machines(spoilt)) == [
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


def test_the_users_own_tables_are_checked_against_the_projects(
    shipped: Tables, tmp_path: Path
) -> None:
    good = 'name = "LEN"\nrole = "flag"\nflag = "--max-model-len"\n'
    folder = write(tmp_path, files(mine=HEAD + f"[[variable]]\n{good}"))
    assert lint_directory(folder, newest(shipped)) == []
    write(
        folder, files(mine=HEAD + "[[variable]]\n" + good.replace("max-model-len", "max-model-lem"))
    )
    assert [str(problem) for problem in lint_directory(folder, newest(shipped))] == [
        "dialects/mine.toml $.variable[0].flag: no vLLM has a flag --max-model-lem"
    ]


def test_the_users_own_tables_are_checked_in_an_installation(installed: Tables) -> None:
    found = tables(
        catalog("0.99.0"), mine=HEAD + f"[[variable]]\n{variable('LEN', '--max-model-lem')}\n"
    )
    assert [str(problem) for problem in lint(found, installed)] == [
        "dialects/mine.toml $.variable[0].flag: no vLLM has a flag --max-model-lem"
    ]


def test_what_the_users_own_dialect_extends_must_be_there(
    shipped: Tables, installed: Tables
) -> None:
    """One of the project's, or of their own; also where only the compiled files are."""
    head = '[dialect]\nname = "{}"\nsources = ["https://example.org"]\nextends = "{}"\n'
    bases = {
        "mine": "sagemaker@shell",
        "more": "mine",
        "lost": "sagemakr",
        "own": "own",
        "one": "two",
        "two": "one",
        "lmi": "lmi",
    }
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
    base = tables(catalog("0.9.2") | {"env": []}, mine='[dialect]\nname = "mine"\n')
    own = tables(catalog("0.10.2"), yours='[dialect]\nname = "yours"\n')
    assert [str(problem) for problem in lint(own, base)] == [
        "dialects/yours.toml $.dialect.sources: is missing"
    ]
    both = overlay(own, base)
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
        return [str(problem) for problem in lint_directory(folder)]

    assert not any(line.startswith(text) for line in told())
    spoil(folder)
    assert any(line.startswith(text) for line in told())
