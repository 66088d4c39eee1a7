"""Command lines and variables in POSIX shell syntax, as lists of tokens, and as JSON."""

from __future__ import annotations

from translator.formats.forms import BAD_NAME, LINE_BREAK, CommandLine, cannot_be_said
from translator.text.json_text import indented
from translator.text.quoting import is_name, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from translator.findings import Finding
    from translator.formats.forms import Environment, Problem, Written


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
    return assignments, line.unwritable("shell", _problem)


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


def write_env(environment: Environment) -> Written:
    """Write `export NAME=value` lines."""
    env = environment.env
    text = "".join(f"export {name}={quote(text)}\n" for name, text in env.items())
    return text, environment.unwritable("shell", _problem)


def _problem(name: str, _: str) -> Problem | None:
    if not is_name(name):
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
