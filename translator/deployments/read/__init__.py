"""What the readers in this package get and return: contexts, containers and commands; and command
lines with values that are not known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from os.path import abspath, dirname, normpath
from typing import TYPE_CHECKING, Any

from translator.core.argv.reader import strip_command
from translator.core.argv.rewriting import Rewritten, options_of, with_dashes
from translator.core.findings import Finding, TranslationError, finding
from translator.core.settings.scope import scope as scope_of
from translator.core.tables.catalog import MODEL, Catalog, Flag, Tables, shipped
from translator.core.tables.dialects import find_dialect
from translator.core.tables.images import telling
from translator.core.text.json_text import YamlError
from translator.core.text.words import TOKEN, Origin, Place, place
from translator.deployments.read.pins import Pin
from translator.deployments.read.surroundings import Surroundings
from translator.formats.classes import evolve, field, frozen
from translator.formats.places import NOWHERE, whole
from translator.formats.references import Budget, has_hole, holes, visible

if TYPE_CHECKING:
    import yaml

# The path of a file as messages show it, and its text, for a path relative to the input; None if
# it cannot be read.
Beside = Callable[[str], "tuple[str, str] | None"]
# Keyword arguments of vLLM's engine: each with its value and its place.
EngineArgs = tuple[tuple[str, Any, "Place | None"], ...]

_CONFIG_MAP = b"kind: ConfigMap"

# The roles of variables that identify a container. Variables that any program may read, such as
# HF_TOKEN, do not.
_TELLING = frozenset(("flag", "absent", "choice", "extra-args", "config-file"))


def is_read(names: Iterable[str], dialect: str, tables: Tables, least: int = 2) -> bool:
    """Return whether a container is one of a dialect, by the names of its variables: by as many
    flags as asked for that hardly any program but vLLM has (by two, one of them has to be the
    model), or by the one that holds arguments; where none is asked for, and of a dialect whose
    names have a prefix, by any one.
    """
    try:
        scope = scope_of(tables.versions()[-1], dialect, {}, tables)[0]
    except TranslationError:
        return False  # no such dialect: reported elsewhere
    roles = [role for role in map(scope.role, names) if role and role.kind in _TELLING]
    if not least or scope.prefix or any(role.kind == "extra-args" for role in roles):
        return bool(roles)
    flags = {role.flag.flag if role.flag is not None else role.name for role in roles}
    return len(telling(flags, tables)) >= least and (least < 2 or MODEL in flags)


def platform_of(names: Collection[str], dialect: str, tables: Tables) -> tuple[str, str]:
    """Return the dialect whose prefix variables have, where the given one reads none of them, and
    one of these variables; "" and "" if there is none.
    """
    if is_read(names, dialect, tables, 1):
        return "", ""
    for other in tables.dialects():
        table = find_dialect(other, tables)
        own = [name for name in names if table and table.prefix and name.startswith(table.prefix)]
        if "@" not in other and is_read(own, other, tables):
            return other, own[0]
    return "", ""


def config_maps(documents: Iterable[yaml.Node]) -> dict[str, dict[str, yaml.Node]]:
    """Return the values of the ConfigMaps in a file, by name."""
    from translator.formats.yaml_nodes import entries, find, scalar_text  # few files are YAML

    maps = (item for item in documents if scalar_text(find(item, "kind")) == "ConfigMap")
    return {
        scalar_text(find(item, "metadata", "name")): entries(find(item, "data")) for item in maps
    }


@frozen
class Files:
    """The files of a run, which are read together.

    Attributes:
        contents: what they have, or would have, by their paths.
        named: the paths that whoever asks has named: others are from folders.
        reads: the variables that contents read, as far as somebody has asked.
    """

    contents: Mapping[str, bytes] = field(factory=dict)
    named: Collection[str] = ()
    reads: dict[bytes, Counter[str]] = field(factory=dict)

    def over(self, contents: Mapping[str, bytes]) -> Files:
        """Return the files as they would be with other contents of some."""
        files = evolve(self, contents={**self.contents, **contents})
        changed = (each[path] for path in contents for each in (contents, self.contents))
        has_maps = any(_CONFIG_MAP in content for content in changed)
        kept = {"_paths"} if has_maps else {"_paths", "_config_maps", "_with_config_maps"}
        vars(files).update({name: vars(self)[name] for name in kept & vars(self).keys()})
        return files

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {abspath(path): path for path in self.contents}

    def path(self, path: str) -> str:
        """Return the path of a file as it was given, if it is one of them; else its normal path."""
        return self._paths.get(abspath(path)) or normpath(path)

    @cached_property
    def _config_maps(self) -> list[tuple[str, str, Mapping[str, yaml.Node]]]:
        """The file, the name and the values of each ConfigMap in them."""
        from translator.formats.yaml_nodes import documents

        maps: list[tuple[str, str, Mapping[str, yaml.Node]]] = []
        for path in self._with_config_maps:
            try:
                nodes = documents(whole(self.contents[path].decode(errors="replace"), path))
            except YamlError:
                continue
            maps += [(path, name, values) for name, values in config_maps(nodes).items()]
        return maps

    @cached_property
    def _with_config_maps(self) -> list[str]:
        return [path for path, content in self.contents.items() if _CONFIG_MAP in content]

    def maps_for(self, file: str) -> dict[str, Mapping[str, yaml.Node]]:
        """Return the values of the ConfigMaps of other files that a manifest may refer to, by name:
        those in files of its folder, and others whose name only one has.
        """
        if {*self._with_config_maps} <= {file}:
            return {}
        names = Counter(name for _, name, _ in self._config_maps)
        folder = normpath(dirname(file))
        near = [item for item in self._config_maps if normpath(dirname(item[0])) == folder]
        alone = [item for item in self._config_maps if names[item[1]] == 1]
        return {name: values for _, name, values in (*alone, *near)}


@frozen
class Context:
    """The context in which a string is read.

    Attributes:
        env: the variables that the string may refer to.
        outside: further variables for compose files: those of the process.
        dialect: the one whose variables tell that a container belongs to it; "" for none.
        tables: where images are looked up.
        beside: reads the files that a compose file names, which stand beside it; None: they are not
            read.
        elsewhere: variables of files that may be named to compose; its own `.env` wins.
        files: those of the run.
        depth: how many scripts write the string into a file, one of them the next.
        budget: how much the references of the string may still add.
        maps: the values of the ConfigMaps that stand in it, by name.
        images: those of the containers that mount these ConfigMaps, by the same names.
        pin: of the image that runs a script: of the Dockerfile beside it.
    """

    env: Mapping[str, str] = field(factory=dict)
    outside: Mapping[str, str] = field(factory=dict)
    dialect: str = ""
    tables: Tables = field(factory=shipped)
    beside: Beside | None = None
    elsewhere: Mapping[str, str] = field(factory=dict)
    files: Files = field(factory=Files)
    depth: int = 0
    budget: Budget = field(factory=Budget)
    maps: Mapping[str, Mapping[str, yaml.Node]] = field(factory=dict)
    images: Mapping[str, str] = field(factory=dict)
    pin: Pin | None = None

    def reads(self, names: Iterable[str], least: int = 2, program: str = "") -> bool:
        """Return `is_read` of its dialect, or of the one whose program an image starts."""
        return bool(self.dialect) and is_read(names, program or self.dialect, self.tables, least)


@frozen
class Entry:
    """How `translate exec`, or a platform's program, was started.

    Attributes:
        program: the dialect of the platform's program that an image starts; "" if it may start
            `translate exec`.
        dialect: the dialect of the variables that it reads; None if no option names it, because its
            container was identified only by its variables.
        vllm, cluster: the values of its options, or None.
        worker_defaults: whether it adds the platform's documented defaults.
    """

    dialect: str | None = None
    program: str = ""
    vllm: str | None = None
    cluster: str | None = None
    worker_defaults: bool = False


@frozen
class Container:
    """A container as its file describes it: what it starts is not read yet.

    Attributes:
        name: such as "Deployment/vllm: server", or "service vllm"; "" for a command in none.
        place: of its command, or of the container if it has none.
        image: the image with its tag, or "".
        command: what replaces the image's entrypoint, or None.
        args: the arguments after the command.
        env: its variables.
        places: variable -> its place, including variables whose values are not known.
        referred: the variables that its command refers to, as `$(NAME)`.
        findings: what is wrong with it, and what is not known.
        pin: what says its vLLM instead of its image: a package that is installed, or the platform
            whose variables its file sets.
        engine: the engine arguments that its command makes, if it stands for these.
        is_open: whether what starts it may add arguments that are not in the file.
        gets_model: whether what starts it gives it a model, as KServe does to a runtime.
        surroundings: what it gets of its machine; None if nothing is known.
    """

    name: str = ""
    place: Place = NOWHERE
    image: str = ""
    command: list[str] | None = None
    args: list[str] = field(factory=list)
    env: dict[str, str] = field(factory=dict)
    places: dict[str, Place] = field(factory=dict)
    referred: frozenset[str] = frozenset()
    findings: list[Finding] = field(factory=list)
    pin: Pin | None = None
    engine: EngineArgs = ()
    is_open: bool = False
    gets_model: bool = False
    surroundings: Surroundings | None = None

    @property
    def words(self) -> list[str]:
        """Return its command with the arguments."""
        return [*(self.command or ()), *self.args]

    @property
    def is_platforms(self) -> bool:
        """Whether its file is one of a platform, whose program reads the variables."""
        return self.pin is not None and bool(self.pin.reader)

    @property
    def telling(self) -> set[str]:
        """Return the variables that may identify the reader: all except those that the command
        passes on.
        """
        return set(self.places) - self.referred


@frozen
class Command:
    """A command that starts vLLM: its command line and its variables.

    Attributes:
        argv: the command line, beginning with `vllm serve`; for `translate exec`, the tokens that
            override the variables. They have their places (text/words.py), and their unknown
            parts are marked (formats/references.py).
        env: the variables that were set with it.
        files: those that their values stand in.
        pin: what says its vLLM: its image, a `pip install` in front of it, or the options of
            `translate exec`; None if nothing does.
        contained: whether it runs in a container, which has other files.
        entry: how `translate exec`, which reads the variables, was started; None for other
            commands.
        findings: what was left out, and what is not known.
        unknown: what only a shell knows, as it is written.
        names: names of the variables, including those whose values are not known.
        name: of its container in a manifest; otherwise "".
        place: of its container, or of the command in a script.
        places: variable -> its place.
        starts_vllm: False for a container that does not seem to run vLLM.
        by_variables: whether only the variables are known, and not what the image starts.
        is_guess: whether nothing but the names of its variables tells that it runs vLLM.
        container: what it starts in; of engine arguments, it has another command line for other
            versions.
    """

    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(factory=dict)
    files: frozenset[str] = frozenset()
    pin: Pin | None = None
    contained: bool = False
    entry: Entry | None = None
    findings: list[Finding] = field(factory=list)
    unknown: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    name: str = ""
    place: Place = NOWHERE
    places: dict[str, Place] = field(factory=dict)
    starts_vllm: bool = True
    by_variables: bool = False
    is_guess: bool = False
    container: Container = field(factory=Container)

    @property
    def vllm(self) -> str | None:
        """Return the version that it is pinned to; None if that is not known."""
        return (self.pin.vllm if self.pin is not None else "") or None

    @cached_property
    def tokens(self) -> list[str]:
        """Return the command line as it is written."""
        return [str(visible(token)) for token in self.argv]

    @cached_property
    def marked(self) -> list[str]:
        """Return the command line with its unknown parts marked."""
        return [str(token) for token in self.argv]

    @cached_property
    def token_places(self) -> list[Place | None]:
        """Return the place of each token; None where it is not known."""
        return [place(visible(token)) for token in self.argv]

    def for_check(self) -> list[Finding]:
        """Return the findings as a check means them: a value that is not known is no error, because
        everything around it can be checked all the same. What a script does beside the command
        changes nothing for it, but for a variable of vLLM's that it sets and does not export; nor
        does a variable from elsewhere that neither vLLM nor `translate exec` reads, such as a token
        for a hub.
        """
        at = {text: at for at, token in enumerate(self.argv) for text in holes([token])}
        return [
            not_known(item.subject, at.get(item.subject, -1))
            if (item.subject in self.unknown and item.has_trait("hole"))
            or (item.code == "shell-variable" and item.case)  # such as an image's
            or _is_from_elsewhere(item)
            else item
            for item in self.findings
            if self._concerns_vllm(item)
        ]

    def for_translation(self) -> list[Finding]:
        """Return the findings as a translation means them: one for all that a script runs beside
        the command, and none for a variable of the shell that neither vLLM nor `translate exec`
        reads.
        """
        is_read = self.entry is not None or self.by_variables
        cut = [item for item in self.findings if item.code == "cut-off"]
        first, *more = dict.fromkeys(item for item in cut if not item.case) or [None]
        settings = (item for item in cut if item.case == "assignment" and not is_read)
        left = {*more, *(item for item in settings if not _is_variable(item))}
        return [
            item.with_facts(others=len(more)) if item is first and more else item
            for item in self.findings
            if item not in left
        ]

    def _concerns_vllm(self, item: Finding) -> bool:
        """Return whether what a check does not know, or leaves out, might be read by vLLM."""
        is_read = self.entry is not None or self.by_variables
        if item.code == "cut-off":
            return item.case == "assignment" and _is_variable(item)
        return is_read or not _is_from_elsewhere(item) or _is_variable(item)


def not_known(text: str, at: int = -1) -> Finding:
    """Return the finding about a value that is not known, in the token at an index."""
    return finding("value-not-known", text, text=text).of(Origin(TOKEN, text, at, hole=True))


def unread(at: Place, code: str, subject: str, case: str, **facts: str) -> Command:
    """Return what is known of a part of a file that cannot be read: why."""
    return Command(findings=[finding(code, subject, case=case, **facts)], place=at)


def _is_variable(item: Finding) -> bool:
    """Return whether what a finding is about is a variable of any vLLM's."""
    return shipped().knows(item.subject.partition("=")[0])


def _is_from_elsewhere(item: Finding) -> bool:
    """Return whether the value of a variable is a Secret's, or one of docker's or compose's."""
    return item.code == "unresolved-value" and not item.case


def exceeded(budget: Budget, container: str = "") -> list[Finding]:
    """Return the finding for references that add too much, if any did since the last call."""
    line = budget.report()
    if line is None:
        return []
    return [finding("expands-too-much", container or "$", container=container, line=line)]


# --- values that only the machine knows where a command runs: `--port $PORT`
#
# Such a value may be anything that its flag takes. It is replaced by one that the flag takes, so
# that everything around it is checked as it is.

# What people write where somebody is to fill in a value.
_PLACEHOLDER = (
    r"__\w+__|<[^<>]+>|\{[\w. -]+\}|\{\{.*|%\w+%|@\w+@|\[[A-Z][A-Z_ -]*\]"
    r"|(?i:-{0,2}your)[-_][\w-]+|\.\.\.|…"
)
_PLACE_OF_NUMBER = r"[A-Z]+(?:_[A-Z]+)+|[NX]+|X+\.X+"
_MAY_HAVE_PLACES = rf"{_PLACEHOLDER}|\b(?:{_PLACE_OF_NUMBER})\b"

# A value of each kind; of a text, what is written is one.
_VALUES = {
    "bool-value": "true",
    "float": "0.5",
    "int": "1",
    "json": "{}",
    "size": "1",
    "size-or-auto": "1",
}


class Filled:
    """A command line without holes, which are filled token by token.

    Attributes:
        tokens: the tokens.
        places: the placeholders among the values, each with the index of its token.
        dropped: whether something was left out that may be any number of tokens.
        has_places: whether it may have placeholders.
    """

    def __init__(self, catalog: Catalog, has_places: bool) -> None:
        self.tokens: list[str] = []
        self.places: dict[str, int] = {}
        self.dropped = False
        self._catalog, self.has_places = catalog, has_places
        self._taker: Flag | None = None  # the flag that takes the next value
        self._other = False  # whether the next value is that of an option that is not known
        self._has_model = False
        self._is_open = False  # whether the next words may belong to what is not known

    def is_unknown(self, value: str, flag: Flag | None, at: int = -1) -> bool:
        """Return whether a value has a hole, or is a placeholder, which is noted."""
        if has_hole(value):
            return True
        is_free = flag and flag.kind == "str" and flag.choices is None and flag.start is None
        if is_free and value.startswith("{{"):
            return False  # a chat template, or what a template makes of it: the same text
        match = re.fullmatch(_PLACEHOLDER, value)
        if match is None and flag is not None and flag.kind in _VALUES:
            match = re.fullmatch(_PLACE_OF_NUMBER, value)
        if match:
            self.places[value] = at
        return bool(match)

    def _is_unknown(self, value: str, flag: Flag | None, at: int) -> bool:
        return self.is_unknown(value, flag, at) if self.has_places else has_hole(value)

    def put(self, text: str, token: str, at: int, hole: bool = False) -> None:
        """Put a text in the place of a token."""
        self.tokens.append(Rewritten(text, visible(token), at, hole))

    def put_option(self, token: str, at: int) -> None:
        """Put an option, with a value that its flag takes in a hole."""
        name, sign, value = token.partition("=")
        self._is_open = False
        if self._is_unknown(name, None, at):
            self._taker, self._other, self.dropped = None, True, True
            return
        readings = options_of(with_dashes(name, self._catalog.grammar), self._catalog)
        flag = readings[0][0] if len(readings) == 1 else None
        takes_next = flag is not None and flag.takes_value and not (sign or readings[0][2])
        self._taker, self._other = flag if takes_next else None, flag is None
        self._has_model = self._has_model or (flag is not None and flag.flag == MODEL)
        if not self._is_unknown(value, flag, at):
            self.put(token, token, at)
        elif flag is None:
            self.put(visible(token), token, at, hole=True)
        else:
            self.put(f"{name}={_value(flag, value)}", token, at, hole=True)

    def put_word(self, token: str, at: int, is_first: bool) -> None:
        """Put a value, the model, or what is neither: a hole may be any number of words."""
        taker = self._taker
        if self._is_open:
            return
        if not self._is_unknown(token, taker, at):
            self.put(token, token, at)
            self._has_model = self._has_model or (taker is None and not self._other)
        elif taker is not None:
            self.put(_value(taker, token), token, at, hole=True)
        elif self._other or not self._has_model:
            # It may be more than the value of that option, or than the model.
            self.dropped = self.dropped or self._other or not is_first
            self._has_model, self._other = self._has_model or not self._other, False
            self.put(visible(token), token, at, hole=True)
        else:
            self.dropped = self._is_open = True
            if self.tokens[-1] == "#":  # of a comment such as `# ... more`
                self.tokens.pop()
        self._taker = taker if taker is not None and taker.kind == "list" else None


def filled(tokens: Sequence[str], catalog: Catalog, *, in_file: bool = False) -> Filled:
    """Return a command line with a fitting value in each hole.

    Args:
        tokens: the command line, its holes marked.
        catalog: the version's catalog.
        in_file: whether it is one of a file, where a placeholder is a hole: what is run without a
            file is run as it is.
    """
    text = "\n".join(tokens)
    line = Filled(catalog, in_file and bool(re.search(_MAY_HAVE_PLACES, text)))
    if not (line.has_places or has_hole(text)):
        line.tokens += tokens
        return line
    start = len(tokens) - len(strip_command(list(tokens))[0])
    for at, token in enumerate(tokens):
        if at < start:
            line.put(visible(token), token, at)
        elif token.startswith("-") and len(token) > 1:
            line.put_option(token, at)
        else:
            line.put_word(token, at, is_first=at == start)
    return line


def _value(flag: Flag, written: str) -> str:
    """Return a value that a flag takes; of a choice its default, if it is one."""
    if flag.choices:
        choices = [str(item) for item in flag.choices]
        return str(flag.default) if str(flag.default) in choices else choices[0]
    kind = flag.kind if flag.kind not in ("list", "append") else flag.element
    return _VALUES.get(kind) or visible(written)
