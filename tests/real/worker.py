"""The process that holds the real vLLM of one version and answers questions about it.

Run as `python worker.py VERSION TRANSLATOR [SOURCES]` inside the virtual environment of the real
vLLM: TRANSLATOR is the folder of our package, SOURCES the folder with the sources of that version
(none for the version installed in the environment).

In, on stdin: one JSON object a line: {"op": "parse", "argvs": [[token, ...], ...]}, {"op": "env",
"items": [[name, text], ...]}, {"op": "fields"}, ...: the methods of `Answers`. Out, on stdout: one
JSON object a line: {"answer": ...}, or {"error": traceback} when the question could not be dealt
with. An answer about one argv or variable is {"ok": ...} or {"refused": what vLLM said}.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import sys
import traceback
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO
from unittest import mock

import canonical

# What the command line program puts into the namespace for itself, and what only says where another
# value came from.
DROP = ("dispatch_function", "subparser", "model_tag", "config")


# A fact of mappings/architectures.toml, and what the registry calls it.
SAID = {
    "generative": "is_text_generation_model", "hybrid": "is_hybrid", "no_attention": "is_attention_free", "hc_sp": "supports_hc_sp",
    "mm": "supports_multimodal", "pooling": "is_pooling_model", "pp": "supports_pp", "replayssm": "supports_replayssm",
}  # fmt: skip


def private_stdout() -> TextIO:
    """The real stdout for the protocol alone: whatever else is printed from now on goes to
    stderr.
    """
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return protocol


def make_translator_importable(package: Path) -> None:
    """Only our package, and not what is installed beside it, becomes importable."""
    spec = importlib.util.spec_from_file_location(
        "translator", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["translator"] = module
    spec.loader.exec_module(module)


def never_random() -> uuid.UUID:
    """In the place of uuid.uuid4: some configs name themselves at random, which no comparison would
    survive.
    """
    return uuid.UUID(int=0)


class ReachedError(Exception):
    """The engine would be made now."""


class StopAtImports(ast.NodeTransformer):
    """What is imported inside of a function is about to be started."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        return ast.copy_location(ast.parse("raise ReachedError").body[0], node)


class Unknown(dict[str, Any]):
    """Names of lines that run alone: what is not given, and no builtin, is something."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return mock.Mock()


# Where the engine's arguments decide what nobody set: up to 0.10, in 0.11, and since 0.12.
DECIDING = (
    "_set_default_args_v1",
    "_set_default_args",
    "_set_default_chunked_prefill_and_prefix_caching_args",
    "_set_default_max_num_seqs_and_batched_tokens_args",
)
GPUS = {  # name and GiB: below and above every bound that a release has had
    "NVIDIA A10": 24, "NVIDIA A100-SXM4-80GB": 80, "NVIDIA H100 80GB HBM3": 80, "NVIDIA B200": 180,
}  # fmt: skip
# A model with experts, whose sizes can be divided among machines.
EXPERTS = {
    "model_type": "mixtral",
    "architectures": ["MixtralForCausalLM"],
    "vocab_size": 512,
    "hidden_size": 256,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "num_local_experts": 8,
    "max_position_embeddings": 512,
}
SUPERVISORS = ("vllm.entrypoints.launchers.dp_supervisor", "vllm.entrypoints.openai.dp_supervisor")
PLACE = (
    "data_parallel_size", "data_parallel_size_local", "data_parallel_rank",
    "data_parallel_external_lb", "data_parallel_hybrid_lb", "data_parallel_master_ip", "nnodes",
    "node_rank", "world_size",
)  # fmt: skip
PARALLEL = mock.Mock(use_batched_dp_moe=False)


class Gpu:
    """An NVIDIA GPU, as far as what vLLM decides by it goes: every other question is answered no."""

    def __init__(self, name: str, memory: int) -> None:
        self.get_device_name = lambda *_: name
        self.get_device_total_memory = lambda *_: memory << 30
        self.is_cuda = lambda: True

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: False


class OnNvidia:
    """A platform that says it is NVIDIA's, with GPUs enough, and is else the one that is here."""

    def __init__(self, platform: Any) -> None:
        self._platform = platform
        self.is_cuda = self.is_cuda_alike = lambda: True
        self.device_count = lambda: 64

    def __getattr__(self, name: str) -> Any:
        return getattr(self._platform, name)


def apart(ask: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose answer is found in a process of its own: making an engine's configuration
    leaves its mark on what the parser gives as defaults (0.10).
    """

    def asked(*given: Any, **named: Any) -> Any:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with os.fdopen(writing, "w", encoding="utf-8") as answer:
                try:
                    json.dump({"answer": ask(*given, **named)}, answer)
                except BaseException:
                    json.dump({"error": traceback.format_exc()}, answer)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as answer:
            said = json.load(answer)
        os.waitpid(child, 0)
        if "error" in said:
            raise RuntimeError(said["error"])
        return said["answer"]

    return asked


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """What is printed is thrown away, and the environment is as before."""
    before, said = dict(os.environ), io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Answers:
    """One method per `op`."""

    def __init__(self, version: str) -> None:
        uuid.uuid4 = never_random
        from translator.maintain.harvest.real_parser import RealParser

        self.version = version
        self.real = RealParser()
        for parser in (self.real.main, self.real.serve):
            # The usage of 300 options, printed with every refusal, takes longer than the parse.
            parser.print_usage = lambda file=None: None
        self.namespaces = canonical.Namespaces(vars(self.real.parse(["m"])), DROP)

    def parse(self, argvs: list[list[str]]) -> list[dict[str, Any]]:
        """What sets the namespace of each argv apart from that of `vllm serve m`."""
        answers = [self._parse(argv) for argv in argvs]
        spoilt = self.namespaces.spoilt()
        if spoilt:
            raise RuntimeError(f"a parse has changed the defaults of {', '.join(spoilt)}")
        return answers

    def _parse(self, argv: list[str]) -> dict[str, Any]:
        from translator.maintain.harvest.real_parser import RefusedError

        before = os.environ._data.copy()  # decoded text by text, it would take as long as the parse
        try:
            return {"ok": self.namespaces.difference(vars(self.real.parse(argv)))}
        except RefusedError as refusal:
            return {"refused": str(refusal)}
        finally:
            if os.environ._data != before:
                os.environb.clear()
                os.environb.update(before)

    @apart
    def arguments(self, items: list[tuple[list[str], dict[str, Any]]]) -> list[dict[str, Any]]:
        # Offline, the class replaces a model's name by its folder, which is not here.
        importlib.import_module("huggingface_hub.constants").HF_HUB_OFFLINE = False
        return [self._arguments(argv, given) for argv, given in items]

    def _arguments(self, argv: list[str], given: dict[str, Any]) -> dict[str, Any]:
        """Whether `AsyncEngineArgs(**given)` are the arguments that vLLM makes of an argv.

        Defaults of the parser that are not those of the class do not count: `enable_lora` is None
        on the one side and False on the other.
        """
        from vllm.engine.arg_utils import AsyncEngineArgs

        def outcome(make: Any) -> Any:
            try:
                return make()
            except Exception as error:
                return f"{type(error).__name__}: {error}"

        theirs = outcome(lambda: AsyncEngineArgs.from_cli_args(self.real.parse(argv)))
        ours = outcome(lambda: AsyncEngineArgs(**given))
        if isinstance(theirs, str) and isinstance(ours, str):
            return {"ok": {"": theirs}}
        if isinstance(theirs, str) or isinstance(ours, str):
            return {"refused": f"{theirs} is not {ours}"}
        parsed, made = (
            AsyncEngineArgs.from_cli_args(self.real.parse(["m"])),
            AsyncEngineArgs(model="m"),
        )
        differ = []
        for name in (field.name for field in dataclasses.fields(AsyncEngineArgs)):
            there, here = getattr(theirs, name), getattr(ours, name)
            # The command line makes some configurations itself; given as dicts, the engine does.
            if isinstance(here, dict) and not isinstance(there, dict) and there is not None:
                here = outcome(functools.partial(type(there), **here))
            texts = canonical.text(there), canonical.text(here)
            unset = canonical.text(getattr(parsed, name)), canonical.text(getattr(made, name))
            if texts[0] != texts[1] and texts != unset:
                differ.append(f"{name}: {texts[0]} is not {texts[1]}")
        return {"refused": "; ".join(differ)} if differ else {"ok": {}}

    def start(self, argvs: list[list[str]]) -> list[dict[str, Any]]:
        """Whether `vllm serve` gets to the point where it makes an engine of each argv."""
        return [self._start(argv) for argv in argvs]

    def frontend(self, argvs: list[list[str]]) -> list[dict[str, Any]]:
        """What the frontend in Rust says of each argv that the parser takes: vLLM's own lines hand
        it over, and its program is run without the socket that it needs.
        """
        from translator.maintain.harvest import frontend
        from translator.maintain.harvest.real_parser import RefusedError

        program = Path(str(importlib.import_module("vllm").__file__)).with_name(frontend.PROGRAM)
        found: list[dict[str, Any]] = []
        for argv in argvs:
            try:
                said = frontend.answer(program, frontend.handed_over(self.real.parse(argv)))
            except RefusedError:
                said = "invalid JSON arguments"
            if "invalid JSON arguments" in said:  # or a value of a flag that it takes
                found.append({"refused": ""})
            elif "not implemented in Rust frontend" in said:
                found.append({"refused": said})
            else:
                found.append({"ok": dict.fromkeys(re.findall(r"argument '(\w+)'", said), "")})
        return found

    def command(self) -> Any:
        """What `vllm serve` itself does with a namespace, up to where it imports or starts
        anything: vLLM's own lines, run without what they would start.

        The module cannot be imported as it is: it wants gRPC and much else that no parser needs. Up
        to 0.7 there is no such module.
        """
        spec = importlib.util.find_spec("vllm.entrypoints.cli")
        path = (
            Path(spec.origin).with_name("serve.py")
            if spec is not None and spec.origin is not None
            else None
        )
        if path is None or not path.exists():
            return None
        tree = ast.parse(path.read_text(encoding="utf-8"))
        stop = ast.parse("raise ReachedError").body
        kept: list[ast.stmt] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "cmd":
                node.decorator_list = []
                kept.append(StopAtImports().visit(node))
            elif isinstance(node, ast.FunctionDef) and node.name == "run_headless":
                node.body = [*(item for item in node.body[:1] if isinstance(item, ast.If)), *stop]
                kept.append(node)
        reached = mock.Mock(side_effect=ReachedError)
        names = dict.fromkeys(("run_multi_api_server", "run_server", "run_dp_supervisor"), reached)
        stage: dict[str, Any] = {
            "ReachedError": ReachedError,
            "logger": mock.Mock(),
            "argparse": mock.Mock(),
            "uvloop": mock.Mock(run=reached),
            **names,
        }
        stage["envs"] = mock.Mock(VLLM_RUST_FRONTEND_PATH=None, VLLM_USE_RUST_FRONTEND=False)
        code = ast.Module([ast.fix_missing_locations(item) for item in kept], [])
        exec(compile(code, str(path), "exec", flags=__future__.annotations.compiler_flag), stage)
        return stage["cmd"]

    def chat_checks(self, namespace: Any) -> None:
        """What the server's class for chats refuses when it is made, with what the server gives it
        of a namespace: vLLM's own lines, run without the rest of the class.
        """
        spec = importlib.util.find_spec("vllm.entrypoints.openai.serving_chat")
        assert spec is not None
        assert spec.origin is not None
        tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
        made = next(
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            and node.name == "__init__"
            and any(argument.arg == "response_role" for argument in node.args.args)
        )
        checks = [
            node
            for node in made.body
            if isinstance(node, ast.If)
            and any(isinstance(part, ast.Raise) for part in ast.walk(node))
        ]
        given = mock.Mock(enable_auto_tools=getattr(namespace, "enable_auto_tool_choice", False))
        names = Unknown(self=given, tool_parser=getattr(namespace, "tool_call_parser", None))
        exec(compile(ast.Module(checks, []), spec.origin, "exec"), {}, names)

    def _start(self, argv: list[str]) -> dict[str, Any]:
        """Whether `vllm serve` gets past its own checks, to the point where it would make an
        engine.
        """
        from translator.maintain.harvest.real_parser import (
            _MAKE_ARG_PARSER,
            RefusedError,
            attribute,
        )

        try:
            with quietly():
                namespace = self.real.parse(argv)
                namespace.subparser = "serve"
                if getattr(namespace, "grpc_port", None) is not None:
                    os.environ["VLLM_USE_RUST_FRONTEND"] = "1"  # which it wants
                    os.environ["VLLM_RUST_FRONTEND_PATH"] = sys.executable  # a file that is there
                try:
                    attribute(_MAKE_ARG_PARSER, "validate_parsed_serve_args")(namespace)
                except ImportError:  # before 0.6.3
                    self.chat_checks(namespace)
                serving = self.command()
                # before 0.10 it looks at nothing that make_arg_parser registers
                if serving is not None and hasattr(namespace, "headless"):
                    serving(namespace)
        except ReachedError:
            pass
        except (RefusedError, ValueError, TypeError, SystemExit) as error:
            return {"refused": f"{type(error).__name__}: {error}"}
        return {"ok": {}}

    @apart
    def rank(self, argvs: list[list[str]]) -> list[dict[str, Any]]:
        """Whether `vllm serve` gets to its engine with each argv, and makes the configuration of
        that; [] when it cannot be made of anything here.
        """
        from translator.maintain.harvest.start import engine

        with engine(self.real) as asking:
            Path(asking.folder, "config.json").write_text(json.dumps(EXPERTS), encoding="utf-8")
            if asking.complaint() is not None:
                return []
            for name in ("vllm.config", "vllm.config.parallel"):  # which asks for it first
                with contextlib.suppress(ImportError, AttributeError):
                    module: Any = importlib.import_module(name)
                    module.current_platform = OnNvidia(module.current_platform)
                    module.cuda_device_count_stateless = module.current_platform.device_count
            return [self._rank(argv, asking) for argv in argvs]

    def _rank(self, argv: list[str], asking: Any) -> dict[str, Any]:
        answer = self._start(argv)
        if "ok" not in answer:
            return answer
        namespace = self.real.parse([asking.folder, "--dtype=float32", *argv[1:]])
        namespaces = [namespace]
        if getattr(namespace, "data_parallel_multi_port_external_lb", False):
            # vLLM starts a server for each rank of its own, with arguments that it makes itself.
            module = importlib.import_module(
                next(
                    name
                    for name in SUPERVISORS
                    if importlib.util.find_spec(name.rpartition(".")[0]) is not None
                    and importlib.util.find_spec(name) is not None
                )
            )
            namespaces = [
                module._build_vllm_dp_server_args(namespace, rank)
                for rank in range(namespace.data_parallel_size_local)
            ]
        made = [self._made(item, asking.arguments) for item in namespaces]
        wrong = [item for item in made if isinstance(item, str)]
        return {"refused": wrong[0]} if wrong else {"ok": {"": canonical.text(made)}}

    def _made(self, namespace: Any, arguments: Any) -> Any:
        """The place of an engine, as vLLM's configuration has it; a text: what it refuses."""
        try:
            with quietly(), mock.patch("time.sleep"):
                os.environ["PYTHONPATH"] = str(Path(arguments.__file__).parents[2])
                engine = arguments.AsyncEngineArgs.from_cli_args(namespace)
                engine.swap_space = 0  # 4 GiB for each GPU is more than this machine has (0.17)
                known = inspect.signature(engine.create_engine_config).parameters
                headless = {"headless": namespace.headless} if "headless" in known else {}
                found = engine.create_engine_config(**headless).parallel_config
        except (Exception, SystemExit) as error:
            return f"{type(error).__name__}: {error}"
        place = {name: getattr(found, name, None) for name in PLACE}
        if not headless and getattr(namespace, "headless", False):
            # In 0.9, `run_headless` numbers its engines from there, past their configuration.
            place["data_parallel_rank"] = namespace.data_parallel_start_rank
        return place

    def configs(self) -> dict[str, Any]:
        """The default config.json of each model for texts that Transformers has, by its type."""
        known: Any = importlib.import_module("transformers.models.auto.configuration_auto")
        models: Any = importlib.import_module("transformers.models.auto.modeling_auto")
        found = {}
        for kind, name in models.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.items():
            with contextlib.suppress(Exception):
                said = {**known.CONFIG_MAPPING[kind]().to_dict(), "model_type": kind}
                said["architectures"] = [name if isinstance(name, str) else name[0]]
                found[kind] = json.loads(json.dumps(said))
        return found

    @apart
    def architectures(self) -> dict[str, list[str] | None]:
        """What the registry says of each architecture; None of one whose code needs what is not
        here, or asks for the platform: it may be another class on another one (DeepSeek V4).
        """
        # Without Triton, its kernels have no stages to count.
        with contextlib.suppress(ImportError):
            triton: Any = importlib.import_module("vllm.triton_utils").triton
            triton.Config = mock.Mock(return_value=mock.Mock(num_stages=1))
        registry: Any = importlib.import_module("vllm.model_executor.models.registry")
        told: dict[str, list[str] | None] = {}
        for name, entry in registry.ModelRegistry.models.items():
            try:
                module = importlib.import_module(entry.module_name)
                kind = getattr(module, entry.class_name)
                sources = map(inspect.getsource, (module, inspect.getmodule(kind)))
                info = registry._ModelInfo.from_model_cls(kind)
            except Exception:
                info, sources = None, iter(())
            if info is None or any("current_platform" in text for text in sources):
                told[name] = None
                continue
            facts = [fact for fact, field in SAID.items() if getattr(info, field, False)]
            facts += ["no_lora"] * (not getattr(info, "supports_lora", True))
            facts += ["encoder"] * (info.attn_type != "decoder")
            told[name] = sorted(facts)
        return told

    @apart
    def models(self, questions: list[tuple[Any, list[str]]]) -> list[dict[str, Any]]:
        """Whether `vllm serve` gets to its engine with each argv, and can configure that for each
        config.json.
        """
        from translator.maintain.harvest.start import engine

        found: list[dict[str, Any]] = []
        with engine(self.real) as asking:
            for name in ("vllm.config", "vllm.config.parallel"):
                with contextlib.suppress(ImportError, AttributeError):
                    module: Any = importlib.import_module(name)
                    module.current_platform = OnNvidia(module.current_platform)
                    module.cuda_device_count_stateless = module.current_platform.device_count
            for config, argv in questions:
                Path(asking.folder, "config.json").write_text(json.dumps(config), encoding="utf-8")
                given = self.real.parse([asking.folder, "--skip-tokenizer-init", *argv])
                made = self._start(["m", *argv]).get("refused")
                made = made or self._made(given, asking.arguments)
                found.append({"refused": made} if isinstance(made, str) else {"ok": {}})
        return found

    @apart
    def decides(self) -> dict[str, dict[str, Any]]:
        """What the engine's arguments set themselves where the command line does not, on each of
        GPUS; {} up to 0.7, where the engine's other classes do.
        """
        from translator.maintain.harvest.start import engine

        found: dict[str, dict[str, Any]] = {}
        usage = importlib.import_module("vllm.usage.usage_lib").UsageContext.OPENAI_API_SERVER
        with engine(self.real) as asking:
            arguments = asking.arguments
            made = arguments.AsyncEngineArgs.from_cli_args(self.real.parse([asking.folder]))
            steps = [name for name in DECIDING if hasattr(made, name)]
            model = made.create_model_config() if steps else None
            known = {"usage_context": usage, "model_config": model, "parallel_config": PARALLEL}
            for name, memory in GPUS.items() if steps else ():
                here = arguments.AsyncEngineArgs.from_cli_args(self.real.parse([asking.folder]))
                gpu = Gpu(name, memory)
                with (
                    mock.patch("vllm.platforms.current_platform", gpu),
                    mock.patch.object(arguments, "current_platform", gpu, create=True),
                ):
                    for step in (getattr(here, item) for item in steps):
                        step(*(known[item] for item in inspect.signature(step).parameters))
                found[name] = {**vars(here), "seed": getattr(model, "seed", None)}
        return {
            name: {
                key: value for key, value in said.items() if isinstance(value, (int, type(None)))
            }
            for name, said in found.items()
        }

    @apart
    def engine(self, argvs: list[list[str]]) -> list[dict[str, Any]]:
        """Whether the engine's configuration can be made of each argv (less the model), or the
        fields that its classes name and, as one word, the names that the refusal lists; [] when it
        cannot be made of anything here.
        """
        from translator.maintain.harvest.real_parser import RefusedError
        from translator.maintain.harvest.start import engine, listed, places

        answers: list[dict[str, Any]] = []
        with engine(self.real) as asking:
            if asking.complaint() is not None:
                return []
            for argv in argvs:
                try:
                    error = asking.complaint(*argv)
                    if error is None:
                        answers.append({"ok": {}})
                        continue
                    words = [*(place[0] for place in places(error)), "|".join(listed(error))]
                    answers.append({"refused": " ".join(words)})
                except RefusedError:
                    answers.append({"refused": "the parser"})
        return answers

    def env(self, items: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """The value of each of vLLM's variables, with only that one set."""
        from vllm.envs import environment_variables as table

        answers: list[dict[str, Any]] = []
        with quietly():
            for name in table:
                os.environ.pop(name, None)
            bare = os.environ._data.copy()
            for name, given in items:
                try:
                    os.environ[name] = given
                    value = table[name]() if name in table else ""  # read beside the table
                    if name == "VLLM_LOGGING_LEVEL":  # what vLLM does with it beyond reading it
                        logger = importlib.reload(importlib.import_module("vllm.logger"))
                        logger._configure_vllm_root_logger()
                    answers.append({"ok": canonical.text(value)})
                except (Exception, SystemExit) as error:
                    answers.append({"refused": f"{type(error).__name__}: {error}"})
                os.environ.pop(name, None)
                if os.environ._data != bare:
                    os.environb.clear()
                    os.environb.update(bare)
        return answers

    def fields(self) -> list[str]:
        from vllm.engine.arg_utils import EngineArgs

        return list(EngineArgs.__annotations__)

    def classified(self, script: str) -> dict[str, list[str]]:
        """How a script of RunPod's repository sorts the flags of the real parser."""
        spec = importlib.util.spec_from_file_location("check_vllm_flags", script)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return {kind: sorted(names) for kind, names in module.classify(self.real.serve).items()}


def main() -> None:
    version, package, *sources = sys.argv[1:]
    protocol = private_stdout()
    sys.path[0:1] = sources  # in the place of this script's own folder
    make_translator_importable(Path(package))
    answers = Answers(version)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            reply = {"answer": getattr(answers, question.pop("op"))(**question)}
        except Exception:
            reply = {"error": traceback.format_exc()}
        protocol.write(json.dumps(reply) + "\n")
        protocol.flush()


if __name__ == "__main__":
    main()
