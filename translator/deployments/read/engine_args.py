"""Keyword arguments of vLLM's engine, as in `LLM(…)`: the command line that makes the same."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from translator.core.findings import finding
from translator.core.tables.catalog import MODEL, Catalog, shipped
from translator.core.tables.images import common
from translator.core.text.words import MOST_HINTS, Place, nearest, placed_at
from translator.deployments.read import Container, EngineArgs
from translator.formats.engine_args import command_line, field
from translator.formats.references import has_hole, hole

# Values that a program may give an argument, and no command line its flag: a level of compilation,
# a text that counts as true.
_UNSAID: dict[str, type] = {"shaped": int, "switch": str, "toggle": str}


def is_argument(key: str) -> bool:
    """Return whether a key or an argument is called as a flag of any vLLM."""
    return shipped().knows(f"--{key.replace('_', '-')}")


def container_of(
    name: str, arguments: Mapping[str, Any], at: Place, places: Mapping[str, Place]
) -> Container:
    """Return the command that makes the same arguments.

    A keyword argument has no abbreviations, so what no vLLM has is no part of the command.

    Args:
        name: of the container in messages.
        arguments: the arguments; what is not known of them is marked.
        at: their place.
        places: argument -> its place.
    """
    tables = shipped()
    others = common(tables).get("engine_fields", ())  # that no release has a flag for
    unknown = [key for key in arguments if not (is_argument(key) or has_hole(key) or key in others)]
    engine = tuple(
        (key, arguments[key], places.get(key))
        for key in sorted(arguments, key=lambda key: key != field(MODEL))
        if key not in unknown and key not in others
    )
    flags = [field(flag) for flag in tables.names() if flag.startswith("--")] if unknown else []
    near = ("".join(nearest(key, flags, 1)) for key in unknown[:MOST_HINTS])
    findings = [
        finding("unknown-flag", key, case="argument", given=key, near=nearby)
        for key, nearby in zip_longest(unknown, near, fillvalue="")
    ]
    named = {item.subject: places[key] for item, key in zip(findings, unknown) if key in places}
    tokens = tokens_of(engine, tables.catalog(tables.versions()[-1]))
    return Container(name, at, command=tokens, findings=findings, places=named, engine=engine)


def tokens_of(engine: EngineArgs, catalog: Catalog) -> list[str]:
    """Return the command line of a version that makes engine arguments, at their places."""
    tokens = ["vllm", "serve"]
    for key, value, at in engine:
        name = f"--{key.replace('_', '-')}"
        flag = catalog.flag(name)
        kind = "" if flag is None else "shaped" if flag.shaped else flag.kind
        is_open = isinstance(value, str) and has_hole(value)
        if isinstance(value, _UNSAID.get(kind, ())) and not is_open:
            value = hole(f"{key}={value}")
        if has_hole(key):
            words = [value]
        elif is_open and name != MODEL:
            words = [f"{name}={value}"]  # what stands there may be no text
        else:
            words = command_line({key: value}, catalog)[2:]
        tokens += [placed_at(token, at) for token in words]
    return tokens
