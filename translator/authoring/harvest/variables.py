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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from translator.authoring.harvest.declared import jsonable
from translator.authoring.harvest.real_parser import REFUSED, silence

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
def _variable(name: str, text: str | None) -> Iterator[None]:
    """Quiet, and with the variable set to the text, or not set at all; then the environment is as
    before, whatever the reading put into it.
    """
    before = dict(os.environ)
    os.environ.pop(name, None)
    if text is not None:
        os.environ[name] = text
    try:
        with silence():
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def read_variable(read: Callable[[], Any], name: str, text: str | None) -> Any:
    """What the real table makes of `name=text` (None: it is not set), or REFUSED when it raises."""
    try:
        with _variable(name, text):
            return read()
    except (Exception, SystemExit):
        return REFUSED


def env_accepts(kind: str, text: str) -> bool:
    """Whether a variable of this kind is read without a crash (the rule that the catalog's kind
    stands for).
    """
    try:
        _CONVERTERS.get(kind, str)(text)
    except ValueError:
        return False
    return True


def _mined_choices(read: Callable[[], Any], name: str) -> list[str] | None:
    """The choices that the table's own refusal lists, when they are not to be seen from outside (a
    wrapped check, 0.22 and 0.23).
    """
    try:
        with _variable(name, "abc"):
            read()
    except (Exception, SystemExit) as error:
        words = re.findall(r"'([^']+)'", str(error).partition("ptions")[2])
        return [word for word in words if read_variable(read, name, word) is not REFUSED] or None
    return None


def _closure_choices(read: Callable[[], Any]) -> list[str] | None:
    cells = inspect.getclosurevars(read).nonlocals if inspect.isfunction(read) else {}
    choices = cells.get("choices")
    if callable(choices):
        choices = choices()
    return [str(item) for item in choices] if choices else None


def _default(read: Callable[[], Any], name: str) -> Any:
    """What the table gives when the variable is not set; None when that cannot be said here."""
    found = read_variable(read, name, None)
    return None if found is REFUSED else found


def harvest_variable(read: Callable[[], Any], name: str) -> dict[str, Any]:
    """One entry of `env`: the kind from what the probes give, the choices from the table's own
    check.
    """
    default = _default(read, name)
    if default != _default(read, name):
        default = None  # made up anew for each process
    answers = {text: read_variable(read, name, text) for text in ENV_PROBES}
    found: dict[str, Any] = {"name": name}
    choices = _closure_choices(read)
    if choices is None and all(answer is REFUSED for answer in answers.values()):
        choices = _mined_choices(read, name)
    if choices is not None:
        sample = next((item for item in choices if item.upper() != item.lower()), choices[0])
        taken = read_variable(read, name, sample)
        found["kind"] = "list" if isinstance(taken, (list, set, tuple)) else "str"
        found["choices"] = choices
        if read_variable(read, name, sample.swapcase()) is not REFUSED:
            found["fold"] = "case"
    else:
        found["kind"] = _variable_kind(answers)
        if found["kind"] in ("bool", "bool-int"):
            found["true"] = [text for text in ENV_PROBES if answers[text] is True]
        odd = [
            text
            for text in ENV_PROBES
            if env_accepts(found["kind"], text) == (answers[text] is REFUSED)
        ]
        for name, refused in (("also", False), ("not", True)):
            texts = [text for text in odd if (answers[text] is REFUSED) == refused]
            if texts:
                found[name] = texts
    shown = jsonable(default)
    if isinstance(shown, str) and (os.path.expanduser("~") in shown or shown.startswith("/tmp")):
        shown = None  # a path of the harvesting machine is no fact about vLLM
    if shown is not None:
        found["default"] = shown
    return found


def _variable_kind(answers: dict[str, Any]) -> str:
    taken = {text: value for text, value in answers.items() if value is not REFUSED}
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

        levels = [level for level in known if read_variable(read, name, level) is not REFUSED]
        if levels and read_variable(read, name, "abc") is REFUSED:
            entry["choices"] = levels
            if read_variable(read, name, levels[0].lower()) is not REFUSED:
                entry["fold"] = "case"
        read_variable(read, name, None)


def harvest_variables() -> list[dict[str, Any]]:
    """vLLM's own table of variables, in the order of their names."""
    envs = importlib.import_module("vllm.envs")
    table: dict[str, Callable[[], Any]] = envs.environment_variables
    found = [harvest_variable(read, name) for name, read in sorted(table.items())]
    _add_levels(found)
    return found
