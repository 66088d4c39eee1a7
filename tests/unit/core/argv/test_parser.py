"""vLLM's own liberties with the command line: what happens to the tokens before argparse sees them
(argparse itself: laws/test_spoilt_lines.py).
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from cases import of_folder
from support.made_up import catalog

from translator.core.argv.parser import parse
from translator.core.argv.rewriting import LineRules, no_files
from translator.core.findings import Finding, finding
from translator.core.tables.catalog import Catalog, shipped

FLAGS = (
    "--model kind=str", "--config kind=str", "--num kind=int aliases:-n", "--text-here kind=str", "--on kind=toggle negations:--no-on",
    "--jj kind=json aliases:-jj", "--shaped kind=json shape",
    "--list kind=list element=str", "--more kind=append element=str", "--optimization-level kind=str", "--compilation-config kind=json aliases:-cc|-O",
    "--served-model-name kind=list element=str",
)  # fmt: skip
SHAPES = {"--shaped": {"kind": "object", "keys": {"a": {"kind": "int"}}}}
MODERN = "model=both model_option=moved dotted plus dotted_sizes json_sizes"
TRAITS = {
    "MODERN": MODERN,
    "LEVEL": "O:-O3=optimization-level",
    "SERVED": "served_needs_model=--served-model-name",
}


def made(grammar: str = MODERN) -> Catalog:
    return catalog(*FLAGS, grammar=grammar, shapes=SHAPES)


def read(
    line: str, grammar: str = MODERN, config: Callable[[str], Any] = no_files, **options: bool
) -> dict[str, Any] | list[str]:
    """What is set, with the model; or the codes of the findings."""
    parsed = parse(line.split(), made(grammar), LineRules(config, **options))
    if parsed.findings:
        return [item.code for item in parsed.findings]
    found = {name: value for name, (value, _) in parsed.settings().items()}
    if parsed.config is not None:
        found["config"] = parsed.config
    return found if parsed.model is None else {"": parsed.model, **found}


@pytest.mark.parametrize("case", of_folder("parser"))
def test_what_a_line_sets(case: dict[str, Any]) -> None:
    """By cases/parser; in the order in which it is set, with the types that it has as JSON."""
    for line, traits, wanted, *options in case["lines"]:
        grammar = " ".join(TRAITS.get(trait, trait) for trait in traits.split())
        found = read(line, grammar, **dict.fromkeys(options, True))
        assert json.dumps(found, ensure_ascii=False) == wanted, line


# --- dotted keys ----------------------------------------------------------------------------------


def test_dotted_keys_of_0_9_0_and_0_9_1_are_texts() -> None:
    """And `+` is part of the key; 0.9.0 makes dashes of a key's underscores, too."""

    def overrides(version: str, *tokens: str) -> Any:
        found = parse(["m", *tokens], shipped().catalog(version))
        assert found.findings == []
        return found.settings()["--hf-overrides"][0]

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


# --- the file -------------------------------------------------------------------------------------


def test_the_files_tokens_come_right_behind_the_model() -> None:
    """So the command line wins. What is wrong with a file is a finding of its reader."""

    def file(path: str) -> list[str]:
        assert path == "x.yaml"
        return ["--num", "1", "--text-here", "file"]

    def model(path: str) -> list[str]:
        return ["--model", "f"]

    def broken(path: str) -> Finding:
        return finding("config-file", path, case="unreadable", problem="broken")

    both = {"": "m", "--num": 2, "--text-here": "file"}
    assert read("m --config x.yaml --num 2", config=file) == both
    assert read("m --num 2 --config x.yaml", config=file) == both
    assert read("--config x.yaml --num 2", config=file) == ["missing-model"]
    assert read("--config x.yaml --num 2", "model_required", config=file) == ["missing-model"]
    assert read("--num 2 --config x.yaml", config=model) == {"--num": 2, "--model": "f"}
    assert read("--config x.yaml", "model_option=absent", config=model) == ["model-option"]
    assert read("m --config x.yaml", config=broken) == ["config-file"]


# --- findings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "message", "hint"),
    [
        ("m --nun 1", "unknown-flag", "`--nun` is not a flag of vLLM 9.9.9.", "Did you mean `--num`?"),
        ("m --zzzzz", "unknown-flag", "`--zzzzz` is not a flag of vLLM 9.9.9.", "Check the spelling, or remove it."),
        ("m --on=true", "unexpected-value", "`--on=true` is invalid: `--on` accepts no value in vLLM 9.9.9.", "Write `--on`."),
        ("m --on=0", "unexpected-value", "`--on=0` is invalid: `--on` accepts no value in vLLM 9.9.9.", "Write `--no-on`."),
        ("m --on=2", "unexpected-value", "`--on=2` is invalid: `--on` accepts no value in vLLM 9.9.9.", "Remove the value."),
        ("m --num -x", "missing-value", "`--num` needs a value in vLLM 9.9.9.", "Write `--num=-x`."),
        ("m --num --on", "missing-value", "`--num` needs a value in vLLM 9.9.9.", "Add the value, or remove `--num`."),
        ("m --num", "missing-value", "`--num` needs a value in vLLM 9.9.9.", "Add the value, or remove `--num`."),
        ("m --config", "missing-value", "`--config` needs a value in vLLM 9.9.9.", "Add the value, or remove `--config`."),
        ("m n", "stray-token", "vLLM 9.9.9 refuses `n`: it belongs to no flag.", "The model is already given: remove it, or put quotes around the value that it is part of."),
        ("m --on true", "stray-token", "vLLM 9.9.9 refuses `true`: it belongs to no flag.", "Remove it: a flag that is on or off accepts no value."),
        ("m --num x", "bad-integer", "`--num x` is invalid: `--num` of vLLM 9.9.9 must be an integer.", "Use a number such as 2."),
        ("m --text-here=--", "missing-value", "`--text-here=--`: vLLM's parser drops `--`, so `--text-here` has no value.", "Use another value, or remove `--text-here`."),
        ("m --o 1", "ambiguous-flag", "`--o` is ambiguous in vLLM 9.9.9: --on, --optimization-level.", "Write the full name, such as `--on`."),
        ("m -h", "unexpected-value", "`-h` prints vLLM's help and starts no server.", "Remove `-h`."),
        ("m --config x.json", "config-file", "`--config x.json` is refused: vLLM 9.9.9 accepts only files that end in .yaml or .yml.", "Rename the file."),
    ],
)  # fmt: skip
def test_refusals_say_which_token_and_why(line: str, code: str, message: str, hint: str) -> None:
    found = parse(line.split(), made()).findings[0]
    assert found.code == code
    assert (found.message, found.hint) == (message, hint)


def test_uses_add_up_or_the_last_one_wins() -> None:
    """Flag by flag, with the tokens that they came from."""
    line = "m --num 1 --more a --list x y --num=2 --more=b --list z --on --no-on"
    found = parse(line.split(), made()).settings()
    assert {flag: (value, str(origin)) for flag, (value, origin) in found.items()} == {
        "--num": (2, "--num=2"), "--more": (["a", "b"], "--more=b"), "--list": (["z"], "--list"), "--on": (False, "--no-on"),
    }  # fmt: skip


def test_a_negative_number_is_a_value_and_no_option() -> None:
    """argparse's own rule, in a version without options that look like numbers."""
    real = shipped().catalog("0.33.0")
    for text, value in (("-1", -1), ("-12", -12)):
        parsed = parse(["m", "--seed", text], real)
        assert not parsed.findings
        assert parsed.settings()["--seed"][0] == value
    parsed = parse(["m", "--gpu-memory-utilization", "-.5"], shipped().catalog("0.6.6"))
    assert parsed.settings()["--gpu-memory-utilization"][0] == -0.5
