"""What is shipped is built from nothing but the checkout, and is the same bytes each time.

    python .ci/build_twice.py DIR

The sdist, and from it the wheel, into DIR; built again elsewhere, at another time and with other
permissions, they must be the same bytes. Needs hatchling, and Python 3.11.4.
Exit status: 0 if all went well, else 1.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
LARGEST_WHEEL = 1_000_000


def main() -> int:
    """Build twice, and compare."""
    target = Path(sys.argv[1]).absolute()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory(prefix="another-place-") as other,
    ):
        first = build(Path(one), 1_500_000_000, 0o022)
        second = build(Path(other, "deeper", "down"), int(time.time()), 0o077)
        bad = 0
        for mine, theirs in zip(first, second, strict=True):
            digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (mine, theirs)]
            same = mine.name == theirs.name and digests[0] == digests[1]
            print(
                f"{mine.name}: {mine.stat().st_size} bytes, sha256 {digests[0]},"
                f" {'the same when built again' if same else f'NOT the same again: {digests[1]}'}"
            )
            bad += not same
            shutil.copy(mine, target)
        if first[1].stat().st_size >= LARGEST_WHEEL:
            print(f"{first[1].name}: not under {LARGEST_WHEEL} bytes")
            bad += 1
    return 1 if bad else 0


def build(folder: Path, when: int, umask: int) -> tuple[Path, Path]:
    """Return the sdist of a copy of the checkout, and the wheel made from the unpacked sdist."""
    source, out = folder / "checkout", folder / "dist"
    copy(source, when, umask)
    hatch("sdist", source, out, umask)
    (sdist,) = out.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    hatch("wheel", unpacked, out, umask)
    (wheel,) = out.glob("*.whl")
    return sdist, wheel


def hatch(kind: str, source: Path, out: Path, umask: int) -> None:
    """Build one distribution of a folder.

    Raises:
        SystemExit: it failed.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    done = subprocess.run(
        command, cwd=source, umask=umask, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}:\n{(done.stdout + done.stderr)[-3000:]}")


def copy(target: Path, when: int, umask: int) -> None:
    """The project in another folder, with another date and other permissions; what was executable
    stays so.
    """
    for name in tracked():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / name, path)
        path.chmod((0o777 if os.access(CHECKOUT / name, os.X_OK) else 0o666) & ~umask)
        os.utime(path, (when, when))


def tracked() -> list[str]:
    """What belongs to the project: git's list where there is git, else what is here (an unpacked
    sdist).
    """
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = (
        done.stdout.split("\0")
        if done.returncode == 0
        else [str(path.relative_to(CHECKOUT)) for path in CHECKOUT.rglob("*")]
    )
    return sorted(
        name for name in names if name and (CHECKOUT / name).is_file() and "__pycache__" not in name
    )


if __name__ == "__main__":
    sys.exit(main())
