"""How bad a finding is: by its code, and by what is certain about its input. The table is `in` of
mappings/findings.toml; mappings/README.md says what each fact means.
"""

from __future__ import annotations

from functools import cache

from translator.core.findings import every, texts_of
from translator.core.text.words import distance
from translator.deployments.read.arguments import is_of_another

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
    from typing import Any

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Tables

_SLIP = 2  # letters


def facts_of_line(tokens: Sequence[str], tables: Tables) -> set[str]:
    """Return the facts about a command line that vLLM, or a program in its place, reads."""
    return {"vllm", "foreign"} if is_of_another(tokens, tables) else {"vllm"}


def judged(
    findings: Iterable[Finding], facts: Set[str], names: Container[str] = (), image: str = ""
) -> list[Finding]:
    """Return findings with their severity for an input, without those that are not told of it.

    Args:
        facts: those about the start that hold.
        names: of its variables.
        image: the one that its vLLM is assumed to be in, or "".
    """
    kept = []
    for item in findings:
        known = {"check", *facts}
        if item.subject.partition("=")[0] not in names:
            known |= {"token"} if {"vllm", "program"} & known else set()
        elif "vllm" in known:
            known.add("variable")
        rows = _rows(item.code, item.case)
        severity = next((one for words, one in rows if _hold(words, known, item)), None)
        if severity == "drop":
            continue
        if severity is not None and severity != item.severity:
            item = item.with_severity(severity).with_facts(assumed_in=image)
        kept.append(item)
    return kept


@cache
def _rows(code: str, case: str) -> list[tuple[list[str], Any]]:
    """Return the rows of the table that are about a code: the facts of each, and the severity."""
    rows = {**every()["in"], **texts_of(code).cases[case].get("in", {})}
    return [(words.split(" "), severity) for words, severity in rows.items()]


def _hold(words: Sequence[str], facts: Set[str], item: Finding) -> bool:
    """Return whether all facts hold that a row names."""
    return all(
        word in facts or (word in _OF_FINDINGS and _OF_FINDINGS[word](item)) for word in words
    )


def _is_slip(item: Finding) -> bool:
    """Return whether a name that is known differs in a letter or two."""
    facts = item.facts
    near = str(facts.get("near") or facts.get("write") or facts.get("useless") or "")
    return distance(_name(near), _name(item.subject)) <= _SLIP


def _is_choice(item: Finding) -> bool:
    """Return whether a value is none of a list, and like none in it."""
    facts, expected = item.facts, str(item.facts.get("expected", ""))
    choices = facts.get("choices")
    if not isinstance(choices, tuple):
        choices = tuple(expected.removeprefix("one of ").split(", "))
    text = str(facts.get("given", "")).replace("=", " ").rpartition(" ")[2]
    is_listed = "choices" in facts or expected.startswith("one of ")
    slip = min(_SLIP, (len(text) - 1) // 2)  # `fp16` is not `fp8`
    return is_listed and all(distance(choice, text) > slip for choice in choices)


def _name(text: str) -> str:
    """Return the option that a text names: `--flag`, `--flag=value`, `--flag value`."""
    return text.partition("=")[0].partition(" ")[0].replace("_", "-")


_OF_FINDINGS: Mapping[str, Callable[[Finding], bool]] = {
    "slip": _is_slip,
    "hole": lambda item: item.origin is not None and item.origin.hole,
    "newer": lambda item: "added" in item.facts,
    "choice": _is_choice,
    "switch": lambda item: item.subject.rpartition("=")[2].lower() in ("true", "false"),
}
