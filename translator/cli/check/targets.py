"""The targets of `check`: each container, command or set of variables, with its place in a file."""

from __future__ import annotations

import os

from translator.cli.beside import with_files
from translator.cli.check.comments import comments_in
from translator.cli.exits import UsageError
from translator.cli.files import (
    decoded,
    environment_of,
    read_bytes,
    read_file,
    shown_file,
    variables_of,
)
from translator.cli.processes import spread
from translator.cli.streams import log
from translator.files.command import is_of_one_value
from translator.findings import finding
from translator.formats.forms import ENV_FILE_ENDINGS
from translator.text.placed import place
from translator.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping, Sequence, Set

    from translator.cli.check.comments import Comment
    from translator.cli.files import Given
    from translator.files.command import Command, Context, Entry, UnknownImage
    from translator.findings import Finding
    from translator.tables.catalog import Tables
    from translator.text.placed import Place

# What may be the name of a variable in a manifest.
_NAMES = r"\b[A-Z][A-Z0-9_]{3,60}\b"
# The files of a folder that may hold a command, by the ends of their names.
_KINDS = (
    (".yaml", ".yml", ".json", ".sh", ".bash", ".slurm", ".sbatch", ".service", ".md", ".rst")
    + (".markdown", ".mdx", ".tpl", ".j2", ".conf")
)  # fmt: skip
_SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch")
_WITHOUT = "nothing in it starts vLLM"
_MADE = (
    ". If a chart or an operator makes the container, check what it makes:"
    " `helm template … | translate check -`, `kubectl get pods --output yaml | translate check -`"
)
_NOWHERE = ("", 0, 0)
_OTHERS = frozenset((".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"))


class Source(Record):
    """A file that targets are from.

    Attributes:
        path: its path.
        content: what is in it.
        read: returns its targets if it had another content.
    """

    path: str
    content: bytes
    read: Callable[[bytes], list[Target]]


class Target(Record):
    """One thing to check.

    Attributes:
        name: its name in the report.
        env: its variables.
        tokens: its command line, with what is not known marked (text/holes.py); None if its
            variables are translated.
        at: its place; file "", line 0 and column 0 for what is not known.
        places: variable → its place.
        argument_places: of each token, its place; None where that is not known.
        vllm: the version in its image.
        image: its image, if that does not say its version.
        contained: whether it runs in a container, whose files are not here.
        extra: tokens that override the variables.
        entry: the options of its `translate exec`; None if it starts vLLM directly.
        unknown: what only a shell knows, as written → its name in findings.
        absent: variables whose value is not known here.
        found: the findings from reading it.
        comments: file → the comments in it that ignore findings.
        source: the file that all of it is from; None if it is not from one file.
        is_guess: whether only the names of its variables tell that it is vLLM: it is not edited.
        others: what the containers of its file get that do not run vLLM.
    """

    name: str
    env: Mapping[str, str] = {}
    tokens: Sequence[str] | None = None
    at: Place = _NOWHERE
    places: Mapping[str, Place] = {}
    argument_places: Sequence[Place | None] = ()
    vllm: str | None = None
    image: UnknownImage | None = None
    contained: bool = False
    extra: Sequence[str] = ()
    entry: Entry | None = None
    unknown: Mapping[str, str] = {}
    absent: Set[str] = frozenset()
    found: Sequence[Finding] = ()
    comments: Mapping[str, Sequence[Comment]] = {}
    source: Source | None = None
    is_guess: bool = False
    others: Sequence[object] = ()

    @property
    def path(self) -> str:
        """Return the name of its file; "" if it is not from one."""
        return shown_file(self.source.path) if self.source is not None else ""

    def read_names(self) -> set[str]:
        """Return the variables that its file reads (`$NAME`, `${NAME}`, `$(NAME)`) to do anything
        but set one of that name.
        """
        import re

        found: set[str] = set()
        content = self.source.content if self.source is not None else b""
        for line in content.decode(errors="replace").split("\n"):
            seen: set[str] = set()
            for sign, name in re.findall(r"(\$[({]?)?\b([A-Za-z_]\w*)", line):
                if sign and name not in seen:
                    found.add(name)
                seen.add(name)
        return found

    @property
    def written(self) -> Sequence[str]:
        """Return the tokens of its command line, or those that override its variables."""
        return self.extra if self.tokens is None else self.tokens

    @property
    def readable(self) -> bool:
        """Return whether its command could be read well enough to be checked."""
        return not any(
            item.code == "unreadable-file"
            or (
                item.severity == "error"
                and item.code != "starts-something-else"
                and not is_of_one_value(item)
            )
            for item in self.found
        )

    def place(self, item: Finding) -> Place:
        """Return the place of a finding: of what its subject was read from, of the variable that it
        names, or of the whole target.
        """
        read = place(item.subject)
        if read is not None:
            return (read[0] or self.path, *read[1:])
        inside = str(item.facts.get("inside", ""))  # a variable with arguments
        return self.places.get(item.subject) or self.places.get(inside) or self.at


def targets_of(args: Namespace, tables: Tables) -> list[Target]:
    """Return the targets that the command line names: files, a command after --, variables.

    Raises:
        UsageError: a file cannot be read.
    """
    from translator.files.command import Context
    from translator.files.containers import reader
    from translator.files.registry import read_behind

    files = [*args.targets, *args.manifest]
    # With a command, --env-file supplies its shell variables; otherwise it is the target.
    has_command = args.behind is not None or any(not _has_variables(path) for path in files)
    env_files = ", ".join(map(shown_file, args.env_file))
    found: list[Target] = []
    given = environment_of(args, tables) if args.env_file or not (files or has_command) else None
    reads = reader(args.dialect, tables)
    env = given.env if given is not None else {}
    context = Context(env, os.environ, reads, tables)
    found += _of_files(files, args, tables, context)
    if args.behind is not None:
        if not args.behind:
            raise UsageError("no command behind --")
        found.append(_of_command("the command", read_behind(args.behind, context)))
    if given is None:
        return found
    if has_command and found:
        first = found[0]
        places = {item.subject: (env_files, 0, 0) for item in given.findings}
        found[0] = first.replaced(
            found=[*first.found, *given.findings], places={**first.places, **places}
        )
    elif not has_command:
        found.append(_of_environment(given, args, tables))
    return found


def _of_environment(given: Given, args: Namespace, tables: Tables) -> Target:
    """Return the target of the files of --env-file, or of the environment."""
    name = ", ".join(map(shown_file, args.env_file)) or "the environment"
    texts = {shown_file(path): read_file(path) for path in args.env_file if path != "-"}
    lines = {file: text.split("\n") for file, text in texts.items()}
    places = {
        name: _place(name, given.files[name], line, lines.get(given.files[name], ()))
        for name, line in given.places.items()
    }
    source = None
    if (args.fix or args.diff) and len(args.env_file) == 1 and args.env_file != ["-"]:

        def read(content: bytes) -> list[Target]:
            return [_of_environment(environment_of(args, tables, content), args, tables)]

        source = Source(args.env_file[0], read_bytes(args.env_file[0]), read)
    at = (name, 0, 0) if len(args.env_file) == 1 else _NOWHERE
    made = Target(name, given.env, at=at, places=places, found=given.findings, source=source)
    return made.replaced(comments={file: comments_in(text) for file, text in texts.items()})


def _place(name: str, file: str, line: int, lines: Sequence[str]) -> Place:
    """Return the place of a variable in a file of variables, from the line that sets it."""
    before, found, _ = (lines[line - 1] if line <= len(lines) else "").partition(name)
    known = found and before.strip() in ("", "export", '"')
    return file, line, len(before) + 1 if known else 0


def _of_files(
    files: Sequence[str], args: Namespace, tables: Tables, context: Context
) -> list[Target]:
    """Return the targets in files and folders; what is named and has none is
    told, and what cannot be read is counted.

    Raises:
        UsageError: a file that is named cannot be read.
    """
    paths = [item for path in files for item in _paths(path)]
    reader = _Reader(args, tables, context, named=files, among=len(paths) > 1 or paths != [*files])
    found: list[Target] = []
    unread: list[str] = []
    for path, (content, made, problem) in zip(paths, spread(reader.read, paths, "files read")):
        source = reader.source(path, content)
        found += [target.replaced(source=source) for target in made]
        if problem:
            unread.append(problem)
        elif not made and path in files:
            log(f"note: {shown_file(path)}: {_WITHOUT}" + _MADE * path.endswith((".yaml", ".yml")))
    for path in filter(os.path.isdir, files):
        if not any(target.source.path.startswith(path) for target in found if target.source):
            log(f"note: {shown_file(path)}: no file in this directory starts vLLM")
    if unread:
        shown = "; ".join(unread[:3]) + ("; …" if len(unread) > 3 else "")
        log(f"{len(unread)} of {len(paths)} files cannot be read: {shown}")
    return found


def _has_variables(path: str) -> bool:
    """Return whether a file contains variables, by its name."""
    name = os.path.basename(path)
    return name.endswith(tuple(ENV_FILE_ENDINGS)) or name.startswith(".env")


class _Reader:
    """Reads files that commands may be in.

    Attributes:
        args, tables, context: what they are read with.
        named: the files and folders that the command line names.
        among: whether a file is one of several, which it must not hide.
    """

    def __init__(
        self,
        args: Namespace,
        tables: Tables,
        context: Context,
        *,
        named: Sequence[str],
        among: bool,
    ) -> None:
        self.args, self.tables, self.context = args, tables, context
        self.named, self.among = named, among

    def read(self, path: str) -> tuple[bytes, list[Target], str]:
        """Return what is in a file; its targets, [] for a file without any; and why it cannot be
        read.

        Raises:
            UsageError: it cannot be read, and the command line names it.
        """
        try:
            content = read_bytes(path)
            return content, self.targets(path, content), ""
        except UsageError as error:
            if path in self.named:
                raise
            return b"", [], str(error)

    def source(self, path: str, content: bytes) -> Source:
        """Return a file as the source of its targets."""
        return Source(path, content, lambda changed: self.targets(path, changed))

    def targets(self, path: str, content: bytes) -> list[Target]:
        """Return the targets of a file with this content."""
        return (self._variables if _has_variables(path) else self._commands)(path, content)

    def _variables(self, path: str, content: bytes) -> list[Target]:
        """Return the variables of a .env file."""
        read = variables_of(path, self.args, self.tables, content=content)
        file, text = shown_file(path), decoded(path, content)
        lines = text.split("\n")
        places = {name: _place(name, file, line, lines) for name, line in read.lines.items()}
        made = Target(file, read.env, at=(file, 0, 0), places=places, found=read.findings)
        return [made.replaced(comments={file: comments_in(text)})]

    def _commands(self, path: str, content: bytes) -> list[Target]:
        """Return the commands in a file."""
        from translator.files.registry import read_commands
        from translator.text.json_text import YamlError

        file, text = shown_file(path), decoded(path, content)
        mentions = "vllm" in text or self.context.reads(_names_in(text))
        if self.among and not mentions:
            return []
        context = with_files(path, text, self.args, self.tables, self.context)
        try:
            commands = read_commands(text, context, path)
        except YamlError as error:
            if not mentions:
                return []
            if not self.among:
                raise UsageError(f"{file}: not YAML: {error}") from None
            told = finding("bad-manifest", "YAML", case="yaml", problem=str(error))
            return [_unread(file, told)]
        found = [item for item in commands if item.starts_vllm]
        if not mentions:  # what cannot be read is somebody else's
            found = [item for item in found if not _is_unread(item)]
        if self.among or path.endswith(_SCRIPTS):
            found = [item for item in found if not _is_another(item)]
        several = len(found) > 1
        made = (
            _of_command(f"{file}:{item.place[1]}" if several else file, item, file)
            for item in found
        )
        comments = {file: comments_in(text)}
        others = [(item.name, item.tokens, item.env) for item in commands if item not in found]
        return [target.replaced(comments=comments, others=others) for target in made]


def _unread(file: str, told: Finding) -> Target:
    """Return the target of a file whose commands are not known."""
    return Target(file, at=(file, 1, 0), tokens=(), found=[told])


def _names_in(text: str) -> list[str]:
    """Return what may be the names of variables in a text."""
    import re  # only one of several files is looked through

    return re.findall(_NAMES, text)


def _is_another(command: Command) -> bool:
    """Return whether a command turned out to start something else, and not by mistake."""
    from translator.files.programs import starts_server

    return not (starts_server(command) or command.by_variables or _is_unread(command))


def _is_unread(command: Command) -> bool:
    """Return whether a command stands for a part of a file that cannot be read."""
    return any(item.code in ("bad-manifest", "unreadable-file") for item in command.findings)


def _paths(path: str) -> list[str]:
    """Return the files that an argument stands for: those of a folder or of a pattern."""
    if os.path.isdir(path):
        found: list[str] = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _OTHERS)
            inside = [os.path.join(folder, name) for name in sorted(names) if _may_start(name)]
            found += filter(os.path.isfile, inside)  # no pipe, which would be waited for
        return found
    if not os.path.exists(path) and set("*?[").intersection(path):
        from glob import glob

        return sorted(filter(os.path.isfile, glob(path, recursive=True))) or [path]
    return [path]


def _may_start(name: str) -> bool:
    """Return whether a file of a folder may hold a command, by its name."""
    from translator.files.registry import NOT_READ

    return name.endswith((*_KINDS, *NOT_READ)) or any(
        part in name.lower() for part in ("dockerfile", "containerfile")
    )


def _in_file(found: Place, path: str) -> Place:
    """Return a place of an input, with the path of the input."""
    file, line, column = found
    return file or path, line or (1 if path else 0), column


def _of_command(name: str, command: Command, path: str = "") -> Target:
    is_exec = command.entry is not None
    return Target(
        command.name or name,
        command.env,
        None if is_exec or command.by_variables else command.marked or command.tokens,
        at=_in_file(command.place, path),
        places={name: _in_file(found, path) for name, found in command.places.items()},
        argument_places=[found and _in_file(found, path) for found in command.token_places],
        vllm=command.vllm,
        image=command.image,
        contained=command.contained,
        extra=(command.marked or command.tokens) if is_exec else (),
        entry=command.entry,
        unknown=command.unknown,
        absent=set(command.names.difference(command.env)),
        found=command.for_check(),
        is_guess=command.is_guess,
    )
