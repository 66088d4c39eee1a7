#!python
"""The program: installed as `translate`, and `python -m translator`.

Python compiles this file at every start. It is therefore short, and finds the compiled code of
everything else (see bundle.py) before it imports the first module.
"""

import _imp
import gc
import marshal
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER

gc.disable()  # the process lives for milliseconds

# Nothing is imported from the current folder, which may be anybody's. With -m it comes first; of a
# script, that is the script's folder, which may be the current one. A relative or empty part of
# PYTHONPATH is the current folder, too, unless another part names that folder in full.
if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    del sys.path[0]
named = (os.environ.get("PYTHONPATH") or "/").split(os.pathsep)
relative = {os.path.abspath(part) for part in named if part[:1] != "/"}
relative -= {os.path.abspath(part) for part in named if part[:1] == "/"}
sys.path[:] = [folder for folder in sys.path if folder[:1] == "/" and folder not in relative]

as_module = __package__ == "translator"
home = os.path.dirname(__file__)
if not as_module:
    for folder in sys.path:
        home = f"{folder}/translator"
        if os.path.exists(f"{home}/__init__.py"):
            break
try:
    file = open(f"{home}/_compiled/code.{sys.implementation.cache_tag}.bin", "rb", 0)  # noqa: SIM115
    head = file.read(16)
    block = file.read(int.from_bytes(head[4:7], "little"))
except OSError:
    block = head = b""
if (
    head[:4] == MAGIC_NUMBER
    and _imp.source_hash(20, head[:8] + block) == head[8:]
    and not sys.flags.optimize
):
    index = marshal.loads(block)
    bundle = {"__name__": "translator.bundle"}
    exec(index["translator.bundle"][3], bundle)
    bundle["use"](home, file, index)  # type: ignore[operator]

from translator.cli import main, run_process  # noqa: E402

if as_module:
    raise SystemExit(main())  # ends as Python ends, so that profilers see the end
run_process()
