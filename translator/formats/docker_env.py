"""Files for `docker run --env-file`: NAME=value, literally."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.text.quoting import is_name, is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class EnvFile:
    """A file, read.

    Attributes:
        env: the variables.
        lines: variable → the line in which it stands.
        findings: what is wrong with the file.
    """

    __slots__ = ("env", "findings", "lines")

    def __init__(self) -> None:
        self.env: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.findings: list[Finding] = []

    def put(self, name: str, value: str, path: str, at: int, *, meant: bool = False) -> None:
        """Set a variable; one that stands there twice is told, unless the later line refers to the
        earlier, or says the same.
        """
        if self.env.get(name, value) != value and not meant and name in self.lines:
            shown = name if is_name(name) else "a name"
            message = (
                f"{show(path)}, line {at}: {shown} is set to something else than in line"
                f" {self.lines[name]}: line {at} wins"
            )
            self.findings.append(
                finding(
                    "repeated-variable",
                    shown,
                    message,
                    f"remove line {self.lines[name]}, or line {at}",
                )
            )
        self.env[name] = value
        self.lines[name] = at


def read_docker(text: str, path: str, outside: Mapping[str, str]) -> EnvFile:
    """As `docker run --env-file` does: NAME=value to the end of the line, `#` is a comment at the
    beginning of a line only, NAME alone comes from outside.
    """
    done = EnvFile()
    for at, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r").lstrip()
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not name or any(char.isspace() for char in name):
            what = (
                "docker takes no variable without a name, or with blanks in it"
                if sign
                else "this is no variable"
            )  # never more: it may be secret
            done.findings.append(
                finding(
                    "bad-env-file",
                    f"{path}:{at}",
                    f"{show(path)}, line {at}: {what}",
                    "write NAME=value",
                )
            )
        elif sign:
            done.put(name, value, path, at)
        elif name in outside:
            done.put(name, outside[name], path, at)
    return done


LONGEST_LINE = 65535
"""bytes: docker reads its lines into a buffer of 64 KiB."""


def render(env: Mapping[str, str]) -> tuple[str, list[Finding]]:
    """The file, and errors for what it cannot hold."""
    findings = []
    for name, text in env.items():
        why = ""
        if not name or "=" in name or any(char.isspace() for char in name) or name.startswith("#"):
            why = f"docker's file has no variable called {show(name)!r}"
        elif "\n" in text:
            why = f"{name} holds a line break, which docker's file cannot"
        elif text.endswith("\r"):
            why = f"{name} ends with a carriage return, which docker's file loses"
        elif not is_utf8(name) or not is_utf8(text):
            why = f"{show(name)} holds bytes that are not UTF-8, which docker's file cannot"
        elif len(f"{name}={text}".encode()) > LONGEST_LINE:
            why = (
                f"{name} is longer than the {LONGEST_LINE} bytes that a line of docker's file may"
                " have"
            )
        if why:
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    why,
                    f"give it as `docker run -e {name}`, or use --format k8s",
                )
            )
    return "".join(f"{name}={text}\n" for name, text in env.items()), findings
