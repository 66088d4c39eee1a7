"""What is written in a format, and what is read: no format itself, so that a start loads only the
one that it uses.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets import secrets_of
from translator.text.quoting import unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from translator.tables.catalog import Catalog, Tables

    # The text and its findings. If one of them is an error, the text must not be used.
    Written = tuple[str, list[Finding]]


class FormatError(ValueError):
    """The format does not exist for this dialect."""


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

    def holds_secret(self, name: str) -> bool:
        """Return whether a variable is a secret by its name, or has one in a URL or in JSON."""
        secrets = secrets_of(self.tables)
        return secrets.named(name) or bool(secrets.inside(self.env[name]))

    def unwritable(self, form: str, problem: Callable[[str, str], Problem | None]) -> list[Finding]:
        """Return an error for every variable that a format cannot hold, or no environment.

        Args:
            form: the format.
            problem: returns what the format cannot hold of a name and a value.
        """
        findings = []
        for name, text in self.env.items():
            if why := problem(name, text):
                findings.append(cannot_be_said(form, name, why))
            elif case := unusable(text):
                findings.append(finding("bad-text", name, case=case, name=name))
        return findings


class CommandLine(Environment):
    """A command line to write, with variables that belong to it.

    Attributes:
        groups: its tokens: `vllm serve MODEL`, then each flag with its values.
        catalog: the catalog of its vLLM version.
        env_in_front: whether its variables were set with the command (`A=1 vllm serve …`), so that
            a format without a place for them must report that.
    """

    __slots__ = ("catalog", "env_in_front", "groups")

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        catalog: Catalog,
        env: Mapping[str, str] | None = None,
        findings: Iterable[Finding] = (),
        *,
        env_in_front: bool = False,
    ) -> None:
        super().__init__(env or {}, tables=catalog.tables, findings=findings)
        self.groups, self.catalog, self.env_in_front = groups, catalog, env_in_front

    @property
    def argv(self) -> list[str]:
        return [token for group in self.groups for token in group]

    def left_out(self, form: str) -> list[Finding]:
        """Return the findings for variables that a format has no place for."""
        names = self.env if self.env_in_front else ()
        return [finding("not-in-file", name, name=name, format=form) for name in names]


# What a format cannot hold of a variable ("": its name), and what to use instead.
Problem = tuple[str, str]
BAD_NAME = ("", "json")
NOT_UTF8 = ("has bytes that are not UTF-8", "shell")
LINE_BREAK = ("has a line break", "k8s")


def cannot_be_said(form: str, name: str, why: Problem) -> Finding:
    """Return the error that a format cannot hold a variable or a flag."""
    problem, use = why
    return finding("cannot-be-said", name, name=name, problem=problem, format=form, use=use)


class Given:
    """Variables that were read from files, or those of the environment.

    Attributes:
        env: the variables.
        places: variable → its file and its line, for variables from a file.
        findings: what is wrong with the files.
    """

    __slots__ = ("env", "findings", "places")

    def __init__(self, env: dict[str, str] | None = None) -> None:
        self.env = env or {}
        self.places: dict[str, tuple[str, int]] = {}
        self.findings: list[Finding] = []

    def put(self, name: str, value: str, file: str, line: int, *, extends: bool = False) -> None:
        """Set a variable. A second line with another value is a finding, unless it extends the
        first (`A=${A}:b`).
        """
        if name in self.places and self.env[name] != value and not extends:
            earlier = self.places[name][1]
            self.report("repeated-variable", name, file, line, name=name, earlier=earlier)
        self.env[name] = value
        self.places[name] = file, line

    def report(self, code: str, subject: str, file: str, line: int, **facts: Any) -> None:
        """Add a finding about a line of a file."""
        self.findings.append(finding(code, subject, at=file, line=line, **facts))
