"""The two translations as the contract has them."""

import translator
from translator import TranslationError, args_to_env, env_to_args
from translator.core.tables.catalog import shipped


def test_the_example_of_the_contract() -> None:
    done = env_to_args(
        {"MODEL_NAME": "m", "MAX_MODEL_LEN": "8k", "PATH": "/bin"}, vllm="0.27.1", dialect="runpod"
    )
    assert done.argv == ["vllm", "serve", "m", "--max-model-len=8000"]
    assert done.env == {"PATH": "/bin"}
    assert done.findings == ()
    back = args_to_env(done.argv, vllm="0.27.1", dialect="runpod")
    assert back.env == {"MODEL_NAME": "m", "MAX_MODEL_LEN": "8000"}
    assert back.findings == ()
    assert type(done.argv) is list
    assert type(done.env) is dict
    assert type(done.findings) is type(back.findings) is tuple
    assert issubclass(TranslationError, Exception)
    assert translator.__version__


def test_the_version_is_the_argument_then_the_variable_then_the_newest() -> None:
    """The library does not look for an installed vLLM: it reads nothing."""
    env = {"MODEL_NAME": "m", "TRANSLATE_VLLM_VERSION": "0.8.5"}
    assert env_to_args(env, vllm="0.9.2").version == "0.9.2"
    assert env_to_args(env).version == "0.8.5"
    assert env_to_args({**env, "TRANSLATE_VLLM_VERSION": " 0.8.5 "}, vllm="").version == "0.8.5"
    newest = shipped().versions()[-1]
    assert env_to_args({"MODEL_NAME": "m"}).version == newest
    assert env_to_args({**env, "TRANSLATE_VLLM_VERSION": " "}).version == newest
    assert args_to_env(["m"]).version == newest
    assert args_to_env(["m"], env=env).version == "0.8.5"
    assert env_to_args({"MODEL_NAME": "m"}, vllm="v0.19.2+cu129").version == "0.19.1"


def test_the_workers_defaults_are_added_where_nothing_is_set() -> None:
    """Each with its origin; what is set stays, and what the version does not take is left out."""
    done = env_to_args(
        {"MODEL_NAME": "m", "MAX_NUM_SEQS": "5"}, vllm="0.27.1", worker_defaults=True
    )
    assert "--gpu-memory-utilization=0.95" in done.argv
    assert "--max-num-seqs=5" in done.argv
    assert "--max-num-seqs=256" not in done.argv
    (told,) = (item for item in done.findings if item.code == "worker-default")
    assert "`GPU_MEMORY_UTILIZATION=0.95`" in told.message
    assert "MAX_NUM_SEQS" not in told.message
    for version in shipped().versions():
        argv = env_to_args({"MODEL_NAME": "m"}, vllm=version, worker_defaults=True).argv
        assert args_to_env(argv, vllm=version).env["MODEL_NAME"] == "m"


def test_every_version_serves_a_model() -> None:
    """The smallest environment of all, there and back."""
    for vllm in shipped().versions():
        done = env_to_args({"MODEL_NAME": "org/m"}, vllm=vllm)
        assert (done.argv, done.env, done.findings) == (["vllm", "serve", "org/m"], {}, ()), vllm
        assert args_to_env(done.argv, vllm=vllm).env == {"MODEL_NAME": "org/m"}, vllm
