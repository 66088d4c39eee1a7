"""Engine arguments against the real class: `AsyncEngineArgs(**ours)` is what vLLM makes of the
command line, and the command line made of them parses to the same engine.
"""

import shlex

from support import forms

from translator.core.findings import has_errors
from translator.core.tables.catalog import shipped
from translator.formats.engine_args import command_line, engine_args

from .laws import Case, Ours, Tally, accepted, compare
from .parsers import Parsers
from .test_recipes import argv_of, recipes


def test_engine_arguments(version: str, parsers: Parsers, tally: Tally) -> None:
    """Of a third of the flags' spellings, and of every recipe that the version takes."""
    catalog = shipped().catalog(version)
    lines = dict.fromkeys((*forms.of(version)[::3], *map(argv_of, recipes())))
    # What only we refuse, the other laws find. The command of 0.9.0 has no --model, whose default
    # the others serve: without a model, it ends with an AttributeError behind its parser.
    has_default = catalog.grammar.model_option != "absent"
    made = [
        (argv, found)
        for argv in accepted(parsers, version, (line for line in lines if "--config" not in line))
        for found, told in [engine_args(["vllm", "serve", *argv], catalog)]
        if not has_errors(told) and (has_default or "model" in found)
    ]
    asked = parsers.arguments(version, made)
    for (argv, found), reply in zip(made, asked, strict=True):
        tally.asked += 1
        if reply.refused is not None:
            tally.add("differs", shlex.join(argv), f"{found}: {reply.refused}")
    # Most must have been made, not refused by both.
    assert sum(reply.ok == {} for reply in asked) > 0.9 * len(asked)
    server = [flag.flag[2:].replace("-", "_") for flag in catalog.flags() if flag.server]
    cases = [
        Case(shlex.join(argv), Ours(line), argv, hidden=server, shown=str(found))
        for argv, found in made
        for line in [command_line(found, catalog)[2:]]
    ]
    compare(parsers, tally, cases)
    tally.settle()
