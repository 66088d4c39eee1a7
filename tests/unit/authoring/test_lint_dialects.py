"""The rules for dialects: each sees what it is for."""

from __future__ import annotations

import pytest
from support.tables import HEAD, catalog, flag, said, shape, tables, variable

from translator.authoring.lint import dialects as of_dialects
from translator.authoring.lint.lint import names_exist
from translator.authoring.sources import TablesError
from translator.model.tables import Tables

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


def test_a_dialect_without_a_source_is_seen() -> None:
    assert said(of_dialects.sources_given, tables(mine='[dialect]\nname = "mine"\n')) == [
        "dialects/mine.toml $.dialect.sources: is missing"
    ]


def refused(*variables: str, head: str = HEAD) -> str:
    """What the loader has against a dialect."""
    with pytest.raises(TablesError) as caught:
        dialect(*variables, head=head)
    return str(caught.value).removeprefix("dialects/mine.toml ")


def test_a_variable_that_is_listed_twice_is_seen() -> None:
    for name in ("A", "ARGS"):
        both = (variable("A", "--x"), variable(name, "--len"))
        found = refused(*both, head=HEAD + 'extra_args = "ARGS"\n')
        assert found == f"$: {name} stands twice"


def test_a_flag_that_no_version_has_is_seen() -> None:
    found = dialect(
        *(
            variable(f"V{at}", name)
            for at, name in enumerate(
                ("--x", "--y", "--no-x", "--conf.method", "--conf.methud", "--free.any", "--len.k")
            )
        )
    )
    assert said(names_exist, found) == [
        "dialects/mine.toml $.variable[1].flag: no vLLM has a flag --y",
        "dialects/mine.toml $.variable[2].flag: no vLLM has a flag --no-x",
        "dialects/mine.toml $.variable[4].flag: no vLLM has --conf.methud",
        "dialects/mine.toml $.variable[6].flag: no vLLM has --len.k",
    ]


def test_an_inverted_number_is_seen() -> None:
    found = dialect(
        *(
            variable(f"V{at}", name, "inverted = true")
            for at, name in enumerate(("--x", "--len", "--conf.on", "--conf.method"))
        )
    )
    assert said(of_dialects.inverted_are_boolean, found) == [
        "dialects/mine.toml $.variable[1].inverted: V1: --len accepts more than true and false",
        (
            "dialects/mine.toml $.variable[3].inverted: V3: --conf.method accepts more than true and"
            " false"
        ),
    ]


def test_a_default_that_no_version_takes_is_seen() -> None:
    wrong = {"--x": "maybe", "--len": "1.5", "--dtype": "quarter"}
    right = {"--x": "False", "--len": "16", "--dtype": "AUTO", "--conf.method": "any"}
    found = dialect(
        *(
            variable(f"V{at}", name, f'default = "{text}"')
            for at, (name, text) in enumerate([*wrong.items(), *right.items()])
        )
    )
    assert said(of_dialects.defaults_fit, found) == [
        "dialects/mine.toml $.variable[0].default: V0: no version accepts 'maybe' for --x",
        "dialects/mine.toml $.variable[1].default: V1: no version accepts '1.5' for --len",
        "dialects/mine.toml $.variable[2].default: V2: no version accepts 'quarter' for --dtype",
    ]


def test_a_flag_out_of_reach_is_seen() -> None:
    roles = {
        "LEN": "worker",
        "DTYPE": "environment",
        "HELP": "reserved",
        "NOTHING": "reserved",
        "X": "reserved",
    }
    found = dialect(
        *(
            f'name = "{name}"\nrole = "{role}"' + ('\nnote = "n"' if role != "environment" else "")
            for name, role in roles.items()
        )
    )
    assert said(of_dialects.no_flag_out_of_reach, found) == [
        (
            "dialects/mine.toml $.variable[0]: LEN keeps --len from being set by its name: its role"
            " is 'reserved', or 'environment' with a note"
        ),
        (
            "dialects/mine.toml $.variable[1]: DTYPE keeps --dtype from being set by its name: its"
            " role is 'reserved', or 'environment' with a note"
        ),
        "dialects/mine.toml $.variable[3]: NOTHING is reserved for nothing: it is no flag's name",
    ]
    prefixed = dialect('name = "LEN"\nrole = "worker"\nnote = "n"', head=HEAD + 'prefix = "MY_"\n')
    assert said(of_dialects.no_flag_out_of_reach, prefixed) == []


def test_a_consumer_that_claims_too_much_is_seen() -> None:
    lists = 'value_flags = ["--len", "--x", "--nil"]\n'
    lists += 'pair_flags = ["--switch"]\nzero_unset = ["--len", "--x"]\nignored = ["--old"]\n'
    head = HEAD + '[consumer]\nvllm = "0.9.2"\n'
    found = tables(catalog("0.8.5", flag("--old")), FLAGS, mine=head + lists)
    assert said(names_exist, found) == [
        "dialects/mine.toml $.consumer.value_flags[2]: no vLLM has a flag --nil"
    ]
    assert said(of_dialects.consumer_is_right, found) == [
        "dialects/mine.toml $.consumer.value_flags[1]: --x is of kind 'toggle' in vLLM 0.9.2",
        "dialects/mine.toml $.consumer.pair_flags[0]: --switch is of kind 'switch' in vLLM 0.9.2",
        "dialects/mine.toml $.consumer.zero_unset[1]: --x is of kind 'toggle' in vLLM 0.9.2",
        "dialects/mine.toml $.consumer.ignored[0]: vLLM 0.9.2 has no flag --old",
    ]
    twice = refused(head=head + 'value_flags = ["--len"]\nswitch_flags = ["--len"]\n')
    assert twice == "$.consumer: --len stands twice"
    among = refused(head=head + 'zero_unset = ["--len"]\n')
    assert among == "$.consumer: 'zero_unset' names --len, which is not among the 'value_flags'"
    unknown = dialect(head=HEAD + '[consumer]\nvllm = "0.8.5"\n')
    assert said(of_dialects.consumer_is_right, unknown) == [
        "dialects/mine.toml $.consumer.vllm: there is no catalog of 0.8.5"
    ]


def test_a_base_that_does_not_exist_or_goes_round_is_seen() -> None:
    head = '[dialect]\nname = "{}"\nsources = ["https://example.org"]\nextends = "{}"\n'
    found = tables(
        FLAGS, a=head.format("a", "b"), b=head.format("b", "a"), c=head.format("c", "nothing")
    )
    assert said(of_dialects.bases_exist, found) == [
        "dialects/a.toml $.dialect.extends: a extends b extends a",
        "dialects/b.toml $.dialect.extends: b extends a extends b",
        "dialects/c.toml $.dialect.extends: there is no dialect nothing",
    ]


def test_a_choice_that_sets_no_flag_is_seen() -> None:
    found = dialect(
        'name = "TASK"\nrole = "choice"\nsets = { embed = { "--x" = "true", "--y" = "1" } }'
    )
    assert said(names_exist, found) == [
        'dialects/mine.toml $.variable[0].sets.embed."--y": no vLLM has a flag --y'
    ]


def test_a_consumer_of_any_version_is_checked_against_all() -> None:
    found = tables(
        FLAGS,
        mine=HEAD
        + '[consumer]\nvalue_flags = ["--len", "--x", "--z"]\nignored = ["--len", "--q"]\n',
    )
    assert said(of_dialects.consumer_is_right, found) == [
        (
            "dialects/mine.toml $.consumer.value_flags[1]: --x is of kind 'toggle' in vLLM of any"
            " version"
        ),
    ]
    assert said(names_exist, found) == [
        "dialects/mine.toml $.consumer.value_flags[2]: no vLLM has a flag --z",
        "dialects/mine.toml $.consumer.ignored[1]: no vLLM has a flag --q",
    ]


def test_a_files_key_and_a_token_that_lead_nowhere_are_seen() -> None:
    parts = (variable("A", "--x"), 'name = "C"\nrole = "choice"\nsets = { 1 = {} }')
    file = '[properties]\nfile = "x.properties"\nkeys = { "o." = "O_" }\n'
    names = file + 'names = { known = "A", strange = "B" }\n'
    assert refused(*parts, head=HEAD + names) == (
        "$: a key of 'properties' names B, which is no variable"
    )
    behind = '[consumer]\nplain = true\n[consumer.behind]\n"--x" = "C=1"\n'
    assert refused(*parts, head=HEAD + behind + '"--switch" = "A=1"\n"--no-x" = "C=2"\n') == (
        "$: 'behind' names A=1, C=2, which is no value of a choice"
    )
    found = dialect(*parts, head=HEAD + behind + '"--nil" = "C=1"\n')
    assert said(names_exist, found) == [
        'dialects/mine.toml $.consumer.behind."--nil": no vLLM has a flag --nil'
    ]
