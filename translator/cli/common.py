"""What the subcommands share: options, files, the scope, and the way findings leave."""

from __future__ import annotations

import os
import sys

from translator.catalog import shipped
from translator.findings import Finding, TranslationError, finding, has_errors, one_line
from translator.version import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Mapping, Sequence

    from translator.catalog import Tables
    from translator.envfile import EnvFile
    from translator.properties import Own
    from translator.scope import Scope
    from translator.secrets import Secrets

DIALECT, ANY_PREFIX = "runpod", "prefix"  # the dialect where none is given, and the one whose prefix the user chooses
OK, BAD_INPUT, BAD_USAGE, WARNED = 0, 1, 2, 3
# No configuration is as long; a file that is, is the wrong file.
LONGEST_FILE = 16 * 2**20
PATIENCE = 30
"""Seconds for the first byte of a pipe, such as `--env-file <(vault read …)`."""
TABLES = "TRANSLATE_TABLES"
ENV_FILE_FORMATS = ("auto", "dotenv", "docker", "properties")


class UsageError(Exception):
    """The command line, or a file that it names, cannot be used: one line, exit status 2.

    Attributes:
        program: who says so, such as "translate check".
        hint: what to do, on a line of its own; may be empty.
    """

    def __init__(self, message: str, program: str = "translate", hint: str = "") -> None:
        super().__init__(message)
        self.program, self.hint = program, hint


# --- options ---------------------------------------------------------------------------------------------------------------


def add_target(parser: ArgumentParser, *, several: bool = False) -> None:
    """--vllm, --dialect and --tables."""
    if several:
        parser.add_argument("--vllm", metavar="V", action="append", help="the vLLM version, or a range such as 0.19.. or 0.8..0.33; may be given several times")
    else:
        parser.add_argument("--vllm", metavar="V", help=f"the vLLM version (else {VARIABLE}, else the one installed, else the newest known)")
    parser.add_argument("--dialect", metavar="D", help=f"the table that gives the variables their meaning (default: {DIALECT})")
    parser.add_argument("--prefix", metavar="P", help="the variables are flags in capitals behind this prefix, such as MY_")
    parser.add_argument("--tables", metavar="DIR", help=f"a directory of your own tables, laid over those of the project (else {TABLES})")


def add_env_file(parser: ArgumentParser, what: str) -> None:
    """--env-file and --env-file-format."""
    parser.add_argument("--env-file", metavar="F", action="append", default=[], help=f"{what}; may be given several times, the later wins; - is standard input")
    parser.add_argument(
        "--env-file-format",
        choices=ENV_FILE_FORMATS,
        default=ENV_FILE_FORMATS[0],
        help="how files are read: as python-dotenv does, literally as `docker run --env-file` does, or as the dialect's own file of Java properties;"
        " auto goes by the name: .properties, else dotenv",
    )


def add_cluster(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="C", help="several machines: whose variables tell each its place (lws, torchrun, runpod, slurm, or a table of yours)"
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
    from translator.scope import records_of

    facts = records_of(asked.partition(":")[0], tables_of(args)).get("@dialect")
    if facts is not None and (":" in asked or not facts.get("any_prefix")):
        message = f"--prefix {args.prefix} beside --dialect {asked}: this dialect says by itself how its variables begin; give one of the two"
        raise UsageError(one_line(message))


# --- files -----------------------------------------------------------------------------------------------------------------


def _open(path: str, flags: int) -> int:
    """Open a file without waiting for ever for somebody to write to a named pipe."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    if os.fstat(descriptor).st_mode & 0o170000 == 0o010000:  # stat.S_ISFIFO, without its import
        import select

        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        if not waiting.poll(PATIENCE * 1000):
            os.close(descriptor)
            raise OSError(None, f"nobody has written to it for {PATIENCE} seconds")
    os.set_blocking(descriptor, True)
    return descriptor


def read_bytes(path: str) -> bytes:
    """The content of a file, or of standard input for "-".

    Raises:
        UsageError: it cannot be read, is too long, or is no text.
    """
    try:
        if path == "-" and sys.stdin is None:
            raise OSError(None, "standard input is closed")
        if path == "-":
            content = sys.stdin.buffer.read(LONGEST_FILE + 1)
        else:
            with open(path, "rb", opener=_open) as file:
                content = file.read(LONGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{one_line(path)}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > LONGEST_FILE:
        raise UsageError(f"{one_line(path)}: longer than {LONGEST_FILE // 2**20} MiB: no configuration is")
    if b"\0" in content:
        raise UsageError(f"{one_line(path)}: not a text file: it holds NUL bytes")
    return content


def read_file(path: str) -> str:
    """The text of a file, or of standard input for "-".

    Raises:
        UsageError: it cannot be read, is too long, or is not UTF-8.
    """
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{one_line(path)}: not UTF-8: byte {error.start + 1} is {content[error.start]:#04x}") from None


# --- what is asked ---------------------------------------------------------------------------------------------------------


class Given:
    """An environment as a command was given it.

    Attributes:
        env: the variables.
        places: variable → its line, of those that stand in a file.
        files: variable → its file.
        findings: what the reading of the files has to tell.
    """

    __slots__ = ("env", "files", "findings", "places")

    def __init__(self) -> None:
        self.env: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.files: dict[str, str] = {}
        self.findings: list[Finding] = []


def environment_of(args: Namespace, tables: Tables) -> Given:
    """The files of --env-file, or the process's own environment."""
    found = Given()
    if not args.env_file:
        found.env = dict(os.environ)
        return found
    own: dict[str, str] = {}  # of files that win over variables, whatever their order
    for path in args.env_file:
        read, wins = variables_of(path, args, tables, found.env)
        (own if wins else found.env).update(read.env)
        found.places.update({name: line for name, line in read.lines.items() if wins or name not in own})
        found.files.update(dict.fromkeys(read.lines, path))
        found.findings += read.findings
    for name, text in own.items():
        if found.env.get(name, text) != text:
            message = f"{name} is set to another value by {one_line(found.files[name])}, which wins over variables"
            found.findings.append(finding("disagreement", name, message))
    found.env.update(own)
    return found


def variables_of(path: str, args: Namespace, tables: Tables, before: Mapping[str, str] | None = None) -> tuple[EnvFile, bool]:
    """A file of variables, read as --env-file-format (or its name) says, and whether it wins over variables that are set elsewhere.

    Raises:
        UsageError: it cannot be read, or the dialect has no such file.
    """
    from translator import envfile
    from translator.secrets import secrets_of

    form: str = args.env_file_format
    if form == "auto":
        form = "properties" if path.endswith(".properties") else "dotenv"
    if form != "properties":
        return envfile.read(read_file(path), form, path, outside=os.environ, before=before, secrets=secrets_of(tables)), False
    from translator import properties

    return properties.read(read_bytes(path), path, own_file(getattr(args, "from_dialect", None) or args.dialect, tables)), True


def own_file(dialect: str, tables: Tables) -> Own:
    """The file of properties that a dialect has.

    Raises:
        UsageError: it has none.
    """
    from translator import properties

    own = properties.own_of(dialect, tables)
    if own is None:
        raise UsageError(f"the dialect {one_line(dialect)} has no file of properties")
    return own


def tables_from(folder: str) -> Tables:
    """The user's own tables laid over the shipped ones.

    Raises:
        UsageError: there are none, or they have mistakes.
    """
    from pathlib import Path

    from translator.catalog import Tables
    from translator.tables.compile import compile_overlay
    from translator.tables.sources import TablesError

    try:
        return Tables(compile_overlay(Path(folder)))
    except TablesError as error:
        raise UsageError(f"--tables {one_line(folder)}: " + "; ".join(one_line(str(item)) for item in error.problems)) from None


def tables_of(args: Namespace) -> Tables:
    """The tables of --tables, else of TRANSLATE_TABLES, laid over the shipped ones; a command asks once, as they are compiled for it."""
    folder = args.tables or os.environ.get(TABLES)
    return tables_from(folder) if folder else shipped()


def secrets_for(arguments: Sequence[str]) -> Secrets:
    """What a message about a command line that cannot be used must not show, by the tables that it names.

    Args:
        arguments: the command line, which may be wrong in every way.
    """
    from translator.secrets import secrets_of

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


def scope_of(args: Namespace, env: Mapping[str, str], tables: Tables, vllm: str | None = None) -> tuple[Scope, list[Finding]]:
    """The scope that is asked for; the version's variable counts from a file as from the process's environment.

    Raises:
        TranslationError: the version or the dialect is not known.
    """
    from translator.scope import scope

    asked = vllm or args.vllm or env.get(VARIABLE, "").strip() or os.environ.get(VARIABLE, "")
    return scope(asked.strip() or None, args.dialect, env, tables, look=True)


# --- what is told ----------------------------------------------------------------------------------------------------------


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
