"""explain, tables, completion, help, and every way to use the program wrongly."""

import io
import json
import re
from pathlib import Path

import pytest
from support.program import HOME, translate

import translator
from translator.cli.main import main
from translator.cli.options import COMMANDS
from translator.core.findings import codes, texts_of
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import shipped
from translator.formats import files
from translator.formats.inputs import read_log
from translator.reference.lookup import look_up

# --- explain --------------------------------------------------------------------------------------


def test_the_beginning_of_a_long_log_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said first is the cause."""
    monkeypatch.setattr(files, "LONGEST", 64)
    line = b"vllm: error: unrecognized arguments: --swap-space 4\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line + b"x" * 100)))
    assert read_log() == line.decode() + "x" * (64 - len(line))


def test_every_name_of_the_tables_can_be_explained() -> None:
    tables = shipped()
    scope, _ = scope_of("0.33.0", "runpod", {}, tables)
    versions = tables.versions()[-2:]
    names = [
        *tables.names(),
        *codes(),
        *scope.dialect.names,
        *(name for name in tables.records("changes.json") if "=" not in name),
    ]
    silent = [
        name
        for name in names
        if (page := look_up(name, scope, versions)) is None or not page.sections
    ]
    assert silent == []


def test_without_a_name_it_lists_what_there_is() -> None:
    listed = translate("explain")
    assert (listed.status, listed.err) == (0, "")
    for code in codes():
        entry = texts_of(code)
        assert re.search(rf"^{code} +{entry.severity} +{re.escape(entry.title)}$", listed.out, re.M)
    assert "`translate tables show` lists" in " ".join(listed.out.split())


# --- tables ---------------------------------------------------------------------------------------


def test_show_and_list() -> None:
    told = json.loads(translate("tables", "show", "--vllm", "0.33.0", "--format", "json").out)
    flags = {item["flag"]: item for item in told["flags"]}
    assert flags["--tensor-parallel-size"]["aliases"] == ["-tp"]
    assert flags["--max-model-len"]["kind"] == "size-or-auto"
    assert flags["--compilation-config"]["keys"]["mode"].keys() == {"kind", "choices", "keys"}
    listed = json.loads(translate("tables", "list", "--format", "json").out)
    assert listed["versions"] == shipped().versions()


def test_docs(tmp_path: Path) -> None:
    """Written, they are fresh; a page that is changed or gone is stale."""
    folder = str(tmp_path)
    assert translate("tables", "docs", "--check", folder).status == 1
    written = translate("tables", "docs", "--write", folder)
    assert f"written: {tmp_path / 'variables.md'}" in written.out
    assert translate("tables", "docs", "--check", folder).out == ""
    (tmp_path / "findings.md").write_text("x")
    (tmp_path / "variables.md").unlink()
    stale = translate("tables", "docs", "--check", folder)
    assert (stale.status, len(stale.out.splitlines())) == (1, 2)
    assert translate("tables", "docs", "--write", folder).status == 0
    assert translate("tables", "docs", "--check", folder).status == 0


# --- completion and help --------------------------------------------------------------------------


def test_completion_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "argcomplete.py").write_text("raise ImportError")
    ran = translate("completion", "bash", env={"PYTHONPATH": f"{tmp_path}:{HOME}"})
    assert (ran.status, ran.out) == (2, "")
    assert "help: run `pip install 'vllm-env-translator[cli]'`" in ran.err


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("explain --max-m", "--max-model-len"),
        ("explain MAX_M", "MAX_MODEL_LEN"),
        ("check --select remo", "removed"),
        ("diff 0.33.0 0.3", "0.32.0"),
        ("upgrade --to 0.3", "0.33.0"),
        ("exec --dialect sage", "sagemaker"),
    ],
)
def test_completion_offers(line: str, offered: str, tmp_path: Path) -> None:
    """What a shell is answered that asks with a line up to the cursor."""
    answer = tmp_path / "answer"
    asked = {"COMP_LINE": f"translate {line}", "COMP_POINT": str(len(f"translate {line}"))}
    asked |= {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": " ", "_ARGCOMPLETE_SHELL": "bash"}
    asked["_ARGCOMPLETE_STDOUT_FILENAME"] = str(answer)
    translate(env={**asked, "PYTHONPATH": str(HOME)})
    assert offered in answer.read_text().split()


@pytest.mark.parametrize(
    "command",
    [
        [],
        *([name] for name in COMMANDS),
        *(
            ["tables", name]
            for name in ("list", "show", "lint", "compile", "harvest", "add", "docs")
        ),
    ],
)
def test_every_help_has_an_example(command: list[str]) -> None:
    ran = translate(*command, "--help")
    assert ran.status == 0
    assert "example:" in ran.out
    assert "translate " in ran.out.partition("example:")[2]


# --- wrong use ------------------------------------------------------------------------------------


def test_the_version_of_the_program() -> None:
    for option in ("--version", "-V"):
        assert translate(option).out == f"translate {translator.__version__}\n"


def test_it_is_a_library_function_too(tmp_path: Path) -> None:
    file = tmp_path / "a.env"
    file.write_text("MODEL_NAME=m\n")
    right = ("explain bad-bool", "tables list", "args-to-env -- vllm serve m")
    for line in (*right, f"check --env-file {file}"):
        assert main(line.split()) == 0, line
    for line in ("nonsense", "check --cluster none", "convert --cluster lws -- vllm serve m"):
        assert main(line.split()) == 2, line
