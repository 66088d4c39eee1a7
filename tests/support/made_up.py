"""Small catalogs made up for a test, so that it depends on no version of vLLM.

catalog("--x kind=int", "--on kind=toggle negations:--no-on", grammar="dotted plus", env=("VLLM_X
kind=int",))
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from translator.core.settings.scope import Scope
from translator.core.tables.catalog import Catalog, Flag, Tables
from translator.core.text.words import TOKEN, VARIABLE, Origin
from translator.maintain.compile import document, packs
from translator.maintain.history import apart

VERSION = "9.9.9"


def origin(text: str) -> Origin:
    """The origin that a token or a variable is."""
    return Origin(TOKEN if text.startswith("-") else VARIABLE, text)


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


def facts(
    flags: Sequence[str], grammar: str = "", env: Sequence[str] = (), shapes: Mapping[str, Any] | None = None,
) -> dict[str, str]:  # fmt: skip
    """What a made-up version says of each name."""
    found = dict(map(entry, (*flags, *env)))
    found |= {
        f"@{name}": {"value": value} for name, value in entry(f"@ {grammar}".strip())[1].items()
    }
    for name, shape in (shapes or {}).items():
        part = "start" if "start" in found[name] else "shape"
        found[name][part] = apart(shape, name, found)
    return {name: json.dumps(fact) for name, fact in found.items()}


def tables(
    flags: Sequence[str] = (), grammar: str = "", env: Sequence[str] = (), shapes: Mapping[str, Any] | None = None, dialect: Sequence[str] = (),
    changes: Sequence[str] = (),
    older: Mapping[str, Sequence[str]] | None = None, secrets: Sequence[str] = (),
) -> Tables:  # fmt: skip
    """Tables with one made-up version (and older ones), a dialect of its own, and nothing else."""
    versions = {version: facts(lines) for version, lines in (older or {}).items()}
    return Tables(
        {
            **packs({**versions, VERSION: facts(flags, grammar, env, shapes)}),
            "dialect.made.json": entries(
                ("@dialect extra_args=EXTRA config_file=CONFIG_FILE", *dialect)
            ),
            "changes.json": entries(changes),
            "secrets.json": entries(secrets),
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
