"""What is written in a format, and what is read: no format itself, so that a start loads only the
one that it uses.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.secrets import secrets_of
from translator.text.quoting import is_utf8, unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from translator.tables.catalog import Catalog, Tables

    # The text and its findings. If one of them is an error, the text must not be used.
    Written = tuple[str, list[Finding]]


# The names of the formats; registry.py has their functions.
ARGV_FORMATS = (
    "shell",
    "multiline",
    "lines",
    "nul",
    "yaml",
    "json",
    "engine-args",
    "helm",
    "kaito",
    "ray-serve",
)
ENV_FORMATS = ("dotenv", "shell", "docker", "k8s", "json", "properties", "runpod-hub")
ENV_FILE_FORMATS = ("dotenv", "docker", "properties")

# File name ending -> format, if no format is given. Other files are dotenv files.
ENV_FILE_ENDINGS = {".env": "dotenv", ".properties": "properties"}


def form_of(form: str, path: str) -> str:
    """Return the format of a file of variables; "auto" selects it by the file's name."""
    if form != "auto":
        return form
    return next((name for end, name in ENV_FILE_ENDINGS.items() if path.endswith(end)), "dotenv")


class FormatError(ValueError):
    """The format does not exist for this dialect."""


class CommandLine:
    """A command line to write.

    Attributes:
        groups: its tokens: `vllm serve MODEL`, then each flag with its values.
        catalog: the catalog of its vLLM version.
        env: variables that belong to it; JSON includes them as `env`.
        env_in_front: whether they were set with the command (`A=1 vllm serve …`), so that a format
            without a place for them must report that.
        findings: the findings of the translation, which JSON includes.
    """

    __slots__ = ("catalog", "env", "env_in_front", "findings", "groups")

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        catalog: Catalog,
        env: Mapping[str, str] | None = None,
        findings: Iterable[Finding] = (),
        *,
        env_in_front: bool = False,
    ) -> None:
        self.groups, self.catalog, self.env = groups, catalog, env or {}
        self.findings, self.env_in_front = findings, env_in_front

    @property
    def argv(self) -> list[str]:
        return [token for group in self.groups for token in group]

    def left_out(self, form: str, *, manifest: bool = False) -> list[Finding]:
        """Return the findings for variables that a format cannot include.

        Args:
            form: the format.
            manifest: whether it is for another machine, which has not the secrets of this one.
        """
        tables = self.catalog.tables
        secret = {n for n, text in self.env.items() if manifest and holds_secret(n, text, tables)}
        left = self.env if self.env_in_front else secret
        cases = {name: "secret" if name in secret else "" for name in left}
        return [
            finding("not-in-file", name, case=case, name=name, format=form)
            for name, case in cases.items()
        ]

    def public_groups(self, form: str) -> tuple[list[Sequence[str]], list[Finding]]:
        """Return the groups that a manifest may hold, and findings about the others: a secret that
        vLLM reads from its command line only.
        """
        secrets = secrets_of(self.catalog.tables)
        held = [group for group in self.groups[1:] if secrets.in_tokens(group)]
        findings = [
            finding("not-in-file", flag, case="secret", flags=(flag,), format=form)
            for flag in [group[0].partition("=")[0] for group in held]
        ]
        return [group for group in self.groups if group not in held], findings

    def not_utf8(self, form: str, further: Iterable[str] = ()) -> list[Finding]:
        """Return an error if a token, or a further text, is none that a file of text can hold."""
        wrong = next((text for text in (*self.argv, *further) if not is_utf8(text)), None)
        return [] if wrong is None else [cannot_be_said(form, wrong, NOT_UTF8)]


class Environment:
    """Variables to write.

    Attributes:
        env: the variables.
        dialect, tables: their dialect, which defines its own file, if any.
        findings: the findings of the translation, which JSON includes.
    """

    __slots__ = ("dialect", "env", "findings", "tables")

    def __init__(
        self,
        env: Mapping[str, str],
        dialect: str = "runpod",
        tables: Tables | None = None,
        findings: Iterable[Finding] = (),
    ) -> None:
        self.env, self.dialect, self.tables, self.findings = env, dialect, tables, findings


def holds_secret(name: str, text: str, tables: Tables | None) -> bool:
    """Return whether a variable is a secret by its name, or has one in a URL or in JSON."""
    secrets = secrets_of(tables)
    return secrets.named(name) or bool(secrets.inside(text))


# What a format cannot hold of a variable ("": its name), and what to use instead.
Problem = tuple[str, str]
BAD_NAME = ("", "json")
NOT_UTF8 = ("has bytes that are not UTF-8", "shell")
LINE_BREAK = ("has a line break", "k8s")


def cannot_be_said(form: str, name: str, why: Problem) -> Finding:
    """Return the error that a format cannot hold a variable."""
    problem, use = why
    return finding("cannot-be-said", name, name=name, problem=problem, format=form, use=use)


def unwritable(
    form: str, environment: Environment, problem: Callable[[str, str], Problem | None]
) -> list[Finding]:
    """Return an error for every variable that a format cannot hold, or no environment.

    Args:
        form: the format.
        environment: the variables.
        problem: returns what the format cannot hold of a name and a value.
    """
    findings = []
    for name, text in environment.env.items():
        if why := problem(name, text):
            findings.append(cannot_be_said(form, name, why))
        elif case := unusable(text):
            findings.append(finding("bad-text", name, case=case, name=name))
    return findings


def not_in_manifest(name: str, text: str) -> Problem | None:
    """Return why no manifest can hold a variable."""
    if not name or not name.isascii() or not name.isprintable() or "=" in name:
        return BAD_NAME
    return None if is_utf8(text) else NOT_UTF8


class EnvSource:
    """A file of variables to read.

    Attributes:
        content: its bytes or its text.
        path: its path, for messages.
        dialect, tables: the dialect of the variables, and the tables in use.
        outside: the environment of the process, from which docker's format takes the value of a
            bare name.
        before: the variables from earlier files, for `${NAME}`.
    """

    __slots__ = ("before", "content", "dialect", "outside", "path", "tables")

    def __init__(
        self,
        content: bytes | str,
        path: str,
        *,
        dialect: str = "runpod",
        tables: Tables | None = None,
        outside: Mapping[str, str] | None = None,
        before: Mapping[str, str] | None = None,
    ) -> None:
        self.content, self.path, self.dialect, self.tables = content, path, dialect, tables
        self.outside, self.before = outside or {}, before or {}

    def text(self) -> str:
        """Return the text of a UTF-8 file.

        Raises:
            UnicodeDecodeError: the file is not UTF-8.
        """
        return self.content if isinstance(self.content, str) else self.content.decode("utf-8-sig")


class EnvFile:
    """The result of reading a file of variables.

    Attributes:
        path: its path, as messages show it.
        env: the variables.
        lines: variable -> its line.
        findings: what is wrong with the file.
        wins: whether it overrides variables that are set elsewhere.
    """

    __slots__ = ("env", "findings", "lines", "path", "wins")

    def __init__(self, path: str, *, wins: bool = False) -> None:
        self.path, self.wins = path, wins
        self.env: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.findings: list[Finding] = []

    def put(self, name: str, value: str, line: int, *, extends: bool = False) -> None:
        """Set a variable. A second line with another value is a finding, unless it extends the
        first (`A=${A}:b`).
        """
        earlier = self.lines.get(name)
        if earlier is not None and self.env[name] != value and not extends:
            facts = {"at": self.path, "name": name}
            self.findings.append(
                finding("repeated-variable", name, line=line, earlier=earlier, **facts)
            )
        self.env[name] = value
        self.lines[name] = line
