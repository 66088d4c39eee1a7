"""The targets of `check`: each container, command or set of variables, with its place in a file."""

from __future__ import annotations

import os

import attrs

from translator.cli.check_comments import comments_in
from translator.cli.exits import UsageError
from translator.cli.files import environment_of, read_file, shown_file, variables_of
from translator.formats.registry import ENV_FILE_ENDINGS
from translator.secrets.secrets import secrets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence, Set

    from translator.cli.check_comments import Comment
    from translator.commands.command import Command, Context, UnknownImage
    from translator.commands.translate_exec import Entry
    from translator.findings import Finding
    from translator.tables.catalog import Tables


@attrs.frozen(eq=False)
class Target:
    """One thing to check.

    Attributes:
        name: its name in the report.
        env: its variables.
        tokens: its command line, with what is not known marked (text/holes.py); None if its
            variables are translated.
        file, line: its place, if it has one.
        places: variable → file and line.
        vllm: the version in its image.
        image: its image, if that does not say its version.
        contained: whether it runs in a container, whose files are not here.
        extra: tokens that override the variables.
        entry: the options of its `translate exec`; None if it starts vLLM directly.
        unknown: what only a shell knows, as written → its name in findings.
        absent: variables whose value is not known here.
        found: the findings from reading it.
        comments: file → the comments in it that ignore findings.
    """

    name: str
    env: Mapping[str, str] = attrs.field(factory=dict)
    tokens: Sequence[str] | None = None
    file: str = ""
    line: int = 0
    places: Mapping[str, tuple[str, int]] = attrs.field(factory=dict)
    vllm: str | None = None
    image: UnknownImage | None = None
    contained: bool = False
    extra: Sequence[str] = ()
    entry: Entry | None = None
    unknown: Mapping[str, str] = attrs.field(factory=dict)
    absent: Set[str] = frozenset()
    found: Sequence[Finding] = ()
    comments: Mapping[str, Sequence[Comment]] = attrs.field(factory=dict)

    def place(self, item: Finding) -> tuple[str, int]:
        """Return the file and line of a finding; "" and 0 if it has none."""
        return self.places.get(item.subject, (self.file, self.line))


def targets_of(args: Namespace, tables: Tables) -> list[Target]:
    """Return the targets that the command line names: files, a command after --, variables.

    Raises:
        UsageError: a file cannot be read, or nothing in it runs vLLM.
    """
    from translator.commands import translate_exec
    from translator.commands.command import Context
    from translator.commands.registry import read_behind

    files = [*args.targets, *args.manifest]
    # With a command, --env-file supplies its shell variables; otherwise it is the target.
    has_command = args.behind is not None or any(not _has_variables(path) for path in files)
    env_files = ", ".join(map(shown_file, args.env_file))
    found: list[Target] = []
    given = environment_of(args, tables) if args.env_file or not (files or has_command) else None
    reads = translate_exec.reader(args.dialect, tables)
    env = given.env if given is not None else {}
    context = Context(env, os.environ, secrets_of(tables), reads, tables)
    for path in files:
        found += _of_file(path, args, tables, context)
    if args.behind is not None:
        if not args.behind:
            raise UsageError("no command behind --")
        found.append(_of_command("the command", read_behind(args.behind, context)))
    if given is None:
        return found
    if has_command:
        first = found[0]
        places = {item.subject: (env_files, 0) for item in given.findings}
        found[0] = attrs.evolve(
            first, found=[*first.found, *given.findings], places={**first.places, **places}
        )
    else:
        places = {name: (given.files[name], line) for name, line in given.places.items()}
        name = env_files or "the environment"
        made = Target(name, given.env, places=places, found=given.findings)
        found.append(attrs.evolve(made, comments=_comments(args.env_file)))
    return found


def _comments(paths: Sequence[str]) -> dict[str, list[Comment]]:
    """Return the comments of files that ignore findings; standard input was read already."""
    return {shown_file(path): comments_in(read_file(path)) for path in paths if path != "-"}


def _has_variables(path: str) -> bool:
    """Return whether a file contains variables, by its name."""
    name = os.path.basename(path)
    return name.endswith(tuple(ENV_FILE_ENDINGS)) or name.startswith(".env")


def _of_file(path: str, args: Namespace, tables: Tables, context: Context) -> list[Target]:
    """Return the containers of a YAML file, the variables of a .env file, or the command in any
    other file.
    """
    from translator.commands.command import ManifestError
    from translator.commands.registry import read_commands

    if _has_variables(path):
        read = variables_of(path, args, tables)
        file = shown_file(path)
        places = {name: (file, line) for name, line in read.lines.items()}
        made = Target(file, read.env, file=file, places=places, found=read.findings)
        return [attrs.evolve(made, comments=_comments([path]))]
    text = read_file(path)
    try:
        commands = read_commands(text, context)
    except ManifestError as error:
        raise UsageError(f"{shown_file(path)}: not YAML: {error}") from None
    file = shown_file(path)
    found = [_of_command(file, item, file) for item in commands if item.starts_vllm]
    if not found:
        raise UsageError(
            f"{file}: no container in it runs vLLM, by its image, command, arguments and variables"
        )
    comments = {file: comments_in(text)}
    return [attrs.evolve(target, comments=comments) for target in found]


def _of_command(name: str, command: Command, path: str = "") -> Target:
    is_exec = command.entry is not None
    return Target(
        command.name or name,
        command.env,
        None if is_exec or command.by_variables else command.marked or command.tokens,
        file=path,
        line=command.line or (1 if path else 0),
        places={variable: (path, line) for variable, line in command.lines.items()},
        vllm=command.vllm,
        image=command.image,
        contained=command.contained,
        extra=(command.marked or command.tokens) if is_exec else (),
        entry=command.entry,
        unknown=command.unknown,
        absent=set(command.names.difference(command.env)),
        found=command.for_check(),
    )
