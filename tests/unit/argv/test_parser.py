"""vLLM's own liberties with the command line: what happens to the tokens before argparse sees them
(argparse itself: property/test_argparse.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.made_up import catalog

from translator.argv.argparse_rules import LineRules, no_files, settings_of
from translator.argv.parser import parse
from translator.findings import Finding, finding
from translator.tables.catalog import Catalog, shipped

FLAGS = (
    "--model kind=str", "--config kind=str", "--num kind=int aliases:-n", "--text-here kind=str", "--on kind=toggle negations:--no-on",
    "--jj kind=json aliases:-jj", "--shaped kind=json shape",
    "--list kind=list element=str", "--more kind=append element=str", "--optimization-level kind=str", "--compilation-config kind=json aliases:-cc|-O",
    "--served-model-name kind=list element=str",
)  # fmt: skip
SHAPES = {"--shaped": {"kind": "object", "keys": {"a": {"kind": "int"}}}}
MODERN = "model=both model_option=moved dotted plus dotted_sizes json_sizes"
LEVEL = "O:-O3=optimization-level"


def made(grammar: str = MODERN) -> Catalog:
    return catalog(*FLAGS, grammar=grammar, shapes=SHAPES)


def read(
    line: str, grammar: str = MODERN, config: Callable[[str], Any] = no_files, **options: bool
) -> dict[str, Any] | list[str]:
    """What is set, with the model; or the codes of the findings."""
    parsed = parse(line.split(), made(grammar), LineRules(config, **options))
    if parsed.findings:
        return [item.code for item in parsed.findings]
    found = {name: value for name, (value, _) in settings_of(parsed.occurrences).items()}
    if parsed.config is not None:
        found["config"] = parsed.config
    return found if parsed.model is None else {"": parsed.model, **found}


# --- the model ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "grammar", "expected"),
    [
        ("--num 1 --model m", "model_option=moved", {"": "m", "--num": 1}), ("--model=m --num 1", "model_option=moved", {"": "m", "--num": 1}),
        ("x --model m", "model_option=moved", ["stray-token"]),
        ("--num --model m 1", "model_option=moved", {"": "m", "--num": 1}), ("--model", "model_option=moved", ["missing-value"]),
        ("--model m", "model_option=refused", ["model-option"]),
        ("--model m", "model_option=absent", ["model-option"]), ("--model.a m", "model_option=absent dotted", ["model-option"]), ("--model=m", "model_option=absent", ["model-option"]),
        ("--model=m", "model_option=refused", {"--model": "m"}), ("x --model m", "model_option=ignored", {"": "x", "--model": "m"}),
        ("--model=", "model_option=moved", {"--model": ""}),
        ("--model=", "model_option=moved model_option_empty", {"": ""}), ("--mod m", "model_option=moved", {"--model": "m"}),
        ("--model m --model n", "model_option=moved", {"": "m", "--model": "n"}),
        ("--num 1", "model_required", ["missing-model"]), ("--num 1 m", "model_required", {"": "m", "--num": 1}), ("", "", {}),
        ("", "model_required", ["missing-model"]),
    ],
)  # fmt: skip
def test_the_model_as_an_option(line: str, grammar: str, expected: Any) -> None:
    """Moved to the front, refused, or left to argparse, by version."""
    assert read(line, grammar) == expected


def test_behind_the_older_module_the_model_is_an_option_in_every_version() -> None:
    """Which `vllm serve` of 0.8 to 0.10 refuses."""
    for rule in ("refused", "absent"):
        read_as = read("--model=m --num 1", f"model_option={rule}", module=True)
        assert read_as == {"": "m", "--num": 1}, rule


def test_tokens_that_are_added_to_others_need_no_model() -> None:
    """VLLM_EXTRA_ARGS."""
    assert read("--num 1", "model_required", partial=True) == {"--num": 1}
    assert read("--model=m", "model_option=absent", partial=True) == {"--model": "m"}
    assert read(
        "--served-model-name a",
        "model_option=moved served_needs_model=--served-model-name",
        partial=True,
    ) == {"--served-model-name": ["a"]}


def test_a_served_name_needs_the_model_in_front_since_0_17() -> None:
    """Or a file that names it."""
    grammar = "model_option=moved served_needs_model=--served-model-name"
    assert read("--served-model-name a", grammar) == ["missing-model"]
    assert read("--num 1 --served_model_name=a m", grammar) == ["missing-model"]
    assert read("m --served-model-name a", grammar) == {"": "m", "--served-model-name": ["a"]}
    assert read("--served-model-name a --model m", grammar) == {
        "": "m",
        "--served-model-name": ["a"],
    }
    assert read("--served-model-name a --config x.yaml", grammar) == {
        "--served-model-name": ["a"],
        "config": "x.yaml",
    }
    assert read("--served-model-name a", "model_option=moved") == {"--served-model-name": ["a"]}


# --- underscores, levels --------------------------------------------------------------------------


def test_underscores_of_names_are_dashes_and_those_of_values_are_not() -> None:
    """Of dotted names, only up to the first dot."""
    assert read("m --text_here=a_b --text_here a_b") == {"": "m", "--text-here": "a_b"}
    assert read("m --compilation_config.a_b.c_d 1") == {
        "": "m",
        "--compilation-config": {"a_b": {"c_d": 1}},
    }
    assert read("m --text_here __x") == {"": "m", "--text-here": "__x"}


@pytest.mark.parametrize("form", ["-O3", "-O=3"])
def test_levels(form: str) -> None:
    """A key of the compilation config, or a flag of its own, by version."""
    assert read(f"m {form}", f"{MODERN} {LEVEL}") == {"": "m", "--optimization-level": "3"}
    assert read(f"m {form}", "dotted O:-O3=level O_dotted") == {
        "": "m",
        "--compilation-config": {"level": 3},
    }
    assert read(f"m {form}", "dotted O:-O3=mode O_dotted") == {
        "": "m",
        "--compilation-config": {"mode": 3},
    }


def test_levels_with_a_blank() -> None:
    """Only a digit from 0 to 3 behind it."""
    assert read("m -O 3", f"{MODERN} {LEVEL}") == {"": "m", "--optimization-level": "3"}
    assert read("m -O.x 3", "dotted O:-O3=level O_dotted") == {
        "": "m",
        "--compilation-config": {"x": 3},
    }


# --- dotted keys ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--jj.a 1", {"a": 1}), ("--jj.a=1", {"a": 1}), ("--jj.a.b.c=x", {"a": {"b": {"c": "x"}}}),
        ("--jj.a true --jj.b null --jj.c 1.5", {"a": True, "b": None, "c": 1.5}), ("--jj.a 1k", {"a": 1000}),
        ("--jj.a [1,2]", {"a": [1, 2]}), ("--jj.a+ x,y", {"a": ["x", "y"]}), ("--jj.a+=x --jj.a+=y,z", {"a": ["x", "y", "z"]}), ("--jj.a=1 --jj.a=2", {"a": 2}),
        ("--jj.a+=1", {"a": ["1"]}),
        ("-jj.a=1", {"a": 1}), ("--jj.a 1 --num 5 --jj.b 2", {"a": 1, "b": 2}), ('--jj.a {"b":1} --jj.a.c=2', {"a": {"b": 1, "c": 2}}),
        ("--jj.a=x --jj.a.b=1", {"a": {"b": 1}}), ("--jj.a=b=c", {"a": "b=c"}),
        ('--jj {"z":1} --jj.a 1', {"a": 1}), ('--jj.a 1 --jj {"z":1}', {"a": 1}), ("--jj.a -1", {"a": -1}), ("--jj.a --num", {"a": "--num"}),
        ("--jj.a=", {"a": ""}), ("--jj. 1", {"": 1}),
    ],
)  # fmt: skip
def test_dotted_keys_are_collected_into_one_json_at_the_end(
    line: str, expected: dict[str, Any]
) -> None:
    """Which therefore wins; lists are appended to, everything else is replaced."""
    found = read(f"m {line}")
    assert isinstance(found, dict)
    assert found["--jj"] == expected


def test_dotted_keys_without_a_value_or_a_flag() -> None:
    """Are refused."""
    assert read("m --jj.a") == ["missing-value"]
    assert read("m --zz.a 1") == ["unknown-flag"]
    assert read("m --num.a 1") == ["bad-integer"]
    assert read("m --text-here -x.y") == ["missing-value", "unknown-flag"][:1]


def test_a_dot_behind_the_equals_sign_is_the_values() -> None:
    """`--text-here=a.b`."""
    assert read("m --text-here=a.b --text-here=-x.y") == {"": "m", "--text-here": "-x.y"}
    assert read("m --num=1 --text-here a.b") == {"": "m", "--num": 1, "--text-here": "a.b"}


def test_versions_without_dotted_keys_or_sizes() -> None:
    """There they are unknown flags, and texts."""
    assert read("m --jj.a=1", "") == ["unknown-flag"]
    assert read("m --jj.a 1k", "dotted") == {"": "m", "--jj": {"a": "1k"}}
    assert read('m --shaped {"a":1k}', "dotted json_sizes") == {"": "m", "--shaped": {"a": 1000}}
    assert read('m --shaped {"a":1k}', "dotted") == ["bad-json"]


def test_dotted_keys_of_0_9_0_and_0_9_1_are_texts() -> None:
    """And `+` is part of the key; 0.9.0 makes dashes of a key's underscores, too."""

    def overrides(version: str, *tokens: str) -> Any:
        found = parse(["m", *tokens], shipped().catalog(version))
        assert found.findings == []
        return settings_of(found.occurrences)["--hf-overrides"][0]

    for version in ("0.9.0", "0.9.0.1", "0.9.1"):
        assert overrides(version, "--hf-overrides.a", "1") == {"a": "1"}
        assert overrides(version, "--hf-overrides.a+=x,y") == {"a+": "x,y"}
        # A value that looks like a dotted key is read as one, too, with the value behind it.
        both = ("--hf-overrides.a", "--hf-overrides.a.b", "2")
        assert overrides(version, *both) == {"a": {"b": "2"}}
        (alone,) = parse(["--x.a", "--x.b"], shipped().catalog(version)).findings[:1]
        assert alone.code == "missing-value"
    assert overrides("0.9.2", "--hf-overrides.a", "1") == {"a": 1}
    assert overrides("0.9.1", "--hf_overrides.a_b=1") == {"a_b": "1"}
    assert overrides("0.9.0", "--hf_overrides.a_b=1") == {"a-b": "1"}


def test_keys_of_every_use_are_checked() -> None:
    """Also of one that a later use replaces."""
    assert read('m --shaped {"b":1} --shaped {"a":1}') == ["bad-key"]
    assert read("m --shaped.a=x") == ["bad-key-value"]
    assert read("m --shaped.a=1") == {"": "m", "--shaped": {"a": 1}}


# --- the file -------------------------------------------------------------------------------------


def test_the_files_tokens_come_right_behind_the_model() -> None:
    """So the command line wins."""

    def file(path: str) -> list[str]:
        assert path == "x.yaml"
        return ["--num", "1", "--text-here", "file"]

    assert read("m --config x.yaml --num 2", config=file) == {
        "": "m",
        "--num": 2,
        "--text-here": "file",
    }
    assert read("m --num 2 --config x.yaml", config=file) == {
        "": "m",
        "--num": 2,
        "--text-here": "file",
    }
    assert read("--config x.yaml --num 2", config=file) == ["missing-model"]
    assert read("--config x.yaml --num 2", "model_required", config=file) == ["missing-model"]
    assert read("--num 2 --config x.yaml", config=lambda path: ["--model", "f"]) == {
        "--num": 2,
        "--model": "f",
    }
    assert read("--config x.yaml", "model_option=absent", config=lambda path: ["--model", "f"]) == [
        "model-option"
    ]


def test_a_file_that_is_not_to_be_had_stays_a_file() -> None:
    """And its path is remembered."""
    assert read("m --config x.yml --num 2") == {"": "m", "--num": 2, "config": "x.yml"}


@pytest.mark.parametrize(
    "line", ["m --config", "m --config x.json", "m --config a.yaml --config b.yaml", "m --config x"]
)
def test_files_that_vllm_refuses(line: str) -> None:
    """Two of them, none, and other kinds."""
    assert read(line) in (["config-file"], ["missing-value"])


def test_what_is_wrong_with_a_file_is_told() -> None:
    """The reader of files gives a finding."""

    def broken(path: str) -> Finding:
        return finding("config-file", path, case="unreadable", problem="broken")

    assert read("m --config x.yaml", config=broken) == ["config-file"]


# --- findings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "message", "hint"),
    [
        ("m --nun 1", "unknown-flag", "`--nun` is not a flag of vLLM 9.9.9.", "Did you mean `--num`?"),
        ("m --zzzzz", "unknown-flag", "`--zzzzz` is not a flag of vLLM 9.9.9.", "Check its spelling, or remove it."),
        ("m --on=true", "unexpected-value", "`--on=true`: `--on` of vLLM 9.9.9 accepts no value.", "Write `--on`."),
        ("m --on=0", "unexpected-value", "`--on=0`: `--on` of vLLM 9.9.9 accepts no value.", "Write `--no-on`."),
        ("m --on=2", "unexpected-value", "`--on=2`: `--on` of vLLM 9.9.9 accepts no value.", "Remove the value."),
        ("m --num -x", "missing-value", "`--num` needs a value in vLLM 9.9.9.", "Write `--num=-x`."),
        ("m --num --on", "missing-value", "`--num` needs a value in vLLM 9.9.9.", "Add the value, or remove `--num`."),
        ("m --num", "missing-value", "`--num` needs a value in vLLM 9.9.9.", "Add the value, or remove `--num`."),
        ("m --config", "missing-value", "`--config` needs a value in vLLM 9.9.9.", "Add the value, or remove `--config`."),
        ("m n", "stray-token", "vLLM 9.9.9 refuses `n`, which belongs to no flag.", "Remove it (the model is already given), or put quotes around the value that it is part of."),
        ("m --on true", "stray-token", "vLLM 9.9.9 refuses `true`, which belongs to no flag.", "Remove it: a flag that is on or off accepts no value."),
        ("m --num x", "bad-integer", "`--num x` is not an integer in plain digits, which `--num` of vLLM 9.9.9 requires.", "Use a whole number, such as 8192."),
        ("m --text-here=--", "missing-value", "`--text-here=--`: the parser drops `--`, so `--text-here` has no value.", "Write another value, or remove `--text-here`."),
        ("m --o 1", "ambiguous-flag", "`--o` is ambiguous in vLLM 9.9.9: it may mean --on, --optimization-level.", "Write the full name, such as `--on`."),
        ("m -h", "unexpected-value", "`-h` prints vLLM's help and starts no server.", "Remove `-h`."),
        ("m --config x.json", "config-file", "`--config x.json`: vLLM 9.9.9 accepts only files that end in .yaml or .yml for `--config`.", "Rename the file."),
    ],
)  # fmt: skip
def test_refusals_say_which_token_and_why(line: str, code: str, message: str, hint: str) -> None:
    """And what to write instead."""
    found = parse(line.split(), made()).findings[0]
    assert found.code == code
    assert (found.message, found.hint) == (message, hint)


def test_all_bad_values_of_a_line_are_told_at_once() -> None:
    """argparse would stop at the first."""
    found = parse(["m", "--num", "x", "--num", "y", "--zzz", "--jj", "{"], made()).findings
    assert sorted(item.code for item in found) == [
        "bad-integer",
        "bad-integer",
        "bad-json",
        "unknown-flag",
    ]


def test_uses_add_up_or_the_last_one_wins() -> None:
    """Flag by flag, with the tokens that they came from."""
    parsed = parse(
        [
            "m",
            "--num",
            "1",
            "--more",
            "a",
            "--list",
            "x",
            "y",
            "--num=2",
            "--more=b",
            "--list",
            "z",
            "--on",
            "--no-on",
        ],
        made(),
    )
    assert settings_of(parsed.occurrences) == {
        "--num": (2, ["--num=2"]), "--more": (["a", "b"], ["--more", "--more=b"]), "--list": (["z"], ["--list"]), "--on": (False, ["--no-on"]),
    }  # fmt: skip


def test_a_negative_number_is_a_value_and_no_option() -> None:
    """argparse's own rule, in a version without options that look like numbers."""
    real = shipped().catalog("0.33.0")
    for text, value in (("-1", -1), ("-12", -12)):
        parsed = parse(["m", "--seed", text], real)
        assert not parsed.findings
        assert settings_of(parsed.occurrences)["--seed"][0] == value
    assert (
        settings_of(
            parse(["m", "--gpu-memory-utilization", "-.5"], shipped().catalog("0.6.6")).occurrences
        )["--gpu-memory-utilization"][0]
        == -0.5
    )
