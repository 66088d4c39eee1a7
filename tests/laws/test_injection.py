"""Nothing is injected: whatever values hold, what reads the output gets exactly the tokens and
variables that were meant, and runs none of it.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.program import HOME
from support.readers import (
    SHELLS,
    Shell,
    docker_variables,
    dotenv_variables,
    kubernetes_variables,
    xargs_arguments,
)

from laws.strategies import MODEL, VERSIONS, examples
from translator import Translation, args_to_env, env_to_args
from translator.findings import Finding
from translator.formats import write_argv, write_env
from translator.formats.forms import CommandLine, Environment
from translator.secrets import secrets_of
from translator.tables.catalog import shipped

# Quotes, what a shell expands, what YAML and .env files give a meaning, line breaks of every kind,
# dashes in front; NUL can stand in none of them.
PIECES = (
    "a", " ", "'", '"', "`touch x`", "$(touch x)", "$HOME", "${HOME}", "${", "$$", "$", "\\", "\\n", "\n", "\r", "\r\n", "\t", "#", " #", ";touch x;", "&",
    "|", "<",
    ">", "*", "?", "[", "]", "{", "}", "(", ")", "~", "!", "!!", "=", ":", ": ", "- ", "-", "--x", "%", "@", ",", "é", "日", "🦙", "\u2028", "\x85",
    "\x0b", "\x7f", "\x01", "\x1b[31m",
    "'\"'\"'", "\\'", '\\"', "\\\n", "$'\\n'", "EOF", "\ufeff", "null", "1",
)  # fmt: skip
VALUES = (
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
    | st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20
    )
).filter(
    lambda text: text.strip() not in ("", "None", "--")
)  # argparse takes `--` away, whatever it is joined to
# Flags of every version that take any text; and the model.
FLAGS = ("--chat-template", "--download-dir", "--tokenizer", "--revision")


def rendered(done: Translation, vllm: str, form: str) -> tuple[str, list[Finding]]:
    """The command line of a translation in a format of env-to-args, and what it cannot hold."""
    groups = [tokens for _, tokens in done._groups]
    return write_argv(form, CommandLine(groups, shipped().catalog(vllm), done.env))


@pytest.mark.parametrize("shell", SHELLS)
@examples(15)
@given(
    vllm=st.sampled_from(VERSIONS),
    values=st.dictionaries(st.sampled_from(FLAGS), VALUES, min_size=1),
    data=st.data(),
)
def test_command_lines(
    shell: Shell, vllm: str, values: dict[str, str], data: st.DataObject
) -> None:
    """`shell` and `multiline` in a real shell, `nul` by xargs, `lines` line by line, `json`: the
    same tokens.
    """
    env = {
        "MODEL_NAME": MODEL,
        **{name[2:].upper().replace("-", "_"): text for name, text in values.items()},
    }
    env["MIDDLEWARE"] = json.dumps(data.draw(st.lists(VALUES, min_size=1, max_size=2)))
    env["VLLM_EXTRA_ARGS"] = shlex.join(
        [f"--seed={data.draw(st.integers(0, 9))}", f"--served-model-name={data.draw(VALUES)}"]
    )
    done = env_to_args(env, vllm=vllm)
    written = {
        form: rendered(done, vllm, form) for form in ("shell", "multiline", "nul", "lines", "json")
    }
    for name, text in values.items():
        assert f"{name}={text}" in done.argv
    for form in ("shell", "multiline"):
        assert shell.arguments(written[form][0]) == done.argv
    assert xargs_arguments(written["nul"][0], "-0") == done.argv
    text, unsaid = written["lines"]
    breaks = [token for token in done.argv if "\n" in token or "\r" in token]
    assert bool(unsaid) == bool(breaks)
    if not unsaid:
        assert xargs_arguments(text, "-d", "\\n") == done.argv
    assert json.loads(written["json"][0])["argv"] == done.argv


@examples(40)
@given(
    vllm=st.sampled_from(VERSIONS),
    values=st.dictionaries(st.sampled_from(FLAGS), VALUES, min_size=1),
)
def test_a_file_for_config(vllm: str, values: dict[str, str]) -> None:
    """`yaml`, read by PyYAML, has the values as they are; what it cannot say so is an error."""
    env = {
        "MODEL_NAME": MODEL,
        **{name[2:].upper().replace("-", "_"): text for name, text in values.items()},
    }
    done = env_to_args(env, vllm=vllm)
    text, unsaid = rendered(done, vllm, "yaml")
    if "flag-not-in-version" in {item.code for item in unsaid}:
        assert not shipped().catalog(vllm).knows("--config")
        return
    read = yaml.safe_load(text)
    said = {item.subject for item in unsaid if item.code == "cannot-be-said"}
    for name, value in values.items():
        if name not in said:
            assert str(read.get(name[2:])) == value or f"{name[2:]}={value}" in read


@pytest.mark.parametrize("shell", SHELLS)
@examples(20)
@given(
    vllm=st.sampled_from(VERSIONS),
    values=st.dictionaries(st.sampled_from(FLAGS), VALUES, min_size=1),
)
def test_variables(shell: Shell, vllm: str, values: dict[str, str]) -> None:
    """`shell` sourced by a real shell, `dotenv` by python-dotenv, `docker` by docker's rules, `k8s`
    by PyYAML and Kubernetes' expansion, `json`.
    """
    env = dict(
        args_to_env(
            [
                MODEL,
                *(f"{name}={text}" for name, text in values.items()),
                f"--middleware={next(iter(values.values()))}",
            ],
            vllm=vllm,
        ).env
    )
    forms = {
        form: write_env(form, Environment(env))
        for form in ("shell", "dotenv", "docker", "k8s", "json", "runpod-hub")
    }
    assert json.loads(forms["json"][0])["env"] == env
    assert forms["shell"][1] == forms["dotenv"][1] == forms["k8s"][1] == []
    assert shell.variables(forms["shell"][0]) == env
    assert dotenv_variables(forms["dotenv"][0]) == env
    assert kubernetes_variables(forms["k8s"][0]) == env
    hub = json.loads(forms["runpod-hub"][0])["config"]["env"]
    assert {item["key"]: item["value"] for item in hub if "value" in item} == {
        name: text for name, text in env.items() if not secrets_of().named(name)
    }
    if not forms["docker"][1]:
        assert docker_variables(forms["docker"][0]) == env
    else:
        assert any("\n" in text or text.endswith("\r") for text in env.values())


# --- no shell -------------------------------------------------------------------------------------

# An audit hook sees every way in which Python starts a process; execve of vLLM is the one that is
# allowed.
WATCHED = """
import json, sys
def watch(event, arguments):
    if event in ("os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "subprocess.Popen", "pty.spawn", "os.startfile"):
        sys.stderr.write(f"STARTED {event}\\n")
    if event == "os.exec":
        sys.stderr.write(f"EXEC {arguments[0]}\\n")
sys.addaudithook(watch)
from translator.cli import main
for arguments in json.loads(sys.argv[1]):
    status = main(arguments)
sys.exit(status)
"""
HOSTILE = (
    "--chat-template '$(touch x)'", "--chat-template `touch` --revision $(touch) ;touch x; | touch x && touch x > x", '--chat-template "$(touch x)`touch x`"',
    "--revision=$HOME --chat-template=~/x*", "--chat-template $'\\n' --revision '\n touch x \n'", "--revision x\ntouch x\n", "--chat-template <(touch x)",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_extra_args_never_reach_a_shell(tmp_path: Path, text: str) -> None:
    """No process is started but vLLM itself, though every shell and every tool on the PATH is a
    trap.
    """
    traps = tmp_path / "bin"
    traps.mkdir()
    for name in ("sh", "bash", "dash", "touch", "env", "python", "python3", "ls", "cat"):
        (traps / name).write_text(
            f"#!{sys.executable} -S\nopen({str(tmp_path / 'sprung')!r}, 'w')\n"
        )
        (traps / name).chmod(0o755)
    (traps / "vllm").write_text(
        f"#!{sys.executable} -S\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n"
    )
    (traps / "vllm").chmod(0o755)
    env = {
        "PATH": str(traps),
        "PYTHONPATH": HOME,
        "PYTHONUTF8": "1",
        "HOME": "/home/nobody",
        "MODEL_NAME": MODEL,
        "SHELL": str(traps / "sh"),
    }

    def run(*commands: list[str], **more: str) -> subprocess.CompletedProcess[bytes]:
        """One after the other in a process; only the last one may become vLLM."""
        return subprocess.run(
            [sys.executable, "-c", WATCHED, json.dumps(commands)],
            env={**env, **more},
            cwd=tmp_path,
            input=b"",
            capture_output=True,
            timeout=60,
            check=False,
        )

    done = run(
        ["exec", "--dry-run", "--explain"],
        ["env-to-args"],
        ["check"],
        ["args-to-env", "vllm serve m " + text],
        ["exec", "--vllm", "0.27.1"],
        VLLM_EXTRA_ARGS=text,
    )
    assert b"STARTED" not in done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"translate: ") > 4
    assert done.stderr.count(b"EXEC") <= 1
    started = run(
        ["exec", "--vllm", "0.27.1", "--", "--seed=1"],
        DOWNLOAD_DIR="$(touch x)",
        VLLM_EXTRA_ARGS=shlex.join(shlex.split(text)[:2]),
    )
    assert b"STARTED" not in started.stderr
    if started.returncode == 0:
        assert started.stderr.count(b"EXEC") == 1
        assert json.loads(started.stdout)[:2] == ["serve", MODEL]
        assert "--download-dir=$(touch x)" in json.loads(started.stdout)
    else:
        assert b"error[" in started.stderr
    assert sorted(item.name for item in tmp_path.iterdir()) == ["bin"]
    assert len(list(traps.iterdir())) == 10
