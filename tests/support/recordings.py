"""What the platforms' own programs made of variables, recorded by tests/real/recordings.py: in
cases/programs, a file for each.

A file has `alone`: rows of names (less `prefix`), and of what each of `texts` became as the value of
any of them, beside `base`: the tokens behind those in `always`, with `%s` for the name as a flag's,
or null: the program stops.
And `together`: whole environments, and all the tokens behind `vllm serve`, or the variables at any
of which the program stops.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parents[1] / "cases" / "programs"
# These read the variables in an order that is the shell's own.
UNORDERED = ("sagemaker@shell", "sagemaker@huggingface", "sagemaker@upstream")


class Run(NamedTuple):
    """One start of a program: the variables, and its tokens or the variables at which it stops."""

    env: dict[str, str]
    tokens: list[str]
    stops: list[str]


def names() -> list[str]:
    """The dialects whose program has been recorded."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(dialect: str) -> dict[str, Any]:
    """The recording of a dialect's program."""
    found: dict[str, Any] = json.loads(FOLDER.joinpath(f"{dialect}.json").read_text("utf-8"))
    return found


def flag(name: str, prefix: str = "") -> str:
    """A variable's name as that of a flag, without the dashes."""
    return name.removeprefix(prefix).lower().replace("_", "-")


def runs(dialect: str) -> Iterator[Run]:
    """Each start that a recording holds."""
    whole = read(dialect)

    for variables, outcomes in whole["alone"]:
        for bare in variables.split():
            name = whole["prefix"] + bare
            for text, tokens in zip(whole["texts"], outcomes, strict=True):
                env = {**whole["base"], name: text}
                if tokens is None:
                    yield Run(env, [], [name])
                else:
                    made = [token.replace("%s", flag(bare)) for token in tokens]
                    yield Run(env, whole["always"] + made, [])
    for env, found in whole["together"]:
        yield Run(env, [], found.split()) if isinstance(found, str) else Run(env, found, [])


def in_order(dialect: str, tokens: list[str]) -> list[str]:
    """The tokens in an order that two runs share: flag by flag, where the program's own is not
    certain.
    """
    if dialect not in UNORDERED:
        return tokens
    groups: list[list[str]] = [[]]
    for token in tokens:
        if token.startswith("--"):
            groups.append([])
        groups[-1].append(token)
    return [token for group in sorted(groups) for token in group]
