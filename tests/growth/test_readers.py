"""Twice the input takes less than 2.6 times the time: shapes that only one reader has."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from growth.measure import RATIO, growth, peak
from translator.deployments.read import Context
from translator.deployments.read.registry import read_commands, read_text
from translator.deployments.text.shell import split


def _doubled(size: int) -> str:
    lines = [f"a{at} = [*a{at - 1}, *a{at - 1}, 'vllm']" for at in range(1, size)]
    return "\n".join(["a0 = []", *lines, f"run(['vllm', 'serve', *a{size - 1}])"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.py", _doubled),
        ("x.py", lambda size: "".join(f"m{at} = m{at - 1} + m{at - 1}\n" for at in range(1, size)) + f"m0 = ''\nrun(['vllm', 'serve', m{size - 1}])"),
        ("x.py", lambda size: "cmd = ['vllm', 'serve', 'm']\n" + "cmd += ['--seed', '1']\n" * size + "run(cmd)\n" * size),
        ("x.py", lambda size: "cmd = ['vllm', 'serve', 'm']\n" + "if a:\n  cmd += ['--seed', '1']\n" * size),
        ("x.py", lambda size: "run(['vllm', 'serve', " * min(size, 60) + "1" + "])" * min(size, 60)),
        ("x.py", lambda size: "x = " + " + ".join(["['vllm', 'serve']"] * size)),
        ("x.py", lambda size: f"run(['vllm', 'serve', f'{'{a}b' * size}'])"),
        ("x.py", lambda size: "def f():\n  cmd = ['vllm', 'serve', M]\n" * size),
        ("x.py", lambda size: "from vllm import LLM\n" + "LLM('m', seed=1, **kw)\n" * size),
        ("x.py", lambda size: "A = 'vllm==0.9.2'\n" * size + "!vllm serve m\n" * size),
        ("x.ipynb", lambda size: json.dumps({"cells": [{"cell_type": "code", "source": ["!vllm serve {M} \\\n"] * size}] * size}) if size < 100 else ""),
        ("x.ipynb", lambda size: json.dumps({"cells": [{"cell_type": "code", "source": ["a = \"\\\\\"\n"] * size + ["run(['vllm', 'serve', a])"]}]})),
    ],
    ids=["lists in lists", "texts", "added", "in branches", "nested", "a sum", "an f-string", "functions", "engines", "magics", "cells", "escapes"],
)  # fmt: skip
def test_programs_and_notebooks(name: str, text: Callable[[int], str]) -> None:
    grown = growth(text, lambda made: read_commands(made, Context(), name), start=400, most=1 << 12)
    assert grown.ratio < RATIO, grown


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "A=" + "x" * 40 * size, lambda size: 'A="' + "x" * 40 * size + '"', lambda size: "{," * 3 * size,
        lambda size: "sudo " * size + "vllm serve m", lambda size: "A=1 " * size + "vllm serve m",
        lambda size: "${A:-" * size + "'x'" * size + "}" * size, lambda size: "${A:-x}" * size,
    ],
    ids=["a word", "quoted", "braces", "programs in front", "assignments", "defaults in defaults", "defaults"],
)  # fmt: skip
def test_what_is_pasted(text: Callable[[int], str]) -> None:
    """Each took 5 s and more: characters compared with every operator, lines counted anew for each
    finding, tokens copied for each program in front.
    """
    grown = growth(text, read_text, start=500, most=1 << 14)
    assert grown.ratio < RATIO, grown


@pytest.mark.parametrize(
    "line", ['set -- "$@" a b c\n', 'A=("${A[@]}" a)\n', "A+=(a)\n", "C+=a\n", 'C="$C a"\n']
)
def test_what_a_script_adds_again_and_again(line: str) -> None:
    """80 KB of `set -- "$@" …` took over a minute; it has a budget."""
    grown = growth(lambda size: line * size, split, start=1 << 12, most=1 << 14)
    assert grown.ratio < RATIO, grown


def test_what_a_script_exports_between_its_commands() -> None:
    """Four hundred commands held 24 MB: the variables of each, four times over."""
    text = "".join(f"export A{at}=value-{at}\nvllm serve m{at}\n" for at in range(400))
    assert peak(partial(read_commands, context=Context(), name="x.sh"), text) < 16_000_000
