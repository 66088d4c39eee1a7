"""vLLM's own variables, found out by asking the real table of `vllm.envs` what it makes of each
probe.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import os
import re
from collections.abc import Callable
from typing import Any

from translator.authoring.harvest.declared import jsonable
from translator.authoring.harvest.real_parser import silence

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


def _read(read: Callable[[], Any], name: str, text: str | None) -> Any:
    """What the real table makes of `name=text` (None: it is not set), or what it raises; whatever
    the reading puts into the environment is taken out again.
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
    """Whether a variable of this kind is read without a crash (the rule that the catalog's kind
    stands for).
    """
    try:
        _CONVERTERS.get(kind, str)(text)
    except ValueError:
        return False
    return True


def _choices(read: Callable[[], Any], name: str, answers: dict[str, Any]) -> list[str] | None:
    """The choices of the table's own check; where they are not to be seen from outside (a wrapped
    check, 0.22 and 0.23), those that its refusal lists.
    """
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
    """One entry of `env`: the kind from what the probes give, the choices from the table's own
    check.
    """
    default = _read(read, name, None)
    if _refused(default) or default != _read(read, name, None):
        default = None  # it cannot be said here, or is made up anew for each process
    answers = {text: _read(read, name, text) for text in ENV_PROBES}
    found: dict[str, Any] = {"name": name}
    choices = _choices(read, name, answers)
    if choices is not None:
        sample = next((item for item in choices if item.upper() != item.lower()), choices[0])
        taken = _read(read, name, sample)
        found["kind"] = "list" if isinstance(taken, (list, set, tuple)) else "str"
        found["choices"] = choices
        if not _refused(_read(read, name, sample.swapcase())):
            found["fold"] = "case"
    else:
        kind = found["kind"] = _kind(answers)
        if kind in ("bool", "bool-int"):
            found["true"] = [text for text in ENV_PROBES if answers[text] is True]
        odd = [text for text in ENV_PROBES if _accepts(kind, text) == _refused(answers[text])]
        for field, refused in (("also", False), ("not", True)):
            texts = [text for text in odd if _refused(answers[text]) == refused]
            if texts:
                found[field] = texts
    shown = jsonable(default)
    if isinstance(shown, str) and (os.path.expanduser("~") in shown or shown.startswith("/tmp")):
        shown = None  # a path of the harvesting machine is no fact about vLLM
    if shown is not None:
        found["default"] = shown
    return found


def _kind(answers: dict[str, Any]) -> str:
    taken = {text: value for text, value in answers.items() if not _refused(value)}
    values = [value for value in taken.values() if value is not None]
    if len(taken) == len(answers):
        if values and all(isinstance(value, bool) for value in values):
            return "bool"
        listed = values and all(isinstance(value, (list, tuple, set)) for value in values)
        return "list" if listed else "str"
    if "1" in taken and "abc" not in taken and "1.5" not in taken:
        return "bool-int" if isinstance(taken["1"], bool) else "int"
    if "1.5" in taken and "{}" not in taken and "abc" not in taken:
        return "float"
    if "{}" in taken and "1.5" in taken and "abc" not in taken:
        return "json"
    return "str"


def _add_levels(found: list[dict[str, Any]]) -> None:
    """The levels of logging that vLLM takes: its table reads any text, and it dies of one that is
    none when it sets its logging up, mostly at its import.
    """
    module = importlib.import_module("vllm.logger")
    known = list(logging._nameToLevel)
    for entry in found:
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


def harvest_variables() -> list[dict[str, Any]]:
    """vLLM's own table of variables, in the order of their names."""
    envs = importlib.import_module("vllm.envs")
    table: dict[str, Callable[[], Any]] = envs.environment_variables
    found = [harvest_variable(read, name) for name, read in sorted(table.items())]
    _add_levels(found)
    return found
