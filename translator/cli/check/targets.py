"""The targets of `check`: each container, command or set of variables, with its place in a file."""

from __future__ import annotations

import os
import re
from functools import partial
from glob import glob
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from translator.cli.check.gate import comments_in
from translator.cli.check.results import Source, Target
from translator.cli.command_input import with_files
from translator.cli.exits import UsageError
from translator.cli.files import (
    decoded,
    environment_of,
    read_bytes,
    read_file,
)
from translator.cli.streams import log
from translator.files.command import Command, Context
from translator.files.containers import reader
from translator.files.programs import starts_server
from translator.files.registry import NOT_READ, read_behind, read_commands
from translator.findings import finding
from translator.formats.registry import ENV_FILE_ENDINGS
from translator.text.json_text import YamlError
from translator.text.placed import NOWHERE

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from translator.formats.forms import Given
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
_OTHERS = frozenset((".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"))


def targets_of(args: Namespace, tables: Tables) -> list[Target]:
    """Return the targets that the command line names: files, a command after --, variables.

    Raises:
        UsageError: a file cannot be read.
    """
    files = [*args.targets, *args.manifest]
    # With a command, --env-file supplies its shell variables; otherwise it is the target.
    has_command = args.behind is not None or not all(map(_has_variables, files))
    given = environment_of(args, tables) if args.env_file or not (files or has_command) else None
    env = given.env if given is not None else {}
    context = Context(env, os.environ, reader(args.dialect, tables), tables)
    found = _of_files(files, args, tables, context)
    if args.behind is not None:
        if not args.behind:
            raise UsageError("no command behind --")
        found.append(_of_command("the command", read_behind(args.behind, context)))
    if given is None:
        return found
    if not has_command:
        return [*found, _of_environment(given, args, tables)]
    if found:
        first, at = found[0], (", ".join(args.env_file), 0, 0)
        places = {**first.places, **{item.subject: at for item in given.findings}}
        found[0] = evolve(first, found=[*first.found, *given.findings], places=places)
    return found


def _of_environment(given: Given, args: Namespace, tables: Tables) -> Target:
    """Return the target of the files of --env-file, or of the environment."""
    files = [path for path in args.env_file if path != "-"]
    if len(args.env_file) == len(files) == 1:

        def read(content: bytes) -> list[Target]:
            changed = environment_of(args, tables, content)
            return [_of_variables(files[0], changed, {files[0]: decoded(files[0], content)})]

        content = read_bytes(files[0])
        return evolve(read(content)[0], source=Source(files[0], content, read))
    name = ", ".join(args.env_file) or "the environment"
    return _of_variables(name, given, {path: read_file(path) for path in files})


def _of_variables(name: str, given: Given, texts: Mapping[str, str]) -> Target:
    """Return the target of variables.

    Args:
        name: its name.
        given: the variables.
        texts: file → what is in it.
    """
    lines = {file: text.split("\n") for file, text in texts.items()}
    return Target(
        name,
        Command(env=given.env, by_variables=True),
        given.findings,
        (name, 0, 0) if name in texts else NOWHERE,
        {
            name: _place(name, file, line, lines.get(file, ()))
            for name, (file, line) in given.places.items()
        },
        comments={file: comments_in(text) for file, text in texts.items()},
    )


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
    reader = _Reader(args, tables, context, files, len(paths) > 1 or paths != [*files])
    found: list[Target] = []
    unread: list[str] = []
    for path, (content, made, problem) in zip(paths, map(reader.read, paths)):
        source = Source(path, content, partial(reader.targets, path))
        found += [evolve(target, source=source) for target in made]
        if problem:
            unread.append(problem)
        elif not made and path in files:
            log(f"note: {path}: {_WITHOUT}" + _MADE * path.endswith((".yaml", ".yml")))
    for path in filter(os.path.isdir, files):
        if not any(target.source.path.startswith(path) for target in found if target.source):
            log(f"note: {path}: no file in this directory starts vLLM")
    if unread:
        shown = "; ".join(unread[:3]) + ("; …" if len(unread) > 3 else "")
        log(f"{len(unread)} of {len(paths)} files cannot be read: {shown}")
    return found


def _has_variables(path: str) -> bool:
    """Return whether a file contains variables, by its name."""
    name = os.path.basename(path)
    return name.endswith(tuple(ENV_FILE_ENDINGS)) or name.startswith(".env")


@frozen
class _Reader:
    """Reads files that commands may be in.

    Attributes:
        args, tables, context: what they are read with.
        named: the files and folders that the command line names.
        among: whether a file is one of several, which it must not hide.
    """

    args: Namespace
    tables: Tables
    context: Context
    named: Sequence[str]
    among: bool

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

    def targets(self, path: str, content: bytes) -> list[Target]:
        """Return the targets of a file with this content."""
        text = decoded(path, content)
        if _has_variables(path):
            given = environment_of(self.args, self.tables, content, [path])
            is_vllms = "vllm" in f"{path}\n{text}".lower() or self.context.reads(given.env, 1)
            # The .env of a web application may have a SEED of its own.
            return [_of_variables(path, given, {path: text})] if is_vllms else []
        mentions = "vllm" in text or self.context.reads(re.findall(_NAMES, text))
        if self.among and not mentions:
            return []
        context = with_files(path, text, self.args, self.tables, self.context)
        try:
            commands = read_commands(text, context, path)
        except YamlError as error:
            if not mentions:
                return []
            if not self.among:
                raise UsageError(f"{path}: not YAML: {error}") from None
            told = finding("bad-manifest", "YAML", case="yaml", problem=str(error))
            return [Target(path, found=[told], at=(path, 1, 0))]
        found = [item for item in commands if item.starts_vllm]
        if not mentions:  # what cannot be read is somebody else's
            found = [item for item in found if not _is_unread(item)]
        if self.among or path.endswith(_SCRIPTS):
            found = [item for item in found if not _is_another(item)]
        comments = {path: comments_in(text)}
        others = [(item.name, item.tokens, item.env) for item in commands if item not in found]
        return [
            evolve(
                _of_command(f"{path}:{item.place[1]}" if len(found) > 1 else path, item, path),
                comments=comments,
                others=others,
            )
            for item in found
        ]


def _is_another(command: Command) -> bool:
    """Return whether a command turned out to start something else, and not by mistake."""
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
        return sorted(filter(os.path.isfile, glob(path, recursive=True))) or [path]
    return [path]


def _may_start(name: str) -> bool:
    """Return whether a file of a folder may hold a command, by its name."""
    return name.endswith((*_KINDS, *NOT_READ)) or any(
        part in name.lower() for part in ("dockerfile", "containerfile")
    )


def _of_command(name: str, command: Command, path: str = "") -> Target:
    """Return the target of a command; its places are in the file with a path."""

    def placed(found: Place) -> Place:
        file, line, column = found
        return file or path, line or (1 if path else 0), column

    return Target(
        command.name or name,
        command,
        command.for_check(),
        placed(command.place),
        {name: placed(found) for name, found in command.places.items()},
        [found and placed(found) for found in command.token_places],
    )
