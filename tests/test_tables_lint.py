"""Lint: the project's tables pass, and each rule sees what it is for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from tables_support import MAPPINGS, catalog, files, flag, shape, tables, write

from translator.tables import decompile
from translator.tables.lint import RULES, compiles, lint, lint_directory, overlay
from translator.tables.load import load
from translator.tables.model import Changes, Tables
from translator.tables.names import disappearances
from translator.tables.rules import Context, Rule
from translator.tables.rules import catalogs as of_catalogs
from translator.tables.rules import changes as of_changes
from translator.tables.rules import dialects as of_dialects
from translator.tables.rules import secrets as of_secrets

HEAD = '[dialect]\nname = "mine"\nsources = ["https://example.org"]\n'


def said(rule: Rule, found: Tables) -> list[str]:
    """What one rule says, and that lint as a whole says it, too."""
    problems = list(rule(Context(found)))
    assert set(problems) <= set(lint(found))
    return [str(problem) for problem in problems]


@pytest.fixture(scope="module")
def shipped() -> Tables:
    return load(MAPPINGS)


def test_the_projects_tables_pass(shipped: Tables) -> None:
    assert [str(problem) for problem in lint(shipped)] == []


def test_every_rule_says_what_it_demands() -> None:
    assert len(set(RULES)) == len(RULES)
    assert all(rule.__doc__ for rule in RULES)


# --- catalogs --------------------------------------------------------------------------------------------------------


def test_a_missing_catalog_is_seen(shipped: Tables) -> None:
    found = attrs.evolve(shipped, catalogs=shipped.catalogs[:3] + shipped.catalogs[4:])
    assert said(of_catalogs.every_supported_version, found) == ["catalogs/0.9.2.json: is missing: harvest it where that vLLM is installed"]


def test_an_empty_catalog_is_seen() -> None:
    found = tables(catalog("0.9.2") | {"flags": [], "env": []})
    assert said(of_catalogs.something_in_it, found) == ["catalogs/0.9.2.json $.flags: has no --model", "catalogs/0.9.2.json $.env: is empty"]


def test_a_spelling_of_two_flags_is_seen() -> None:
    found = tables(catalog("0.9.2", flag("--x", "toggle"), flag("--no-x"), env=[{"name": "A", "kind": "str"}, {"name": "A", "kind": "int"}]))
    assert said(of_catalogs.one_meaning_a_spelling, found) == [
        "catalogs/0.9.2.json $.flags[2]: --no-x belongs to --x already",
        "catalogs/0.9.2.json $.env[2].name: A is listed twice",
    ]


def test_keys_that_cannot_be_dotted_are_seen() -> None:
    inner = {**shape(a={"kind": "int"}), "required": ["b"], "rules": [{"key": "c", "needs": {"a": [1]}}]}
    found = tables(catalog("0.9.2", flag("--x", "json", shape=shape(**{"k.l": inner}))))
    assert said(of_catalogs.keys_that_hang_together, found) == [
        "catalogs/0.9.2.json $.flags[1].shape: --x: the key 'k.l' cannot be written as a dotted key",
        "catalogs/0.9.2.json $.flags[1].shape.keys.k.l: --x: speaks of the key 'b', which it does not have",
        "catalogs/0.9.2.json $.flags[1].shape.keys.k.l: --x: speaks of the key 'c', which it does not have",
    ]


# --- dialects --------------------------------------------------------------------------------------------------------

FLAGS = catalog(
    "0.9.2",
    flag("--x", "toggle"),
    flag("--switch", "switch"),
    flag("--len", "int", aliases=["-l"]),
    flag("--dtype", choices=["auto", "half"]),
    flag("--conf", "json", shape=shape(method={"kind": "str"}, on={"kind": "bool"})),
    flag("--free", "json"),
)


def dialect(*variables: str, head: str = HEAD) -> Tables:
    return tables(FLAGS, mine=head + "".join(f"[[variable]]\n{text}\n" for text in variables))


def variable(name: str, target: str, *more: str) -> str:
    return "\n".join([f'name = "{name}"', 'role = "flag"', f'flag = "{target}"', *more])


def test_a_dialect_without_a_source_is_seen() -> None:
    assert said(of_dialects.sources_given, tables(mine='[dialect]\nname = "mine"\n')) == ["dialects/mine.toml $.dialect.sources: is missing"]


def test_a_variable_that_is_listed_twice_is_seen() -> None:
    found = dialect(variable("A", "--x"), variable("A", "--len"), variable("ARGS", "--x"), head=HEAD + 'extra_args = "ARGS"\n')
    assert said(of_dialects.one_entry_a_variable, found) == [
        "dialects/mine.toml $.variable[1].name: A is $.variable[0] already",
        "dialects/mine.toml $.variable[2].name: ARGS is the dialect's own already",
    ]


def test_a_flag_that_no_version_has_is_seen() -> None:
    found = dialect(*(variable(f"V{at}", name) for at, name in enumerate(("--x", "--y", "--no-x", "--conf.method", "--conf.methud", "--free.any", "--len.k"))))
    assert said(of_dialects.flags_exist, found) == [
        "dialects/mine.toml $.variable[1].flag: V1: no vLLM has a flag --y",
        "dialects/mine.toml $.variable[2].flag: V2: no vLLM has a flag --no-x",
        "dialects/mine.toml $.variable[4].flag: V4: --conf has no key methud in any version",
        "dialects/mine.toml $.variable[6].flag: V6: --len has no key k in any version",
    ]


def test_an_inverted_number_is_seen() -> None:
    found = dialect(*(variable(f"V{at}", name, "inverted = true") for at, name in enumerate(("--x", "--len", "--conf.on", "--conf.method"))))
    assert said(of_dialects.inverted_are_boolean, found) == [
        "dialects/mine.toml $.variable[1].inverted: V1: --len takes more than true and false",
        "dialects/mine.toml $.variable[3].inverted: V3: --conf.method takes more than true and false",
    ]


def test_a_default_that_no_version_takes_is_seen() -> None:
    wrong = {"--x": "maybe", "--len": "1.5", "--dtype": "quarter"}
    right = {"--x": "False", "--len": "16", "--dtype": "AUTO", "--conf.method": "any"}
    found = dialect(*(variable(f"V{at}", name, f'default = "{text}"') for at, (name, text) in enumerate([*wrong.items(), *right.items()])))
    assert said(of_dialects.defaults_fit, found) == [
        "dialects/mine.toml $.variable[0].default: V0: no version takes 'maybe' for --x",
        "dialects/mine.toml $.variable[1].default: V1: no version takes '1.5' for --len",
        "dialects/mine.toml $.variable[2].default: V2: no version takes 'quarter' for --dtype",
    ]


def test_a_flag_out_of_reach_is_seen() -> None:
    roles = {"LEN": "worker", "DTYPE": "environment", "HELP": "reserved", "NOTHING": "reserved", "X": "reserved"}
    found = dialect(*(f'name = "{name}"\nrole = "{role}"' + ('\nnote = "n"' if role != "environment" else "") for name, role in roles.items()))
    assert said(of_dialects.no_flag_out_of_reach, found) == [
        "dialects/mine.toml $.variable[0]: LEN keeps --len from being set by its name: its role is 'reserved', or 'environment' with a note",
        "dialects/mine.toml $.variable[1]: DTYPE keeps --dtype from being set by its name: its role is 'reserved', or 'environment' with a note",
        "dialects/mine.toml $.variable[3]: NOTHING is reserved for nothing: it is no flag's name",
    ]
    prefixed = dialect('name = "LEN"\nrole = "worker"\nnote = "n"', head=HEAD + 'prefix = "MY_"\n')
    assert said(of_dialects.no_flag_out_of_reach, prefixed) == []


def test_a_consumer_that_claims_too_much_is_seen() -> None:
    lists = 'value_flags = ["--len", "--x", "-l"]\n'.replace(', "-l"', ', "--nil"')
    lists += 'pair_flags = ["--x", "--switch"]\nswitch_flags = ["--switch", "--len"]\nzero_unset = ["--len", "--dtype"]\n'
    found = dialect(head=HEAD + '[consumer]\nvllm = "0.9.2"\n' + lists)
    assert said(of_dialects.consumer_is_right, found) == [
        "dialects/mine.toml $.consumer.value_flags[1]: --x is of kind 'toggle' in vLLM 0.9.2",
        "dialects/mine.toml $.consumer.value_flags[2]: vLLM 0.9.2 has no flag --nil",
        "dialects/mine.toml $.consumer.pair_flags[0]: --x is among the value_flags already",
        "dialects/mine.toml $.consumer.pair_flags[1]: --switch is of kind 'switch' in vLLM 0.9.2",
        "dialects/mine.toml $.consumer.switch_flags[0]: --switch is among the pair_flags already",
        "dialects/mine.toml $.consumer.switch_flags[1]: --len is of kind 'int' in vLLM 0.9.2",
        "dialects/mine.toml $.consumer.switch_flags[1]: --len is among the value_flags already",
        "dialects/mine.toml $.consumer.zero_unset[1]: --dtype is not among the value_flags",
    ]
    unknown = dialect(head=HEAD + '[consumer]\nvllm = "0.8.5"\n')
    assert said(of_dialects.consumer_is_right, unknown) == ["dialects/mine.toml $.consumer.vllm: there is no catalog of 0.8.5"]


# --- changes ---------------------------------------------------------------------------------------------------------

OLD = catalog(
    "0.8.5",
    flag("--old", "switch"),
    flag("--gone", "int"),
    flag("--stay"),
    flag("--task", choices=["embed", "generate"]),
    flag("--mode", choices=["a", "b"]),
    flag("--conf", "json", shape=shape(level={"kind": "int"}, deep=shape(k={"kind": "str"}, l={"kind": "str"}))),
    flag("--lost", "json", shape=shape(k={"kind": "int"})),
    flag("--free", "json"),
    env=[{"name": "VLLM_OLD", "kind": "bool"}],
)
NEW = catalog(
    "0.9.2",
    flag("--new", "toggle"),
    flag("--stay", aliases=["--still"]),
    flag("--runner", choices=["pooling", "generate"]),
    flag("--mode", choices=["a", "c"]),
    flag("--conf", "json", shape=shape(mode={"kind": "choice", "choices": ["NONE", "FAST"]}, deep=shape(k={"kind": "str"}))),
    flag("--free", "json"),
)
SAME = '[[same]]\ncarriers = ["--old", "--new"]\ninverted = ["--old"]\nsource = "catalogs"\n'
VARIABLE = '[[same]]\ncarriers = ["VLLM_OLD", "--new"]\nsource = "catalogs"\n'
LEVEL = '[[same]]\ncarriers = ["--conf.level", "--conf.mode"]\nsource = "catalogs"\nvalues."--conf.level" = {0 = "NONE", 3 = "FAST"}\n'
SPLIT = '[[split]]\nname = "--task"\nsource = "catalogs"\nvalues.embed = {"--runner" = "pooling"}\nvalues.generate = {}\n'
GONE = '[[gone]]\nnames = ["--gone", "--lost", "--conf.deep.l", "VLLM_OLD"]\nwhy = "so"\nsource = "catalogs"\n'
VALUE = '[[value]]\nname = "--mode"\nvalues = ["b", "c"]\nsource = "catalogs"\n'
ALL = SAME + LEVEL + SPLIT + GONE + VALUE


def changed(text: str) -> Tables:
    return tables(OLD, NEW, changes=text)


def rules_of_changes(found: Tables) -> list[str]:
    return [str(problem) for rule in of_changes.RULES for problem in rule(Context(found))]


def test_a_full_account_passes() -> None:
    assert rules_of_changes(changed(ALL)) == []
    assert sorted(disappearances(changed(ALL).catalogs)) == ["--conf.deep.l", "--conf.level", "--gone", "--lost", "--old", "--task", "VLLM_OLD"]


def test_a_missing_account_is_seen(shipped: Tables) -> None:
    assert said(of_changes.there_are_changes, attrs.evolve(shipped, changes=None)) == ["changes.toml: is missing"]


@pytest.mark.parametrize(
    ("without", "name"), [(SAME, "--old"), (LEVEL, "--conf.level"), (SPLIT, "--task"), ('"--lost", ', "--lost"), ('"--conf.deep.l", ', "--conf.deep.l")]
)
def test_a_deleted_entry_is_seen(without: str, name: str) -> None:
    found = changed(ALL.replace(without, ""))
    assert f"changes.toml: no entry says what became of {name}, which 0.9.2 does not have any more" in said(of_changes.every_disappearance_has_an_entry, found)


def test_a_name_that_comes_back_needs_an_entry_too() -> None:
    found = tables(catalog("0.8.5", flag("--x")), catalog("0.9.2"), catalog("0.10.2", flag("--x")), changes="")
    assert said(of_changes.every_disappearance_has_an_entry, found) == ["changes.toml: no entry says what became of --x, which 0.9.2 does not have any more"]


def test_keys_are_followed_over_a_version_without_a_shape() -> None:
    found = tables(
        catalog("0.8.5", flag("--x", "json", shape=shape(a={"kind": "int"}))),
        catalog("0.9.2", flag("--x", "json")),
        catalog("0.10.2", flag("--x", "json", shape=shape(b={"kind": "int"}))),
        changes="",
    )
    assert said(of_changes.every_disappearance_has_an_entry, found) == ["changes.toml: no entry says what became of --x.a, which 0.10.2 does not have any more"]


def test_a_name_in_two_entries_is_seen() -> None:
    found = changed(ALL + VARIABLE + VALUE.replace('"c"', '"a"'))
    assert said(of_changes.one_entry_a_name, found) == [
        "changes.toml $.gone[0]: VLLM_OLD is in $.same[2] already",
        "changes.toml $.value[1]: --mode=b is in $.value[0] already",
    ] or said(of_changes.one_entry_a_name, found) == [
        "changes.toml $.same[2]: --new is in $.same[0] already",
        "changes.toml $.gone[0]: VLLM_OLD is in $.same[2] already",
        "changes.toml $.value[1]: --mode=b is in $.value[0] already",
    ]


def test_a_version_that_the_catalogs_know_is_seen() -> None:
    found = changed(ALL + '[[same]]\ncarriers = ["--free.a", "--free.b"]\nsince."--free.b" = "0.9.0"\nuntil."--free.a" = "0.8.9"\nsource = "catalogs"\n')
    assert rules_of_changes(found) == []
    found = changed(ALL.replace(SAME, SAME + 'since."--new" = "0.9.2"\n'))
    assert said(of_changes.no_fact_of_the_catalogs, found) == ["changes.toml $.same[0].since: the catalogs know which versions have --new"]
    found = changed(ALL + '[[same]]\ncarriers = ["--free.a", "--free.b"]\nsince."--free.b" = "0.9.0"\nuntil."--free.b" = "0.8.9"\nsource = "catalogs"\n')
    assert said(of_changes.no_fact_of_the_catalogs, found) == ["changes.toml $.same[2].since: --free.b is read since 0.9.0, but until 0.8.9 only"]


@pytest.mark.parametrize(
    ("right", "wrong", "path", "name"),
    [
        ('"--new"]', '"--mew"]', "$.same[0]", "--mew"),
        ('"--conf.mode"', '"--conf.mood"', "$.same[1]", "--conf.mood"),
        ('"--runner"', '"--walker"', "$.split[0]", "--walker"),
        ('"--gone"', '"--went"', "$.gone[0]", "--went"),
        ('"--conf.deep.l"', '"--stay.l"', "$.gone[0]", "--stay.l"),
        ("VLLM_OLD", "VLLM_OLT", "$.gone[0]", "VLLM_OLT"),
        (SAME, SAME + 'beside."--new" = {"--besides" = 1}\n', "$.same[0]", "--besides"),
    ],
)
def test_a_misspelt_name_is_seen(right: str, wrong: str, path: str, name: str) -> None:
    assert f"changes.toml {path}: no version has {name}" in said(of_changes.names_exist, changed(ALL.replace(right, wrong)))


def test_a_stale_entry_is_seen() -> None:
    found = changed(ALL.replace('"--gone"', '"--gone", "--stay"') + '[[same]]\ncarriers = ["--mode", "--free.a"]\nsource = "catalogs"\n')
    assert said(of_changes.no_entry_is_stale, found) == [
        "changes.toml $.same[2]: --mode is never missing where another carrier exists, nor the other way round: the entry is stale",
        "changes.toml $.same[2]: --free.a is never missing where another carrier exists, nor the other way round: the entry is stale",
        "changes.toml $.gone[0]: --stay is missing in no version: the entry is stale",
    ]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (VALUE.replace('"--mode"', '"--moody"'), "no version has --moody"),
        (VALUE.replace('"b"', '"d"'), "no version takes 'd' for --mode"),
        (VALUE.replace('"b", "c"', '"a", "A"'), "every version that takes one of the values of --mode takes them all: the entry is stale"),
    ],
)
def test_a_value_that_was_not_renamed_is_seen(wrong: str, text: str) -> None:
    assert said(of_changes.values_are_renamed, changed(ALL.replace(VALUE, wrong))) == [f"changes.toml $.value[0]: {text}"]


def test_a_value_of_another_carrier_counts() -> None:
    found = tables(
        catalog("0.8.5", env=[{"name": "VLLM_B", "kind": "str", "choices": ["X_V1"]}]),
        catalog("0.9.2", flag("--b", choices=["X"])),
        changes='[[same]]\ncarriers = ["VLLM_B", "--b"]\nsource = "catalogs"\n[[value]]\nname = "--b"\nvalues = ["X_V1", "X"]\nsource = "catalogs"\n',
    )
    assert rules_of_changes(found) == []


def test_a_version_where_nothing_carries_it_is_told_unless_a_note_helps() -> None:
    later = catalog("0.10.2", flag("--again"))
    text = '[[same]]\ncarriers = ["--x", "--again"]\nsource = "catalogs"\n'
    found = tables(catalog("0.8.5", flag("--x")), catalog("0.9.2"), later, changes=text)
    assert said(of_changes.something_carries_it, found) == ["changes.toml $.same[0]: nothing carries --x in 0.9.2, and no note says what to do there"]
    assert [problem.severity for problem in of_changes.something_carries_it(Context(found))] == ["warning"]
    assert said(of_changes.something_carries_it, tables(catalog("0.8.5", flag("--x")), catalog("0.9.2"), later, changes=text + 'note = "wait"\n')) == []


def test_a_split_that_arrives_nowhere_is_seen() -> None:
    found = tables(OLD, NEW, catalog("0.10.2", *NEW["flags"][1:3]), changes=ALL)
    assert said(of_changes.splits_arrive, found) == ["changes.toml $.split[0]: --task becomes --runner, which 0.10.2 lacks"]
    carried = ALL + '[[gone]]\nnames = ["--runner"]\nwhy = "so"\nsource = "catalogs"\n'
    assert said(of_changes.splits_arrive, tables(OLD, NEW, catalog("0.10.2"), changes=carried)) == []


def test_an_inverted_text_is_seen() -> None:
    found = changed(ALL.replace('"--new"]', '"--new", "--runner"]'))
    assert said(of_changes.inverted_are_boolean, found) == ["changes.toml $.same[0]: --runner takes more than true and false, so that nothing can be inverted"]


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        ('3 = "FAST"', '3 = "FASD"', "$.same[1].values: no version takes 'FASD' for --conf.mode"),
        ("values.embed", "values.embet", "$.split[0].values: no version takes 'embet' for --task"),
        ('"pooling"', '"pool"', "$.split[0].values.embed: no version takes 'pool' for --runner"),
        (GONE, GONE.replace('"--gone"', '"--gone"') + 'default_when = "1"\n', None),
        (SPLIT, '[[gone]]\nnames = ["--task"]\nwhy = "so"\ndefault_when = "embet"\nsource = "catalogs"\n', "$.gone[0].default_when: no version takes 'embet' for --task"),
        ('values."--conf.level" = {0 = "NONE", 3 = "FAST"}', 'values."--conf.mode" = {NONG = 0}', "$.same[1].values: no version takes 'NONG' for --conf.mode"),
    ],
)
def test_a_value_that_no_version_takes_is_seen(right: str, wrong: str, text: str | None) -> None:
    assert said(of_changes.values_are_taken, changed(ALL.replace(right, wrong))) == ([] if text is None else [f"changes.toml {text}"])


def test_each_entry_of_the_project_is_needed(shipped: Tables) -> None:
    """Without it, lint fails, or a new name would not reach the older versions."""
    assert shipped.changes is not None
    lost = disappearances(shipped.catalogs)
    for path, entry in shipped.changes.entries():
        part, index = path[2:-1].split("[")
        kept = [item for at, item in enumerate(getattr(shipped.changes, part)) if at != int(index)]
        found = attrs.evolve(shipped, changes=attrs.evolve(shipped.changes, **{part: tuple(kept)}))
        missing = [problem.text for problem in of_changes.every_disappearance_has_an_entry(Context(found))]
        assert len(missing) == len(set(entry.names) & lost.keys())
        assert missing or part == "same", path


def test_without_any_entry_everything_is_missing(shipped: Tables) -> None:
    found = attrs.evolve(shipped, changes=Changes())
    assert len(said(of_changes.every_disappearance_has_an_entry, found)) == len(disappearances(shipped.catalogs)) > 150


# --- secrets ---------------------------------------------------------------------------------------------------------

KEYS = catalog("0.9.2", flag("--key"), flag("--on", "switch"), flag("--max-token", "int"), flag("--conf", "json", shape=shape(token={"kind": "str"})))


def secret(text: str) -> Tables:
    return tables(KEYS, secrets=text)


def test_missing_secrets_are_seen(shipped: Tables) -> None:
    assert said(of_secrets.secrets_there, attrs.evolve(shipped, secrets=None)) == ["secrets.toml: is missing"]
    twice = secret('[[secret]]\nflag = "--key"\nvariable = "KEY"\n[[secret]]\nvariable = "KEY"\n')
    assert said(of_secrets.secrets_there, twice) == ["secrets.toml $.secret[1]: KEY is listed twice"]


def test_a_secret_that_does_not_exist_is_seen() -> None:
    found = secret("".join(f"[[secret]]\n{text}\n" for text in ('flag = "--kee"', 'flag = "--on"', 'variable = "VLLM_KEE"', 'variable = "VLLM_HOME"', 'variable = "K"')))
    assert said(of_secrets.secrets_exist, found) == [
        "secrets.toml $.secret[0].flag: no vLLM has a flag --kee",
        "secrets.toml $.secret[1].flag: --on takes no text that could be secret",
        "secrets.toml $.secret[2].variable: no vLLM reads a variable VLLM_KEE",
    ]


def test_a_pattern_that_catches_a_public_name_is_seen() -> None:
    assert said(of_secrets.patterns_catch_nothing_public, secret('patterns = ["*_TOKEN"]')) == [
        "secrets.toml $.patterns: '*_TOKEN' makes MAX_TOKEN a secret: list it under [[secret]] or as public"
    ]
    assert said(of_secrets.patterns_catch_nothing_public, secret('patterns = ["*_TOKEN"]\npublic = ["MAX_TOKEN", "KEY", "OTHER_TOKEN"]')) == [
        "secrets.toml $.public[1]: KEY needs no exception: no pattern matches it, or nothing is called so",
        "secrets.toml $.public[2]: OTHER_TOKEN needs no exception: no pattern matches it, or nothing is called so",
    ]


def test_a_key_pattern_that_catches_vllms_own_key_is_seen() -> None:
    assert said(of_secrets.key_patterns_catch_no_known_key, secret('key_patterns = ["token", "API_KEY"]')) == [
        "secrets.toml $.key_patterns[1]: 'API_KEY' matches nothing: keys are compared in small letters, with underscores",
        "secrets.toml $.key_patterns: 'token' makes the key token of vLLM's own a secret",
    ]


# --- the whole -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_seen() -> None:
    found = tables(catalog("0.9.2", flag("--x", choices=["\ud800"])))
    assert said(compiles, found) == ["0.9.2.txt would hold '\\ud800', which is no text"]
    twice = tables(catalog("0.9.2", flag("--x"), flag("--x")))
    assert said(compiles, twice) == ["0.9.2.txt would hold --x twice"]


def test_the_users_own_tables_are_checked_against_the_projects(shipped: Tables, tmp_path: Path) -> None:
    good = 'name = "LEN"\nrole = "flag"\nflag = "--max-model-len"\n'
    folder = write(tmp_path, files(mine=HEAD + f"[[variable]]\n{good}"))
    assert lint_directory(folder, shipped) == []
    write(folder, files(mine=HEAD + f"[[variable]]\n{good.replace('len"', 'lem"')}"))
    assert [str(problem) for problem in lint_directory(folder, shipped)] == ["dialects/mine.toml $.variable[0].flag: LEN: no vLLM has a flag --max-model-lem"]


def test_the_users_own_tables_are_checked_in_an_installation() -> None:
    found = tables(catalog("0.99.0"), mine=HEAD + f"[[variable]]\n{variable('LEN', '--max-model-lem')}\n")
    assert [str(problem) for problem in lint(found, decompile.catalogs())] == ["dialects/mine.toml $.variable[0].flag: LEN: no vLLM has a flag --max-model-lem"]


def test_only_the_users_own_mistakes_are_told() -> None:
    base = tables(catalog("0.9.2") | {"env": []}, mine='[dialect]\nname = "mine"\n')
    own = tables(catalog("0.10.2"), yours='[dialect]\nname = "yours"\n')
    assert [str(problem) for problem in lint(own, base)] == ["dialects/yours.toml $.dialect.sources: is missing"]
    both = overlay(own, base)
    assert [item.version for item in both.catalogs] == ["0.9.2", "0.10.2"]
    assert len(both.dialects) == 2


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda folder: (folder / "changes.toml").unlink(), "changes.toml: is missing"),
        (lambda folder: (folder / "catalogs" / "0.9.2.json").unlink(), "catalogs/0.9.2.json: is missing: harvest it where that vLLM is installed"),
        (lambda folder: (folder / "secrets.toml").write_text("pattern = []"), "secrets.toml $.pattern: unknown field, did you mean 'patterns'?"),
        (lambda folder: (folder / "changes.toml").write_text("x"), "changes.toml: "),
    ],
)
def test_a_spoilt_copy_fails(spoil: Callable[[Path], Any], text: str, tmp_path: Path) -> None:
    folder = write(tmp_path, {path.relative_to(MAPPINGS).as_posix(): path.read_bytes() for path in MAPPINGS.rglob("*") if path.suffix in (".json", ".toml")})
    assert lint_directory(folder) == []
    spoil(folder)
    assert str(lint_directory(folder)[0]).startswith(text)
