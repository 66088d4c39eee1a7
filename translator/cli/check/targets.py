"""The targets of `check`: each container, command or set of variables, with its place in a file."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections import Counter
from functools import cached_property, partial
from glob import glob
from typing import TYPE_CHECKING

from translator.cli.files import (
    environment_of,
    has_variables,
    read_bytes,
    read_file,
    refuse_file,
    with_files,
)
from translator.cli.process import log
from translator.files import Command, Context, of_platform, reader
from translator.files.programs import is_unread, may_start
from translator.files.registry import NOT_READ, read_behind, read_commands, read_text
from translator.findings import UsageError, finding
from translator.text.classes import evolve, field, frozen
from translator.text.json_text import YamlError
from translator.text.words import NOWHERE, place, whole

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping, Sequence, Set

    from translator.findings import Finding
    from translator.formats.forms import Given
    from translator.tables.catalog import Tables
    from translator.text.words import Place

# What may be the name of a variable in a manifest.
_NAMES = r"\b[A-Z][A-Z0-9_]{3,60}\b"
# A name, with what reads a variable of that name in front of it.
_NAME = re.compile(
    r"(\$[({]?#?|\benv\.|\b(?:environ|getenv|printenv)\W{1,9})?\b([A-Za-z_]\w*)\b(?![\"']\]\s*=)"
)
_PRINTED = re.compile(r"\s*(?:#|(?:echo|printf)\b[^|>]*$)")
# The files of a folder that may hold a command, by the ends of their names.
_KINDS = (
    (".yaml", ".yml", ".json", ".sh", ".bash", ".slurm", ".sbatch", ".service", ".md", ".rst")
    + (".markdown", ".mdx", ".tpl", ".j2", ".conf", ".py")
)  # fmt: skip
_MADE = (
    ". If a chart or an operator creates the container, check its output:"
    " `helm template … | translate check -`, `kubectl get pods --output yaml | translate check -`"
)
_OTHERS = frozenset((".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"))
_IGNORE = "translate: ignore"


@frozen(eq=False, slots=False)
class Source:
    """A file that targets are from.

    Attributes:
        path: its path.
        content: what is in it.
        read: returns its targets, by its content.
    """

    path: str
    content: bytes
    read: Callable[[bytes], list[Target]]

    @cached_property
    def text(self) -> str:
        """Its text; "" for a format that has another encoding."""
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return ""

    @cached_property
    def lines(self) -> list[int]:
        """Where its lines begin."""
        return [0, *(item.end() for item in re.finditer("\n", self.text))]

    @cached_property
    def reads(self) -> Counter[str]:
        """The variables that it reads (`$NAME`, `${NAME}`, `$(NAME)`, `env.NAME` of a workflow,
        `os.environ["NAME"]`) to do anything but set one of that name, and how often it does more
        than print them.
        """
        found: Counter[str] = Counter()
        for part in re.split(r"[\n;]|&&", self.content.decode(errors="replace")):
            is_used, seen = not _PRINTED.match(part), set[str]()
            for sign, name in _NAME.findall(part):
                if sign and name not in seen:
                    found[name] += is_used
                seen.add(name)
        return found

    def targets(self) -> list[Target]:
        """Return its targets."""
        return [evolve(target, source=self) for target in self.read(self.content)]

    def with_text(self, text: str) -> Source:
        """Return the file with another text."""
        mark = BOM_UTF8 if self.content.startswith(BOM_UTF8) else b""
        return evolve(self, content=mark + text.encode())


@frozen
class Comment:
    """A comment that ignores findings: `# translate: ignore[CODE, CODE]`, or without codes for all.
    It is about the line that it ends, or the next line if it stands alone.

    Attributes:
        line: where it stands.
        about: the line whose findings it ignores.
        codes: the codes that it ignores; () for all.
    """

    line: int
    about: int
    codes: tuple[str, ...] = ()

    def covers(self, code: str, lines: Set[int]) -> bool:
        """Return whether it ignores a finding that is about one of some lines."""
        return self.about in lines and (not self.codes or code in self.codes)


def comments_in(text: str) -> list[Comment]:
    """Return the comments of a YAML file or a file of variables that ignore findings."""
    found: list[Comment] = []
    about = 0  # the last line that is no comment, from the end
    lines = text.splitlines() if _IGNORE in text else []
    for number, line in reversed(list(enumerate(lines, 1))):
        if line.strip() and not line.lstrip().startswith("#"):
            about = number
        if comment := re.search(rf"(?:^|\s)#\s*{_IGNORE}(?:\[([^]#]*)\])?\s*$", line):
            codes = () if comment[1] is None else comment[1].split(",")
            found.append(Comment(number, about, tuple(code.strip() for code in codes)))
    return found[::-1]


@frozen(eq=False)
class Target:
    """One thing to check: a container, a command or a set of variables.

    Attributes:
        name: its name in the report.
        command: what was read, with the places of its tokens and variables.
        found: the findings from reading it.
        at: its place; file "", line 0 and column 0 for what is not known.
        comments: file → the comments in it that ignore findings.
        source: the file that all of it is from; None if it is not from one file.
        others: the containers of its file that do not run vLLM.
        is_whole: whether its variables are all that vLLM gets; those of a file that is not said to
            be an environment may be compose's.
    """

    name: str
    command: Command = field(factory=Command)
    found: Sequence[Finding] = ()
    at: Place = NOWHERE
    comments: Mapping[str, Sequence[Comment]] = field(factory=dict)
    source: Source | None = None
    others: Sequence[Command] = ()
    is_whole: bool = True

    @property
    def env(self) -> Mapping[str, str]:
        """Its variables."""
        return self.command.env

    @property
    def written(self) -> Sequence[str]:
        """The tokens of its command line, with what is not known marked (text/references.py), or
        those that override its variables.
        """
        is_environment = self.command.by_variables and self.command.entry is None
        return () if is_environment else self.command.marked

    @property
    def is_translated(self) -> bool:
        """Whether its variables are translated, instead of its command line."""
        return self.command.entry is not None or self.command.by_variables

    @property
    def is_readable(self) -> bool:
        """Whether its command could be read well enough to be checked."""
        return not (self.is_whole and any(item.stops for item in self.found))

    @property
    def facts(self) -> dict[str, bool]:
        """What is certain about it, by the names that mappings/findings.toml has for it."""
        entry = self.command.entry
        return {
            "program": entry is not None and entry.dialect is None,
            "part": not self.is_whole,
            "guess": self.command.is_guess,
            "open": self.command.is_open,
            "engine": bool(self.command.engine),
        }

    def default_of(self, flag: str) -> str:
        """Return the variable whose empty default is the value of a flag, as in
        `--quantization ${Q:-}`; "" for none.
        """
        name = re.escape(flag).replace(r"\-", "[-_]")
        default = rf"{name}['\"]?[=\s,][\s'\"-]*\$\{{(\w+):?-['\"]*\}}"
        text = self.source.text if self.source is not None and flag.startswith("--") else ""
        found = re.search(default, text)
        return f"${found[1]}" if found else ""

    def place(self, item: Finding) -> Place:
        """Return the place of a finding: of what its subject was read from, of the variable that it
        names, or of the whole target.
        """
        if (read := place(item.subject)) is not None:
            return (read[0] or (self.source.path if self.source else ""), *read[1:])
        inside = str(item.facts.get("inside", ""))  # a variable with arguments
        return self.command.places.get(item.subject) or self.place_of(inside)

    def place_of(self, variable: str) -> Place:
        """Return the place of a variable, or of the whole target."""
        return self.command.places.get(variable, self.at)


def targets_of(args: Namespace, tables: Tables) -> list[Target]:
    """Return the targets that the command line names: files, a command after --, variables."""
    quoted = [text for text in args.targets if " " in text and not os.path.exists(text)]
    quoted = [text for text in quoted if not any(map(os.path.exists, _paths(text)))]
    files = [path for path in args.targets if path not in quoted]
    # With a command, --env-file supplies its shell variables; otherwise it is the target.
    has_command = args.behind is not None or not all(map(has_variables, [*files, *quoted]))
    is_file = len(args.env_file) == 1 and os.path.isfile(args.env_file[0]) and not has_command
    given = None
    if not is_file and (args.env_file or not (files or has_command)):
        given = environment_of(args, tables)
    env = given.env if given is not None else {}
    context = Context(env, os.environ, reader(args.dialect, tables), tables)
    found = _of_files([*files, *(args.env_file if is_file else ())], args, tables, context)
    found += [_of_command("the command", read_text(text, context)) for text in quoted]
    if args.behind is not None:
        if not args.behind:
            raise UsageError("no command after --")
        refuse_file(args.behind, "check")
        found.append(_of_command("the command", read_behind(args.behind, context)))
    if given is not None and not has_command:
        texts = {path: read_file(path) for path in args.env_file if path != "-"}
        found.append(_of_variables(", ".join(args.env_file), given, texts, args, tables))
    elif given is not None and found:
        first, at = found[0], (", ".join(args.env_file), 0, 0)
        places = {**first.command.places, **{item.subject: at for item in given.findings}}
        command = evolve(first.command, places=places)
        found[0] = evolve(first, command=command, found=[*first.found, *given.findings])
    return found


def targets_in(path: str, content: bytes, args: Namespace, tables: Tables) -> list[Target]:
    """Return the targets of a file with a path and a content."""
    context = Context({}, os.environ, reader(args.dialect, tables), tables)
    read = partial(_read, args, tables, context, False, path)
    return Source(path, content, read).targets()


def _of_variables(
    name: str, given: Given, texts: Mapping[str, str], args: Namespace, tables: Tables
) -> Target:
    """Return the target of variables, with the texts of their files."""
    lines = {file: text.split("\n") for file, text in texts.items()}
    places = {
        variable: _place(variable, file, line, lines.get(file, ()))
        for variable, (file, line) in given.places.items()
    }
    image = of_platform(name, args.platform, tables) if name and args.platform else None
    return Target(
        name or "the environment",
        Command(env=given.env, places=places, by_variables=True, image=image),
        given.findings,
        (name, 0, 0) if name in texts else NOWHERE,
        {file: comments_in(text) for file, text in texts.items()},
    )


def _place(name: str, file: str, line: int, lines: Sequence[str]) -> Place:
    """Return the place of a variable in a file of variables, from the line that sets it."""
    before, found, _ = (lines[line - 1] if line <= len(lines) else "").partition(name)
    known = found and before.strip() in ("", "export", '"')
    return file, line, len(before) + 1 if known else 0


def _of_files(
    files: Sequence[str], args: Namespace, tables: Tables, context: Context
) -> list[Target]:
    """Return the targets in files and folders; what is named and has none is told, and what cannot
    be read is counted, unless it is named.
    """
    paths = [item for path in files for item in _paths(path)]
    among = len(paths) > 1 or paths != [*files]
    found: list[Target] = []
    unread: list[str] = []
    for path in paths:
        read = partial(_read, args, tables, context, among, path)
        try:
            made = Source(path, read_bytes(path), read).targets()
        except UsageError as error:
            if path in files:
                raise
            unread.append(str(error))
            continue
        found += made
        if not made and path in files:
            made_elsewhere = _MADE * path.endswith((".yaml", ".yml"))
            log(f"note: {path} does not start vLLM{made_elsewhere}")
    for path in filter(os.path.isdir, files):
        if not any(target.source.path.startswith(path) for target in found if target.source):
            log(f"note: no file in {path} starts vLLM")
    if unread:
        shown = "; ".join(unread[:3]) + ("; …" if len(unread) > 3 else "")
        log(f"{len(unread)} of {len(paths)} files cannot be read: {shown}")
    return found


def _paths(path: str) -> list[str]:
    """Return the files that an argument stands for: those of a folder or of a pattern."""
    if os.path.isdir(path):
        found: list[str] = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _OTHERS)
            inside = [
                os.path.join(folder, name)
                for name in sorted(names)
                if name.endswith((*_KINDS, *NOT_READ))
                or any(part in name.lower() for part in ("dockerfile", "containerfile"))
            ]
            found += filter(os.path.isfile, inside)  # no pipe, which would be waited for
        return found
    if not os.path.exists(path) and set("*?[").intersection(path):
        return sorted(filter(os.path.isfile, glob(path, recursive=True))) or [path]
    return [path]


def _read(
    args: Namespace, tables: Tables, context: Context, among: bool, path: str, content: bytes
) -> list[Target]:
    """Return the targets of a file, which may be one among several: it must not hide others."""
    text = read_file(path, content)
    if path in args.env_file or has_variables(path):
        given = environment_of(args, tables, [path], content)
        is_named = path in args.env_file
        # The .env of a web application may have a SEED of its own.
        if not (is_named or "vllm" in f"{path}\n{text}".lower() or context.reads(given.env, 1)):
            return []
        made = _of_variables(path, given, {path: text}, args, tables)
        return [evolve(made, is_whole=is_named)]
    mentions = "vllm" in text or context.reads(re.findall(_NAMES, text))
    if among and not mentions:
        return []
    context = with_files(path, text, args, tables, context)
    try:
        commands = read_commands(whole(text, path), context, path)
    except YamlError as error:
        if not mentions:
            return []
        if not among:
            raise UsageError(f"{path}: not valid YAML: {error}") from None
        told = finding("bad-manifest", "YAML", case="yaml", problem=str(error))
        return [Target(path, found=[told], at=(path, 1, 0))]
    found = [
        item
        for item in commands
        if item.starts_vllm
        and may_start(item)
        # A template or a broken file is somebody else's; of a kind, it is known whose.
        and (mentions or not is_unread(item) or any(it.case == "kind" for it in item.findings))
    ]
    comments = {path: comments_in(text)}
    others = [item for item in commands if item not in found]
    return [
        evolve(
            _of_command(f"{path}:{item.place[1]}" if len(found) > 1 else path, item, path),
            comments=comments,
            others=others,
        )
        for item in found
    ]


def _of_command(name: str, command: Command, path: str = "") -> Target:
    """Return the target of a command, of a file with a path."""
    file, line, column = command.place
    at = (file or path, line or (1 if path else 0), column)
    return Target(command.name or name, command, command.for_check(), at)
