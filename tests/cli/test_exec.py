"""`translate exec`, as a process: it becomes vLLM, or says why not."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.program import HOME, PYTHON, translate

from translator.cli import exec as entrypoint
from translator.formats.env_files import bake

PROGRAM = """\
#!{python} -I
import json, os, sys
print(json.dumps({{'argv': sys.argv[1:], 'env': dict(os.environ), 'pid': os.getpid()}}))
sys.exit(7)
"""


@pytest.fixture
def vllm(tmp_path: Path) -> Path:
    """A folder with a `vllm` that tells how it was started."""
    program = tmp_path / "bin" / "vllm"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=PYTHON))
    program.chmod(0o755)
    return program.parent


def start(folder: Path, *arguments: str, env: dict[str, str], stdin: bytes = b""):
    return translate("exec", *arguments, env={"PATH": f"/nowhere:{folder}", **env}, stdin=stdin)


def test_the_process_and_its_signals_are_vllms(tmp_path: Path) -> None:
    """Those that Python ignores are not ignored."""
    program = tmp_path / "vllm"
    program.write_text("#!/bin/sh\necho $$\ngrep SigIgn /proc/$$/status\nexec sleep 60\n")
    program.chmod(0o755)
    env = {"PYTHONPATH": HOME, "PATH": f"{tmp_path}:{os.defpath}", "MODEL_NAME": "m"}
    with subprocess.Popen(
        [PYTHON, "-m", "translator", "exec"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        ignored = int(process.stdout.readline().split()[1], 16)
        time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=600) == -signal.SIGTERM
    assert not ignored & (1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1))


def test_what_is_too_long_for_the_system_is_explained(vllm: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr(entrypoint, "log_error", said.append)
        assert (
            entrypoint.become(
                ["vllm", "serve", "m", f"--chat-template={'x' * 140_000}"], {"PATH": str(vllm)}
            )
            == 126
        )
    assert "too long for this system" in said[0]
    assert "--chat-template" in said[0]
    # Otherwise this process would end at the next pipe that nobody reads.
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN


# --- models baked into the image ------------------------------------------------------------------


def test_a_baked_model_wins_over_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "local_model_args.json"
    baked = {"MODEL_NAME": "/models/m", "QUANTIZATION": "", "REVISION": None}
    path.write_text(json.dumps({**baked, "TENSOR_PARALLEL_SIZE": 2, "HF_OVERRIDES": {"a": True}}))
    env = {"MODEL_NAME": "org/other", "QUANTIZATION": "awq"}
    made, findings = bake(env, str(path))
    assert made == {
        "MODEL_NAME": "/models/m", "QUANTIZATION": "awq", "TENSOR_PARALLEL_SIZE": "2", "HF_OVERRIDES": '{"a":true}', "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
    }  # fmt: skip
    assert [item.code for item in findings] == ["baked-args"]


@pytest.mark.parametrize("text", ["{", "[]", "1", "\xff"])
def test_a_broken_baked_file_is_told_of_and_left(tmp_path: Path, text: str) -> None:
    path = tmp_path / "args.json"
    path.write_bytes(text.encode("latin-1"))
    env = {"A": "b"}
    for broken in (path, tmp_path):
        made, findings = bake(env, str(broken))
        assert (made, [item.code for item in findings]) == (env, ["bad-baked-args"])


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"MODEL_NAME": "a\\ud800b"}', "MODEL_NAME"),
        ('{"DTYPE": "a\\u0000b"}', "DTYPE"),
        ('{"A=B": "x"}', "A=B"),
        ('{"A\\u0000B": "x"}', "A\\x00B"),
        ('{"": "x"}', "''"),
        ('{"A\\ud800": "x"}', "A\\ud800"),
    ],
)
def test_a_baked_variable_that_cannot_be_set_is_left_out_and_named(
    content: str, named: str, vllm: Path, tmp_path: Path
) -> None:
    """They ended in "internal error (UnicodeEncodeError)" and in "illegal environment variable
    name" without the name.
    """
    path = tmp_path / "args.json"
    path.write_text(content)
    env = {"MODEL_NAME": "org/other"}
    made, (wrong, rest) = bake(env, str(path))
    assert (wrong.code, rest.code) == ("bad-baked-args", "baked-args")
    assert named in wrong.message
    assert made == {"MODEL_NAME": "org/other", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    dialect = tmp_path / "tables" / "dialects" / "mine.toml"
    dialect.parent.mkdir(parents=True)
    dialect.write_text(f'[dialect]\nname = "mine"\nextends = "runpod"\nbaked_args = "{path}"\n')
    options = ("--tables", str(tmp_path / "tables"), "--dialect", "mine")
    for more, status in (((), 7), (("--dry-run",), 0)):
        ran = start(vllm, *more, *options, env=env)
        assert (ran.status, "warning[bad-baked-args]" in ran.err) == (status, True)
    path.write_text('{"HF_OVERRIDES": {"a": "\\ud800"}}')  # inside JSON it is an escape
    assert start(vllm, *options, env=env).status == 7


def test_bytes_that_are_not_utf8_arrive_unharmed(vllm: Path) -> None:
    program = vllm / "vllm"
    program.write_text("#!/bin/sh\nprintf '%s' \"$3\"\nprintf '%s' \"$RAW\"\n")
    env = {b"PYTHONPATH": HOME.encode(), b"PATH": str(vllm).encode(), b"MODEL_NAME": b"m"}
    env |= {b"SERVED_MODEL_NAME": b"a\xffb", b"RAW": b"\xfe"}
    done = subprocess.run(
        [PYTHON, "-m", "translator", "exec"], env=env, capture_output=True, check=False
    )
    assert done.stdout == b"--served-model-name=a\xffb\xfe"


def with_metadata(folder: Path, version: str) -> dict[str, str]:
    """A `vllm` with the metadata of a version beside it."""
    (folder.parent / "lib" / "python3.11" / "site-packages" / f"vllm-{version}.dist-info").mkdir(
        parents=True
    )
    return {"PATH": str(folder), "MODEL_NAME": "m", "DISABLE_LOG_REQUESTS": "true"}


def test_another_version_than_the_one_installed_is_a_warning(vllm: Path) -> None:
    env = with_metadata(vllm, "0.32.0+cpu")
    ran = translate("exec", env=env)
    assert "translate: vLLM 0.32.0 (installed)\n" in ran.err
    assert "other-version" not in ran.err
    for arguments, more in ([], {"TRANSLATE_VLLM_VERSION": "0.8.5"}), (["--vllm", "0.8.5"], {}):
        ran = translate("exec", *arguments, env={**env, **more})
        assert ran.status == 7
        assert "warning[other-version]: vLLM 0.32.0+cpu is installed, but" in ran.err
        assert translate("exec", "--strict", *arguments, env={**env, **more}).status == 3
    assert "other-version" not in translate("exec", "--vllm", "0.32.1", env=env).err


def test_a_program_that_is_not_executable_cannot_be_run(vllm: Path) -> None:
    (vllm / "vllm").chmod(0o644)
    ran = start(vllm, env={"MODEL_NAME": "m"})
    assert (ran.status, f"{vllm}/vllm is not executable" in ran.err) == (126, True)
