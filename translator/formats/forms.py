"""What is written in a format and what is read; and the formats that entrypoints write.

The others have modules of their own, so that a start loads only what it uses.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.secrets import secrets_of
from translator.core.text.json_text import indented
from translator.core.text.words import is_utf8, is_variable, quote, unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from translator.core.tables.catalog import Catalog, Tables

# The text and its findings. If one of them is an error, the text must not be used.
Written = tuple[str, list[Finding]]


class Environment:
    """Variables to write.

    Attributes:
        env: the variables.
        dialect, tables: their dialect, which defines its own file, if any.
        findings: the findings of the translation, which JSON includes.
        comments: what stands above a variable, where the format is one of COMMENTED.
    """

    __slots__ = ("comments", "dialect", "env", "findings", "tables")

    def __init__(
        self,
        env: Mapping[str, str],
        dialect: str = "runpod",
        tables: Tables | None = None,
        findings: Iterable[Finding] = (),
        comments: Mapping[str, str] | None = None,
    ) -> None:
        self.env, self.dialect, self.tables, self.findings = env, dialect, tables, findings
        self.comments = comments or {}

    def lines(
        self,
        form: str,
        write: Callable[[str], str],
        problem: Callable[[str, str], Problem | None],
        before: str = "",
    ) -> Written:
        """Write `NAME=value` lines below their comments, with the errors of `unwritable`."""
        written = ""
        for name, text in self.env.items():
            above = f"# {self.comments[name]}\n" if self.comments.get(name) else ""
            written += f"{above}{before}{name}={write(text)}\n"
        return written, self.unwritable(form, problem)

    def holds_secret(self, name: str) -> bool:
        """Return whether a variable is a secret by its name, or has one in a URL or in JSON."""
        secrets = secrets_of(self.tables)
        return secrets.named(name) or bool(secrets.inside(self.env[name]))

    @property
    def secrets(self) -> list[str]:
        """The variables that hold a secret."""
        return [name for name in self.env if self.holds_secret(name)]

    def unwritable(self, form: str, problem: Callable[[str, str], Problem | None]) -> list[Finding]:
        """Return an error for every variable with a problem, or that no environment can hold."""
        findings = []
        for name, text in self.env.items():
            is_text = form == "shell" or is_utf8(name + text)
            if why := problem(name, text) or (None if is_text else NOT_UTF8):
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
        values: its settings, flag by flag.
        only_container: whether of a whole start only the container is wanted.
    """

    __slots__ = ("catalog", "env_in_front", "groups", "only_container", "values")

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        catalog: Catalog,
        env: Mapping[str, str] | None = None,
        findings: Iterable[Finding] = (),
        *,
        env_in_front: bool = False,
        values: Mapping[str, Any] | None = None,
        only_container: bool = False,
    ) -> None:
        super().__init__(env or {}, tables=catalog.tables, findings=findings)
        self.groups, self.catalog, self.env_in_front = groups, catalog, env_in_front
        self.values, self.only_container = values or {}, only_container

    @property
    def argv(self) -> list[str]:
        return [token for group in self.groups for token in group]

    def public_groups(self, form: str) -> tuple[list[Sequence[str]], list[Finding]]:
        """Return its tokens without those that hold a secret, and the findings about these."""
        secrets = secrets_of(self.tables)
        public: list[Sequence[str]] = []
        findings: list[Finding] = []
        for group in self.groups:
            flag = group[0].partition("=")[0]
            if group is not self.groups[0] and secrets.in_tokens(group):
                facts: dict[str, Any] = {"flags": (flag,), "format": form}
                findings.append(finding("not-in-file", flag, case="secret", **facts))
            else:
                public.append(group)
        return public, findings

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
    return finding("not-expressible", name, name=name, problem=problem, format=form, use=use)


class Given:
    """Variables that were read from files, or those of the environment.

    Attributes:
        env: the variables.
        places: variable → its file and its line, for variables from a file.
        findings: what is wrong with the files.
        key_of: returns the key that sets a variable in such a file, and None for others; None of a
            file that names the variables.
    """

    __slots__ = ("env", "findings", "key_of", "places")

    def __init__(self, env: dict[str, str] | None = None) -> None:
        self.env = env or {}
        self.places: dict[str, tuple[str, int]] = {}
        self.findings: list[Finding] = []
        self.key_of: Callable[[str], str | None] | None = None

    def put(self, name: str, value: str, file: str, line: int, *, extends: bool = False) -> None:
        """Set a variable; another value is a finding, unless it extends the first (`A=${A}:b`)."""
        if name in self.places and self.env[name] != value and not extends:
            earlier = self.places[name][1]
            self.report("repeated-variable", name, file, line, name=name, earlier=earlier)
        self.env[name] = value
        self.places[name] = file, line

    def report(self, code: str, subject: str, file: str, line: int, **facts: Any) -> None:
        """Add a finding about a line of a file."""
        self.findings.append(finding(code, subject, at=file, line=line, **facts))


# Variables that bash or zsh set themselves: an assignment is refused, is ignored, or changes the
# shell (zsh: `UID=1` gives up root). Measured with bash 5.2 and zsh 5.9.
_OF_SHELLS = (
    " ARGC BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_LINENO"
    " BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO DIRSTACK EGID EPOCHREALTIME EPOCHSECONDS EUID"
    " FUNCNAME GID GROUPS HISTCMD LINENO OPTIND PIPESTATUS PPID RANDOM SECONDS SHELLOPTS SHLVL"
    " SRANDOM TTYIDLE UID USERNAME WATCH ZSH_EVAL_CONTEXT ZSH_SUBSHELL _ aliases argv builtins"
    " cdpath commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source"
    " dis_galiases dis_patchars dis_reswords dis_saliases fignore fpath funcfiletrace"
    " funcsourcetrace funcstack functions functions_source functrace galiases history"
    " historywords jobdirs jobstates jobtexts keymaps mailpath manpath module_path modules"
    " nameddirs options parameters patchars path pipestatus psvar reswords saliases signals"
    " status termcap terminfo userdirs usergroups watch widgets zsh_eval_context"
    " zsh_scheduled_events "
)


def _write_line(line: CommandLine) -> Written:
    """Write one shell line, beginning with the variables that were set with the command."""
    assignments, findings = _in_front(line)
    return " ".join([*assignments, *map(quote, line.argv)]) + "\n", findings


def _write_multiline(line: CommandLine) -> Written:
    """Write one flag per line, joined by continuations."""
    assignments, findings = _in_front(line)
    groups = [assignments, *(map(quote, group) for group in line.groups)]
    return " \\\n  ".join(filter(None, map(" ".join, groups))) + "\n", findings


def _in_front(line: CommandLine) -> tuple[list[str], list[Finding]]:
    """Return the assignments in front of a command, and errors for those that a shell refuses."""
    if not line.env_in_front:
        return [], []
    assignments = [f"{name}={quote(text)}" for name, text in line.env.items()]
    return assignments, line.unwritable("shell", _shell_problem)


def _write_lines(line: CommandLine) -> Written:
    """Write one token per line; a token with a line break is an error."""
    findings = [
        cannot_be_said("lines", group[0].partition("=")[0], (LINE_BREAK[0], "nul"))
        for group in line.groups
        for token in group
        if "\n" in token or "\r" in token
    ]
    return "".join(f"{token}\n" for token in line.argv), findings + line.left_out("lines")


def _write_nul(line: CommandLine) -> Written:
    """Write a NUL after each token, for `xargs -0` and `mapfile -d ''`."""
    return "".join(f"{token}\0" for token in line.argv), line.left_out("nul")


def write_exports(environment: Environment) -> Written:
    """Write `export NAME=value` lines."""
    return environment.lines("shell", quote, _shell_problem, "export ")


def _shell_problem(name: str, _: str) -> Problem | None:
    if not is_variable(name):
        return BAD_NAME
    return ("bash or zsh sets itself", "docker") if f" {name} " in _OF_SHELLS else None


def write_json(result: Environment) -> Written:
    """Write the object of `--format json`: the argv if there is one, env and findings."""
    argv = {"argv": result.argv} if isinstance(result, CommandLine) else {}
    findings = [item.as_dict() for item in result.findings]
    return indented({**argv, "env": dict(result.env), "findings": findings}), []


ARGV_WRITERS: dict[str, Callable[[CommandLine], Written]] = {
    "shell": _write_line,
    "multiline": _write_multiline,
    "lines": _write_lines,
    "nul": _write_nul,
    "json": write_json,
}
"""The formats of command lines that entrypoints read."""
