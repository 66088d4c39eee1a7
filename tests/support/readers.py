"""What really reads the output forms: shells, xargs, docker, python-dotenv, PyYAML and Kubernetes.

A program that is missing is a skipped test that names it.
"""

import contextlib
import functools
import http.server
import io
import json
import os
import shutil
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from dotenv import dotenv_values

from .starts import kubelet

PATH = os.environ.get("PATH", os.defpath)


class Shell(NamedTuple):
    """A shell that reads a script from its standard input.

    Attributes:
        command: its argv.
        before: what the script begins with.
    """

    command: tuple[str, ...]
    before: str = ""

    def output(self, script: str, end: str) -> list[str]:
        """What a script prints, in an empty environment and folder; its parts end with NUL.

        Args:
            script: the script, as it was written.
            end: commands behind it.
        """
        done = subprocess.run(
            self.command,
            input=os.fsencode(f"{self.before}{script}\n{end}\n"),
            env={"PATH": PATH},
            cwd="/",
            capture_output=True,
            check=True,
        )
        assert done.stderr == b""
        return [os.fsdecode(item) for item in done.stdout.split(b"\0")[:-1]]

    def arguments(self, line: str) -> list[str]:
        """The words of a command line."""
        return self.output(f"set -- {line}", "printf '%s\\0' \"$@\"")

    def variables(self, script: str) -> dict[str, str]:
        """The variables that a sourced script exports, less those of an empty script."""
        found = dict(item.partition("=")[::2] for item in self.output(script, "exec env -0"))
        return {name: text for name, text in found.items() if name not in _exported(self)}


@functools.cache
def _exported(shell: Shell) -> frozenset[str]:
    return frozenset(["_", *(item.partition("=")[0] for item in shell.output("", "exec env -0"))])


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def _shell(name: str, *command: str, before: str = "") -> object:
    return pytest.param(Shell(command, before), id=name, marks=needs(command[0]))


SHELLS = [
    _shell("dash", "dash", "-s"),
    _shell("bash", "bash", "--norc", "-s"),
    # As an interactive bash reads it: `!` is history.
    _shell("bash-history", "bash", "--norc", "-s", before="set -o history -o histexpand\n"),
    _shell("zsh", "zsh", "-f", "-s"),
    # With the options that give more characters a meaning.
    _shell(
        "zsh-options",
        *("zsh", "-f", "-s"),
        before="setopt magicequalsubst extendedglob kshglob rcquotes globassign shwordsplit\n",
    ),
]


def xargs_arguments(text: str, *options: str) -> list[str]:
    """The arguments that xargs passes on."""
    done = subprocess.run(
        ["xargs", *options, "printf", "%s\\0"],
        input=os.fsencode(text),
        capture_output=True,
        check=True,
    )
    return [os.fsdecode(item) for item in done.stdout.split(b"\0")[:-1]]


def dotenv_variables(text: str) -> dict[str, str | None]:
    """The variables that python-dotenv reads from a file."""
    return dotenv_values(stream=io.StringIO(text, newline=None))


def kubernetes_variables(text: str, outside: dict[str, str] | None = None) -> dict[str, str]:
    """What the kubelet makes of an env list: `$(NAME)` from the variables before, `$$` is `$`
    (k8s.io/kubernetes third_party/forked/golang/expansion).
    """
    found: dict[str, str] = {}
    for item in yaml.safe_load(text)["env"]:
        assert isinstance(item["value"], str)
        found[item["name"]] = kubelet(item["value"], {**found, **(outside or {})})
    return found


class NotRead(Exception):
    """docker refuses the file."""


# Go's unicode.IsSpace.
_SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(number) for number in range(0x2000, 0x200B)
}


def docker_variables(text: str) -> dict[str, str]:
    """The rules of docker's own reader (github.com/docker/cli, pkg/kvfile/kvfile.go), written down
    anew. Lines are those of Go's bufio.Scanner: at most 64 KiB with their line break.

    Raises:
        NotRead: docker refuses the file.
    """
    found = {}
    lines = text.encode("utf-8", "surrogateescape").split(b"\n")
    for at, raw in enumerate(lines):
        if len(raw) + (at < len(lines) - 1) > 65536 or (at == len(lines) - 1 and len(raw) > 65535):
            raise NotRead("a line is too long")
        raw = raw.removesuffix(b"\r")
        try:
            line = (raw.removeprefix(b"\xef\xbb\xbf") if at == 0 else raw).decode()
        except UnicodeDecodeError as error:
            raise NotRead("not UTF-8") from error
        while line[:1] in _SPACES and line:
            line = line[1:]
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not name or " " in name or "\t" in name:
            raise NotRead("not a name")
        if sign:
            found[name] = value
    return found


class _Daemon(http.server.BaseHTTPRequestHandler):
    """Enough of docker's API for `docker create`; keeps what the container is created with."""

    protocol_version = "HTTP/1.1"
    container: dict[str, Any] | None = None

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, body: object) -> None:
        content = b"" if self.command == "HEAD" else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Api-Version", "1.44")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_HEAD(self) -> None:
        self._answer(200, None)

    def do_GET(self) -> None:
        self._answer(200, {"ApiVersion": "1.44"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).container = json.loads(body)
        self._answer(201, {"Id": "0" * 64, "Warnings": []})


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class Docker:
    """The client of docker, before a daemon that only listens."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def variables(self, text: str) -> dict[str, str]:
        """The variables that a container gets from `--env-file`.

        Raises:
            NotRead: docker refuses the file.
        """
        path = self._folder / "file.env"
        path.write_bytes(os.fsencode(text))
        created = self.created(["docker", "create", "--env-file", str(path), "image"])
        return dict(item.split("=", 1) for item in created["Env"] or [])

    def created(self, command: list[str]) -> dict[str, Any]:
        """What a command creates a container with.

        Raises:
            NotRead: docker refuses it.
        """
        _Daemon.container = None
        done = subprocess.run(
            command,
            env={
                "PATH": PATH,
                "HOME": str(self._folder),
                "DOCKER_HOST": f"unix://{self._folder}/socket",
            },
            capture_output=True,
            check=False,
        )
        if _Daemon.container is None:
            raise NotRead(done.stderr.decode())
        return _Daemon.container


@contextlib.contextmanager
def docker_client(folder: Path) -> Iterator[Docker]:
    """Run docker's client in a folder."""
    with _Server(str(folder / "socket"), _Daemon) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield Docker(folder)
        finally:
            server.shutdown()
