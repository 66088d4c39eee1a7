"""YAML that PyYAML crashes on, that expands, or that nests."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import tomllib

from translator.core.text.json_text import YamlError
from translator.core.text.words import place
from translator.formats import yaml_nodes
from translator.formats.yaml_nodes import documents, scalar_text

REFUSED = {
    '!!int ""': "`!!int` cannot",
    "!!int x": "`!!int` cannot",
    "!!float _": "`!!float` cannot",
    '!!float ""': "`!!float` cannot",
    "!!bool": "`!!bool` cannot",
    "!!bool secret": "`!!bool` cannot",
    "!!timestamp secret": "`!!timestamp` cannot",
    "!!timestamp 2001-99-99": "`!!timestamp` cannot",
    "2001-99-99": "`!!timestamp` cannot",
    "!!binary secre": "base64",
    "!!set x": "expected a mapping",
    "!!python/name:os x": "constructor",
    "=": "constructor",
    "1" + ":59" * 3000: "`!!int` cannot",
    "1" + ":5" * 400 + ".5": "`!!float` cannot",
    "0x" + "f" * 4200: "`!!int` cannot",
    "9" * 5000: "`!!int` cannot",
    "{<<: 3}": "merging",
    "{<<: [3]}": "merging",
    "{? [a] : b}": "unhashable",
    "&a [*a]": "contains itself",
    "&a {b: *a}": "contains itself",
    "&a {<<: *a}": "contains itself",
    "{18446744073709551616: x}": "too long a number",
    "[" * 300 + "]" * 300: "too deep",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_value_is_one_error_with_its_line(text: str) -> None:
    with pytest.raises(YamlError) as caught:
        yaml_nodes.load(f"# a comment\na: {text}\n")
    assert REFUSED[text] in str(caught.value)
    assert "secre" not in str(caught.value)
    if "contains" not in str(caught.value) and "deep" not in str(caught.value):
        assert str(caught.value).startswith("line 2: ")


def test_what_has_a_value_keeps_it() -> None:
    """As yaml.safe_load reads it."""
    text = (
        "a: 1:30\nb: 1:30.5\nc: 2001-01-01\nd: !!null x\ne: 0x1F\nf: &f {g: 1}\nh: {<<: *f, i: 2}\n"
    )
    assert yaml_nodes.load(text)[0] == {
        "a": 90,
        "b": 90.5,
        "c": datetime.date(2001, 1, 1),
        "d": None,
        "e": 31,
        "f": {"g": 1},
        "h": {"g": 1, "i": 2},
    }


def test_aliases_have_a_budget() -> None:
    """Of characters and of values; one alias of a long text is no bomb."""
    long = "x" * 100_000
    assert len(yaml_nodes.load(f"a: &a {long}\nb: [*a, *a]\n")[0]["b"]) == 2
    with pytest.raises(YamlError, match="aliases add more than"):
        yaml_nodes.load(f"a: &a {long}\nb: [{'*a, ' * 20}]\n")
    levels = "a0: &a0 [x]\n" + "".join(
        f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}]\n" for at in range(1, 40)
    )
    with pytest.raises(YamlError, match="more than 100000 values"):
        yaml_nodes.load(levels)


def test_the_places_in_single_quotes_where_a_backslash_is_one() -> None:
    """As in a chat template: kubernetes-sigs/inference-perf, tests/optional/multimodal."""
    (node,) = documents("- 'a ''b'' \\n c'\n")
    text = scalar_text(node.value[0])
    assert text == "a 'b' \\n c"
    assert [place(text, text.index(part)) for part in ("a", "b", "\\n", "c")] == [
        ("", 1, 4), ("", 1, 8), ("", 1, 12), ("", 1, 15)
    ]  # fmt: skip


TESTS = Path(__file__).parents[2]


def texts_in(value: Any) -> Iterator[str]:
    """The texts of a case that may be YAML."""
    if isinstance(value, str):
        if "\n" in value or ": " in value or "{" in value:
            yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_in(item)


def shown(text: str) -> Any:
    """What is read: each node with what says where it is; or the error."""
    try:
        nodes = [part for node in documents(text) for part in yaml_nodes.every(node)]
    except YamlError as error:
        return str(error)
    return [
        (
            type(node), node.tag, str(node.value) if isinstance(node, yaml.ScalarNode) else len(node.value),
            bool(getattr(node, "flow_style", False)), getattr(node, "style", "") or "",
            node.start_mark.line, node.start_mark.column, node.start_mark.pointer, node.end_mark.pointer,
            yaml_nodes.place_of(node), getattr(scalar_text(node), "parts", ()),
        )
        for node in nodes
    ]  # fmt: skip


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="this PyYAML is without libyaml")
def test_libyaml_reads_what_pyyaml_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the tests read as YAML, and much that is none: nodes, places, errors, limits."""
    cases = (tomllib.loads(path.read_text("utf-8")) for path in (TESTS / "cases").rglob("*.toml"))
    texts = {text for case in cases for text in texts_in(case)}
    texts |= {f"a: {text}\n" for text in REFUSED} | {"a: ? b", "a:\tb", "a: [b: , c]", "a: |#\n", "a: !b", "\ufeffa: b", "&a {b: *a}"}  # fmt: skip
    for corpus in ("yaml", "manifests"):
        texts |= {path.read_text("utf-8") for path in (TESTS / "fuzz/corpus" / corpus).iterdir()}
    quick = {text: shown(text) for text in texts}
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert [text for text in texts if quick[text] != shown(text)] == []
    assert sum(isinstance(found, list) for found in quick.values()) > 1500
