"""Record the cases of the conformance kit (docs/conformance.md): inputs, what becomes of them, and
what the real parser of each release said of it.

    PYTHONPATH=.:tests python -m tests.real.record_conformance          (ten minutes)

Our own code decides nothing here: a line that it makes of variables is recorded only if the real
parser reads it to the namespace that it makes of the line which means the same (samples.by_env);
variables that it makes of a line, if the line that they make is read to the namespace of the first;
and a refusal, if the real parser refuses, too. All else is counted and left out (with
TRANSLATE_SHOWN=1 it is printed): what no variable can hold.
"""

import ast
import hashlib
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from support import forms, samples
from support.catalogs import SECRET_DESTS, catalog, dialect, spellings

from translator import args_to_env
from translator.core.tables.versions import runs

from . import install
from .laws import CARRIED, Argv, emitted, ours
from .parsers import Answer, Parsers

RECORD = install.CHECKOUT / "tests" / "cases" / "conformance.jsonl"
# Of each grammar that a parser has had, and those that most people run.
RELEASES = (
    "0.5.2", "0.5.4", "0.6.4", "0.7.3", "0.8.4", "0.8.5", "0.9.0", "0.9.1", "0.9.2", "0.10.0", "0.10.2",
    "0.14.0", "0.19.1", "0.26.0", "0.27.1", "0.32.0", "0.33.0",
)  # fmt: skip
PLAIN = "prefix:MY_"  # a dialect that is a prefix and nothing else
# How many inputs of a flag that most releases have; of others one of each.
PREFIXED, NAMED, LINES = 3, 1, 3
TOGETHER = 40  # lines, and sets of variables, of several flags
LONGEST = 600  # characters of a case
CASES = 10_000  # in all, first of answers that several releases gave
_ENUM = re.compile(r"^\w+\.\w+=(.+)$")
T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """An input, and the tokens that mean what it means."""

    dialect: str
    input: dict[str, str] | Argv
    typed: Argv


def some(items: Iterable[T], count: int) -> list[T]:
    """A few of them, of other releases the same, as far as these have them."""
    unique = {json.dumps(item, default=vars): item for item in items}
    rank = sorted(unique, key=lambda text: hashlib.sha256(text.encode()).digest())
    return [unique[text] for text in rank[:count]]


def by_env(flag: samples.Flag) -> Iterator[samples.ByEnv]:
    """What `samples` tries; what no line means is refused as the same text on a line is."""
    for case in samples.by_env(flag):
        if case.typed is None:
            case = samples.ByEnv(case.name, case.text, samples.plain(flag["flag"], case.text))
        yield case


def questions(version: str) -> Iterator[Question]:
    """All that a release is asked."""
    known, table = spellings(version), dialect()
    usual = Counter(flag["flag"] for each in RELEASES for flag in catalog(each)["flags"])
    flags = [flag for flag in catalog(version)["flags"] if flag["flag"] not in forms.ELSEWHERE]
    pool: list[samples.ByEnv] = []
    again: dict[str, Argv] = {}  # another value of each of them
    for flag in flags:
        every = list(by_env(flag))
        is_usual = usual[flag["flag"]] > len(RELEASES) * 0.6
        for case in reversed(some((case for case in every if case.typed and is_usual), 2)):
            pool = [*(one for one in pool if one.name != case.name), case]
            again.setdefault(case.name, case.typed or ())
        for case in some(every, PREFIXED if is_usual else 1):
            env = {"MY_MODEL": forms.MODEL, f"MY_{case.name}": case.text}
            yield Question(PLAIN, env, (forms.MODEL, *(case.typed or ())))
        own = [case for case in every if table.get(case.name, {}).get("role") != "reserved"]
        for case in some(own, NAMED if is_usual else 0):
            unset = case.text in table.get(case.name, {}).get("unset", ())
            env = {"MODEL_NAME": forms.MODEL, case.name: case.text}
            yield Question("runpod", env, (forms.MODEL, *(() if unset else case.typed or ())))
        for line in some(forms.of_flag(flag, known), LINES if is_usual else 1):
            yield Question(PLAIN, (forms.MODEL, *line), (forms.MODEL, *line))
    for line in forms.others(known):
        yield Question(PLAIN, line, line)
    for at in range(TOGETHER):
        several = some(((at, case.name, case.text, case.typed) for case in pool), 3)
        typed = tuple(token for *_, tokens in several for token in tokens)
        env = {f"MY_{name}": text for _, name, text, _ in several}
        yield Question(PLAIN, {"MY_MODEL": forms.MODEL, **env}, (forms.MODEL, *typed))
        yield Question(PLAIN, (*typed, forms.MODEL), (*typed, forms.MODEL))
        (_, name, text, first), *others = several
        behind = (*again[name], *(token for *_, tokens in others for token in tokens))
        env = {"MODEL_NAME": forms.MODEL, name: text, "VLLM_EXTRA_ARGS": shlex.join(behind)}
        entry = table.get(name, {})
        if entry.get("role") != "reserved" and text not in entry.get("unset", ()):
            yield Question("runpod", env, (forms.MODEL, *first, *behind))


def values(answer: Answer) -> dict[str, Any] | None:
    """What the parser read, as JSON; None if JSON has no words for some of it."""
    found = {}
    for name, text in (answer.ok or {}).items():
        enum = _ENUM.match(text)
        try:
            found[name] = ast.literal_eval(enum[1] if enum else text)
            json.dumps(found[name], allow_nan=False)
        except (ValueError, SyntaxError, TypeError):
            return None
    return found


def answers(parsers: Parsers, version: str, count: Counter[str]) -> Iterator[dict[str, Any]]:
    """The cases of a release."""
    asked = list(questions(version))
    theirs = parsers.parse(version, [item.typed for item in asked])
    made = []
    for item in asked:
        if isinstance(item.input, dict):
            made.append((None, emitted(item.input, version, dialect=item.dialect)))
            continue
        there = ours(lambda: args_to_env(list(item.input), version, item.dialect))  # noqa: B023
        env = there.value and there.value.env
        carried = there.value and any(one.code in CARRIED for one in there.value.findings)
        back = emitted(env, version, dialect=item.dialect) if env is not None else there
        made.append((env, there if carried else back))
    back_read = parsers.parse(
        version, [mine.value if isinstance(mine.value, tuple) else None for _, mine in made]
    )
    for item, real, (env, mine), read in zip(asked, theirs, made, back_read, strict=True):
        is_env = isinstance(item.input, dict)
        case: dict[str, Any] = {
            "dialect": item.dialect,
            "direction": "env-to-args" if is_env else "args-to-env",
            "input": item.input if is_env else list(item.input),
        }
        if real.ok is None and mine.refused is not None:
            count["refused"] += 1
            yield {**case, "refused": True}
        elif (
            real.ok is not None
            and read.ok is not None
            and read.without(SECRET_DESTS) == real.without(SECRET_DESTS)
        ):
            told = values(real)
            count["accepted" if told is not None else "accepted, without values"] += 1
            result = {"line": list(mine.value)} if is_env else {"variables": env}
            yield {**case, **result, **({"values": told} if told is not None else {})}
        else:
            count["left out"] += 1
            if os.environ.get("TRANSLATE_SHOWN"):
                print(item, real, mine, read, sep="\n  ")


def main() -> None:
    asked = list(RELEASES)
    parsers = Parsers(install.install(asked), asked)
    having: dict[str, list[str]] = {}
    for version in asked:
        count: Counter[str] = Counter()
        for case in answers(parsers, version, count):
            text = json.dumps(case, ensure_ascii=False, separators=(",", ":"))
            if len(text) <= LONGEST and version not in having.setdefault(text, []):
                having[text].append(version)
        print(version, dict(count), flush=True)
    parsers.close()
    write(asked, having)


def write(asked: list[str], having: dict[str, list[str]]) -> None:
    """Write as many answers as CASES are, each with the releases that gave it: the first and the
    last of a run of those that were asked.
    """
    kept, left = set[str](), CASES
    ranked = some(having, len(having))
    for text in sorted(ranked, key=lambda text: len(having[text]) == 1):
        if len(having[text]) <= left:
            kept.add(text)
            left -= len(having[text])
    rows = [json.dumps({"asked": asked})]
    for text in filter(kept.__contains__, having):
        spans = [[asked.index(end) for end in span] for span in runs(asked, having[text])]
        rows.append(f'{{"asked":{json.dumps(spans, separators=(",", ":"))},"case":{text}}}')
    RECORD.write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
