"""Files for `docker run --env-file`: literal NAME=value lines."""

from __future__ import annotations

from translator.findings import finding
from translator.formats.forms import EnvFile, unwritable
from translator.text.quoting import is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.formats.forms import Environment, EnvSource, Written


LONGEST_LINE = 65535
"""bytes: docker reads its lines into a buffer of 64 KiB."""

# docker/cli, pkg/kvfile/kvfile.go: what begins a line and is dropped (Go's unicode.IsSpace), and
# what no name may hold.
_BLANK = "\t\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_IN_NO_NAME = " \t"


def read_env(source: EnvSource) -> EnvFile:
    """Read a file as `docker run --env-file` does: NAME=value up to the end of the line, `#` starts
    a comment only at the beginning of a line, and a bare NAME takes its value from outside.
    """
    done = EnvFile(source.file)
    for at, line in enumerate(source.text().split("\n"), 1):
        line = line.removesuffix("\r").lstrip(_BLANK)
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not name or any(char in name for char in _IN_NO_NAME):
            # The line is not shown: it may contain a secret.
            done.findings.append(
                finding(
                    "bad-env-file",
                    f"{source.file}:{at}",
                    case="docker-name" if sign else "docker",
                    file=source.file,
                    line=at,
                )
            )
        elif sign:
            done.put(name, value, at)
        elif name in source.outside:
            done.put(name, source.outside[name], at)
    return done


def write_env(environment: Environment) -> Written:
    """Write the file, and return errors for variables that it cannot hold."""
    env = environment.env
    findings = unwritable("docker", environment, _problem, limit=LONGEST_LINE)
    return "".join(f"{name}={text}\n" for name, text in env.items()), findings


def _problem(name: str, text: str) -> str:
    """Return why docker's file cannot hold a variable: a case of `cannot-be-said`, or ""."""
    if (
        not name
        or "=" in name
        or "\n" in name
        or any(char in name for char in _IN_NO_NAME)
        or name[0] in _BLANK
        or name.startswith(("#", "\ufeff"))
    ):
        return "name"
    if "\n" in text:
        return "line-break"
    if text.endswith("\r"):
        return "carriage-return"
    if not is_utf8(name) or not is_utf8(text):
        return "bytes"
    return "length" if len(f"{name}={text}".encode()) > LONGEST_LINE else ""
