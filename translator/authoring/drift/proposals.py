"""The entries of changes.toml that a new catalog needs, written as far as that can be done without
knowing vLLM's reasons.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from translator.authoring.drift.likeness import Candidate, likeness
from translator.authoring.lint.changes import TODO, unaccounted
from translator.authoring.lint.rules import Context
from translator.authoring.model import Catalog, Gone, Same, Split, Tables
from translator.authoring.names import exists

# From which likeness on a name is proposed to carry another: of the past releases' names, a third
# of those that something carries on, and none of the others.
SURE = 0.75


# From which on it is mentioned, and how many are.
WORTH_A_WORD, MENTIONED = 0.25, 3


_VALUES_ALIKE = 0.7


@attrs.frozen
class Proposal:
    """One entry.

    Attributes:
        kind: "same", "gone" or "value".
        names: the names that it accounts for.
        toml: its text, with comments; it holds TODO where a person must decide.
        in_place_of: the carriers of the entry that it replaces, when an existing one has to take
            the names in.
        candidates: name → what may have taken its place, the likeliest first.
    """

    kind: str
    names: tuple[str, ...]
    toml: str
    in_place_of: tuple[str, ...] = ()
    candidates: Mapping[str, tuple[Candidate, ...]] = attrs.Factory(dict)


def _source(name: str, version: str) -> str:
    """Where vLLM declares a name."""
    file = "engine/arg_utils.py" if name.startswith("-") else "envs.py"
    return f"https://github.com/vllm-project/vllm/blob/v{version}/vllm/{file}"


def _lost(tables: Tables, version: str) -> Iterator[tuple[str, Catalog, Catalog]]:
    """Every name without an entry that disappears with a version, or with the one after it: the
    last version with the name, and the first without.
    """
    place = next(
        index for index, catalog in enumerate(tables.catalogs) if catalog.version == version
    )
    for name, versions in sorted(unaccounted(Context(tables)).items()):
        for lacking in versions:
            at = next(
                index for index, catalog in enumerate(tables.catalogs) if catalog.version == lacking
            )
            if at in (place, place + 1):
                yield (
                    name,
                    next(
                        catalog
                        for catalog in reversed(tables.catalogs[:at])
                        if exists(name, catalog)
                    ),
                    tables.catalogs[at],
                )
                break


def _words(candidates: Sequence[Candidate]) -> str:
    return ", ".join(
        f"{item.name}"
        f" ({item.score:.2f}{', new' if item.new else ''}{', inverted' if item.inverted else ''})"
        for item in candidates
    )


def _gone(name: str, last: Catalog, candidates: tuple[Candidate, ...]) -> Proposal:
    comment = [
        f"# {name}: nothing alike enough to be proposed"
        + (f"; perhaps {_words(candidates)}" if candidates else "")
    ]
    lines = entry(
        "gone",
        names=[name],
        why=f"{TODO}: what became of it, and what to do instead.",
        source=_source(name, last.version),
    )
    return Proposal("gone", (name,), "\n".join([*comment, *lines]), candidates={name: candidates})


def _same(
    carrier: str, lost: Mapping[str, tuple[Candidate, ...]], there: Same | None, after: Catalog
) -> Proposal:
    best = {name: candidates[0] for name, candidates in lost.items()}
    names = tuple(sorted(lost, key=lambda name: -best[name].score))
    comment = [
        f"# {name}: guessed from its name and what it takes, check it: {_words(lost[name])}"
        for name in names
    ]
    inverted = [name for name in names if best[name].inverted]
    if there is None:
        lines = entry(
            "same",
            carriers=[*names, carrier],
            inverted=inverted,
            source=_source(carrier, after.version),
        )
        return Proposal("same", names, "\n".join([*comment, *lines]), candidates=lost)
    carriers = list(there.carriers)
    carriers[carriers.index(carrier) : carriers.index(carrier)] = names
    # Which of them are the others' opposite is said from the side of the carrier that is there.
    turned = [name for name in names if best[name].inverted != (carrier in there.inverted)]
    fields = {
        **attrs.asdict(there, recurse=False),
        "carriers": carriers,
        "inverted": [*there.inverted, *turned],
    }
    order = (
        "carriers",
        "inverted",
        "note",
        "values",
        "since",
        "until",
        "rename_keys",
        "beside",
        "source",
    )
    comment.append(f"# In the place of the entry with the carriers {', '.join(there.carriers)}.")
    lines = entry("same", **{field: fields[field] for field in order})
    return Proposal("same", names, "\n".join([*comment, *lines]), there.carriers, lost)


def proposals(tables: Tables, version: str) -> tuple[Proposal, ...]:
    """An entry for each name that lint wants accounted for since a version was added.

    Args:
        tables: with the catalog of that version in them.
        version: the one that was added.
    """
    named: dict[str, Same | Split | Gone] = {}
    if tables.changes is not None:
        named = {name: entry for _, entry in tables.changes.entries() for name in entry.names}
    gone: list[Proposal] = []
    carried: dict[str, dict[str, tuple[Candidate, ...]]] = {}
    first: dict[str, Catalog] = {}
    lost = list(_lost(tables, version))
    missing = {name for name, _, _ in lost}
    for name, last, lacking in lost:
        found = [
            item
            for item in likeness(name, last, lacking)
            if item.score >= WORTH_A_WORD and item.name not in missing
        ][:MENTIONED]
        best = found[0] if found else None
        if (
            best is not None
            and best.score >= SURE
            and isinstance(named.get(best.name), (Same, type(None)))
        ):
            carried.setdefault(best.name, {})[name] = tuple(found)
            first[best.name] = lacking
        else:
            gone.append(_gone(name, last, tuple(found)))
    entries = {carrier: named.get(carrier) for carrier in carried}
    same = [
        _same(carrier, names, entry, first[carrier])
        for carrier, names in carried.items()
        if not isinstance(entry := entries[carrier], (Split, Gone))
    ]
    return tuple(sorted([*same, *gone], key=lambda item: (item.kind != "same", item.names)))


def renamed_values(
    tables: Tables, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Proposal, ...]:
    """An entry for each choice of a flag or a variable that was dropped while a new one is spelt
    almost the same.
    """
    known = {
        (change.name, value)
        for change in (tables.changes.value if tables.changes is not None else ())
        for value in change.values
    }
    found = []
    for part, key in (("flags", "flag"), ("env", "name")):
        old = {row[key]: row for row in before[part]}
        for row in after[part]:
            ours, theirs = (item.get("choices") or [] for item in (old.get(row[key], {}), row))
            new = [str(choice) for choice in theirs if choice not in ours]
            for choice in (str(choice) for choice in ours if choice not in theirs):
                close = difflib.get_close_matches(choice, new, 1, _VALUES_ALIKE)
                if close and (row[key], choice) not in known:
                    comment = (
                        f"# {row[key]} takes {choice} no more, and {close[0]} now: paste this if it"
                        " is the same."
                    )
                    lines = entry(
                        "value",
                        name=row[key],
                        values=[choice, close[0]],
                        source=_source(row[key], after["version"]),
                    )
                    found.append(Proposal("value", (row[key],), "\n".join([comment, *lines])))
    return tuple(found)


def value(content: Any) -> str:
    """A value in one line; a text as JSON is one in TOML, too, but for DEL."""
    if isinstance(content, Mapping):
        return (
            "{" + ", ".join(f"{_key(key)} = {value(item)}" for key, item in content.items()) + "}"
        )
    if isinstance(content, (list, tuple)):
        return "[" + ", ".join(map(value, content)) + "]"
    return json.dumps(content, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return (
        name
        if name.replace("_", "").replace("-", "").isalnum()
        and name.isascii()
        and not name.startswith("-")
        else value(name)
    )


def entry(head: str, **fields: Any) -> list[str]:
    """The lines of an entry `[[head]]`: tables as dotted keys, and nothing for a field that is None
    or empty.
    """
    lines = [f"[[{head}]]"]
    for field, content in fields.items():
        if isinstance(content, Mapping):
            lines += [f"{field}.{_key(name)} = {value(inner)}" for name, inner in content.items()]
        elif content not in (None, (), []):
            lines.append(f"{field} = {value(content)}")
    return lines
