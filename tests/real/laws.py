"""The laws, judged by the real parser: each function asks about many inputs at once and puts what
it finds into a Tally.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tomllib

from translator import TranslationError, args_to_env, env_to_args
from translator.api.check import check_argv
from translator.settings.scope import scope as scope_of
from translator.tables.catalog import shipped

from .catalogs import SECRET_DESTS
from .parsers import Answer, Parsers

EXPLAINED = Path(__file__).with_name("explained.toml")
SHOWN = 12
# Findings that say: this was written for another vLLM, and is carried over. Only with one of them
# may we take what the real parser refuses.
CARRIED = frozenset({"carried", "carried-value", "now-default", "dropped", "written-for-another"})

Argv = tuple[str, ...]


@dataclass(frozen=True)
class Disagreement:
    """One input on which we and the real vLLM differ.

    Attributes:
        what: "we refuse", "we accept", "differs", "badly carried", "not fixed" or "crash".
        command: the input, as a shell would take it.
        detail: what both sides made of it.
    """

    what: str
    command: str
    detail: str

    def kind(self) -> tuple[str, str]:
        """Disagreements of one kind likely have one cause."""
        flag = re.search(
            r"--?[A-Za-z][\w-]*|^[A-Z][A-Z0-9]+", self.command.replace("MODEL_NAME=org/m ", "")
        )
        return self.what, flag[0].replace("_", "-") if flag else ""


@dataclass(frozen=True)
class Explanation:
    """An entry of explained.toml."""

    number: int
    test: str
    pattern: re.Pattern[str]
    what: str | None
    versions: tuple[str, ...] | None

    def covers(self, test: str, version: str) -> bool:
        return self.test == test and (self.versions is None or version in self.versions)


def explanations() -> list[Explanation]:
    """Every disagreement that is known and explained."""
    entries: list[dict[str, Any]] = tomllib.loads(EXPLAINED.read_text(encoding="utf-8")).get(
        "explained", []
    )
    for entry in entries:
        assert entry.get("why"), f"an entry without a reason: {entry}"
    found = []
    for number, entry in enumerate(entries):
        versions = tuple(entry["versions"]) if "versions" in entry else None
        found.append(
            Explanation(
                number,
                entry["test"],
                re.compile(entry["pattern"], re.DOTALL),
                entry.get("what"),
                versions,
            )
        )
    return found


@dataclass
class Tally:
    """What one test asked about one version, and what came of it.

    Attributes:
        asked, accepted: how many inputs, and how many of them the real vLLM takes.
        carried: how many it refuses, but we take because they were written for another version.
        used: numbers of the explanations that were needed.
        fixed: the emitted argvs that a second round has not changed.
        report: the file that gets every disagreement in full.
    """

    test: str
    version: str
    report: Path
    asked: int = 0
    accepted: int = 0
    carried: int = 0
    found: list[Disagreement] = field(default_factory=list)
    explained: int = 0
    used: set[int] = field(default_factory=set)
    fixed: set[Argv] = field(default_factory=set)

    def add(self, what: str, command: str, detail: str) -> None:
        self.found.append(Disagreement(what, command, detail))

    def settle(self) -> None:
        """Fails the test if a disagreement is left that nothing explains."""
        known = [entry for entry in explanations() if entry.covers(self.test, self.version)]
        left: list[Disagreement] = []
        for item in self.found:
            reason = next(
                (
                    entry
                    for entry in known
                    if entry.what in (None, item.what) and entry.pattern.search(item.command)
                ),
                None,
            )
            if reason is None:
                left.append(item)
            else:
                self.used.add(reason.number)
                self.explained += 1
        self.found = left
        self.report.unlink(missing_ok=True)
        if left:
            self.report.parent.mkdir(parents=True, exist_ok=True)
            self.report.write_text(
                "\n\n".join(self.shown(item) for item in left) + "\n",
                encoding="utf-8",
                errors="backslashreplace",
            )
            kinds = {item.kind(): item for item in reversed(left)}
            text = "\n\n".join(self.shown(item) for item in list(reversed(kinds.values()))[:SHOWN])
            pytest.fail(
                f"{len(left)} of {self.asked} disagree, of {len(kinds)} kinds; one of each (all:"
                f" {self.report}):\n\n{text}",
                pytrace=False,
            )

    def shown(self, item: Disagreement) -> str:
        return f"[{self.version}] {item.what}: {item.command}\n{item.detail}"


# --- the two sides --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ours:
    """What our side made of an input: a value, or why not."""

    value: Any = None
    refused: str | None = None
    crashed: str | None = None


def ours(call: Callable[[], Any]) -> Ours:
    """Calls our side."""
    try:
        return Ours(value=call())
    except TranslationError as error:
        return Ours(
            refused="; ".join(f"{item.code}: {item.message}" for item in error.findings)
            or str(error)
        )
    except Exception as error:
        return Ours(crashed=f"{type(error).__name__}: {error}")


def shell(tokens: Iterable[str]) -> str:
    return shlex.join(["vllm", "serve", *tokens])


def assignments(env: Mapping[str, str]) -> str:
    return " ".join(f"{name}={shlex.quote(text)}" for name, text in env.items())


def both(first: Answer, second: Answer) -> str:
    """The names on which two namespaces differ."""
    if first.ok is None or second.ok is None:
        return f"  first:  {first.refused or first.ok}\n  second: {second.refused or second.ok}"
    names = sorted(
        name
        for name in first.ok.keys() | second.ok.keys()
        if first.ok.get(name) != second.ok.get(name)
    )
    usual = "<as in vllm serve m>"
    return "\n".join(
        f"  {name}: {first.ok.get(name, usual)} != {second.ok.get(name, usual)}" for name in names
    )


# --- the laws -------------------------------------------------------------------------------------


def round_trip(parsers: Parsers, tally: Tally, argvs: Sequence[Argv]) -> None:
    """argv -> env -> argv: accepted exactly if the real parser accepts the first argv, and then the
    same namespace; a second round changes nothing.

    What was written for another version may be taken, with a finding that says so: then the real
    parser must accept what comes of it.
    """
    version = tally.version
    typed = parsers.parse(version, argvs)
    back: list[tuple[Argv, Answer, Mapping[str, str], Argv]] = []
    for argv, real in zip(argvs, typed, strict=True):
        tally.asked += 1
        tally.accepted += real.ok is not None
        there = ours(lambda argv=argv: args_to_env(["vllm", "serve", *argv], vllm=version))
        here = (
            ours(lambda there=there: env_to_args(there.value.env, vllm=version).argv)
            if there.value is not None
            else there
        )
        carried = there.value is not None and any(
            item.code in CARRIED for item in there.value.findings
        )
        step = "env_to_args" if there.value is not None else "args_to_env"
        if here.crashed is not None:
            tally.add("crash", shell(argv), f"  {step}: {here.crashed}")
        elif here.refused is not None and real.ok is not None:
            tally.add(
                "we refuse", shell(argv), f"  {step}: {here.refused}\n  the real parser: {real.ok}"
            )
        elif here.value is not None and real.ok is None and not carried:
            tally.add(
                "we accept",
                shell(argv),
                f"  variables: {assignments(there.value.env)}\n  the real parser: {real.refused}",
            )
        elif here.value is not None:
            tally.carried += real.ok is None
            back.append((argv, real, there.value.env, tuple(here.value[2:])))
    again = parsers.parse(version, [emitted for *_, emitted in back])
    for (argv, real, env, emitted), parsed in zip(back, again, strict=True):
        if real.ok is None and parsed.ok is None:
            tally.add(
                "badly carried",
                shell(argv),
                f"  variables: {assignments(env)}\n  back: {shell(emitted)}\n  the real parser:"
                f" {parsed.refused}",
            )
        elif real.ok is not None and parsed.without(SECRET_DESTS) != real.without(SECRET_DESTS):
            tally.add(
                "differs",
                shell(argv),
                f"  variables: {assignments(env)}\n  back: {shell(emitted)}\n{both(real, parsed)}",
            )
        else:
            fixed_point(tally, env, emitted, shell(argv))


def verdict(parsers: Parsers, tally: Tally, argvs: Sequence[Argv]) -> None:
    """`check` has an error exactly if the real parser refuses a line; what only the engine refuses
    is counted apart, as carried.
    """
    scope = scope_of(tally.version, "runpod", {}, shipped())[0]
    for argv, real in zip(argvs, parsers.parse(tally.version, argvs), strict=True):
        tally.asked += 1
        tally.accepted += real.ok is not None
        said = ours(lambda argv=argv: check_argv(["vllm", "serve", *argv], {}, scope))
        errors = [item for item in said.value or () if item.severity == "error"]
        at_start = errors and all(item.code == "refused-at-start" for item in errors)
        shown = "; ".join(item.line() for item in errors)
        if said.crashed is not None:
            tally.add("crash", shell(argv), f"  {said.crashed}")
        elif real.ok is None and (not errors or at_start):
            tally.add("we accept", shell(argv), f"  the real parser: {real.refused}; we: {shown}")
        elif real.ok is not None and errors and not at_start:
            tally.add("we refuse", shell(argv), f"  we: {shown}")
        tally.carried += bool(real.ok is not None and at_start)


def fixed_point(tally: Tally, env: Mapping[str, str], emitted: Argv, command: str) -> None:
    """The emitted argv, taken through the variables once more, is emitted again."""
    if emitted in tally.fixed:  # as of the many spellings of one flag
        return
    version = tally.version
    once_more = ours(
        lambda: env_to_args(
            args_to_env(["vllm", "serve", *emitted], vllm=version).env, vllm=version
        ).argv[2:]
    )
    if once_more.value is None or tuple(once_more.value) != emitted:
        second = (
            shell(once_more.value)
            if once_more.value is not None
            else once_more.refused or once_more.crashed
        )
        tally.add(
            "not fixed",
            command,
            f"  variables: {assignments(env)}\n  emitted: {shell(emitted)}\n  then:    {second}",
        )
    else:
        tally.fixed.add(emitted)


def env_as_typed(
    parsers: Parsers, tally: Tally, cases: Sequence[tuple[Mapping[str, str], Argv | None]]
) -> None:
    """An environment gives what the tokens beside it give when typed by hand; where they are
    refused (or None), it is an error.
    """
    version = tally.version
    typed = parsers.parse(version, [argv for _, argv in cases if argv is not None])
    answers = iter(typed)
    reals = [
        next(answers) if argv is not None else Answer(refused="(no such value)")
        for _, argv in cases
    ]
    emitted: list[tuple[Mapping[str, str], Argv, Answer, Argv]] = []
    for (env, argv), real in zip(cases, reals, strict=True):
        tally.asked += 1
        tally.accepted += real.ok is not None
        here = ours(lambda env=env: env_to_args(env, vllm=version).argv)
        if here.crashed is not None:
            tally.add("crash", assignments(env), f"  {here.crashed}")
        elif here.refused is not None and real.ok is not None:
            tally.add(
                "we refuse",
                assignments(env),
                f"  we: {here.refused}\n  typed: {shell(argv or ())}\n  the real parser: {real.ok}",
            )
        elif here.value is not None and real.ok is None:
            by_hand = shell(argv) if argv is not None else "-"
            tally.add(
                "we accept",
                assignments(env),
                f"  we: {shlex.join(here.value)}\n  typed: {by_hand}\n  the real parser:"
                f" {real.refused}",
            )
        elif here.value is not None:
            emitted.append((env, argv or (), real, tuple(here.value[2:])))
    for (env, argv, real, tokens), parsed in zip(
        emitted, parsers.parse(version, [item[3] for item in emitted]), strict=True
    ):
        if parsed != real:
            tally.add(
                "differs",
                assignments(env),
                f"  typed: {shell(argv)}\n  we: {shell(tokens)}\n{both(real, parsed)}",
            )


def env_is_accepted(
    parsers: Parsers, tally: Tally, environments: Sequence[Mapping[str, str]]
) -> None:
    """Whatever comes out of env_to_args is accepted by the real parser, and comes back through
    args_to_env.
    """
    version = tally.version
    emitted: list[tuple[Mapping[str, str], Argv]] = []
    for env in environments:
        tally.asked += 1
        here = ours(lambda env=env: env_to_args(env, vllm=version).argv)
        if here.crashed is not None:
            tally.add("crash", assignments(env), f"  {here.crashed}")
        elif here.value is not None:
            tally.accepted += 1
            emitted.append((env, tuple(here.value[2:])))
    for (env, tokens), parsed in zip(
        emitted, parsers.parse(version, [tokens for _, tokens in emitted]), strict=True
    ):
        if parsed.ok is None:
            tally.add(
                "we accept",
                assignments(env),
                f"  we: {shell(tokens)}\n  the real parser: {parsed.refused}",
            )
        else:
            fixed_point(tally, env, tokens, assignments(env))


def variables(parsers: Parsers, tally: Tally, items: Sequence[tuple[str, str]]) -> None:
    """A variable of vLLM's own that we let through, as we pass it on, does not crash the real
    table; one that we refuse would have.
    """
    version = tally.version
    given = parsers.env(version, items)
    passed: list[tuple[str, str, str]] = []
    for (name, text), real in zip(items, given, strict=True):
        tally.asked += 1
        tally.accepted += real.ok is not None
        env = {"MODEL_NAME": "org/m", name: text}
        here = ours(lambda env=env: env_to_args(env, vllm=version).env)
        if here.crashed is not None:
            tally.add("crash", assignments({name: text}), f"  {here.crashed}")
        elif here.refused is not None and real.ok is not None:
            tally.add(
                "we refuse",
                assignments({name: text}),
                f"  we: {here.refused}\n  vllm.envs: {real.ok['']}",
            )
        elif here.value is not None and name in here.value:
            passed.append((name, text, here.value[name]))
    for (name, text, kept), real in zip(
        passed, parsers.env(version, [(name, kept) for name, _, kept in passed]), strict=True
    ):
        if real.ok is None:
            tally.add(
                "we accept",
                assignments({name: text}),
                f"  passed on: {kept!r}\n  vllm.envs: {real.refused}",
            )
