"""Hostile input (large, deep, ill-formed): a TranslationError at most, and in bounded time."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from laws.meaning import meaning
from support.examples import some

from translator import TranslationError, args_to_env, env_to_args
from translator.argv.parser import stands
from translator.formats.env_files import write_docker
from translator.formats.forms import Environment
from translator.tables.catalog import shipped
from translator.text import yaml_nodes as yamlread

MB = 10**6
DEEP = {
    "objects": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "lists": "[" * 20_000 + "]" * 20_000,
    "open lists": "[" * 20_000,
    "open objects": '{"a":' * 20_000,
    "literals": "{'a':" * 20_000 + "1" + "}" * 20_000,
    "tuples": "[" + "(" * 20_000 + ")" * 20_000 + "]",
    "minus signs": "[" + "-" * 20_000 + "1]",
    "brackets in a text": '{"a": "' + "[" * 20_000 + '"}',
    "quotes": "'" * 20_000,
    "backslashes": '{"a": "' + "\\" * 20_000 + '"}',
}
LARGE = {
    "a word": "a" * MB,
    "digits": "9" * MB,
    "digits with a suffix": "9" * MB + "k",
    "a text": '{"a": "' + "x" * MB + '"}',
    "spaces": " " * MB,
}
# Where every character is work, less of that: a quick suite has other things to do.
FIDDLY = {
    "commas": "," * (MB // 4),
    "an array": "[" + "1," * (MB // 20) + "1]",
    "an object": "{" + ",".join(f'"k{number}":1' for number in range(3000)) + "}",
    "a broken text": '{"a": "' + "x" * (MB // 3),
    "sizes": '{"a": [' + "1k," * (MB // 60) + "1]}",
    "lines": "\n" * (MB // 3),
    "a url": "http://" + "u:p@" * (MB // 40),
    "keys": '{"token": "' + "s" * (MB // 10),
    "pairs": "a=1," * (MB // 20),
}
ODD = {
    "NUL": "a\0b",
    "a NUL in JSON": '{"a": "b\\u0000"}',
    "a bare surrogate": "a\udc80b",
    "a surrogate in JSON": '{"a": "\\ud800"}',
    "a surrogate as key": '{"\\ud800": 1}',
    "duplicate keys": '{"a": 1, "a": {"b": 2}}',
    "not a number": '{"a": NaN, "b": [Infinity, -Infinity]}',
    "5,000 digits": "9" * 5000,
    "5,000 digits and a suffix": "9" * 5000 + "k",
    "5,000 digits and a binary suffix": "9" * 5000 + "K",
    "5,000 digits in JSON": '{"a": ' + "9" * 5000 + "}",
    "5,000 digits in a literal": "{'a': " + "9" * 5000 + "}",
    "a great exponent": "1e999999999",
    "a great exponent in JSON": '{"a": 1e999999999}',
    "hexadecimal": "0x10",
    "digits of another script": "١٢٣",
    "a byte order mark": '\ufeff{"a": 1}',
    "control characters": "\x1b[31mred\x07",
    "bidirectional marks": "\u202eabc",
    "line separators": "a\u2028b\u2029c\x85d",
    "an f-string": "f'{1}'",
    "bytes": "b'x'",
    "a set": "{'a', 'b'}",
    "a power": "9**9**9",
    "a call": "__import__('os').system('true')",
    "format fields": "%s%n{0}{x!r}",
    "only a sign": "-",
    "an ellipsis": "...",
}
# One flag of each kind, and variables of vLLM's own.
NAMES = (
    "MODEL_NAME", "ENFORCE_EAGER", "DISABLE_LOG_STATS", "DTYPE", "MAX_MODEL_LEN", "MAX_NUM_BATCHED_TOKENS", "TENSOR_PARALLEL_SIZE", "GPU_MEMORY_UTILIZATION",
    "HF_OVERRIDES",
    "SPECULATIVE_CONFIG", "COMPILATION_CONFIG", "COMPILATION_CONFIG__CUDAGRAPH_CAPTURE_SIZES", "LIMIT_MM_PER_PROMPT", "SERVED_MODEL_NAME", "LORA_MODULES",
    "MIDDLEWARE", "CUDAGRAPH_CAPTURE_SIZES",
    "ROPE_SCALING", "TASK", "SWAP_SPACE", "VLLM_USE_DEEP_GEMM", "VLLM_LOGGING_LEVEL", "VLLM_PORT", "VLLM_EXTRA_ARGS", "VLLM_CONFIG_FILE", "VLLM_NO_SUCH",
    "HF_TOKEN", "API_KEY", "OTHER",
)  # fmt: skip
FLAGS = (
    "--enforce-eager", "--dtype", "--max-model-len", "--max-num-batched-tokens", "--tensor-parallel-size", "--gpu-memory-utilization", "--hf-overrides",
    "--speculative-config",
    "--compilation-config", "--hf-overrides.a.b", "--compilation-config.cudagraph_capture_sizes+", "--served-model-name", "--lora-modules", "--middleware",
    "--limit-mm-per-prompt",
    "--no-such-flag", "-O", "-tp", "--task",
)  # fmt: skip


def answered(call: Callable[[], Any]) -> None:
    """An answer or a TranslationError, whose every line is short and printable."""
    try:
        findings = call().findings
    except TranslationError as error:
        findings = error.findings
    for item in findings:
        assert item.line().isprintable()
        assert len(item.message) < 2000, item.message[:300]


def try_everywhere(
    text: str,
    names: tuple[str, ...],
    flags: tuple[str, ...],
    versions: Sequence[str],
) -> None:
    for version in versions:
        for name in names:
            answered(partial(env_to_args, {"MODEL_NAME": "m", name: text}, vllm=version))
        for flag in flags:
            answered(partial(args_to_env, ["m", flag, text], vllm=version))
            answered(partial(args_to_env, ["m", f"{flag}={text}"], vllm=version))
        answered(partial(args_to_env, [text], vllm=version))
        answered(partial(args_to_env, ["m", text, "--" + text], vllm=version))


@pytest.mark.parametrize("title", DEEP)
def test_what_nests_deep_is_refused_before_anything_recurses(title: str) -> None:
    """20,000 levels."""
    started = time.monotonic()
    try_everywhere(
        DEEP[title],
        ("HF_OVERRIDES", "SPECULATIVE_CONFIG", "LORA_MODULES", "HF_OVERRIDES__A", "ROPE_SCALING"),
        ("--hf-overrides", "--hf-overrides.a"),
        ("0.33.0",),
    )
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(("turn", "title"), list(enumerate([*LARGE, *FIDDLY])))
def test_megabytes_take_seconds_at_most(turn: int, title: str) -> None:
    """One value of every kind of flag, each in bounded time."""
    text = {**LARGE, **FIDDLY}[title]
    names = ("MAX_MODEL_LEN", "ENFORCE_EAGER", "HF_OVERRIDES", "SERVED_MODEL_NAME", "VLLM_NO_SUCH")
    for name in some(names, turn):
        started = time.process_time()
        answered(lambda name=name: env_to_args({"MODEL_NAME": "m", name: text}, vllm="0.33.0"))
        assert time.process_time() - started < 5, name
    started = time.process_time()
    answered(lambda: args_to_env(["m", "--max-model-len", text], vllm="0.33.0"))
    answered(lambda: args_to_env(["m", f"--hf-overrides={text}"], vllm="0.33.0"))
    assert time.process_time() - started < 5


@pytest.mark.parametrize(("turn", "title"), list(enumerate(ODD)))
def test_odd_values_are_read_or_refused(turn: int, title: str) -> None:
    """Of every kind of flag, in the environment and on the command line."""
    try_everywhere(ODD[title], NAMES, FLAGS, some(("0.7.3", "0.33.0"), turn))


def test_many_mistakes_are_all_reported_in_bounded_time() -> None:
    """Hundreds of flags and variables that do not exist."""
    started = time.monotonic()
    with pytest.raises(TranslationError) as caught:
        args_to_env(["m", *(f"--no-such-flag-{number}=1" for number in range(200))], vllm="0.33.0")
    assert len(caught.value.findings) == 200
    answered(
        lambda: env_to_args(
            {"MODEL_NAME": "m", **{f"VLLM_NO_SUCH_{number}": "1" for number in range(300)}},
            vllm="0.33.0",
        )
    )
    assert time.monotonic() - started < 20


def test_made_up_names_do_not_fill_the_memory() -> None:
    """A caller that translates ever new names: what is kept of them is bounded."""
    env_to_args({"MODEL_NAME": "m"}, vllm="0.32.0")
    for turn in range(3):
        env_to_args(
            {"MODEL_NAME": "m", **{f"NAME_{turn}_{number}": "x" for number in range(10_000)}},
            vllm="0.32.0",
        )
    tracemalloc.start()
    for turn in range(3):
        env_to_args(
            {"MODEL_NAME": "m", **{f"LATER_{turn}_{number}": "x" for number in range(10_000)}},
            vllm="0.32.0",
        )
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2 * MB


def test_a_line_break_in_a_value_forges_no_line_of_a_log() -> None:
    """Names, values and tokens are shown with their control characters escaped."""
    forged = "x\nerror[fake]: all is lost\r\x1b[2J"
    with pytest.raises(TranslationError) as caught:
        env_to_args(
            {"MODEL_NAME": "m", "DTYPE": forged, f"VLLM_{forged}": "1", "MAX_MODEL_LEN": forged},
            vllm="0.33.0",
        )
    assert all(item.line().isprintable() for item in caught.value.findings)
    assert len(str(caught.value).split("\n")) == len(
        [item for item in caught.value.findings if item.severity == "error"]
    )
    with pytest.raises(TranslationError) as caught:
        args_to_env(["m", f"--{forged}", "--dtype", forged], vllm="0.33.0")
    assert all(item.line().isprintable() for item in caught.value.findings)


@pytest.mark.parametrize(
    "more", [{}, {f"K{number}_TOKEN": f"secretvalue{number}" for number in range(2000)}]
)
@pytest.mark.parametrize(
    "name", ["VLLM_UNKNOWN_THING_{}", "VLLM_X{}", "TENSOR_PARALELL_SIZE_{}", "MAX_MODEL_LENGTH_{}"]
)
def test_thousands_of_unknown_variables_take_no_second(name: str, more: dict[str, str]) -> None:
    """What each may mean is looked for only while they are few; of thousands of secrets, only those
    that turn up somewhere are masked.
    """
    env = {"MODEL_NAME": "m", **{name.format(number): "1" for number in range(2000)}, **more}
    taken = []
    while len(taken) < 3 and min(taken, default=60.0) >= (2.0 if more else 1.0):
        start = time.process_time()  # of this process alone: the machine may have others
        env_to_args(env, vllm="0.33.0")
        taken.append(time.process_time() - start)
    assert min(taken) < (2.0 if more else 1.0)


# --- what fuzzing found ---------------------------------------------------------------------------


def refused(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """The codes and subjects of the errors."""
    with pytest.raises(TranslationError) as caught:
        call()
    return [(item.code, item.subject) for item in caught.value.findings if item.severity == "error"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: args_to_env(["m", "--=x"], vllm="0.33.0"),  # an abbreviation of every flag
        lambda: env_to_args(
            {"MODEL_NAME": "m", "COMPILATION_CONFIG__" + "A" * 5000: "1"}, vllm="0.33.0"
        ),
        lambda: env_to_args(
            {"MODEL_NAME": "m", "COMPILATION_CONFIG": '{"' + "a" * 5000 + '": 1}'}, vllm="0.33.0"
        ),
        lambda: args_to_env(
            ["m", *["--task=embed", "--swap-space=4"] * 500], vllm="0.33.0"
        ),  # flags of another version, again and again
    ],
)
def test_no_finding_is_longer_than_a_person_reads(call: Callable[[], Any]) -> None:
    """Names of flags and keys are listed up to a number, and shortened, as values are."""
    answered(call)


@pytest.mark.parametrize("levels", [201, 700, 10_000])
def test_dotted_keys_and_variables_may_not_nest_deeper_than_json(levels: int) -> None:
    """Each level of `--flag.a.a.a` and `NAME__A__A__A` is one of JSON, whose writer recurses."""
    dotted = ".".join("a" * levels)
    for flag in ("--hf-overrides", "--speculative-config", "--no-such"):
        assert [
            code
            for code, _ in refused(
                lambda flag=flag: args_to_env(["m", f"{flag}.{dotted}=1"], vllm="0.33.0")
            )
        ] == ["bad-json"]
    for name in ("HF_OVERRIDES", "SPECULATIVE_CONFIG"):
        assert [
            code
            for code, _ in refused(
                lambda name=name: env_to_args(
                    {"MODEL_NAME": "m", name + "__A" * levels: "1"}, vllm="0.33.0"
                )
            )
        ] == ["bad-json"]
    answered(
        lambda: env_to_args({"MODEL_NAME": "m", "ROPE_SCALING" + "__A" * 201: "1"}, vllm="0.33.0")
    )
    args_to_env(["m", "--hf-overrides." + ".".join("a" * 150) + "=1"], vllm="0.33.0")


@pytest.mark.parametrize("text", ["a:\n" * 300_000, "[" * MB, "- {}\n" * 300_000])
def test_yaml_is_not_read_further_than_its_bound(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands for too much was refused only when all of it had been read: 16 MiB of it would
    have taken five minutes and gigabytes.
    """
    monkeypatch.setattr(yamlread, "MOST_VALUES", 3000)
    started = time.process_time()
    with pytest.raises(yamlread.YamlError):
        yamlread.load(text)
    assert time.process_time() - started < 3


def test_bytes_in_a_name_are_a_finding_of_dockers_file() -> None:
    """A name that is not UTF-8, as one value may hold; it was an exception."""
    _, findings = write_docker(Environment({"A\udcff": "x", "B": "\udcff", "C": "d"}))
    assert [item.subject for item in findings] == ["A\udcff", "B"]
    assert all(item.line().isprintable() for item in findings)


@pytest.mark.parametrize("text", ["--a b_c", "-O2 x", "--a_b=c d", "-O.a b"])
@pytest.mark.parametrize("vllm", ["0.8.5", "0.12.0", "0.33.0"])
def test_a_value_that_vllm_would_rewrite_does_not_stand_alone(text: str, vllm: str) -> None:
    """A token with a blank in it is a value to argparse, but before that, vLLM makes dashes of the
    underscores in whatever begins with two dashes.
    """
    value = json.dumps([text, "z"])
    if stands(text, shipped().catalog(vllm)):
        argv = env_to_args({"MODEL_NAME": "m", "SERVED_MODEL_NAME": value}, vllm=vllm).argv
        assert meaning(argv[2:], vllm) == {"--model": "m", "--served-model-name": [text, "z"]}
    else:
        assert refused(
            lambda: env_to_args({"MODEL_NAME": "m", "SERVED_MODEL_NAME": value}, vllm=vllm)
        ) == [("not-on-argv", "SERVED_MODEL_NAME")]
    argv = env_to_args({"MODEL_NAME": "m", "SERVED_MODEL_NAME": json.dumps([text])}, vllm=vllm).argv
    assert meaning(argv[2:], vllm) == {"--model": "m", "--served-model-name": [text]}
