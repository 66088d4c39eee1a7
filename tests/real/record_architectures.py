"""Record in mappings/architectures.toml what the registry of a new release says of architectures.

PYTHONPATH=.:tests python -m tests.real.record_architectures 0.34.0
"""

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import tomllib

from . import install
from .parsers import Parsers

FILE = install.CHECKOUT / "mappings" / "architectures.toml"

Span = tuple[tuple[str, ...], str, str]
"""Facts, the first release with them, and the last one; "" for the oldest and the newest."""


def spans(text: str) -> dict[str, list[Span]]:
    """Return what the table says of each architecture."""
    told: dict[str, list[Span]] = {}
    for group in tomllib.loads(text)["group"]:
        for name in group["names"]:
            span = (tuple(group["facts"]), group.get("since", ""), group.get("until", ""))
            told.setdefault(name, []).append(span)
    return told


def added(
    table: Mapping[str, list[Span]], answer: Mapping[str, list[str] | None], version: str, last: str
) -> dict[str, list[Span]]:
    """Return the table with what the registry of a release says; `last` is the one before it. What
    it could not look at stays as it was.
    """
    told = {name: list(every) for name, every in table.items()}
    for name in {*told, *answer}:
        every, facts = told.setdefault(name, []), answer.get(name)
        at = next((at for at, (_, _, until) in enumerate(every) if not until), None)
        if name in answer and facts is None:
            continue
        if at is not None and facts is not None and every[at][0] == tuple(facts):
            continue
        if at is not None:
            every[at] = (*every[at][:2], last)
        if facts is not None:
            every.append((tuple(facts), version, ""))
    return {name: every for name, every in told.items() if every}


def written(text: str, table: Mapping[str, Iterable[Span]]) -> str:
    """Return the text of the table with other groups."""
    groups: dict[Span, list[str]] = {}
    for name, every in sorted(table.items()):
        for span in every:
            groups.setdefault(span, []).append(name)
    lines = [_line(*span, names) for span, names in sorted(groups.items())]
    head, begin, _ = text.partition("group = [\n")
    return f"{head}{begin}{''.join(lines)}]\n\n{text[text.index('[types]') :]}"


def _line(facts: tuple[str, ...], since: str, until: str, names: list[str]) -> str:
    fields: dict[str, Any] = {"facts": [*facts], "since": since, "until": until, "names": names}
    told = (f"{key} = {json.dumps(value)}" for key, value in fields.items() if value != "")
    return f"  {{ {', '.join(told)} }},\n"


if __name__ == "__main__":
    version = sys.argv[1]
    known = install.versions()
    parsers = Parsers(install.install([version]))
    answer = parsers.ask(version, op="architectures")
    parsers.close()
    before = FILE.read_text("utf-8")
    table = added(spans(before), answer, version, known[known.index(version) - 1])
    FILE.write_text(written(before, table), "utf-8")
    print("not looked at:", *sorted(name for name, facts in answer.items() if facts is None))
