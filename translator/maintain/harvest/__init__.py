"""Ask the vLLM of another Python for its catalog."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from translator.core.tables.versions import parse

if TYPE_CHECKING:
    from translator.maintain.model.catalog import Catalog

# What the other Python runs. It sees this package and nothing else of what is installed beside it;
# vLLM may print what it likes.
_ASK = """
import importlib.util, json, sys
package, version, output = sys.argv[1:]
spec = importlib.util.spec_from_file_location(
    "translator", package + "/__init__.py", submodule_search_locations=[package]
)
sys.modules["translator"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from translator.maintain.harvest.catalog import harvest
text = json.dumps(harvest(version))
from importlib import import_module
with open(output + ".version", "w") as file:
    file.write(getattr(import_module("vllm.version"), "__version__", ""))
with open(output, "w") as file:
    file.write(text)
"""

SECONDS = 900.0


class HarvestError(Exception):
    """A Python cannot be asked; one line says why."""

    def __init__(self, interpreter: str, problem: str) -> None:
        super().__init__(f"{interpreter}: {problem}")


def misnamed(there: str, version: str) -> bool:
    """Return whether a vLLM is a release, and another one than its catalog is to be called."""
    installed, named = parse(there), parse(version)
    if installed is None or named is None:
        return False
    return installed.released and installed.base != named.base


def _environment(home: str) -> dict[str, str]:
    passed = ("PYTHONPATH", "LD_LIBRARY_PATH")
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "LC_ALL": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        # vLLM 0.8.5 takes choices from whichever of two types comes first in a set.
        "PYTHONHASHSEED": "0",
        **{name: os.environ[name] for name in passed if name in os.environ},
    }


def from_python(
    interpreter: str, version: str, seconds: float = SECONDS, *, release: bool = False
) -> Catalog:
    """Return the catalog of the vLLM that another Python can import.

    It is asked in an environment without variables of vLLM's own, in an empty folder; PYTHONPATH is
    passed on, so that sources can be put in front.

    Args:
        interpreter: that Python.
        version: what to call that vLLM.
        seconds: how long to wait for the answer.
        release: whether it must not be another release than that.

    Raises:
        HarvestError: there is no vLLM, or another release, or it cannot be asked.
        TablesError: the model does not allow what it answers.
    """
    from translator.maintain.load import harvested  # that Python, which runs this, needs no cattrs

    package = str(Path(__file__).resolve().parents[2])
    with tempfile.TemporaryDirectory() as folder:
        output, work = Path(folder, "catalog.json"), Path(folder, "work")
        work.mkdir()
        program = os.path.abspath(interpreter) if os.sep in interpreter else interpreter
        command = [program, "-X", "utf8", "-c", _ASK, package, version, str(output)]
        try:
            process = subprocess.run(
                command,
                env=_environment(folder),
                cwd=work,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except OSError as error:
            raise HarvestError(interpreter, str(error.strerror)) from None
        except subprocess.TimeoutExpired:
            raise HarvestError(interpreter, f"vLLM gave no answer in {seconds:.0f} s") from None
        if process.returncode != 0 or not output.exists():
            lines = [line.strip() for line in process.stderr.splitlines() if line.strip()]
            last = lines[-1][:300] if lines else f"exit status {process.returncode}"
            raise HarvestError(interpreter, last)
        there = Path(f"{output}.version").read_text() if release else ""
        if misnamed(there, version):
            raise HarvestError(interpreter, f"it has vLLM {there}, not {version}")
        return harvested(f"vLLM {version}", output.read_bytes())
