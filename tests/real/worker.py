"""The process that holds the real vLLM of one version and answers questions about it.

Run as `python worker.py VERSION TRANSLATOR [SOURCES]` inside the virtual environment of the real vLLM: TRANSLATOR is the folder of our
package, SOURCES the folder with the sources of that version (none for the version installed in the environment).

In, on stdin:   one JSON object a line: {"op": "parse", "argvs": [[token, ...], ...]}, {"op": "env", "items": [[name, text], ...]},
                {"op": "fields"} or {"op": "harvest"}
Out, on stdout: one JSON object a line: {"answer": ...}, or {"error": traceback} when the question could not be dealt with

    parse    for each argv {"ok": what sets its namespace apart from that of `vllm serve m`} or {"refused": what the parser said}
    env      for each pair {"ok": text of the value} or {"refused": what was raised}, with only that one of vLLM's variables set
    fields   the names of the fields of vLLM's EngineArgs
    harvest  the catalog of the version
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import sys
import traceback
import uuid
from pathlib import Path
from typing import Any, TextIO

import canonical

# What the command line program puts into the namespace for itself, and what only says where another value came from.
DROP = ("dispatch_function", "subparser", "model_tag", "config")


def private_stdout() -> TextIO:
    """The real stdout for the protocol alone: whatever else is printed from now on goes to stderr."""
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return protocol


def make_translator_importable(package: Path) -> None:
    """Only our package, and not what is installed beside it, becomes importable."""
    spec = importlib.util.spec_from_file_location("translator", package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["translator"] = module
    spec.loader.exec_module(module)


def never_random() -> uuid.UUID:
    """In the place of uuid.uuid4: some configs name themselves at random, which no comparison would survive."""
    return uuid.UUID(int=0)


class Answers:
    """One method per `op`."""

    def __init__(self, version: str) -> None:
        self.uuid4 = uuid.uuid4
        uuid.uuid4 = never_random
        from translator.tables.realparser import RealParser

        self.version = version
        self.real = RealParser()
        self.namespaces = canonical.Namespaces(vars(self.real.parse(["m"])), DROP)

    def parse(self, argvs: list[list[str]]) -> list[dict[str, Any]]:
        answers = [self._parse(argv) for argv in argvs]
        spoilt = self.namespaces.spoilt()
        if spoilt:
            raise RuntimeError(f"a parse has changed the defaults of {', '.join(spoilt)}")
        return answers

    def _parse(self, argv: list[str]) -> dict[str, Any]:
        from translator.tables.realparser import RefusedError

        before = dict(os.environ)
        try:
            return {"ok": self.namespaces.difference(vars(self.real.parse(argv)))}
        except RefusedError as refusal:
            return {"refused": str(refusal)}
        finally:
            if os.environ != before:
                os.environ.clear()
                os.environ.update(before)

    def env(self, items: list[tuple[str, str]]) -> list[dict[str, Any]]:
        from vllm.envs import environment_variables as table

        before = dict(os.environ)
        answers: list[dict[str, Any]] = []
        try:
            for name in table:
                os.environ.pop(name, None)
            bare = dict(os.environ)
            for name, given in items:
                said = io.StringIO()
                try:
                    os.environ[name] = given
                    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                        answers.append({"ok": canonical.text(table[name]())})
                except (Exception, SystemExit) as error:
                    answers.append({"refused": f"{type(error).__name__}: {error}"})
                os.environ.clear()
                os.environ.update(bare)
        finally:
            os.environ.clear()
            os.environ.update(before)
        return answers

    def fields(self) -> list[str]:
        from vllm.engine.arg_utils import EngineArgs

        return list(EngineArgs.__annotations__)

    def harvest(self) -> dict[str, Any]:
        from translator.tables.harvest import harvest

        uuid.uuid4 = self.uuid4  # a default that is random must be seen to be
        try:
            return harvest(self.version)
        finally:
            uuid.uuid4 = never_random


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
