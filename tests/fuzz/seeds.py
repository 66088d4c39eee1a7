"""What a campaign starts from beside the committed inputs: the golden cases, the public command
lines and the tables, as inputs of each target.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from cases import recipes, table

from fuzz import names
from fuzz.taker import END
from translator.tables.catalog import shipped

MAPPINGS = Path(__file__).resolve().parents[2] / "mappings"
_JSON = (
    '{"a": 1}',
    '{"a": {"b": [1, 2.5, null, true], "c-d": "x y"}, "ü": "-"}',
    "{'a': True, 'b': (1, None)}",
    '"{\\"a\\": 1}"',
    "'{\"a\": 80g}'",
    "[1k, 2.5m]",
    "-1.5e3",
    '"\\ud800\\u0000"',
    "image=1,video=0",
    "[[[[1]]]]",
    "{1: 2}",
    "f'{x}'",
    "1_000",
    "25.6k",
    "NaN",
    '{"cpu_bytes_to_use": 80g, "x": "80g"}',
)
_YAML = (
    (
        "model: org/model\nmax-model-len: 8k\nenforce-eager: true\nserved-model-name: [a,"
        " b]\nspeculative-config: {method: ngram, num_speculative_tokens: 3}\n"
    ),
    (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: vllm}\nspec:\n  template:\n   "
        " spec:\n      containers:\n      - name: server\n        image: vllm/vllm-openai:v0.19.1\n"
        "        args: [--model, $(M), --port=8000]\n        env:\n        - {name: M, value:"
        " org/m}\n        - name: HF_TOKEN\n          valueFrom: {secretKeyRef: {name: hf, key:"
        " token}}\n"
    ),
    (
        "services:\n  vllm:\n    image: vllm/vllm-openai:${TAG:-v0.11.2}\n    command: --model m"
        " --port 80\n    environment:\n      - HF_TOKEN\n      - A=b\n"
    ),
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n<<: {d: 1}\n? [k]\n: v\n",
    "- --model\n- org/m\n",
    "a: !!binary aGVsbG8=\nb: !!set {x, y}\nc: 2001-01-01\nd: 0o17\ne: .inf\n",
)
# YAML that PyYAML crashes on, that merges, or that expands.
_HOSTILE_YAML = (
    'a: !!int ""\nb: 1\n',
    "a: !!float _\n",
    "- !!bool x\n",
    "a: !!timestamp x\nb: 2001-99-99\n",
    "a: !!binary x\n",
    "a: 1:59:59\nb: 1:59:59.5\nc: 0x1F\nd: 0b1\n",
    "a: {<<: 3}\n",
    "? [a]\n: b\n18446744073709551616: c\n",
    "a: &a [*a]\n",
    "a: &a {x: 1}\nb: {<<: [*a, *a], y: 2}\n",
    "".join(f"a{at + 1}: &a{at + 1} [*a{at}, *a{at}]\n" for at in range(20)).replace("*a0", "x"),
)
_HOSTILE_MANIFESTS = (
    "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai\n    args: [$(A20), '$(', $$(A)]\n"
    "    env:\n    - {name: A0, value: xx}\n"
    + "".join(f"    - {{name: A{at + 1}, value: $(A{at})$(A{at})}}\n" for at in range(20)),
    "kind: Pod\nspec: {containers: [{image: vllm/vllm-openai, command: [bash, -c, 'bash -c \"$A\"'],"
    " env: [{name: A, value: 'bash -c \"$A\"'}]}]}\n",
    "services:\n  a:\n    image: vllm/vllm-openai\n    command: $B$B ${B:-$B} ${N:?x} $$ ${\n"
    "    environment: {A: $B, C: ~}\n    env_file: x\n",
    "services: {a: {image: vllm/vllm-openai, entrypoint: [vllm, serve], command: \"'a b' \\\\\"}}\n",
    "- --model\n- $(A)\n- {a: b}\n",
    "services:\n  a: {image: vllm/vllm-openai, command: --model m, extends: {file: x, service: a},"
    " env_file: [x, {path: x, required: false}], build: {context: ., args: [A=1]}}\n",
    "modelArtifacts: {name: n, uri: 'pvc+hf://a'}\nrouting: {proxy: {enabled: false}}\ndecode:\n"
    "  parallelism: {tensor: x, data: 8, workers: 0}\n  containers: [{modelCommand: imageDefault,"
    " args: [1]}]\nimage: {repository: a, command: [vllm, serve]}\n",
    "catalog: {n: {engine: VLLM, url: 'pvc://a?b', args: [1], env: {A: 1}, adapters: [{}]}}\n",
    "kind: LLMInferenceService\nspec: {model: {name: n}, prefill: {template: {containers: [{name: main,"
    " args: ['{', $(A)], env: [{name: VLLM_ADDITIONAL_ARGS, value: '$A `'}]}]}}}\n",
    '{"title": "vLLM", "config": {"env": [{"key": "MODEL_NAME", "input": {"required": true}},'
    ' {"key": "SEED", "value": [1]}], "presets": [{"name": "p", "defaults": {"SEED": 1.0,'
    ' "ENFORCE_EAGER": true, "HF_TOKEN": "{{ RUNPOD_SECRET_x }}"}}]}}',
    "command: [translate, exec, --]\nargs: [--port=80]\nenv: [{name: A, valueFrom: {}}]\nenvFrom: []\n",
    "---\n---\nkind: List\nitems: [{spec: {containers: [{args: [a]}]}}]\n---\n",
    "spec: {template: {container: {image: x/vllm:v0.9.2, args: [m]}}}\n",
    '{"kind": "Pod", "spec": {"containers": [{"image": "vllm", "args": ["--seed\\ud800"]}]}}',
)
_HOSTILE_TEXTS = (
    "A=x" + " " * 50 + "y # z\nB=${" * 5 + "\n",
    "A0=x\n" + "".join(f"A{at + 1}=${{A{at}}}${{A{at}}}\n" for at in range(25)),
    "A=${A:-${B:-}}\nB='\\\\'\nC=\"\\\"\\n\"\n'D'=x\nE= # c\n",
    "A0=x\n" + "".join(f'A{at + 1}="$A{at}$A{at}"\n' for at in range(25)) + "vllm serve $A25",
    'export A=\'vllm; bash -c "$A"\'; bash -c "$A"',
    "docker run --entrypoint docker x run --entrypoint docker x run x",
    "vllm serve ${A:-${A:-${A:-b}}} $'\\u0041\\x' `a` $( <<a >b 2>&1 | c",
)
_FILES = (
    *_HOSTILE_TEXTS,
    "# comment\nexport A='b c'\nB=\"x\\ny ${A}\"\nC=plain # no\nD\n",
    "A=b\r\nHF_TOKEN\nB='{\"a\": 1}'\n",
    "A=${B:-x}${C}\nE='unclosed\nF=1\n",
    "$ export HF_TOKEN=x && sudo -u v env A=1 vllm serve org/m --port 80 2>&1 | tee log\n",
    "bash -c 'vllm serve \"$A\" --x $(date) `id` ${M:-org/m} $'\\x41''",
    '["vllm", "serve", "org/m", "--port=80"]',
    (
        "docker run --rm -it -e A=b -e HF_TOKEN --env-file=x.env --entrypoint vllm"
        " vllm/vllm-openai:v0.8.5 serve org/m \\\n  --port 80\n"
    ),
    "vllm serve org/m \\\n--port 80 # here\n--dtype half\n",
    "python3 -m vllm.entrypoints.openai.api_server --model {a,b} <<EOF\n",
)


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
    texts = [text.encode() for text in (*_JSON, *_YAML, *_HOSTILE_YAML, *_FILES)]
    if target == "json":
        yield from texts
    elif target == "values":
        flags = {version: len(names.spellings(version)) for version in names.VERSIONS}
        for at in range(600):
            text = (
                texts[at % len(_JSON)]
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
            for at, text in enumerate((*_YAML, *_HOSTILE_YAML, *_HOSTILE_MANIFESTS))
        )
    else:
        pasted = (
            [recipe.command.encode() for recipe in recipes()[::5]] if target == "env-files" else []
        )
        yield from (
            bytes((at * 5 % len(names.VERSIONS),)) + text
            for at, text in enumerate([*texts, *pasted])
        )
