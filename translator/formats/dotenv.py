"""Files of variables, in both conventions: dotenv, as python-dotenv reads it, and docker's literal
one.
"""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.formats.docker_env import EnvFile
from translator.text.quoting import is_name, is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.secrets.secrets import Secrets


def read_dotenv(
    text: str, path: str, before: Mapping[str, str], secrets: Secrets | None = None
) -> EnvFile:
    """As python-dotenv does, but `${NAME}` comes from the files only, and is an error where they do
    not set it: a file means the same to whoever reads it.
    """
    import io

    from dotenv.parser import parse_stream
    from dotenv.variables import Variable, parse_variables

    done = EnvFile()
    known: dict[str, str | None] = {
        name: text for name, text in before.items() if name
    }  # `${:-$}`, a dollar, is of the name that nothing sets
    for binding in parse_stream(io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"))):
        at = (
            binding.original.line
            + len(binding.original.string)
            - len(binding.original.string.lstrip("\n"))
        )
        if binding.error:
            start, sign, _ = binding.original.string.strip().partition("=")
            what = (
                f"{show(start)} cannot be read"
                if sign and is_name(start.removeprefix("export ").strip())
                else "this is no variable"
            )  # never more: it may be secret
            done.findings.append(
                finding(
                    "bad-env-file",
                    f"{path}:{at}",
                    f"{show(path)}, line {at}: {what}",
                    "write NAME=value, and close every quote",
                )
            )
            continue
        name, value = binding.key, binding.value
        if name is None or value is None:
            if name is not None:
                shown = (
                    name if is_name(name) and name == name.upper() and "_" in name else "a name"
                )  # AKIA… alone in a line is a key
                done.findings.append(
                    finding(
                        "empty-variable",
                        shown,
                        f"{show(path)}, line {at}: {shown} stands without a value, and sets"
                        " nothing",
                        "write NAME=value",
                    )
                )
            continue
        atoms = list(parse_variables(value))
        for atom in atoms:
            if (
                isinstance(atom, Variable)
                and atom.name
                and atom.default is None
                and atom.name not in known
            ):
                done.findings.append(
                    _unset(f"{show(path)}, line {at}", name, show(atom.name), secrets)
                )
        found = "".join(atom.resolve(known) for atom in atoms)
        done.put(
            name,
            found,
            path,
            at,
            meant=any(isinstance(atom, Variable) and atom.name == name for atom in atoms),
        )
        if name:
            known[name] = found
    return done


def _unset(place: str, name: str, other: str, secrets: Secrets | None) -> Finding:
    """The finding for a `${NAME}` that nothing sets; inside a secret it is most likely a part of
    it, and is not quoted.
    """
    from translator.secrets.secrets import secrets_of
    from translator.tables.catalog import shipped

    if (secrets or secrets_of(shipped())).variable(name):
        return finding(
            "shell-variable",
            name,
            f"{place}: {name} holds ${{…}}, which stands for a variable, and that is not set"
            " before",
            "write ${:-$} for each $",
        )
    return finding(
        "shell-variable",
        name,
        f"{place}: {name} refers to ${{{other}}}, which is not set before",
        f"set {other} above, or write ${{{other}:-DEFAULT}}",
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


def value(text: str) -> str:
    """One value, quoted as far as it needs to be."""
    if text and _PLAIN.issuperset(text):
        return text
    held = text.replace("${", _DOLLAR + "{")
    if any(char in held for char in _ESCAPES if char not in '\\"'):
        quoted = "".join(_ESCAPES.get(char, char) for char in held)
        mark = '"'
    else:
        quoted = held.replace("\\", "\\\\").replace("'", "\\'")
        mark = "'"
    if quoted.endswith("\\"):
        # up to 1.2.1, python-dotenv takes the backslash before the closing quote for an escape
        quoted += _NOTHING
    return f"{mark}{quoted}{mark}"


def render(env: Mapping[str, str]) -> tuple[str, list[Finding]]:
    """The file, and errors for what it cannot hold."""
    findings = []
    for name, text in env.items():
        if not is_name(name):
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    f"a .env file has no variable called {show(name)!r}",
                    "use --format json or k8s",
                )
            )
        elif not is_utf8(text):
            findings.append(
                finding(
                    "cannot-be-said",
                    name,
                    f"{name} holds bytes that are not UTF-8, which a .env file cannot",
                    "use --format shell",
                )
            )
    return "".join(f"{name}={value(text)}\n" for name, text in env.items()), findings
