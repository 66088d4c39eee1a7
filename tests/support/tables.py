"""Small tables for the tests of the authoring side, made in memory."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from translator.authoring.lint import lint
from translator.authoring.lint.rules import Context, Rule
from translator.authoring.load import load, parse
from translator.model import SINGLE, Tables
from translator.model.catalog import Catalog

# A company's own dialect, as the README shows it.
TEN_LINES = """\
[dialect]
name = "acme"
sources = ["https://wiki.acme.example/llm"]
prefix = "ACME_"
extra_args = "ACME_ARGS"
[[variable]]
name = "ACME_CONTEXT"
role = "flag"
flag = "--max-model-len"
"""

MAPPINGS = Path(__file__).parents[2] / "mappings"
GRAMMAR = {
    "model": "both", "model_required": False, "dotted": True, "plus": True, "dotted_sizes": False,
}  # fmt: skip
MODEL = {"flag": "--model", "dest": "model", "kind": "str", "aliases": []}
HOME = {"name": "VLLM_HOME", "kind": "str"}


def committed(version: str) -> dict[str, Any]:
    """The committed catalog of a version, whole."""

    def content(name: str) -> dict[str, Any]:
        path = MAPPINGS / "catalogs" / f"{name}.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    own = content(version)
    if "like" not in own:
        return own
    base = content(own["like"])
    base["grammar"] = {**base["grammar"], **own.get("grammar", {})}
    base["grammar"] = {name: fact for name, fact in base["grammar"].items() if fact is not None}
    for part, key in (("flags", "flag"), ("env", "name")):
        rows = {row[key]: row for row in base[part]} | {row[key]: row for row in own.get(part, ())}
        base[part] = [rows[name] for name in sorted(rows.keys() - set(own.get("without", ())))]
    return {**base, "version": version}


def versions() -> list[str]:
    """The versions that have committed catalogs."""
    return [path.stem for path in (MAPPINGS / "catalogs").glob("*.json")]


def flag(name: str, kind: str = "str", **fields: Any) -> dict[str, Any]:
    """One entry of `flags`; a toggle gets its negation."""
    if kind == "toggle":
        fields.setdefault("negations", ["--no-" + name[2:]])
    return {"flag": name, "dest": name[2:].replace("-", "_"), "kind": kind, "aliases": [], **fields}


def shape(**keys: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "object", "keys": keys}


def catalog(
    version: str, *flags: dict[str, Any], env: list[dict[str, Any]] | None = None, **fields: Any
) -> dict[str, Any]:
    return {
        "version": version,
        "grammar": GRAMMAR,
        "flags": [MODEL, *flags],
        "env": [HOME, *(env or [])],
        **fields,
    }


def files(*catalogs: dict[str, Any], **toml: str) -> dict[str, bytes]:
    """Tables as files: catalogs, and `changes=`, `secrets=`, `releases=`, `plugins=`, `images=`,
    `defaults=`, `requires=`, `descriptions=` and dialects by name as TOML texts.
    """
    found = {f"catalogs/{item['version']}.json": json.dumps(item).encode() for item in catalogs}
    for name, text in toml.items():
        file = f"{name}.toml"
        found[file if file in SINGLE else f"dialects/{file}"] = text.encode()
    return found


@functools.cache
def of_the_project() -> Tables:
    """The tables of mappings/, loaded once; nothing in them can be changed."""
    return load(MAPPINGS)


def tables(*catalogs: dict[str, Any], **toml: str) -> Tables:
    return parse(files(*catalogs, **toml))


def of_versions(found: Tables, versions: Collection[str]) -> Tables:
    """Tables with the catalogs of some versions only."""
    return Tables(
        {
            name: table
            for name, table in found.files.items()
            if not isinstance(table, Catalog) or table.version in versions
        }
    )


def write(folder: Path, content: Mapping[str, bytes]) -> Path:
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


HEAD = '[dialect]\nname = "mine"\nsources = ["https://example.org"]\n'


def variable(name: str, target: str, *more: str) -> str:
    """A [[variable]] of role flag, without its header."""
    return "\n".join([f'name = "{name}"', 'role = "flag"', f'flag = "{target}"', *more])


def said(rule: Rule, found: Tables) -> list[str]:
    """What one rule says, and that lint as a whole says it, too."""
    problems = list(rule(Context(found)))
    assert set(problems) <= set(lint(found))
    return [str(problem) for problem in problems]
