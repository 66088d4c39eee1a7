"""Small tables for the tests of the authoring side, made in memory."""

import functools
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from cases import MAPPINGS, NEWEST, RELEASES

from translator.maintain.lint import lint
from translator.maintain.lint.rules import Context, Rule
from translator.maintain.load import load, parse
from translator.maintain.model import FACTS, SINGLE, Tables
from translator.maintain.model.catalog import Catalog

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

GRAMMAR = {
    "model": "both", "model_required": False, "dotted": True, "plus": True, "dotted_sizes": False,
}  # fmt: skip
MODEL = {"flag": "--model", "kind": "str", "aliases": []}
HOME = {"name": "VLLM_HOME", "kind": "str"}


def _rows(file: str, field: str, version: str) -> dict[str, Any]:
    """The lines of a file that are about a version, by name."""
    at = RELEASES.index(version)
    found = {}
    for line in (MAPPINGS / "vllm" / file).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        span = [row.pop(end, other) for end, other in (("since", RELEASES[0]), ("until", NEWEST))]
        if RELEASES.index(span[0]) <= at <= RELEASES.index(span[1]):
            found[row.pop(field)] = row
    return found


def committed(version: str) -> dict[str, Any]:
    """The committed catalog of a version, whole."""
    rows = _rows("flags.jsonl", "flag", version)
    objects = {}  # where keys go, by the name that they begin with
    flags = []
    for name, row in rows.items():
        if "." not in name:
            flags.append({"flag": name, "aliases": [], **row})
            row = row.get("shape") or row.get("start") or {}
        else:
            path, _, key = name.rpartition(".")
            objects[path][key] = row
        if row.get("kind") == "object":
            objects[name] = row.setdefault("keys", {})
    grammar = {name: row["value"] for name, row in _rows("grammar.jsonl", "fact", version).items()}
    env = [{"name": name, **row} for name, row in _rows("variables.jsonl", "name", version).items()]
    return {"version": version, "grammar": grammar, "flags": flags, "env": env}


def flag(name: str, kind: str = "str", **fields: Any) -> dict[str, Any]:
    """One entry of `flags`; a toggle gets its negation."""
    if kind == "toggle":
        fields.setdefault("negations", ["--no-" + name[2:]])
    return {"flag": name, "kind": kind, "aliases": [], **fields}


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
    `defaults=`, `relations=`, `descriptions=` and dialects by name as TOML texts.
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
    others = {name: table for name, table in found.files.items() if name != FACTS}
    catalogs = [item for item in found.catalogs if item.version in versions]
    others = {name: table for name, table in others.items() if not isinstance(table, Catalog)}
    return Tables({**others, **{item.version: item for item in catalogs}})


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
