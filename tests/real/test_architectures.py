"""What vLLM's registry says of the architectures of models (mappings/architectures.toml)."""

import pytest

from translator.core.tables.catalog import ARCHITECTURES, shipped
from translator.core.tables.versions import Version, within

from .parsers import Parsers
from .record_architectures import FILE, added, spans, written


def test_what_the_registry_says(version: str, parsers: Parsers) -> None:
    """The table has the architectures of a release, each with its facts."""
    if Version(version) < Version("0.33.0"):
        pytest.skip("its registry says nothing of LoRA")
    table = shipped().records(ARCHITECTURES)
    answer = parsers.ask(version, op="architectures")
    told = {
        name: next((facts.split() for *span, facts in table.get(name, ()) if within(version, *span)), None)
        for name, facts in answer.items()
        if facts is not None
    }  # fmt: skip
    assert told
    assert {name: facts for name, facts in told.items() if facts != answer[name]} == {}


def test_a_release_is_added() -> None:
    """What a release says otherwise, or says no more, ends; what could not be looked at goes on."""
    table = {name: [(("pp",), "", "")] for name in ("Same", "Other", "Gone", "Unread")}
    answer = {"Same": ["pp"], "Other": ["mm", "pp"], "Unread": None, "New": ["mm"]}
    assert added(table, answer, "2", "1") == {
        "Same": [(("pp",), "", "")],
        "Other": [(("pp",), "", "1"), (("mm", "pp"), "2", "")],
        "Gone": [(("pp",), "", "1")],
        "Unread": [(("pp",), "", "")],
        "New": [(("mm",), "2", "")],
    }
    text = FILE.read_text("utf-8")
    assert written(text, spans(text)) == text
