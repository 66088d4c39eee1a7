"""Small catalogs made up for a test, so that it depends on no version of vLLM.

catalog("--x kind=int", "--on kind=toggle negations:--no-on", grammar="dotted plus", env=("VLLM_X
kind=int",))
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from translator.authoring.compile import document
from translator.settings.scope import Scope
from translator.tables.catalog import Catalog, Flag, Tables

VERSION = "9.9.9"


def entry(line: str) -> tuple[str, dict[str, Any]]:
    """A name and its fields, separated by tabs or (without a tab) spaces: `key`, `key=text` (of
    `{…}`, what JSON makes of it), `key#integer`, `key:text|text`.
    """
    name, *parts = line.split("\t" if "\t" in line else " ")
    fields: dict[str, Any] = {}
    for part in parts:
        key, sign, text = part.partition("=")
        if ":" in key:
            key, _, text = part.partition(":")
            items = text.split("|") if text else []
            fields[key] = dict(item.rsplit("=", 1) for item in items) if key == "O" else items
        elif "#" in key:
            key, _, text = part.partition("#")
            fields[key] = int(text)
        elif sign:
            fields[key] = json.loads(text) if key == "default" or text[:1] == "{" else text
        else:
            fields[key] = True
    if fields.pop("int_choices", False):
        fields["choices"] = [int(item) for item in fields["choices"]]
    return name, fields


def entries(lines: Sequence[str]) -> str:
    """A compiled file of such lines."""
    return document(dict(map(entry, lines)))


def texts(
    flags: Sequence[str], grammar: str = "", env: Sequence[str] = (), version: str = VERSION,
    shapes: Mapping[str, Any] | None = None,
) -> dict[str, str]:  # fmt: skip
    """A compiled catalog, by file name."""
    found = dict(map(entry, (f"@grammar {grammar}".strip(), *flags, *env)))
    found |= {f"@{name}": shape for name, shape in (shapes or {}).items()}
    return {f"{version}.json": document(found)}


def tables(
    flags: Sequence[str] = (), grammar: str = "", env: Sequence[str] = (), shapes: Mapping[str, Any] | None = None, dialect: Sequence[str] = (),
    changes: Sequence[str] = (),
    older: Mapping[str, Sequence[str]] | None = None, secrets: Sequence[str] = (),
) -> Tables:  # fmt: skip
    """Tables with one made-up version (and older ones), a dialect of its own, and nothing else."""
    lines = {**(older or {}), VERSION: (*flags, *env)}
    found = texts(flags, grammar, env, shapes=shapes)
    names: dict[str, Any] = {}
    for version in lines:
        if version != VERSION:
            found |= texts(lines[version], grammar, (), version)
        for name, fields in map(entry, lines[version]):
            for text in (name, *fields.get("aliases", ()), *fields.get("negations", ())):
                names.setdefault(text, {"in": []})["in"].append(f"{version}-{version}")
    return Tables(
        {
            **found,
            "dialect.made.json": entries(
                ("@dialect extra_args=EXTRA config_file=CONFIG_FILE", *dialect)
            ),
            "changes.json": entries(changes),
            "secrets.json": entries(secrets),
            "index.json": document({"@versions": list(lines), **names}),
        }
    )


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
