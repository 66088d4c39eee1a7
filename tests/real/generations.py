"""What the older generations of RunPod's worker make of the variables that we write for them: their
own engine_args.py is run, with the real vLLM of the time, beside vLLM's own parser.

    PYTHON tests/real/generations.py CLONE DIALECT VERSION TAG SOURCES [--record]

PYTHON is that of the real vLLM's virtual environment, CLONE a clone of runpod-workers/worker-vllm
(read as data; nothing of it is kept), DIALECT such as runpod@2.23, TAG a release of the worker that
ran vLLM VERSION, SOURCES the folder with the sources of that version. Each flag with a handful of
values, and 300 command lines of several flags, are written as variables; of these, the worker's
code makes an AsyncEngineArgs, which must equal that of the command line, but for what the findings
say. `--record` writes the lines of one flag into tests/cases/generations.json, for
tests/laws/test_generations.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import importlib
import importlib.util
import io
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import types
import uuid
from pathlib import Path
from typing import Any

from worker import make_translator_importable, never_random

HERE = Path(__file__).resolve()
RECORD = HERE.parent.parent / "cases" / "generations.json"
LINES = 300
# A text is as true as True for the engine, which only asks whether it is.
TRUE_TEXTS = (
    "enable_chunked_prefill",
    "use_v2_block_manager",
    "disable_logprobs_during_spec_decoding",
)


def load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def canon(value: Any) -> Any:
    """A value as JSON, whatever class it has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            item.name: canon(getattr(value, item.name, None)) for item in dataclasses.fields(value)
        }
    if isinstance(value, enum.Enum):
        return canon(value.value)
    if isinstance(value, dict):
        return {str(key): canon(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [canon(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def alike(name: str, theirs: Any, cli: Any) -> bool:
    """Whether two values of a field mean the same to vLLM."""
    one, other = canon(theirs), canon(cli)
    if one == other and isinstance(one, bool) == isinstance(other, bool):
        return True
    if isinstance(theirs, dict) and dataclasses.is_dataclass(cli):
        return bool(canon(type(cli)(**theirs)) == other)
    if name == "served_model_name":  # vLLM takes one name for a list of one
        return other == [one]
    if name == "optimization_level":  # and the number for its digit
        return str(one).lower() == str(other)
    return name in TRUE_TEXTS and isinstance(one, str) and other is bool(one)


class Worker:
    """The worker's own code of one release."""

    def __init__(self, clone: str, tag: str, folder: Path) -> None:
        import torch
        import transformers

        def offline(*_: Any, **__: Any) -> None:
            raise OSError("no network")

        torch.cuda.device_count = lambda: 1
        transformers.AutoConfig.from_pretrained = offline
        self.path = folder / "engine_args.py"
        for name in ("engine_args", "utils"):
            show = ["git", "-C", clone, "show", f"{tag}:src/{name}.py"]
            folder.joinpath(f"{name}.py").write_bytes(subprocess.check_output(show))
        tensorizer = types.ModuleType("vllm.model_executor.model_loader.tensorizer")
        tensorizer.TensorizerConfig = object  # type: ignore[attr-defined]
        sys.modules[tensorizer.__name__] = tensorizer
        sys.modules["src"] = types.ModuleType("src")
        load("src.utils", folder / "utils.py")
        logging.disable(logging.CRITICAL)
        self.before = dict(os.environ)

    def engine_args(self, env: dict[str, str]) -> Any:
        os.environ.update(env)
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                return load("worker_engine_args", self.path).get_engine_args()
        finally:
            os.environ.clear()
            os.environ.update(self.before)


def singles(version: str) -> list[list[str]]:
    """Each flag with a few values."""
    from translator.core.tables.catalog import shipped
    from translator.core.values import BadValue, survives_alone, tokens

    found = []
    for flag in shipped().catalog(version).flags():
        if flag.flag in ("--config", "--model"):
            continue
        values: list[Any] = ["text", "two words", "*.py", '{"a"', "x=", "0"]
        if flag.kind in ("switch", "toggle", "bool-value"):
            values = [True, False] if flag.off or flag.kind == "bool-value" else [True]
        elif flag.choices:
            values = [[item] if flag.kind in ("list", "append") else item for item in flag.choices]
        elif flag.kind in ("int", "size", "size-or-auto"):
            values = [3, 4096, 0, -1]
        elif flag.kind == "float":
            values = [0.5, 4.0, 0.0]
        elif flag.kind in ("list", "append"):
            kind: Any = int if flag.element == "int" else float if flag.element == "float" else str
            values = [[kind(1)], [kind(1), kind(2)], [{"name": "a", "path": "b"}]]
        elif flag.kind == "json":
            values = [{}, {"a": 1}, {"image": 1}, {"b": {"c": [1, "x"]}}]
            keys = (shipped().catalog(version).shape(flag.flag) or {}).get("keys", {})
            plain = {"int": 1, "bool": True, "str": "a", "float": 0.5}
            values += [
                {key: plain[part["kind"]]} for key, part in keys.items() if part["kind"] in plain
            ]
        for value in values:
            with contextlib.suppress(BadValue, TypeError, ValueError):
                found.append(tokens(flag, value, survives_alone))
    return [line for line in found if line]


def keep(
    whole: dict[str, Any], dialect: str, about: dict[str, Any], arrive: dict[str, dict[str, str]],
    cannot: list[str],
) -> None:  # fmt: skip
    """Put two lines of each flag into the record, and one that cannot be said."""
    said: dict[str, list[str]] = {}
    for line in arrive:
        said.setdefault(flag_of(json.loads(line)), []).append(line)
    unsaid = {flag_of(json.loads(line)): line for line in cannot}
    kept = {line: arrive[line] for lines in said.values() for line in lines[:2]}
    whole[dialect] = {**about, "arrive": kept, "cannot": list(unsaid.values())}


def flag_of(tokens: list[str]) -> str:
    """The flag of a line that sets one."""
    return tokens[0].partition("=")[0].replace("--no-", "--")


def prepare(sources: str) -> tuple[Any, Any]:
    """The real parser of the vLLM in a folder, and its AsyncEngineArgs; our package is importable
    then, and not what is installed beside it.
    """
    sys.path[0:1] = [sources]
    make_translator_importable(HERE.parents[2] / "translator")
    uuid.uuid4 = never_random
    from translator.maintain.harvest.real_parser import RealParser

    real = RealParser()
    import vllm
    from vllm.engine.arg_utils import AsyncEngineArgs

    vllm.AsyncEngineArgs = AsyncEngineArgs  # where importing it from there wants more
    return real, AsyncEngineArgs


def main() -> None:
    clone, dialect, version, tag, sources = sys.argv[1:6]
    real, AsyncEngineArgs = prepare(sources)
    from translator import TranslationError, args_to_env
    from translator.maintain.harvest.real_parser import RefusedError

    worker = Worker(clone, tag, Path(tempfile.mkdtemp()))
    fields = [item.name for item in dataclasses.fields(AsyncEngineArgs)]
    plain = (
        worker.engine_args({"MODEL_NAME": "m"}),
        AsyncEngineArgs.from_cli_args(real.parse(["m"])),
    )
    own = [name for name in fields if not alike(name, *(getattr(item, name) for item in plain))]

    def unchanged(name: str, theirs: Any, cli: Any) -> bool:
        now, before = (theirs, cli), plain
        return all(
            canon(getattr(one, name)) == canon(getattr(other, name))
            for one, other in zip(now, before, strict=True)
        )

    count = {"same": 0, "cannot": 0, "refused": 0, "differs": 0}
    arrive: dict[str, dict[str, str]] = {}
    cannot: dict[str, None] = {}

    def ask(line: list[str]) -> bool:
        try:
            cli = AsyncEngineArgs.from_cli_args(real.parse(["m", *line]))
        except (RefusedError, ValueError, TypeError):
            count["refused"] += 1
            return False
        try:
            done = args_to_env(["m", *line], vllm=version, dialect=dialect)
        except TranslationError as error:
            if {item.code for item in error.findings if item.severity == "error"} != {
                "not-expressible"
            }:
                raise
            count["cannot"] += 1
            cannot[json.dumps(line)] = None
            return False
        told = {
            name
            for item in done.findings
            if item.code == "platform-default"
            for name in item.subject.split(", ")
        }
        about = {name[2:].replace("-", "_") for name in told}
        try:
            theirs = worker.engine_args(done.env)
            unlike = [
                name
                for name in fields
                if not alike(name, getattr(theirs, name), getattr(cli, name))
                # a default of its own, which is told, or of the class, which means the same
                and not (name in own and unchanged(name, theirs, cli))
                and name != "hf_token"  # a secret: its variable is Hugging Face's own, too
                and name not in about
            ]
        except Exception as error:  # its code stops
            unlike = [f"{type(error).__name__}: {error}"]
        if unlike:
            count["differs"] += 1
            print("differs", line, done.env, unlike)
            return False
        count["same"] += 1
        arrive[json.dumps(line)] = {
            name: text for name, text in done.env.items() if name != "MODEL_NAME"
        }
        return True

    # Flags of the server are no engine arguments: what the worker's engine.py does with them is
    # in the tables, and not asked here.
    dests = {text: item.dest for item in real.serve._actions for text in item.option_strings}
    lines = [line for line in singles(version) if dests[line[0].partition("=")[0]] in fields]
    able = [line for line in lines if ask(line)]
    recorded = arrive.copy(), list(cannot)
    rng = random.Random(7)
    for _ in range(LINES):
        chosen = {flag_of(item): item for item in rng.sample(able, rng.randint(2, 10))}
        ask([token for item in chosen.values() for token in item])
    print(dialect, version, tag, count)
    for name in own:
        print(
            "   its own default:", name, *(json.dumps(canon(getattr(item, name))) for item in plain)
        )
    if "--record" in sys.argv:
        whole = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        keep(whole, dialect, {"vllm": version, "worker": tag}, *recorded)
        RECORD.write_text(json.dumps(dict(sorted(whole.items())), indent=0) + "\n")


if __name__ == "__main__":
    main()
