"""The laws, judged by the real parser: each function asks about many inputs at once and puts what
it finds into a Tally.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tomllib
from support.catalogs import SECRET_DESTS

from translator import TranslationError, args_to_env, env_to_args

from .parsers import Answer, Parsers

EXPLAINED = Path(__file__).with_name("explained.toml")
SHOWN = 12
# Findings that say: this was written for another vLLM, and is carried over. Only with one of them
# may we take what the real parser refuses.
CARRIED = frozenset({"replaced", "renamed-value", "now-default", "removed"})

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


def explanations() -> list[dict[str, Any]]:
    """The entries of explained.toml: every disagreement that is known and explained."""
    entries: list[dict[str, Any]] = tomllib.loads(EXPLAINED.read_text("utf-8"))["explained"]
    assert all(entry["why"] for entry in entries), "an entry without a reason"
    return entries


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
        known = [
            (number, entry)
            for number, entry in enumerate(explanations())
            if entry["test"] == self.test and self.version in entry.get("versions", (self.version,))
        ]
        left: list[Disagreement] = []
        for item in self.found:
            fitting = (
                number
                for number, entry in known
                if entry.get("what", item.what) == item.what
                and re.search(entry["pattern"], item.command, re.DOTALL)
            )
            number = next(fitting, None)
            if number is None:
                left.append(item)
            else:
                self.used.add(number)
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
    """What our side made of an input: a value (in a Case, tokens), or why not."""

    value: Any = None
    refused: str | None = None
    crashed: str | None = None


def ours(call: Callable[[], Any]) -> Ours:
    """Calls our side."""
    try:
        return Ours(value=call())
    except TranslationError as error:
        said = "; ".join(f"{item.code}: {item.message}" for item in error.findings)
        return Ours(refused=said or str(error))
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


@dataclass(frozen=True)
class Case:
    """One input: the tokens that we make of it, and those that mean the same.

    Attributes:
        command: the input, as messages show it.
        made: our tokens, or why there are none.
        typed: what one would type; None: there is no such command line.
        carried: what we make of it may be taken though what is typed is not: the input is written
            for another version, or there is nothing to compare with.
        hidden: names of the namespace that do not count.
        aloud: texts of names that only one side may set: they are defaults of vLLM's.
        shown: what messages tell beside.
    """

    command: str
    made: Ours
    typed: Argv | None
    carried: bool = False
    hidden: Collection[str] = ()
    aloud: Mapping[str, str] = field(default_factory=dict)
    shown: str = ""


def compare(parsers: Parsers, tally: Tally, cases: Iterable[Case]) -> list[Case]:
    """Ask the real parser about both sides of each case: it takes both or neither, and to the same
    namespace. Returns those that are so.
    """
    cases = list(cases)
    wanted = parsers.parse(tally.version, [case.typed for case in cases])
    found = parsers.parse(tally.version, [case.made.value for case in cases])
    right = []
    for case, real, mine in zip(cases, wanted, found, strict=True):
        made = case.made
        tally.asked += 1
        tally.accepted += (mine if case.typed is None else real).ok is not None
        sides = [f"  {case.shown}"] if case.shown else []
        sides += [f"  typed: {shell(case.typed)}"] if case.typed is not None else []
        sides += [f"  we: {shell(made.value) if made.value is not None else made.refused}"]
        if made.crashed is not None:
            what = "crash"
            sides.append(f"  {made.crashed}")
        elif made.value is None:
            what = "we refuse" if real.ok is not None else ""
            sides.append(f"  the real parser: {real.ok}")
        elif real.ok is None and (not case.carried or mine.ok is None):
            what = "badly carried" if case.carried and case.typed is not None else "we accept"
            sides.append(f"  the real parser: {(mine if case.carried else real).refused}")
        else:
            one = real.less(case.aloud, mine).without(case.hidden)
            other = mine.less(case.aloud, real).without(case.hidden)
            what = "differs" if real.ok is not None and one != other else ""
            sides.append(both(one, other))
            tally.carried += real.ok is None and case.typed is not None
            right += [case] if not what else []
        if what:
            tally.add(what, case.command, "\n".join(sides))
    return right


# --- the laws -------------------------------------------------------------------------------------


def accepted(parsers: Parsers, version: str, lines: Iterable[Argv]) -> list[Argv]:
    """Those that the real parser takes: what it refuses is the round trip's business."""
    lines = list(lines)
    answers = parsers.parse(version, lines)
    return [line for line, answer in zip(lines, answers, strict=True) if answer.ok is not None]


def emitted(env: Mapping[str, str], version: str, **options: Any) -> Ours:
    """The tokens behind `vllm serve` that we make of variables."""
    return ours(lambda: tuple(env_to_args(env, vllm=version, **options).argv[2:]))


def there_and_back(argv: Argv, version: str, command: str = "", **options: Any) -> Case:
    """argv -> env -> argv. What was written for another version may be taken, with a finding that
    says so.
    """
    there = ours(lambda: args_to_env(["vllm", "serve", *argv], vllm=version, **options))
    if there.value is None:
        return Case(command or shell(argv), there, argv, shown="args_to_env")
    carried = any(item.code in CARRIED for item in there.value.findings)
    back = emitted(there.value.env, version)
    shown = f"variables: {assignments(there.value.env)}"
    return Case(command or shell(argv), back, argv, carried, SECRET_DESTS, shown=shown)


def round_trip(parsers: Parsers, tally: Tally, argvs: Iterable[Argv]) -> None:
    """argv -> env -> argv: accepted exactly if the real parser accepts the first argv, and then the
    same namespace; a second round changes nothing.
    """
    cases = (there_and_back(argv, tally.version) for argv in argvs)
    fixed_points(tally, compare(parsers, tally, cases))


def fixed_points(tally: Tally, cases: Iterable[Case]) -> None:
    """What was emitted, taken through the variables once more, is emitted again."""
    for case in cases:
        tokens = case.made.value
        if tokens in tally.fixed:  # as of the many spellings of one flag
            continue
        again = there_and_back(tokens, tally.version).made
        if again.value == tokens:
            tally.fixed.add(tokens)
        else:
            then = again.refused or again.crashed or shell(again.value)
            detail = f"  {case.shown}\n  emitted: {shell(tokens)}\n  then:    {then}"
            tally.add("not fixed", case.command, detail)
