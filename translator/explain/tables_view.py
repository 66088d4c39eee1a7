"""The tables for people and for programs: the JSON form of the contract, text, and Markdown."""

from __future__ import annotations

from translator.explain.page import KINDS
from translator.text.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.dialects.scope import Scope
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag, Variable
    from translator.tables.shapes import Shape


BEGIN, END = "<!-- begin: translate tables docs -->", "<!-- end: translate tables docs -->"


def catalog_json(catalog: Catalog) -> dict[str, Any]:
    """What a version accepts, as `tables show --format json` prints it."""
    variables = [catalog.variable(name) for name in catalog.variable_names()]
    return {
        "version": catalog.version,
        "flags": [flag_json(flag, catalog) for flag in catalog.flags()],
        "env": [variable_json(item) for item in variables if item is not None],
    }


def flag_json(flag: Flag, catalog: Catalog) -> dict[str, Any]:
    found: dict[str, Any] = {
        "flag": flag.flag,
        "aliases": list(flag.aliases),
        "negations": list(flag.negations),
        "kind": flag.kind,
        "choices": flag.choices,
        "nullable": flag.nullable,
        "default": _default(flag.default),
        "deprecated": flag.deprecated,
    }
    shape = catalog.shape(flag.flag) if flag.shaped else None
    keys = keys_json(shape) if shape is not None else None
    if keys is not None:
        found["keys"] = keys
    return found


def variable_json(variable: Variable) -> dict[str, Any]:
    return {
        "name": variable.name,
        "kind": variable.kind,
        "choices": variable.choices,
        "default": _default(variable.default),
    }


def _default(text: str | None) -> Any:
    return None if text is None else loads(text)


def keys_json(shape: Shape) -> dict[str, Any] | None:
    """The keys of a shape, nested; None where a value has no fixed keys."""
    if shape["kind"] == "union":
        return next(
            (keys for option in shape["of"] if (keys := keys_json(option)) is not None), None
        )
    if shape["kind"] != "object":
        return None
    return {
        key: {"kind": inner["kind"], "choices": _choices(inner), "keys": keys_json(inner)}
        for key, inner in shape["keys"].items()
    }


def _choices(shape: Shape) -> list[Any] | None:
    if shape["kind"] == "union":
        found = [_choices(option) for option in shape["of"]]
        return (
            [choice for item in found if item is not None for choice in item]
            if all(item is not None for item in found)
            else None
        )
    choices: list[Any] | None = shape.get("choices")
    return choices


def catalog_text(catalog: Catalog) -> str:
    """What a version accepts, a flag or variable a line."""
    lines = [f"vLLM {catalog.version}: {len(catalog.flag_names())} flags"]
    for flag in catalog.flags():
        others = " ".join((*flag.aliases, *flag.negations))
        about = flag.kind + (
            f" ({', '.join(str(item) for item in flag.choices)})" if flag.choices else ""
        )
        lines.append(
            f"  {flag.flag}{f' {others}' if others else ''}:"
            f" {about}{'; deprecated' if flag.deprecated else ''}"
        )
    lines.append(f"{len(catalog.variable_names())} variables")
    for name in catalog.variable_names():
        variable = catalog.variable(name)
        if variable is not None:
            lines.append(
                f"  {name}: {variable.kind}"
                + (f" ({', '.join(variable.choices)})" if variable.choices else "")
            )
    return "\n".join(lines) + "\n"


def dialect_markdown(scope: Scope) -> str:
    """The variables of a dialect as a table: what each sets in the scope's version, how it is
    written, its documented default.
    """
    lines = ["| variable | sets | written as | default | note |", "| --- | --- | --- | --- | --- |"]
    for name, fields in scope.dialect.items():
        if name.startswith("@"):
            continue
        role = fields.get("role", "")
        sets, written = _meaning(fields, scope)
        note = fields.get("note", "")
        if fields.get("unset"):
            note = " ".join(filter(None, (note, f"{', '.join(fields['unset'])} sets nothing.")))
        default = f"`{_cell(fields['default'])}`" if fields.get("default") else ""
        lines.append(f"| `{name}` | {sets or role} | {written} | {default} | {_cell(note)} |")
    return "\n".join(lines) + "\n"


def _meaning(fields: dict[str, Any], scope: Scope) -> tuple[str, str]:
    role = fields.get("role")
    if role == "flag":
        target = fields["flag"] + (f".{fields['key']}" if fields.get("key") else "")
        sets = f"`{target}`" + (", inverted" if fields.get("inverted") else "")
        flag = scope.catalog.flag(fields["flag"])
        if flag is None:
            return sets, ""
        if fields.get("key"):
            return sets, "JSON or text"
        return sets, (
            _cell(" or ".join(f"`{item}`" for item in flag.choices))
            if flag.choices and len(flag.choices) <= 6
            else KINDS[flag.kind]
        )
    if role == "choice":
        sets = loads(fields["sets"])
        flags = dict.fromkeys(f"`{flag}`" for parts in sets.values() for flag in parts)
        return " and ".join(flags), _cell(" or ".join(f"`{value}`" for value in sets))
    return {
        "worker": "nothing in vLLM: the worker reads it",
        "environment": "stays in the environment",
        "reserved": "nothing: reserved",
    }.get(str(role), str(role)), ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def with_block(text: str, made: str) -> str:
    """A document with the generated block replaced.

    Raises:
        ValueError: it has no such block.
    """
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise ValueError(f"it has no lines {BEGIN} and {END}")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{made}\n{END}{rest.partition(END)[2]}"
