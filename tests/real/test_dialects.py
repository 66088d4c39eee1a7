"""Each dialect, by the published rules of the program that reads it: every flag means there what it
meant on the command line, or a finding says why not.
"""

import functools
from collections.abc import Callable, Iterator

import pytest
from cases import NEWEST
from support import samples
from support.carrying import carry
from support.catalogs import SECRET_DESTS, catalog
from support.consumers import DIALECTS, LMI_ALOUD, PAIRED, RUNPOD_PINNED, Stops, tokens_for
from support.dialects import subjects
from support.forms import ELSEWHERE, MODEL

from translator import TranslationError, args_to_env, env_to_args
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped

from .laws import Argv, Case, Ours, Tally, accepted, assignments, compare, emitted, ours, shell
from .parsers import Parsers

Program = Callable[[str, dict[str, str]], "list[str] | None"]
ASKED = ("0.27.1", NEWEST)  # whatever vLLM a dialect's own container runs
# The findings that say: this does not arrive there (an error), or arrives in another way.
REFUSALS = {"not-expressible", "over-limit", "refused-at-start"}
# What a program sets of its own where nothing else is said, and what it does not start without; the
# subjects are the flags, and the variables.
ADDED = "platform-default"
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


@pytest.fixture
def program(version: str, parsers: Parsers) -> Program:
    """What a dialect's program makes of variables: of the versions that are asked about it."""
    if version not in ASKED:
        pytest.skip(f"asked of {', '.join(ASKED)}")
    fields = parsers.ask(version, op="fields")

    def tokens(dialect: str, env: dict[str, str]) -> list[str] | None:
        more = {"lmi": {"fields": fields}, "runpod": {"version": version}}
        return tokens_for(dialect, env, **more.get(dialect, {}))

    return tokens


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
    version: str, parsers: Parsers, tally: Tally, program: Program, dialect: str
) -> None:
    """argv → variables → the program's own rules → the real parser: the same namespace; and so says
    our own reader.
    """
    cases: list[Case] = []
    for line in accepted(parsers, version, lines(version)):
        name = f"{dialect}: {shell(line)}"
        try:
            made = args_to_env(["vllm", "serve", *line], vllm=version, dialect=dialect)
        except TranslationError as error:
            tally.asked += 1
            wrong = {item.code for item in error.findings if item.severity == "error"} - REFUSALS
            if wrong:
                tally.add("we refuse", name, f"  {error}")
            continue
        added, elsewhere, differs = (
            subjects(made.findings, code) for code in (ADDED, ELSEWHERE_SET, "platform-differs")
        )
        here, gone = (
            {*SECRET_DESTS, *(dest_of(version, flag) for flag in flags)}
            for flags in (added | elsewhere, added | elsewhere | differs)
        )
        shown = f"variables: {assignments(made.env)}"
        own = emitted(made.env, version, dialect=dialect)
        cases.append(Case(name, own, line, hidden=here, shown=shown))
        try:
            theirs = program(dialect, made.env)
        except (Stops, ValueError, KeyError) as error:
            tally.add("differs", name, f"  {shown}\n  its program stops: {error!r}")
            continue
        if theirs is not None:
            hidden, aloud = gone | pinned(dialect, line), LMI_ALOUD if dialect == "lmi" else {}
            shown = f"its program, told {sorted(gone)}; {shown}"
            cases.append(
                Case(name, Ours(tuple(theirs)), line, hidden=hidden, aloud=aloud, shown=shown)
            )
    compare(parsers, tally, cases)
    tally.settle()


@pytest.mark.parametrize("one", PAIRED)
def test_twenty_flags_there_and_back(
    version: str, parsers: Parsers, tally: Tally, program: Program, one: str
) -> None:
    """Of every ordered pair: the variables in the one, in the other and in the one again are read
    by the programs, and by us, to one namespace.
    """
    cases: list[Case] = []
    for other in PAIRED:
        if other == one:
            continue
        done = carry(one, other, version)
        for dialect, env in ((one, done.start), (other, done.there), (one, done.back)):
            ours_ = env_to_args(env, vllm=version, dialect=dialect)
            told = {dest_of(version, flag) for flag in subjects(ours_.findings, ADDED)}
            name, own = f"{one}, {other}: {dialect}", Ours(tuple(ours_.argv[2:]))
            cases.append(Case(name, own, done.line, hidden=told))
            theirs = program(dialect, env)
            if theirs is not None:
                told = told | ({"host"} if pinned(dialect, done.line) else set())
                name, made = f"{name}, its program", Ours(tuple(theirs))
                cases.append(Case(name, made, done.line, hidden=told, aloud=LMI_ALOUD))
    compare(parsers, tally, cases)
    tally.settle()


# The findings that say that the program reads a variable otherwise. Not asked: runpod, whose worker
# is the business of test_worker.py, the prefix that
# nobody else reads, and nim, whose pages do not say what its program makes of a text.
SAID = frozenset(("platform-differs", "unknown-variable", "reserved-name", "worker-only"))
READ = ("sagemaker", "sagemaker@shell", "sagemaker@huggingface", "sagemaker@upstream", "lmi", "kserve")  # fmt: skip


@pytest.mark.parametrize("dialect", READ)
def test_every_variable_means_what_the_program_makes_of_it(
    version: str, parsers: Parsers, tally: Tally, program: Program, dialect: str
) -> None:
    """A flag's name in capitals behind the dialect's prefix, with every text that is tried: our
    reader agrees with the program, or a finding says so.
    """
    here = scope(version, dialect, {}, shipped())[0]
    made = args_to_env(["vllm", "serve", MODEL], vllm=version, dialect=dialect)
    cases: list[Case] = []
    for flag in catalog(version)["flags"]:
        if flag["flag"] in ELSEWHERE:
            continue
        for each in samples.by_env(flag):
            name = here.prefix + each.name
            env = {**made.env, name: each.text}
            done = ours(lambda env=env: env_to_args(env, vllm=version, dialect=dialect))
            found = done.value.findings if done.value is not None else ()
            if done.refused is not None or SAID & {i.code for i in found if i.subject == name}:
                tally.asked += 1
                continue  # an error says it, too
            try:
                theirs = program(dialect, env)
            except (Stops, ValueError, KeyError):
                theirs = None
            ours_ = Ours(tuple(done.value.argv[2:])) if done.value is not None else done
            added = {dest_of(version, flag) for flag in subjects(found, ADDED)}
            typed = None if theirs is None else tuple(theirs)
            command = f"{dialect}: {assignments(env)}"
            cases.append(Case(command, ours_, typed, hidden=added | {"port"}, aloud=LMI_ALOUD))
    taken = {*accepted(parsers, version, (case.made.value or () for case in cases))}
    kept = [case for case in cases if case.made.crashed or case.made.value in taken]
    tally.asked += len(cases) - len(kept)
    compare(parsers, tally, kept)
    tally.settle()
