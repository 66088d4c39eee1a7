"""What the program imports and starts is what was installed, never what lies in the current folder
or what a container's variables ask for.
"""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import HOME, PYTHON, entry_point, process

from translator.cli.main import run_process

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


def start(
    command: list[str], cwd: Path, *arguments: str, **env: str
) -> subprocess.CompletedProcess[str]:
    given = {"PATH": os.defpath, "TRANSLATE_VLLM_VERSION": "0.27.1", "PYTHONPATH": HOME, **env}
    return process([*command, "exec", *arguments], env=given, cwd=cwd)


@pytest.mark.parametrize("form", ["script", "-m"])
def test_nothing_comes_from_the_current_folder(form: str, hostile: Path, tmp_path: Path) -> None:
    """With input that needs the libraries, too. (`python -m` alone puts that folder first.)"""
    if form == "-m":
        if sys.version_info < (3, 11):
            pytest.skip("this Python has no PYTHONSAFEPATH")
        command = [PYTHON, "-m", "translator"]
    else:
        command = [str(entry_point(tmp_path / "bin"))]
        (hostile / "translator").mkdir()
        (hostile / "translator" / "__init__.py").write_text(HOSTILE)
    for env in ({"MODEL_NAME": "m"}, ENV):
        safe = "1" if form == "-m" else ""
        done = start(command, hostile, "--dry-run", "--explain", PYTHONSAFEPATH=safe, **env)
        assert "current folder" not in done.stderr
        assert "Traceback" not in done.stderr
        assert "translate: " in done.stderr


def test_the_entry_point_is_there() -> None:
    """What installers write a script for."""
    checkout = Path(__file__).parents[2] / "pyproject.toml"
    assert 'translate = "translator.cli.main:run_process"' in checkout.read_text()
    assert callable(run_process)


def test_the_entrypoint_needs_no_dependency(tmp_path: Path) -> None:
    """As `pip install --no-deps` leaves it: nothing of site-packages is on the path (-S)."""
    installed = tmp_path / "installed"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(HOME) / "translator", installed / "translator", ignore=ignored)
    script = entry_point(tmp_path / "bin")
    env = {**ENV, "HF_OVERRIDES": "{'a': 1}", "VLLM_EXTRA_ARGS": "--seed 1", "MAX_MODEL_LEN": "8k"}
    arguments = ("--dry-run", "--explain", "--", "--dtype=half")
    done = start(
        [PYTHON, "-S", str(script)], tmp_path, *arguments, PYTHONPATH=str(installed), **env
    )
    assert done.stdout == (
        "vllm serve m --dtype=half '--hf-overrides={\"a\":1}' --max-model-len=8000 --seed=1\n"
    ), done.stderr
    for arguments, status, said in (
        (["--help"], 0, "example:"),
        (["tables", "lint"], 2, "attrs is not installed"),
    ):
        ran = process([PYTHON, "-S", str(script), *arguments], env={"PYTHONPATH": str(installed)})
        assert (ran.returncode, said in ran.stdout + ran.stderr) == (status, True), ran.stderr


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    script = ["/bin/sh", "-c", command, "sh", str(entry_point(tmp_path / "bin"))]
    done = start(script, tmp_path, "--dry-run", MODEL_NAME="m")
    assert done.stdout == "vllm serve m\n", done.stderr


@pytest.mark.parametrize("path", ["rel", "./rel:", "{home}:rel", ":", ".", "{here}/rel:rel"])
def test_vllm_is_looked_for_where_pythonpath_says_it_in_full(path: str, tmp_path: Path) -> None:
    """Python itself puts what lies in the current folder on its path, too."""
    for folder in ("rel", "."):
        (tmp_path / folder / "vllm-0.9.2.dist-info").mkdir(parents=True)
    named = path.format(home=HOME, here=tmp_path)
    env = {"PATH": os.defpath, "MODEL_NAME": "m", "PYTHONPATH": named}
    command = [str(entry_point(tmp_path / "bin")), "exec", "--dry-run"]
    assert ("vLLM 0.9.2" in process(command, env=env, cwd=tmp_path).stderr) == ("{here}" in path)


@pytest.mark.parametrize(
    "module", ["core.secrets", "cli.options", "options", "cli.app", "core.findings"]
)
def test_an_interrupt_while_modules_load_shows_no_traceback(module: str) -> None:
    code = (
        "import sys\nclass Finder:\n    def find_spec(self, name, *_):\n"
        f"        if name == 'translator.{module}': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from translator.cli.main import run_process; run_process()"
    )
    done = process([PYTHON, "-c", code, "tables", "list"], env={"PYTHONPATH": HOME})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("path", ["", ":", ".", ":{bin}", "{bin}:.", "../hostile:{bin}"])
def test_vllm_is_never_that_of_the_current_folder(path: str, hostile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder / "vllm", "installed vllm")
    command = [str(entry_point(tmp_path / "other"))]
    done = start(command, hostile, MODEL_NAME="m", PATH=path.format(bin=folder))
    if "{bin}" in path:
        assert done.stdout == "installed vllm\n", done.stderr
    else:
        assert (done.returncode, done.stdout) == (127, "")
        assert "it has no absolute directory" in done.stderr


def test_the_version_is_not_that_of_the_current_folder(hostile: Path, tmp_path: Path) -> None:
    """Neither of a `vllm` beside a relative entry of PATH, nor of a folder that looks installed."""
    site = hostile / "lib" / "python3.12" / "site-packages" / "vllm-0.19.1.dist-info"
    site.mkdir(parents=True)
    (hostile / "bin").mkdir()
    program(hostile / "bin" / "vllm", "vllm")
    (hostile / "vllm-0.9.2.dist-info").mkdir()
    command = [str(entry_point(tmp_path / "other"))]
    env = {"MODEL_NAME": "m", "PATH": "bin:./bin", "TRANSLATE_VLLM_VERSION": ""}
    done = start(command, hostile, "--dry-run", **env)
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
    env = {**env, "MODEL_NAME": "m", "PATH": str(tmp_path)}
    done = start([PYTHON, "-m", "translator"], tmp_path, *arguments, **env)
    assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr


@pytest.mark.parametrize("env", [{}, {"COMP_LINE": "translate e"}, {"COMP_POINT": "1"}])
def test_a_request_for_completion_that_is_none_is_no_traceback(env: dict[str, str]) -> None:
    given = {"PYTHONPATH": HOME, "_ARGCOMPLETE": "1", **env}
    done = process([PYTHON, "-m", "translator"], env=given)
    assert done.returncode == 2
    assert "usage: translate" in done.stderr
