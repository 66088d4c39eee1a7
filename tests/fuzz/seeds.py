"""What a campaign starts from beside the committed inputs: the golden cases, the public command
lines and the tables, as inputs of each target.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from cases import recipes, table, tomllib

from fuzz import names
from fuzz.taker import END
from translator.tables.catalog import shipped

MAPPINGS = Path(__file__).resolve().parents[2] / "mappings"
TEXTS = tomllib.loads(Path(__file__).with_name("seeds.toml").read_text(encoding="utf-8"))


def _joined(head: bytes, fields: list[str]) -> bytes:
    return head + bytes((END,)).join(field.encode("utf-8", "surrogateescape") for field in fields)


def _version(text: object) -> int:
    return names.VERSIONS.index(text) if text in names.VERSIONS else len(names.VERSIONS) - 1


def _command_lines() -> Iterator[bytes]:
    for entry in (
        *table("args_to_env")["case"],
        *(case for case in table("bad_input")["case"] if "line" in case),
    ):
        versions = entry["vllm"] if isinstance(entry["vllm"], list) else [entry["vllm"]]
        line = entry["line"] if isinstance(entry["line"], list) else shlex.split(entry["line"])
        yield _joined(
            bytes((_version(versions[-1]), names.DIALECTS.index("runpod"), 1, len(line) % 2)), line
        )
    for at, recipe in enumerate(recipes()):
        yield _joined(
            bytes(
                (
                    at * 7 % len(names.VERSIONS),
                    at % len(names.DIALECTS),
                    2 if recipe.module else 0,
                    at % 2,
                )
            ),
            recipe.tokens,
        )


def _environments() -> Iterator[bytes]:
    for at, entry in enumerate(
        (
            *table("env_to_args")["case"],
            *(case for case in table("bad_input")["case"] if "env" in case),
        )
    ):
        versions = entry["vllm"] if isinstance(entry["vllm"], list) else [entry["vllm"]]
        head = bytes(
            (
                _version(versions[-1]),
                names.DIALECTS.index("runpod") if at % 3 else at % len(names.DIALECTS),
                0,
                at % 5,
                at % 2,
            )
        )
        yield _joined(head, [f"{name}={value}" for name, value in entry["env"].items()])
    places = [
        "NODE_RANK=1",
        "PRIMARY_ADDR=10.0.0.1",
        "NUM_NODES=2",
        "SLURM_NODEID=1",
        "SLURM_NNODES=2",
        "SLURM_JOB_NODELIST=n[1-2,4]",
        "MASTER_ADDR=a",
        "WORLD_SIZE=16",
        "RANK=8",
        "LOCAL_WORLD_SIZE=8",
        "LWS_GROUP_SIZE=2",
        "LWS_WORKER_INDEX=0",
        "LWS_LEADER_ADDRESS=l",
    ]
    for cluster in range(1, len(names.CLUSTERS)):
        yield _joined(bytes((27, names.DIALECTS.index("runpod"), cluster, 0, 0)), places)


def _tables() -> Iterator[bytes]:
    for kind, folder in enumerate(("dialects", "clusters")):
        for path in sorted((MAPPINGS / folder).glob("*.toml")):
            text = path.read_bytes().replace(f'name = "{path.stem}"'.encode(), b'name = "x"')
            parts = text.split(b"\n\n")
            yield bytes((kind,)) + text
            yield from (b"\x06" + part for part in parts[2::9])
    for kind, name in ((2, "changes.toml"), (3, "secrets.toml")):
        parts = (MAPPINGS / name).read_bytes().split(b"\n\n")
        yield from (bytes((kind,)) + part for part in parts[:: max(1, len(parts) // 40)])
    yield (
        b"\x04"
        + json.dumps(
            {
                "version": "1.2.3",
                "grammar": {
                    "model": "both",
                    "model_required": False,
                    "dotted": True,
                    "plus": True,
                    "dotted_sizes": False,
                },
                "flags": [{"flag": "--model", "dest": "model", "kind": "str", "aliases": []}],
                "env": [],
            }
        ).encode()
    )
    for line in (shipped().text("0.33.0.json") or "").split("\n")[:300:10]:
        yield b"\x05" + line.encode()


def seeds(target: str) -> Iterator[bytes]:
    """The first inputs of a target."""
    texts = [
        text.encode()
        for text in (
            *TEXTS["json"],
            *TEXTS["yaml"],
            *TEXTS["hostile_yaml"],
            *TEXTS["hostile_texts"],
            *TEXTS["files"],
        )
    ]
    if target == "json":
        yield from texts
    elif target == "values":
        flags = {version: len(names.spellings(version)) for version in names.VERSIONS}
        for at in range(600):
            text = (
                texts[at % len(TEXTS["json"])]
                if at % 4 == 0
                else names.words()[at % len(names.words())].encode("utf-8", "surrogateescape")
            )
            number = at * 7919 % max(flags.values())
            yield bytes((at % len(names.VERSIONS), number % 256, number * 3 % 256)) + text
    elif target == "command-line":
        yield from _command_lines()
    elif target == "environment":
        yield from _environments()
    elif target == "tables":
        yield from _tables()
        yield b"\x00" + b"[" + b"a." * 200 + b"a]\n"
        yield b"\x03a = " + b"[" * 250 + b"\n"
        yield b"\x04" + b'{"a":' * 250
    elif target == "manifests":
        yield from (
            bytes((at * 5 % len(names.VERSIONS),)) + text.encode()
            for at, text in enumerate(
                (*TEXTS["yaml"], *TEXTS["hostile_yaml"], *TEXTS["hostile_manifests"])
            )
        )
    else:
        pasted = (
            [recipe.command.encode() for recipe in recipes()[::5]] if target == "env-files" else []
        )
        yield from (
            bytes((at * 5 % len(names.VERSIONS),)) + text
            for at, text in enumerate([*texts, *pasted])
        )
