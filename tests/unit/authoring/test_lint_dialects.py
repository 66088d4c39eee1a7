"""The rules for dialects: each sees what it is for."""

from __future__ import annotations

from support.tables import HEAD, catalog, flag, said, shape, tables, variable

from translator.authoring.lint import dialects as of_dialects
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


def test_a_variable_that_is_listed_twice_is_seen() -> None:
    found = dialect(
        variable("A", "--x"),
        variable("A", "--len"),
        variable("ARGS", "--x"),
        head=HEAD + 'extra_args = "ARGS"\n',
    )
    assert said(of_dialects.one_entry_a_variable, found) == [
        "dialects/mine.toml $.variable[1].name: A is $.variable[0] already",
        "dialects/mine.toml $.variable[2].name: ARGS is the dialect's own already",
    ]


def test_a_flag_that_no_version_has_is_seen() -> None:
    found = dialect(
        *(
            variable(f"V{at}", name)
            for at, name in enumerate(
                ("--x", "--y", "--no-x", "--conf.method", "--conf.methud", "--free.any", "--len.k")
            )
        )
    )
    assert said(of_dialects.flags_exist, found) == [
        "dialects/mine.toml $.variable[1].flag: V1: no vLLM has a flag --y",
        "dialects/mine.toml $.variable[2].flag: V2: no vLLM has a flag --no-x",
        "dialects/mine.toml $.variable[4].flag: V4: --conf has no key methud in any version",
        "dialects/mine.toml $.variable[6].flag: V6: --len has no key k in any version",
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
    lists += (
        'pair_flags = ["--x", "--switch"]\nswitch_flags = ["--switch", "--len"]\nzero_unset ='
        ' ["--len", "--dtype"]\n'
    )
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
    assert said(of_dialects.choices_exist, found) == [
        "dialects/mine.toml $.variable[0].sets.embed: TASK: no vLLM has a flag --y"
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
        "dialects/mine.toml $.consumer.value_flags[2]: no vLLM has a flag --z",
        "dialects/mine.toml $.consumer.ignored[1]: no vLLM has a flag --q",
    ]


def test_a_files_key_and_a_token_that_lead_nowhere_are_seen() -> None:
    more = (
        '[properties]\nfile = "x.properties"\nkeys = { "o." = "O_" }\nnames = { known = "A",'
        ' strange = "B" }\n'
    )
    more += (
        '[consumer]\nplain = true\n[consumer.behind]\n"--x" = "C=1"\n"--nil" = "C=1"\n"--switch" ='
        ' "A=1"\n"--no-x" = "C=2"\n'
    )
    found = dialect(
        variable("A", "--x"), 'name = "C"\nrole = "choice"\nsets = { 1 = {} }', head=HEAD + more
    )
    assert said(of_dialects.properties_lead_to_variables, found) == [
        "dialects/mine.toml $.properties.names.strange: there is no variable B"
    ]
    assert said(of_dialects.behind_is_known, found) == [
        "dialects/mine.toml $.consumer.behind.--nil: no vLLM knows --nil",
        (
            "dialects/mine.toml $.consumer.behind.--switch: A=1: the dialect has no variable A of"
            " role 'choice' with this value"
        ),
        (
            "dialects/mine.toml $.consumer.behind.--no-x: C=2: the dialect has no variable C of"
            " role 'choice' with this value"
        ),
    ]
