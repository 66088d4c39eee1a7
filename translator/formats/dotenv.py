"""Files of variables in the syntax of python-dotenv: read and written."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.formats.forms import EnvFile, unwritable
from translator.secrets.secrets import is_secret
from translator.text.dotenv_syntax import bindings, parts
from translator.text.expansion import Budget
from translator.text.quoting import is_name, is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.formats.forms import Environment, EnvSource, Written
    from translator.text.dotenv_syntax import Binding


def read_env(source: EnvSource) -> EnvFile:
    """Read a file as python-dotenv does, but resolve `${NAME}` only from the files, and report an
    error if they do not set it: a file has the same meaning on every machine.
    """
    done = EnvFile(source.file)
    budget = Budget()
    text = source.text().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # `${:-$}`, a dollar sign, refers to the name "", which nothing sets.
    known = {name: value for name, value in source.before.items() if name}
    for binding in bindings(text):
        name, line = binding.name, binding.line
        if name is None or binding.value is None:
            done.findings += _not_set(binding, source)
            continue
        made: list[str] = []
        extends = False
        for part in parts(binding.value):
            if isinstance(part, str):
                made.append(part)
                continue
            extends = extends or part.name == name
            if part.name and part.default is None and part.name not in known:
                done.findings.append(_unknown(name, part.name, source, line))
            made.append(budget.take(known.get(part.name, part.default or ""), line))
        value = "".join(made)
        done.put(name, value, line, extends=extends)
        if name:
            known[name] = value
    exceeded_at = budget.report()
    if exceeded_at is not None:
        done.findings.append(
            finding(
                "expands-too-much",
                f"{source.file}:{exceeded_at}",
                case="file",
                file=source.file,
                line=exceeded_at,
            )
        )
    return done


def _not_set(binding: Binding, source: EnvSource) -> list[Finding]:
    """Return the finding for a line that sets nothing; none for a comment."""
    line, file = binding.line, source.file
    if binding.unreadable:
        start, sign, _ = binding.unreadable.strip().partition("=")
        shown = start.removeprefix("export ").strip() if sign else ""
        return [finding("bad-env-file", f"{file}:{line}", file=file, line=line, name=shown)]
    if binding.name is None:
        return []
    return [
        finding(
            "empty-variable",
            binding.name,
            case="file",
            file=file,
            line=line,
            name=binding.name,
        )
    ]


def _unknown(name: str, variable: str, source: EnvSource, line: int) -> Finding:
    """Return the finding for a `${NAME}` that nothing sets. In a secret it is most likely part of
    the secret, and is not shown.
    """
    secret = is_secret(name, source.tables)
    return finding(
        "shell-variable",
        name,
        case="secret" if secret else "env-file",
        file=source.file,
        line=line,
        name=name,
        variable="" if secret else variable,
    )


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-")


_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
}


_DOLLAR, _NOTHING = "${:-$}", "${:-}"


def write_env(environment: Environment) -> Written:
    """Write the file, and return errors for variables that it cannot hold."""
    env = environment.env
    findings = unwritable("dotenv", environment, _problem)
    return "".join(f"{name}={quoted(text)}\n" for name, text in env.items()), findings


def _problem(name: str, text: str) -> str:
    if not is_name(name):
        return "name"
    return "" if is_utf8(text) else "bytes"


def quoted(text: str) -> str:
    """Return one value, quoted where necessary."""
    if text and _PLAIN.issuperset(text):
        return text
    held = text.replace("${", _DOLLAR + "{")
    if any(char in held for char in _ESCAPES if char not in '\\"'):
        inner = "".join(_ESCAPES.get(char, char) for char in held)
        mark = '"'
    else:
        inner = held.replace("\\", "\\\\").replace("'", "\\'")
        mark = "'"
    if inner.endswith("\\"):
        # Up to 1.2.1, python-dotenv reads the backslash before the closing quote as an escape.
        inner += _NOTHING
    return f"{mark}{inner}{mark}"
