"""Engine arguments against the real class: `AsyncEngineArgs(**ours)` is what vLLM makes of the
command line, and the command line made of them parses to the same engine.
"""

from __future__ import annotations

import shlex

from translator.argv.engine_args import command_line, engine_args
from translator.tables.catalog import shipped

from . import forms
from .laws import Tally
from .parsers import Parsers
from .test_recipes import recipes


def test_engine_arguments(version: str, parsers: Parsers, tally: Tally) -> None:
    """Of a third of the flags' spellings, and of every recipe that the version takes."""
    catalog = shipped().catalog(version)
    lines = [
        argv
        for argv in dict.fromkeys((*forms.of(version)[::3], *recipes()))
        if "--config" not in argv
    ]
    answers = parsers.parse(version, lines)
    taken = [
        (argv, answer, engine_args(["vllm", "serve", *argv], catalog))
        for argv, answer in zip(lines, answers, strict=True)
        if answer.ok is not None
    ]
    # What only we refuse, the other laws find.
    made = [(argv, answer, found) for argv, answer, (found, told) in taken if not _refused(told)]
    asked = parsers.arguments(version, [(argv, found) for argv, _, found in made])
    for (argv, _, found), reply in zip(made, asked, strict=True):
        tally.asked += 1
        if reply.refused is not None:
            tally.add("differs", shlex.join(argv), f"{found}: {reply.refused}")
    # Most must have been made, not refused by both.
    assert sum(reply.ok == {} for reply in asked) > 0.9 * len(asked)
    server = [flag.flag[2:].replace("-", "_") for flag in catalog.flags() if flag.server]
    again = parsers.parse(version, [command_line(found, catalog)[2:] for _, _, found in made])
    for (argv, answer, found), reply in zip(made, again, strict=True):
        tally.asked += 1
        if reply.refused is not None or reply.without(server) != answer.without(server):
            tally.add("differs", shlex.join(argv), f"{found}: {answer.ok} {reply}")
    tally.settle()


def _refused(findings: list) -> bool:
    return any(item.severity == "error" for item in findings)
