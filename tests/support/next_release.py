"""A release of vLLM that does not exist yet, as a harvest would give it: the newest, with one flag
under another name.

    python -m support.next_release     adds it to the tables of the current checkout
"""

import json
import sys
import tempfile
from typing import Any

from cases import NEWEST

from translator.cli.main import main

from .tables import committed

MAJOR, MINOR, *_ = map(int, NEWEST.split("."))
VERSION = f"{MAJOR}.{MINOR + 1}.0"
# The tables of the checkout may hold such a release already: .ci/run.
(OLD,) = (
    flag["flag"] for flag in committed(NEWEST)["flags"] if flag["flag"].startswith("--stream-")
)


def harvested() -> dict[str, Any]:
    """Return its catalog."""
    found = {**committed(NEWEST), "version": VERSION}
    (flag,) = (flag for flag in found["flags"] if flag["flag"] == OLD)
    flag["flag"] = f"--stream-{MINOR + 1}"
    return found


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(harvested(), file)
        file.flush()
        # 1: what became of the flag, and what the new one is for, are left to decide.
        sys.exit(main(["tables", "add", VERSION, "--harvested", file.name]) != 1)
