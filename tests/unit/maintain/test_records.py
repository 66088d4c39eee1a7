"""The classes that run hold what the model holds, and are fresh."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

import translator
from translator.core.tables import records
from translator.core.tables.catalog import shipped
from translator.core.text.json_text import scan
from translator.maintain import model
from translator.maintain import records as writing
from translator.maintain.compile import COMPILED, ENTRIES, RECORDS
from translator.maintain.model import catalog, changes, platforms, programs
from translator.maintain.model.schema import file_name, structure, unstructure


def compiled() -> Iterator[tuple[type, dict[str, Any]]]:
    """Every compiled record that a class is for, with its name in it."""
    tables = shipped()
    seen: set[tuple[str, str]] = set()
    for version in tables.versions():
        for name, line in tables.catalog(version).lines.items():
            if name[0] != "@" and (name, line) not in seen:
                seen.add((name, line))
                flag = name[0] == "-"
                cls, called = (catalog.Flag, "flag") if flag else (catalog.Variable, "name")
                record = {called: name, **scan(line, 0)[0]}
                for part in ("shape", "start") if flag else ():
                    if record.get(part, {}).get("kind") == "object":
                        record[part] = shipped().catalog(version).shape(name)
                yield cls, record
    for name in tables.dialects():
        table = tables.records(f"dialect.{name}.json")
        yield platforms.DialectHead, table["@dialect"]
        if "@consumer" in table:
            yield platforms.Consumer, table["@consumer"]
        for variable, record in table.items():
            if variable[0] != "@":
                yield platforms.DialectVariable, {"name": variable, **record}
    for name, record in tables.records("plugins.json").items():
        yield programs.Plugin, {"name": name, **record}


def as_data(value: Any) -> Any:
    """A value of the model or of a class that runs, as data."""
    if isinstance(value, (list, tuple)):
        return [as_data(item) for item in value]
    if isinstance(value, Mapping):
        return {name: as_data(item) for name, item in value.items()}
    if type(value) in writing.CLASSES:
        return fields_of(value, type(value))
    return unstructure(value) if attrs.has(type(value)) else value


def fields_of(value: Any, cls: type) -> dict[str, Any]:
    """The fields that a class of the model has, of an object of it or of the one that runs."""
    return {field.name: as_data(getattr(value, field.name)) for field in writing.fields(cls)}


def same(cls: type, record: dict[str, Any]) -> bool:
    runs = getattr(records, cls.__name__)(record)
    return fields_of(runs, cls) == fields_of(structure(record, cls), cls)


def test_what_runs_equals_the_model() -> None:
    """Of every compiled record, nested and renamed fields included."""
    assert [record for cls, record in compiled() if not same(cls, record)] == []


@pytest.mark.parametrize("version", shipped().versions())
def test_the_grammar_that_runs_equals_the_model(version: str) -> None:
    found = shipped().catalog(version).grammar
    assert same(catalog.Grammar, vars(found))


@pytest.mark.parametrize(
    ("name", "text"), [(RECORDS, writing.source()), (ENTRIES, writing.types())]
)
def test_the_modules_are_fresh(name: str, text: str) -> None:
    assert (COMPILED / name).read_text(encoding="utf-8") == text, "run `translate tables compile`"


def keys_of(node: ast.AST) -> list[ast.expr]:
    """What stands where a key does: `entry[key]`, `entry.get(key)`, `key in entry`."""
    if isinstance(node, ast.Call):
        return node.args
    if isinstance(node, ast.Subscript):
        return [node.slice]
    return [node.left] if isinstance(node, ast.Compare) else []


def names_read() -> Iterator[str]:
    """The attributes and the keys that the package reads, beside the model and what is written from it."""
    written = {(COMPILED / name).resolve() for name in (RECORDS, ENTRIES)}
    for path in Path(translator.__file__).parent.rglob("*.py"):
        if path.parent.name == "model" or path.resolve() in written:
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield node.attr
            for key in keys_of(node):
                if isinstance(key, ast.Constant):
                    yield str(key.value).removeprefix("@")


def test_every_field_of_the_tables_is_read() -> None:
    """mypy holds that each key is a field, and this that each field is a key: vulture sees attributes only."""
    read = {*names_read(), "same", "beginnings"}  # by the model itself, and by a name in a loop
    modules = (model, catalog, changes, platforms, programs)
    classes = [cls for module in modules for cls in vars(module).values() if attrs.has(cls)]
    fields = [
        (cls.__name__, {field.name, file_name(field)})
        for cls in classes
        for field in attrs.fields(cls)
    ]
    assert [(name, called) for name, called in fields if not called & read] == []
