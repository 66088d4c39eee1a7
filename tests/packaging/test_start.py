"""What the program imports and starts is what was installed, never what lies in the current folder
or what a container's variables ask for.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from support.program import HOME, PYTHON

SCRIPT = Path(HOME) / "translator" / "__main__.py"
HOSTILE = "raise SystemExit('imported from the current folder')\n"
# What the program, its libraries and Python's own imports may ask for.
NAMES = ("__future__", "_json", "dotenv", "json", "re", "shlex", "yaml")
ENV = {"MODEL_NAME": "m", "HF_OVERRIDES": "{'a': 1", "VLLM_EXTRA_ARGS": "--seed 'x"}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with modules that end the process, our own package among them, and with a `vllm`."""
    folder = tmp_path / "hostile"
    for name in NAMES:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(HOSTILE)
    program(folder / "vllm", "vllm of the current folder")
    return folder


def program(place: Path, says: str) -> None:
    place.write_text(f"#!/bin/sh\necho {says}\n")
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


def script(folder: Path) -> list[str]:
    """The program as installed in a folder."""
    folder.mkdir(exist_ok=True)
    shutil.copy(SCRIPT, folder / "translate")
    return [PYTHON, str(folder / "translate")]


def start(
    command: list[str], cwd: Path, *arguments: str, **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, "exec", *arguments],
        env={"PATH": os.defpath, "TRANSLATE_VLLM_VERSION": "0.27.1", **env},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_script_of_a_wheel_can_be_run() -> None:
    """Builders of wheels keep the mode of the file."""
    checkout = Path(__file__).parents[2] / "translator" / "__main__.py"
    if not checkout.exists():
        pytest.skip("the tests of an sdist, beside the package that is installed")
    assert os.access(checkout, os.X_OK)
    assert checkout.read_text().startswith("#!python\n")  # which installers replace


@pytest.mark.parametrize("path", [":{home}", "{home}:", "{home}:.", "{home}::../hostile", "{home}"])
@pytest.mark.parametrize("form", ["script", "script in the current folder", "-m"])
def test_nothing_comes_from_the_current_folder(
    form: str, path: str, hostile: Path, tmp_path: Path
) -> None:
    """Neither as -m puts it first, nor as an empty or relative part of PYTHONPATH does; with input
    that needs the libraries, too.
    """
    if form == "-m":
        command = [PYTHON, "-m", "translator"]
    else:
        command = script(hostile if "current" in form else tmp_path / "bin")
        (hostile / "translator").mkdir()
        (hostile / "translator" / "__init__.py").write_text(HOSTILE)
    for env in ({"MODEL_NAME": "m"}, ENV):
        done = start(
            command, hostile, "--dry-run", "--explain", PYTHONPATH=path.format(home=HOME), **env
        )
        assert "current folder" not in done.stderr
        assert "Traceback" not in done.stderr
        assert "translate: " in done.stderr


def test_a_folder_that_is_named_in_full_is_searched(tmp_path: Path) -> None:
    """`ENV PYTHONPATH=$PYTHONPATH:/app` with `WORKDIR /app`, where the package was copied to."""
    app = tmp_path / "app"
    shutil.copytree(
        Path(HOME) / "translator",
        app / "translator",
        ignore=shutil.ignore_patterns("__pycache__", "*.bin"),
    )
    command = script(tmp_path / "bin")
    done = start(
        [PYTHON, "-S", *command[1:]], app, "--dry-run", MODEL_NAME="m", PYTHONPATH=f":{app}"
    )
    assert done.stdout == "vllm serve m\n", done.stderr


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    done = start(
        ["/bin/sh", "-c", command, "sh", *script(tmp_path / "bin")],
        tmp_path,
        "--dry-run",
        MODEL_NAME="m",
        PYTHONPATH=HOME,
    )
    assert done.stdout == "vllm serve m\n", done.stderr


@pytest.mark.parametrize("path", ["", ":", ".", ":{bin}", "{bin}:.", "../hostile:{bin}"])
def test_vllm_is_never_that_of_the_current_folder(path: str, hostile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder / "vllm", "installed vllm")
    done = start(
        [PYTHON, "-m", "translator"],
        hostile,
        MODEL_NAME="m",
        PYTHONPATH=HOME,
        PATH=path.format(bin=folder),
    )
    if "{bin}" in path:
        assert done.stdout == "installed vllm\n", done.stderr
    else:
        assert (done.returncode, done.stdout) == (127, "")
        assert "PATH has no absolute one" in done.stderr


def test_the_version_is_not_that_of_the_current_folder(hostile: Path) -> None:
    """Neither of a `vllm` beside a relative entry of PATH, nor of a folder that looks installed."""
    site = hostile / "lib" / "python3.12" / "site-packages" / "vllm-0.19.1.dist-info"
    site.mkdir(parents=True)
    (hostile / "bin").mkdir()
    program(hostile / "bin" / "vllm", "vllm")
    (hostile / "vllm-0.9.2.dist-info").mkdir()
    done = start(
        [PYTHON, "-m", "translator"],
        hostile,
        "--dry-run",
        MODEL_NAME="m",
        PYTHONPATH=HOME,
        PATH="bin:./bin",
        TRANSLATE_VLLM_VERSION="",
    )
    assert "(the newest known)" in done.stderr


@pytest.mark.parametrize(
    "env",
    [
        {"_ARGCOMPLETE": "1"},
        {"_ARGCOMPLETE": "1", "COMP_LINE": "translate exec", "COMP_POINT": "14"},
        {"_ARGCOMPLETE": "", "COMP_LINE": "", "COMP_POINT": "", "_ARC_DEBUG": "1"},
        {"_ARGCOMPLETE": "3", "COMP_LINE": "x", "COMP_POINT": "y", "_ARGCOMPLETE_IFS": "zz"},
    ],
)
@pytest.mark.parametrize("arguments", [[], ["--"], ["--vllm=0.27.1", "--", "--seed=1"]])
def test_variables_of_completion_do_not_keep_vllm_from_starting(
    env: dict[str, str], arguments: list[str], tmp_path: Path
) -> None:
    """A container inherits whatever its maker's shell exported."""
    program(tmp_path / "vllm", "started")
    done = start(
        [PYTHON, "-m", "translator"],
        tmp_path,
        *arguments,
        **env,
        MODEL_NAME="m",
        PYTHONPATH=HOME,
        PATH=str(tmp_path),
    )
    assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr


@pytest.mark.parametrize("env", [{}, {"COMP_LINE": "translate e"}, {"COMP_POINT": "1"}])
def test_a_request_for_completion_that_is_none_is_no_traceback(env: dict[str, str]) -> None:
    done = subprocess.run(
        [PYTHON, "-m", "translator"],
        env={"PYTHONPATH": HOME, "_ARGCOMPLETE": "1", **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "usage: translate" in done.stderr
