"""The schema of files of variables, against what `check` says of single variables."""

from __future__ import annotations

import json
from typing import Any

import pytest

from translator import check
from translator.json_schema import env_schema
from translator.settings.scope import scope as scope_of
from translator.tables.catalog import shipped

jsonschema = pytest.importorskip("jsonschema", reason="the extra `test` has jsonschema")

VALUES = ("", "None", "true", "FALSE", "2", "-1", "25.6k", "AUTO", "0.5", "abc", "a,b", "inf")


def schema_of(version: str, dialect: str) -> dict[str, Any]:
    found = env_schema(scope_of(version, dialect, {}, shipped())[0])
    return json.loads(json.dumps(found))


@pytest.mark.parametrize(
    ("version", "dialect"),
    [("0.33.0", "runpod"), ("0.20.2", "sagemaker"), ("0.9.1", "lmi"), ("0.12.0", "prefix:MY_")],
)
def test_what_check_accepts_fits(version: str, dialect: str) -> None:
    schema = schema_of(version, dialect)
    validator = jsonschema.Draft202012Validator
    asked = refused = 0
    for number, (name, found) in enumerate(schema["properties"].items()):
        own = validator(found)
        assert not own.is_valid(1), name
        values = [*VALUES[number % 3 :: 3], *found.get("examples", ())[:2]]
        for text in values:
            if own.is_valid(text):
                continue
            asked += 1
            told = check({name: text}, vllm=version, dialect=dialect)
            refused += any(item.severity == "error" and item.subject == name for item in told)
    assert asked == refused > 50


def test_it_is_a_schema_of_draft_2020_12() -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of("0.6.6", "nim"))


def test_every_other_name_is_free() -> None:
    assert jsonschema.Draft202012Validator(schema_of("0.33.0", "runpod")).is_valid({"PATH": "/bin"})


def test_a_default_is_a_string_and_vllms_own_is_described() -> None:
    properties = schema_of("0.33.0", "runpod")["properties"]
    assert all(isinstance(found.get("default", ""), str) for found in properties.values())
    assert "default 0" in properties["LOCAL_RANK"]["description"]


def test_choices_are_examples_and_a_pattern() -> None:
    dtype = schema_of("0.27.1", "runpod")["properties"]["DTYPE"]
    assert "bfloat16" in dtype["examples"]
    own = jsonschema.Draft202012Validator(dtype)
    assert own.is_valid("bfloat16")
    assert own.is_valid("")
    assert not own.is_valid("fp9")
