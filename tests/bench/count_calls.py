"""How many functions of the package run for one thing: `python -m tests.bench.count_calls`.

One more variable through a warm `env_to_args`, and `check` of the pod.yaml of docs/containers.md in
a fresh process. With `--names` every call is printed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import translator

PACKAGE = os.path.dirname(translator.__file__)
VERSION = "0.27.1"


class Calls:
    """The calls of the package's functions, in their order; not of what they call in others, nor
    of comprehensions.
    """

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []  # module, function

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            if code.co_name[0] == "<" and code.co_name != "<lambda>":
                return
            module = code.co_filename[len(PACKAGE) + 1 : -3].replace("/", ".")
            self.names.append((module, getattr(code, "co_qualname", code.co_name)))

    def of(self, action: Callable[[], object]) -> Calls:
        sys.setprofile(self)
        try:
            action()
        finally:
            sys.setprofile(None)
        return self


def variable() -> Calls:
    """`MAX_MODEL_LEN=25.6k` beside other variables: what it needs beyond the call without it, which
    was made before.
    """

    def call(**more: str) -> object:
        env = {"MODEL_NAME": "org/model", "DTYPE": "half", "PATH": "/bin", **more}
        return translator.env_to_args(env, vllm=VERSION)

    call()
    before = Counter(Calls().of(call).names)
    found = Calls()
    for name in Calls().of(lambda: call(MAX_MODEL_LEN="25.6k")).names:
        if before[name]:
            before[name] -= 1
        else:
            found.names.append(name)
    return found


CHECK = """
import os, sys
from tests.bench.count_calls import Calls
from translator.cli.main import main
kept = os.dup(1)
os.dup2(2, 1)
found = Calls().of(lambda: main(["check", sys.argv[1]]))
sys.stdout.flush()
os.dup2(kept, 1)
for module, name in found.names:
    print(module, name)
print(*sorted(name for name in sys.modules if name.startswith("translator")), sep="\\n", file=sys.stderr)
"""


def check() -> tuple[Calls, set[str]]:
    """`translate check pod.yaml` in a fresh process; the modules are those that it has loaded."""
    from ..support.documents import ROOT, blocks
    from ..support.program import process

    documents = blocks(ROOT / "docs" / "containers.md", "yaml")
    pod = next(text for text in documents if "kind: Pod" in text)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pod.yaml").write_text(pod)
        done = process([sys.executable, "-c", CHECK, f"{folder}/pod.yaml"], cwd=ROOT)
    calls = Calls()
    for line in done.stdout.splitlines():
        module, _, name = line.partition(" ")
        calls.names.append((module, name))
    return calls, {name for name in done.stderr.split() if name.startswith("translator")}


def main() -> None:
    pod, loaded = check()
    one = variable()
    for title, calls, modules in (
        ("env_to_args: one more variable", one, {module for module, _ in one.names}),
        ("check pod.yaml, fresh process", pod, loaded),
    ):
        functions = len(set(calls.names))
        print(f"{title}: {len(calls.names)} calls, {functions} functions, {len(modules)} modules")
        if "--names" in sys.argv:
            print(*(f"  {module}: {name}" for module, name in calls.names), sep="\n")


if __name__ == "__main__":
    main()
