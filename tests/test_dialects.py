"""Each shipped dialect against its consumer's published rules, written down here once more from its documentation; the clusters laid over them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from translator import TranslationError, args_to_env, env_to_args
from translator.api import assemble_argv
from translator.catalog import Catalog, Flag, Tables, shipped
from translator.cli import main
from translator.cluster import first_host
from translator.convert import convert_env
from translator.envwriter import same
from translator.findings import Finding
from translator.scope import scope
from translator.tables.compile import compile_overlay
from translator.tables.lint import lint
from translator.tables.load import load
from translator.values import survives_alone, tokens

VERSIONS = ("0.27.1", "0.33.0")
DIALECTS = ("runpod", "sagemaker", "sagemaker@shell", "sagemaker@upstream", "lmi", "prefix:MY_", "lisa", "nim", "gaudi", "koyeb")


# --- the consumers, from their documentation -----------------------------------------------------------------------------------


def loop(env: Mapping[str, str], make: Callable[[str, str], list[str]]) -> list[str]:
    """`--port 8080`, then a variable after the other."""
    found = ["--port", "8080"]
    for name in sorted(env):
        if name.startswith("SM_VLLM_"):
            found += make("--" + name.removeprefix("SM_VLLM_").lower().replace("_", "-"), env[name])
    return found


def python_builder(env: Mapping[str, str]) -> list[str]:
    """true: bare; false: nothing; a JSON array: an element a token, but for four flags; `[]`: nothing; several objects in a row: a token each."""

    def make(flag: str, text: str) -> list[str]:
        if text.strip().lower() in ("true", "false"):
            return [flag] if text.strip().lower() == "true" else []
        if not text:
            return [flag]
        if flag not in ("--allowed-origins", "--allowed-methods", "--allowed-headers", "--middleware") and text.strip()[0] == "[" and text.strip()[-1] == "]":
            try:
                items = json.loads(text)
            except ValueError:
                return [flag, text]
            return [flag, *[item if isinstance(item, str) else json.dumps(item) for item in items]] if items else []
        return [flag, text]

    return loop(env, make)


def shell_loop(env: Mapping[str, str]) -> list[str]:
    """true: bare; false: nothing; empty: bare; anything else: one token. Nothing behind a line break arrives."""

    def make(flag: str, text: str) -> list[str]:
        assert "\n" not in text
        assert not text.endswith("=") or text.endswith("==")
        return [] if text.lower() == "false" else [flag] if text.lower() in ("true", "") else [flag, text]

    return loop(env, make)


def example_script(env: Mapping[str, str]) -> list[str]:
    """Empty: bare; anything else, `true` too: one token."""
    return loop(env, lambda flag, text: [flag, text] if text else [flag])


LMI_NAMES = {
    "model_id": "model", "tensor_parallel_degree": "tensor_parallel_size", "pipeline_parallel_degree": "pipeline_parallel_size", "quantize": "quantization",
    "max_rolling_batch_size": "max_num_seqs", "max_rolling_batch_prefill_tokens": "max_num_batched_tokens", "cpu_offload_gb_per_gpu": "cpu_offload_gb",
}  # fmt: skip


def lmi(env: Mapping[str, str]) -> list[str]:
    """true: --x; false: --no-x; else one token; an empty variable is none; names of its own; 32 sequences and 4 LoRAs unless told otherwise."""
    found: dict[str, str] = {"max_num_seqs": "32", "max_loras": "4", "model": env["HF_MODEL_ID"]}
    for name, text in env.items():
        if not name.startswith("OPTION_") or not text:
            continue
        key = name.removeprefix("OPTION_").lower()
        assert key not in ("tensor_parallel_size", "pipeline_parallel_size", "max_num_seqs"), "the two names conflict"
        assert key != "dtype" or text in ("float32", "float16", "bfloat16", "auto")
        assert key != "pipeline_parallel_degree" or text == "1"
        found[LMI_NAMES.get(key, key)] = text
    argv: list[str] = []
    for key, text in found.items():
        argv += [f"--{key}"] if text.lower() == "true" else [f"--no-{key}"] if text.lower() == "false" else [f"--{key}", text]
    return argv


def words(flags: Mapping[str, str], env: Mapping[str, str], switches: Mapping[str, Callable[[str], bool]]) -> list[str]:
    """A shell's command line with unquoted expansions: every text falls apart at blanks."""
    found: list[str] = []
    for name, flag in flags.items():
        assert not set(env.get(name, "")) & set("*?[")
        found += [flag, *env[name].split()] if env.get(name) else []
    return found + [f"--{name.removeprefix('VLLM_').lower().replace('_', '-')}" for name, on in switches.items() if on(env.get(name, ""))]


def lisa(env: Mapping[str, str]) -> list[str]:
    """The flags of its entrypoint; a switch is on when its text is `true`."""
    names = (
        "DTYPE", "GPU_MEMORY_UTILIZATION", "MAX_MODEL_LEN", "MAX_NUM_BATCHED_TOKENS", "MAX_NUM_SEQS", "MAX_PARALLEL_LOADING_WORKERS", "QUANTIZATION",
        "REASONING_PARSER", "REASONING_PARSER_PLUGIN", "TENSOR_PARALLEL_SIZE", "TOOL_CALL_PARSER",
    )  # fmt: skip
    switches = ("ASYNC_SCHEDULING", "ENABLE_AUTO_TOOL_CHOICE", "ENABLE_CHUNKED_PREFILL", "ENABLE_PREFIX_CACHING", "TRUST_REMOTE_CODE")
    flags = {f"VLLM_{name}": f"--{name.lower().replace('_', '-')}" for name in names} | {"MODEL_NAME": "--served-model-name"}
    on = dict.fromkeys([f"VLLM_{name}" for name in switches], lambda text: text == "true")
    return ["--model", env["LOCAL_MODEL_PATH"], "--port", "8080", *words(flags, env, on)]


def gaudi(env: Mapping[str, str]) -> list[str]:
    """A few flags, then EXTRA_ARGS, all unquoted."""
    flags = {"MAX_MODEL_LEN": "--max-model-len", "MAX_NUM_SEQS": "--max-num-seqs", "TENSOR_PARALLEL_SIZE": "--tensor-parallel-size"}
    flags["GPU_MEM_UTILIZATION"] = "--gpu-memory-utilization"
    return ["--model", env["MODEL"], "--generation-config", "vllm", *words(flags, env, {}), *env.get("EXTRA_ARGS", "").split()]


def koyeb(env: Mapping[str, str]) -> list[str]:
    """Each variable of its list that is not empty: a switch, or a flag with the text as one token."""
    table = shipped().records("dialect.koyeb.txt")
    switches = table["@consumer.switch_flags"]["switch_flags"]
    argv = ["--model", env["MODEL_NAME"]]
    for flag in (*switches, *table["@consumer.value_flags"]["value_flags"]):
        text = env.get(flag[2:].upper().replace("-", "_"))
        argv += [] if not text else [flag] if flag in switches else [flag, text]
    return argv


def nim(env: Mapping[str, str]) -> list[str]:
    """A few flags; NIM_PASSTHROUGH_ARGS behind them."""
    flags = {"NIM_MAX_MODEL_LEN": "--max-model-len", "NIM_PIPELINE_PARALLEL_SIZE": "--pipeline-parallel-size", "NIM_SERVED_MODEL_NAME": "--served-model-name"}
    argv = ["--model", env["NIM_MODEL_PATH"].removeprefix("hf://")]
    for name, flag in flags.items():
        argv += [flag, env[name]] if name in env else []
    argv += ["--enforce-eager"] if env.get("NIM_DISABLE_CUDA_GRAPH") in ("1", "true") else []
    return argv + shlex.split(env.get("NIM_PASSTHROUGH_ARGS", ""))


CONSUMERS = {
    "sagemaker": python_builder, "sagemaker@shell": shell_loop, "sagemaker@upstream": example_script, "lmi": lmi, "lisa": lisa, "gaudi": gaudi,
    "koyeb": koyeb, "nim": nim,
}  # fmt: skip


# --- every flag ------------------------------------------------------------------------------------------------------------------


def samples(flag: Flag) -> list[Any]:
    """Values of a flag, typed."""
    if flag.kind in ("switch", "toggle", "bool-value"):
        return [True, False] if flag.off or flag.kind == "bool-value" else [True]
    if flag.choices:
        return [[flag.choices[0]]] if flag.kind in ("list", "append") else [flag.choices[-1]]
    plain: dict[str, list[Any]] = {"int": [3, -1], "size": [4096], "size-or-auto": [4096, -1], "float": [0.5]}
    plain |= {"optional-str": ["text", True], "json-or-str": ["text", {"a": 1}]}
    if flag.kind in plain:
        return plain[flag.kind]
    if flag.kind in ("list", "append"):
        if flag.element in ("int", "float"):
            return [[1], [1, 2]]
        return [["a=b"], ["a=b", "c=d"]] if "path" in flag.element else [["a"], ["a", "b c"], ["[x"]]
    if flag.kind == "json":
        return [{"image": 1}] if flag.syntax else [{}] if flag.shaped else [{"key": [1, "two words"]}, ["*"]]
    return ["text", "two words", "*.py", '{"a"', "0", "x=", "two\nlines", "hf://a"]


def settings(argv: list[str], version: str, *, module: bool = False) -> dict[str, Any]:
    """What our grammar reader makes of a command line; it is held against the real parser elsewhere."""
    findings: list[Finding] = []
    done = assemble_argv(argv, scope(version, "runpod", {}, shipped())[0], findings, None, module=module)
    assert not [item for item in (*findings, *done.findings) if item.severity == "error"], argv
    return done.values


def argv_of(flag: Flag, value: Any) -> list[str]:
    return tokens(flag, value, survives_alone)


def cases(catalog: Catalog) -> list[tuple[Flag, Any]]:
    return [(flag, value) for flag in catalog.flags() if flag.flag not in ("--model", "--config", "--help", "--served-model-name") for value in samples(flag)]


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
            told += {item.code for item in error.findings if item.severity == "error"} <= {"cannot-be-said", "over-limit"} or pytest.fail(f"{argv}: {error}")
            continue
        secret = any(item.code == "secret-moved" for item in made.findings)
        wanted = {"--model": "org/model"} if secret else wanted
        assert holds(wanted, settings(env_to_args(made.env, vllm=version, dialect=dialect).argv[2:], version)), (argv, made.env)
        if dialect in CONSUMERS:
            assert holds(wanted, settings(CONSUMERS[dialect](made.env), version, module=True)), (argv, made.env)
        arrived += 1
    assert arrived > (20 if dialect in ("lisa", "koyeb") else 100)
    assert told > 0 or dialect in ("runpod", "prefix:MY_", "nim")


# --- from one to the other -------------------------------------------------------------------------------------------------------

TWENTY = [
    "org/model", "--max-model-len=8192", "--tensor-parallel-size=4", "--max-num-seqs=64", "--gpu-memory-utilization=0.85", "--dtype=bfloat16", "--seed=7",
    "--quantization=fp8", "--enforce-eager", "--trust-remote-code", "--no-enable-prefix-caching", "--enable-chunked-prefill", "--max-num-batched-tokens=4096",
    "--kv-cache-dtype=fp8", "--load-format=safetensors", "--revision=main", "--tokenizer=org/tokenizer", "--block-size=32", "--max-loras=2",
    '--speculative-config={"method":"ngram","num_speculative_tokens":3}', "--generation-config=vllm", "--served-model-name=m",
]  # fmt: skip
CLOSED = ("lisa", "koyeb", "gaudi")
ADDED = {"--port", "--generation-config", "--max-loras", "--max-num-seqs"}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("one", [name for name in DIALECTS if name not in CLOSED])
def test_twenty_flags_there_and_back(one: str, version: str) -> None:
    wanted = settings(TWENTY, version)
    first = args_to_env(TWENTY, vllm=version, dialect=one)
    for other in DIALECTS:
        argv = env_to_args(first.env, vllm=version, dialect=one).argv
        if other in CLOSED:
            with pytest.raises(TranslationError) as raised:
                args_to_env(argv, vllm=version, dialect=other)
            assert {item.code for item in raised.value.findings if item.severity == "error"} == {"cannot-be-said"}
            continue
        if other == "lmi":  # its server has a port of its own
            argv = [token for token in argv if not token.startswith("--port=")]
        second = args_to_env(argv, vllm=version, dialect=other)
        back = args_to_env(env_to_args(second.env, vllm=version, dialect=other).argv if one != "lmi" else TWENTY, vllm=version, dialect=one)
        found = settings(env_to_args(back.env, vllm=version, dialect=one).argv[2:], version)
        assert holds(wanted, found), (one, other)
        assert set(found) - set(wanted) <= ADDED, (one, other)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dialect", CLOSED)
def test_what_a_closed_dialect_can_say_comes_back(dialect: str, version: str) -> None:
    argv = ["org/model", "--max-model-len=8192", "--tensor-parallel-size=4", "--max-num-seqs=64", "--gpu-memory-utilization=0.85"]
    for other in DIALECTS:
        there = args_to_env(argv, vllm=version, dialect=dialect)
        carried = [token for token in env_to_args(there.env, vllm=version, dialect=dialect).argv if not token.startswith("--port=")]
        if other in ("lisa", "koyeb"):
            carried = [token for token in carried if not token.startswith("--generation-config")]
        across = args_to_env(carried, vllm=version, dialect=other)
        assert holds(settings(argv, version), settings(env_to_args(across.env, vllm=version, dialect=other).argv[2:], version)), other


@pytest.mark.parametrize("one", [name for name in DIALECTS if name not in CLOSED])
def test_variables_are_converted_to_every_other_dialect(one: str) -> None:
    wanted = settings(TWENTY, "0.27.1")
    source, _ = scope("0.27.1", one, {}, shipped())
    env = args_to_env(TWENTY, vllm="0.27.1", dialect=one).env
    for other in DIALECTS:
        target, _ = scope("0.33.0", other, {}, shipped())
        if other in CLOSED:
            with pytest.raises(TranslationError) as raised:
                convert_env(env, source, target)
            assert codes(raised.value.findings) >= {"cannot-be-said"}
            continue
        made = convert_env(env, source, target)
        assert holds(wanted, settings(env_to_args(made.env, vllm="0.33.0", dialect=other).argv[2:], "0.33.0")), (one, other)
        assert not [text for name, text in made.env.items() if "8080" in text], "the port of the one's container is not asked of the other's"


def test_what_only_the_one_container_reads_stays_behind() -> None:
    source, target = (scope("0.27.1", name, {}, shipped())[0] for name in ("lmi", "runpod"))
    env = {"HF_MODEL_ID": "m", "OPTION_ROLLING_BATCH": "vllm", "HF_TOKEN": "t", "OPTION_MAX_LORAS": "2"}
    made = convert_env(env, source, target)
    assert made.env == {"MODEL_NAME": "m", "MAX_LORAS": "2", "HF_TOKEN": "t"}
    assert codes(tuple(made.findings), subject="OPTION_ROLLING_BATCH") == {"worker-only"}


# --- rules, one by one -----------------------------------------------------------------------------------------------------------


def codes(findings: tuple[Finding, ...], *, subject: str = "") -> set[str]:
    return {item.code for item in findings if not subject or item.subject == subject}


def test_the_three_generations_differ() -> None:
    env = {"SM_VLLM_MODEL": "m", "SM_VLLM_SERVED_MODEL_NAME": '["a","b"]', "SM_VLLM_ENFORCE_EAGER": "true", "SM_VLLM_ENABLE_PREFIX_CACHING": "false"}
    python, shell, upstream = (env_to_args(env, vllm="0.27.1", dialect=name) for name in ("sagemaker", "sagemaker@shell", "sagemaker@upstream"))
    assert python.argv == ["vllm", "serve", "m", "--enforce-eager", "--port=8080", "--served-model-name", "a", "b"]
    assert shell.argv[-1] == '--served-model-name=["a","b"]'
    assert codes(python.findings, subject="SM_VLLM_ENABLE_PREFIX_CACHING") == {"consumer-differs"}  # left out there, and on by default
    assert codes(upstream.findings, subject="SM_VLLM_ENFORCE_EAGER") == {"consumer-differs"}  # `--enforce-eager true` is refused
    assert codes(python.findings, subject="SM_VLLM_ENFORCE_EAGER") == set()
    off = args_to_env(["m", "--no-enable-prefix-caching", "--enforce-eager"], vllm="0.27.1", dialect="sagemaker").env
    assert off == {"SM_VLLM_MODEL": "m", "SM_VLLM_NO_ENABLE_PREFIX_CACHING": "true", "SM_VLLM_ENFORCE_EAGER": "true"}
    bare = args_to_env(["m", "--no-enable-prefix-caching", "--enforce-eager"], vllm="0.27.1", dialect="sagemaker@upstream").env
    assert bare == {"SM_VLLM_MODEL": "m", "SM_VLLM_NO_ENABLE_PREFIX_CACHING": "", "SM_VLLM_ENFORCE_EAGER": ""}


def test_the_model_falls_back_in_order() -> None:
    def model(dialect: str, **env: str) -> str:
        return env_to_args(env, vllm="0.27.1", dialect=dialect).argv[2]

    assert model("sagemaker", SM_VLLM_MODEL="a", HF_MODEL_ID="b") == "a"
    assert model("sagemaker", HF_MODEL_ID="b") == "b"
    assert model("sagemaker") == "/opt/ml/model"
    assert model("nim", NIM_MODEL_PATH="hf://org/m") == "org/m"
    assert args_to_env(["org/m"], vllm="0.27.1", dialect="nim").env == {"NIM_MODEL_PATH": "hf://org/m"}
    assert args_to_env(["/models/m"], vllm="0.27.1", dialect="nim").env == {"NIM_MODEL_PATH": "/models/m"}


def test_what_is_too_long_is_told() -> None:
    with pytest.raises(TranslationError) as raised:
        args_to_env(["m", "--hf-overrides", json.dumps({"a": "x" * 1100})], vllm="0.27.1", dialect="sagemaker")
    assert codes(raised.value.findings) >= {"over-limit"}


def test_lmi_says_what_it_drops_and_what_it_calls_otherwise() -> None:
    env = {"HF_MODEL_ID": "m", "OPTION_DTYPE": "fp16", "TENSOR_PARALLEL_DEGREE": "max", "OPTION_TASK": "text-embedding"}
    env |= {"OPTION_MAX_LOG_LEN": "10", "MAX_BATCH_SIZE": "64"}
    made = env_to_args(env, vllm="0.33.0", dialect="lmi")
    assert made.argv == ["vllm", "serve", "m", "--convert=embed", "--dtype=float16", "--max-log-len=10", "--max-loras=4", "--max-num-seqs=64"]
    assert codes(made.findings, subject="TENSOR_PARALLEL_DEGREE") == codes(made.findings, subject="OPTION_MAX_LOG_LEN") == {"consumer-differs"}
    with pytest.raises(TranslationError):
        env_to_args({"HF_MODEL_ID": "m", "OPTION_TASK": "nonsense"}, vllm="0.33.0", dialect="lmi")
    old = env_to_args({"HF_MODEL_ID": "m", "OPTION_TASK": "feature-extraction"}, vllm="0.8.5", dialect="lmi")
    assert "--task=embed" in old.argv


def test_a_prefix_is_chosen() -> None:
    assert env_to_args({"MY_MODEL": "m", "MY_MAX_MODEL_LEN": "1k"}, vllm="0.27.1", dialect="prefix:MY_").argv == ["vllm", "serve", "m", "--max-model-len=1000"]
    for wrong in ("prefix", "prefix:", "prefix:my_", "prefix:M-", "sagemaker:MY_", "nothing:MY_"):
        with pytest.raises(TranslationError) as raised:
            env_to_args({"MY_MODEL": "m"}, vllm="0.27.1", dialect=wrong)
        assert codes(raised.value.findings) == {"unknown-dialect"}


# --- a company's own -------------------------------------------------------------------------------------------------------------

TEN_LINES = """\
[dialect]
name = "acme"
sources = ["https://acme.example/llm"]
prefix = "ACME_"
extra_args = "ACME_ARGS"
[[variable]]
name = "ACME_CONTEXT"
role = "flag"
flag = "--max-model-len"
"""


def own(tmp_path: Path, **files: str) -> Tables:
    for name, text in files.items():
        path = tmp_path / "dialects" / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return Tables(compile_overlay(tmp_path))


def test_ten_lines_make_a_dialect(tmp_path: Path) -> None:
    tables = own(tmp_path, acme=TEN_LINES)
    made = env_to_args({"ACME_MODEL": "m", "ACME_CONTEXT": "8k", "ACME_ARGS": "--seed 3"}, vllm="0.27.1", dialect="acme", tables=tables)
    assert made.argv == ["vllm", "serve", "m", "--max-model-len=8000", "--seed=3"]
    assert args_to_env(made.argv, vllm="0.27.1", dialect="acme", tables=tables).env == {"ACME_MODEL": "m", "ACME_MAX_MODEL_LEN": "8000", "ACME_SEED": "3"}
    assert lint(load(tmp_path), load(Path(__file__).resolve().parents[1] / "mappings")) == []


def test_every_command_takes_tables_and_a_prefix(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    own(tmp_path, acme=TEN_LINES)
    file = tmp_path / "acme.env"
    file.write_text("ACME_MODEL=m\nACME_CONTEXT=8k\n")

    def said(*arguments: str) -> str:
        assert main(list(arguments)) == 0
        return capsys.readouterr().out.strip()

    here = ("--tables", str(tmp_path), "--dialect", "acme", "--vllm", "0.27.1")
    assert said("env-to-args", *here, "--env-file", str(file)) == "vllm serve m --max-model-len=8000"
    assert said("args-to-env", *here, "--", "vllm", "serve", "m") == "ACME_MODEL=m"
    said("check", *here, "--env-file", str(file))
    assert "--max-model-len" in said("explain", "ACME_CONTEXT", *here[:4])
    monkeypatch.setenv("TRANSLATE_TABLES", str(tmp_path))
    assert "MAX_MODEL_LEN=8000" in said("convert", "--from-dialect", "acme", "--to-dialect", "runpod", "--env-file", str(file))
    assert "dialect acme" in said("tables", "list")
    assert said("args-to-env", "--prefix", "MY_", "--", "vllm", "serve", "m") == "MY_MODEL=m"


def test_a_dialect_of_ones_own_extends_a_shipped_one(tmp_path: Path) -> None:
    head = '[dialect]\nname = "ours"\nsources = ["https://acme.example"]\nextends = "sagemaker"\n'
    text = head + '[[variable]]\nname = "OUR_MODEL"\nrole = "flag"\nflag = "--model"\n'
    tables = own(tmp_path, ours=text)
    made = env_to_args({"OUR_MODEL": "m", "SM_VLLM_SEED": "3"}, vllm="0.27.1", dialect="ours", tables=tables)
    assert made.argv == ["vllm", "serve", "m", "--port=8080", "--seed=3"]


# --- several machines ------------------------------------------------------------------------------------------------------------

PLACES = {
    "lws": lambda rank: {"LWS_GROUP_SIZE": "2", "LWS_WORKER_INDEX": rank, "LWS_LEADER_ADDRESS": "first"},
    "torchrun": lambda rank: {"WORLD_SIZE": "16", "RANK": str(int(rank) * 8), "LOCAL_WORLD_SIZE": "8", "MASTER_ADDR": "first", "MASTER_PORT": "29400"},
    "runpod": lambda rank: {"NUM_NODES": "2", "NODE_RANK": rank, "WORLD_SIZE": "16", "PRIMARY_ADDR": "first", "PRIMARY_PORT": "29400", "MASTER_ADDR": "first"},
    "slurm": lambda rank: {"SLURM_JOB_NUM_NODES": "2", "SLURM_NODEID": rank, "SLURM_JOB_NODELIST": "first,second"},
}


@pytest.mark.parametrize("cluster", PLACES)
@pytest.mark.parametrize("version", ["0.11.2", "0.27.1", "0.33.0"])
def test_each_machine_is_told_its_place(cluster: str, version: str) -> None:
    for rank in ("0", "1"):
        made = env_to_args({"MODEL_NAME": "m", "TENSOR_PARALLEL_SIZE": "16", **PLACES[cluster](rank)}, vllm=version, cluster=cluster)
        found = settings(made.argv[2:], version)
        wanted = {"--nnodes": 2, "--node-rank": int(rank), "--master-addr": "first", "--headless": True}
        assert holds({name: value for name, value in wanted.items() if name != "--headless" or rank == "1"}, found)
        assert ("--headless" in found) == (rank == "1")
        assert found.get("--master-port") == (29400 if cluster in ("torchrun", "runpod") else None)
        assert not codes(made.findings)


def test_a_cluster_lies_over_any_dialect() -> None:
    made = env_to_args({"SM_VLLM_MODEL": "m", "SM_VLLM_MASTER_PORT": "7", **PLACES["runpod"]("1")}, vllm="0.33.0", dialect="sagemaker", cluster="runpod")
    assert made.argv == ["vllm", "serve", "m", "--headless", "--master-addr=first", "--master-port=7", "--nnodes=2", "--node-rank=1", "--port=8080"]


def test_data_parallel_ranks_on_each_machine() -> None:
    made = env_to_args({"MODEL_NAME": "m", "DATA_PARALLEL_SIZE_LOCAL": "4", **PLACES["lws"]("1")}, vllm="0.33.0", cluster="lws")
    mine = ["--data-parallel-address=first", "--data-parallel-size=8", "--data-parallel-size-local=4", "--data-parallel-start-rank=4", "--headless"]
    assert made.argv[3:] == mine


def test_before_nnodes_it_is_ray() -> None:
    for rank in ("0", "1"):
        with pytest.raises(TranslationError) as raised:
            env_to_args({"MODEL_NAME": "m", **PLACES["lws"](rank)}, vllm="0.10.2", cluster="lws")
        assert [item.code for item in raised.value.findings] == ["cluster-not-in-version"]
        assert "ray start" in raised.value.findings[0].hint
    first = env_to_args({"MODEL_NAME": "m", "DISTRIBUTED_EXECUTOR_BACKEND": "ray", **PLACES["lws"]("0")}, vllm="0.10.2", cluster="lws")
    assert first.argv == ["vllm", "serve", "m", "--distributed-executor-backend=ray"]


@pytest.mark.parametrize("change", [{"LWS_GROUP_SIZE": ""}, {"LWS_WORKER_INDEX": "2"}, {"LWS_WORKER_INDEX": "x"}, {"LWS_LEADER_ADDRESS": ""}])
def test_a_place_that_makes_no_sense_is_told(change: dict[str, str]) -> None:
    with pytest.raises(TranslationError) as raised:
        env_to_args({"MODEL_NAME": "m", **PLACES["lws"]("1"), **change}, vllm="0.33.0", cluster="lws")
    assert codes(raised.value.findings) == {"bad-cluster"}


def test_one_machine_needs_nothing() -> None:
    env = {"MODEL_NAME": "m", "LWS_GROUP_SIZE": "1", "LWS_WORKER_INDEX": "0", "LWS_LEADER_ADDRESS": "first"}
    assert env_to_args(env, vllm="0.33.0", cluster="lws").argv == ["vllm", "serve", "m"]


@pytest.mark.parametrize(("hosts", "first"), [("a", "a"), ("a,b", "a"), ("n[01-04,07],o", "n01"), ("n[3,5]-x,o", "n3-x"), ("r[1-2]n[5-6]", "r1n5")])
def test_the_first_of_a_list_of_hosts(hosts: str, first: str) -> None:
    assert first_host(hosts) == first


# --- no names in the code --------------------------------------------------------------------------------------------------------


def test_no_dialect_has_logic_of_its_own() -> None:
    """The modules that read and write name no dialect but the default."""
    folder = Path(__file__).parent.parent / "translator"
    for name in ("scope", "environ", "envwriter", "consumer", "aliases", "cluster", "assemble", "convert"):
        text = (folder / f"{name}.py").read_text().lower()
        assert not [word for word in ("sagemaker", "lisa", "koyeb", "gaudi", "lmi", "runpod", "nim_", "opt/ml") if word in text], name


def test_what_the_program_adds_of_its_own_needs_no_saying() -> None:
    """A command line that was made from variables holds it, and has to go back into variables; another value cannot be said."""
    made = env_to_args({"LOCAL_MODEL_PATH": "org/m"}, vllm="0.33.0", dialect="lisa").argv
    assert "--port=8080" in made
    assert env_to_args(args_to_env(made, vllm="0.33.0", dialect="lisa").env, vllm="0.33.0", dialect="lisa").argv == made
    with pytest.raises(TranslationError, match="cannot be said"):
        args_to_env(["org/m", "--port=81"], vllm="0.33.0", dialect="lisa")


def test_a_step_of_slurms_on_some_nodes_of_a_job_counts_its_own() -> None:
    """SLURM_STEP_* of srun is what the tasks are started on; SLURM_JOB_* is the whole allocation."""
    env = {"MODEL_NAME": "m", "SLURM_STEP_NUM_NODES": "2", "SLURM_JOB_NUM_NODES": "4", "SLURM_NODEID": "1"}
    env |= {"SLURM_STEP_NODELIST": "second,third", "SLURM_JOB_NODELIST": "first,second,third,fourth"}
    argv = env_to_args(env, vllm="0.33.0", cluster="slurm").argv
    assert {"--nnodes=2", "--node-rank=1", "--master-addr=second"} <= set(argv)
