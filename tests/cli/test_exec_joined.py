"""`translate exec` where another program joins the machines, as processes: Ray is started on each,
and vLLM on the first, with stand-ins for both.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.program import HOME, PYTHON, translate
from support.schedulers import lws

from translator.cli import main
from translator.env.cluster import joining
from translator.tables.catalog import shipped

# Says how it was started; `ray status` says what is in the file beside it, and adds a machine to it.
STAND_IN = f"""#!{PYTHON} -I
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "started"), "a") as file:
    file.write(json.dumps([os.path.basename(__file__), os.getpid(), dict(os.environ), *sys.argv[1:]]) + "\\n")
if sys.argv[1:] == ["status"]:
    with open(os.path.join(here, "machines"), "a+") as file:
        file.write(" 1 node_0123abcd\\n")
        file.seek(0)
        print("======== Autoscaler status ========\\nActive:\\n" + file.read() + "Pending:\\n (no pending nodes)")
print("said by", os.path.basename(__file__))
sys.exit(int(os.environ.get("ENDS_WITH", 0)) if sys.argv[1:2] == ["start"] else 0)
"""
ASKED = {"MODEL_NAME": "org/m", "TENSOR_PARALLEL_SIZE": "16", "HF_TOKEN": "hf_secretsecret"}
RAY = {**ASKED, "DISTRIBUTED_EXECUTOR_BACKEND": "ray"}
CLUSTER = ("exec", "--vllm", "0.33.0", "--cluster", "lws")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ray", "vllm"):
        (tmp_path / name).write_text(STAND_IN)
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.fixture
def first() -> Iterator[socket.socket]:
    """The first machine, which answers at Ray's port; the test is left out where that is taken."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", 6379))
        except OSError:
            pytest.skip("another program uses the port")
        listening.listen()
        yield listening


def at(folder: Path, nodes: int, rank: int, **env: str) -> dict[str, str]:
    place = {**lws(nodes, rank), "LWS_LEADER_ADDRESS": "127.0.0.1"}
    return {"PATH": str(folder), **RAY, **place, **env}


def started(folder: Path) -> list[list[Any]]:
    return [json.loads(line) for line in (folder / "started").read_text().splitlines()]


def test_the_first_machine_starts_ray_waits_for_the_others_and_becomes_vllm(folder: Path) -> None:
    ran = translate(*CLUSTER, env=at(folder, 2, 0))
    assert [[name, *words] for name, _, _, *words in started(folder)] == [
        ["ray", "start", "--head", "--port=6379"],
        ["ray", "status"],
        ["ray", "status"],
        ["vllm", "serve", "org/m", "--distributed-executor-backend=ray", "--tensor-parallel-size=16"],
    ]  # fmt: skip
    assert ran.status == 0
    assert ran.out == "said by vllm\n", "what Ray prints is in the log"
    assert "said by ray" in ran.err
    assert "machine 0 of 2 (LWS_WORKER_INDEX): Ray joins the machines" in ran.err
    assert "waiting until 2 machines have joined Ray" in ran.err
    for _, _, env, *words in started(folder):
        assert env["HF_TOKEN"] == "hf_secretsecret"
        assert "MODEL_NAME" not in env
        assert not [word for word in words if "secret" in word]
    assert "hf_secret" not in ran.err


@pytest.mark.usefixtures("first")
def test_another_machine_becomes_ray(folder: Path) -> None:
    with subprocess.Popen(
        [PYTHON, "-m", "translator", *CLUSTER],
        env={"PYTHONPATH": HOME, **at(folder, 2, 1)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        out, err = process.communicate(timeout=30)
    assert [(name, pid, words) for name, pid, _, *words in started(folder)] == [
        ("ray", process.pid, ["start", "--address=127.0.0.1:6379", "--block"])
    ], "the same process: signals and the exit status are Ray's"
    assert out == b"said by ray\n"
    assert b"vllm serve" not in err


def test_another_machine_waits_for_the_first_and_can_be_stopped(folder: Path) -> None:
    """Nothing listens at that address; process 1 of a container gets no signal unasked."""
    with subprocess.Popen(
        [PYTHON, "-m", "translator", *CLUSTER],
        env={"PYTHONPATH": HOME, **at(folder, 2, 1, LWS_LEADER_ADDRESS="first.invalid")},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        while b"ray start" not in process.stderr.readline():
            pass
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) in (128 + signal.SIGTERM, -signal.SIGTERM)
    assert not (folder / "started").exists()


def test_it_says_what_it_would_start(folder: Path) -> None:
    ran = translate(*CLUSTER, "--dry-run", env=at(folder, 2, 0))
    assert ran.out == (
        "ray start --head --port=6379 && vllm serve org/m --distributed-executor-backend=ray"
        " --tensor-parallel-size=16\n"
    )
    ran = translate(*CLUSTER, "--dry-run", env=at(folder, 2, 1))
    assert ran.out == "ray start --address=127.0.0.1:6379 --block\n"
    assert not (folder / "started").exists()


def test_one_machine_and_vllms_own_way_start_no_ray(folder: Path) -> None:
    alone = translate(*CLUSTER, "--dry-run", env=at(folder, 1, 0))
    assert alone.out.startswith("vllm serve")
    own = translate(*CLUSTER, "--dry-run", env=at(folder, 2, 1, DISTRIBUTED_EXECUTOR_BACKEND="mp"))
    assert own.out.startswith("vllm serve org/m --distributed-executor-backend=mp --headless")


def test_what_keeps_it_from_starting_is_said(folder: Path) -> None:
    ran = translate(*CLUSTER, env=at(folder, 2, 0, ENDS_WITH="9"))
    assert (ran.status, len(started(folder))) == (126, 1)
    assert "'ray' ended with status 9" in ran.err
    (folder / "ray").unlink()
    ran = translate(*CLUSTER, env=at(folder, 2, 0))
    assert (ran.status, ran.out) == (127, "")
    assert "no program 'ray' to start" in ran.err


def test_too_few_machines_are_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from translator.cli import joined as module

    monkeypatch.setattr(signal, "signal", lambda *_: None)
    found = joining(at(folder, 9, 0), "lws", shipped(), {"--data-parallel-backend": "ray"})
    assert found is not None
    found.program.patience = 0
    monkeypatch.setattr(module, "PAUSE", 0.0)
    assert module.start(found, [], at(folder, 9, 0), lambda *_: 0) == 126
    assert "Ray: fewer than 9 machines have joined in 0 seconds" in capsys.readouterr().err


def test_check_knows_that_exec_starts_ray(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shared = tmp_path / "shared.env"
    shared.write_text("".join(f"{name}={text}\n" for name, text in RAY.items()))
    asked = ["check", "--env-file", str(shared), "--cluster", "lws", "--vllm", "0.33.0"]
    assert main(asked) == 0
    assert "cluster-not-in-version" not in capsys.readouterr().out


def test_without_a_cluster_nothing_of_it_is_imported(folder: Path) -> None:
    code = (
        "import sys; sys.argv = ['translate', 'exec', '--dry-run']\n"
        "from translator.cli import main\nmain()\n"
        "assert not {'socket', 'subprocess', 'translator.cli.joined'} & set(sys.modules)"
    )
    subprocess.run(
        [PYTHON, "-c", code], env={"PYTHONPATH": HOME, "PATH": str(folder), **RAY}, check=True
    )
