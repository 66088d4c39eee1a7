"""What running imports: a container's entrypoint pays for every module (an `import re` is 4 ms, a
bare interpreter 9).
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.program import process

import translator

ENV = {
    "MODEL_NAME": "org/model", "MAX_MODEL_LEN": "8k", "DTYPE": "bfloat16", "ENFORCE_EAGER": "true", "TENSOR_PARALLEL_SIZE": "2",
    "GPU_MEMORY_UTILIZATION": "0.9",
    "TRUST_REMOTE_CODE": "1", "QUANTIZATION": "awq", "KV_CACHE_DTYPE": "fp8", "MAX_NUM_SEQS": "64", "ENABLE_PREFIX_CACHING": "no",
    "OPENAI_SERVED_MODEL_NAME_OVERRIDE": "m",
    "HF_TOKEN": "hf_abcdefgh", "HF_HOME": "/cache", "MAX_CONCURRENCY": "30", "VLLM_USE_DEEP_GEMM": "true", "LOAD_FORMAT": "auto", "SEED": "1", "PATH": "/bin",
    "DOWNLOAD_DIR": "/x",
}  # fmt: skip
ARGV = [
    "vllm", "serve", "org/model", "--max-model-len", "8k", "--enforce-eager", "-tp=2",
    "--served-model-name", "a", "b", "--dtype=half",
]  # fmt: skip

# What `exec` and `env-to-args` load for plain variables, by room ...
START = {
    "cli": "env_to_args exec main options process", "installed": "", "options": "", "core": "findings secrets translate",
    "core.argv": "writer", "core.env": "reader vllm_variables", "core.settings": "assemble relations scope",
    "core.tables": "catalog dialects records versions", "core.text": "json_text words",
    "core.values": "variables", "formats": "files forms inputs registry",
}  # fmt: skip
# ... and for tokens of the command line, JSON values and mistakes, too.
FURTHER = {
    "core.argv": "parser reader rewriting", "core.env": "consumer",
    "core.settings": "changes names refusals", "core.tables": "shapes", "core.values": "mistakes",
}  # fmt: skip
# ... and for the notes on what RunPod's own worker reads otherwise.
NOTES = {"advice": "hints", "core.platforms": "lmi programs runpod sagemaker"}
# ... and for what to write instead of a mistake.
ADVICE = {
    "advice": "check meant remedies translations typed values", "core.argv": "parser reader",
    "core": "convert remedy", "core.env": "writer consumer", "core.settings": "changes",
}  # fmt: skip
# What the tables are decoded with, and what puts off collecting garbage; written in C.
OTHERS = {"__future__", "_json", "gc"}


def loaded(code: str, **given: Any) -> set[str]:
    """The modules that a fresh interpreter, without what `site` may load, has loaded after the code,
    less those that it has loaded without it.
    """
    program = (
        "import os, sys\nbefore = set(sys.modules)\nsys.path.insert(0,"
        f" {str(Path(translator.__file__).parent.parent)!r})\n"
    )
    program += "".join(f"{name} = {value!r}\n" for name, value in given.items())
    program += f"{code}\nprint('\\n'.join(sorted(set(sys.modules) - before)))"
    done = process([sys.executable, "-I", "-S", "-c", program])
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


CALL = "from translator import env_to_args\nassert env_to_args(env, vllm='0.27.1').argv"
ARGS = "from translator import args_to_env\nassert args_to_env(argv, vllm='0.27.1').env"
JSON = {
    "HF_OVERRIDES": '{"a": {"b": 1}}',
    "SPECULATIVE_CONFIG": '{"method": "ngram", "num_speculative_tokens": 3}',
}
WRONG = {"MODEL_NAME": "m", "DTYPE": "fp9", "SPECULATIVE_MODEL": "x", "HF_OVERRIDES": "{'a'"}
WRONG_ARGV = ["m", "--no-such", "--task=embed", "--dtype=fp9"]
MISTAKE = "from translator import TranslationError\ntry:\n    {}\nexcept TranslationError: pass\n"


@pytest.mark.parametrize(
    ("code", "env", "argv"),
    [
        (CALL, ENV, []),
        (CALL, {**ENV, **JSON}, []),  # the module json would bring re, and both together 6 ms
        (ARGS, {}, ARGV),
        (MISTAKE.format(CALL.replace("\n", "\n    ")), WRONG, []),
        (MISTAKE.format(ARGS.replace("\n", "\n    ")), {}, WRONG_ARGV),
    ],
    ids=["env", "json", "argv", "wrong env", "wrong argv"],
)
def test_a_translation_imports_nothing_but_our_own_modules(
    code: str, env: dict[str, str], argv: list[str]
) -> None:
    """Nothing outside of `core`, but for what to write instead of a mistake, which may bring what finds
    the nearest name.
    """
    found = loaded(code, env=env, argv=argv)
    rooms = {name.split(".")[1] for name in found if name.startswith("translator.")}
    assert rooms == {"core", "translations"} | ({"advice"} if "except" in code else set())
    others = {name for name in found if not name.startswith("translator")}
    assert others <= OTHERS or "except" in code


@pytest.mark.parametrize("dialect", ["runpod", "sagemaker"])
def test_a_program_is_imported_where_its_reading_is_ours(dialect: str) -> None:
    """No program for RunPod's variables; SageMaker's without the modules `json` and `re`."""
    env = {"MODEL_NAME": "m", "SM_VLLM_MODEL": "m", "SM_VLLM_SERVED_MODEL_NAME": '["a", "b"]'}
    call = f"from translator import env_to_args\nassert env_to_args(env, dialect={dialect!r}).argv"
    found = loaded(call, env=env)
    assert ("translator.core.platforms.programs" in found) is (dialect == "sagemaker")
    assert {name for name in found if not name.startswith("translator")} <= OTHERS


def test_the_package_alone_imports_nothing() -> None:
    """The public names come when they are asked for."""
    assert loaded("import translator") <= {"translator", "__future__"}


def test_the_public_names_are_all_there() -> None:
    """`from translator import *` gives what the contract names."""
    assert set(translator.__all__) >= {"env_to_args", "args_to_env", "TranslationError"}
    for name in translator.__all__:
        assert getattr(translator, name) is not None
    assert set(translator.__all__) <= set(dir(translator))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = translator.nothing
    json.dumps(translator.__version__)


STARTED = """
import os
from translator.cli.main import main
kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
os.dup2(nowhere, 1)
os.dup2(nowhere, 2)
os.environ.clear()
os.environ.update(env)
status = main(arguments)
os.dup2(kept, 1)
assert status in (0, 1), status
"""


def modules(*listed: dict[str, str]) -> set[str]:
    """The names of the modules in lists by room."""
    names = {
        f"{room}.{name}" for rows in listed for room, row in rows.items() for name in row.split()
    }
    rooms = {room for rows in listed for room in rows}
    return {"translator", *(f"translator.{name}" for name in names | rooms)}


@pytest.mark.parametrize(
    ("arguments", "env", "most", "listed"),
    [
        (["exec", "--dry-run"], {}, 50, [START]),
        (["env-to-args"], {}, 60, [START, FURTHER, NOTES, {"advice": "translations"}]),
        (["exec", "--dry-run", "--", "--seed=3"], {}, 60, [START, FURTHER]),
        (["exec", "--dry-run"], {"VLLM_EXTRA_ARGS": "--seed 3", "HF_OVERRIDES": '{"a": 1}'}, 60, [START, FURTHER]),
        (["exec", "--dry-run"], {"MAX_MODEL_LEN": "8x", "TASK": "embed", "SWAP_SPACE": "4"}, 75, [START, FURTHER, NOTES, ADVICE]),
        (["env-to-args", "--format", "json"], {"MAX_MODEL_LEN": "8x"}, 75, [START, FURTHER, NOTES, ADVICE]),
    ],
)  # fmt: skip
def test_the_start_path_is_listed(
    arguments: list[str], env: dict[str, str], most: int, listed: list[dict[str, str]]
) -> None:
    """What a container pays for at its start, module by module; each costs 0.2 ms."""
    env = {
        **ENV,
        "KUBERNETES_PORT": "tcp://10.0.0.1:443",
        "TRANSLATE_VLLM_VERSION": "0.27.1",
        **env,
    }
    found = loaded(STARTED, arguments=arguments, env=env)
    ours = {name for name in found if name.startswith("translator")}
    assert ours <= modules(*listed)
    assert found - ours <= OTHERS or ADVICE in listed
    assert len(ours) <= most


@pytest.mark.parametrize(
    "arguments", [["args-to-env", "--vllm", "0.27.1"], ["convert", "--to", "0.27.1"]]
)
def test_a_plain_line_needs_no_reader(arguments: list[str]) -> None:
    """Neither of files, shells and programs in front, nor what these need."""
    found = loaded(STARTED, arguments=[*arguments, "--", *ARGV], env={"PATH": "/bin"})
    assert found.isdisjoint({"attr", "argparse", "re", "json", "typing"})
    assert not any(name.startswith("translator.deployments") for name in found)
