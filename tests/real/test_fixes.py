"""`upgrade`: what it makes of files of every kind, and of published commands of other times, is
what the real parser takes.
"""

import json
import random
import shlex
from pathlib import Path

import pytest
from cases.test_files import FILES
from support.consumers import model_first

from translator.cli.main import main
from translator.core.argv.reader import strip_command
from translator.core.tables.catalog import shipped
from translator.deployments.read import Context, filled
from translator.deployments.read.programs import serves
from translator.deployments.read.registry import read_commands

from .conftest import SEED
from .laws import Argv, Tally
from .parsers import Parsers
from .test_recipes import argv_of, recipes

RECIPES = 40  # another choice for each version
NAMED = {f"{at}-{Path(entry['path']).name}": entry["text"] for at, entry in enumerate(FILES)}


def chosen(version: str) -> dict[str, str]:
    """All files, and published commands as scripts, without those that read files from where they
    run.
    """
    dice = random.Random(f"{SEED} fixes {version}")
    plain = [
        argv for argv in map(argv_of, recipes()) if not any("config" in token for token in argv)
    ]
    scripts = {
        f"{at}.sh": f"vllm serve {shlex.join(argv)}\n"
        for at, argv in enumerate(dice.sample(plain, min(RECIPES, len(plain))))
    }
    return {**NAMED, **scripts}


def commands(path: Path, version: str) -> list[Argv]:
    """The commands of a file as `vllm serve` has them, with a fitting value where a value is not
    known.
    """
    catalog = shipped().catalog(version)
    found = [
        strip_command(filled(item.marked or item.tokens, catalog).tokens)
        for item in read_commands(path.read_text(encoding="utf-8"), Context(), path.name)
        if item.starts_vllm and serves(item.tokens) and item.entry is None
    ]
    return [tuple(model_first(tokens) if module else tokens) for tokens, module, _ in found]


def test_fixed_files(
    version: str,
    parsers: Parsers,
    tally: Tally,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A file that was changed has no command less that the parser takes; where `check` finds no
    error any more, it takes all of them.
    """
    monkeypatch.chdir(tmp_path)
    texts = {Path(name): text for name, text in chosen(version).items()}
    before = {}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        before[path] = commands(path, version)
    main(["upgrade", "--to", version, "--write", "."])
    capfd.readouterr()
    main(["check", "--vllm", version, "--format", "json", "."])
    report = json.loads(capfd.readouterr().out)
    bad = {item["file"] for item in report["findings"] if item["severity"] == "error"}
    changed = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    pairs = [
        (path, was, now)
        for path in changed
        for was, now in zip(before[path], commands(path, version), strict=True)
    ]
    taken = parsers.parse(version, [was for _, was, _ in pairs])
    answers = parsers.parse(version, [now for _, _, now in pairs])
    for (path, _, now), was, answer in zip(pairs, taken, answers, strict=True):
        tally.asked += 1
        tally.accepted += answer.ok is not None
        if answer.ok is None and (was.ok is not None or f"./{path}" not in bad):
            tally.add("not fixed", shlex.join(now), f"  {path.name}: {answer.refused}")
    assert changed
    tally.settle()
