"""Adds to the wheel what it carries beside the sources: the entrypoint's modules, compiled (see
build_bundle.py).

For the Python that builds it; and for those that TRANSLATE_BUILD_PYTHONS names (commands, separated
by blanks), so that one wheel serves several.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Without the columns of each instruction (PEP 657), the file is a fifth smaller.
OPTIONS = ("-S", "-s", "-X", "no_debug_ranges")


class BundleHook(BuildHookInterface[Any]):
    """`translator/_compiled/code.TAG.bin` in a wheel; of an editable installation, beside the
    sources (what changes among them is read from them again).
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        out = (
            self.folder.name
            if version == "standard"
            else os.path.join(self.root, "translator", "_compiled")
        )
        for python in [sys.executable, *shlex.split(os.environ.get("TRANSLATE_BUILD_PYTHONS", ""))]:
            command = [python, *OPTIONS, str(Path(self.root) / ".ci" / "build_bundle.py"), out]
            environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": ""}
            made = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            ).stdout.strip()
            if version == "standard":
                build_data["force_include"][made] = f"translator/_compiled/{Path(made).name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()
        if artifact_path.endswith(".whl"):
            pack(artifact_path)


def pack(wheel: str) -> None:
    """Compress a wheel as well as deflate can: hatchling leaves it at zlib's default."""
    with zipfile.ZipFile(wheel) as made:
        members = [(info, made.read(info)) for info in made.infolist()]
    with zipfile.ZipFile(wheel, "w") as packed:
        for info, content in members:
            packed.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
