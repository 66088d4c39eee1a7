"""What we say of each name (mappings/descriptions.toml) is in our own words: no line has six words
in a row with any text or comment of the sources that define vLLM's flags and variables; and the
examples are accepted.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tomllib

from translator.core.settings.scope import scope
from translator.core.tables.catalog import MODEL, shipped
from translator.reference.lookup import example

from .install import CHECKOUT, Installed
from .parsers import Parsers

LONGEST = 5  # words in a row that may be the same
SOURCES = (
    "config.py", "config/*.py", "engine/arg_utils.py", "envs.py", "scripts.py",
    "entrypoints/**/cli_args.py", "entrypoints/cli/serve.py",
)  # fmt: skip


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_]+(?:[-'./][a-z0-9_]+)*", text.lower())


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Each one word longer than may be the same."""
    found = words(text)
    for at in range(len(found) - LONGEST):
        yield tuple(found[at : at + LONGEST + 1])


@cache
def ours() -> dict[tuple[str, ...], str]:
    """Each run of words of a line → the name that has the line."""
    table = tomllib.loads((CHECKOUT / "mappings" / "descriptions.toml").read_text("utf-8"))
    lines = {**table["flag"], **table["variable"]}
    return {run: name for name, line in lines.items() for run in runs(line)}


def texts(path: Path) -> Iterator[str]:
    """The string literals of a module, and its comments as one text."""
    code = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    yield " ".join(token.string for token in tokens if token.type == tokenize.COMMENT)


def test_in_our_own_words(version: str, installed: Installed) -> None:
    folder = installed.modules(version) / "vllm"
    paths = {path for source in SOURCES for path in folder.glob(source)}
    theirs = [text for path in paths for text in texts(path)]
    assert sum(map(len, map(words, theirs))) > 5_000
    same = {run for text in theirs for run in runs(text)} & ours().keys()
    assert {ours()[run]: " ".join(run) for run in sorted(same)} == {}


def test_examples_work(version: str, parsers: Parsers) -> None:
    """The real parser accepts the example of each flag where `explain` shows one."""
    there = scope(version, "runpod", {}, shipped())[0]
    given = tomllib.loads((CHECKOUT / "mappings" / "descriptions.toml").read_text("utf-8"))
    flags = filter(None, map(there.catalog.flag, given["example"].keys() - {MODEL}))
    made = [example(flag, there) for flag in flags]
    lines = [("m", *tokens) for text, tokens in made if text != "…"]
    answers = parsers.parse(version, lines)
    assert lines
    assert {line: answer.refused for line, answer in zip(lines, answers) if answer.refused} == {}
