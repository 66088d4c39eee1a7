"""Each shipped dialect against its consumer's published rules, written down here once more from its
documentation; the clusters laid over them.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from cases import table
from support.carrying import carry
from support.consumers import DIALECTS, needed, tokens_for
from support.tables import TEN_LINES

import translator
from translator import TranslationError, args_to_env, env_to_args
from translator.api.convert import convert_env
from translator.argv.reading import read_argv
from translator.authoring.compile import compile_overlay
from translator.authoring.lint.lint import lint
from translator.authoring.load import load
from translator.cli import main
from translator.dialects.scope import scope
from translator.findings import Finding
from translator.settings.assemble import assemble
from translator.settings.setting import same
from translator.tables.catalog import Catalog, Tables, shipped
from translator.tables.entries import Flag
from translator.values.tokens import survives_alone, tokens

VERSIONS = ("0.27.1", "0.33.0")


# --- every flag -----------------------------------------------------------------------------------


def samples(flag: Flag) -> list[Any]:
    """Values of a flag, typed."""
    if flag.kind in ("switch", "toggle", "bool-value"):
        return [True, False] if flag.off or flag.kind == "bool-value" else [True]
    if flag.choices:
        return [[flag.choices[0]]] if flag.kind in ("list", "append") else [flag.choices[-1]]
    plain: dict[str, list[Any]] = {
        "int": [3, -1],
        "size": [4096],
        "size-or-auto": [4096, -1],
        "float": [0.5],
    }
    plain |= {"optional-str": ["text", True], "json-or-str": ["text", {"a": 1}]}
    if flag.kind in plain:
        return plain[flag.kind]
    if flag.kind in ("list", "append"):
        if flag.element in ("int", "float"):
            return [[1], [1, 2]]
        return (
            [["a=b"], ["a=b", "c=d"]] if "path" in flag.element else [["a"], ["a", "b c"], ["[x"]]
        )
    if flag.kind == "json":
        return (
            [{"image": 1}]
            if flag.syntax
            else [{}]
            if flag.shaped
            else [{"key": [1, "two words"]}, ["*"]]
        )
    return ["text", "two words", "*.py", '{"a"', "0", "x=", "two\nlines", "hf://a"]


def settings(argv: list[str], version: str, *, module: bool = False) -> dict[str, Any]:
    """What our grammar reader makes of a command line; it is held against the real parser
    elsewhere.
    """
    here = scope(version, "runpod", {}, shipped())[0]
    done = assemble(read_argv(argv, here, module=module), here, quiet=True)
    assert not [item for item in done.findings if item.severity == "error"], argv
    return done.values


def subjects(findings: tuple[Finding, ...], code: str) -> set[str]:
    return {name for item in findings if item.code == code for name in item.subject.split(", ")}


def argv_of(flag: Flag, value: Any) -> list[str]:
    return tokens(flag, value, survives_alone)


def cases(catalog: Catalog) -> list[tuple[Flag, Any]]:
    return [
        (flag, value)
        for flag in catalog.flags()
        if flag.flag not in ("--model", "--config", "--help", "--served-model-name")
        for value in samples(flag)
    ]


def holds(wanted: dict[str, Any], found: dict[str, Any]) -> bool:
    return all(same(found.get(name), value) for name, value in wanted.items())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_flag_arrives_or_is_told_of(dialect: str, version: str) -> None:
    catalog = shipped().catalog(version)
    arrived = told = 0
    for flag, value in cases(catalog):
        try:
            argv = ["org/model", *argv_of(flag, value)]
            wanted = settings(argv, version)
        except (AssertionError, TranslationError, ValueError):
            continue
        if flag.flag not in wanted:
            continue
        try:
            made = args_to_env(argv, vllm=version, dialect=dialect)
        except TranslationError as error:
            told += {item.code for item in error.findings if item.severity == "error"} <= {
                "cannot-be-said",
                "over-limit",
            } or pytest.fail(f"{argv}: {error}")
            continue
        secret = any(item.code == "secret-moved" for item in made.findings)
        wanted = {"--model": "org/model"} if secret else wanted
        assert holds(
            wanted, settings(env_to_args(made.env, vllm=version, dialect=dialect).argv[2:], version)
        ), (argv, made.env)
        around, _ = needed(subjects(made.findings, "consumer-needs"), dialect)
        theirs = tokens_for(dialect, {**around, **made.env})
        if theirs is not None and not subjects(made.findings, "newer-than-consumer"):
            assert holds(wanted, settings(theirs, version)), (argv, made.env)
        arrived += 1
    assert arrived > (20 if dialect in ("lisa", "koyeb") else 100)
    assert told > 0 or dialect in ("runpod", "prefix:MY_", "nim")


# --- from one to the other ------------------------------------------------------------------------

RECORDED = {case["dialect"]: case for case in table("dialects")["case"]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_twenty_flags_in_a_dialect(dialect: str) -> None:
    """The very variables, and the findings."""
    case = RECORDED[dialect]
    source, target = (
        scope("0.27.1", name, {}, shipped())[0]
        for name in ("runpod" if dialect == "prefix:MY_" else "prefix:MY_", dialect)
    )
    done = carry(source.name, dialect, "0.27.1")
    assert done.there == case["env"]
    assert sorted(done.refused) == case["cannot"]
    assert (
        sorted(
            f"{item.code} {item.subject}"
            for item in convert_env(done.start, source, target).findings
        )
        == case["told"]
    )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("one", DIALECTS)
def test_twenty_flags_there_and_back(one: str, version: str) -> None:
    """Of every ordered pair: what both can say means the same in the other, and again in the one;
    everything else has been refused by name.
    """
    for other in DIALECTS:
        if other == one:
            continue
        done = carry(one, other, version)
        assert set(done.refused) == {*RECORDED[one]["cannot"], *RECORDED[other]["cannot"]}, (
            one,
            other,
        )
        wanted = settings(list(done.line), version)
        for dialect, env in ((one, done.start), (other, done.there), (one, done.back)):
            found = env_to_args(env, vllm=version, dialect=dialect)
            added = subjects(found.findings, "consumer-default")
            assert not added & set(wanted), (one, other)
            assert {
                name: value
                for name, value in settings(found.argv[2:], version).items()
                if name not in added
            } == wanted, (one, other)


def test_convert_carries_a_file_from_one_dialect_to_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "lmi.env"
    file.write_text(
        "".join(f"{name}={shlex.quote(text)}\n" for name, text in RECORDED["lmi"]["env"].items())
    )
    asked = (
        "--env-file",
        str(file),
        "--from",
        "0.27.1",
        "--to",
        "0.27.1",
        "--from-dialect",
        "lmi",
        "--format",
        "json",
    )
    assert main(["convert", *asked, "--to-dialect", "sagemaker"]) == 0
    wanted = {
        name: text for name, text in RECORDED["sagemaker"]["env"].items() if name != "SM_VLLM_PORT"
    }
    assert json.loads(capsys.readouterr().out)["env"] == wanted
    assert main(["convert", *asked, "--to-dialect", "lisa"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert (
        said.err.count("error[cannot-be-said]") == len(RECORDED["lisa"]["cannot"]) - 1
    )  # no port is carried


def test_what_only_the_one_container_reads_stays_behind() -> None:
    source, target = (scope("0.27.1", name, {}, shipped())[0] for name in ("lmi", "runpod"))
    env = {
        "HF_MODEL_ID": "m",
        "OPTION_ROLLING_BATCH": "vllm",
        "HF_TOKEN": "t",
        "OPTION_MAX_LORAS": "2",
    }
    made = convert_env(env, source, target)
    assert made.env == {"MODEL_NAME": "m", "MAX_LORAS": "2", "HF_TOKEN": "t"}
    assert codes(tuple(made.findings), subject="OPTION_ROLLING_BATCH") == {"worker-only"}


# --- rules, one by one ----------------------------------------------------------------------------


def codes(findings: tuple[Finding, ...], *, subject: str = "") -> set[str]:
    return {item.code for item in findings if not subject or item.subject == subject}


def test_the_three_generations_differ() -> None:
    env = {
        "SM_VLLM_MODEL": "m",
        "SM_VLLM_SERVED_MODEL_NAME": '["a","b"]',
        "SM_VLLM_ENFORCE_EAGER": "true",
        "SM_VLLM_ENABLE_PREFIX_CACHING": "false",
    }
    python, shell, upstream = (
        env_to_args(env, vllm="0.27.1", dialect=name)
        for name in ("sagemaker", "sagemaker@shell", "sagemaker@upstream")
    )
    assert python.argv == [
        "vllm",
        "serve",
        "m",
        "--enforce-eager",
        "--port=8080",
        "--served-model-name",
        "a",
        "b",
    ]
    assert shell.argv[-1] == '--served-model-name=["a","b"]'
    assert codes(python.findings, subject="SM_VLLM_ENABLE_PREFIX_CACHING") == {
        "consumer-differs"
    }  # left out there, and on by default
    assert codes(upstream.findings, subject="SM_VLLM_ENFORCE_EAGER") == {
        "consumer-differs"
    }  # `--enforce-eager true` is refused
    assert codes(python.findings, subject="SM_VLLM_ENFORCE_EAGER") == set()
    off = args_to_env(
        ["m", "--no-enable-prefix-caching", "--enforce-eager"], vllm="0.27.1", dialect="sagemaker"
    ).env
    assert off == {
        "SM_VLLM_MODEL": "m",
        "SM_VLLM_NO_ENABLE_PREFIX_CACHING": "true",
        "SM_VLLM_ENFORCE_EAGER": "true",
    }
    bare = args_to_env(
        ["m", "--no-enable-prefix-caching", "--enforce-eager"],
        vllm="0.27.1",
        dialect="sagemaker@upstream",
    ).env
    assert bare == {
        "SM_VLLM_MODEL": "m",
        "SM_VLLM_NO_ENABLE_PREFIX_CACHING": "",
        "SM_VLLM_ENFORCE_EAGER": "",
    }


def test_the_model_falls_back_in_order() -> None:
    def model(dialect: str, **env: str) -> str:
        return env_to_args(env, vllm="0.27.1", dialect=dialect).argv[2]

    assert model("sagemaker", SM_VLLM_MODEL="a", HF_MODEL_ID="b") == "a"
    assert model("sagemaker", HF_MODEL_ID="b") == "b"
    assert model("sagemaker") == "/opt/ml/model"
    assert model("nim", NIM_MODEL_PATH="hf://org/m") == "org/m"
    assert args_to_env(["org/m"], vllm="0.27.1", dialect="nim").env == {
        "NIM_MODEL_PATH": "hf://org/m"
    }
    assert args_to_env(["/models/m"], vllm="0.27.1", dialect="nim").env == {
        "NIM_MODEL_PATH": "/models/m"
    }


def test_what_is_too_long_is_told() -> None:
    with pytest.raises(TranslationError) as raised:
        args_to_env(
            ["m", "--hf-overrides", json.dumps({"a": "x" * 1100})],
            vllm="0.27.1",
            dialect="sagemaker",
        )
    assert codes(raised.value.findings) >= {"over-limit"}


def test_lmi_says_what_it_drops_and_what_it_calls_otherwise() -> None:
    env = {
        "HF_MODEL_ID": "m",
        "OPTION_DTYPE": "fp16",
        "TENSOR_PARALLEL_DEGREE": "max",
        "OPTION_TASK": "text-embedding",
    }
    env |= {"OPTION_MAX_LOG_LEN": "10", "MAX_BATCH_SIZE": "64"}
    made = env_to_args(env, vllm="0.33.0", dialect="lmi")
    assert made.argv == [
        "vllm",
        "serve",
        "m",
        "--convert=embed",
        "--dtype=float16",
        "--max-log-len=10",
        "--max-loras=4",
        "--max-num-seqs=64",
    ]
    assert (
        codes(made.findings, subject="TENSOR_PARALLEL_DEGREE")
        == codes(made.findings, subject="OPTION_MAX_LOG_LEN")
        == {"consumer-differs"}
    )
    nonsense = env_to_args(
        {"HF_MODEL_ID": "m", "OPTION_TASK": "nonsense"}, vllm="0.33.0", dialect="lmi"
    )
    assert nonsense.argv == env_to_args({"HF_MODEL_ID": "m"}, vllm="0.33.0", dialect="lmi").argv
    assert codes(nonsense.findings, subject="OPTION_TASK") == {"consumer-differs"}
    old = env_to_args(
        {"HF_MODEL_ID": "m", "OPTION_TASK": "feature-extraction"}, vllm="0.8.5", dialect="lmi"
    )
    assert "--task=embed" in old.argv


def told(dialect: str, version: str = "0.27.1", /, **env: str) -> set[tuple[str, str]]:
    """The findings that say where the dialect's own program differs, as (code, subject)."""
    found = env_to_args(env, vllm=version, dialect=dialect).findings
    return {
        (item.code, item.subject)
        for item in found
        if item.code in ("consumer-differs", "unknown-variable", "misspelt-variable")
    }


def test_lmi_drops_what_is_no_field_of_the_engines_arguments() -> None:
    """Other spellings, keys in a name, names that are nearly right, names that are not; none of
    them without a word.
    """
    model = {"HF_MODEL_ID": "m"}
    assert told("lmi", OPTION_NO_ENABLE_PREFIX_CACHING="true", **model) == {
        ("consumer-differs", "OPTION_NO_ENABLE_PREFIX_CACHING")
    }
    assert told("lmi", OPTION_SPECULATIVE_CONFIG__METHOD="ngram", **model) == {
        ("consumer-differs", "OPTION_SPECULATIVE_CONFIG__METHOD")
    }
    assert told("lmi", OPTION_MAX_MODL_LEN="8", **model) == {
        ("misspelt-variable", "OPTION_MAX_MODL_LEN")
    }
    assert told("lmi", OPTION_FLASH="8", OPTION_Seed="1", **model) == {
        ("unknown-variable", "OPTION_FLASH"),
        ("unknown-variable", "OPTION_Seed"),
    }
    assert (
        told(
            "lmi",
            OPTION_ENFORCE_EAGER="true",
            OPTION_SPECULATIVE_CONFIG='{"method":"ngram"}',
            OPTION_BATCH_SIZE="2",
            **model,
        )
        == set()
    )


def test_lmi_prefers_what_the_model_server_writes_for_itself() -> None:
    """HF_MODEL_ID, HF_REVISION and HF_TASK become a file, which wins over OPTION_*."""
    env = {
        "HF_MODEL_ID": "m",
        "OPTION_MODEL_ID": "other",
        "HF_REVISION": "r",
        "OPTION_REVISION": "other",
        "HF_TASK": "classify",
        "OPTION_TASK": "generate",
    }
    argv = env_to_args(env, vllm="0.27.1", dialect="lmi").argv
    assert [token for token in argv if not token.startswith(("--max-", "--runner"))] == [
        "vllm",
        "serve",
        "m",
        "--convert=classify",
        "--revision=r",
    ]
    theirs = tokens_for("lmi", env)
    assert theirs is not None
    assert theirs[0] == "m"
    assert [theirs[theirs.index(name) + 1] for name in ("--revision", "--convert")] == [
        "r",
        "classify",
    ]


@pytest.mark.parametrize("task", ["generate", "text-embedding", "classify", "feature-extraction"])
def test_lmi_is_told_a_task_by_its_name(task: str) -> None:
    """The container takes it for more than vLLM's two flags: which of its own services it
    starts.
    """
    argv = env_to_args({"HF_MODEL_ID": "m", "OPTION_TASK": task}, vllm="0.27.1", dialect="lmi").argv
    assert args_to_env(argv, vllm="0.27.1", dialect="lmi").env["OPTION_TASK"] == task
    assert told("lmi", HF_MODEL_ID="m", OPTION_TASK=task) == set()
    one_more = args_to_env(
        ["m", "--runner=pooling", "--convert=classify"], vllm="0.27.1", dialect="lmi"
    ).env
    assert one_more == {
        "HF_MODEL_ID": "m",
        "OPTION_RUNNER": "pooling",
        "OPTION_CONVERT": "classify",
    }


def test_a_key_in_a_variables_name_is_set_here_and_told_of() -> None:
    for dialect in ("sagemaker", "sagemaker@shell", "sagemaker@upstream"):
        env = {
            "SM_VLLM_MODEL": "m",
            "SM_VLLM_SPECULATIVE_CONFIG__METHOD": "ngram",
            "SM_VLLM_SPECULATIVE_CONFIG__NUM_SPECULATIVE_TOKENS": "3",
        }
        made = env_to_args(env, vllm="0.27.1", dialect=dialect)
        assert made.argv[-1] == '--speculative-config={"method":"ngram","num_speculative_tokens":3}'
        assert {item.subject for item in made.findings if item.code == "consumer-differs"} == set(
            env
        ) - {"SM_VLLM_MODEL"}
        assert all(
            "SM_VLLM_SPECULATIVE_CONFIG" in item.hint
            for item in made.findings
            if item.code == "consumer-differs"
        )
        assert told(dialect, SM_VLLM_MODEL="m", SM_VLLM_FLASH="1") == {
            ("unknown-variable", "SM_VLLM_FLASH")
        }


def test_a_negative_name_that_a_closed_dialects_program_does_not_know_is_told() -> None:
    """Its list has the flag's own name; and nothing is said of what it would make of a text that it
    never sees.
    """
    model = {"LOCAL_MODEL_PATH": "m", "MODEL_NAME": "m"}
    assert told("lisa", VLLM_NO_ENABLE_PREFIX_CACHING="true", **model) == {
        ("consumer-differs", "VLLM_NO_ENABLE_PREFIX_CACHING")
    }
    for text in ("true", "false"):
        found = env_to_args(
            {"MODEL_NAME": "m", "PORT": "1", "NO_ENABLE_PREFIX_CACHING": text},
            vllm="0.27.1",
            dialect="koyeb",
        ).findings
        assert [(item.code, item.subject) for item in found] == [
            ("consumer-differs", "NO_ENABLE_PREFIX_CACHING")
        ]
        assert found[0].message == (
            "`NO_ENABLE_PREFIX_CACHING` sets `--enable-prefix-caching` here, but the Koyeb image"
            " knows the flag as `ENABLE_PREFIX_CACHING` only."
        )
    assert (
        told(
            "koyeb",
            MODEL_NAME="m",
            PORT="1",
            ENABLE_PREFIX_CACHING="true",
            DISABLE_LOG_STATS="true",
        )
        == set()
    )
    assert told("koyeb", MODEL_NAME="m", PORT="1", ENABLE_PREFIX_CACHING="false") == {
        ("consumer-differs", "ENABLE_PREFIX_CACHING")
    }


@pytest.mark.parametrize("text", [" true ", "true ", "\tTRUE", " false"])
def test_a_word_with_blanks_around_it_is_a_text_to_the_script(text: str) -> None:
    """The program that came after it takes them off."""
    env = {"SM_VLLM_MODEL": "m", "SM_VLLM_ENFORCE_EAGER": text}
    assert told("sagemaker@shell", **env) == {("consumer-differs", "SM_VLLM_ENFORCE_EAGER")}
    assert told("sagemaker", **env) == set()
    for dialect, made in (
        ("sagemaker@shell", ["--enforce-eager", text]),
        ("sagemaker", ["--enforce-eager"] if "true" in text.lower() else []),
    ):
        assert tokens_for(dialect, env) == ["m", "--port", "8080", *made]


def test_an_unknown_name_with_the_prefix_is_told(tmp_path: Path) -> None:
    """Whoever chose the prefix meant it for us; what a container's service links are called is
    nobody's choice.
    """
    names = {
        "MY_MAX_MODEL_LENGTH": "did you mean MY_MAX_MODEL_LEN?",
        "MY_FLASH": "",
        "MY_Max_Model_Lenght": "did you mean MY_MAX_MODEL_LEN?",
    }
    links = ("MY_SERVICE_HOST", "MY_SERVICE_PORT_HTTP", "MY_PORT_80_TCP", "MY_PORT_80_TCP_ADDR")
    env = dict.fromkeys((*names, *links, "MAX_MODEL_LENGTH", "YOUR_FLASH"), "1")
    found = env_to_args({"MY_MODEL": "m", **env}, vllm="0.27.1", dialect="prefix:MY_").findings
    assert {item.subject: item.hint for item in found if item.code == "unknown-variable"} == names
    assert len(found) == len(names)
    made = env_to_args(
        {"ACME_MODEL": "m", "ACME_FOO": "1"},
        vllm="0.27.1",
        dialect="acme",
        tables=own(tmp_path, acme=TEN_LINES),
    )
    assert [(item.code, item.subject) for item in made.findings] == [
        ("unknown-variable", "ACME_FOO")
    ]
    assert told("sagemaker", SM_VLLM_MODEL="m", SM_VLLM_MAX_MODEL_LENGTH="1") == {
        ("unknown-variable", "SM_VLLM_MAX_MODEL_LENGTH")
    }


def test_what_nim_has_for_itself_is_no_mistake() -> None:
    found = env_to_args(
        {"NIM_MODEL_PATH": "m", "NIM_CORS_MAX_AGE": "1", "NIM_FOO": "1"},
        vllm="0.27.1",
        dialect="nim",
    ).findings
    assert {(item.code, item.subject) for item in found} == {
        ("worker-only", "NIM_CORS_MAX_AGE"),
        ("unknown-variable", "NIM_FOO"),
    }
    assert "not known here" in next(item.message for item in found if item.subject == "NIM_FOO")


def test_very_many_unknown_names_are_told_in_time() -> None:
    """Each of them, but what it may have meant of the first few."""
    found = env_to_args(
        {"MY_MODEL": "m", **{f"MY_MAX_MODEL_LENGTH_{at}": "1" for at in range(3000)}},
        vllm="0.27.1",
        dialect="prefix:MY_",
    ).findings
    assert len(found) == 3000
    assert sum(bool(item.hint) for item in found) <= 20


def test_a_closed_dialect_says_what_its_program_does_not_pass_on() -> None:
    model = {"LOCAL_MODEL_PATH": "m", "MODEL_NAME": "m"}
    assert told("lisa", VLLM_SEED="3", VLLM_DTYPE="half", **model) == {
        ("consumer-differs", "VLLM_SEED")
    }
    assert told("lisa", VLLM_TOOL_CALL_PARSER="a b", **model) == {
        ("consumer-differs", "VLLM_TOOL_CALL_PARSER")
    }
    assert told(
        "koyeb", MODEL_NAME="m", UVICORN_LOG_LEVEL="info", PORT="1", SPECULATIVE_CONFIG="{}"
    ) == {("consumer-differs", "SPECULATIVE_CONFIG")}
    assert told("nim", NIM_MODEL_PATH="m", NIM_SEED="3") == {("consumer-differs", "NIM_SEED")}
    assert told("lisa", VLLM_TRUST_REMOTE_CODE="1", VLLM_ENABLE_PREFIX_CACHING="true", **model) == {
        ("consumer-differs", "VLLM_TRUST_REMOTE_CODE")
    }
    assert told("lisa", VLLM_ASYNC_SCHEDULING="false", **model) == {
        ("consumer-differs", "VLLM_ASYNC_SCHEDULING")
    }
    assert told("koyeb", MODEL_NAME="m", BLOCK_SIZE="1k", MAX_MODEL_LEN="1k", SERVED_MODEL_NAME="a,b") == {
        ("consumer-differs", "BLOCK_SIZE"), ("consumer-differs", "SERVED_MODEL_NAME"),
    }  # fmt: skip
    assert told("runpod", MODEL_NAME="m", ADDITIONAL_CONFIG="{}", LINEAR_BACKEND="auto") == set()


def test_gaudi_keeps_numbers_within_bounds_and_takes_no_quotes_off() -> None:
    assert told("gaudi", MODEL="m", TENSOR_PARALLEL_SIZE="16") == {
        ("consumer-differs", "TENSOR_PARALLEL_SIZE")
    }
    assert (
        told(
            "gaudi",
            MODEL="m",
            TENSOR_PARALLEL_SIZE="8",
            EXTRA_ARGS="--seed 3",
            ENABLE_PREFIX_CACHING="True",
            ASYNC_SCHEDULING="0",
        )
        == set()
    )
    assert told("gaudi", MODEL="m", ENABLE_PREFIX_CACHING="false", ASYNC_SCHEDULING="true") == {
        ("consumer-differs", "ENABLE_PREFIX_CACHING"), ("consumer-differs", "ASYNC_SCHEDULING"),
    }  # fmt: skip
    assert told("gaudi", MODEL="m", EXTRA_ARGS="--served-model-name 'a b'") == {
        ("consumer-differs", "EXTRA_ARGS")
    }
    env = args_to_env(
        ["m", "-tp", "16", "--enable-prefix-caching", "--no-async-scheduling"],
        vllm="0.27.1",
        dialect="gaudi",
    ).env
    extra = "--enable-prefix-caching --tensor-parallel-size=16"
    assert env == {
        "MODEL": "m",
        "ENABLE_PREFIX_CACHING": "True",
        "ASYNC_SCHEDULING": "0",
        "EXTRA_ARGS": f"--no-async-scheduling {extra}",
    }


@pytest.mark.parametrize(
    "extra",
    [
        "",
        "--enable-prefix-caching",
        "--no-enable-prefix-caching",
        "--async-scheduling",
        "--no-async-scheduling --seed 3",
    ],
)
@pytest.mark.parametrize("caching", [None, "True", "1", "yes", "False", "0"])
@pytest.mark.parametrize("scheduling", [None, "0", "1", "2", "007", "00", "true"])
def test_what_gaudi_puts_behind_the_further_tokens_wins_over_them(
    extra: str, caching: str | None, scheduling: str | None
) -> None:
    """Without a variable that keeps it away, EXTRA_ARGS says nothing of these two flags."""
    given = {"EXTRA_ARGS": extra, "ENABLE_PREFIX_CACHING": caching, "ASYNC_SCHEDULING": scheduling}
    env = {"MODEL": "m", **{name: text for name, text in given.items() if text}}
    try:
        theirs = tokens_for("gaudi", env)
    except ValueError:  # the stand-in reads a number; the shell's own test says no to a text
        theirs = tokens_for("gaudi", {**env, "ASYNC_SCHEDULING": "0"})
    assert theirs is not None
    wanted = settings(theirs, "0.27.1")
    made = env_to_args(env, vllm="0.27.1", dialect="gaudi")
    found = settings(made.argv[2:], "0.27.1")
    for name, behind in (("--enable-prefix-caching", False), ("--async-scheduling", True)):
        assert found.get(name, wanted.get(name)) == wanted.get(name)
        overruled = (
            name.removeprefix("--") in extra
            and ("no-" not in extra) is not behind
            and wanted[name] is behind
        )
        assert overruled == (
            ("consumer-differs", "EXTRA_ARGS") in told("gaudi", **env)
            and name.removeprefix("--") in extra
        )


def test_a_number_above_nothing_switches_gaudis_scheduling_on() -> None:
    assert told("gaudi", MODEL="m", ASYNC_SCHEDULING="2") == set()
    assert (
        "--async-scheduling"
        in env_to_args({"MODEL": "m", "ASYNC_SCHEDULING": "2"}, vllm="0.27.1", dialect="gaudi").argv
    )
    assert told("gaudi", MODEL="m", ASYNC_SCHEDULING="-1") == {
        ("consumer-differs", "ASYNC_SCHEDULING")
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_second_reading_tells_the_same(dialect: str) -> None:
    """What is kept from one call to the next keeps its findings, too."""
    prefix = scope("0.27.1", dialect, {}, shipped())[0].prefix
    env = {
        **args_to_env(["m"], vllm="0.27.1", dialect=dialect).env,
        f"{prefix}ALL2ALL_BACKEND": "naive",
        f"{prefix}UVICORN_LOG_LEVEL": "info",
    }
    first, second = (env_to_args(env, vllm="0.27.1", dialect=dialect).findings for _ in range(2))
    assert first == second


def test_what_a_container_does_not_start_without_is_told() -> None:
    made = args_to_env(["m"], vllm="0.27.1", dialect="lisa")
    assert subjects(made.findings, "consumer-needs") == {
        "MODEL_NAME",
        "S3_BUCKET_MODELS",
        "S3_MOUNT_POINT",
        "THREADS",
    }
    assert (
        subjects(
            args_to_env(["m", "--port=80"], vllm="0.27.1", dialect="koyeb").findings,
            "consumer-needs",
        )
        == set()
    )


def test_a_prefix_is_chosen() -> None:
    assert env_to_args(
        {"MY_MODEL": "m", "MY_MAX_MODEL_LEN": "1k"}, vllm="0.27.1", dialect="prefix:MY_"
    ).argv == ["vllm", "serve", "m", "--max-model-len=1000"]
    for wrong in ("prefix", "prefix:", "prefix:my_", "prefix:M-", "sagemaker:MY_", "nothing:MY_"):
        with pytest.raises(TranslationError) as raised:
            env_to_args({"MY_MODEL": "m"}, vllm="0.27.1", dialect=wrong)
        assert codes(raised.value.findings) == {"unknown-dialect"}


# --- a company's own ------------------------------------------------------------------------------


def own(tmp_path: Path, **files: str) -> Tables:
    for name, text in files.items():
        path = tmp_path / "dialects" / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return Tables(compile_overlay(tmp_path))


def test_ten_lines_make_a_dialect(tmp_path: Path) -> None:
    tables = own(tmp_path, acme=TEN_LINES)
    made = env_to_args(
        {"ACME_MODEL": "m", "ACME_CONTEXT": "8k", "ACME_ARGS": "--seed 3"},
        vllm="0.27.1",
        dialect="acme",
        tables=tables,
    )
    assert made.argv == ["vllm", "serve", "m", "--max-model-len=8000", "--seed=3"]
    assert args_to_env(made.argv, vllm="0.27.1", dialect="acme", tables=tables).env == {
        "ACME_MODEL": "m",
        "ACME_MAX_MODEL_LEN": "8000",
        "ACME_SEED": "3",
    }
    assert lint(load(tmp_path), load(Path(__file__).resolve().parents[3] / "mappings")) == []


def test_every_command_takes_tables_and_a_prefix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, acme=TEN_LINES)
    file = tmp_path / "acme.env"
    file.write_text("ACME_MODEL=m\nACME_CONTEXT=8k\n")

    def said(*arguments: str) -> str:
        assert main(list(arguments)) == 0
        return capsys.readouterr().out.strip()

    here = ("--tables", str(tmp_path), "--dialect", "acme", "--vllm", "0.27.1")
    assert (
        said("env-to-args", *here, "--env-file", str(file)) == "vllm serve m --max-model-len=8000"
    )
    assert said("args-to-env", *here, "--", "vllm", "serve", "m") == "ACME_MODEL=m"
    said("check", *here, "--env-file", str(file))
    assert "--max-model-len" in said("explain", "ACME_CONTEXT", *here[:4])
    monkeypatch.setenv("TRANSLATE_TABLES", str(tmp_path))
    assert "MAX_MODEL_LEN=8000" in said(
        "convert", "--from-dialect", "acme", "--to-dialect", "runpod", "--env-file", str(file)
    )
    assert "acme" in said("tables", "list")
    assert said("args-to-env", "--prefix", "MY_", "--", "vllm", "serve", "m") == "MY_MODEL=m"


def test_a_dialect_of_ones_own_extends_a_shipped_one(tmp_path: Path) -> None:
    head = '[dialect]\nname = "ours"\nsources = ["https://acme.example"]\nextends = "sagemaker"\n'
    text = head + '[[variable]]\nname = "OUR_MODEL"\nrole = "flag"\nflag = "--model"\n'
    tables = own(tmp_path, ours=text)
    made = env_to_args(
        {"OUR_MODEL": "m", "SM_VLLM_SEED": "3"}, vllm="0.27.1", dialect="ours", tables=tables
    )
    assert made.argv == ["vllm", "serve", "m", "--port=8080", "--seed=3"]


def test_what_is_extended_must_be_there(tmp_path: Path) -> None:
    """A dialect without what it stands on would read nothing, without a word."""
    head = '[dialect]\nname = "{}"\nsources = ["https://acme.example"]\nextends = "{}"\n'
    bases = {"lost": "sagemakr", "more": "lost", "own": "own", "one": "two", "two": "one"}
    tables = own(tmp_path, **{name: head.format(name, base) for name, base in bases.items()})
    said = {
        "lost": "The dialect `lost` extends `sagemakr`, which does not exist.",
        "more": "The dialect `lost` extends `sagemakr`, which does not exist.",
        "own": "The dialect `own` extends itself: own → own.",
        "one": "The dialect `one` extends itself: one → two → one.",
    }
    for name, message in said.items():
        with pytest.raises(TranslationError) as raised:
            env_to_args({"SM_VLLM_MODEL": "m"}, vllm="0.27.1", dialect=name, tables=tables)
        assert [(item.code, item.message) for item in raised.value.findings] == [
            ("unknown-dialect", message)
        ]


def test_a_flag_of_a_table_that_no_version_has_is_told(tmp_path: Path) -> None:
    more = '[[variable]]\nname = "ACME_NOPE"\nrole = "flag"\nflag = "--nope"\n'
    more += '[[variable]]\nname = "ACME_TASK"\nrole = "choice"\nsets = { a = { "--nope" = "1" } }\n'
    tables = own(tmp_path, acme=TEN_LINES + more)
    assert (
        env_to_args(
            {"ACME_MODEL": "m", "ACME_NOPE": ""}, vllm="0.27.1", dialect="acme", tables=tables
        ).findings
        == ()
    )
    for name, text in (("ACME_NOPE", "x"), ("ACME_TASK", "a")):
        with pytest.raises(TranslationError) as raised:
            env_to_args(
                {"ACME_MODEL": "m", name: text}, vllm="0.27.1", dialect="acme", tables=tables
            )
        assert [(item.code, item.subject) for item in raised.value.findings] == [
            ("unknown-flag", name)
        ]
        assert "--nope, which no vLLM has" in raised.value.findings[0].message


# --- no names in the code -------------------------------------------------------------------------


def test_no_dialect_has_logic_of_its_own() -> None:
    """The modules that read and write name no dialect but the default."""
    folder = Path(translator.__file__).parent
    for name in (
        "dialects/scope",
        "env/reader",
        "env/writer",
        "dialects/consumer",
        "dialects/dialect",
        "dialects/role",
        "dialects/variable",
        "env/slots",
        "env/cluster",
        "settings/assemble",
        "api/convert",
        "env/divergence",
        "formats/properties",
        "api/check",
    ):
        text = (folder / f"{name}.py").read_text().lower()
        assert not [
            word
            for word in ("sagemaker", "lisa", "koyeb", "gaudi", "lmi", "runpod", "nim_", "opt/ml")
            if word in text
        ], name


def test_what_the_program_adds_of_its_own_needs_no_saying() -> None:
    """A command line that was made from variables holds it, and has to go back into variables;
    another value cannot be said.
    """
    made = env_to_args({"LOCAL_MODEL_PATH": "org/m"}, vllm="0.33.0", dialect="lisa").argv
    assert "--port=8080" in made
    assert (
        env_to_args(
            args_to_env(made, vllm="0.33.0", dialect="lisa").env, vllm="0.33.0", dialect="lisa"
        ).argv
        == made
    )
    with pytest.raises(TranslationError, match="cannot-be-said"):
        args_to_env(["org/m", "--port=81"], vllm="0.33.0", dialect="lisa")
