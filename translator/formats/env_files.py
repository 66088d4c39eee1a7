"""Files of variables, read and written: those of python-dotenv, and those that
`docker run --env-file` reads.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.formats.forms import BAD_NAME, LINE_BREAK, NOT_UTF8, EnvFile, unwritable
from translator.secrets.secrets import is_secret
from translator.text.dotenv import bindings, references
from translator.text.quoting import is_name, is_utf8
from translator.text.references import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.formats.forms import Environment, EnvSource, Problem, Written
    from translator.text.dotenv import Binding


def read_dotenv(source: EnvSource) -> EnvFile:
    """Read a file as python-dotenv does, but resolve `${NAME}` only from the files, and report an
    error if they do not set it: a file has the same meaning on every machine.
    """
    done = EnvFile(source.path)
    budget = Budget()
    text = source.text().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # `${:-$}`, a dollar sign, refers to the name "", which nothing sets.
    known = {name: value for name, value in source.before.items() if name}
    for binding in bindings(text):
        name, line = binding.name, binding.line
        if binding.value is None:
            done.findings += _not_set(binding, source)
            continue
        made: list[str] = []
        extends = False
        for part in references(binding.value):
            if isinstance(part, str):
                made.append(part)
                continue
            variable, default = part
            extends = extends or variable == name
            if variable and default is None and variable not in known:
                done.findings.append(_unknown(name, variable, source, line))
            made.append(budget.take(known.get(variable, default or ""), line))
        known[name] = value = "".join(made)
        done.put(name, value, line, extends=extends)
    exceeded = budget.report()
    if exceeded is not None:
        path, subject = source.path, f"{source.path}:{exceeded}"
        told = finding("expands-too-much", subject, container=path, line=exceeded)
        done.findings.append(told)
    return done


def _not_set(binding: Binding, source: EnvSource) -> list[Finding]:
    """Return the finding for a line that sets nothing; none for a comment."""
    line, file = binding.line, source.path
    if binding.unreadable:
        start, sign, _ = binding.unreadable.strip().partition("=")
        shown = start.removeprefix("export ").strip() if sign else ""
        return [finding("bad-env-file", f"{file}:{line}", at=file, line=line, name=shown)]
    if not binding.name:
        return []
    name = binding.name
    return [finding("empty-variable", name, case="file", at=file, line=line, name=name)]


def _unknown(name: str, variable: str, source: EnvSource, line: int) -> Finding:
    """Return the finding for a `${NAME}` that nothing sets. In a secret it is most likely part of
    the secret, and is not shown.
    """
    secret = is_secret(name, source.tables)
    facts = {"at": source.path, "name": name, "variable": "" if secret else variable}
    return finding("shell-variable", name, case="env-file", line=line, **facts)


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-")

# Control characters, and the letters of their escapes.
_ESCAPES = {char: f"\\{letter}" for char, letter in zip("\n\r\t\a\b\f\v", "nrtabfv")}

_DOLLAR, _NOTHING = "${:-$}", "${:-}"


def write_dotenv(environment: Environment) -> Written:
    """Write the file, and return errors for variables that it cannot hold."""
    env = environment.env
    findings = unwritable("dotenv", environment, _dotenv_problem)
    return "".join(f"{name}={quoted(text)}\n" for name, text in env.items()), findings


def _dotenv_problem(name: str, text: str) -> Problem | None:
    if not is_name(name):
        return BAD_NAME
    return None if is_utf8(text) else NOT_UTF8


def quoted(text: str) -> str:
    """Return one value, quoted where necessary."""
    if text and _PLAIN.issuperset(text):
        return text
    held = text.replace("${", _DOLLAR + "{")
    mark = "'" if _ESCAPES.keys().isdisjoint(held) else '"'
    inner = held.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    if mark == '"':
        inner = "".join([_ESCAPES.get(char, char) for char in inner])
    if inner.endswith("\\"):
        # Up to 1.2.1, python-dotenv reads the backslash before the closing quote as an escape.
        inner += _NOTHING
    return f"{mark}{inner}{mark}"


LONGEST_LINE = 65535
"""bytes: docker reads its lines into a buffer of 64 KiB."""

# docker/cli, pkg/kvfile/kvfile.go: what begins a line and is dropped (Go's unicode.IsSpace).
_BLANK = "\t\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def read_docker(source: EnvSource) -> EnvFile:
    """Read a file as `docker run --env-file` does: NAME=value up to the end of the line, `#` starts
    a comment only at the beginning of a line, and a bare NAME takes its value from outside.
    """
    done = EnvFile(source.path)
    for at, line in enumerate(source.text().split("\n"), 1):
        line = line.removesuffix("\r").lstrip(_BLANK)
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not name or " " in name or "\t" in name:
            # The line is not shown: it may contain a secret.
            path, subject = source.path, f"{source.path}:{at}"
            done.findings.append(finding("bad-env-file", subject, case="docker", at=path, line=at))
        elif sign:
            done.put(name, value, at)
        elif name in source.outside:
            done.put(name, source.outside[name], at)
    return done


def write_docker(environment: Environment) -> Written:
    """Write the file, and return errors for variables that it cannot hold."""
    env = environment.env
    findings = unwritable("docker", environment, _docker_problem)
    return "".join(f"{name}={text}\n" for name, text in env.items()), findings


def _docker_problem(name: str, text: str) -> Problem | None:
    """Return why docker's file cannot hold a variable."""
    if not name or name[0] in _BLANK or name[0] in "#\ufeff" or any(c in name for c in "= \t\n"):
        return BAD_NAME
    if "\n" in text:
        return LINE_BREAK
    if text.endswith("\r"):
        return "ends in a carriage return", "k8s"
    if not is_utf8(name + text):
        return NOT_UTF8
    if len(f"{name}={text}".encode()) > LONGEST_LINE:
        return f"is longer than the {LONGEST_LINE} bytes that docker reads of a line", "shell"
    return None
