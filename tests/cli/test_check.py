"""`translate check`, as a process."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from support.program import codes, translate

from translator import TranslationError, args_to_env
from translator.api.check import check_argv
from translator.cli import main, options
from translator.cli.check.checker import versions_in
from translator.cli.exits import UsageError
from translator.naming.scope import scope as scope_of
from translator.tables.catalog import Tables, shipped

MANIFEST = """apiVersion: apps/v1
kind: Deployment
metadata: {name: v}
spec:
  template:
    spec:
      containers:
      - name: server
        image: vllm/vllm-openai:v0.19.1
        env:
        - name: VLLM_USE_DEEP_GEMM
          value: "true"
        - name: VLLM_PORT
          value: tcp://10.0.0.1:80
        args:
        - --model=org/m
        - --enable-prefix-caching=true
"""


def test_an_environment() -> None:
    ran = translate(
        "check",
        env={
            "MODEL_NAME": "m",
            "ENFORCE_EAGER": "maybe",
            "TENSOR_PARALELL_SIZE": "2",
            "MAX_CONCURRENCY": "3",
        },
    )
    assert ran.status == 1
    assert [line.partition("[")[0] for line in ran.out.splitlines()] == ["error", "warning", "info"]
    assert "1 error, 1 warning, 1 note" in ran.err
    ran = translate("check", env={"MODEL_NAME": "m"})
    assert (ran.status, ran.out) == (0, "")


def test_an_abbreviated_served_name_needs_no_model() -> None:
    """vLLM 0.25.1 takes it: before its parser, it looks for the flag's full name only."""
    for flag, refused in (("--ser", False), ("--served_model_name", True)):
        found = check_argv([flag, "abc"], {}, scope_of("0.25.1", "runpod", {}, shipped())[0])
        assert any(item.severity == "error" for item in found) == refused


def test_a_file_tells_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.env"
    path.write_text("MODEL_NAME=m\n\nENFORCE_EAGER=maybe\n")
    for arguments in (["--env-file", str(path)], [str(path)]):
        ran = translate("check", *arguments)
        assert ran.status == 1
        assert ran.out.startswith(f"{path}:3:1: error[bad-bool]: `ENFORCE_EAGER=maybe`")


def test_a_command_line() -> None:
    ran = translate(
        "check",
        "--",
        "vllm",
        "serve",
        "m",
        "--enable-prefix-caching",
        "true",
        "--api-key",
        "sk-secretsecret",
    )
    assert ran.status == 1
    assert "stray-token" in ran.out
    assert "secretsecret" not in ran.out + ran.err
    ran = translate("check", "--", "vllm", "serve", "m", "--api-key", "sk-secretsecret")
    assert ran.status == 0
    assert "VLLM_API_KEY" in ran.out
    assert (
        translate(
            "check", "--strict", "--", "vllm", "serve", "m", "--api-key", "sk-secretsecret"
        ).status
        == 3
    )
    assert translate("check", "--", "vllm serve m --seed 1").status == 0
    assert translate("check", "--").status == 2


@pytest.mark.parametrize("version", ["0.7.3", "0.12.0", "0.27.1", "0.33.0"])
@pytest.mark.parametrize("dialect", ["runpod", "sagemaker", "nim"])
@pytest.mark.parametrize(
    "line",
    [
        ["--max-modle-len 8k"],
        ["m", "--max-modle-len", "8k"],
        ["m", "--middleware", "a.b", "--middleware", "c.d"],
        ["m", "--task", "embed", "--swap-space", "4"],
        ["m", "--guided-decoding-backend", "xgrammar"],
        ["m", "--seed", "1", "--seed", "2", "--api-key", "sk-secretsecret"],
        ["m", "--otlp-traces-endpoint", "http://me:s3cretsecret@host"],
        ["m", "--served-model-name", "a", "--", "-b"],
        ["m", "--chat-template", "x" * 1100],
        ["m", "--chat-template", "a\0b"],
        ["m", "--enable-auto-tool-choice"],
        ["--seed", "1"],
        ["-x y", "--seed", "two"],
    ],
)
def test_it_says_no_less_of_the_line_than_args_to_env(
    line: list[str], dialect: str, version: str
) -> None:
    """`check -- vllm serve '--max-modle-len 8k'` had nothing to say. Of the variables that
    args-to-env writes it says nothing: nobody writes them.
    """
    try:
        said = args_to_env(["vllm", "serve", *line], version, dialect).findings
    except TranslationError as error:
        said = error.findings
    found = [
        (item.code, item.subject)
        for item in check_argv(
            ["vllm", "serve", *line], {}, scope_of(version, dialect, {}, shipped())[0]
        )
    ]
    of_variables = {
        "kept-in-extra-args", "consumer-default", "cannot-be-said", "over-limit",
        "consumer-differs", "older-consumer", "platform-breaks",
    }  # fmt: skip
    assert not of_variables.union({"secret-moved"}).intersection(code for code, _ in found)
    moved = {"secret-moved": "secret-on-argv"}  # check moves nothing
    assert [
        item
        for item in said
        if (moved.get(item.code, item.code), item.subject) not in found
        and item.code not in of_variables
    ] == []


def test_a_manifest_tells_the_line_and_takes_the_version_of_the_image(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(MANIFEST)
    for arguments in (["--manifest", str(path)], [str(path)]):
        ran = translate("check", *arguments)
        assert ran.status == 1
        assert f"{path}:17:11: error[unexpected-value]" in ran.out
        assert f"{path}:11:17: error[repaired-variable]" in ran.out  # nothing repairs it
        assert "is used" not in ran.out
        assert f"{path}:13:17: error[service-link]" in ran.out  # nothing removes it
        assert "vLLM 0.19.1" in ran.err


@pytest.mark.parametrize(
    ("image", "version", "code"),
    [
        ("vllm/vllm-openai:v0.17.1-cu129", "0.17.1", "image-version"),
        ("nvcr.io/nvidia/vllm:25.10-py3", "0.10.2", "image-version"),
        ("vllm/vllm-openai:latest", shipped().versions()[-1], "version-assumed"),
        ("vllm/vllm-openai@sha256:0123", shipped().versions()[-1], "version-assumed"),
        ("nvcr.io/nvidia/vllm:25.09-py3", shipped().versions()[-1], "version-assumed"),
        ("example.org/my-vllm:v0.19.1", "0.19.1", "version-assumed"),
    ],
)
def test_the_version_of_an_image_is_known_or_assumed(
    tmp_path: Path, image: str, version: str, code: str
) -> None:
    """What is assumed is one finding, and none where the version is named."""
    path = tmp_path / "pod.yaml"
    path.write_text(
        "kind: Pod\nspec:\n  containers:\n  - name: a\n"
        f"    image: {image}\n    command: [vllm, serve, m]\n"
    )
    told = {"image-version", "version-assumed"}

    def codes(*arguments: str, env: dict[str, str] | None = None) -> list[str]:
        ran = translate("check", str(path), "--format", "json", *arguments, env=env)
        assert ran.status == 0
        found = json.loads(ran.out)
        (checked,) = found["checked"]
        assert checked["vllm"] == ("0.27.1" if arguments or env else version)
        return [item["code"] for item in found["findings"] if item["code"] in told]

    assert codes() == [code]
    known = [code] if code == "image-version" else []
    assert codes("--vllm", "0.27.1") == known
    if not known:
        assert codes(env={"TRANSLATE_VLLM_VERSION": "0.27.1"}) == []


def test_compose_and_a_workers_container(tmp_path: Path) -> None:
    path = tmp_path / "compose.yaml"
    path.write_text(
        "services:\n  a:\n    image: vllm/vllm-openai:v0.12.0\n    command: --model m\n   "
        " environment:\n      VLLM_USER_V1: 1\n  b:\n    image: runpod/worker-v1-vllm:v2.25.0\n   "
        " environment:\n      - MODEL_NAME=m\n      - ENFORCE_EAGER=maybe\n"
    )
    ran = translate("check", str(path))
    assert ran.status == 1
    assert f"{path}:6:21: warning[unknown-variable]" in ran.out
    assert f"{path}:11:9: error[bad-bool]" in ran.out
    path.write_text("services:\n  a: {image: redis}\n")
    assert translate("check", str(path)).status == 0


@pytest.mark.parametrize(
    ("arguments", "variable"),
    [
        (["--dialect", "prefix:MY_"], "MY_MODEL"),
        (["--prefix", "MY_"], "MY_MODEL"),
        (["--dialect", "sagemaker"], "SM_VLLM_MODEL"),
        (["--dialect", "sagemaker@shell"], "SM_VLLM_MODEL"),
        (["--dialect", "sagemaker@upstream"], "SM_VLLM_MODEL"),
        (["--dialect", "lmi"], "OPTION_TASK"),
        ([], "MODEL_NAME=m, MAX_MODEL_LEN"),
        ([], "MODEL_NAME=m, SWAP_SPACE"),  # the newest vLLM has no such flag
    ],
)
def test_a_container_is_known_by_variables_of_the_dialect(
    arguments: list[str], variable: str, tmp_path: Path
) -> None:
    """Only names that stand in the dialect's table were looked for, of which some dialects need
    none.
    """
    path = tmp_path / "d.yaml"
    path.write_text(
        "services:\n  a: {image: redis, environment: [A=1]}\n  b: {image: company/llm,"
        f" environment: [{variable}=auto]}}\n"
    )
    ran = translate("check", *arguments, str(path))
    assert ran.status in (0, 1)
    assert "service b, vLLM" in ran.err
    assert "service a" not in ran.err


def test_a_dialect_that_there_is_not_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text("services:\n  a: {image: company/llm, environment: [SM_VLLM_MODEL=m]}\n")
    ran = translate("check", "--dialect", "sagmaker", str(path), "--", "vllm", "serve", "m")
    assert (ran.status, ran.out.count("unknown-dialect")) == (1, 1)


def test_tables_of_ones_own_are_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were for every container, and once more for every file of properties."""
    path = tmp_path / "d.yaml"
    path.write_text(
        "services:\n"
        + "".join(
            f"  s{at}: {{image: x, environment: [MODEL_NAME=m, MAX_MODEL_LEN=8]}}\n"
            for at in range(3)
        )
    )
    asked: list[str] = []

    def counted(folder: str) -> Tables:
        asked.append(folder)
        return shipped()

    monkeypatch.setattr(options, "tables_from", counted)
    assert main(["check", "--tables", "mine", str(path), str(path)]) == 0
    assert asked == ["mine"]
    capsys.readouterr()


def test_annotations_for_github(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(MANIFEST)
    ran = translate("check", "--format", "github", str(path))
    assert (
        f"::error file={path},line=11,col=17,title=repaired-variable (vLLM"
        " 0.19.1)::`VLLM_USE_DEEP_GEMM=true`" in ran.out
    )
    assert all(line.startswith("::") for line in ran.out.splitlines())


def test_annotations_begin_with_errors_and_are_few(tmp_path: Path) -> None:
    """GitHub shows the first ten of each severity: each version had its own, in the order of the
    lines.
    """
    path = tmp_path / "d.yaml"
    path.write_text(MANIFEST.replace("tcp://10.0.0.1:80", "8000").replace("USE_DEEP", "USER_DEEP"))
    ran = translate("check", "--format", "github", "--vllm", "0.17.1..0.19.1", str(path))
    found = [line.split(" ")[0] for line in ran.out.splitlines()]
    assert found == sorted(found, key=("::error", "::warning", "::notice").index)
    error = next(line for line in ran.out.splitlines() if "unexpected-value" in line)
    assert "title=unexpected-value (vLLM 0.17.1 to 0.19.1)::" in error
    assert error.endswith("accepts no value.%0AWrite `--enable-prefix-caching`.")
    assert ran.out.count("title=unexpected-value ") == 1


def test_every_result_of_sarif_has_a_line(tmp_path: Path) -> None:
    """Code scanning refuses all results of a report for one without a place."""
    path = tmp_path / "x.env"
    path.write_text("VLLM_EXTRA_ARGS=--no-such-flag\n")
    ran = translate("check", "--env-file", str(path), "--format", "sarif")
    (done,) = json.loads(ran.out)["runs"]
    assert {item["ruleId"] for item in done["results"]} >= {"unknown-flag", "no-model"}
    places = [item["locations"][0]["physicalLocation"] for item in done["results"]]
    assert all(place["region"]["startLine"] == 1 for place in places)
    assert all("```" in rule["help"]["markdown"] for rule in done["tool"]["driver"]["rules"])


def test_sarif_has_a_result_for_what_versions_have_in_common(tmp_path: Path) -> None:
    """The fields that SARIF 2.1.0 requires, with the places of the findings."""
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "d.yaml").write_text(MANIFEST)
    versions = ("--vllm", "0.19.1", "--vllm", "0.18.0")
    ran = translate("check", "--format", "sarif", *versions, "a b/d.yaml", cwd=tmp_path)
    (done,) = json.loads(ran.out)["runs"]
    (found,) = [item for item in done["results"] if item["ruleId"] == "repaired-variable"]
    assert found["level"] == "error"
    assert found["properties"]["vllm"] == ["0.19.1", "0.18.0"]
    place = found["locations"][0]["physicalLocation"]
    region = {"startLine": 11, "startColumn": 17}
    assert place == {"artifactLocation": {"uri": "a%20b/d.yaml"}, "region": region}
    rules = {item["id"] for item in done["tool"]["driver"]["rules"]}
    assert rules == {item["ruleId"] for item in done["results"]}
    assert all(item["message"]["text"] for item in done["results"])


@pytest.mark.parametrize(
    ("name", "text", "subject", "place"),
    [
        ("p.yaml", "kind: Pod\nspec: {containers: [{image: vllm/vllm-openai,\n  args: [m, --seed=x]}]}\n", "--seed", (3, 13)),
        ("c.yaml", "services:\n  a: {image: vllm/vllm-openai, command: m --seed x}\n", "--seed", (2, 43)),
        ("c.yaml", "services:\n  a:\n    image: vllm/vllm-openai\n    command: m\n    environment:\n      VLLM_PORT: x\n", "VLLM_PORT", (6, 18)),
        ("hub.json", '{"config": {"env": [{"key": "MODEL_NAME", "value": "m"},\n {"key": "SEED", "value": "x"}]}}', "SEED", (2, 27)),
        ("run.sh", "vllm serve m --seed x\n", "--seed", (1, 14)),
        ("run.sh", "A=(--seed 1\n  -tp x)\nvllm serve m \"${A[@]}\"\n", "-tp", (2, 3)),
        ("run.sh", "f() {\n  $X vllm serve m \\\n '--seed'=x; }\nf\n", "--seed", (3, 3)),
        ("run.sh", "if $X; then\n  A=--port=y; fi\nvllm serve m $A\n", "--port", (2, 5)),
        ("run.sh", "ssh h 'docker run -e VLLM_PORT=x vllm/vllm-openai \"m\" --seed x'\n", "VLLM_PORT", (1, 22)),
        ("run.sh", "ssh h 'docker run -e VLLM_PORT=x vllm/vllm-openai \"m\" --seed x'\n", "--seed", (1, 55)),
        ("p.yaml", "kind: Pod\nspec:\n  containers:\n  - command:\n    - sh\n    - -c\n    - |\n      # it\n      vllm serve m \\\n        --seed x\n", "--seed", (10, 9)),
        ("p.yaml", "kind: Pod\nspec:\n  containers:\n  - command: [sh, -c, \"vllm serve m\\n --seed\\\n      =x \\\"$N\\\"\"]\n", "--seed", (4, 39)),
        ("p.yaml", "kind: Pod\nspec:\n  containers:\n  - command: [vllm, serve, m, --seed=$(S)]\n    env: [{name: S, value: x}]\n", "--seed", (4, 31)),
        ("c.yaml", "services:\n  a:\n    image: vllm/vllm-openai\n    command: >\n      m\n\n      --tp ${X:-1} --seed x\n", "--seed", (7, 20)),
        ("Dockerfile", 'FROM x\nENV A=1 \\\n  VLLM_PORT=x\nCMD ["vllm", "serve", "m", \\\n  "--seed=x"]\n', "--seed", (5, 4)),
        ("Dockerfile", 'FROM x\nENV A=1 \\\n  VLLM_PORT=x\nCMD ["vllm", "serve", "m"]\n', "VLLM_PORT", (3, 3)),
        ("a.service", "[Service]\nEnvironment='VLLM_PORT=x'\nExecStart=/bin/vllm serve m \\\n  --seed x\n", "--seed", (4, 3)),
        ("a.service", "[Service]\nEnvironment='VLLM_PORT=x'\nExecStart=/bin/vllm serve m\n", "VLLM_PORT", (2, 14)),
        ("README.md", "1. so:\n\n   ```sh\n   $ vllm serve <m> \\\n       --seed x\n   ```\n", "--seed", (5, 8)),
        ("README.md", "> ```yaml\n> image: vllm/vllm-openai\n> args:\n> - --model=m\n> - --seed=x\n> ```\n", "--seed", (5, 5)),
        ("x.env", "# it\nexport VLLM_PORT=x\n", "VLLM_PORT", (2, 8)),
        ("run.sh", "A=1 vllm serve m xyzzyxy-plugh\n", "xyzzyxy-plugh", (1, 18)),
        ("run.sh", "vllm serve m $(cat x) --seed 1 --seed x --seed 2\n", "--seed", (1, 32)),
    ],
)  # fmt: skip
def test_the_column_of_a_finding(
    tmp_path: Path, name: str, text: str, subject: str, place: tuple[int, int | None]
) -> None:
    """That of what it names."""
    (tmp_path / name).write_text(text)
    told = json.loads(translate("check", "--format", "json", name, cwd=tmp_path).out)["findings"]
    assert (subject, *place) in [(item["subject"], item["line"], item["column"]) for item in told]


def test_json() -> None:
    told = json.loads(
        translate(
            "check",
            "--format",
            "json",
            "--vllm",
            "0.19.1",
            "--vllm",
            "0.33.0",
            "--",
            "vllm",
            "serve",
            "m",
            "--swap-space",
            "4",
        ).out
    )
    assert [(item["vllm"], item["errors"]) for item in told["checked"]] == [
        ("0.19.1", 2),
        ("0.33.0", 2),
    ]
    assert {item["code"] for item in told["findings"]} >= {"dropped"}
    assert set(told["findings"][0]) == {
        "code",
        "severity",
        "subject",
        "message",
        "hint",
        "vllm",
        "target",
        "file",
        "line",
        "column",
    }


def test_a_table_of_versions_in_under_a_second() -> None:
    began = time.perf_counter()
    ran = translate(
        "check",
        "--vllm",
        "0.8..0.33",
        "--",
        "vllm",
        "serve",
        "m",
        "--task",
        "embed",
        "--swap-space",
        "4",
        "--guided-decoding-backend",
        "xgrammar",
        "--wat",
    )
    assert time.perf_counter() - began < 5  # 0.5 s alone; the machine may be busy
    lines = ran.out.splitlines()
    assert lines[1].split()[:3] == ["vLLM", "all", "1"]
    assert lines[2].split()[:2] == ["0.8.0", "to"]
    assert lines[2].split()[3:5] == ["E", "E"]
    assert any(line.startswith(" 1 error[unknown-flag]") for line in lines)
    assert any(line.startswith("E error, W warning") for line in lines)
    assert ran.status == 1
    assert translate("check", "--vllm", "0.8..", "--", "vllm", "serve", "m").status == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("vllm serve m --enable-auto-tool-choice $MORE", ""),  # which may set the other flag
        ("vllm serve m --enable-auto-tool-choice --seed $MORE", "does not start without"),
        ("vllm serve m '--seed 1'", "`--seed` and its value are one argument"),
        ("vllm serve m \\ --seed 1", "A blank stands in front of `--seed`"),
    ],
)
def test_what_stands_where_a_flag_should(text: str, told: str) -> None:
    ran = translate("check", "--", text)
    assert (ran.status, told in ran.out) == (bool(told), True)


def test_ranges() -> None:
    known = shipped().versions()
    assert versions_in("0.9..0.10", known) == [
        "0.9.0",
        "0.9.0.1",
        "0.9.1",
        "0.9.2",
        "0.10.0",
        "0.10.1",
        "0.10.1.1",
        "0.10.2",
    ]
    assert versions_in("0.6.6.post1..0.7.1", known) == ["0.6.6.post1", "0.7.0", "0.7.1"]
    assert versions_in("0.32..", known) == known[known.index("0.32.0") :]
    assert versions_in("..0.5.3", known) == ["0.5.2", "0.5.3"]
    assert versions_in("all", known) == known
    assert versions_in("0.19.1", known) == ["0.19.1"]
    for text in ("a..b", "99.0..", "0.9..0.8"):
        with pytest.raises(UsageError):
            versions_in(text, known)


# The cases of the issue: each names the cause and the cure, for the newest version and for an old
# one where it is wrong there, too.
CASES = [
    ({"VLLM_USER_V1": "1"}, [], "VLLM_USE_V1", True),
    ({"VLLM_PORT": "tcp://10.43.1.39:8000"}, [], "enableServiceLinks", True),
    ({"SPECULATIVE_MODEL": "org/d"}, [], "SPECULATIVE_CONFIG", True),
    ({"ENABLE_PREFIX_CACHING": "yes please"}, [], "ENABLE_PREFIX_CACHING=true", True),
    ({"VLLM_ATTENTION_BACKEND": "FLASHINFER"}, [], "ATTENTION_BACKEND", False),
    ({"HF_OVERRIDES": "'{'rope_type': 'yarn'}'"}, [], '{"rope_type":"yarn"}', True),
    ({"VLLM_USE_DEEP_GEMM": "true"}, [], "VLLM_USE_DEEP_GEMM=1", True),
    ({"MAX_MODEL_LEN": "25.6K"}, [], "25.6k", True),
    ({"TENSOR_PARALLEL_SIZE": "0.5"}, [], "integer", True),
    ({}, ["--task", "embed"], "--convert", False),
    ({}, ["--guided-decoding-backend", "xgrammar"], "--structured-outputs-config.backend", True),
    ({}, ["--enable-prefix-caching", "true"], "Remove it", True),
    ({}, ["--swap-space", "4"], "Remove it", False),
    ({}, ["--speculative_config", '{"method": '], "JSON", True),
    ({}, ["--api-key", "sk-secretsecret"], "VLLM_API_KEY", True),
]


@pytest.mark.parametrize(("env", "tokens", "cure", "old"), CASES)
def test_the_cause_and_the_cure_are_named(
    env: dict[str, str], tokens: list[str], cure: str, old: bool
) -> None:
    for version in ("0.33.0", "0.12.0") if old else ("0.33.0",):
        if tokens:
            ran = translate("check", "--vllm", version, "--", "vllm", "serve", "m", *tokens)
        else:
            ran = translate("check", "--vllm", version, env={"MODEL_NAME": "m", **env})
        assert cure in ran.out, (version, ran.out)


def test_sizes_for_a_version_that_does_not_read_them() -> None:
    ran = translate("check", "--vllm", "0.7.3", "--", "vllm", "serve", "m", "--max-model-len", "8k")
    assert (ran.status, "8000" in ran.out) == (1, True)


def test_a_service_of_ones_own_image(tmp_path: Path) -> None:
    """An image that reads the dialect's variables: they are checked, and its command is what wins
    over them.
    """
    path = tmp_path / "compose.yaml"
    environment = ["    environment:", "      MODEL_NAME: m", "      ENFORCE_EAGER: maybe"]
    path.write_text(
        "\n".join(
            [
                "services:",
                "  llm:",
                "    image: registry.example/llm:1",
                *environment,
                "    command: [--swap-space, '4']",
                "",
            ]
        )
    )
    ran = translate("check", "--vllm", "0.33.0", str(path))
    assert ran.status == 1
    assert f"{path}:6:22: error[bad-bool]" in ran.out
    assert f"{path}:7:15: warning[dropped]" in ran.out


def test_a_variable_that_a_flag_replaced_has_the_flag_as_its_remedy() -> None:
    """vLLM itself reads no variable for a flag; a platform's program does."""
    line = "VLLM_ATTENTION_BACKEND=FLASHINFER VLLM_USE_AITER_UNIFIED_ATTENTION=1 vllm serve m"
    ran = translate("check", "--vllm", "0.33.0", "--", line)
    assert "(Use `--attention-backend FLASHINFER`.)" in ran.out
    assert "(Use `VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION=1`.)" in ran.out
    ran = translate("check", "--vllm", "0.33.0", env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"})
    assert "(Use `ATTENTION_BACKEND=FLASHINFER`.)" in ran.out


def test_all_mistakes_of_a_command_for_another_version_are_told_at_once() -> None:
    """Those of values were told only when the flags were corrected: other versions take them."""
    line = "vllm serve m --swap-space 4 --limit-mm-per-prompt image=2 --enable-chunked-prefill=True"
    ran = translate("check", "--vllm", "0.33.0", "--", *line.split())
    assert codes(ran.out) == [
        ("error", "written-for-another"),
        ("error", "dropped"),
        ("error", "bad-json"),
        ("error", "unexpected-value"),
    ]


def test_a_spelling_that_only_other_versions_have_is_told_with_todays() -> None:
    """0.33 has `--disable-log-requests` again, as a spelling of a flag that 0.27 has without it: it
    was refused, and nothing said what to write.
    """
    ran = translate(
        "check", "--vllm", "0.27.1", "--", "vllm", "serve", "m", "--disable-log-requests"
    )
    assert codes(ran.out) == [("error", "written-for-another"), ("error", "carried")]
    assert "Use `--no-enable-log-requests`." in ran.out


def test_a_command_without_our_variables_is_told_of_none_of_them() -> None:
    """`VLLM_EXTRA_ARGS` was the remedy in scripts that start vLLM themselves."""
    ran = translate("check", "--vllm", "0.27.1", "--", "VLLM_PORT=8000 vllm serve m")
    assert codes(ran.out) == [("warning", "not-the-server-address")]
    assert "(For the server, write `--port`.)" in ran.out
    ran = translate("env-to-args", env={"VLLM_PORT": "8000", "MODEL_NAME": "m"})
    assert "(For the server, set `VLLM_EXTRA_ARGS=--port=…`.)" in ran.err


def test_what_containers_have_in_common_is_numbered_once(tmp_path: Path) -> None:
    """In the tables of several versions, each container had all of it again."""
    path = tmp_path / "compose.yaml"
    service = "image: vllm/vllm-openai:v0.19.1\n    command: --model m --swap-space 4"
    path.write_text(
        "x-env: &env {VLLM_USER_V1: 1}\nservices:\n"
        f"  a:\n    {service}\n    environment: *env\n"
        f"  b:\n    {service} --dtype fp9\n    environment: *env\n"
    )
    ran = translate("check", str(path), "--vllm", "0.17.1", "--vllm", "0.19.1")
    numbers = [line.split() for line in ran.out.splitlines() if line.startswith("vLLM ")]
    assert numbers == [["vLLM", "all", *"1234"], ["vLLM", "all", *"56234"]]
    listed = [line for line in ran.out.splitlines() if line[:2].strip().isdecimal()]
    assert [line[:2].strip() for line in listed] == [*"1234", *"5624"]
    assert listed[-2].endswith(":9:24: error[dropped]: the same as above")
    assert ran.out.count("VLLM_USER_V1") == 1  # at the same place for both
