"""docs/data.md: the document of `tables show --all` has the documented fields, and no others."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.program import translate

from translator.core.tables.catalog import shipped
from translator.reference.versions import all_json, catalog_json

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
ROW = re.compile(r"^\| `([\w.\[\]]+)` \| ([^|]+) \|", re.MULTILINE)
TYPES = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "array of strings": list,
    "object": dict,
    "null": type(None),
    "any": object,
}


def documented() -> dict[str, str]:
    return {
        path: kinds.partition(";")[0].strip()
        for path, kinds in ROW.findall(PAGE.read_text("utf-8"))
    }


def fields(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a document and their values; what a default or the keys hold is free."""
    for name, item in value.items():
        here = f"{path}.{name}" if path else name
        yield here, item
        if isinstance(item, list) and name != "default":
            for each in item:
                if isinstance(each, dict):
                    yield from fields(each, f"{here}[]")


def test_the_documented_fields_and_no_others() -> None:
    known = documented()
    seen = set()
    for path, value in fields(all_json(shipped())):
        seen.add(path)
        assert isinstance(value, tuple(TYPES[kind] for kind in known[path].split(" or "))), path
        if known[path] == "array of strings":
            assert all(isinstance(item, str) for item in value), path
    assert seen == set(known)


def test_the_kinds_are_the_documented_ones() -> None:
    text = PAGE.read_text("utf-8")
    found = all_json(shipped())
    kinds = {
        item["kind"]
        for each in found["versions"]
        for part in ("flags", "env")
        for item in each[part]
    }
    roles = {item["role"] for each in found["dialects"] for item in each["variables"]}
    changes = {item["kind"] for item in found["changes"]}
    for word in kinds | roles | changes:
        assert f"`{word}`" in text


def test_a_key_of_a_flag_has_kind_choices_and_keys() -> None:
    def walk(keys: dict[str, Any] | None) -> int:
        for item in (keys or {}).values():
            assert set(item) == {"kind", "choices", "keys"}
            walk(item["keys"])
        return len(keys or {})

    newest = catalog_json(shipped().catalog(shipped().versions()[-1]))
    assert sum(walk(flag.get("keys")) for flag in newest["flags"]) > 50


def test_the_command_prints_it() -> None:
    done = translate("tables", "show", "--all", "--format", "json")
    assert json.loads(done.out)["format"] == 1
    assert translate("tables", "show", "--all").status == 2
