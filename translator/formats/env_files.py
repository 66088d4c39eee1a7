"""Files of variables: those of python-dotenv, those that `docker run --env-file` reads, and the one
of RunPod's images with a built-in model.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.secrets import secrets_of
from translator.core.text.words import is_variable, unusable
from translator.formats.forms import BAD_NAME, LINE_BREAK, Given

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.core.tables.catalog import Tables
    from translator.formats.forms import Environment, Problem, Written


def read_dotenv(text: str, path: str, before: Mapping[str, str], tables: Tables | None) -> Given:
    """Read a file as python-dotenv does, but resolve `${NAME}` only from the files, and report an
    error if they do not set it: a file has the same meaning on every machine.
    """
    from translator.formats.dotenv import bindings, references  # lazy: who writes does not read
    from translator.formats.references import Budget

    given = Given()
    budget = Budget()
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # `${:-$}`, a dollar sign, refers to the name "", which nothing sets.
    known = {name: value for name, value in before.items() if name}
    for binding in bindings(text):
        name, line = binding.name, binding.line
        if binding.unreadable:
            start, sign, _ = binding.unreadable.strip().partition("=")
            shown = start.removeprefix("export ").strip() if sign else ""
            goes_on = start.lstrip().startswith('"') and ":" in start and not sign
            case = "json" if goes_on else ""
            if not (goes_on and any(item.case == "json" for item in given.findings)):
                given.report("bad-env-file", f"{path}:{line}", path, line, case=case, name=shown)
        elif binding.value is None:
            given.report("empty-variable", name, path, line, case="file", name=name)
        else:
            parts: list[str] = []
            extends = False
            for part in references(binding.value):
                if isinstance(part, str):
                    parts.append(part)
                    continue
                variable, default = part
                extends = extends or variable == name
                if variable and default is None and variable not in known:
                    # In a secret it is most likely part of the secret, and is not shown.
                    shown = "" if secrets_of(tables).named(name) else variable
                    facts = {"case": "env-file", "name": name, "variable": shown}
                    given.report("shell-variable", name, path, line, **facts)
                parts.append(budget.take(known.get(variable, default or ""), line))
            known[name] = value = "".join(parts)
            given.put(name, value, path, line, extends=extends)
    if (exceeded := budget.report()) is not None:
        subject = f"{path}:{exceeded}"
        given.findings.append(finding("expands-too-much", subject, container=path, line=exceeded))
    return given


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-")

# Control characters, and the letters of their escapes.
_ESCAPES = {char: f"\\{letter}" for char, letter in zip("\n\r\t\a\b\f\v", "nrtabfv")}

_DOLLAR, _NOTHING = "${:-$}", "${:-}"


def write_dotenv(environment: Environment) -> Written:
    """Write the file, and return errors for variables that it cannot hold."""

    def problem(name: str, _: str) -> Problem | None:
        return None if is_variable(name) else BAD_NAME

    return environment.lines("dotenv", _quoted, problem)


def _quoted(text: str) -> str:
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


def read_docker(text: str, path: str, outside: Mapping[str, str]) -> Given:
    """Read a file as `docker run --env-file` does: NAME=value up to the end of the line, `#` starts
    a comment only at the beginning of a line, and a bare NAME takes its value from outside.
    """
    given = Given()
    for at, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r").lstrip(_BLANK)
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not name or " " in name or "\t" in name:
            # The line is not shown: it may contain a secret.
            given.report("bad-env-file", f"{path}:{at}", path, at, case="docker")
        elif sign or name in outside:
            given.put(name, value if sign else outside[name], path, at)
    return given


def write_docker(environment: Environment) -> Written:
    """Write the file, and return errors for variables that it cannot hold."""
    return environment.lines("docker", str, _docker_problem)


def _docker_problem(name: str, text: str) -> Problem | None:
    """Return why docker's file cannot hold a variable."""
    if not name or name[0] in _BLANK or name[0] in "#\ufeff" or any(c in name for c in "= \t\n"):
        return BAD_NAME
    if "\n" in text:
        return LINE_BREAK
    if text.endswith("\r"):
        return "ends in a carriage return", "k8s"
    if len(f"{name}={text}".encode("utf-8", "surrogatepass")) > LONGEST_LINE:
        return f"is longer than the {LONGEST_LINE} bytes that docker reads of a line", "shell"
    return None


def bake(env: dict[str, str], path: str) -> tuple[dict[str, str], list[Finding]]:
    """Return an environment overlaid with the JSON object of variables of a model that is built in,
    as in RunPod's worker, and findings. What is unusable is a warning: the worker starts without
    it.
    """
    from translator.core.text import json_text
    from translator.formats import files

    def unread(problem: str) -> tuple[dict[str, str], list[Finding]]:
        return env, [finding("bad-baked-args", path, file=path, problem=problem)]

    try:
        baked = json_text.loads(files.read(path).decode("utf-8"))
    except json_text.JsonError as error:
        return unread(f"it is not JSON ({error})")
    except (OSError, UnicodeDecodeError) as error:
        return unread(getattr(error, "strerror", None) or "it is not UTF-8")
    if not isinstance(baked, dict):
        return unread("it is not a JSON object")
    overlaid, findings, used = dict(env), [], []
    for name, value in baked.items():
        text = value if isinstance(value, str) else json_text.dumps(value)
        wrong_name = not name or "=" in name or unusable(name)
        if wrong_name or unusable(text):
            facts = {"file": path, "name" if wrong_name else "variable": name}
            findings.append(finding("bad-baked-args", name, case="entry", **facts))
            continue
        used.append(name)
        if value is not None and value != "":
            overlaid[name] = text
    overlaid["HF_HUB_OFFLINE"] = overlaid["TRANSFORMERS_OFFLINE"] = "1"
    return overlaid, [*findings, finding("baked-args", path, file=path, variables=tuple(used))]


def secret_files(
    env: Mapping[str, str], tables: Tables
) -> tuple[dict[str, str], dict[str, str], list[Finding]]:
    """Return the variables without those that name the file of a secret, as Docker's are given
    (`HF_TOKEN_FILE`), which only `translate exec` reads; each secret's file; and the errors.
    """
    names = {
        f"{key}_FILE": key for key in secrets_of(tables).variables.values() if f"{key}_FILE" in env
    }
    rest = {name: text for name, text in env.items() if name not in names}
    paths = {variable: env[name] for name, variable in names.items() if env[name]}
    both = [name for name, variable in names.items() if variable in paths and rest.get(variable)]
    return (
        rest,
        paths,
        [finding("secret-file", name, case="twice", variable=names[name]) for name in both],
    )


def read_secrets(paths: Mapping[str, str]) -> tuple[dict[str, str], list[Finding]]:
    """Return the secrets in files, less the last line break, and the errors."""
    import os

    from translator.formats import files

    secrets, findings = {}, []
    for variable, path in paths.items():
        try:
            secrets[variable] = os.fsdecode(files.read(path)).removesuffix("\n")
            why = "" if secrets[variable] else "it is empty"
        except OSError as error:
            why = str(error.strerror)
        name = f"{variable}_FILE"
        findings += [finding("secret-file", name, name=name, file=path, why=why)] if why else []
    return secrets, findings
