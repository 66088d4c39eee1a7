"""What vLLM decides at its start where its parser has no default (mappings/defaults.toml): the
engine's own arguments decide the same, on a small GPU and on large ones.
"""

import re
from typing import Any

import pytest
import tomllib
from support.catalogs import catalog

from translator.core.tables.versions import Version

from .install import CHECKOUT
from .laws import Tally
from .parsers import Parsers


def told(version: str) -> dict[str, dict[str, str]]:
    """What defaults.toml says of a version, by the field of the flag: of every flag in it that has
    no default in the parser; {} where no span is about the version.
    """
    table = tomllib.loads((CHECKOUT / "mappings" / "defaults.toml").read_text(encoding="utf-8"))
    open_ = {
        flag["flag"]: flag["dest"]
        for flag in catalog(version)["flags"]
        if flag.get("default") is None
    }
    here = Version(version)
    found: dict[str, dict[str, str]] = {}
    for entry in table["default"]:
        if entry["name"] in open_ and "at_start" in entry:
            spans = [
                span
                for span in entry["at_start"]
                if Version(span.get("since", version))
                <= here
                <= Version(span.get("until", version))
            ]
            found[open_[entry["name"]]] = spans[0] if spans else {}
    return found


def agrees(span: dict[str, str], decided: list[Any]) -> bool:
    """Whether one value is what every GPU gets, or each alternative of a text what some GPU gets."""
    alternatives = span.get("depends", "").split(", or ")
    words = (
        {span["value"]} if "value" in span else {re.split("[ ,]", one)[0] for one in alternatives}
    )
    return words == {str(value).lower() for value in decided}


def test_what_it_decides_itself(version: str, parsers: Parsers, tally: Tally) -> None:
    """Every flag of the table that the engine's arguments decide."""
    decided = parsers.ask(version, op="decides")
    if not decided:
        pytest.skip("other classes decide")
    for field, span in told(version).items():
        answers = [said[field] for said in decided.values() if field in said]
        if not answers or (None in answers and field != "seed"):
            continue  # another class decides it
        tally.asked += 1
        if agrees(span, answers):
            tally.accepted += 1
        else:
            tally.add("decides otherwise", field, f"  the engine: {answers}; the table: {span}")
    assert tally.asked
    tally.settle()
