"""The maintainer's commands of an installed program, in a checkout: its tables are those that are
meant.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.program import PYTHON, process
from support.tables import HEAD, catalog, files, flag, tables, variable, write

import translator
from translator.maintain import history

# As the script `translate` does, which does not look for modules in the current folder: some
# commands of `tables`, one after the other. Prints the exit status of each and what it said.
PROGRAM = """
import contextlib, io, json, sys
sys.path[:] = filter(None, sys.path)
from translator.cli.main import main

def ran(arguments):
    said = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(["tables", *arguments])
    return status, said.buffer.getvalue().decode()

print(json.dumps([ran(arguments) for arguments in json.loads(sys.argv[1])]))
"""
PACKAGE = Path(translator.__file__).parent
Run = Callable[..., list[tuple[int, str]]]


# Tables of one version, to which lint objects in one way. (`.ci/run` asks for the project's own.)
MAPPINGS = files(
    changes="",
    releases='[published]\n"0.33.0" = "2026-11-02"\n',
    mine=HEAD + f"[[variable]]\n{variable('SEED', '--sed')}\n",
)
FACTS = history.texts(tables(catalog("0.33.0", flag("--seed", "int"))).catalogs)
MAPPINGS |= {name: text.encode() for name, text in FACTS.items()}
OBJECTION = "no vLLM has a flag --sed"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the package is installed in."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, folder / "translator")
    return folder


@pytest.fixture
def run(site: Path, checkout: Path) -> Run:
    """Run the installed program in the checkout, or in a folder beside it."""

    def ran(*commands: list[str], cwd: str = ".") -> list[tuple[int, str]]:
        env = {"PYTHONPATH": str(site), "PATH": os.defpath}
        command = [PYTHON, "-c", PROGRAM, json.dumps(commands)]
        done = process(command, env=env, cwd=checkout / cwd)
        assert done.stderr == ""
        return [(status, said) for status, said in json.loads(done.stdout)]

    assert [status for status, _ in ran(["compile"])] == [0]
    return ran


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    shutil.copytree(PACKAGE, folder / "translator", ignore=shutil.ignore_patterns("_compiled"))
    write(folder / "mappings", MAPPINGS)
    return folder


def test_the_tables_of_a_checkout_are_found(run: Run) -> None:
    """`no tables in …/site-packages/mappings`, said each of them."""
    for _, said in run(["lint"], ["lint", "mappings"], ["lint", "./mappings/"]):
        assert OBJECTION in said
    assert run(["compile", "--check"]) == [(0, "")]


def test_the_compiled_tables_of_the_checkout_are_written(run: Run, checkout: Path) -> None:
    stale = checkout / "translator" / "core" / "_compiled" / "facts.pack"
    content = stale.read_bytes()
    stale.write_bytes(content + b"more\n")
    assert run(["compile", "--check"], ["compile"]) == [
        (1, "stale: facts.pack\n"),
        (0, "written: facts.pack\n"),
    ]
    assert stale.read_bytes() == content


def test_elsewhere_it_is_said_what_to_do(run: Run) -> None:
    for status, said in run(["lint"], ["compile", "--check"], cwd=".."):
        assert (status, "the current folder is no checkout" in said) == (1, True)


def test_a_release_is_added_with_all_that_hangs_on_it(run: Run, checkout: Path) -> None:
    new = checkout / "new.json"
    new.write_text(json.dumps(catalog("0.34.0", flag("--seeds", "int"))))
    add = ["add", "0.34.0", "--published", "2026-11-20", "--harvested", str(new)]
    ((status, said),) = run(add)
    assert status == 1
    assert "to decide: what became of --seed\n" in said
    assert OBJECTION in said, "so does lint"
    assert "is not finished" not in said
    mappings = checkout / "mappings"
    added = '{"flag": "--seeds", "since": "0.34.0", "kind": "int"}'
    assert added in (mappings / "vllm" / "flags.jsonl").read_text().splitlines()
    assert '"0.34.0" = "2026-11-20"' in (mappings / "releases.toml").read_text()
    assert (checkout / "docs" / "variables.md").is_file()
    compiled, linted, again = run(["compile", "--check"], ["lint"], add)
    assert compiled == (0, "")
    assert "is not finished" in linted[1]
    assert (again[0], "vLLM 0.34.0 is in the tables" in again[1]) == (2, True)


def test_what_cannot_be_added_changes_nothing(run: Run, checkout: Path) -> None:
    new = checkout / "new.json"
    new.write_text(json.dumps(catalog("0.32.0")))
    before = {path: path.read_bytes() for path in (checkout / "mappings").rglob("*.*")}
    bad = checkout / "bad.json"
    bad.write_text('{"version": "0.34.0"}')
    refused = [
        (["0.34.0", "--harvested", str(new)], "is the catalog of vLLM 0.32.0"),
        (["0.32.0"], "vLLM 0.32.0 is not the newest: --published DAY says its day"),
        (["0.33.0"], "vLLM 0.33.0 is in the tables"),
        (["0.34.0rc1"], "0.34.0rc1 is no release"),
        (["0.34.0+cu129"], "0.34.0+cu129 is no release"),
        (["nightly"], "is no release"),
        (["0.34.0", "--harvested", "/nowhere.json"], "No such file"),
        (["0.34.0", "--harvested", str(checkout)], "Is a directory"),
        (["0.34.0", "--python", "/nowhere/python"], "No such file"),
    ]
    told = run(*(["add", *arguments] for arguments, _ in refused))
    for (_, reason), (status, said) in zip(refused, told, strict=True):
        assert (status, reason in said) == (2, True), said
    ((status, said),) = run(["add", "0.34.0", "--harvested", str(bad)])
    assert (status, f"{bad} $.grammar: is missing" in said) == (1, True)
    assert {path: path.read_bytes() for path in (checkout / "mappings").rglob("*.*")} == before
