"""The tables as running reads them: text files of records (see `translator.compact`)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from translator.compact import encode, escape

FORMAT = 1
COMPILED = Path(__file__).parent.parent / "_compiled"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _without_defaults(shape: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in shape.items() if name not in ("default", "custom")}
    if "keys" in found:
        found["keys"] = {key: _without_defaults(inner) for key, inner in found["keys"].items()}
    for name in ("items", "values"):
        if name in found:
            found[name] = _without_defaults(found[name])
    if "of" in found:
        found["of"] = [_without_defaults(inner) for inner in found["of"]]
    return found


def _grammar_fields(grammar: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in grammar.items() if name != "O"}
    if "O" in grammar:
        found["O"] = [f"{form}={key}" for form, key in grammar["O"].items() if key is not None]
    return found


def _flag_fields(flag: dict[str, Any]) -> dict[str, Any]:
    choices = flag.get("choices")
    found = {
        "kind": flag["kind"],
        "dest": flag["dest"],
        "aliases": flag["aliases"] or None,
        "negations": flag.get("negations") or None,
        "choices": None if choices is None else [str(item) for item in choices],
        "int_choices": bool(choices) and all(isinstance(item, int) for item in choices),
    }
    for name in ("fold", "nullable", "empty", "suffixes", "element", "objects", "syntax", "level", "false", "bare", "nargs", "deprecated", "required", "suppressed"):
        found[name] = flag.get(name)
    found["shape"] = "shape" in flag
    for name in ("const", "default"):
        found[name] = _json(flag[name]) if name in flag else None
    return found


def _variable_fields(variable: dict[str, Any]) -> dict[str, Any]:
    found = {name: variable.get(name) for name in ("kind", "true", "choices", "fold", "also", "not")}
    found["default"] = _json(variable["default"]) if "default" in variable else None
    return found


def compile_catalog(catalog: dict[str, Any]) -> dict[str, str]:
    """The two files of one version."""
    lines = [encode("@grammar", _grammar_fields(catalog["grammar"])), "%flags"]
    lines += [encode(flag["flag"], _flag_fields(flag)) for flag in catalog["flags"]]
    lines.append("%env")
    lines += [encode(variable["name"], _variable_fields(variable)) for variable in catalog["env"]]
    shapes = [escape(flag["flag"]) + "\t" + _json(_without_defaults(flag["shape"])) for flag in catalog["flags"] if "shape" in flag]
    return {f"{catalog['version']}.txt": "\n".join(lines) + "\n", f"{catalog['version']}.shapes.txt": "".join(line + "\n" for line in shapes)}


def _ranges(versions: list[str], having: set[str]) -> list[str]:
    """Successive versions as "first-last"."""
    found: list[list[str]] = []
    inside = False
    for version in versions:
        if version in having and inside:
            found[-1][1] = version
        elif version in having:
            found.append([version, version])
        inside = version in having
    return [f"{first}-{last}" for first, last in found]


def compile_index(catalogs: list[dict[str, Any]], digest: str) -> str:
    versions = [catalog["version"] for catalog in catalogs]
    having: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    for catalog in catalogs:
        version = catalog["version"]
        for flag in catalog["flags"]:
            having.setdefault(flag["flag"], set()).add(version)
            for spelling in flag["aliases"] + flag.get("negations", []):
                having.setdefault(spelling, set()).add(version)
                owners.setdefault(spelling, set()).add(flag["flag"])
        for variable in catalog["env"]:
            having.setdefault(variable["name"], set()).add(version)
    lines = [digest, encode("versions", {"in": versions}).replace("\tin:", ":")]
    for name in sorted(having):
        of = sorted(owners.get(name, ()))
        if len(of) > 1:
            raise ValueError(f"{name} belongs to {of}")
        lines.append(encode(name, {"in": _ranges(versions, having[name]), "of": of[0] if of else None}))
    return "\n".join(lines) + "\n"


def compile_tables(mappings: Path) -> dict[str, str]:
    """Every compiled file, by name, of the tables in a directory; only what is there is compiled."""
    digest = hashlib.sha256(f"format {FORMAT}\n".encode())
    for path in sorted(mappings.rglob("*")):
        if path.suffix in (".json", ".toml"):
            digest.update(f"{path.relative_to(mappings).as_posix()}\n{path.stat().st_size}\n".encode() + path.read_bytes())
    catalogs = [json.loads(path.read_text(encoding="utf-8")) for path in (mappings / "catalogs").glob("*.json")]
    catalogs.sort(key=lambda catalog: [int(part) for part in catalog["version"].split(".")])
    found = {"index.txt": compile_index(catalogs, digest.hexdigest())}
    for catalog in catalogs:
        found.update(compile_catalog(catalog))
    return found


def write(mappings: Path, target: Path = COMPILED) -> None:
    target.mkdir(exist_ok=True)
    for name, text in compile_tables(mappings).items():
        (target / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path("mappings"))
