"""The catalog of one vLLM version: what its real parser and its real `vllm.envs` accept, as JSON
facts.

Nothing here is read from help texts or documentation: every statement is an answer of the running
vLLM to a probe.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

from translator.authoring.harvest.engine import add_start
from translator.authoring.harvest.keys import harvest_keys
from translator.authoring.harvest.probes import REFUSED, jsonable, silence
from translator.authoring.harvest.real_parser import RealParser, RefusedError
from translator.authoring.harvest.variables import harvest_variables

# The texts offered to every flag that takes a value. What comes back decides the flag's kind.
VALUE_PROBES = (
    "1",
    "-1",
    "0",
    "1.5",
    "1k",
    "25.6k",
    "1t",
    "auto",
    "abc",
    "",
    "None",
    "true",
    "false",
    "3",
    '{"a": 1}',
    "{'a': 1}",
    '"x"',
    "[1]",
    "a=1",
    "{}",
)


def _ask(parser: argparse.ArgumentParser, action: argparse.Action, text: str) -> Any:
    """What this action stores for one value token, or REFUSED."""
    namespace = argparse.Namespace()
    try:
        with silence():
            values = parser._get_values(action, [text])
            action(
                parser,
                namespace,
                values,
                action.option_strings[0] if action.option_strings else None,
            )
    except (Exception, SystemExit):
        return REFUSED
    return getattr(namespace, action.dest)


def _unwrap(convert: Any) -> Any:
    """The innermost type of `optional_type(parse_type(X))`, or the dataclass that a value is parsed
    into.
    """
    seen = 0
    while callable(convert) and not isinstance(convert, type) and seen < 5:
        seen += 1
        names = inspect.getclosurevars(convert).nonlocals if inspect.isfunction(convert) else {}
        parameters = inspect.signature(convert).parameters if inspect.isfunction(convert) else {}
        if "return_type" in names:
            convert = names["return_type"]
        elif "cls" in parameters and isinstance(parameters["cls"].default, type):
            return parameters["cls"].default
        elif "f" in parameters and callable(parameters["f"].default):  # 0.9.0's `lambda x, f=cls`
            convert = parameters["f"].default
        elif inspect.ismethod(convert) and isinstance(convert.__self__, type):
            return convert.__self__
        elif inspect.isfunction(convert) and convert.__name__ in ("from_json", "from_cli"):
            return getattr(inspect.getmodule(convert), convert.__qualname__.split(".")[0], None)
        else:
            break
    return convert


def _sets_false(parser: argparse.ArgumentParser, action: argparse.Action, spelling: str) -> bool:
    namespace = argparse.Namespace()
    action(parser, namespace, [], spelling)
    return getattr(namespace, action.dest) is False


def _scalar_kind(answers: dict[str, Any], multiple: bool) -> str:
    """The kind of a value from what the flag made of the probes."""

    def read(text: str) -> Any:
        value = answers[text]
        return value[0] if multiple and isinstance(value, list) and value else value

    def number(text: str) -> bool:
        return isinstance(read(text), (int, float)) and not isinstance(read(text), bool)

    if read("1") is True and read("abc") is True:
        return "bool-value"
    if isinstance(read("abc"), str):
        return "json-or-str" if isinstance(read('{"a": 1}'), dict) else "str"
    if read("abc") is not REFUSED and not isinstance(read("abc"), (list, tuple)):
        return "str"
    if number("1") and number("1k"):
        return "size-or-auto" if read("auto") is not REFUSED else "size"
    if (
        read("1") is not REFUSED
        and number("1")
        and read("1.5") is REFUSED
        and read("{}") is REFUSED
    ):
        return "int"
    if number("1.5") and read("{}") is REFUSED:
        return "float"
    if isinstance(read("abc"), (list, tuple)):
        return "str"
    return "json"


def harvest_flag(
    parser: argparse.ArgumentParser, action: argparse.Action, spellings: list[str], deprecated: bool
) -> dict[str, Any]:
    """One entry of `flags`."""
    name = type(action).__name__
    long = [text for text in spellings if text.startswith("--")]
    flag = next(
        (text for text in long if text[2:].replace("-", "_") == action.dest),
        long[0] if long else spellings[0],
    )
    found: dict[str, Any] = {"flag": flag, "dest": action.dest}
    default = action.default
    if default == argparse.SUPPRESS:
        found["suppressed"] = True
        default = None
    choices = list(action.choices) if action.choices is not None else None
    if action.nargs == 0:
        off = [text for text in spellings if _sets_false(parser, action, text)]
        found["kind"] = "switch" if action.const is True and not off else "toggle"
        if off:
            found["negations"] = off
        if flag in off:
            flag = found["flag"] = next(text for text in long if text not in off)
        found["aliases"] = [text for text in spellings if text not in off and text != flag]
    else:
        found["aliases"] = [text for text in spellings if text != flag]
        multiple = action.nargs not in (None, "?")
        answers = {text: _ask(parser, action, text) for text in VALUE_PROBES}
        if name == "StoreBoolean":
            found["kind"] = "bool-value"
            found["false"] = "false"
        elif isinstance(action, argparse._AppendAction):
            found["kind"] = "append"
        elif multiple:
            found["kind"] = "list"
        elif action.nargs == "?":
            found["kind"] = "optional-str"
            found["const"] = jsonable(action.const)
        elif choices is not None:
            found["kind"] = (
                "int"
                if all(isinstance(item, int) for item in choices)
                else "float"
                if all(isinstance(item, float) for item in choices)
                else "str"
            )
        else:
            found["kind"] = _scalar_kind(answers, multiple)
            if found["kind"] == "bool-value":
                found["false"] = next(
                    text for text in ("false", "0", "") if _ask(parser, action, text) is False
                )
        if found["kind"] in ("list", "append"):
            found.update(_element(parser, action, answers, choices))
        if action.nargs not in (None, "+", "?") and isinstance(action.nargs, int):
            found["nargs"] = action.nargs
        if action.nargs == "?":
            found["bare"] = True
        if (answers["None"] is None and answers["abc"] is not None) or answers["None"] in (
            [None],
            (None,),
        ):
            found["nullable"] = True
        if answers[""] is None or answers[""] in ([None], (None,)):
            found["empty"] = True
        _value_syntax(found, answers, parser, action, choices)
        target = _unwrap(action.type)
        if isinstance(target, type) and target not in (str, int, float, bool):
            write = repr if found.get("syntax") == "python" else json.dumps
            keys = harvest_keys(lambda value: _complaint(parser, action, write(value)), target)
            if keys is not None:
                found["kind"] = "json"
                found["shape"] = keys
    if choices is not None:
        found["choices"] = [jsonable(item) for item in choices if item not in ("None", None)]
    if default is not None and jsonable(default) is not None:
        found["default"] = jsonable(default)
    if deprecated:
        found["deprecated"] = True
    if action.required:
        found["required"] = True
    return found


def _complaint(parser: argparse.ArgumentParser, action: argparse.Action, text: str) -> str | None:
    """What the parser has against one value token, with the reason below it; None when it takes
    it.
    """
    try:
        with silence():
            parser._get_values(action, [text])
    except (Exception, SystemExit) as error:
        return f"{error} {error.__context__}"
    return None


def _element(
    parser: argparse.ArgumentParser,
    action: argparse.Action,
    answers: dict[str, Any],
    choices: list[Any] | None,
) -> dict[str, Any]:
    """What one element of a list is: its kind, and whether it may be a `name=path` pair or a JSON
    object (LoRA modules).
    """

    def first(text: str) -> Any:
        value = answers[text]
        return value[0] if isinstance(value, list) and value else value

    if answers["abc"] is REFUSED and answers["a=1"] is not REFUSED:
        taken = [
            keys
            for keys in ('{"name": "a", "path": "b"}', '{"name": "a", "local_path": "b"}')
            if _ask(parser, action, keys) is not REFUSED
        ]
        loose = _ask(parser, action, "a=b=c") is not REFUSED  # split at the first `=`, or refused
        return {"element": "named-path" if loose else "named-path-once", "objects": bool(taken)}
    if answers["abc"] is REFUSED and choices is None and isinstance(first("1"), int):
        return {"element": "int"}
    if answers["abc"] is REFUSED and choices is None and isinstance(first("1.5"), float):
        return {"element": "float"}
    return {"element": "str"}


def _value_syntax(
    found: dict[str, Any],
    answers: dict[str, Any],
    parser: argparse.ArgumentParser,
    action: argparse.Action,
    choices: list[Any] | None,
) -> None:
    """How a value may be written, where it is not the plain form of its kind."""
    if found["kind"] == "json":
        if answers["a=1"] == {"a": 1}:
            found["syntax"] = "pairs"  # `image=1,video=0`
            if answers['{"a": 1}'] == {"a": 1}:
                found["syntax"] = "pairs-or-json"
        elif _ask(parser, action, "a:1,b:x") == {"a": "1", "b": "x"}:
            found["syntax"] = "colons"
        elif (
            answers["{'a': 1}"] is not REFUSED
            or _ask(parser, action, "{'level': 3}") is not REFUSED
        ):
            found["syntax"] = "python"  # ast.literal_eval: `true` is no Python literal
        if answers["3"] is not REFUSED and answers["abc"] is REFUSED and answers["[1]"] is REFUSED:
            found["level"] = True
    if found["kind"] == "json-or-str" and isinstance(_ask(parser, action, '{"a": 1} '), str):
        found[
            "syntax"
            # `^{.*}$` decides, so that a blank behind it, or a line's end within, makes a text of
            # it
        ] = "one-line"
    if found["kind"] in ("size", "size-or-auto"):
        found["suffixes"] = "".join(
            suffix for suffix in "kKmMgGtT" if _ask(parser, action, f"1{suffix}") is not REFUSED
        )
    if choices is not None and all(isinstance(item, str) for item in choices):
        sample = next((item for item in choices if "_" in item), choices[0])
        if _ask(parser, action, sample.swapcase()) == sample:
            found["fold"] = (
                "case-dash"
                if "_" in sample and _ask(parser, action, sample.replace("_", "-")) == sample
                else "case"
            )
    if choices is None and found["kind"] == "str" and isinstance(answers["abc"], list):
        found["element"] = "comma"


def harvest_flags(real: RealParser) -> list[dict[str, Any]]:
    """Every option of `vllm serve`, with each spelling that the parser has registered, also those
    it hides from its help.
    """
    serve = real.serve
    spellings: dict[int, list[str]] = {}
    for text, action in serve._option_string_actions.items():
        spellings.setdefault(id(action), []).append(text)
    deprecated: set[argparse.Action] = getattr(serve, "_deprecated", set())
    arguments: Any = importlib.import_module("vllm.engine.arg_utils")
    of_engine = {field.name for field in dataclasses.fields(arguments.AsyncEngineArgs)}
    flags = []
    for action in serve._actions:
        if not action.option_strings or isinstance(action, argparse._HelpAction):
            continue
        found = harvest_flag(serve, action, spellings[id(action)], action in deprecated)
        if action.dest not in of_engine:
            found["server"] = True
        flags.append(found)
    return sorted(flags, key=lambda item: item["flag"])


def _model_rules(
    ask: Callable[..., argparse.Namespace | None], by_dest: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """What becomes of `--model X`, and whether a served name may stand where the model should."""
    option = (
        "moved"
        if ask("--model", "x") is not None and ask("m", "--model", "x") is None
        else "ignored"
        if ask("m", "--model", "x") is not None
        else "refused"
    )
    found: dict[str, Any] = {"model_option": option}
    if option == "moved":
        found["model_option_empty"] = ask("m", "--model=") is None
    if (
        ask("--served-model-name", "x", "--seed", "1") is None
        and ask("m", "--served-model-name", "x") is not None
        and ask("--seed", "1") is not None
    ):
        found["served_needs_model"] = by_dest["served_model_name"]["flag"]
    return found


def _config_rules(ask: Callable[..., argparse.Namespace | None]) -> dict[str, Any]:
    """What a file for --config may hold: lists, objects, and what false does."""

    def config(text: str) -> argparse.Namespace | None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return ask("m", "--config", path)

    plain = ask("m")
    assert plain is not None
    listed = config("served-model-name: [a, b]\n")
    nested = config("hf-overrides: {a: 1}\n")
    off = config("use-tqdm-on-load: false\n")
    word = config("enable-chunked-prefill: false\n")
    last = config("served-model-name: a\n")  # a list takes what follows
    first = {"config_first": True} if last is None and config("seed: 1\n") is not None else {}
    return {
        **first,
        "config_lists": listed is not None and listed.served_model_name == ["a", "b"],
        "config_dicts": nested is not None and nested.hf_overrides == {"a": 1},
        "config_false": off is not None and getattr(off, "use_tqdm_on_load", None) is False,
        "config_words": (
            word is not None
            and word.enable_chunked_prefill is False
            and plain.enable_chunked_prefill is not False
            and off is None
        ),
    }


def harvest_grammar(real: RealParser, flags: list[dict[str, Any]]) -> dict[str, Any]:
    """What the command line as a whole knows in this version, by asking for each form once."""
    by_dest = {item["dest"]: item for item in flags}

    def ask(*tokens: str) -> argparse.Namespace | None:
        try:
            return real.parse(list(tokens))
        except RefusedError:
            return None

    def yields(tokens: tuple[str, ...], dest: str, wanted: Any) -> bool:
        namespace = ask(*tokens)
        return namespace is not None and getattr(namespace, dest, None) == wanted

    grammar: dict[str, Any] = {
        "model": "positional" if ask("--model", "m") is None else "both",
        "model_required": ask() is None,
        "dotted": yields(("m", "--hf-overrides.a", "1"), "hf_overrides", {"a": 1}),
        "plus": yields(("m", "--hf-overrides.a+", "x,y"), "hf_overrides", {"a": ["x", "y"]}),
        "dotted_sizes": yields(("m", "--hf-overrides.a", "1k"), "hf_overrides", {"a": 1000}),
    }
    if yields(("m", "--hf-overrides.a", "1"), "hf_overrides", {"a": "1"}):
        grammar["dotted_texts"] = True
        grammar["dotted_underscores"] = yields(
            ("m", "--hf-overrides.a_b", "1"), "hf_overrides", {"a_b": "1"}
        )
    grammar.update(_model_rules(ask, by_dest))
    grammar.update(_config_rules(ask))
    if "compilation_config" in by_dest:
        before = ask("m")

        def level(*tokens: str) -> str | None:
            namespace = ask("m", *tokens)
            if namespace is None or before is None:
                return None
            if (
                "optimization_level" in by_dest
                and namespace.optimization_level != before.optimization_level
            ):
                return "optimization-level"
            for name in ("mode", "level"):
                if getattr(namespace.compilation_config, name, None) == 3:
                    return name
            return None

        grammar["O"] = {
            form: level(*tokens)
            for form, tokens in {"-O3": ("-O3",), "-O=3": ("-O=3",), "-O 3": ("-O", "3")}.items()
        }
        by_name = ask("m", "-O.backend=eager")
        grammar["O_dotted"] = (
            by_name is not None and getattr(by_name.compilation_config, "backend", None) == "eager"
        )
        json_sizes = ask("m", "--compilation-config", '{"max_cudagraph_capture_size": 1k}')
        grammar["json_sizes"] = json_sizes is not None
    return grammar


def harvest(version: str) -> dict[str, Any]:
    """The catalog of the vLLM that can be imported here.

    Args:
        version: the version to write into it, for example "0.33.0".

    Returns:
        A JSON-able dict, as described in mappings/README.md.
    """
    real = RealParser()
    flags = harvest_flags(real)
    add_start(flags, real)
    return {
        "version": version,
        "grammar": harvest_grammar(real, flags),
        "flags": flags,
        "env": harvest_variables(),
    }
