"""Each dialect, by the published rules of the program that reads it: every flag means there what it
meant on the command line, or a finding says why not.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from typing import Any

import pytest
from support import samples
from support.carrying import carry
from support.consumers import DIALECTS, LMI_ALOUD, PAIRED, RUNPOD_PINNED, Stops, tokens_for

from translator import Finding, TranslationError, args_to_env, env_to_args
from translator.settings.scope import scope
from translator.tables.catalog import shipped

from .catalogs import SECRET_DESTS, catalog
from .forms import ELSEWHERE, MODEL
from .laws import Argv, Tally, assignments, both, ours, shell
from .parsers import Answer, Parsers

ASKED = ("0.27.1", "0.33.0")  # whatever vLLM a dialect's own container runs
# The findings that say: this does not arrive there (an error), or arrives in another way.
REFUSALS = {"cannot-be-said", "over-limit"}
# What a program sets of its own where nothing else is said, and what it does not start without; the
# subjects are the flags, and the variables.
ADDED, NEWER = "consumer-default", "newer-than-consumer"
ELSEWHERE_SET = "set-elsewhere"  # what the platform's manifest sets


def lines(version: str) -> Iterator[Argv]:
    """Every flag with every value that is tried for it, joined to it."""
    for flag in catalog(version)["flags"]:
        if flag["flag"] in ELSEWHERE:
            continue
        yield from ((MODEL, *tokens) for tokens in samples.lines(flag))


@functools.cache
def dest_of(version: str, name: str) -> str:
    return next(
        (str(flag["dest"]) for flag in catalog(version)["flags"] if flag["flag"] == name), name
    )


def subjects(findings: tuple[Finding, ...], code: str) -> set[str]:
    return {name for item in findings if item.code == code for name in item.subject.split(", ")}


def more_for(dialect: str, fields: Collection[str]) -> dict[str, Any]:
    """What a program knows beside the environment."""
    return {"fields": fields} if dialect == "lmi" else {}


def without_aloud(answer: Answer, real: Answer) -> Answer:
    """An answer less what only says a default of vLLM's out loud."""
    if answer.ok is None or real.ok is None:
        return answer
    return Answer(
        ok={
            name: text
            for name, text in answer.ok.items()
            if name in real.ok or LMI_ALOUD.get(name) != text
        }
    )


def pinned(dialect: str, line: Argv) -> set[str]:
    """The worker's server listens where the worker itself asks it, unless the user says
    otherwise.
    """
    mine = {token.partition("=")[0] for token in line}
    return (
        {name.removeprefix("--") for name in RUNPOD_PINNED if name not in mine}
        if dialect == "runpod"
        else set()
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_flag_arrives_or_is_told_of(
    version: str, parsers: Parsers, tally: Tally, dialect: str
) -> None:
    """argv → variables → the program's own rules → the real parser: the same namespace; and so says
    our own reader.
    """
    if version not in ASKED:
        pytest.skip(f"asked of {', '.join(ASKED)}")
    fields = parsers.fields(version)
    every = list(lines(version))
    cases: list[tuple[Argv, Answer, Any, Argv | None]] = []
    for line, real in zip(every, parsers.parse(version, every), strict=True):
        if real.ok is None:
            continue  # what is refused is the round trip's business
        tally.asked += 1
        try:
            made = args_to_env(["vllm", "serve", *line], vllm=version, dialect=dialect)
        except TranslationError as error:
            wrong = {item.code for item in error.findings if item.severity == "error"} - REFUSALS
            if wrong:
                tally.add("we refuse", f"{dialect}: {shell(line)}", f"  {error}")
            continue
        more = more_for(dialect, fields)
        try:
            theirs = tokens_for(dialect, made.env, **more)
        except (Stops, ValueError, KeyError) as error:
            tally.add(
                "differs",
                f"{dialect}: {shell(line)}",
                f"  variables: {assignments(made.env)}\n  its program stops: {error!r}",
            )
            continue
        cases.append((line, real, made, None if theirs is None else tuple(theirs)))
    compare(parsers, tally, dialect, cases)
    tally.settle()


def compare(
    parsers: Parsers, tally: Tally, dialect: str, cases: list[tuple[Argv, Answer, Any, Argv | None]]
) -> None:
    """The namespaces of what the program passes on, and of what our own reader makes of the
    variables, with those of the lines.
    """
    version = tally.version
    back = [
        ours(lambda made=made: tuple(env_to_args(made.env, vllm=version, dialect=dialect).argv[2:]))
        for _, _, made, _ in cases
    ]
    mine = parsers.parse(version, [done.value or () for done in back])
    there = parsers.parse(version, [tokens if tokens is not None else () for *_, tokens in cases])
    for (line, real, made, tokens), done, own, theirs in zip(cases, back, mine, there, strict=True):
        added = subjects(made.findings, ADDED)
        elsewhere = subjects(made.findings, ELSEWHERE_SET)
        told = (
            added
            | elsewhere
            | subjects(made.findings, NEWER)
            | subjects(made.findings, "consumer-differs")
        )
        here, gone = (
            {*SECRET_DESTS, *(dest_of(version, flag) for flag in flags)}
            for flags in (added | elsewhere, told)
        )
        theirs = without_aloud(theirs, real) if dialect == "lmi" else theirs
        shown = f"  variables: {assignments(made.env)}"
        name = f"{dialect}: {shell(line)}"
        if done.value is None:
            tally.add("we refuse", name, f"{shown}\n  our reader: {done.refused or done.crashed}")
        elif own.ok is None or own.without(here) != real.without(here):
            tally.add(
                "differs",
                name,
                f"{shown}\n  our reader:"
                f" {shell(done.value)}\n{both(real.without(here), own.without(here))}",
            )
        elif tokens is not None and (
            theirs.ok is None
            or theirs.without(gone | pinned(dialect, line))
            != real.without(gone | pinned(dialect, line))
        ):
            tally.add(
                "differs",
                name,
                f"{shown}\n  its program:"
                f" {shell(tokens)}\n{both(real.without(gone), theirs.without(gone))}\n  told:"
                f" {sorted(told)}",
            )
        else:
            tally.accepted += 1


@pytest.mark.parametrize("one", PAIRED)
def test_twenty_flags_there_and_back(
    version: str, parsers: Parsers, tally: Tally, one: str
) -> None:
    """Of every ordered pair: the variables in the one, in the other and in the one again are read
    by the programs, and by us, to one namespace.
    """
    if version not in ASKED:
        pytest.skip(f"asked of {', '.join(ASKED)}")
    fields = parsers.fields(version)
    cases: list[tuple[str, Argv, Argv, set[str]]] = []
    for other in PAIRED:
        if other == one:
            continue
        done = carry(one, other, version)
        for dialect, env in ((one, done.start), (other, done.there), (one, done.back)):
            ours_ = env_to_args(env, vllm=version, dialect=dialect)
            told = subjects(ours_.findings, ADDED)
            cases.append((f"{one}, {other}: {dialect}", done.line, tuple(ours_.argv[2:]), told))
            theirs = tokens_for(dialect, env, **more_for(dialect, fields))
            if theirs is not None:
                told = told | (pinned(dialect, done.line) and {"--host"})
                cases.append(
                    (f"{one}, {other}: the program of {dialect}", done.line, tuple(theirs), told)
                )
    wanted = parsers.parse(version, [line for _, line, _, _ in cases])
    found = parsers.parse(version, [tokens for _, _, tokens, _ in cases])
    for (name, line, tokens, told), first, second in zip(cases, wanted, found, strict=True):
        tally.asked += 1
        gone = {dest_of(version, flag) for flag in told}
        if first.ok is None or without_aloud(second, first).without(gone) != first.without(gone):
            tally.add(
                "differs",
                name,
                f"  typed: {shell(line)}\n  there:"
                f" {shell(tokens)}\n{both(first.without(gone), second.without(gone))}",
            )
        else:
            tally.accepted += 1
    tally.settle()


# The findings that say that the program reads a variable otherwise. Not asked: runpod, whose worker
# is the business of test_worker.py, the prefix that
# nobody else reads, and nim, whose pages do not say what its program makes of a text.
SAID = frozenset(("consumer-differs", "unknown-variable", "reserved-name", "worker-only"))
READ = ("sagemaker", "sagemaker@shell", "sagemaker@huggingface", "sagemaker@upstream", "lmi", "gaudi", "vastai", "kserve")  # fmt: skip


@pytest.mark.parametrize("dialect", READ)
def test_every_variable_means_what_the_program_makes_of_it(
    version: str, parsers: Parsers, tally: Tally, dialect: str
) -> None:
    """A flag's name in capitals behind the dialect's prefix, with every text that is tried: our
    reader agrees with the program, or a finding says so.
    """
    if version not in ASKED:
        pytest.skip(f"asked of {', '.join(ASKED)}")
    fields = parsers.fields(version)
    here = scope(version, dialect, {}, shipped())[0]
    made = args_to_env(["vllm", "serve", MODEL], vllm=version, dialect=dialect)
    cases: list[tuple[dict[str, str], Argv | None, Any]] = []
    for flag in catalog(version)["flags"]:
        if flag["flag"] in ELSEWHERE:
            continue
        for case in samples.by_env(flag):
            env = {**made.env, here.prefix + case.name: case.text}
            try:
                tokens = tokens_for(dialect, env, **more_for(dialect, fields))
            except (Stops, ValueError, KeyError):
                tokens = None
            cases.append((env, None if tokens is None else tuple(tokens), here.prefix + case.name))
    theirs = iter(parsers.parse(version, [tokens for _, tokens, _ in cases if tokens is not None]))
    ours_ = [
        ours(lambda env=env: env_to_args(env, vllm=version, dialect=dialect)) for env, _, _ in cases
    ]
    mine = iter(
        parsers.parse(
            version, [tuple(done.value.argv[2:]) for done in ours_ if done.value is not None]
        )
    )
    for (env, tokens, name), done in zip(cases, ours_, strict=True):
        tally.asked += 1
        real = next(theirs) if tokens is not None else Answer(refused="its program stops")
        own = next(mine) if done.value is not None else Answer(refused=done.refused or done.crashed)
        told = (
            {item.code for item in done.value.findings if item.subject == name}
            if done.value is not None
            else set()
        )
        gone = {
            dest_of(version, flag)
            for flag in (subjects(done.value.findings, ADDED) if done.value is not None else ())
        } | {"port"}
        shown = (
            f"  its program: {shell(tokens or ())}\n  we:"
            f" {done.value.argv if done.value is not None else done.refused}\n"
        )
        if done.crashed is not None:
            tally.add("crash", f"{dialect}: {assignments(env)}", f"  {done.crashed}")
        elif own.ok is None or told & SAID:
            tally.accepted += 1  # an error says it, too
        elif real.ok is None:
            tally.add("we accept", f"{dialect}: {assignments(env)}", f"{shown}{both(real, own)}")
        elif without_aloud(real, own).without(gone) != own.without(gone):
            tally.add(
                "differs",
                f"{dialect}: {assignments(env)}",
                f"{shown}{both(real.without(gone), own.without(gone))}",
            )
        else:
            tally.accepted += 1
    tally.settle()
