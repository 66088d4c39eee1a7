"""What is shipped: built from nothing but the checkout, the same bytes each time, and working on
every Python and with the oldest dependencies.

    python .ci/supply.py build DIR     sdist, and from it the wheel, into DIR; built again
    elsewhere, at another time, they must be the same bytes python .ci/supply.py pythons DIR   what
    DIR holds, installed on every Python from 3.10 on that can be found: the quick suite of the
    unpacked sdist,
                                       on the wheel with the newest dependencies, and on the sdist
                                       with the oldest that pyproject.toml allows
    python .ci/supply.py lowest        the oldest dependencies, as constraints for pip

`build` needs hatchling, all of it Python 3.11.4. The suite runs with a fifth of the examples of
hypothesis; a Python that is not there is named as skipped.
Exit status: 0 if all went well, else 1.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import tomllib

CHECKOUT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# Where .ci/run itself tests the wheel with the newest dependencies.
USUAL = "{}.{}".format(*sys.version_info)
LARGEST_WHEEL = 1_000_000
EXAMPLES = "0.2"
TWO_AT_A_TIME = 2


def run(
    *command: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    umask: int = -1,
) -> str:
    """What a command says; what it said last if it fails.

    Raises:
        SystemExit: it failed.
    """
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=None if env is None else dict(env),
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(
            f"{' '.join(str(part) for part in command)}: exit status"
            f" {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}"
        )
    return done.stdout


def version_of(python: Path | str) -> str:
    """The minor version of a Python that can make virtual environments."""
    return run(
        python, "-c", "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    ).strip()


# --- built twice ----------------------------------------------------------------------------------


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


def build_once(folder: Path, when: int, umask: int) -> tuple[Path, Path]:
    """The sdist, and the wheel made from the unpacked sdist."""
    source, out = folder / "checkout", folder / "dist"
    copy(source, when, umask)
    run(
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "sdist",
        "-d",
        out,
        cwd=source,
        umask=umask,
    )
    (sdist,) = out.glob("*.tar.gz")
    unpacked = unpack(sdist, folder / "unpacked")
    run(
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        out,
        cwd=unpacked,
        umask=umask,
    )
    (wheel,) = out.glob("*.whl")
    return sdist, wheel


def unpack(sdist: Path, folder: Path) -> Path:
    """The one folder in an sdist."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (found,) = folder.iterdir()
    return found


def build(target: Path) -> int:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory(prefix="another-place-") as other,
    ):
        first = build_once(Path(one), 1_500_000_000, 0o022)
        second = build_once(Path(other, "deeper", "down"), int(time.time()), 0o077)
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


# --- the oldest dependencies ----------------------------------------------------------------------


def lowest(pyproject: Path) -> list[str]:
    """Every dependency of pyproject.toml, those of the tests and of the build too, pinned to its
    lower bound; pip evaluates the markers.
    """
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["test"],
    ]
    found = []
    for requirement in wanted:
        bound = re.fullmatch(r"([\w.-]+)\s*>=\s*([\w.]+)\s*(;.*)?", requirement)
        if bound is None:
            raise SystemExit(
                f"pyproject.toml: {requirement!r} has no lower bound, or more than that"
            )
        found.append(f"{bound[1]}=={bound[2]}{bound[3] or ''}")
    return found


# --- every Python ---------------------------------------------------------------------------------


def find(version: str) -> str | None:
    """A Python of this minor version: on PATH, or among those of pyenv, the newest patch."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    patches = {
        path.name.rpartition(".")[2]: path / "bin" / "python"
        for path in root.glob(f"versions/{version}.*")
    }
    newest_first = [
        str(patches[patch])
        for patch in sorted(filter(str.isdecimal, patches), key=int, reverse=True)
    ]
    for candidate in (shutil.which(f"python{version}"), *newest_first):
        try:
            if candidate is not None and version_of(candidate) == version:
                return candidate
        except (
            OSError,
            SystemExit,
            # a shim of pyenv for a version that is not chosen, or a Python without what makes
            # environments
        ):
            continue
    return None


def suite(
    title: str, python: str, package: Path, sdist: Path, low: bool
) -> tuple[str, str, int, str]:
    """The quick suite of the unpacked sdist, on a package installed in a fresh environment.

    Returns:
        The title, "ok" or "FAILED", the seconds, and what was said.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {
            key: text
            for key, text in os.environ.items()
            if key not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
        }
        env |= {
            "PYTHONSAFEPATH": "1",
            "TRANSLATE_EXAMPLES": EXAMPLES,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        try:
            tests = unpack(sdist, folder / "sdist")
            shutil.rmtree(
                tests / "translator"
            )  # what is tested is what was installed, whatever stands first on sys.path
            run(python, "-m", "venv", folder / "venv", env=env)
            inside = folder / "venv" / "bin" / "python"
            if low:  # by a variable, because it then holds for the build of an sdist, too
                env["PIP_CONSTRAINT"] = str(folder / "lowest.txt")
                (folder / "lowest.txt").write_text(
                    "\n".join(lowest(tests / "pyproject.toml")) + "\n", encoding="utf-8"
                )
            run(inside, "-m", "pip", "install", "-q", f"{package}[test]", env=env)
            place = run(
                inside, "-c", "import translator; print(translator.__file__)", cwd=folder, env=env
            ).strip()
            if "site-packages" not in place:
                raise SystemExit(f"under test is not what was installed, but {place}")
            done = subprocess.run(
                [
                    str(inside),
                    "-m",
                    "pytest",
                    "tests",
                    "--ignore=tests/real",
                    "-q",
                    "-p",
                    "no:cacheprovider",
                ],
                cwd=tests,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
            )
            verdict, said = "ok" if done.returncode == 0 else "FAILED", done.stdout
        except SystemExit as error:
            verdict, said = "FAILED", str(error)
    return title, verdict, round(time.monotonic() - started), said


def pythons(dist: Path) -> int:
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    jobs, skipped = [], []
    for version in PYTHONS:
        python = find(version)
        if python is None:
            skipped.append(version)
            continue
        if version != USUAL:
            package = wheel if wheel.name.endswith("-none-any.whl") else sdist
            jobs.append(
                (
                    (
                        f"Python {version}, newest dependencies, the"
                        f" {'wheel' if package == wheel else 'sdist'}"
                    ),
                    python,
                    package,
                    sdist,
                    False,
                )
            )
        jobs.append(
            (f"Python {version}, oldest dependencies, the sdist", python, sdist, sdist, True)
        )
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(TWO_AT_A_TIME) as pool:
        for future in concurrent.futures.as_completed([pool.submit(suite, *job) for job in jobs]):
            title, verdict, seconds, said = future.result()
            failed += verdict != "ok"
            print(f"{verdict:7} {seconds:5} s  {title}", flush=True)
            if verdict != "ok":
                print(said[-6000:], flush=True)
    for version in skipped:
        print(f"skipped          Python {version}: not found", flush=True)
    return 1 if failed or not jobs else 0


def main(arguments: list[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "build":
        return build(Path(arguments[1]).absolute())
    if len(arguments) == 2 and arguments[0] == "pythons":
        return pythons(Path(arguments[1]).absolute())
    if arguments == ["lowest"]:
        print("\n".join(lowest(CHECKOUT / "pyproject.toml")))
        return 0
    sys.stderr.write(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
