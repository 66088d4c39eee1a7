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

from translator.core.values import is_number
from translator.maintain.harvest.declared import jsonable
from translator.maintain.harvest.frontend import add_frontend
from translator.maintain.harvest.keys import harvest_keys
from translator.maintain.harvest.real_parser import REFUSED, RealParser, RefusedError, silence
from translator.maintain.harvest.start import add_start, asked_for, harvest_variables

MODEL = "--model"

Ask = Callable[..., "argparse.Namespace | None"]
"""What the parser makes of tokens; None when it refuses them."""

# The texts offered to every flag that takes a value. What comes back decides the flag's kind.
VALUE_PROBES = (
    *("1", "-1", "0", "1.5", "1k", "25.6k", "1t", "auto", "abc", "", "None", "true", "false", "3"),
    *('{"a": 1}', "{'a': 1}", '"x"', "[1]", "a=1", "{}"),
)


class _Option:
    """An option that takes a value, and its answers: probe → what is stored, or REFUSED."""

    def __init__(self, parser: argparse.ArgumentParser, action: argparse.Action) -> None:
        self._parser, self.action = parser, action
        self.answers = {text: self.ask(text) for text in VALUE_PROBES}

    def ask(self, text: str) -> Any:
        """What is stored for one value token, or REFUSED."""
        namespace, action = argparse.Namespace(), self.action
        spelling = action.option_strings[0] if action.option_strings else None
        try:
            with silence():
                values = self._parser._get_values(action, [text])
                action(self._parser, namespace, values, spelling)
        except (Exception, SystemExit):
            return REFUSED
        return getattr(namespace, action.dest)

    def takes(self, text: str) -> bool:
        return self.ask(text) is not REFUSED

    def complaint(self, text: str) -> str | None:
        """What the parser has against a value token, with the reason below it."""
        try:
            with silence():
                self._parser._get_values(self.action, [text])
        except (Exception, SystemExit) as error:
            return f"{error} {error.__context__}"
        return None

    def item(self, probe: str) -> Any:
        """The answer to a probe; of a list, its first element."""
        answer = self.answers[probe]
        return answer[0] if isinstance(answer, list) and answer else answer

    def number(self, probe: str) -> bool:
        """Whether a probe is read as a number."""
        return is_number(self.answers[probe])

    def nothing(self, probe: str) -> bool:
        """Whether a probe is read as None."""
        return self.answers[probe] is None or self.answers[probe] in ([None], (None,))


def _unwrap(convert: Any) -> Any:
    """The innermost type of `optional_type(parse_type(X))`, or the dataclass of a value."""
    while callable(convert) and not isinstance(convert, type):
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


def harvest_flag(
    parser: argparse.ArgumentParser, action: argparse.Action, spellings: list[str], deprecated: bool
) -> dict[str, Any]:
    """One entry of `flags`."""
    off: list[str] = []
    if action.nargs == 0:
        off = [text for text in spellings if _sets_false(parser, action, text)]
    long = [text for text in spellings if text.startswith("--") and text not in off]
    named = [text for text in long if text[2:].replace("-", "_") == action.dest]
    flag = (named or long or spellings)[0]
    aliases = [text for text in spellings if text != flag and text not in off]
    entry: dict[str, Any] = {"flag": flag, "dest": action.dest}
    if action.nargs == 0:
        entry["kind"] = "switch" if action.const is True and not off else "toggle"
        if off:
            entry["negations"] = off
        entry["aliases"] = aliases
    else:
        entry["aliases"] = aliases
        entry.update(_value(_Option(parser, action)))
    if action.choices is not None:
        entry["choices"] = [jsonable(item) for item in action.choices if item not in ("None", None)]
    default = jsonable(action.default)
    if default is not None and default != argparse.SUPPRESS:
        entry["default"] = default
    if deprecated:
        entry["deprecated"] = True
    if action.required:
        entry["required"] = True
    return entry


def _value(option: _Option) -> dict[str, Any]:
    """What the value of an option is, and how it may be written."""
    action, kind = option.action, _kind(option)
    fields: dict[str, Any] = {"kind": kind}
    if kind == "bool-value":
        fields["false"] = next(text for text in ("false", "0", "") if option.ask(text) is False)
    if kind == "optional-str":
        fields["const"] = jsonable(action.const)
    if kind in ("list", "append"):
        fields.update(_element(option))
    if action.nargs == "?":
        fields["bare"] = True
    if option.nothing("None") and option.answers["abc"] is not None:
        fields["nullable"] = True
    if option.nothing(""):
        fields["empty"] = True
    fields.update(_syntax(kind, option))
    target = _unwrap(action.type)
    if isinstance(target, type) and target not in (str, int, float, bool):
        write = repr if fields.get("syntax") == "python" else json.dumps
        keys = harvest_keys(lambda value: option.complaint(write(value)), target)
        if keys is not None:
            fields.update({"kind": "json", "shape": keys})
    return fields


def _kind(option: _Option) -> str:
    """The kind of a value, from the action and what it makes of the probes."""
    action, answers = option.action, option.answers
    if type(action).__name__ == "StoreBoolean":
        return "bool-value"
    if isinstance(action, argparse._AppendAction):
        return "append"
    if action.nargs == "?":
        return "optional-str"
    if action.nargs is not None:
        return "list"
    if action.choices is not None:
        for name, kind in (("int", int), ("float", float)):
            if all(isinstance(item, kind) for item in action.choices):
                return name
        return "str"
    if answers["1"] is True and answers["abc"] is True:
        return "bool-value"
    if isinstance(answers["abc"], str) and isinstance(answers['{"a": 1}'], dict):
        return "json-or-str"
    if answers["abc"] is not REFUSED:
        return "str"
    if option.number("1") and option.number("1k"):
        return "size" if answers["auto"] is REFUSED else "size-or-auto"
    if answers["{}"] is REFUSED and option.number("1") and answers["1.5"] is REFUSED:
        return "int"
    return "float" if answers["{}"] is REFUSED and option.number("1.5") else "json"


def _element(option: _Option) -> dict[str, Any]:
    """What an element of a list is: its kind; whether it may be `name=path` or a JSON object."""
    answers = option.answers
    if answers["abc"] is REFUSED and answers["a=1"] is not REFUSED:
        objects = ('{"name": "a", "path": "b"}', '{"name": "a", "local_path": "b"}')
        parsed = [answer for answer in map(option.ask, objects) if answer is not REFUSED]
        fields: dict[str, Any] = {
            # Split at the first `=`, or refused.
            "element": "named-path" if option.takes("a=b=c") else "named-path-once",
            "objects": bool(parsed),
        }
        if parsed:
            fields["object_keys"] = [key.name for key in dataclasses.fields(parsed[0][0])]
        return fields
    if answers["abc"] is REFUSED and option.action.choices is None:
        if isinstance(option.item("1"), int):
            return {"element": "int"}
        if isinstance(option.item("1.5"), float):
            return {"element": "float"}
    return {"element": "str"}


def _syntax(kind: str, option: _Option) -> dict[str, Any]:
    """How a value may be written, where it is not the plain form of its kind."""
    choices = list(option.action.choices or ())
    if kind == "json":
        return _json_syntax(option)
    if kind == "json-or-str" and isinstance(option.ask('{"a": 1} '), str):
        # `^{.*}$` decides, so that a blank behind it, or a line's end within, makes a text of it.
        return {"syntax": "one-line"}
    fields: dict[str, Any] = {}
    if kind in ("size", "size-or-auto"):
        fields["suffixes"] = "".join(sign for sign in "kKmMgGtT" if option.takes(f"1{sign}"))
    if choices and all(isinstance(item, str) for item in choices):
        sample = next((item for item in choices if "_" in item), choices[0])
        if option.ask(sample.swapcase()) == sample:
            dashes = "_" in sample and option.ask(sample.replace("_", "-")) == sample
            fields["fold"] = "case-dash" if dashes else "case"
    if not choices and kind == "str" and isinstance(option.answers["abc"], list):
        fields["element"] = "comma"
    return fields


def _json_syntax(option: _Option) -> dict[str, Any]:
    """How JSON may be written otherwise."""
    answers, fields = option.answers, dict[str, Any]()
    if answers["a=1"] == {"a": 1}:  # `image=1,video=0`
        fields["syntax"] = "pairs-or-json" if answers['{"a": 1}'] == {"a": 1} else "pairs"
    elif option.ask("a:1,b:x") == {"a": "1", "b": "x"}:
        fields["syntax"] = "colons"
    elif answers["{'a': 1}"] is not REFUSED or option.takes("{'level': 3}"):
        fields["syntax"] = "python"  # ast.literal_eval: `true` is no Python literal
    if answers["3"] is not REFUSED and answers["abc"] is REFUSED and answers["[1]"] is REFUSED:
        fields["level"] = True
    return fields


def harvest_flags(real: RealParser) -> list[dict[str, Any]]:
    """Every option of `vllm serve`, also hidden ones, with each spelling that is registered."""
    serve = real.serve
    spellings: dict[int, list[str]] = {}
    for text, action in serve._option_string_actions.items():
        spellings.setdefault(id(action), []).append(text)
    deprecated: set[argparse.Action] = getattr(serve, "_deprecated", set())
    arguments: Any = importlib.import_module("vllm.engine.arg_utils")
    of_engine = {field.name for field in dataclasses.fields(arguments.AsyncEngineArgs)}
    flags = []
    actions = list(serve._actions)
    if MODEL not in serve._option_string_actions:  # 0.9.0: only the older module has it
        actions.append(real.module()._option_string_actions[MODEL])
        spellings[id(actions[-1])] = [MODEL]
    for action in actions:
        if not action.option_strings or isinstance(action, argparse._HelpAction):
            continue
        fields = harvest_flag(serve, action, spellings[id(action)], action in deprecated)
        if action.dest not in of_engine:
            fields["server"] = True
        flags.append(fields)
    return sorted(flags, key=lambda item: item["flag"])


def _model_rules(ask: Ask, by_dest: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What becomes of `--model X`, and whether a served name may stand where the model should."""
    rules: dict[str, Any] = {"model_option": "refused"}
    if ask("m", "--model", "x") is not None:
        rules["model_option"] = "ignored"
    elif ask("--model", "x") is not None:
        rules["model_option"] = "moved"
        rules["model_option_empty"] = ask("m", "--model=") is None
    if (
        ask("--served-model-name", "x", "--seed", "1") is None
        and ask("m", "--served-model-name", "x") is not None
        and ask("--seed", "1") is not None
    ):
        rules["served_needs_model"] = by_dest["served_model_name"]["flag"]
    return rules


def _config_rules(ask: Ask) -> dict[str, Any]:
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

    def yields(tokens: tuple[str, ...], dest: str, value: Any) -> bool:
        namespace = ask(*tokens)
        return namespace is not None and getattr(namespace, dest, None) == value

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
    if MODEL not in real.serve._option_string_actions:
        grammar["model_option"] = "absent"
    grammar.update(_config_rules(ask))
    if "compilation_config" in by_dest:
        grammar.update(_level_rules(ask))
    return grammar


def _level_rules(ask: Ask) -> dict[str, Any]:
    """What `-O` with a level sets, and what else a compilation configuration may be."""
    before = ask("m")

    def level(*tokens: str) -> str | None:
        namespace = ask("m", *tokens)
        if namespace is None:
            return None
        levels = (getattr(each, "optimization_level", None) for each in (before, namespace))
        if len({*levels}) > 1:
            return "optimization-level"
        for name in ("mode", "level"):
            if getattr(namespace.compilation_config, name, None) == 3:
                return name
        return None

    by_name = ask("m", "-O.backend=eager")
    backend = getattr(by_name.compilation_config, "backend", None) if by_name is not None else None
    sizes = ask("m", "--compilation-config", '{"max_cudagraph_capture_size": 1k}')
    return {
        "O": {form: level(*form.split()) for form in ("-O3", "-O=3", "-O 3")},
        "O_dotted": backend == "eager",
        "json_sizes": sizes is not None,
    }


def harvest(version: str) -> dict[str, Any]:
    """Return the catalog of the vLLM that can be imported here, as JSON."""
    with asked_for() as names:
        real = RealParser()
    flags = harvest_flags(real)
    add_start(flags, real)
    grammar = harvest_grammar(real, flags)
    for flag in flags:  # every flag stores its value under its own name
        del flag["dest"]
    variables = harvest_variables(names)
    add_frontend(variables, flags, real)
    return {"version": version, "grammar": grammar, "flags": flags, "env": variables}
