"""The reader of a container's variables."""

from collections.abc import Mapping
from typing import Any

import pytest
from cases import NEWEST
from support.made_up import scope as made_scope

from translator import env_to_args
from translator.core.env.reader import read_env as read
from translator.core.env.vllm_variables import misspelt
from translator.core.settings import Reading
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped

DIALECT = (
    "ALIAS role=flag flag=--num order#1", "METHOD role=flag flag=--j.method order#2",
    "WORKER role=worker note=only there",
    "VLLM_WORKER role=worker", "PORT role=reserved note=write --port", "STAYS role=environment",
    "VLLM_ADDRESS role=environment meant=--port note=not the address",
    "GONE_ZERO role=flag flag=--gone-zero unset:0",
)  # fmt: skip
FLAGS = (
    "--num kind=int nullable", "--j kind=json shape", "--free kind=json",
    "--key kind=list element=str", "--pick kind=str choices:new|x", "--config kind=str",
)  # fmt: skip
SHAPES = {
    "--j": {
        "kind": "object",
        "keys": {
            "method": {"kind": "str"},
            "nnn": {"kind": "object", "keys": {"deep": {"kind": "int"}}},
        },
    }
}


def reading(env: Mapping[str, str], **given: Any) -> Reading:
    here = made_scope(
        *FLAGS, dialect=DIALECT, env=("VLLM_INT kind=int", "VLLM_ADDRESS kind=str"), shapes=SHAPES, older={
            "0.6.6": ("--gone kind=int", "--gone-zero kind=int", "--gone-switch kind=switch", "--num kind=int"),
        },
        secrets=(
            "@patterns\tpatterns:*_TOKEN", "--key\tsecret\tvariable=VLLM_KEY", "VLLM_KEY\tsecret",
        ), changes=("--pick=old\tkind=value\tvalues:old|new",), **given,
    )  # fmt: skip
    return read(env, here)


def settings(env: Mapping[str, str]) -> list[tuple[str, Any, str]]:
    return [(item.name, item.value, str(item.origin)) for item in reading(env).settings]


@pytest.mark.parametrize("text", ["", " ", "None", " None ", "\n"])
def test_nothing_is_nothing(text: str) -> None:
    """It sets nothing, and vLLM does not see it."""
    names = ("NUM", "ALIAS", "METHOD", "J__METHOD", "GONE", "CONFIG_FILE", "EXTRA", "KEY")
    done = reading(dict.fromkeys(names, text))
    assert (done.settings, done.missing, done.env, done.findings) == ([], [], {}, [])
    assert done.extra is None or not done.extra[1].strip()


def test_what_moved_into_argv_leaves_the_environment() -> None:
    """Everything else stays; the caller's mapping is not touched."""
    kept = {"STAYS": "x", "OTHER": "y", "WORKER": "1", "PORT": "80", "VLLM_INT": "3"}
    env = {"NUM": "1", "EXTRA": "--a", "CONFIG_FILE": "x.yaml", "VLLM_WORKER": "1", **kept}
    before = dict(env)
    done = reading(env)
    assert done.env == kept
    assert env == before
    assert done.extra == ("EXTRA", "--a")
    told = sorted(item.code for item in done.findings)
    assert told == ["reserved-name", "worker-only", "worker-only"]


def test_one_key_of_a_json_flag() -> None:
    """By its dialect's name, or by double underscores."""
    assert settings({"METHOD": "5"}) == [("--j.method", "5", "METHOD")]
    assert settings({"J__NNN__DEEP": "5"}) == [("--j.nnn.deep", 5, "J__NNN__DEEP")]
    assert settings({"J__UNKNOWN": "5"}) == [("--j.unknown", 5, "J__UNKNOWN")]
    assert settings({"FREE__A__B_C": "x"}) == [("--free.a.b_c", "x", "FREE__A__B_C")]
    assert settings({"FREE__aB": "x"}) == [("--free.aB", "x", "FREE__aB")]


def test_a_choice_that_was_renamed() -> None:
    done = reading({"PICK": "old"})
    assert [item.value for item in done.settings] == ["new"]
    assert [item.code for item in done.findings] == ["renamed-value"]
    assert done.findings[0].hint == "Write `PICK=new`."


def test_flags_of_other_versions() -> None:
    """Typed as they were there; a plain switch that is off asked for nothing."""
    done = reading({"GONE": "2k", "GONE_SWITCH": "false", "GONE_ZERO": "0"})
    assert [(item.name, item.value) for item in done.missing] == [("--gone", 2000)]
    assert done.env == {}
    assert [item.code for item in reading({"GONE": "two"}).findings] == ["bad-integer"]
    assert [(item.name, item.value) for item in reading({"GONE_SWITCH": "true"}).missing] == [
        ("--gone-switch", True)
    ]


def test_vllms_own_variables() -> None:
    """Checked, repaired, and told of where the dialect warns."""
    env = {"VLLM_INT": "2k", "VLLM_ADDRESS": "0.0.0.0", "VLLM_NOBODY": "1"}
    done = reading({**env, "VLLM_PORT": "tcp://1.2.3.4:5"})
    assert done.env == {**env, "VLLM_INT": "2000"}
    told = "repaired-variable not-the-server-address unknown-variable service-link"
    assert [item.code for item in done.findings] == told.split()
    assert reading({"VLLM_INT": ""}).env == {}
    assert [item.code for item in reading({"VLLM_INT": "x"}).findings] == ["bad-variable"]


def test_a_configuration_file() -> None:
    """Only of the kinds that vLLM reads."""
    assert settings({"CONFIG_FILE": "/a b.yml"}) == [("--config", "/a b.yml", "CONFIG_FILE")]
    done = reading({"CONFIG_FILE": "/a.json"})
    assert done.settings == []
    assert [item.code for item in done.findings] == ["config-file"]


def test_what_containers_have_in_their_environment_is_no_misspelling() -> None:
    """Of the benchmark's deployment, and of Kubernetes, CUDA and RunPod in general."""
    names = [
        "NODE_NAME", "POD_NAME", "POD_IP", "POD_NAMESPACE", "HOST_IP", "NODE_RANK", "WORLD_SIZE", "LOCAL_RANK", "KUBERNETES_PORT",
        "KUBERNETES_SERVICE_HOST", "CUDA_VERSION", "CUDA_HOME", "NCCL_DEBUG", "NCCL_VERSION", "LD_LIBRARY_PATH", "PYTHON_VERSION", "GPG_KEY",
        "HF_HUB_CACHE", "OMP_NUM_THREADS", "TORCH_HOME", "NVIDIA_VISIBLE_DEVICES", "RUNPOD_POD_ID", "RUNPOD_DC_ID", "PUBLIC_KEY", "JUPYTER_PASSWORD",
        "LC_ALL", "SERVICE_NAME", "APP_NAME", "IMAGE_NAME", "MODEL_DIR", "MODEL_ID", "MODEL_PATH", "LOG_FORMAT", "MAX_WORKERS", "NUM_GPUS", "GPU_COUNT",
        "REDIS_URL", "DB_HOST", "API_PORT", "SSH_PORT", "RAY_ADDRESS", "TRITON_CACHE_DIR", "XDG_CACHE_HOME", "PIP_CACHE_DIR", "SHELL_TYPE", "DISPLAY_NAME",
        "USER_NAME", "JOB_NAME", "ROLE_NAME",
    ]  # fmt: skip
    for version in ("0.6.6", "0.27.1", NEWEST):
        assert misspelt(names, scope(version, "runpod", {}, shipped())[0]) == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TENSOR_PARALELL_SIZE", "TENSOR_PARALLEL_SIZE"), ("TENSER_PARALLEL_SIZE", "TENSOR_PARALLEL_SIZE"), ("MAX_MODLE_LEN", "MAX_MODEL_LEN"),
        ("GPU_MEMORY_UTILISATION", "GPU_MEMORY_UTILIZATION"),
        ("ENFORCE_EAGR", "ENFORCE_EAGER"), ("MAX_CONCURENCY", "MAX_CONCURRENCY"), ("QUANTIZATON", None), ("MAX_MODEL_LENGTH", "MAX_MODEL_LEN"), ("GPU_MEM_UTIL", "GPU_MEMORY_UTILIZATION"), ("GPU_M_UTIL", None), ("PYTHON_VERSION", None),
        ("MODEL_PATH", None), ("tensor_paralell_size", None),
        ("MAX_LEN", None), ("LOG_LEVELS", None), ("SOME_TOKEN", None), ("HF_HOMES", "HF_HOME"), ("", None), ("_", None), ("MAX_NUM_SEQ", "MAX_NUM_SEQS"),
        ("NODE_NAME", None), ("POD_NAME", None), ("HOST_NAME", None), ("CODE_NAME", None), ("MODLE_NAME", "MODEL_NAME"), ("NODE_IP", None),
    ],
)  # fmt: skip
def test_nearly_a_name_is_told(name: str, meant: str | None) -> None:
    """One word off by a slip of the finger; other programs' variables are left in peace."""
    found = misspelt([name], scope("0.33.0", "runpod", {}, shipped())[0])
    assert [item.hint for item in found] == ([f"Did you mean `{meant}`?"] if meant else [])


def test_a_remembered_json_value_is_not_changed_by_keys_of_its_own() -> None:
    env = {"MODEL_NAME": "m", "SPECULATIVE_CONFIG": '{"num_speculative_tokens": 3, "model": "d"}'}
    first = env_to_args(env, vllm="0.27.1").argv
    keyed = env_to_args({**env, "SPECULATIVE_CONFIG__NUM_SPECULATIVE_TOKENS": "5"}, vllm="0.27.1")
    assert any('"num_speculative_tokens":5' in token for token in keyed.argv)
    assert env_to_args(env, vllm="0.27.1").argv == first


def test_a_memory_that_is_full_is_emptied() -> None:
    for number in [*range(100), 7]:
        made = env_to_args({"MODEL_NAME": "m", "MAX_NUM_SEQS": str(number + 1)}, vllm="0.27.1")
        assert f"--max-num-seqs={number + 1}" in made.argv
