"""The maintainer's commands of an installed program, in a checkout: its tables are those that are
meant.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.program import PYTHON
from support.tables import HEAD, catalog, files, flag, variable, write

import translator

# As the script `translate` does, which does not look for modules in the current folder.
PROGRAM = (
    "import sys; sys.path[:] = filter(None, sys.path); from translator.cli import main;"
    " sys.exit(main())"
)
PACKAGE = Path(translator.__file__).parent


# Tables of one version, to which lint objects in one way. (`.ci/run` asks for the project's own.)
MAPPINGS = files(
    catalog("0.33.0", flag("--seed", "int")),
    mine=HEAD + f"[[variable]]\n{variable('SEED', '--sed')}\n",
)
OBJECTION = "no vLLM has a flag --sed"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    shutil.copytree(PACKAGE, folder / "translator")
    shutil.copytree(PACKAGE, tmp_path / "site" / "translator")
    write(folder / "mappings", MAPPINGS)
    shutil.rmtree(folder / "translator" / "_compiled")
    assert run(folder, "compile")[0] == 0
    return folder


def run(checkout: Path, *arguments: str, cwd: str = ".") -> tuple[int, str]:
    env = {
        "PYTHONPATH": str(checkout.parent / "site"),
        "PATH": os.defpath,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [PYTHON, "-c", PROGRAM, "tables", *arguments]
    done = subprocess.run(
        command,
        env=env,
        cwd=checkout / cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_tables_of_a_checkout_are_found(checkout: Path) -> None:
    """`no tables in …/site-packages/mappings`, said each of them."""
    for arguments in (["lint"], ["lint", "mappings"]):
        assert OBJECTION in run(checkout, *arguments)[1]
    for arguments in (
        ["compile", "--check"],
        ["compile", "mappings", "--check"],
        ["compile", "./mappings/", "--check"],
    ):
        assert run(checkout, *arguments) == (0, "")
    status, said = run(checkout, "drift", "--harvested", "mappings/catalogs/0.33.0.json")
    assert "no tables" not in said
    assert status == 0


def test_the_compiled_tables_of_the_checkout_are_written(checkout: Path) -> None:
    stale = checkout / "translator" / "_compiled" / "catalogs.pack"
    content = stale.read_bytes()
    stale.write_bytes(b"")
    assert run(checkout, "compile", "--check") == (1, "stale: catalogs.pack\n")
    assert run(checkout, "compile") == (0, "written: catalogs.pack\n")
    assert stale.read_bytes() == content


def test_elsewhere_it_is_said_what_to_do(checkout: Path) -> None:
    for command in (["lint"], ["compile", "--check"]):
        status, said = run(checkout, *command, cwd="..")
        assert (status, "the current folder is no checkout" in said) == (1, True)
    status, said = run(checkout, "compile", "checkout/mappings", cwd="..")
    assert (status, "tables of your own" in said) == (2, True)


def test_a_release_is_added_with_all_that_hangs_on_it(checkout: Path) -> None:
    new = checkout / "new.json"
    new.write_text(json.dumps(catalog("0.34.0", flag("--seeds", "int"))))
    add = ("add", "0.34.0", "--published", "2026-11-20", "--harvested", str(new))
    status, said = run(checkout, *add)
    assert status == 1
    assert "to decide: what became of --seed\n" in said
    assert OBJECTION in said, "so does lint"
    assert "is not finished" not in said
    assert "+ --seeds: int" in said
    mappings = checkout / "mappings"
    assert json.loads((mappings / "catalogs" / "0.34.0.json").read_text()) == json.loads(
        new.read_text()
    )
    assert '"0.34.0" = "2026-11-20"' in (mappings / "releases.toml").read_text()
    assert run(checkout, "compile", "--check") == (0, "")
    assert (checkout / "docs" / "variables" / "mine.md").is_file()
    assert "is not finished" in run(checkout, "lint")[1]
    status, said = run(checkout, *add)
    assert (status, "vLLM 0.34.0 is in the tables" in said) == (2, True)


def test_what_cannot_be_added_changes_nothing(checkout: Path) -> None:
    new = checkout / "new.json"
    new.write_text(json.dumps(catalog("0.32.0")))
    before = {path: path.read_bytes() for path in (checkout / "mappings").rglob("*.*")}
    for version, reason in (
        ("0.34.0", "is the catalog of vLLM 0.32.0"),
        ("0.32.0", "vLLM 0.32.0 is not the newest: --published DAY says its day"),
        ("0.33.0", "vLLM 0.33.0 is in the tables"),
        ("0.34.0rc1", "0.34.0rc1 is no release"),
        ("0.34.0+cu129", "0.34.0+cu129 is no release"),
        ("nightly", "is no release"),
    ):
        status, said = run(checkout, "add", version, "--harvested", str(new))
        assert (status, reason in said) == (2, True), said
    assert {path: path.read_bytes() for path in (checkout / "mappings").rglob("*.*")} == before
