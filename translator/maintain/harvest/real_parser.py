"""The real `vllm serve` parser of the vLLM that this Python can import.

Used by the harvest, and by the tests that ask the real parser. Importing vLLM takes seconds:
nothing else may import this module.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Where make_arg_parser has lived, newest first (0.33; 0.29 to 0.32; up to 0.28).
_MAKE_ARG_PARSER = (
    "vllm.entrypoints.common.cli_args",
    "vllm.entrypoints.launchers.cli_args",
    "vllm.entrypoints.openai.cli_args",
)

# FlexibleArgumentParser moved out of vllm.utils in 0.11.
_FLEXIBLE = ("vllm.utils.argparse_utils", "vllm.utils")


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # what it is inside of is not there
        return False


REFUSED = object()
"""The answer to a probe that the real vLLM does not take."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what vLLM prints to itself."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield


class RefusedError(Exception):
    """The real parser does not take this argv; the text is what it said."""


def attribute(modules: tuple[str, ...], name: str) -> Any:
    """What has this name in the first of some modules that has it.

    Raises:
        ImportError: none has it.
    """
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"no {name} in any of {', '.join(modules)}")


def _serve_source() -> str:
    """The source of vLLM's command line module; importing it would import half of vLLM."""
    for module in ("vllm.entrypoints.cli.serve", "vllm.scripts"):
        with contextlib.suppress(ModuleNotFoundError):
            spec = importlib.util.find_spec(module)
            if spec is not None and spec.origin is not None:
                return Path(spec.origin).read_text(encoding="utf-8")
    return ""


def _of_serve(source: str) -> list[tuple[list[str], dict[str, Any]]]:
    """The names and arguments of the options that the command line module declares itself: 0.9 has
    --headless, --data-parallel-start-rank and --api-server-count there, 0.18 and 0.19 --grpc.
    """
    types: dict[str, Any] = {"int": int, "str": str, "float": float}
    options: list[tuple[list[str], dict[str, Any]]] = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) != "serve_parser.add_argument":
            continue
        names = [item.value for item in node.args if isinstance(item, ast.Constant)]
        more = {item.arg: item.value for item in node.keywords if item.arg not in (None, "help")}
        keywords = {
            name: types[value.id] if isinstance(value, ast.Name) else ast.literal_eval(value)
            for name, value in more.items()
        }
        options.append((names, keywords))  # type: ignore[arg-type]
    return options


def prepare() -> None:
    """Make vLLM importable without an accelerator (it could not infer its device type), and with
    another Transformers than its own (which refuses to register a model type twice).
    """
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    # 0.8.5 takes the choices of a union of two Literals from whichever comes first in a set, which
    # differs from start to start. Here it is always the one with more choices: what one start in
    # two refuses is no mistake.
    typing._LiteralGenericAlias.__hash__ = lambda self: 1000 - len(self.__args__)  # type: ignore[attr-defined]
    auto: Any = importlib.import_module("transformers.models.auto.configuration_auto")
    register = auto.CONFIG_MAPPING.register
    auto.CONFIG_MAPPING.register = lambda key, value, exist_ok=False: register(
        key, value, exist_ok=True
    )
    # 0.17 asks for these at its import; torch has had them elsewhere since 2.11.
    cpu: Any = importlib.import_module("torch._C")._cpu
    for name in ("_is_avx2_supported", "_is_avx512_supported"):
        if not hasattr(cpu, name):
            setattr(cpu, name, getattr(importlib.import_module("torch.cpu"), name))
    spec = importlib.util.find_spec("vllm")
    folders = (spec and spec.submodule_search_locations) or ()
    if not any(Path(folder, "entrypoints", "cli").is_dir() for folder in folders):  # up to 0.7.2
        _put_back()
    platforms: Any = importlib.import_module("vllm.platforms")
    # `_enum` and not `is_unspecified()`: old platforms have no such method, and a `__getattr__`
    # that never ends. Before 0.6.1 there is no platform to put there, and none is needed.
    kind = getattr(platforms.current_platform, "_enum", None)
    if kind is not None and kind.name == "UNSPECIFIED" and _exists("vllm.platforms.cpu"):
        platforms.current_platform = importlib.import_module("vllm.platforms.cpu").CpuPlatform()


# --- what old releases import, and what is beside them today no longer has ------------------------

# A parser needs none of it; it only has to be there. Newer releases never see a stand-in, so that
# they do not take an optional module for installed.

# Functions that left a module: 0.5.4 to 0.6.4 import them.
_FUNCTIONS = {
    "triton.runtime.cache": ("default_cache_dir", "default_dump_dir", "default_override_dir")
}

# Modules, each with those inside: 0.5.4 and 0.5.5 import parts of an old outlines, 0.5.5 those that
# read sound.
_MODULES = {
    "outlines": ("caching", "fsm", "fsm.guide", "fsm.json_schema", "grammars"),
    "librosa": (),
    "soundfile": (),
    "soxr": (),
}


class _Nothing:
    """A stand-in that can be called, be a base class or a decorator, and holds nothing
    (mistral_common lists the formats of soundfile at its import).
    """

    def __init__(self, *given: object, **named: object) -> None:
        pass

    def __call__(self, *given: object, **named: object) -> object:
        return given[0] if len(given) == 1 and callable(given[0]) and not named else self

    def __iter__(self) -> Iterator[object]:
        return iter(())


class _StandIn(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing


def _put_back() -> None:
    """Put in what is missing; what is there stays."""
    for module, functions in _FUNCTIONS.items():
        with contextlib.suppress(ImportError):
            imported = importlib.import_module(module)
            for name in functions:
                if not hasattr(imported, name):
                    setattr(imported, name, _Nothing)
    for module, parts in _MODULES.items():
        names = (module, *(f"{module}.{part}" for part in parts))
        for name in () if all(map(_exists, names)) else names:
            stand_in = _StandIn(name)
            stand_in.__path__ = []
            stand_in.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
            sys.modules[name] = stand_in


class RealParser:
    """`vllm serve` of one version: `parse(tokens after "serve")` gives its namespace.

    Attributes:
        serve: vLLM's own subparser, with every option registered.
    """

    def __init__(self) -> None:
        prepare()
        make_arg_parser = attribute(_MAKE_ARG_PARSER, "make_arg_parser")
        flexible = attribute(_FLEXIBLE, "FlexibleArgumentParser")
        self.main = flexible(prog="vllm")
        # vLLM's own main() registers it, and an abbreviation such as `--vers` is resolved against
        # it.
        self.main.add_argument("-v", "--version", action="version", version="vllm")
        subparsers = self.main.add_subparsers(required=False, dest="subparser")
        serve = subparsers.add_parser("serve")
        # 0.9.0 looks at the words of the process to leave --model out of `vllm serve`.
        words, sys.argv = sys.argv, ["vllm", "serve"]
        try:
            make_arg_parser(serve)
        finally:
            sys.argv = words
        # The command line module adds some itself (up to 0.9 before the others, which only shows in
        # the help): up to 0.9 the model too, in 0.18 and 0.19 --grpc.
        known = {action.dest for action in serve._actions} | {*serve._option_string_actions}
        for names, keywords in _of_serve(_serve_source()):
            if known.isdisjoint(names):
                serve.add_argument(*names, **keywords)
        self.serve = serve
        self._make, self._flexible = make_arg_parser, flexible

    def module(self) -> argparse.ArgumentParser:
        """Build the parser of `python -m vllm.entrypoints.openai.api_server`."""
        parser: argparse.ArgumentParser = self._make(self._flexible())
        return parser

    def parse(self, tokens: list[str]) -> argparse.Namespace:
        """The namespace that `vllm serve TOKENS` acts on, with the model in `model`.

        Raises:
            RefusedError: the parser said no, or crashed.
        """
        output = io.StringIO()
        try:
            with contextlib.redirect_stderr(output), contextlib.redirect_stdout(output):
                namespace: argparse.Namespace = self.main.parse_args(["serve", *tokens])
        except SystemExit as end:
            lines = output.getvalue().strip().splitlines()
            # pydantic's last line says nothing
            lines = [line for line in lines if "For further information" not in line]
            raise RefusedError(lines[-1].strip() if lines else f"exit {end.code}") from end
        # An old parser crashes on some input: for the user that is a refusal, too.
        except Exception as error:
            raise RefusedError(f"{type(error).__name__}: {error}") from error
        if getattr(namespace, "model_tag", None) is not None:
            namespace.model = namespace.model_tag
        return namespace
