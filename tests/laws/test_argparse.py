"""Our reader of command lines against Python's own argparse, for all that argparse alone decides.

A parser with the same spellings, kinds and one positional is built from each catalog, and both read
the same spoilt command lines. vLLM's own liberties (dotted keys, -O3, --model moved to the front,
--config) are switched off here; tests/real asks the real parsers about those.
"""

from __future__ import annotations

import argparse
import copy
import functools
import re
import shlex
import sys
from typing import Any, NoReturn

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from laws.strategies import MODEL, VERSIONS, catalog, command_lines, examples, flags, spelled
from translator.argv.parser import parse
from translator.settings import same
from translator.tables.catalog import Catalog, Flag, Grammar
from translator.tables.shapes import problems
from translator.values import BadValue, from_token

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11),
    reason=(
        "the grammar is that of Python 3.11, which vLLM's images have: others decide some corner"
        " cases otherwise"
    ),
)


class RefusedError(Exception):
    """argparse would have printed this and ended the program."""


class Reference(argparse.ArgumentParser):
    """argparse, with an exception in the place of its exit."""

    def error(self, message: str) -> NoReturn:
        raise RefusedError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise RefusedError(message or "help")

    def print_help(self, file: Any = None) -> None:
        """Nothing: it is 300 lines."""


class Switch(argparse.Action):
    """On, or off by one of its negations."""

    def __init__(self, option_strings: list[str], dest: str, negations: list[str]) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS)
        self.negations = negations

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, option_string not in self.negations)


def reader_of(flag: Flag, where: Catalog) -> Any:
    """A `type` for argparse: plain Python where that is all there is to it, else our own codec
    (which has tests of its own).
    """
    shape = where.shape(flag.flag) if flag.shaped else None

    def read(text: str) -> Any:
        if (flag.nullable and text == "None") or (flag.empty and text == ""):
            return None
        if flag.choices is None and flag.kind in ("int", "float", "str"):
            return {"int": int, "float": float, "str": str}[flag.kind](text)
        try:
            value = from_token(flag, text)
        except BadValue as error:
            raise argparse.ArgumentTypeError(error.code) from None
        if shape is not None and value is not None and any(problems(value, shape)):
            raise argparse.ArgumentTypeError("keys")
        return value

    return read


@functools.cache
def plain(version: str, required: bool) -> Catalog:
    """The catalog of a version with nothing but argparse in its grammar, and no key that
    changes.toml would carry elsewhere.
    """
    found = copy.copy(catalog(version))
    found.grammar = Grammar({"model_required": required})
    found.tables = copy.copy(found.tables)
    found.tables.kept = {}  # what is derived from no records must not be taken for the shipped tables
    found.tables.records = lambda name: {}  # type: ignore[method-assign]
    return found


@functools.cache
def reference(version: str, required: bool) -> Reference:
    """argparse's own parser with everything that the catalog knows."""
    made = Reference(prog="vllm serve")
    made.add_argument(
        "@model", **({} if required else {"nargs": "?", "default": argparse.SUPPRESS})
    )
    for flag in catalog(version).flags():
        names = [flag.flag, *flag.aliases]
        if not flag.takes_value:
            made.add_argument(
                *names, *flag.negations, action=Switch, dest=flag.flag, negations=flag.negations
            )
            continue
        facts: dict[str, Any] = {
            "dest": flag.flag,
            "type": reader_of(flag, catalog(version)),
            "default": argparse.SUPPRESS,
        }
        if flag.bare:
            facts.update(nargs="?", const=True)
        elif flag.kind == "list":
            facts["nargs"] = "+"
        elif flag.kind == "append":
            facts.update(action="append", default=None)
        made.add_argument(*names, **facts)
    return made


def by_argparse(tokens: list[str], version: str, required: bool) -> dict[str, Any] | str:
    """What argparse reads (or why it does not), underscores in names being dashes, as vLLM has
    it.
    """
    dashed = [
        re.sub(r"^--[^=]*", lambda name: name[0].replace("_", "-"), token) for token in tokens
    ]
    try:
        found = vars(reference(version, required).parse_args(dashed))
    except RefusedError as error:
        return str(error)
    return {
        name: value
        for name, value in found.items()
        if value is not None or name not in appended(version)
    }


@functools.cache
def appended(version: str) -> frozenset[str]:
    """The flags with `append`, whose absence shows as None."""
    return frozenset(flag.flag for flag in catalog(version).flags() if flag.kind == "append")


def by_us(tokens: list[str], version: str, required: bool) -> dict[str, Any] | str:
    """The same by our reader."""
    parsed = parse(tokens, plain(version, required))
    if parsed.findings:
        return "; ".join(item.message for item in parsed.findings)
    found = {name: value for name, (value, _) in parsed.settings().items()}
    return found if parsed.model is None else {"@model": parsed.model, **found}


STRAY = st.sampled_from(
    (
        "abc", "-1", "-1.5", "-.5", "--", "-", "", "--x", "-x", "3", "{}", "=", "--=", "-=", "--no-", "--enable-", "-tp", "-tp2", "-q", "-qawq", "-q=awq",
        "--enforce-eager=1", "--enforce-eager=",
        "true", "None", "two words", "-two words", "--two words", "-1 2", "--help", "-h", "-hx", "--hel", "-tpx", "-1k", "--max-model-len=", "- ", "-٣",
    )
)  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn, version: str) -> list[str]:
    """A command line with up to three mistakes in it."""
    tokens = draw(command_lines(version))
    if draw(st.integers(0, 3)) == 0:
        tokens = [*tokens[1:], MODEL] if draw(st.booleans()) else tokens[1:]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(len(tokens) - 1, 0)))
        here = tokens[at : at + 1]
        name, sign, value = here[0].partition("=") if here else ("", "", "")
        how = draw(st.integers(0, 8))
        if how == 0:
            tokens[at : at + 1] = []
        elif how == 1:
            tokens[at:at] = here
        elif how == 2:
            tokens[at : at + 1] = (
                [name, value] if sign else [name[: draw(st.integers(0, len(name)))]]
            )
        elif how == 3:
            tokens[at : at + 2] = ["=".join(tokens[at : at + 2])] if tokens else []
        elif how == 4:
            tokens[at : at + 2] = tokens[at : at + 2][::-1]
        elif how == 5:
            tokens[at : at + 1] = [name[: draw(st.integers(0, len(name)))] + sign + value]
        elif how == 6:
            tokens[at:at] = [draw(spelled(version, [draw(st.sampled_from(flags(version))).flag]))]
        else:
            tokens[at:at] = [draw(STRAY)]
    return [token for token in tokens if token != "--config"]


@examples(250)
@given(vllm=st.sampled_from(VERSIONS), data=st.data())
def test_spoilt_command_lines_are_read_as_argparse_reads_them(
    vllm: str, data: st.DataObject
) -> None:
    """Accepted by both or by neither; and then every flag has the same value."""
    tokens = data.draw(spoilt(vllm))
    # Of `--flag=--` Python 3.11 makes an empty list, whatever the type: nothing that vLLM could
    # use, and refused by us.
    assume(not any(re.fullmatch(r"--[^=]+=--|-[^-].*--", token) for token in tokens))
    required = data.draw(st.booleans())
    theirs, ours = by_argparse(tokens, vllm, required), by_us(tokens, vllm, required)
    event("refused" if isinstance(theirs, str) else "read")
    assert isinstance(ours, str) == isinstance(theirs, str), (shlex.join(tokens), ours, theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), shlex.join(tokens)
        for name in ours:
            assert same(ours[name], theirs[name]), (name, shlex.join(tokens))


@pytest.mark.parametrize("vllm", [VERSIONS[0], VERSIONS[-1]])
def test_every_spelling_and_abbreviation_is_found_as_argparse_finds_it(vllm: str) -> None:
    """Each spelling, and each beginning of one, alone: the same flag, or refused by both."""
    beginnings = {
        spelling[:end]
        for spelling in catalog(vllm).spellings()
        for end in range(2, len(spelling), 3)
    }
    for token in [*catalog(vllm).spellings(), *sorted(beginnings)]:
        theirs, ours = by_argparse([token], vllm, False), by_us([token], vllm, False)
        assert type(ours) is type(theirs), (token, ours, theirs)
        if isinstance(ours, dict):
            assert ours == theirs, token
