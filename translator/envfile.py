"""Files of variables, in both conventions: dotenv, as python-dotenv reads it, and docker's literal one."""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.render.shell import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.secrets import Secrets


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
        """Set a variable; one that stands there twice is told, unless the later line refers to the earlier, or says the same."""
        if self.env.get(name, value) != value and not meant and name in self.lines:
            shown = name if is_name(name) else "a name"
            message = f"{show(path)}, line {at}: {shown} is set to something else than in line {self.lines[name]}: line {at} wins"
            self.findings.append(finding("repeated-variable", shown, message, f"remove line {self.lines[name]}, or line {at}"))
        self.env[name] = value
        self.lines[name] = at


def read(text: str, form: str, path: str, *, outside: Mapping[str, str], before: Mapping[str, str] | None = None, secrets: Secrets | None = None) -> EnvFile:
    """Read a file.

    Args:
        text: its content.
        form: "dotenv" or "docker".
        path: for messages.
        outside: the environment of the process, from which docker's convention takes the value of a name that stands alone.
        before: what earlier files set, for `${NAME}`.
        secrets: which variables are secret, by the tables in use; else by those of the project.
    """
    return read_docker(text, path, outside) if form == "docker" else read_dotenv(text, path, before or {}, secrets)


def read_dotenv(text: str, path: str, before: Mapping[str, str], secrets: Secrets | None = None) -> EnvFile:
    """As python-dotenv does, but `${NAME}` comes from the files only, and is an error where they do not set it: a file means the same to whoever reads it."""
    import io

    from dotenv.parser import parse_stream
    from dotenv.variables import Variable, parse_variables

    done = EnvFile()
    known: dict[str, str | None] = {name: text for name, text in before.items() if name}  # `${:-$}`, a dollar, is of the name that nothing sets
    for binding in parse_stream(io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"))):
        at = binding.original.line + len(binding.original.string) - len(binding.original.string.lstrip("\n"))
        if binding.error:
            start, sign, _ = binding.original.string.strip().partition("=")
            what = (
                f"{show(start)} cannot be read" if sign and is_name(start.removeprefix("export ").strip()) else "this is no variable"
            )  # never more: it may be secret
            done.findings.append(finding("bad-env-file", f"{path}:{at}", f"{show(path)}, line {at}: {what}", "write NAME=value, and close every quote"))
            continue
        name, value = binding.key, binding.value
        if name is None or value is None:
            if name is not None:
                shown = name if is_name(name) and name == name.upper() and "_" in name else "a name"  # AKIA… alone in a line is a key
                done.findings.append(
                    finding("empty-variable", shown, f"{show(path)}, line {at}: {shown} stands without a value, and sets nothing", "write NAME=value")
                )
            continue
        atoms = list(parse_variables(value))
        for atom in atoms:
            if isinstance(atom, Variable) and atom.name and atom.default is None and atom.name not in known:
                done.findings.append(_unset(f"{show(path)}, line {at}", name, show(atom.name), secrets))
        found = "".join(atom.resolve(known) for atom in atoms)
        done.put(name, found, path, at, meant=any(isinstance(atom, Variable) and atom.name == name for atom in atoms))
        if name:
            known[name] = found
    return done


def _unset(place: str, name: str, other: str, secrets: Secrets | None) -> Finding:
    """The finding for a `${NAME}` that nothing sets; inside a secret it is most likely a part of it, and is not quoted."""
    from translator.catalog import shipped
    from translator.secrets import secrets_of

    if (secrets or secrets_of(shipped())).variable(name):
        return finding(
            "shell-variable", name, f"{place}: {name} holds ${{…}}, which stands for a variable, and that is not set before", "write ${:-$} for each $"
        )
    return finding(
        "shell-variable", name, f"{place}: {name} refers to ${{{other}}}, which is not set before", f"set {other} above, or write ${{{other}:-DEFAULT}}"
    )


def read_docker(text: str, path: str, outside: Mapping[str, str]) -> EnvFile:
    """As `docker run --env-file` does: NAME=value to the end of the line, `#` is a comment at the beginning of a line only, NAME alone comes from outside."""
    done = EnvFile()
    for at, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r").lstrip()
        if not line or line.startswith("#"):
            continue
        name, sign, value = line.partition("=")
        if not name or any(char.isspace() for char in name):
            what = "docker takes no variable without a name, or with blanks in it" if sign else "this is no variable"  # never more: it may be secret
            done.findings.append(finding("bad-env-file", f"{path}:{at}", f"{show(path)}, line {at}: {what}", "write NAME=value"))
        elif sign:
            done.put(name, value, path, at)
        elif name in outside:
            done.put(name, outside[name], path, at)
    return done
