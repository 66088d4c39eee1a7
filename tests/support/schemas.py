"""What the JSON Schemas in docs/schemas say of a document. A result may get further fields later,
so that they allow any; here, none but those that are described.
"""

import functools
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


def schema(name: str) -> Any:
    """A schema as it is published, such as that of "check"."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


@functools.cache
def _closed(name: str) -> Draft202012Validator:
    whole = schema(name)
    Draft202012Validator.check_schema(whole)
    for part in whole.get("$defs", {}).values():
        part["additionalProperties"] = False
    return Draft202012Validator(whole)


def problems(name: str, document: Any) -> list[str]:
    """What a schema says is wrong with a document."""
    return [
        f"{error.json_path}: {error.message[:300]}" for error in _closed(name).iter_errors(document)
    ]
