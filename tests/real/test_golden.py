"""The golden cases of the quick suite: the command lines that it expects are taken by the real
parsers.
"""

from cases import cases
from support.forms import MODEL

from .laws import Case, Ours, Tally, compare, shell
from .parsers import Parsers


def test_the_expected_command_lines(version: str, parsers: Parsers, tally: Tally) -> None:
    """Each case of cases/env_to_args.toml that is for this version."""
    lines = [
        tuple(case.get("whole", ["vllm", "serve", MODEL, *case.get("argv", ())])[2:])
        for wanted, case in (parameters.values for parameters in cases("env_to_args"))
        if wanted == version and ("argv" in case or "whole" in case)
    ]
    there = (line for line in lines if "--config" not in line)  # a file that is not there
    compare(parsers, tally, (Case(shell(line), Ours(line), None, True) for line in there))
    tally.settle()
