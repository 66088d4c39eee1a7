"""The classes that run hold what the model holds, and are fresh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import pytest

from translator.authoring import records as writing
from translator.authoring.compile import COMPILED, RECORDS
from translator.model import catalog, changes, platforms, programs
from translator.model.schema import structure, unstructure
from translator.tables import records
from translator.tables.catalog import shipped
from translator.text.json_text import scan


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
    for record in tables.records("requires.json").values():
        yield changes.Refusal, record
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


def test_the_classes_are_fresh() -> None:
    written = (COMPILED / RECORDS).read_text(encoding="utf-8")
    assert written == writing.source(), "run `translate tables compile`"
