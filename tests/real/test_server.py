"""A container's life: nothing but environment variables, `translate exec`, a real server on
loopback, SIGTERM.
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import wanted
from .install import BASE, Installed

pytestmark = pytest.mark.skipif(BASE not in wanted(), reason=f"the server is vLLM {BASE}")

START_SECONDS = 240
STOP_SECONDS = 60
# What a cluster sets in every container of a namespace in which a service is called "vllm".
SERVICE_LINKS = {
    "VLLM_SERVICE_HOST": "10.43.1.39", "VLLM_SERVICE_PORT": "8000", "VLLM_SERVICE_PORT_HTTP": "8000", "VLLM_PORT": "tcp://10.43.1.39:8000",
    "VLLM_PORT_8000_TCP": "tcp://10.43.1.39:8000", "VLLM_PORT_8000_TCP_PROTO": "tcp", "VLLM_PORT_8000_TCP_PORT": "8000",
    "VLLM_PORT_8000_TCP_ADDR": "10.43.1.39", "KUBERNETES_SERVICE_HOST": "10.43.0.1", "KUBERNETES_SERVICE_PORT": "443",
    "KUBERNETES_PORT": "tcp://10.43.0.1:443", "HOSTNAME": "vllm-5f7c9d6b8-abcde", "PORT": "9999",
}  # fmt: skip


@pytest.fixture(scope="module")
def model(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of two layers."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    maker = Path(__file__).with_name("tiny_model.py")
    subprocess.run(
        [str(installed.python), str(maker), str(folder)],
        check=True,
        capture_output=True,
        timeout=180,
    )
    return folder


@pytest.fixture
def port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`translate exec` and what it becomes."""

    def __init__(
        self, installed: Installed, model: Path, port: int, folder: Path, further: dict[str, str]
    ) -> None:
        import translator

        assert translator.__file__ is not None
        package = folder / "package"
        package.mkdir()
        # In a container our package is installed beside vLLM: there it finds which version it
        # translates for.
        (package / "translator").symlink_to(Path(translator.__file__).parent)
        (folder / "home").mkdir()
        self.address = f"http://127.0.0.1:{port}"
        self.model = str(model)
        self.log = folder / "log"
        environment = {
            "PATH": f"{installed.python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(folder / "home"),
            "PYTHONPATH": str(package),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HF_HUB_OFFLINE": "1",
            "MODEL_NAME": str(model),
            "MAX_MODEL_LEN": "0.256k",
            "ENFORCE_EAGER": "1",
            "DTYPE": "float32",
            "LOAD_FORMAT": "dummy",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            **further,
        }
        command = f"{installed.python} -m translator exec -- --port {port} --host 127.0.0.1".split()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ask(self, path: str, question: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer of the server as JSON."""
        data = None if question is None else json.dumps(question).encode()
        request = urllib.request.Request(
            self.address + path, data, {"Content-Type": "application/json"}
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as reply:
            answer: dict[str, Any] = json.load(reply)
            return answer

    def wait(self) -> dict[str, Any]:
        """The list of models, once the server answers."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                pytest.fail(
                    f"the server ended with {self.process.returncode}:\n{self.said()[-3000:]}",
                    pytrace=False,
                )
            try:
                return self.ask("/v1/models")
            except OSError:
                time.sleep(0.5)
        pytest.fail(f"no answer in {START_SECONDS} s:\n{self.said()[-3000:]}", pytrace=False)

    def kill(self) -> None:
        """Ends the server and its children, whatever state they are in."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


@pytest.fixture
def server(
    request: pytest.FixtureRequest, installed: Installed, model: Path, port: int, tmp_path: Path
) -> Iterator[Server]:
    started = Server(installed, model, port, tmp_path, request.param)
    yield started
    started.kill()


@pytest.mark.parametrize(
    "server",
    [pytest.param({}, id="plain"), pytest.param(SERVICE_LINKS, id="kubernetes")],
    indirect=True,
)
def test_environment_becomes_a_server(server: Server) -> None:
    """It lists the model, completes a prompt, knows the length that was asked for, and ends on
    SIGTERM as vLLM ends.
    """
    models = server.wait()["data"]
    assert [entry["id"] for entry in models] == [server.model]
    assert models[0]["max_model_len"] == 256
    completion = server.ask(
        "/v1/completions", {"model": server.model, "prompt": "the quick", "max_tokens": 4}
    )
    assert completion["usage"]["completion_tokens"] > 0
    assert str(server.process.pid) in server.said(), (
        "the process that was started is not the one that serves"
    )
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(STOP_SECONDS) == 0
