"""Record what a platform's own program makes of variables.

    python tests/real/recordings.py CLONE DIALECT > tests/cases/programs/DIALECT.json

CLONE is a clone of the program's repository (read as data; nothing of it is kept). Its program is
run on each variable that could mean a flag, or that its pages list, with a handful of texts, and on
whole environments. tests/support/recordings.py says what is printed.
"""

from __future__ import annotations

import json
import logging
import random
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from programs import PROGRAMS, Clone, Program
from support.catalogs import catalog
from support.recordings import flag, in_order
from support.samples import by_env

VERSION = "0.27.1"
EXTRA = (
    "--seed 3", "--a 'b c' -q=x", "it's", "", "\\", '--x "a\\"b"', "--seed=1 # no", "a\nb",
    '{"a": 1}',
)  # fmt: skip
NUMBERS = ("", " ", "5", " 5 ", "1_0", "1.5", "abc", "None", "٣", "nan", "0x10")


class Runpod:
    """What is asked of RunPod's worker."""

    prefix, lines = "", 50
    base: Mapping[str, str] = {}
    texts = (
        "", " ", "None", "0", " 0 ", "00", "1", "8k", "-1", "true", "FALSE", "on", "No", "abc",
        "two words", " 8 ", '{"a": 1}', '["a", "b"]', "a,b",
    )  # fmt: skip
    beside: Mapping[str, tuple[str, ...]] = {
        "VLLM_EXTRA_ARGS": EXTRA,
        "VLLM_PORT": NUMBERS,
        "VLLM_STARTUP_TIMEOUT": NUMBERS,
        "MAX_CONCURRENCY": NUMBERS,
        "REQUEST_TIMEOUT": NUMBERS,
        "MODEL_NAME": ("org/model",),
    }

    def names(self, flags: Iterable[str], clone: str) -> set[str]:
        """Those of flags, and those on its pages."""
        here = Clone(clone)
        hub, page = (
            here.text(path, "v2.25.2") for path in (".runpod/hub.json", "docs/configuration.md")
        )
        names = {*re.findall(r'"key": "(\w+)"', hub), *re.findall(r"`([A-Z][A-Z0-9_]+)[`=]", page)}
        return {
            *flags,
            *(name for name in names if not name.endswith("_FLAGS")),
        }  # lists of its code


class Sagemaker:
    """What is asked of AWS's, Hugging Face's and vLLM's programs for SageMaker."""

    prefix, lines = "SM_VLLM_", 12
    base: Mapping[str, str] = {"HF_MODEL_ID": "org/model", "HF_ENABLE_LMCACHE": "0"}
    texts = (
        "", " ", "None", "0", "8k", "-1", "true", "FALSE", " True ", "abc", "two words", " 8 ", "\t8\n", "*", "'a'", "a\\nb", "--seed 3",
        "a=b=", "=", "a==", "x\ny", "a,b", "[]", " [ ] ", '["a", "b"]', "[1", "1]", '["é", 1, 2.50, true, null, {"a": "b"}, [1]]',
        '{"a": 1}', '{"a": 1} {"b": 2}', '{"a": 1}{"b": "c"}', '{"a": 1},{"b": 2}', '{} 1', '{"a": 1} x}', "{'a': 1} {'b': 2}",
    )  # fmt: skip
    beside: Mapping[str, tuple[str, ...]] = {
        "SM_VLLM_MODEL": ("org/a", " ", "true", "", '["a"]'),
        "HF_MODEL_ID": ("org/b", "a b"),
        "HF_ENABLE_LMCACHE": ("0", "1", ""),
        "HF_ENABLE_OPTIMIZATIONS": ("0", "true"),
        "SM_VLLM_KV_TRANSFER_CONFIG": ('{"kv_role": "kv_both"}', "false", ""),
    }

    def names(self, flags: Iterable[str], clone: str) -> set[str]:
        """A few: the programs know four by name. All of them: the real suite."""
        known = ("ALLOWED_ORIGINS", "ALLOWED_METHODS", "ALLOWED_HEADERS", "MIDDLEWARE")
        return {*sorted(flags)[::16], *(self.prefix + name for name in known)}


ASKED: Mapping[str, Runpod | Sagemaker] = {
    "runpod@2.25": Runpod(),
    **dict.fromkeys(
        ("sagemaker", "sagemaker@shell", "sagemaker@huggingface", "sagemaker@upstream"), Sagemaker()
    ),
}


def outcome(program: Program, env: Mapping[str, str]) -> list[str] | str:
    """The program's tokens; or what it says when it stops."""
    try:
        return program(dict(env))
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"


def record(dialect: str, clone: str) -> dict[str, Any]:
    """What a dialect's program makes of everything that is asked."""
    program, asked = PROGRAMS[dialect](clone), ASKED[dialect]
    flags = {
        asked.prefix + item["flag"][2:].upper().replace("-", "_"): item
        for item in catalog(VERSION)["flags"]
    }
    base = asked.base
    always = outcome(program, base)
    assert isinstance(always, list)
    rows: dict[str, list[str]] = {}
    able = set()
    for name in sorted(asked.names(flags, clone) - asked.beside.keys()):
        outcomes: list[list[str] | None] = []
        for text in asked.texts:
            made = outcome(program, {**base, name: text})
            if isinstance(made, list):
                assert made[: len(always)] == always, (name, text, made)
                bare = f"^--(no-)?{flag(name, asked.prefix)}$"
                outcomes.append([re.sub(bare, r"--\1%s", token) for token in made[len(always) :]])
            else:
                outcomes.append(None)
        rows.setdefault(json.dumps(outcomes), []).append(name)
        able |= {name} if any(outcomes) and name in flags else set()

    whole = [{**base, name: text} for name, texts in asked.beside.items() for text in texts]
    rng = random.Random(2026)
    for _ in range(asked.lines):
        env = {**base}
        for name in rng.sample(sorted(able), rng.randint(2, 14)):
            ways = [
                item.text
                for item in by_env(flags[name])
                if item.typed is not None and "__" not in item.name and len(item.text) <= 60
            ]
            env[name] = rng.choice(ways if rng.random() < 0.95 else asked.texts)
        for name, texts in asked.beside.items():
            if rng.random() < (0.05 if texts is NUMBERS else 0.5):
                env[name] = rng.choice(texts)
        whole.append(env)
    together: list[tuple[dict[str, str], list[str] | str]] = []
    for env in whole:
        made = outcome(program, env)
        if isinstance(made, str):
            made = " ".join(
                name
                for name, text in env.items()
                if isinstance(outcome(program, {name: text}), str)
            )
        else:
            made = in_order(dialect, made)
        together.append((env, made))
    return {
        "vllm": VERSION,
        "prefix": asked.prefix,
        "base": base,
        "always": always,
        "texts": asked.texts,
        "alone": [
            (" ".join(name.removeprefix(asked.prefix) for name in names), json.loads(outcomes))
            for outcomes, names in rows.items()
        ],
        "together": together,
    }


def as_text(whole: Mapping[str, Any]) -> str:
    """A recording as JSON, a row a line."""

    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = []
    for key, value in whole.items():
        rows = ",\n".join(map(text, value))
        parts.append(
            f'"{key}": ' + (f"[\n{rows}\n]" if key in ("alone", "together") else text(value))
        )
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(as_text(record(sys.argv[2], sys.argv[1])), end="")
