"""The file of --config: what we write, the real parser reads to the namespace of the command line;
what is in one, we read as it does.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import catalogs, forms

from translator.core.tables.catalog import shipped
from translator.formats.vllm_config import ConfigFiles, write

from .laws import (
    SECRET_DESTS,
    Argv,
    Case,
    Ours,
    Tally,
    accepted,
    compare,
    emitted,
    shell,
    there_and_back,
)
from .parsers import Parsers

VALUES = (
    True, False, 1, "1", 1.5, "auto", "a b", "-x", None, "None", ["a"], ["a", "b"], [],
    {"a": {"b": [1, True]}}, '{"a": 1}', "8k",
)  # fmt: skip

HIDDEN = {*SECRET_DESTS, "config"}


@pytest.fixture(autouse=True)
def reads_a_file(version: str) -> None:
    if "--config" not in catalogs.spellings(version):
        pytest.skip("this version reads no file")


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def test_what_is_written_is_read_to_the_same(
    version: str, parsers: Parsers, tally: Tally, tmp_path: Path
) -> None:
    """Every flag in every form that the version takes, through a file."""
    known = shipped().catalog(version)
    cases: list[Case] = []
    unsaid: list[tuple[Argv, Argv]] = []
    paths: dict[str, Path] = {}  # the many spellings of one flag give one file
    for argv in accepted(parsers, version, forms.of(version)):
        tokens = emitted({}, version, extra=argv).value
        if not tokens or tokens[0].startswith("-"):
            continue
        text, findings = write(["vllm", "serve", *tokens], known)
        errors = [item for item in findings if item.severity == "error"]
        if errors:
            tally.asked += 1
            model, *options = tokens
            # Several values of one flag, a file beside the file, and one element twice (two keys
            # that are the same).
            if all(token.startswith("-") for token in options) and len(set(options)) == len(
                options
            ):
                for item in errors:
                    of_flag = [one for one in options if one.partition("=")[0] == item.subject]
                    unsaid.append((argv, (model, *of_flag)))
            continue
        own = ("model: ", "# vllm serve")
        lines = "".join(each for each in text.splitlines(True) if not each.startswith(own))
        if lines not in paths:
            paths[lines] = tmp_path / f"{len(paths)}.yaml"
            paths[lines].write_text(lines or "{}\n", encoding="utf-8")
        through = Ours((tokens[0], "--config", str(paths[lines])))
        cases.append(Case(shell(argv), through, tokens, hidden=HIDDEN, shown=f"file: {lines!r}"))
    compare(parsers, tally, cases)
    _are_unsayable(parsers, tally, unsaid, tmp_path)
    tally.settle()


def _are_unsayable(
    parsers: Parsers, tally: Tally, unsaid: Sequence[tuple[Argv, Argv]], folder: Path
) -> None:
    """What we say that no file can hold (the model, and the tokens of one flag), no plain file
    holds: up to 0.6.3 each value of a file is a token of its own, which a switch refuses.
    """
    files = []
    for number, (_, (model, *tokens)) in enumerate(unsaid):
        key = tokens[0].removeprefix("--").partition("=")[0]
        texts = [text for token in tokens for _, equals, text in [token.partition("=")] if equals]
        values = [*texts[-1:], *map(yaml_value, texts[-1:]), texts] if texts else [True, False]
        whole = {token.removeprefix("--"): True for token in tokens}
        for entry in (*({key: value} for value in values), whole):
            path = folder / f"plain{len(files)}.yaml"
            path.write_text(yaml.safe_dump(entry, allow_unicode=True), encoding="utf-8")
            files.append((number, (model, "--config", str(path))))
    wanted = parsers.parse(tally.version, [tokens for _, tokens in unsaid])
    found = parsers.parse(tally.version, [given for _, given in files])
    for (number, _), read in zip(files, found, strict=True):
        if read.without(HIDDEN) == wanted[number].without(HIDDEN):
            tally.add("cannot be said", shell(unsaid[number][0]), f"  a file says it: {read.ok}")


def yaml_value(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def test_what_is_in_a_file_is_read_as_the_real_parser_reads_it(
    version: str, parsers: Parsers, tally: Tally, tmp_path: Path
) -> None:
    """Values of every type under every flag's name."""
    known = shipped().catalog(version)
    cases = []
    for flag in catalogs.catalog(version)["flags"]:
        for value in VALUES:
            path = tmp_path / f"{len(cases)}.yaml"
            path.write_text(
                yaml.safe_dump({flag["flag"].removeprefix("--"): value}), encoding="utf-8"
            )
            cases.append((flag["flag"], value, ("m", "--config", str(path))))
    back = []
    for name, value, argv in cases:
        label = f"{name}: {value!r}"
        made = there_and_back(argv, version, label, config=ConfigFiles(known, _read))
        back.append(replace(made, carried=False, hidden=HIDDEN))
    compare(parsers, tally, back)
    tally.settle()
