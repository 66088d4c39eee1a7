"""The names and words of the tables, from which inputs and the fuzzer's dictionary are made at run
time.
"""

from __future__ import annotations

import functools
from typing import Any

from translator.tables.catalog import shipped
from translator.tables.entries import variable_of

VERSIONS = tuple(shipped().versions())
DIALECTS = tuple("prefix:MY_" if name == "prefix" else name for name in shipped().dialects())
CLUSTERS = (None, *shipped().clusters())
HOSTILE = (
    "",
    " ",
    "None",
    "true",
    "FALSE",
    "yes",
    "0",
    "1",
    "-1",
    "auto",
    "8k",
    "25.6k",
    "1K",
    "0x10",
    "1e999",
    "nan",
    "inf",
    "1_000",
    "9" * 4301,
    "9" * 400 + "t",
    "{}",
    "[]",
    "null",
    '{"a": 1}',
    "{'a': True}",
    '{"a": NaN}',
    '{"a": 1, "a": 2}',
    '{"\\ud800": 1}',
    '["a", "b"]',
    "[null]",
    '"{\\"a\\": 1}"',
    "'{}'",
    "image=1,video=0",
    "a=b",
    "n=p",
    '{"name": "n", "path": "p"}',
    "--",
    "-",
    "--x.y+=1",
    "-O3",
    "-cc.mode=3",
    "-tp",
    "x.yaml",
    "--config",
    "org/model",
    "tcp://10.0.0.1:8000",
    "https://u:\x03@h:1/p",
    '{"token": "\x03"}',
    "[" * 250,
    '{"a":' * 250,
    "\0",
    "\udc80",
    "\x1b[31m",
    "\u2028",
    "١٢",
)


@functools.cache
def variables() -> tuple[str, ...]:
    """Every name that any version, dialect or cluster reads: flags in capitals, keys of JSON flags,
    and variables.
    """
    tables = shipped()
    found: dict[str, None] = {}
    for name in tables.index():
        found[variable_of(name) if name.startswith("-") else name] = None
    for dialect in tables.dialects():
        found.update(
            dict.fromkeys(
                name
                for name in tables.records(f"dialect.{dialect}.json")
                if not name.startswith("@")
            )
        )
        head = tables.records(f"dialect.{dialect}.json").get("@dialect", {})
        found.update(
            dict.fromkeys(head[name] for name in ("extra_args", "config_file") if head.get(name))
        )
        if head.get("prefix"):
            found.update(
                dict.fromkeys(
                    head["prefix"] + name
                    for name in (
                        "MAX_MODEL_LEN",
                        "DTYPE",
                        "MODEL",
                        "ENFORCE_EAGER",
                        "SPECULATIVE_CONFIG",
                    )
                )
            )
    for cluster in tables.clusters():
        for value in tables.records(f"cluster.{cluster}.json").get("@cluster", {}).values():
            found.update(dict.fromkeys(value if isinstance(value, list) else ()))
    found.update(dict.fromkeys(("MY_MAX_MODEL_LEN", "MY_MODEL", "TRANSLATE_VLLM_VERSION")))
    for path in keys():
        found[
            "__".join(
                variable_of(part) if at == 0 else part.upper()
                for at, part in enumerate(path.split("."))
            )
        ] = None
    return tuple(name for name in found if name)


@functools.cache
def keys() -> tuple[str, ...]:
    """`--flag.key` and `--flag.key.sub` of the newest and an older version."""
    found: dict[str, None] = {}
    for version in (VERSIONS[-1], VERSIONS[len(VERSIONS) // 2]):
        catalog = shipped().catalog(version)
        for flag in catalog.flags():
            shape = catalog.shape(flag.flag) if flag.shaped else None
            found.update(dict.fromkeys(_paths(flag.flag, shape or {}, 0)))
    return tuple(found)


def _paths(start: str, shape: dict[str, Any], depth: int) -> list[str]:
    found = []
    for key, inner in shape.get("keys", {}).items():
        found.append(f"{start}.{key}")
        if depth < 1:
            found += _paths(f"{start}.{key}", inner, depth + 1)
    return found


@functools.cache
def spellings(version: str) -> tuple[str, ...]:
    """What options are called in a version, and the keys of its JSON flags."""
    return (
        *shipped().catalog(version).spellings(),
        *keys(),
        "--help",
        "-h",
        "--config",
        "--no-such-flag",
    )


@functools.cache
def words() -> tuple[str, ...]:
    """Values: the choices of every flag and variable of the newest and the oldest version, and
    hostile ones.
    """
    found: dict[str, None] = dict.fromkeys(HOSTILE)
    for version in (VERSIONS[0], VERSIONS[-1]):
        catalog = shipped().catalog(version)
        for flag in catalog.flags():
            found.update(dict.fromkeys(str(item) for item in flag.choices or ()))
        for name in catalog.variable_names():
            variable = catalog.variable(name)
            found.update(dict.fromkeys((variable.choices if variable else None) or ()))
    return tuple(found)


def dictionary() -> list[str]:
    """For the fuzzer to insert: names, option spellings, words, and what files are made of."""
    files = (
        "apiVersion: v1\n",
        "kind: Pod\n",
        "containers:\n",
        "services:\n",
        "- name: ",
        "args: [",
        "command: ",
        "env:\n",
        "image: vllm/vllm-openai:v0.11.2\n",
        "&a ",
        "*a",
        "<<: ",
        "!!binary ",
        "!!set ",
        "!!python/name:os ",
        "---\n",
        "docker run ",
        "vllm serve ",
        "sudo -u x ",
        "bash -c '",
        "export ",
        "${A:-b}",
        "$(",
        "$'\\x",
        "2>&1",
        "\\\n",
        "\\u2028",
        "\\e",
        "[[variable]]\n",
        "role = ",
        '"flag"',
        "[dialect]\n",
        "sources = ",
        "values = {",
    )
    texts = [*variables(), *spellings(VERSIONS[-1]), *words(), *files]
    return [
        text
        for text in dict.fromkeys(texts)
        if text and len(text.encode("utf-8", "surrogateescape")) <= 64
    ]
