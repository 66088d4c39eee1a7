"""The conformance kit: the cases are what our own code answers, too, and its page is enough to
write another program from, which shares nothing with ours (tests/conformance.js).
"""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.program import process, translate

from translator import TranslationError, args_to_env, env_to_args

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "conformance.js"
RECORD = ROOT / "tests" / "cases" / "conformance.jsonl"


@cache
def recorded() -> tuple[list[str], list[dict[str, Any]]]:
    head, *answers = map(json.loads, RECORD.read_bytes().splitlines())
    return head["asked"], answers


def ours(case: dict[str, Any], release: str) -> Any:
    """The result of a case, as we have it."""
    given, dialect = case["input"], case["dialect"]
    try:
        if case["direction"] == "env-to-args":
            return {"line": env_to_args(given, release, dialect).argv[2:]}
        return {"variables": dict(args_to_env(given, release, dialect).env)}
    except TranslationError:
        return {"refused": True}


@pytest.mark.parametrize("end", [0, -1], ids=["first", "last"])
def test_our_own_code_agrees(end: int) -> None:
    """With the first and the last release of each answer."""
    asked, answers = recorded()
    for answer in answers:
        release = asked[answer["asked"][end][end]]
        made = ours(answer["case"], release)
        assert made.items() <= answer["case"].items(), (release, answer["case"], made)


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kit")
    done = translate("tables", "conformance", "--output", str(folder), cwd=ROOT)
    assert (done.status, done.err) == (0, f"10000 cases written to {folder}\n")
    return folder


def test_the_kit_is_whole(kit: Path) -> None:
    """Each case of a release that was asked, in both directions and with both results; and the
    files that the page names.
    """
    cases = [json.loads(line) for line in (kit / "cases.jsonl").read_bytes().splitlines()]
    assert len(cases) == 10_000
    assert {case["release"] for case in cases} == set(recorded()[0])
    kinds = {(case["direction"], case["dialect"], "refused" in case) for case in cases}
    assert len(kinds) == 6
    named = (kit / "conformance.md").read_text("utf-8")
    for path in kit.iterdir():
        assert path.name == "conformance.md" or f"`{path.name}`" in named.replace(
            "and so on", "`vllm-grammar.json` `vllm-variables.json`"
        )


def test_another_program_agrees(kit: Path) -> None:
    """Written from the page alone, and short; about flags of plain kinds."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    assert len(PROGRAM.read_text("utf-8").splitlines()) <= 300
    done = process([node, str(PROGRAM), str(kit)])
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["plain"] >= 8_000
    assert counts["agreed"] >= 0.99 * counts["plain"], counts["disagreed"][:3]
