"""The commands, and what their options name: tables, version, dialect."""

from __future__ import annotations

import os

from translator.core.findings import Finding, UsageError, show
from translator.core.settings.scope import scope
from translator.core.tables.catalog import Tables, shipped
from translator.core.tables.dialects import of_release
from translator.core.tables.versions import LATEST, VARIABLE, named, parse, requested
from translator.core.text.words import nearest, quote
from translator.options import DEFAULT_DIALECT, ENV_FILE_FORMATS, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from translator.core.settings.scope import Scope
    from translator.installed import Build
    from translator.options import Options

TABLES_VARIABLE = "TRANSLATE_TABLES"
_MOST_PROBLEMS = 20
CLUSTER_OF_VARIABLES = "--cluster is for variables; a command line already has its machine's flags"

# name → what it does; its module has the same name
COMMANDS = {
    "env-to-args": "variables to a `vllm serve` command line",
    "args-to-env": "a `vllm serve` command line to variables",
    "exec": "translate the environment and start vLLM (container entrypoint)",
    "check": "report what vLLM would refuse, for one version or several",
    "explain": "explain a flag, a variable or a finding",
    "convert": "rewrite variables or a command line for another vLLM version",
    "upgrade": "move the files of a deployment to another vLLM version",
    "diff": "show what changed between two vLLM versions",
    "tables": "show what each vLLM version accepts",
    "completion": "print the completion script of a shell",
}
FORMAT = Option(
    "--format", "FMT", "text (default) or json", choices=("text", "json"), default="text"
)
ENV_FILE = Option(
    "--env-file",
    "FILE",
    "read variables from FILE, not from the environment; repeatable (the last one wins); - is"
    " stdin",
    repeatable=True,
)
# For commands whose input is a command line.
SHELL_VARIABLES = Option(
    "--env-file",
    "FILE",
    "file with values for the command's shell variables; repeatable",
    repeatable=True,
)
ENV_FILE_FORMAT = Option(
    "--env-file-format",
    "FMT",
    "auto (default: by file name), dotenv, docker (as `docker run --env-file`) or properties",
    choices=("auto", *ENV_FILE_FORMATS),
    default="auto",
)
DIRECTORY = Option(
    "directory", "DIR", "your own tables (default: mappings/ of a checkout)", default=""
)


def unknown(what: str, name: str, known: Collection[str], otherwise: str = "") -> str:
    """Return the message about a name that is not known, with the nearest one that is."""
    near = nearest(name, known, 1)
    advice = f"did you mean `{near[0]}`?" if near else otherwise
    return f"unknown {what} `{name}`" + (f"; {advice}" if advice else "")


def text_file(words: Sequence[str]) -> str:
    """Return the single word that is the path of a text, which is no model; "" if it is not."""
    path = words[0] if len(words) == 1 else ""
    if not os.path.isfile(path) or path.endswith(".gguf"):
        return ""
    with open(path, "rb") as file:
        return "" if b"\0" in file.read(1024) else path


def refuse_file(words: Sequence[str], command: str) -> None:
    """Raise a UsageError for a single word that is the path of a text."""
    path = text_file(words)
    if not path:
        return
    from translator.formats.inputs import has_variables  # lazy: no start reads files

    reader, option = command, "--file "
    if command == "check":
        option = ""
    elif has_variables(path):
        reader, option = "env-to-args" if command == "args-to-env" else command, "--env-file "
    elif command == "convert":
        reader, option = "upgrade --to VERSION", ""
    raise UsageError(
        f"`{path}` is a file, not a model", hint=f"use `translate {reader} {option}{quote(path)}`"
    )


def module_of(name: str) -> ModuleType:
    """Return the module of a command, with its OPTIONS, EXAMPLE and `run`; of one that has
    commands of its own, with COMMANDS instead of OPTIONS.
    """
    module: ModuleType = __import__(f"translator.cli.{name.replace('-', '_')}", fromlist=["run"])
    return module


# What is given for a version is kept as.
_VERSIONS = {"vllm": "--vllm", "source": "--from", "target": "--to", "old": "OLD", "new": "NEW"}


def run_command(command: ModuleType, args: Any) -> int:
    """Run the module of a command with its options, and return its exit status.

    Raises:
        UsageError: two options exclude each other, or what is given for a version is none.
    """
    if hasattr(command, "prepare"):
        command.prepare(args)
    if hasattr(args, "ask"):
        if args.ask and args.vllm:
            raise UsageError("use either --ask-installed or --vllm")
        args.platform, args.dialect = args.dialect, args.dialect or DEFAULT_DIALECT
    given = {option: getattr(args, name, None) for name, option in _VERSIONS.items()}
    if hasattr(args, "vllm") and not (args.vllm or getattr(args, "ask", None)):
        given[VARIABLE] = requested(os.environ)
    for option, texts in given.items():
        several = not isinstance(texts, str)  # which may be ranges
        for text in () if not texts else texts if several else [texts]:
            is_range = several and (".." in text or text == "all")
            if named(text) is None and text != LATEST and not is_range:
                raise UsageError(
                    f"{option}: `{show(text)}` is not a vLLM version",
                    hint=_version_for(option, text, several),
                )
    status: int = command.run(args)
    return status


def _version_for(option: str, text: str, several: bool) -> str:
    """Return what to write for what is no version; with `several`, ranges are versions, too."""
    if option == _VERSIONS["vllm"] and "@" in text and of_release(text, shipped()):
        return f"use `--dialect {text}`: it names the release of the program, which has its vLLM"
    low, _, high = text.partition("-")
    if several and parse(low) and parse(high):
        return f"write {low}..{high}"
    ranges = ", latest, a range such as 0.19.., or all" if several else " or latest"
    return f"write a release such as {shipped().versions()[-1]}{ranges}"


def tables_from(folder: str) -> Tables:
    """Return the user's own tables on top of the built-in ones."""
    from pathlib import Path

    from translator.maintain.compile import compile_overlay
    from translator.maintain.load import TablesError

    try:
        return Tables(compile_overlay(Path(folder)))
    except TablesError as error:
        problems = [str(item) for item in error.problems[:_MOST_PROBLEMS]]
        if len(error.problems) > _MOST_PROBLEMS:
            problems.append(f"and {len(error.problems) - _MOST_PROBLEMS} more")
        raise UsageError(
            f"--tables {folder}: {'; '.join(problems)}", hint="run `translate tables lint DIR`"
        ) from None


def tables_of(args: Namespace | Options) -> Tables:
    """Return the tables from --tables, or else from TRANSLATE_TABLES, on top of the built-in ones.

    A command calls this once, since it compiles the user's tables.
    """
    folder = args.tables or os.environ.get(TABLES_VARIABLE)
    return tables_from(folder) if folder else shipped()


def installed_vllm(
    tables: Tables, ask: bool | None = False, build: Build | None = None
) -> tuple[Tables, str | None, list[Finding]]:
    """Return what is to be used for the installed vLLM: the tables, the version in them (None:
    there is none installed), and what the user should know.

    Args:
        tables: the tables to start from.
        ask: whether vLLM itself is asked; None: only if its version says nothing.
        build: the installed vLLM, if it was found already.
    """
    from translator.installed import find, installed

    build = build or find()
    findings: list[Finding] = []
    if build is None and ask:
        raise UsageError("--ask-installed: no vLLM is installed here")
    if build is not None and (ask or (ask is None and not build.numbered)):
        from translator.cli.ask import asked

        answer = asked(build, tables)
        if not isinstance(answer, Finding):
            return *answer, findings
        findings.append(answer)
    tables, version, about = installed(tables, build)
    return tables, version, [*findings, *about]


def scope_of(
    args: Namespace, env: Mapping[str, str], tables: Tables, vllm: str | None = None
) -> tuple[Scope, list[Finding]]:
    """Return the version and the dialect to translate for: those of the options, else `vllm`, else
    what TRANSLATE_VLLM_VERSION says in the variables or in the environment, else that of the
    release that the dialect names.
    """
    named = args.vllm or vllm or requested(env) or requested(os.environ)
    findings: list[Finding] = []
    if args.ask or not (named or of_release(args.dialect, tables)):
        tables, named, findings = installed_vllm(tables, ask=args.ask)
    chosen, about = scope(named or None, args.dialect, env, tables)
    return chosen, [*findings, *about]
