"""What the subcommands share: options, files, the scope, and the way findings leave."""

from __future__ import annotations

import os
import sys

from translator.findings import Finding, TranslationError, has_errors, one_line
from translator.formats.registry import ENV_FILE_FORMATS
from translator.tables.catalog import shipped
from translator.tables.installed import installed
from translator.tables.versions import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Mapping, Sequence

    from translator.dialects.scope import Scope
    from translator.secrets.secrets import Secrets
    from translator.tables.catalog import Tables


DIALECT, ANY_PREFIX = (
    "runpod",
    "prefix",
)  # the dialect where none is given, and the one whose prefix the user chooses


OK, BAD_INPUT, BAD_USAGE, WARNED = 0, 1, 2, 3


TABLES = "TRANSLATE_TABLES"


class UsageError(Exception):
    """The command line, or a file that it names, cannot be used: one line, exit status 2.

    Attributes:
        program: who says so, such as "translate check".
        hint: what to do, on a line of its own; may be empty.
    """

    def __init__(self, message: str, program: str = "translate", hint: str = "") -> None:
        super().__init__(message)
        self.program, self.hint = program, hint


def add_target(parser: ArgumentParser, *, several: bool = False) -> None:
    """--vllm, --dialect and --tables."""
    if several:
        parser.add_argument(
            "--vllm",
            metavar="V",
            action="append",
            help=(
                "the vLLM version, or a range such as 0.19.. or 0.8..0.33; may be given several"
                " times"
            ),
        )
    else:
        parser.add_argument(
            "--vllm",
            metavar="V",
            help=(
                f"the vLLM version (else {VARIABLE}, else the one installed, else the newest known)"
            ),
        )
    parser.add_argument(
        "--dialect",
        metavar="D",
        help=f"the table that gives the variables their meaning (default: {DIALECT})",
    )
    parser.add_argument(
        "--prefix",
        metavar="P",
        help="the variables are flags in capitals behind this prefix, such as MY_",
    )
    parser.add_argument(
        "--tables",
        metavar="DIR",
        help=f"a directory of your own tables, laid over those of the project (else {TABLES})",
    )


def add_env_file(parser: ArgumentParser, what: str) -> None:
    """--env-file and --env-file-format."""
    parser.add_argument(
        "--env-file",
        metavar="F",
        action="append",
        default=[],
        help=f"{what}; may be given several times, the later wins; - is standard input",
    )
    parser.add_argument(
        "--env-file-format",
        choices=("auto", *ENV_FILE_FORMATS),
        default="auto",
        help=(
            "how files are read: as python-dotenv does, literally as `docker run --env-file` does,"
            " or as the dialect's own file of Java properties; auto goes by the name: .properties,"
            " else dotenv"
        ),
    )


def add_cluster(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--cluster",
        metavar="C",
        help=(
            "several machines: whose variables tell each its place (lws, torchrun, runpod, slurm,"
            " or a table of yours)"
        ),
    )


def add_strict(parser: ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="exit with 3 when there are warnings")


def settle_dialect(args: Namespace) -> None:
    """--dialect and --prefix as one, in `args.dialect`, of a command that has them.

    Raises:
        UsageError: both are given, and the dialect's names begin as its table says.
    """
    if not hasattr(args, "prefix"):
        return
    if args.prefix is None:
        args.dialect = args.dialect or DIALECT
        return
    args.dialect, asked = f"{args.dialect or ANY_PREFIX}:{args.prefix}", args.dialect
    if asked is None:
        return
    from translator.dialects.scope import records_of

    facts = records_of(asked.partition(":")[0], tables_of(args)).get("@dialect")
    if facts is not None and (":" in asked or not facts.get("any_prefix")):
        message = (
            f"--prefix {args.prefix} beside --dialect {asked}: this dialect says by itself how its"
            " variables begin; give one of the two"
        )
        raise UsageError(one_line(message))


def tables_from(folder: str) -> Tables:
    """The user's own tables laid over the shipped ones.

    Raises:
        UsageError: there are none, or they have mistakes.
    """
    from pathlib import Path

    from translator.authoring.compile import compile_overlay
    from translator.authoring.sources import TablesError
    from translator.tables.catalog import Tables

    try:
        return Tables(compile_overlay(Path(folder)))
    except TablesError as error:
        raise UsageError(
            f"--tables {one_line(folder)}: "
            + "; ".join(one_line(str(item)) for item in error.problems)
        ) from None


def tables_of(args: Namespace) -> Tables:
    """The tables of --tables, else of TRANSLATE_TABLES, laid over the shipped ones; a command asks
    once, as they are compiled for it.
    """
    folder = args.tables or os.environ.get(TABLES)
    return tables_from(folder) if folder else shipped()


def secrets_for(arguments: Sequence[str]) -> Secrets:
    """What a message about a command line that cannot be used must not show, by the tables that it
    names.

    Args:
        arguments: the command line, which may be wrong in every way.
    """
    from translator.secrets.secrets import secrets_of

    folder = os.environ.get(TABLES, "")
    for at, text in enumerate(arguments):
        name, sign, value = text.partition("=")
        if text == "--":
            break
        if name == "--tables":
            folder = value if sign else "".join(arguments[at + 1 : at + 2])
    try:
        return secrets_of(tables_from(folder) if folder else shipped())
    except Exception:  # whatever is wrong with them is told, or is what is being told
        return secrets_of(shipped())


def scope_of(
    args: Namespace, env: Mapping[str, str], tables: Tables, vllm: str | None = None
) -> tuple[Scope, list[Finding]]:
    """The scope that is asked for; the version's variable counts from a file as from the process's
    environment.

    Raises:
        TranslationError: the version or the dialect is not known.
    """
    from translator.dialects.scope import scope

    asked = vllm or args.vllm or env.get(VARIABLE, "").strip() or os.environ.get(VARIABLE, "")
    return scope(asked.strip() or None, args.dialect, env, tables, look=installed)


def tell(findings: Iterable[Finding]) -> None:
    """The findings to standard error, one a line."""
    sys.stdout.flush()
    for item in findings:
        sys.stderr.write(item.line() + "\n")


def status_of(findings: Sequence[Finding], strict: bool) -> int:
    """The exit status of the contract."""
    if has_errors(findings):
        return BAD_INPUT
    return WARNED if strict and any(item.severity == "warning" for item in findings) else OK


def emit(text: str | bytes) -> None:
    """A result to standard output; bytes of variables that are not UTF-8 leave as they came."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text if isinstance(text, bytes) else os.fsencode(text))
    sys.stdout.buffer.flush()


def refused(error: TranslationError, before: Iterable[Finding] = ()) -> int:
    """Tell of errors; the exit status."""
    tell([*before, *error.findings])
    return BAD_INPUT


CANNOT_RUN, NOT_FOUND = 126, 127
