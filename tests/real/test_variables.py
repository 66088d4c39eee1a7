"""vLLM's own variables: what we let through does not crash vLLM, what we refuse would have."""

from __future__ import annotations

from support.samples import in_capitals

from .catalogs import SECRETS, native
from .laws import Tally, variables
from .parsers import Parsers

TEXTS = (
    "1",
    "0",
    "true",
    "false",
    "True",
    "yes",
    "abc",
    "-1",
    "1.5",
    "auto",
    "DEBUG",
    "/x",
    "a,b",
    "{}",
    "tcp://10.0.0.1:8000",
)


def test_every_variable_with_every_value(version: str, parsers: Parsers, tally: Tally) -> None:
    """The whole table of the version, with values that people write."""
    reserved = {in_capitals(flag) for flag in SECRETS}
    variables(
        parsers,
        tally,
        [(name, text) for name in native(version) if name not in reserved for text in TEXTS],
    )
    tally.settle()
