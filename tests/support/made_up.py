"""Small catalogs made up for a test, so that it depends on no version of vLLM.

catalog("--x kind=int", "--on kind=toggle negations:--no-on", grammar="dotted plus", env=("VLLM_X
kind=int",))
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from translator.dialects.scope import Scope
from translator.tables.catalog import Catalog, Tables
from translator.tables.entries import Flag

VERSION = "9.9.9"


def _line(text: str) -> str:
    """Fields separated by spaces, as a compiled line; the name of the value in the namespace is of
    no importance.
    """
    name, *fields = text.split(" ")
    return "\t".join(
        (
            name,
            *fields,
            *(
                []
                if name[0] != "-" or any(field.startswith("dest=") for field in fields)
                else [f"dest={name.strip('-')}"]
            ),
        )
    )


def texts(
    flags: Sequence[str], grammar: str = "", env: Sequence[str] = (), version: str = VERSION
) -> dict[str, str]:
    """A compiled catalog, by file name."""
    head = "\t".join(("@grammar", *grammar.split()))
    return {
        f"{version}.txt": "\n".join(
            (head, "%flags", *map(_line, flags), "%env", *map(_line, env), "")
        )
    }


def tables(
    flags: Sequence[str] = (), grammar: str = "", env: Sequence[str] = (), shapes: Mapping[str, Any] | None = None, dialect: Sequence[str] = (),
    changes: Sequence[str] = (),
    older: Mapping[str, Sequence[str]] | None = None, secrets: Sequence[str] = (),
) -> Tables:  # fmt: skip
    """Tables with one made-up version (and older ones), a dialect of its own, and nothing else."""
    found = texts(flags, grammar, env)
    for version, lines in (older or {}).items():
        found |= texts(lines, grammar, (), version)
    found[f"{VERSION}.shapes.txt"] = "\n".join(
        f"{flag}\t{json.dumps(shape)}" for flag, shape in (shapes or {}).items()
    )
    found["dialect.made.txt"] = (
        "\n".join(map(_line, ("@dialect extra_args=EXTRA config_file=CONFIG_FILE", *dialect)))
        + "\n"
    )
    found["changes.txt"] = "\n".join(changes) + "\n"
    found["secrets.txt"] = "\n".join(secrets) + "\n"
    names: dict[str, list[str]] = {}
    for version in [*(older or {}), VERSION]:
        for line in (
            *(older or {}).get(version, flags if version == VERSION else ()),
            *(env if version == VERSION else ()),
        ):
            name, *fields = line.split(" ")
            others = [
                text
                for field in fields
                if field.startswith(("aliases:", "negations:"))
                for text in field.partition(":")[2].split("|")
            ]
            for text in (name, *others):
                names.setdefault(text, []).append(f"{version}-{version}")
    versions = "|".join([*(older or {}), VERSION])
    found["index.txt"] = (
        "\n".join(
            [
                "a digest",
                f"versions:{versions}",
                *(f"{name}\tin:{'|'.join(spans)}" for name, spans in names.items()),
            ]
        )
        + "\n"
    )
    return Tables(found)


def catalog(
    *flags: str, grammar: str = "", env: Sequence[str] = (), shapes: Mapping[str, Any] | None = None
) -> Catalog:
    """One made-up version."""
    return tables(flags, grammar, env, shapes).catalog(VERSION)


def scope(*flags: str, **given: Any) -> Scope:
    """One made-up version and a dialect called made."""
    made = tables(flags, **given)
    return Scope(made.catalog(VERSION), "made", made)


def flag(line: str, **given: Any) -> Flag:
    """One flag of a made-up version."""
    found = catalog(line, **given).flag(line.split(" ")[0])
    assert found is not None
    return found
