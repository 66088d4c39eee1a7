"""The golden cases of the quick suite: the command lines that it expects are taken by the real
parsers.
"""

from __future__ import annotations

from cases import cases

from .forms import MODEL
from .laws import Argv, Tally, shell
from .parsers import Parsers


def test_the_expected_command_lines(version: str, parsers: Parsers, tally: Tally) -> None:
    """Each case of cases/env_to_args.toml that is for this version."""
    lines: list[Argv] = []
    for parameters in cases("env_to_args"):
        wanted, case = parameters.values
        whole = (
            case.get("whole") or ["vllm", "serve", MODEL, *case["argv"]]
            if "argv" in case or "whole" in case
            else []
        )
        if wanted == version and whole and "--config" not in whole:  # a file that is not there
            lines.append(tuple(whole[2:]))
    for line, answer in zip(lines, parsers.parse(version, lines), strict=True):
        tally.asked += 1
        tally.accepted += answer.ok is not None
        if answer.ok is None:
            tally.add("we accept", shell(line), f"  the real parser: {answer.refused}")
    tally.settle()
