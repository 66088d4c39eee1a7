"""The targets of `check`: each container, command or set of variables, with its place in a file."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import cached_property

from translator.core.findings import Finding, UsageError, finding
from translator.core.tables.catalog import Tables
from translator.core.tables.dialects import find_dialect
from translator.core.tables.images import image_of
from translator.core.text.json_text import YamlError
from translator.core.text.words import Place, place, placed_at
from translator.deployments.options import CheckOptions
from translator.deployments.read import Command, Context, Files, is_read, platform_of
from translator.deployments.read.beside import files_beside, variables_beside, with_run
from translator.deployments.read.pins import Pin, of_image, of_platform
from translator.deployments.read.programs import is_unread, may_start
from translator.deployments.read.registry import read_commands
from translator.formats import kinds
from translator.formats.classes import evolve, field, frozen
from translator.formats.forms import Given
from translator.formats.inputs import environment_of, has_variables, read_file
from translator.formats.places import NOWHERE, whole
from translator.formats.registry import form_of

# The targets of a file, and what else was read in it.
_Contents = tuple[list["Target"], list[Command]]
# A name, with what reads a variable of that name in front of it.
_NAME = (
    r"(\$[({]?#?|\benv\.|\b(?:environ|getenv|printenv)\W{1,9})?\b([A-Za-z_]\w*)\b(?![\"']\]\s*=)"
)
# `NAME=word` or `NAME=(words)` of a shell, whose words may have quotes.
_ASSIGNED = r"""(?sx)(?<![\w$.{-])([A-Za-z_]\w*)\+?=
    (?:\((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^()'"\\])*\)
    |(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"\\;|&()])*)"""
_PRINTED = r"\s*(?:#|(?:RUN\s+)?(?:echo|printf)\b[^|>]*$)"
_IGNORE = "translate: ignore"
_ASSIGNMENT = r"\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*\s*="
_MOST_DOCKERFILES = 20
# What may be the name of a variable in a manifest.
_NAMES = r"\b[A-Z][A-Z0-9_]{3,60}\b"


@frozen
class Source:
    """A file that targets are from.

    Attributes:
        path: its path.
        content: what is in it.
        asked, context: how it is read, and with which other files.
    """

    path: str
    content: bytes
    asked: CheckOptions
    context: Context

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
        """The variables that it reads."""
        return reads_in(self.content.decode(errors="replace"))

    @cached_property
    def assigned(self) -> list[tuple[int, int, str]]:
        """Where it sets variables, as a shell does."""
        return [(*item.span(), item[1]) for item in re.finditer(_ASSIGNED, self.text)]

    @cached_property
    def _contents(self) -> _Contents:
        targets, others = _read(self)
        return [evolve(target, source=self) for target in targets], others

    def targets(self) -> list[Target]:
        """Return its targets.

        Raises:
            UsageError: it cannot be read.
        """
        return self._contents[0]

    @property
    def others(self) -> list[Command]:
        """What was read in it and does not run vLLM, or could not be read."""
        return self._contents[1]

    @property
    def has_variables(self) -> bool:
        """Whether it holds variables, by its name or because that is said."""
        return self.path in self.asked.env_files or has_variables(self.path)

    @property
    def is_given(self) -> bool:
        """Whether it was named, and not found in a folder."""
        return self.path in self.context.files.named

    @property
    def among(self) -> bool:
        """Whether it is one of several, of which none hides others."""
        return len(self.context.files.contents) > 1 or not self.is_given

    def with_text(self, text: str) -> bytes:
        """Return the content of the file with another text."""
        mark = BOM_UTF8 if self.content.startswith(BOM_UTF8) else b""
        return mark + text.encode()


def reads_in(text: str) -> Counter[str]:
    """Return the variables that a text reads (`$NAME`, `${NAME}`, `$(NAME)`, `env.NAME` of a
    workflow, `os.environ["NAME"]`) to do anything but set one of that name, and how often it does
    more than print them.
    """
    times: Counter[str] = Counter()
    for part in re.split(r"[\n;]|&&", text):
        is_used, seen = not re.match(_PRINTED, part), set[str]()
        for sign, name in re.findall(_NAME, part):
            if sign and name not in seen:
                times[name] += is_used
            seen.add(name)
    return times


@frozen(eq=True)
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
    comments: list[Comment] = []
    about = 0  # the last line that is no comment, from the end
    lines = text.splitlines() if _IGNORE in text else []
    for number, line in reversed(list(enumerate(lines, 1))):
        if line.strip() and not line.lstrip().startswith("#"):
            about = number
        if comment := re.search(rf"(?:^|\s)#\s*{_IGNORE}(?:\[([^]#]*)\])?\s*$", line):
            codes = () if comment[1] is None else comment[1].split(",")
            comments.append(Comment(number, about, tuple(code.strip() for code in codes)))
    return comments[::-1]


@frozen
class Target:
    """One thing to check: a container, a command or a set of variables.

    Attributes:
        name: its name in the report.
        command: what was read, with the places of its tokens and variables.
        found: the findings from reading it.
        at: its place; file "", line 0 and column 0 for what is not known.
        comments: file → the comments in it that ignore findings.
        source: the file that all of it is from; None if it is not from one file.
        is_whole: whether its variables are all that vLLM gets; those of a file of which nothing
            says who reads it may be compose's.
        dialect: that of its variables, by their names; "" for the one that is asked for.
        key_of: as in `Given`.
    """

    name: str
    command: Command = field(factory=Command)
    found: Sequence[Finding] = ()
    at: Place = NOWHERE
    comments: Mapping[str, Sequence[Comment]] = field(factory=dict)
    source: Source | None = None
    is_whole: bool = True
    dialect: str = ""
    key_of: Callable[[str], str | None] | None = None

    @property
    def env(self) -> Mapping[str, str]:
        """Its variables."""
        return self.command.env

    @property
    def written(self) -> Sequence[str]:
        """The tokens of its command line, with what is not known marked (formats/references.py), or
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
    def is_of_variables(self) -> bool:
        """Whether it is a file of variables."""
        return self.source is not None and self.source.has_variables

    @property
    def files(self) -> set[str]:
        """The files that it is read from."""
        pin = self.command.pin
        texts = [*self.command.argv, pin.written if pin is not None else ""]
        parts = (place for text in texts for _, place in getattr(text, "parts", ()) if place)
        places = (*parts, *self.command.places.values(), self.at)
        own = self.source.path if self.source is not None else ""
        return {path or own for path in (*self.command.files, *(place[0] for place in places))}

    @property
    def facts(self) -> dict[str, bool]:
        """What is certain about it, by the names that mappings/findings.toml has for it."""
        entry = self.command.entry
        return {
            "program": entry is not None and entry.dialect is None,
            "part": not self.is_whole,
            "guess": self.command.is_guess,
            "open": self.command.container.is_open,
            "engine": bool(self.command.container.engine),
            "given": self.source is not None and self.source.is_given,
        }

    def place(self, item: Finding) -> Place:
        """Return the place of a finding: of what its subject was read from, of the variable that it
        names, the line that it tells of, or that of the whole target.
        """
        if (read := place(item.subject)) is not None:
            return (read[0] or (self.source.path if self.source else ""), *read[1:])
        known = self.command.places.get(item.subject, NOWHERE)
        if not known[1] and {"at", "line"} <= item.facts.keys():
            return str(item.facts["at"]), int(str(item.facts["line"])), 0
        inside = str(item.facts.get("inside", ""))  # a variable with arguments
        return known if known != NOWHERE else self.place_of(inside)

    def place_of(self, variable: str) -> Place:
        """Return the place of a variable, or of the whole target."""
        return self.command.places.get(variable, self.at)


def context_of(asked: CheckOptions, env: Mapping[str, str] | None = None) -> Context:
    """Return the context in which files and commands are read, which may refer to variables."""
    return Context(env or {}, os.environ, asked.dialect, asked.tables)


def sources_of(
    contents: Mapping[str, bytes], asked: CheckOptions, context: Context, named: Collection[str]
) -> list[Source]:
    """Return files that are read together, of which some are named: the others are from folders."""
    context = with_run(context, Files(contents, named))
    return [Source(path, content, asked, context) for path, content in contents.items()]


def with_contents(sources: Sequence[Source], contents: Mapping[str, bytes]) -> list[Source]:
    """Return files of one run as they would be if some had other contents."""
    if not sources:  # of an empty folder
        return []
    context = sources[0].context
    run = context.files.over(contents)
    is_plain = not any(map(has_variables, contents))
    context = evolve(context, files=run) if is_plain else with_run(context, run)
    return [evolve(one, content=run.contents[one.path], context=context) for one in sources]


def targets_in(path: str, content: bytes, asked: CheckOptions, context: Context) -> list[Target]:
    """Return the targets of a file.

    Raises:
        UsageError: it cannot be read.
    """
    (source,) = sources_of({path: content}, asked, context, [path])
    return source.targets()


def own(targets: Sequence[Target]) -> list[Target]:
    """Return the targets of a run without the files of variables that belong to a start: those that
    one reads, that stand beside one and are named there, or are compose's; and without those from a
    folder that are not a platform's.
    """
    starts = [item for item in targets if not item.is_of_variables]
    if len(starts) == len(targets):
        return [*targets]
    read = {path for target in starts for path in target.files}
    texts: dict[str, list[str]] = {}
    for source in {target.source for target in starts}:
        if source is not None and not kinds.DOCUMENT.has(source.path):  # which only tells of it
            texts.setdefault(os.path.dirname(source.path), []).append(source.text)

    def is_own(target: Target) -> bool:
        source = target.source
        if source is None or not target.is_of_variables:
            return True
        is_platforms = target.dialect or source.context.reads(target.env, 1)
        if source.path in read or not (source.is_given or (target.is_translated and is_platforms)):
            return False
        folder, name = os.path.split(source.path)
        beside = texts.get(folder, ())
        is_composed = name == ".env" and any("services:" in text for text in beside)
        return not is_composed and not any(name in text for text in beside)

    return [target for target in targets if is_own(target)]


def of_variables(
    name: str, given: Given, texts: Mapping[str, str], asked: CheckOptions, owner: str = ""
) -> Target:
    """Return the target of variables, with the texts of their files; `owner`: the dialect that the
    name of a file tells.
    """
    lines = {file: text.split("\n") for file, text in texts.items()}
    places = {
        variable: _place(variable, file, line, lines.get(file, ()))
        for variable, (file, line) in given.places.items()
    }
    pin = of_platform(name, asked.platform, asked.tables) if name and asked.platform else None
    dialect, variable, is_certain = asked.dialect, "", True
    findings = list(given.findings)
    if texts and not asked.platform:
        by_name = owner and (owner, next(iter(given.env), ""), True)
        dialect, variable, is_certain = by_name or reader_of(given.env, asked)
        if dialect != asked.dialect:
            facts = {"dialect": dialect, "variable": variable}
            findings.append(finding("unknown-dialect", "dialect", case="assumed", **facts))
        pin = None if dialect else _pin_in(given, lines, asked.tables)
    command = Command(env=given.env, places=places, by_variables=bool(dialect), pin=pin)
    return Target(
        name or "the environment",
        command if dialect else evolve(command, argv=("vllm", "serve")),
        findings,
        (name, 0, 0) if name in texts else NOWHERE,
        {file: comments_in(text) for file, text in texts.items()},
        is_whole=is_certain,
        dialect="" if dialect == asked.dialect else dialect,
        key_of=given.key_of,
    )


def reader_of(env: Mapping[str, str], asked: CheckOptions) -> tuple[str, str, bool]:
    """Return whose variables those of a file are by their names, where nothing says it: the dialect
    ("" for vLLM itself), a variable that tells, and whether that is certain. Others may be
    compose's.
    """
    tables, dialect = asked.tables, asked.dialect
    other, variable = platform_of(env, dialect, tables)
    if other:
        return other, variable, True
    table = find_dialect(dialect, tables)
    images = [name for name, text in env.items() if image_of(text, tables).runs == "server"]
    known = [table.listed(name) for name in env] if table and not images else []
    named = (item for item in known if item.role in ("flag", "choice", "worker"))
    sure = [item.name for item in named if item.name != item.flag[2:].replace("-", "_").upper()]
    extra_args = table.extra_args if table else None
    sure += [extra_args] if extra_args and extra_args in env and not images else []
    of_vllm = [name for name in env if name.startswith("VLLM_") and tables.knows(name)]
    if not sure and (of_vllm or images):
        return "", (of_vllm or images)[0], False
    telling = (name for name in env if is_read([name], dialect, tables, 1))
    return dialect, next(iter(sure), next(telling, "")), bool(sure)


def _pin_in(given: Given, lines: Mapping[str, list[str]], tables: Tables) -> Pin | None:
    """Return the pin of the first image of vLLM's that variables name."""
    for name, text in given.env.items():
        if (known := image_of(text, tables)).runs == "server":
            file, line = given.places[name]
            column = lines[file][line - 1].find(text) + 1
            return of_image(placed_at(text, (file, line, column) if column else None), known)
    return None


def _place(name: str, file: str, line: int, lines: Sequence[str]) -> Place:
    """Return the place of a variable in a file of variables, from the line that sets it."""
    before, sign, _ = (lines[line - 1] if line <= len(lines) else "").partition(name)
    known = sign and before.strip() in ("", "export", '"')
    return file, line, len(before) + 1 if known else 0


def _variables_in(source: Source) -> list[Target]:
    """Return the target of a file of variables; none if they are another program's."""
    path, content, asked = source.path, source.content, source.asked
    text, form, dialect = read_file(path, content), form_of(asked.env_form, path), asked.dialect
    owner = ""
    if form == "properties" and not asked.platform:
        from translator.formats.properties import dialect_of

        owner = dialect_of(path, asked.tables)
        if source.among and not owner:
            return []
        dialect = owner or dialect
    given = environment_of([path], form, dialect, asked.tables, content)
    # The .env of a web application may have a SEED of its own.
    is_ours = "vllm" in f"{path}\n{text}".lower() or source.context.reads(given.env, 1)
    if not (path in asked.env_files or owner or is_ours):
        return []
    return [of_variables(path, given, {path: text}, asked, owner)]


def _read(source: Source) -> _Contents:
    """Return the targets of a file, without itself as their source, and the other commands."""
    if source.has_variables:
        return _variables_in(source), []
    path, content, context = source.path, source.content, source.context
    text = read_file(path, content)
    mentions = kinds.mentions_vllm(text, path) or context.reads(re.findall(_NAMES, text))
    # KubeAI's engine is VLLM, and a service may only add to one of another file.
    if source.among and not mentions and "VLLM" not in text and "services:" not in text:
        return [], []
    context = with_files(path, text, context)
    try:
        commands = read_commands(whole(text, path), context, path)
    except YamlError as error:
        if not mentions:
            return [], []
        if not source.among:
            raise UsageError(f"{path}: not valid YAML: {error}") from None
        about = finding("bad-manifest", "YAML", case="yaml", problem=str(error))
        line = str(error).partition(":")[0].removeprefix("line ")
        at = (path, int(line) if line.isdecimal() else 1, 0)
        return [Target(path, found=[about], at=at)], []
    starts = [
        item
        for item in commands
        if item.starts_vllm
        and may_start(item)
        # A template or a broken file is somebody else's; of a kind, it is known whose.
        and (mentions or not is_unread(item) or any(note.case == "kind" for note in item.findings))
    ]
    comments = {path: comments_in(text)}
    names = [f"{path}:{item.place[1]}" if len(starts) > 1 else path for item in starts]
    targets = [
        evolve(of_command(name, item, path), comments=comments) for name, item in zip(names, starts)
    ]
    return targets, [item for item in commands if item not in starts]


def of_command(name: str, command: Command, path: str = "") -> Target:
    """Return the target of a command, of a file with a path."""
    file, line, column = command.place
    at = (file or path, line or (1 if path else 0), column)
    return Target(command.name or name, command, command.for_check(), at)


# --- what else is to be known of a text and its file


def kind_of(text: str) -> str:
    """Return how a text is read: as variables if each of its lines may set one, and none of them
    starts vLLM.
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line and line[0] != "#"]
    sets = bool(lines) and all(re.match(_ASSIGNMENT, line) for line in lines)
    return "variables" if sets and "vllm serve" not in text else "command"


def with_files(path: str, text: str, context: Context) -> Context:
    """Return the context of a file: with the files beside it; of a compose file, with the variables
    of the `.env` there, which those of the process override; of a script, with the pin of the
    Dockerfile beside it that starts it; of a manifest, with the ConfigMaps of other files.
    """
    folder, name = os.path.split(path)
    context = evolve(context, beside=files_beside(folder, context.files))
    if kinds.SCRIPT.has(name):
        return evolve(context, pin=_pin_of_script(folder, name, context))
    if path == "-":
        return evolve(context, beside=None)
    if "configMap" in text:
        context = evolve(context, maps=context.files.maps_for(path))
    if not ("services:" in text or "include:" in text):
        return context
    inside = variables_beside(".env", "dotenv", context)
    outside = {**context.elsewhere, **(inside[0] if inside else {}), **context.outside}
    return evolve(context, outside=outside)


def _pin_of_script(folder: str, name: str, context: Context) -> Pin | None:
    """Return the pin of the Dockerfile that starts a script, in its folder or the one above; None
    if there is none, or several that differ.
    """
    pins, beside = {}, context.beside or (lambda path: None)
    for above, script in (
        ("", name),
        ("..", f"{os.path.basename(os.path.abspath(folder))}/{name}"),
    ):
        try:
            names = os.listdir(os.path.join(folder, above))
        except OSError:
            continue
        dockerfiles = (entry for entry in names if "file" in entry and kinds.DOCKERFILE.has(entry))
        for dockerfile in sorted(dockerfiles)[:_MOST_DOCKERFILES]:
            path, text = beside(os.path.join(above, dockerfile)) or ("", "")
            if script in text:
                from translator.deployments.read.directives import pin_of_script

                if pin := pin_of_script(name, path, text, context):
                    pins[pin.name] = pin
    return pins.popitem()[1] if len(pins) == 1 else None
