"""Engine arguments against the real class: `AsyncEngineArgs(**ours)` is what vLLM makes of the
command line, and the command line made of them parses to the same engine.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import yaml
from support import forms

from translator.argv.engine_args import command_line, engine_args
from translator.argv.parser import parse
from translator.findings import has_errors
from translator.formats import write_argv
from translator.formats.forms import CommandLine
from translator.tables.catalog import Catalog, shipped
from translator.values import tokens

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
    passed = [(argv, _of_kaito(argv, catalog)) for argv, _ in made]
    through = [
        Case(shlex.join(argv), Ours(line), argv, shown="KAITO")
        for argv, line in passed
        if line and "--config" not in line
    ]
    assert len(through) > 0.5 * len(made)
    compare(parsers, tally, [*cases, *through])
    tally.settle()


def _of_kaito(argv: Sequence[str], catalog: Catalog) -> list[str]:
    """The tokens that KAITO makes of its file, each value as one of its own; [] if the file cannot
    hold the command. A switch has none here: there is no positional argument but the model.
    """
    parsed = parse(list(argv), catalog)
    settings = parsed.settings()
    head = [] if parsed.model is None else [parsed.model]
    groups = [
        tokens(catalog.flag(name), value)
        for name, (value, _) in settings.items()
        if not head or name != "--model"  # up to 0.7, a second model has no effect
    ]
    line = CommandLine([["vllm", "serve", *head], *filter(None, groups)], catalog)
    text, findings = write_argv("kaito", line)
    section = {} if findings else yaml.safe_load(text)["vllm"]
    model = section.pop("model", None)
    found = [] if model is None else [model]
    for key, value in section.items():
        found += [f"--{key}"] if value is True else [f"--{key}", str(value)]
    return found
