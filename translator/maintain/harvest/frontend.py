"""The frontend in Rust (`VLLM_USE_RUST_FRONTEND`): which flags it refuses and ignores. Its program,
which a release has since 0.22, is asked with one flag after the other.
"""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

from translator.maintain.harvest.real_parser import RealParser, silence

VARIABLE = "VLLM_USE_RUST_FRONTEND"
PROGRAM = "vllm-rs"
# With these, vLLM starts another frontend, or none (`vllm.entrypoints.cli.serve`).
_UNLESS = ("--grpc", "--headless")
_CONFIG = "--config"  # the parser puts the file's settings in its place
_REFUSES, _IGNORES = "not implemented in Rust frontend", "has no effect in Rust frontend"


class _StartedError(Exception):
    """The program would be started."""


def add_frontend(
    variables: list[dict[str, Any]], flags: list[dict[str, Any]], real: RealParser
) -> None:
    """Add to the variable that starts the frontend the flags that this refuses, and ignores."""
    module = importlib.import_module("vllm")
    program = Path(str(module.__file__)).with_name(PROGRAM)
    variable = next((entry for entry in variables if entry["name"] == VARIABLE), None)
    if variable is None or not program.is_file():
        return
    names = {flag["flag"][2:].replace("-", "_"): flag["flag"] for flag in flags}
    namespace = real.parse(["m"])
    for name in names:
        setattr(namespace, name, "x")
    handed_on = json.loads(handed_over(namespace))
    answers = {name: answer(program, json.dumps({"model_tag": "m", name: True})) for name in names}
    variable["flags_refused"] = [
        flag
        for name, flag in names.items()
        if _REFUSES in answers[name] and name in handed_on and flag not in (_CONFIG, *_UNLESS)
    ]
    variable["flags_ignored"] = [flag for name, flag in names.items() if _IGNORES in answers[name]]
    variable["unless"] = list(_UNLESS)


def handed_over(namespace: Any) -> str:
    """Return the JSON with which vLLM starts the frontend's program: what a namespace has that is
    not at its default, but for some.
    """
    manager = importlib.import_module("vllm.v1.utils").RustFrontendProcessManager
    given = {
        name: mock.MagicMock() if "sock" in name or "listener" in name else "1"
        for name in inspect.signature(manager).parameters
    }
    with (
        silence(),
        mock.patch("subprocess.Popen", side_effect=_StartedError) as started,
        mock.patch("os.set_inheritable"),
        suppress(_StartedError),
    ):
        manager(**{**given, "args": namespace})
    command: list[str] = started.call_args[0][0]
    return command[command.index("--args-json") + 1]


def answer(program: Path, text: str) -> str:
    """Return what the frontend says of JSON that it is started with. It lacks the socket that it
    needs, and reads the JSON first.
    """
    command = [str(program), "frontend", "--args-json", text, "--listen-fd", "none"]
    process = subprocess.run(command, env={}, capture_output=True, text=True, check=False)
    return process.stdout + process.stderr
