"""Variables that were recorded, written as a whole start of vLLM's image: `check` finds nothing that
it does not find in the command line alone, and what is read back sets the same.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import recordings
from support.examples import some

from laws.meaning import meaning, unlike
from laws.test_generations import RECORD
from translator import Translation, TranslationError, check, check_file
from translator.core.argv.reader import strip_command
from translator.core.env.vllm_variables import is_read
from translator.core.tables.catalog import shipped
from translator.core.tables.images import image_of
from translator.core.translate import translate_env
from translator.deployments.read import Context
from translator.deployments.read.registry import read_text
from translator.formats.forms import CommandLine
from translator.formats.registry import STARTS, write_argv
from translator.translations import named_scope

DIALECTS = sorted({*RECORD, *recordings.names()})
FILES = {"k8s": "a.yaml", "compose": "compose.yaml", "docker": "a.sh", "quadlet": "a.container"}

# What no start of one container has a place for.
LEFT = {
    ("not-expressible", "machines"),
    ("not-expressible", "config"),
    ("not-in-file", "secret"),
    ("not-in-file", "reference"),
    ("not-in-file", "compose"),
}


def environments(dialect: str) -> Iterator[dict[str, str]]:
    """Variables of a dialect that were recorded: what its program made of them, or what arrives."""
    if dialect in RECORD:
        lines = RECORD[dialect]["arrive"].values()
        yield from ({"MODEL_NAME": "m", **env} for env in lines)
    else:
        yield from (run.env for run in recordings.runs(dialect))


def lines(dialect: str, most: int) -> Iterator[tuple[Translation, CommandLine]]:
    """What of the recorded variables translates, at most so many of them."""
    version = (RECORD.get(dialect) or recordings.read(dialect))["vllm"]
    every = {json.dumps(env): env for env in environments(dialect)}
    step = max(1, len(every) // most)
    for env in [*every.values()][::step]:
        scope, _ = named_scope(version, dialect, env, None)
        try:
            translation = translate_env(env, scope)
        except TranslationError:
            continue
        own = {name: it for name, it in translation.env.items() if is_read(name, [], scope.catalog)}
        groups, values = [tokens for _, tokens in translation._groups], translation._done.values
        yield translation, CommandLine(groups, scope.catalog, own, values=values)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_written_is_fine_and_comes_back(dialect: str, tmp_path: Path) -> None:
    version = (RECORD.get(dialect) or recordings.read(dialect))["vllm"]
    is_module = image_of(f"vllm/vllm-openai:v{version}", shipped()).module
    written = 0
    for turn, (translation, line) in enumerate(lines(dialect, 40)):
        for form in some(STARTS, turn):
            text, findings = write_argv(form, line)
            assert {(item.code, item.case) for item in findings} <= LEFT, translation.argv
            if not text:
                continue
            left = {flag for item in findings for flag in item.facts.get("flags", ())}
            path = tmp_path / FILES[form]
            path.write_text(text, "utf-8")
            known = {item.code for item in check(translation.argv, version)}
            found = [it for it in check_file(path) if it.severity != "info"]
            assert {item.code for item in found} <= known, text
            words = strip_command(read_text(text, Context(), path.name).tokens)[0]
            read, wanted = meaning(words, version, module=is_module), translation.argv[2:]
            if (given := meaning(wanted, version)) is not None:
                assert not unlike(read, given).keys() - left, text
                written += 1
    assert written
