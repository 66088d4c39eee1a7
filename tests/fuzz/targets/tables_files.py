"""Tables: a user's own, in TOML and JSON, loaded, linted, compiled and read back."""

from __future__ import annotations

import functools

from fuzz.laws import Broken, answer, bounded
from fuzz.taker import Taker
from translator import args_to_env, env_to_args
from translator.authoring.compile import compile_loaded
from translator.authoring.compiled import catalog_of
from translator.authoring.lint.lint import lint
from translator.authoring.load import parse
from translator.authoring.sources import TablesError
from translator.model.tables import Tables
from translator.tables.catalog import Tables as Running

_FILES = (
    "dialects/x.toml",
    "clusters/x.toml",
    "changes.toml",
    "secrets.toml",
    "catalogs/1.2.3.json",
)
_FIRST = b'[dialect]\nname = "x"\nsources = ["https://example.org"]\n'


@functools.cache
def _base() -> Tables:
    """One version is enough to lint a table against."""
    return Tables(catalogs=(catalog_of("0.33.0"),))


def _table(name: str, content: bytes) -> None:
    try:
        tables = parse({name: content})
        problems = lint(tables, _base())
    except TablesError as error:
        if not error.problems or not str(error):
            raise Broken("refused without a problem") from None
        return
    for problem in problems:
        str(problem)
    if any(problem.severity == "error" for problem in problems) or name.startswith("catalogs"):
        return
    running = Running(compile_loaded(tables))
    for dialect in ("x", "runpod"):
        if running.records(f"dialect.{dialect}.json"):
            answer(
                lambda dialect=dialect: env_to_args(
                    {"MODEL": "m", "A": "1", "X": "true"},
                    vllm="0.33.0",
                    dialect=dialect,
                    tables=running,
                )
            )
            answer(
                lambda dialect=dialect: args_to_env(
                    ["m", "--enforce-eager", "--dtype=half"],
                    vllm="0.33.0",
                    dialect=dialect,
                    tables=running,
                )
            )


def run(data: bytes) -> None:
    """A kind of file, and its content."""
    taker = Taker(data)
    kind = taker.byte() % (len(_FILES) + 1)
    content = taker.data
    with bounded():
        if kind == len(_FILES):
            _table(_FILES[0], _FIRST + content)
        else:
            _table(_FILES[kind], content)
