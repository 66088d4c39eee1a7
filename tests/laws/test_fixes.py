"""`check --fix`: what it writes is what a hand would write, and everything else stays as it is.

Public command lines that the newest version accepts are written into files of every kind, with an
option or a variable of another time at some place: fixed, each file is, to the letter, the same
file written without it, or with what replaces it.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import yaml
from cases import Recipe, recipes
from cases.test_files import FOLDER, files
from support.program import Ran, translate

from laws.strategies import examples
from translator.tables.catalog import shipped

NEWEST = shipped().versions()[-1]
NUMBER = examples(120).max_examples
TOGETHER = 30  # files of one process
# What is spoilt: tokens, and what replaces them.
SPOILT = (
    (["--swap-space", "4"], []),
    (["--swap-space=4"], []),
    (["--use-v2-block-manager"], []),
    (["--enable-reasoning"], []),
    (["--num-scheduler-steps", "8"], []),
    (["--guided-decoding-backend=auto"], ["--structured-outputs-config.backend=auto"]),
    (["--guided_decoding_backend", "auto"], ["--structured-outputs-config.backend", "auto"]),
    (["--task", "embed"], ["--runner", "pooling", "--convert", "embed"]),
    (["--task=embed"], ["--runner=pooling", "--convert=embed"]),
    (["--preemption-mode", "swap"], []),
)  # fmt: skip
# Beside these, a spoilt one means something else.
OTHERS = ("--structured-outputs-config", "--runner", "--convert", "--pooler-config")
ENV = {"VLLM_USE_V1": "1", "VLLM_RPC_TIMEOUT": "60000"}


def _script(tokens: list[str], env: dict[str, str]) -> str:
    head = "".join(f"export {name}={text}\n" for name, text in env.items())
    return f"#!/bin/sh\n# as --swap-space 4 was, VLLM_USE_V1=1\n{head}vllm serve {shlex.join(tokens)} >log 2>&1 &\n"


def _lines(tokens: list[str], env: dict[str, str]) -> str:
    """One option a line; variables in front."""
    groups: list[list[str]] = [["vllm serve"]]
    for token in tokens:
        if token.startswith("-"):
            groups.append([])
        groups[-1].append(shlex.quote(token))
    front = "".join(f"{name}={text} " for name, text in env.items())
    return front + " \\\n  ".join(" ".join(group) for group in groups) + "\n"


def _pod(tokens: list[str], env: dict[str, str]) -> str:
    def item(text: str) -> str:
        return json.dumps(text) if yaml.safe_load(f"[{json.dumps(text)}]") != [text] or not text.replace("-", "").replace("/", "").isalnum() or text.isdigit() or text in ("true", "false") else text  # fmt: skip

    args = "".join(f"    - {item(token)}\n" for token in tokens)
    variables = "".join(
        f"    - name: {name}\n      value: {text!r}\n" for name, text in env.items()
    )
    return (
        "kind: Pod\nspec:\n  containers:\n  - name: llm\n    image: vllm/vllm-openai:v0.33.0\n"
        f"    command: [vllm, serve]\n    args:  # --swap-space 4\n{args}    env:\n{variables}"
        "    - {name: A, value: b}\n"
    )


def _compose(tokens: list[str], env: dict[str, str]) -> str:
    quoted = [token.replace("$", "$$") for token in tokens]
    variables = "".join(f"      - {name}={text}\n" for name, text in env.items())
    return (
        "services:\n  llm:\n    image: vllm/vllm-openai:v0.33.0\n    entrypoint: [vllm, serve]\n"
        f"    command: {json.dumps(quoted, ensure_ascii=False)}\n    environment:\n{variables}      - A=b\n"
    )


def _dockerfile(tokens: list[str], env: dict[str, str]) -> str:
    variables = "".join(f"ENV {name}={text}\n" for name, text in env.items())
    command = json.dumps(["vllm", "serve", *tokens], ensure_ascii=False)
    return f"FROM x\n{variables}ENTRYPOINT {command}\n"


KINDS: tuple[tuple[str, Callable[[list[str], dict[str, str]], str]], ...] = (
    ("{}.sh", _script),
    ("{}.bash", _lines),
    ("pod{}.yaml", _pod),
    ("compose{}.yaml", _compose),
    ("Dockerfile{}", _dockerfile),
)


def _check(paths: list[Path], *options: str) -> Ran:
    return translate("check", "--vllm", NEWEST, *options, *map(str, paths))


def _spoil(dice: random.Random, recipe: Recipe) -> tuple[list[str], list[str]]:
    """A command line with an option of another time between two options, and without it."""
    old, new = dice.choice(SPOILT)
    tokens = recipe.tokens
    places = [at for at, token in enumerate(tokens) if token.startswith("-") and at]
    at = dice.choice([*places, len(tokens)])
    return [*tokens[:at], *old, *tokens[at:]], [*tokens[:at], *new, *tokens[at:]]


def test_a_fixed_file_is_as_if_written_by_hand(tmp_path: Path) -> None:
    dice = random.Random(16)
    fitting = [
        recipe
        for recipe in recipes()
        if NEWEST in recipe.accepting(shipped().versions())
        and not recipe.tokens[0].startswith("-")
        and not any("$" in token or "\n" in token for token in recipe.tokens)
        and not any(token.startswith(OTHERS) for token in recipe.tokens)
    ]
    wanted = {}
    for number, recipe in enumerate(dice.sample(fitting, min(NUMBER, len(fitting)))):
        spoilt, good = _spoil(dice, recipe)
        name, written = KINDS[number % len(KINDS)]
        path = tmp_path / name.format(number)
        path.write_text(written(spoilt, {**ENV, "HF_HOME": "/x"}))
        wanted[path] = written(good, {"HF_HOME": "/x"})
    paths = list(wanted)
    for at in range(0, len(paths), TOGETHER):
        ran = _check(paths[at : at + TOGETHER], "--fix")
        assert ran.status == 0, ran.out
        assert _check(paths[at : at + TOGETHER], "--diff").out == ""
    for path, text in wanted.items():
        assert path.read_text() == text


# What `--fix` corrects in the public files, in the newest version.
OLD = ("--swap-space", "--max-seq-len-to-capture", "VLLM_USE_V1", "VLLM_RPC_TIMEOUT", "image=", "full_cuda_graph", "--preemption-mode", "--cuda-graph-sizes")  # fmt: skip
LONGEST = 10_000
FIXABLE = {"carried", "now-default", "dropped", "bad-json", "unexpected-value", "repaired-variable"}


def test_public_files(tmp_path: Path) -> None:
    """Only lines with such a finding change, and fixing again changes nothing."""
    before = {}
    for entry in files():
        text = (FOLDER / entry["file"]).read_text(encoding="utf-8")
        if len(text) < LONGEST and any(name in text for name in OLD):
            path = tmp_path / f"{entry['file'].partition('.')[0]}-{Path(entry['path']).name}"
            path.write_text(text)
            before[path] = text
    assert len(before) > 15
    ran = _check(list(before), "--fix", "--format", "json")
    left = [item for item in json.loads(ran.out)["findings"] if item["code"] in FIXABLE]
    changed = 0
    for path, text in before.items():
        old, new = text.split("\n"), path.read_text().split("\n")
        parts = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        assert all(what != "insert" for what, *_ in parts)
        assert sum(end - start for what, start, end, *_ in parts if what != "equal") <= 8
        changed += old != new
    assert changed > 12
    assert len(left) <= 4, left
    assert _check(list(before), "--diff").out == ""
