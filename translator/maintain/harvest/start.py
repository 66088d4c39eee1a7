"""What vLLM reads and checks when it starts, beside its command line: what the engine refuses of
what the parser takes, and what `vllm.envs` makes of variables. Both are found out by asking.

Three things of the engine, which is asked for its configuration, up to where anything would be
started, can be told from one flag alone: the bounds of a number, the names that it knows, and the
keys of JSON that is no class for the parser, and one for the engine.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import json
import logging
import operator
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from translator.maintain.harvest.declared import Shape, jsonable
from translator.maintain.harvest.keys import harvest_keys
from translator.maintain.harvest.real_parser import RealParser, RefusedError, attribute, silence

# --- the engine -----------------------------------------------------------------------------------

# A model small enough for any machine; the configuration wants no more of it than this file.
_MODEL = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 512,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}

_QUANTIZED = {"quant_method": "modelopt", "quant_algo": "FP8"}
_PLAIN = ("--dtype=float32", "--max-model-len=256")
_NUMBERS = ("int", "size", "size-or-auto", "float")

# From small to large. The first three of whole numbers may lie below a bound, the last two below
# and above that of a port.
_WHOLE = (-2, -1, 0, 1, 2, 16, 4096, 65535, 65536)
_FRACTIONS = (-1.0, -0.5, 0.0, 0.125, 0.5, 1.0, 1.5, 2.0, 95.0)

# Where the server's own look at its arguments has lived, newest first (0.33; 0.29 to 0.32; 0.9.1
# to 0.28).
_SERVER = (
    "vllm.entrypoints.common.cli_args",
    "vllm.entrypoints.launchers.launcher",
    "vllm.entrypoints.openai.api_server",
)
# A flag whose name is looked at beside another one only, and the flags whose module adds names, or
# that keep it from being looked at.
_BESIDE = {
    "--tool-call-parser": "--enable-auto-tool-choice",
    "--reasoning-parser": "--enable-reasoning",
}
_ADDS = {
    "--tokenizer-mode": ("--skip-tokenizer-init",),
    "--tool-call-parser": ("--tool-parser-plugin",),
    "--reasoning-parser": ("--reasoning-parser-plugin",),
    "--load-format": ("--worker-cls", "--worker-extension-cls"),
}
# Registries whose names no refusal lists: of a loader; of tokenizers (0.12, and 0.13 on, in two);
# and up to 0.9.0, a parser is looked up inside of the function that starts the server.
_REGISTRIES = {
    "--tool-call-parser": ("vllm.entrypoints.openai.tool_parsers:ToolParserManager.tool_parsers",),
    "--reasoning-parser": (
        "vllm.entrypoints.openai.reasoning_parsers:ReasoningParserManager.reasoning_parsers",
    ),
    "--load-format": ("vllm.model_executor.model_loader:_LOAD_FORMAT_TO_MODEL_LOADER",),
    "--tokenizer-mode": (
        "vllm.tokenizers.registry:TokenizerRegistry.REGISTRY",
        "vllm.tokenizers.registry:TokenizerRegistry.tokenizers",
        "vllm.renderers.registry:RENDERER_REGISTRY.renderers",
    ),
}
_UNKNOWN = "no-such-name"
_NOT_LISTED = ("auto", "none", "None", "slow", "custom", "")  # names that may be taken all the same
_LISTED = re.compile(r"(?:one of|options are|values are|chose from)([^]}\n]+)")


class Engine:
    """The engine's configuration of the vLLM that can be imported here; its module of arguments,
    and the folder of a small model.
    """

    def __init__(self, real: RealParser, folder: str, **more: Any) -> None:
        self.real = real
        self.folder = folder
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump({**_MODEL, **more}, file)
        self.arguments: Any = importlib.import_module("vllm.engine.arg_utils")
        self._look: Callable[[Any], object] = bool
        self._load: Callable[[Any], object] = bool
        # Up to 0.9.0, it is no function of its own; and what the engine of 0.8.4 lists is not all
        # that it takes, and hangs on what was asked before.
        with suppress(ImportError), silence():
            self._look = attribute(_SERVER, "validate_api_server_args")
            self._load = attribute(("vllm.model_executor.model_loader",), "get_model_loader")
        self.has_names = self._look is not bool
        look_at_models_here()

    def complaint(self, *tokens: str) -> Exception | None:
        """What the server, or a class of the engine, has against a command line that the parser
        takes.
        """
        before = dict(os.environ)
        # Up to 0.11, another process looks at the model; 0.10 and 0.11 give the user two seconds to
        # read a warning.
        os.environ["PYTHONPATH"] = str(Path(self.arguments.__file__).parents[2])
        try:
            with silence(), mock.patch.object(time, "sleep"):
                # The engine puts the reasoning parser where the server looks for it, which may be
                # in the parser's own default (from 0.12 on): a copy, and the server comes second.
                namespace = copy.deepcopy(self.real.parse([self.folder, *_PLAIN, *tokens]))
                try:
                    arguments = self.arguments.AsyncEngineArgs.from_cli_args(namespace)
                    config = arguments.create_engine_config()
                    self._load(config.load_config)
                    self._look_for_tokenizer(config.model_config.tokenizer_mode)
                finally:
                    self._look(namespace)
        except RefusedError:
            raise
        except SystemExit as error:
            return RuntimeError(str(error))
        except Exception as error:
            return error
        finally:
            os.environ.clear()
            os.environ.update(before)
        return None

    def _look_for_tokenizer(self, mode: str) -> None:
        """Look a mode up, as the start does (0.12 on); the small model has no tokenizer of any."""
        with suppress(ImportError):
            registry = importlib.import_module("vllm.tokenizers.registry")
            try:
                registry.get_tokenizer(self.folder, tokenizer_mode=mode)
            except (ValueError, OSError) as error:
                # 0.12 looks the tokenizer's name up for "custom": whoever writes this has one.
                if f"registered for tokenizer_mode={mode!r}" in str(error):
                    raise


def look_at_models_here() -> None:
    """Let vLLM look at a model's class in this process, which is prepared, and not in one of its
    own: with another Transformers or torch than theirs, 0.9.2 and 0.17.1 cannot import the class
    there; and importing it may claim a GPU.
    """
    with suppress(ImportError):
        registry: Any = importlib.import_module("vllm.model_executor.models.registry")
        setattr(registry, "_run_in_subprocess", lambda look: look())  # noqa: B010


@contextmanager
def engine(real: RealParser, **more: Any) -> Iterator[Engine]:
    """The engine, and a folder for its model that lasts as long; `more` is in its config.json."""
    with tempfile.TemporaryDirectory() as folder:
        yield Engine(real, folder, **more)


def places(error: Exception) -> list[tuple[str, ...]]:
    """Where in its fields a class says that the mistake is: [] for what they are together."""
    errors = getattr(error, "errors", None)
    if errors is not None:
        return [tuple(item["loc"]) for item in errors() if item["loc"]]
    # Of a plain dataclass (0.8).
    _, unexpected, name = str(error).partition("unexpected keyword argument ")
    return [(name.strip("'"),)] if unexpected else []


def listed(error: Exception | None) -> list[str]:
    """The names, or pydantic's numbers, that a refusal lists; [] for none."""
    for item in getattr(error, "errors", list)():
        if item["type"] == "enum" and item["loc"]:
            return re.findall(r"\d+", item["ctx"]["expected"])
    match = _LISTED.search(str(error))
    return re.findall(r"\w[\w.+-]*\w", match[1]) if match else []


def _bounds(flag: dict[str, Any], asking: Engine) -> Shape | None:
    """The bounds of a number that a class of the engine names itself and refuses from there on."""
    whole = flag["kind"] != "float"
    accepted: list[float] = []
    named: list[float] = []
    for number in _WHOLE if whole else _FRACTIONS:
        with suppress(RefusedError):  # the parser's own business
            error = asking.complaint(f"{flag['flag']}={number}")
            if error is None:
                accepted.append(number)
            elif (flag["dest"],) in places(error):
                named.append(number)
    if not accepted or not named:
        return None
    low, high = min(accepted), max(accepted)
    bounds: Shape = {"kind": "int" if whole else "float"}
    below = max((number for number in named if number < low), default=None)
    above = min((number for number in named if number > high), default=None)
    if below is not None and whole:
        bounds["ge"] = min(int(below) + 1, 1)  # a larger one is another flag's default speaking
        if bounds["ge"] == -1 and 0 not in accepted:  # -1 stands for something else
            bounds |= {"ge": 1, "also": [-1]}
    elif below is not None:
        bounds["gt" if below == 0 else "ge"] = 0
    if above is not None and whole and high == 65535:
        bounds["le"] = 65535
    elif above in (1.0, 1.5):
        bounds["lt" if above == 1.0 else "le"] = 1
    return bounds if len(bounds) > 1 else None


def _names(flag: dict[str, Any], asking: Engine, known: set[str]) -> Shape | None:
    """The names that a text may be, if the refusal of another one lists them, or a registry."""
    name = flag["flag"]
    beside = [other for other in (_BESIDE.get(name),) if other in known]

    def names_after(text: str) -> list[str]:
        with suppress(RefusedError):
            error = asking.complaint(f"{name}={text}", *beside)
            return listed(error) or (_registered(name) if error else [])
        return []

    names = names_after(_UNKNOWN) if asking.has_names else _registered(name)
    if not names:
        return None
    if names[0].isdecimal():
        return {"kind": "int", "ge": int(names[0]), "le": int(names[-1])}
    unless = ["VLLM_PLUGINS", *(other for other in _ADDS.get(name, ()) if other in known)]
    shape: Shape = {"kind": "choice", "choices": names, "unless": unless}
    if asking.has_names:
        listed_names = names
        if names_after(names[0].swapcase()) != names:
            shape["fold"], listed_names = "case", [item.lower() for item in names]
        others = [text for text in _NOT_LISTED if text not in listed_names]
        also = [text for text in others if names_after(text) != names]
        if also:
            shape["also"] = also
    if flag["dest"] == "quantization" and _overridden(name, asking):
        shape["overridden"] = True
    return {**shape, "beside": beside[0]} if beside else shape


def _registered(name: str) -> list[str]:
    names: dict[str, None] = {}
    for registry in _REGISTRIES.get(name, ()):
        module, _, place = registry.partition(":")
        with suppress(ImportError, AttributeError):
            names |= dict.fromkeys(operator.attrgetter(place)(importlib.import_module(module)))
    return list(names)


def _overridden(name: str, asking: Engine) -> bool:
    """Whether a model may be quantized in a way that counts instead of a name nobody knows."""
    with engine(asking.real, quantization_config=_QUANTIZED) as other:
        return _UNKNOWN not in str(other.complaint(f"{name}={_UNKNOWN}"))


def _maker(flag: dict[str, Any], arguments: Any) -> tuple[Callable[..., Any], type] | None:
    """What the engine makes its class of a flag's JSON with, and that class."""
    make = getattr(arguments.EngineArgs, f"create_{flag['dest']}", None)
    name = "".join(part.capitalize() for part in flag["dest"].split("_"))
    target = getattr(importlib.import_module("vllm.config"), name, None)
    return (make, target) if make is not None and isinstance(target, type) else None


def _keys(flag: dict[str, Any], arguments: Any) -> Shape | None:
    """The keys of JSON that the engine, and not the parser, makes a class of."""
    maker = _maker(flag, arguments)
    if maker is None:
        return None
    make, target = maker
    others = [name for name in inspect.signature(make).parameters if name != "self"]

    def ask(value: Any) -> str | None:
        """What is said of the keys; not of what they are together, which hangs on the model."""
        given = object.__new__(arguments.EngineArgs)
        setattr(given, flag["dest"], dict(value) if isinstance(value, dict) else value)
        try:
            make(given, **dict.fromkeys(others))
        except Exception as error:
            together = hasattr(error, "errors") and not places(error)
            return None if together else f"{error} {error.__context__}"
        return None

    with silence(), mock.patch.object(target, "__post_init__", create=True):
        shape = harvest_keys(ask, target) or _names_of(ask, target)
        if (
            shape is not None
            and ask({"no-such-key": 1}) is not None
            and all(ask({key.replace("_", "-"): None}) == ask({key: None}) for key in shape["keys"])
        ):
            shape["dashes"] = True
    return shape


def _names_of(ask: Callable[[Any], str | None], target: type) -> Shape | None:
    """The keys of a dataclass (0.8) that checks no values: pydantic has nothing to say of it."""
    if not dataclasses.is_dataclass(target) or ask({"no_such_key": 1}) is None:
        return None
    return {
        "kind": "object",
        "keys": {
            field.name: {"kind": "json"}
            for field in dataclasses.fields(target)
            if ask({field.name: None}) is None
        },
    }


def add_start(flags: list[dict[str, Any]], real: RealParser) -> None:
    """Add `start` to every flag of a catalog of which the engine takes less than the parser."""
    with engine(real) as asking:
        # 0.9 does not even take the model, beside another Transformers than its own: its bounds
        # stay unknown.
        asked = asking.complaint() is None
        known = {flag["flag"] for flag in flags}
        for flag in flags:
            start: Shape | None = None
            if asked and flag["kind"] in _NUMBERS and "choices" not in flag:
                start = _bounds(flag, asking)
            elif flag["kind"] == "str" and "choices" not in flag:
                start = _names(flag, asking, known)
            elif flag["kind"] == "json" and "shape" not in flag:
                start = _keys(flag, asking.arguments)
            if start is not None:
                flag["start"] = start


# --- variables ------------------------------------------------------------------------------------

# The texts offered to every variable of vLLM's own.
ENV_PROBES = (
    *("1", "0", "2", "-1", "1.5", "true", "false", "True", "False", "TRUE", "yes", "no", "on"),
    *("off", "y", "t", "abc", "auto", "DEBUG", "debug", "/x", "a,b", "{}", "[]", "None", "null"),
    *("tcp://10.0.0.1:8000", " 1 ", " true ", "8000", "1k"),
)

_CONVERTERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "bool-int": int,
    "float": float,
    "json": json.loads,
}


@contextmanager
def asked_for() -> Iterator[set[str]]:
    """The variables that are asked for while it lasts, be it by `get`, `[]` or `in`."""
    plain: Callable[..., Any] = os._Environ.__getitem__
    names: set[str] = set()

    def recorded(environ: Any, name: Any) -> Any:
        names.add(os.fsdecode(name))
        return plain(environ, name)

    with mock.patch.object(os._Environ, "__getitem__", recorded):
        yield names


def _asked_by(read: Callable[[], Any], name: str) -> set[str]:
    """The variables that an entry of the table asks for, whatever these are set to."""
    asked: list[set[str]] = [{name}]
    tried: set[str] = set()

    def recorded() -> None:
        with asked_for() as names:
            asked.append(names)
            read()

    while waiting := set().union(*asked) - tried:
        tried |= waiting
        for other in waiting:
            for text in (None, *ENV_PROBES):
                _read(recorded, other, text)
    return set().union(*asked[1:])


def _read(read: Callable[[], Any], name: str, text: str | None) -> Any:
    """What the real table makes of `name=text` (None: it is not set), or what it raises; its own
    changes of the environment are undone.
    """
    before = dict(os.environ)
    os.environ.pop(name, None)
    if text is not None:
        os.environ[name] = text
    try:
        with silence():
            return read()
    except (Exception, SystemExit) as error:
        return error
    finally:
        os.environ.clear()
        os.environ.update(before)


def _refused(answer: Any) -> bool:
    return isinstance(answer, (Exception, SystemExit))


def _accepts(kind: str, text: str) -> bool:
    """Whether a variable of this kind is read without a crash: what the kind stands for."""
    try:
        _CONVERTERS.get(kind, str)(text)
    except ValueError:
        return False
    return True


def _choices(read: Callable[[], Any], name: str, answers: dict[str, Any]) -> list[str] | None:
    """The choices of the table's own check, or (a wrapped check, 0.22 and 0.23) of its refusal."""
    cells = inspect.getclosurevars(read).nonlocals if inspect.isfunction(read) else {}
    choices = cells.get("choices")
    if callable(choices):
        choices = choices()
    if choices:
        return [str(item) for item in choices]
    if not all(map(_refused, answers.values())):
        return None
    words = re.findall(r"'([^']+)'", str(answers["abc"]).partition("ptions")[2])
    return [word for word in words if not _refused(_read(read, name, word))] or None


def harvest_variable(read: Callable[[], Any], name: str) -> dict[str, Any]:
    """One entry of `env`: its kind by the probes, its choices by the check of the table."""
    default = _read(read, name, None)
    if _refused(default) or default != _read(read, name, None):
        default = None  # it cannot be said here, or is made up anew for each process
    answers = {text: _read(read, name, text) for text in ENV_PROBES}
    entry: dict[str, Any] = {"name": name}
    choices = _choices(read, name, answers)
    if choices is not None:
        sample = next((item for item in choices if item.upper() != item.lower()), choices[0])
        value = _read(read, name, sample)
        entry["kind"] = "list" if isinstance(value, (list, set, tuple)) else "str"
        entry["choices"] = choices
        if not _refused(_read(read, name, sample.swapcase())):
            entry["fold"] = "case"
    else:
        kind = entry["kind"] = _kind(answers)
        if kind in ("bool", "bool-int"):
            entry["true"] = [text for text in ENV_PROBES if answers[text] is True]
        odd = [text for text in ENV_PROBES if _accepts(kind, text) == _refused(answers[text])]
        for field, refused in (("also", False), ("not", True)):
            texts = [text for text in odd if _refused(answers[text]) == refused]
            if texts:
                entry[field] = texts
    shown = jsonable(default)
    if isinstance(shown, str) and (os.path.expanduser("~") in shown or shown.startswith("/tmp")):
        shown = None  # a path of the harvesting machine is no fact about vLLM
    if shown is not None:
        entry["default"] = shown
    return entry


def _kind(answers: dict[str, Any]) -> str:
    accepted = {text: value for text, value in answers.items() if not _refused(value)}
    values = [value for value in accepted.values() if value is not None]
    if len(accepted) == len(answers):
        if values and all(isinstance(value, bool) for value in values):
            return "bool"
        listed = values and all(isinstance(value, (list, tuple, set)) for value in values)
        return "list" if listed else "str"
    if "1" in accepted and "abc" not in accepted and "1.5" not in accepted:
        return "bool-int" if isinstance(accepted["1"], bool) else "int"
    if "1.5" in accepted and "{}" not in accepted and "abc" not in accepted:
        return "float"
    if "{}" in accepted and "1.5" in accepted and "abc" not in accepted:
        return "json"
    return "str"


def _add_levels(entries: list[dict[str, Any]]) -> None:
    """The levels of logging: the table reads any text, and vLLM dies of others at its import."""
    module = importlib.import_module("vllm.logger")
    known = list(logging._nameToLevel)
    for entry in entries:
        name = entry["name"]
        if entry["kind"] != "str" or "choices" in entry or entry.get("default") not in known:
            continue

        def read() -> Any:
            return importlib.reload(module)._configure_vllm_root_logger()

        levels = [level for level in known if not _refused(_read(read, name, level))]
        if levels and _refused(_read(read, name, "abc")):
            entry["choices"] = levels
            if not _refused(_read(read, name, levels[0].lower())):
                entry["fold"] = "case"
        _read(read, name, None)


def harvest_variables(asked_before: set[str]) -> list[dict[str, Any]]:
    """vLLM's own table of variables, in the order of their names, and which of them it does not
    read. Of those that it reads and does not list, the ones with vLLM's prefix: HOME and the like
    are others'.

    Args:
        asked_before: the variables that were asked for when vLLM was imported.
    """
    envs = importlib.import_module("vllm.envs")
    table: dict[str, Callable[[], Any]] = dict(sorted(envs.environment_variables.items()))
    asked_by = {name: _asked_by(read, name) for name, read in table.items()}
    known = asked_before.union(*asked_by.values())
    entries = [
        harvest_variable(read, name) if name in known else {"name": name, "kind": "unread"}
        for name, read in table.items()
    ]
    _add_levels(entries)
    # 0.8.5 lists VLLM_HPU_USE_DELAYED_SAMPLING, and reads VLLM_DELAYED_SAMPLING for it.
    instead = {min(names): name for name, names in asked_by.items() if len(names) == 1}
    for other in known - table.keys():
        if other.startswith("VLLM_"):
            listed = instead.get(other)
            plain = {"name": other, "kind": "str"}
            entries.append(harvest_variable(table[listed], other) if listed else plain)
    return sorted(entries, key=lambda entry: str(entry["name"]))
