"""Twice the input takes less than 2.6 times the time, and memory in proportion: every reader, every
writer, every command.

Of 700,000 pairs of a surface and an input, `pytest tests/growth` takes a choice that is the same on
every run: what was quadratic once, and some inputs for each surface, every time others. All pairs:
`TRANSLATE_GROWTH=1 pytest tests/growth`.
"""

import os
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from growth import inputs, surfaces
from growth.measure import RATIO, TooLong, growth, peak
from translator import args_to_env, check, env_to_args

ALL = bool(os.environ.get("TRANSLATE_GROWTH"))
KINDS: dict[
    str,
    tuple[Mapping[str, Callable[[Any], object]], Mapping[str, Callable[[int], Any]], int, int, int],
] = {  # surfaces, inputs; where to start, the largest, and how many are chosen
    "texts": (surfaces.TEXTS, inputs.TEXTS, 2048, 1 << 16, 2),
    "variables": (surfaces.ENVIRONMENTS, inputs.ENVIRONMENTS, 64, 1 << 11, 3),
    "tokens": (surfaces.LINES, inputs.LINES, 64, 1 << 11, 3),
    "commands": (surfaces.COMMANDS, inputs.TEXTS, 2048, 1 << 15, 1),
}
SURFACES = [(kind, name) for kind, (found, *_) in KINDS.items() for name in found]
BYTES = 1000
"""Of memory, for each character of an input: a node of YAML takes a kilobyte and may have one."""
BASE = 8 * 2**20


def chosen(kind: str, surface: str) -> list[str]:
    """The inputs for a surface: all, or some that no other surface near it has."""
    found, made, _, _, count = KINDS[kind]
    names = list(made)
    if ALL:
        return names
    at = list(found).index(surface)
    # Some surfaces load all of the tables.
    count = 1 if "table" in surface else count
    step = max(1, len(names) // count)
    return [names[(at * 7 + turn * step + turn) % len(names)] for turn in range(count)]


def grows(kind: str, surface: str, name: str, *, further: int = 1) -> str:
    """What is wrong with the time of an input, or ""; `further` times as long as usual."""
    found, made, start, most, _ = KINDS[kind]
    try:
        done = growth(
            made[name],
            partial(surfaces.told, found[surface]),
            start=start,
            least=0.002 * further,
            most=most * further,
        )
    except TooLong:
        return f"{name}: too long"
    if done.ratio < RATIO:
        return ""
    return f"{name}: {done.half:.4f} s, and {done.whole:.4f} s for twice {done.size}"


# `tables lint` takes a second each time; the readers of tables are surfaces themselves.
@pytest.mark.parametrize(
    ("kind", "surface"), [pair for pair in SURFACES if ALL or not pair[1].startswith("tables lint")]
)
def test_twice_the_input_takes_twice_the_time(kind: str, surface: str) -> None:
    wrong = [grows(kind, surface, name) for name in chosen(kind, surface)]
    assert not [text for text in wrong if text]


# A command reads with the readers above; values of variables and flags are read alike. Of the
# others, every third.
@pytest.mark.parametrize(
    ("kind", "surface"),
    [
        (kind, surface)
        for at, (kind, surface) in enumerate(SURFACES)
        if ALL
        or (at % 3 == 0 and kind != "commands" and not surface.startswith(("variable ", "flag ")))
    ],
)
def test_memory_is_in_proportion(kind: str, surface: str) -> None:
    """One of the inputs, or all."""
    found, made, start, _, _ = KINDS[kind]
    size = start
    run = partial(surfaces.told, found[surface])
    for name in chosen(kind, surface)[: None if ALL else 1]:
        given = made[name](size)
        length = len(str(given))
        assert peak(run, given) < BYTES * length + BASE, name


# What was quadratic, or took without end, before there was this suite.
ONCE = [
    ("texts", "dotenv", "'A=x'+' '…+'y\\n'"),
    ("texts", "dotenv", "'A='+'${'…+'\\n'"),
    ("texts", "dotenv", "'A='+'${A:-'…+'\\n'"),
    ("texts", "dotenv", "doubling"),
    ("texts", "dotenv", "long doubling"),
    ("texts", "pasted", "doubling of a shell"),
    ("texts", "pasted", "doubling of a container"),
    ("texts", "pasted", "a long value, again and again"),
    (
        "texts",
        "containers",
        "\"kind: Pod\\nspec:\\n  containers:\\n  - image: vllm/vllm-openai\\n    args: ['\"+'$('…+\"']\\n\"",
    ),
    ("texts", "YAML", "'a: ['+'['…+']\\n'"),
    ("texts", "YAML", "'['+'[a, '…+']'"),
    ("texts", "YAML", "levels of YAML"),
    ("texts", "YAML", "merges"),
    ("texts", "YAML", "documents"),
    ("texts", "variable VLLM_EXTRA_ARGS", "''+'a'…+''"),
    ("texts", "table dialects/x.toml", "dotted tables"),
    ("texts", "table dialects/x.toml", "inline tables"),
    ("variables", "env_to_args", "variables: keys of JSON"),
    ("variables", "env_to_args", "variables: keys of nothing"),
    ("tokens", "args_to_env", "tokens: middleware"),
    ("tokens", "args_to_env", "tokens: lists"),
    ("tokens", "args_to_env", "tokens: unknown flags, numbered"),
    ("tokens", "args_to_env", "tokens: gone flags, bad values"),
    ("tokens", "args_to_env", "tokens: --"),
    ("tokens", "env_to_args, further tokens", "tokens: strays"),
    ("tokens", "args_to_env", "tokens: dotted keys"),
    ("tokens", "args_to_env", "tokens: plus"),
    ("tokens", "pasted tokens", "options after docker"),
    ("variables", "env_to_args", "variables: secret, and of vLLM"),
    ("variables", "env_to_args", "variables: keys of a class"),
    ("variables", "env_to_args", "variables: like a flag's"),
    ("variables", "env_to_args", "variables: URLs"),
    ("texts", "pasted", "variables in front"),
    ("texts", "pasted", "'vllm serve m '+'{,'…+''"),
    ("texts", "pasted", "'vllm serve m '+'>a '…+''"),
    ("texts", "pasted", "docker variables"),
    ("texts", "pasted", "''+'sudo '…+''"),
    ("texts", "Python", "calls in calls of Python"),
    ("texts", "Python", "engines in engines of Python"),
    ("texts", "Python", "lists in lists of Python"),
    ("commands", "check FILE.sh --diff --vllm 0.33.0", "'vllm serve m '+'--seed=x '…+''"),
    ("commands", "check FILE.yaml --diff --vllm 0.33.0", "containers with one flag twice"),
    ("commands", "check FILE.yaml --format sarif", "pods"),
]


@pytest.mark.parametrize(("kind", "surface", "name"), ONCE)
def test_what_was_quadratic_is_not(kind: str, surface: str, name: str) -> None:
    assert grows(kind, surface, name, further=8) == ""


def line_of(at: int) -> list[str]:
    return ["serve", "m", f"--max-num-batched-tokens={at}", "--api-server-count=1", f"--port={at}"]


@pytest.mark.parametrize(
    "call",
    [
        lambda at: args_to_env(line_of(at), vllm="0.33.0"),
        lambda at: env_to_args({"MODEL_NAME": "m", "MAX_NUM_BATCHED_TOKENS": str(at)}),
        lambda at: check(line_of(at), vllm="0.33.0"),
    ],
    ids=["args_to_env", "env_to_args", "check"],
)
def test_of_many_different_calls_nothing_is_kept(call: Callable[[int], object]) -> None:
    assert peak(lambda calls: deque(map(call, calls), 0), range(10_000, 12_000)) < 2**20
