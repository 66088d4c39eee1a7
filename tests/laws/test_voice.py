"""How the program speaks: plain words of the field, none of our own."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases.findings import produced

from translator.cli.app import COMMANDS, build
from translator.core.findings import Code, codes, texts_of

# What a reader who knows vLLM and containers would stumble over, as regular expressions.
FORBIDDEN = (
    r"carr(y|ies|ied|ying|ier|iers)", r"told", r"taken", r"stands? behind", r"asked for",
    r"(says?|gives) it to", r"what running reads", r"the one before it", r"as it stands",
    r"consumers?", r"settings", r"laws?", r"the dialect's (table|consumer)", r"a text",
)  # fmt: skip
WORDS = re.compile(rf"(?<![\w-])(?:{'|'.join(FORBIDDEN)})(?![\w-])", re.IGNORECASE)
CODE = re.compile(r"`[^`]*`|\{\w+\}|https?://\S+")


def slips(text: str) -> list[str]:
    """The forbidden words in a text, code and links left out."""
    return [match[0] for match in WORDS.finditer(CODE.sub("`…`", text))]


def strings_of(entry: Code) -> Iterator[str]:
    yield from (entry.title, entry.explanation)
    for case in entry.cases.values():
        yield from (*case["message"], *case.get("remedy", ()))


def test_the_texts_of_all_codes_are_plain() -> None:
    texts = {text: slips(text) for name in codes() for text in strings_of(texts_of(name))}
    assert {text: found for text, found in texts.items() if found} == {}


def test_all_messages_are_plain(tmp_path: Path) -> None:
    """As they are rendered, with the facts and what the tables say."""
    shown = {text for name in codes() for item in produced(name, tmp_path) for text in (item.message, item.hint)}  # fmt: skip
    assert {text: slips(text) for text in shown if slips(text)} == {}


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                yield from parsers(child)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_is_plain(command: str) -> None:
    """And short: an option's text is one line or two of a terminal."""
    for parser in parsers(build(command)[1][command]):
        assert slips(re.sub(r"\s+", " ", parser.format_help())) == [], parser.prog
        for action in parser._actions:
            assert len(action.help or "") <= 120, (parser.prog, action.option_strings)
