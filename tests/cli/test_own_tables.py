"""A company's own dialect, a file of ten lines in a folder, in every command as a process; a
cluster and a file of properties of its own beside it.
"""

import json
from pathlib import Path

import pytest
from support.dialects import refused
from support.program import Ran, translate
from support.tables import TEN_LINES, committed

from translator import args_to_env, env_to_args
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import Tables
from translator.maintain.compile import compile_overlay

MORE = """\
[dialect]
name = "acme-file"
extends = "acme"
sources = ["https://wiki.acme.example/llm"]
[properties]
file = "llm.properties"
keys = { "llm." = "ACME_" }
"""
CLUSTER = """\
[cluster]
name = "acme"
sources = ["https://wiki.acme.example/machines"]
nodes = ["ACME_MACHINES"]
rank = ["ACME_MACHINE"]
address = ["ACME_FIRST"]
"""
ENV = {
    "ACME_MODEL": "org/m", "ACME_CONTEXT": "8k", "ACME_ARGS": "--seed 3",
    "ACME_ENFORCE_EAGER": "true",
}  # fmt: skip
LINE = "vllm serve org/m --enforce-eager --max-model-len=8000 --seed=3"
ASKED = ("--vllm", "0.27.1", "--dialect", "acme")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "dialects/acme.toml": TEN_LINES,
        "dialects/acme-file.toml": MORE,
        "clusters/acme.toml": CLUSTER,
    }.items():
        (tmp_path / "tables" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tables" / name).write_text(text)
    (tmp_path / "acme.env").write_text("".join(f"{name}={text!r}\n" for name, text in ENV.items()))
    return tmp_path


@pytest.fixture(params=["--tables", "TRANSLATE_TABLES"])
def run(request: pytest.FixtureRequest, folder: Path):
    """`translate COMMAND …` with the folder given either way."""

    def ran(command: str, *arguments: str, **env: str) -> Ran:
        tables = str(folder / "tables")
        if request.param == "--tables":
            return translate(command, "--tables", tables, *arguments, env=env, cwd=folder)
        return translate(command, *arguments, env={"TRANSLATE_TABLES": tables, **env}, cwd=folder)

    return ran


def test_the_environment_and_a_file_become_a_command_line(run, folder: Path) -> None:
    assert run("env-to-args", *ASKED, **ENV).out.strip() == LINE
    assert run("env-to-args", *ASKED, "--env-file", "acme.env").out.strip() == LINE


def test_the_entrypoint_starts_it(run) -> None:
    ran = run("exec", *ASKED, "--dry-run", "--", "--port", "9", **ENV)
    assert ran.out.strip() == LINE.replace("--seed", "--port=9 --seed")
    assert run("exec", *ASKED, "--dry-run", ACME_MODEL="m", ACME_CONTEXT="much").status == 1


def test_a_mistake_in_it_is_named(folder: Path) -> None:
    tables, dialect = str(folder / "tables"), folder / "tables" / "dialects" / "acme.toml"
    dialect.write_text(TEN_LINES.replace("--max-model-len", "--max-model-length"))
    linted = translate("tables", "lint", tables)
    wrong = "dialects/acme.toml $.variable[0].flag: no vLLM has a flag --max-model-length"
    assert (linted.status, linted.out.count("\n"), wrong in linted.out) == (1, 1, True)
    dialect.write_text(TEN_LINES.replace("role", "rule"))
    for line in ("env-to-args", "check", "exec --dry-run", "args-to-env -- vllm serve m"):
        command, *rest = line.split()
        ran = translate(command, "--tables", tables, *ASKED, *rest, env=ENV)
        assert (ran.status, "dialects/acme.toml $.variable[0]" in ran.err) == (2, True)


def test_a_cluster_and_a_file_of_its_own(run, folder: Path) -> None:
    place = {"ACME_MACHINES": "2", "ACME_MACHINE": "1", "ACME_FIRST": "one"}
    place["ACME_TENSOR_PARALLEL_SIZE"] = "2"
    made = run("env-to-args", *ASKED, "--cluster", "acme", **ENV, **place).out.split()
    assert {"--nnodes=2", "--node-rank=1", "--master-addr=one", "--headless"} < set(made)
    (folder / "llm.properties").write_text(
        "llm.model = org/m\nllm.context = 8k\nllm.args = --seed 3\nllm.enforce_eager = true\n"
    )
    asked = ("--vllm", "0.27.1", "--dialect", "acme-file")
    assert run("env-to-args", *asked, "--env-file", "llm.properties").out.strip() == LINE
    written = run("args-to-env", *asked, "--format", "properties", "--", *LINE.split()).out
    assert written.splitlines() == [
        "llm.enforce_eager=true",
        "llm.max_model_len=8000",
        "llm.model=org/m",
        "llm.seed=3",
    ]


def test_own_secrets_and_changes_add_to_the_shipped_ones(tmp_path: Path) -> None:
    """A file with one pattern must not show what was hidden without it, nor one with one change
    lose the others.
    """
    own = tmp_path / "more"
    own.mkdir()
    source = 'source = "https://example.org/"\n'
    for name, text in {
        "secrets": 'patterns = ["*_PIN"]\npublic = []\n',
        "changes": f'[[gone]]\nnames = ["--swap-space"]\nwhy = "ours"\n{source}',
        "relations": f'[[group]]\n{source}relation = [{{ id = "seed", must = "seed >= 0" }}]\n',
    }.items():
        (own / f"{name}.toml").write_text(text)
    tables = Tables(compile_overlay(own))
    for name in ("MY_PIN", "HF_TOKEN", "API_KEY", "AWS_SECRET_ACCESS_KEY"):
        assert secrets_of(tables).named(name), name
    env = {"MODEL_NAME": "m", "GUIDED_DECODING_BACKEND": "guidance", "SEED": "-1"}
    done = env_to_args({**env, "ENABLE_AUTO_TOOL_CHOICE": "1"}, vllm="0.33.0", tables=tables)
    refused = ["refused-at-start"] * 2
    assert [item.code for item in done.findings] == ["replaced", *refused]
    gone = args_to_env(["m", "--swap-space", "4"], vllm="0.33.0", tables=tables)
    assert "ours" in gone.findings[-1].message


def test_a_table_of_another_patch_takes_effect_for_that_patch_only(tmp_path: Path) -> None:
    """A new patch, one in the place of the project's, and one of a release that others are kept as
    differences from.
    """
    own = tmp_path / "catalogs"
    own.mkdir()
    acme = {"flag": "--acme", "kind": "int", "aliases": []}
    for version, like in (("0.27.2", "0.27.1"), ("0.8.4", "0.8.4"), ("0.33.0", "0.33.0")):
        raw = committed(like)
        flags = sorted([*raw["flags"], acme], key=lambda flag: flag["flag"])
        (own / f"{version}.json").write_text(
            json.dumps({**raw, "version": version, "flags": flags}), encoding="utf-8"
        )
    tables = Tables(compile_overlay(tmp_path))

    takes = {"0.27.2": "0.27.2", "0.27": "0.27.2", "0.8.4": "0.8.4", "0.33.0": "0.33.0"}
    for version, used in takes.items():
        done = env_to_args({"MODEL_NAME": "m", "ACME": "1"}, vllm=version, tables=tables)
        assert (done.version, done.argv[3:], done.findings) == (used, ["--acme=1"], ())
    for version in ("0.27.0", "0.27.1", "0.8.3", "0.8.5", "0.32.0", "0.28.0"):
        told = refused(env_to_args, {"MODEL_NAME": "m", "ACME": "1"}, vllm=version, tables=tables)
        assert told == [("flag-not-in-version", "ACME")]
        assert env_to_args({"MODEL_NAME": "m"}, vllm=version, tables=tables).version == version
