"""Nothing is injected: whatever values hold, nothing of them is run. (That what reads the output
gets exactly the tokens and variables that were meant: tests/unit/formats/test_readers.py.)
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import HOME

from laws.strategies import MODEL

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
from translator.cli.main import main
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
    env = {"PATH": str(traps), "PYTHONPATH": HOME, "PYTHONUTF8": "1", "MODEL_NAME": MODEL}
    env["SHELL"] = str(traps / "sh")

    def run(*commands: list[str], **more: str) -> subprocess.CompletedProcess[bytes]:
        """One after the other in a process; only the last one may become vLLM."""
        return subprocess.run(
            [sys.executable, "-c", WATCHED, json.dumps(commands)],
            env={**env, **more},
            cwd=tmp_path,
            input=b"",
            capture_output=True,
            timeout=600,
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
