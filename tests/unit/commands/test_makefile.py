"""Makefiles: the recipes, with the variables of make."""

from __future__ import annotations

import pytest

from translator.commands.command import Context
from translator.commands.registry import read_commands


@pytest.mark.parametrize(
    ("text", "line", "tokens"),
    [
        ("M ?= org/m\nrun: build\n\t@vllm serve $(M) --seed 1\n", 3, ["org/m", "--seed", "1"]),
        ("A = --seed $(N)\nA += --x\nN := 2\nr:\n\t-vllm serve m ${A}\n", 5, ["m", "--seed", "2", "--x"]),
        ("M = a\nM ?= b\nr:\n\texport S=3; \\\n\t  vllm serve $(M) \\\n\t  --seed $$S\n", 5, ["a", "--seed", "3"]),
        ("N := $(shell nproc)\nr:\n\tvllm serve m -tp $(N) --x $(Y)\n", 3, ["m", "-tp", "$MAKE", "--x", "$Y"]),
        ("r:\n\tdocker run x/vllm-openai \\\n\t\t--model m\n", 2, ["--model", "m"]),
        ('M ?= "m" #"n" # c\nH := a\\#b\nr:\n\tvllm serve $(M) \\\n\t  --x $(H) --seed 1\n', 4, ["m", "--x", "a#b", "--seed", "1"]),
        ("r:\n\tvllm serve m \\\n\t\t--seed 1 \\", 2, ["m", "--seed", "1"]),
    ],
)  # fmt: skip
def test_a_recipe(text: str, line: int, tokens: list[str]) -> None:
    (made,) = read_commands(text, Context(), "dir/Makefile")
    assert (made.place[1], made.tokens[-len(tokens) :]) == (line, tokens)


def test_what_starts_no_vllm_is_no_command() -> None:
    text = "# vllm serve no\nV = vllm serve m\ninstall:\n\tpip install vllm\n\t@echo vllm serve m\n"
    assert read_commands(text, Context(), "x.mk") == []


def test_each_line_of_a_recipe_has_a_shell_of_its_own() -> None:
    text = "r:\n\tS=1\n\tvllm serve a\nq:\n\tvllm serve b\n"
    found = read_commands(text, Context(), "Makefile")
    assert [(item.place[1], item.tokens[-1]) for item in found] == [(3, "a"), (5, "b")]


def test_variables_that_refer_to_themselves_end() -> None:
    text = "A = $(A)x\nB = " + "$(" * 2_000 + "\nr:\n\tvllm serve $(A) --x '$(B)'\n"
    (made,) = read_commands(text, Context(), "Makefile")
    assert made.tokens[2] == "$Ax"
    text = (
        "A0 = "
        + "x" * 9_000
        + "".join(f"\nA{at} = $(A{at - 1})$(A{at - 1})" for at in range(1, 19))
    )
    (made,) = read_commands(f"{text}\nr:\n\tvllm serve $(A18)\n", Context(), "Makefile")
    assert "expands-too-much" in [item.code for item in made.findings]
