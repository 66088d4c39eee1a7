"""Facts about each vLLM version: flags, variables, the compiled tables, read lazily and cached.

A `Tables` is immutable once a part has been read; two threads that read the same part at once get
the same content.
"""

from __future__ import annotations

import sys

from translator.core.tables import records
from translator.core.tables.records import Variable as Variable
from translator.core.tables.versions import release, runs
from translator.core.text.json_text import compiled, scan
from translator.core.text.words import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Generic, TypeVar

    from translator.core.findings import Fact
    from translator.core.tables import entries
    from translator.core.tables.entries import Change, Shape

    Entry = TypeVar("Entry")

    class FileOf(str, Generic[Entry]):
        """The name of a compiled file with entries of a type, by name."""

else:
    FileOf = str


# The two options that vLLM's own parse_args looks up by name before argparse sees the command line
# (every version).
MODEL = "--model"
CONFIG = "--config"

CHANGES: FileOf[Change] = FileOf("changes.json")  # by name, and by `NAME=value`
PLUGINS: FileOf[entries.Plugin] = FileOf("plugins.json")
RELATIONS: FileOf[Any] = FileOf("relations.json")  # by id: expressions, and what messages say
RELATED: FileOf[Any] = FileOf("related.json")  # when it is tried → flag → the ids of relations
MODEL_KEYS: FileOf[Any] = FileOf("model_keys.json")  # its fields
ARCHITECTURES: FileOf[Any] = FileOf("architectures.json")  # name → since, until, facts
SERVERS: FileOf[Any] = FileOf("servers.json")  # by flag: the `servers`, and the flag that is `ours`
MESSAGES: FileOf[entries.Message] = FileOf("messages.json")
CHARTS: FileOf[entries.Chart] = FileOf("charts.json")
SECRETS: FileOf[entries.Secret] = FileOf("secrets.json")  # flags and variables

LEVEL = "-O"
JSON_KINDS = frozenset(("json", "json-or-str"))

NAMES: FileOf[object] = FileOf("names.json")  # the compiled files of dialects and clusters
KNOWN = "known.txt"  # the flags, spellings and variables of all versions, one a line
FACTS, KEYS, SPELLINGS = "facts.pack", "keys.pack", "spellings.pack"
"""What the versions say of flags, variables and the grammar (`@field`); of the keys of JSON flags
(`--flag.key`); and of which flag a further spelling is, with "!" if it switches this off.

A line is `FFFLLLname fact`: the places of the first and the last version that say so (999: the
newest). Those that end last come first; the head says for each version how many characters hold
the lines that are about it or a later one.
"""


def flag_of(name: str) -> str:
    """Return the flag for a variable name: `--max-model-len` for `MAX_MODEL_LEN`."""
    return "--" + name.lower().replace("_", "-")


def variable_of(flag: str) -> str:
    """Return the variable name for a flag: `MAX_MODEL_LEN` for `--max-model-len`."""
    return flag.lstrip("-").replace("-", "_").upper()


class Grammar(records.Grammar):
    """What the command line of one version as a whole knows; mappings/README.md describes it."""

    @property
    def reads_dots(self) -> bool:
        """Whether dotted keys are read: as JSON, or (before 0.9.2) as text."""
        return self.dotted or self.dotted_texts

    @property
    def level(self) -> str | None:
        """What `-O3` sets: a flag's name without its dashes, or a key of --compilation-config."""
        return self.O.get(f"{LEVEL}3")


class Flag(records.Flag):
    """One flag of one version."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__(record)
        self.takes_value = self.kind not in ("switch", "toggle")
        self.shaped = self.shape is not None

    @property
    def boolean(self) -> bool:
        return self.kind in ("switch", "toggle", "bool-value")

    @property
    def off(self) -> str | None:
        """Return the last spelling that switches the flag off, as the help does (0.33:
        `--disable-x`).
        """
        return self.negations[-1] if self.negations else None


class Bounds:
    """The numbers with which the engine starts: those between `above` and `below`, for certain; or
    else the names.
    """

    __slots__ = ("above", "below", "names", "shape")

    def __init__(self, shape: Shape) -> None:
        whole = shape["kind"] == "int"
        self.shape = shape
        self.names: Sequence[str] = shape.get("choices", ())
        self.above: float = shape.get("gt", shape.get("ge", float("-inf")) - whole)
        self.below: float = shape.get("lt", shape.get("le", float("inf")) + whole)


class Plugin(records.Plugin):
    """A plugin of a variable; `prefix` is what this begins with, unless it is listed."""

    prefix = ""


def _entry(line: str) -> Any:
    return scan(line, 0)[0]


class Catalog:
    """What one vLLM version accepts.

    Attributes:
        version: the version of the table, for example "0.33.0".
        lines: what it says of each name, as JSON texts.
        grammar: facts about the command line as a whole.
        bounded: of the flags looked up so far, those whose numbers or names the engine bounds.
        simple: of the flags looked up so far, those that are neither JSON nor deprecated: their
            values need no further check.
        frontends: the variables of vLLM's own that start another frontend.
    """

    def __init__(self, version: str, tables: Tables) -> None:
        """Read a version.

        Raises:
            KeyError: there is no such version.
        """
        self.version, self.tables = version, tables
        self.lines = lines = tables.held(FACTS, version)
        grammar = {name[1:]: _entry(lines[name])["value"] for name in lines if name[0] == "@"}
        self.frontends = [name for name, line in lines.items() if '"flags_refused":' in line]
        self.grammar = Grammar(grammar)
        self._keys: dict[str, str] | None = None
        self._shapes: dict[str, Shape] = {}
        self._flags: dict[str, Flag] = {}
        self.simple: set[str] = set()
        self.bounded: dict[str, Bounds] = {}
        self.derived: dict[object, Any] = {}  # what follows from it alone, by whoever derives it
        self._variables: dict[str, Variable] = {}
        self._spellings: dict[str, tuple[str, bool]] | None = None
        self._named: dict[str, tuple[Flag, bool]] = {}  # of the spellings looked up so far
        self._spelled: str | None = None

    def flag(self, name: str) -> Flag | None:
        """Return the flag with this name (other spellings are not looked up)."""
        flag = self._flags.get(name)
        if flag is None:
            line = self.lines.get(name)
            if line is not None and name[0] == "-":
                known = self.tables.read_flags  # one object for all threads, and versions
                read = known.get((name, line)) or Flag({"flag": name, **scan(line, 0)[0]})
                flag = self._flags[name] = known.setdefault((name, line), read)
                if not flag.deprecated and flag.kind not in JSON_KINDS:
                    self.simple.add(name)
                if flag.start is not None and flag.kind not in JSON_KINDS:
                    self.bounded[name] = Bounds(flag.start)
        return flag

    def bounds(self, flag: str) -> Bounds | None:
        """Return what the engine accepts of the numbers or names of a flag; None for anything."""
        return self.bounded.get(flag) if self.flag(flag) else None

    def variable(self, name: str) -> Variable | None:
        """Return the variable with this name in vLLM's own table."""
        variable = self._variables.get(name)
        if variable is None:
            line = self.lines.get(name)
            if line is not None and name[0] not in "-@":
                variable = self._variables[name] = Variable({"name": name, **_entry(line)})
        return variable

    def flag_names(self) -> list[str]:
        return sorted(name for name in self.lines if name[0] == "-")

    def variable_names(self) -> list[str]:
        return sorted(name for name in self.lines if name[0] not in "-@")

    def flags(self) -> Iterator[Flag]:
        return filter(None, map(self.flag, self.flag_names()))

    def spellings(self) -> Mapping[str, tuple[str, bool]]:
        """Return every spelling → the name of its flag, and whether it switches this off."""
        if self._spellings is None:
            spellings = {name: (name, False) for name in self.flag_names()}
            for text, flag in self.tables.held(SPELLINGS, self.version).items():
                spellings[text] = (flag.removeprefix("!"), flag[0] == "!")
            self._spellings = spellings  # when it is whole, for other threads
        return self._spellings

    def spelled(self, text: str) -> tuple[Flag, bool] | None:
        """Return the flag that has a spelling, and whether this switches it off."""
        named = self._named.get(text)
        if named is None and text in self.spellings():
            name, negated = self.spellings()[text]
            if (flag := self.flag(name)) is not None:
                named = self._named[text] = (flag, negated)
        return named

    def begins_a_spelling(self, text: str) -> bool:
        """Return whether a spelling may begin with a string: False for nearly all others."""
        if self._spelled is None:
            self._spelled = "\n".join(("", *self.spellings()))
        return f"\n{text}" in self._spelled

    def shape(self, flag: str) -> Shape | None:
        """Return the keys of a JSON flag that vLLM makes a class of, in its parser or engine."""
        keyed = self._shapes.get(flag)
        if keyed is None and flag in self.lines:
            fields = _entry(self.lines[flag])
            shape = fields.get("shape") or fields.get("start")
            if shape is not None and shape["kind"] == "object":
                if self._keys is None:
                    self._keys = self.tables.held(KEYS, self.version)
                keyed = self._shapes[flag] = _with_keys(shape, f"{flag}.", self._keys)
        return keyed

    def with_flags(self, flags: Mapping[str, Flag], *, dotted: bool = False) -> Catalog:
        """Return this version with spellings of others' flags, and with dotted keys if asked."""
        catalog: Catalog = Catalog.__new__(Catalog)
        catalog.__dict__.update(self.__dict__)
        catalog._flags = {**self._flags, **flags}
        more = {name: (name, name in flag.negations) for name, flag in flags.items()}
        catalog._spellings, catalog._spelled = {**self.spellings(), **more}, None
        catalog._named = {}
        if dotted:
            catalog.grammar = Grammar({**vars(self.grammar), "dotted": True})
        return catalog

    def knows(self, name: str) -> bool:
        """Return whether this version has a flag (any spelling), a variable, or a `--flag.key`."""
        if not name.startswith("-"):
            return name in self.lines
        flag, _, key = name.partition(".")
        if flag not in self.lines:
            return not key and flag in self.spellings()
        shape = self.shape(flag) if key and self.flag(flag).shaped else None  # type: ignore[union-attr]
        for part in key.split(".") if shape is not None else ():
            if shape is None or shape.get("kind") != "object" or part not in shape["keys"]:
                return shape is not None and shape.get("kind") in ("map", "json")
            shape = shape["keys"][part]
        return True

    def has_choice(self, name: str, choice: str) -> bool:
        """Return whether a value is one of a flag's choices, both for the parser and the engine."""
        flag = self.flag(name)
        start = (flag and flag.start) or {}
        listed = [choices for choices in (flag and flag.choices, start.get("choices")) if choices]
        return bool(listed) and all(choice in map(str, choices) for choices in listed)

    def when(self, name: str, choice: str = "") -> dict[str, Fact]:
        """Return the release that removed a name, or the one that added it to newer versions; with
        `choice`, that value of the flag.
        """
        known = self.tables.versions()
        here = known.index(self.version)
        having = self.tables.having(name)
        if choice:
            having = [item for item in having if self.tables.catalog(item).has_choice(name, choice)]
        places = [known.index(item) for item in having]
        last = max((at for at in places if at < here), default=-1)
        if last >= 0:
            return {"removed": release(known[last], known[last + 1])}
        if not places or not places[0]:
            return {}
        return {"added": release(known[places[0] - 1], known[places[0]])}


def _with_keys(shape: Shape, path: str, keys: Mapping[str, str]) -> Shape:
    """Return a shape; of an object, with the shapes of the keys below its path."""
    if shape["kind"] != "object":
        return shape
    cut = len(path)
    names = [name for name in keys if name.startswith(path) and "." not in name[cut:]]
    inside = {name[cut:]: _with_keys(_entry(keys[name]), f"{name}.", keys) for name in names}
    return {**shape, "keys": inside}


class Tables:
    """The compiled tables: catalogs, dialects, changes, secrets.

    Args:
        overlay: file name → text, which replaces or extends the shipped files (a user's own tables,
            compiled).
    """

    def __init__(self, overlay: Mapping[str, str] | None = None) -> None:
        self._overlay = dict(overlay or {})
        self._catalogs: dict[str, Catalog] = {}
        self._records: dict[str, dict[str, Any]] = {}
        self._packs: dict[str, tuple[dict[str, int], str]] = {}
        self._runs: dict[str, dict[str, list[str]]] = {}
        self._names: dict[str, str] = {}
        self._known: frozenset[str] | None = None
        self._similar: dict[tuple[str, str], list[str]] = {}
        self.read_flags: dict[tuple[str, str], Flag] = {}  # by their names and lines
        # For `find_dialect`, `scope` and `secrets_of`, which stand above the tables.
        self.read_dialects: dict[str, Any] = {}
        self.scopes: dict[tuple[str, str], Any] = {}
        self.secrets: Any = None

    def over(self, files: Mapping[str, str]) -> Tables:
        """Return these tables with more compiled files, which replace those of their names."""
        return Tables({**self._overlay, **files})

    def text(self, name: str) -> str | None:
        """Return the text of one compiled file, or None."""
        if name in self._overlay:
            return self._overlay[name]
        try:
            return compiled(name)
        except (OSError, ValueError):  # the file is missing, or its name is invalid
            return None

    def _packed(self, name: str) -> tuple[dict[str, int], str]:
        """Return a compiled table of all versions, and how much of it is about each or later."""
        packed = self._packs.get(name)
        if packed is None:
            text = self.text(name) or ""
            head = [item.split(":") for item in text[: text.index("\n")].split(" ")]
            packed = self._packs[name] = ({version: int(end) for version, end in head}, text)
        return packed

    def held(self, pack: str, version: str) -> dict[str, str]:
        """Return what a version says of each name, in one of FACTS, KEYS and SPELLINGS.

        Raises:
            KeyError: there is no such version.
        """
        ends, text = self._packed(pack)
        end, at = ends[version], f"{list(ends).index(version):03}"
        lines = text[:end].split("\n")[1:-1]
        held = [line[6:].split(" ", 1) for line in lines if line[:3] <= at]
        if self._catalogs:  # versions have most of it in common: once in memory
            return {sys.intern(name): sys.intern(text) for name, text in held}
        return dict(held)

    def versions(self) -> list[str]:
        """Return the versions that have catalogs, oldest first."""
        return list(self._packed(FACTS)[0])

    def catalog(self, version: str) -> Catalog:
        """Return the catalog of one of `versions()`.

        Raises:
            KeyError: there is none.
        """
        catalog = self._catalogs.get(version)
        if catalog is None:
            catalog = self._catalogs.setdefault(version, Catalog(version, self))
        return catalog

    def dialects(self) -> list[str]:
        """Return the names of the dialects that have tables."""
        return self._called("dialect.")

    def clusters(self) -> list[str]:
        """Return the names of the clusters that have tables."""
        return self._called("cluster.")

    def cluster(self, name: str) -> entries.Cluster:
        """Return which variables a cluster has; {} if it has no table."""
        file: FileOf[entries.Cluster] = FileOf(f"cluster.{name}.json")
        return self.records(file).get("@cluster", {})

    def head(self, dialect: str) -> entries.DialectHead:
        """Return what a dialect's own table says of it; {} if it has no table."""
        file: FileOf[entries.DialectHead] = FileOf(f"dialect.{dialect}.json")
        return self.records(file).get("@dialect", {})

    def _called(self, begin: str) -> list[str]:
        names = {*self.records(NAMES), *self._overlay}
        files = (name.removesuffix(".json") for name in names if name.startswith(begin))
        return sorted(name.removeprefix(begin) for name in files)

    def records(self, name: FileOf[Entry]) -> dict[str, Entry]:
        """Return the entries of a compiled file by name; {} if the file does not exist."""
        records = self._records.get(name)
        if records is None:
            text = self.text(name)
            records = scan(text, 0)[0] if text is not None else {}
            if records:  # made-up dialect names have none, and there is no limit to them
                self._records[name] = records
        return records

    def names(self) -> dict[str, str]:
        """Return every flag, spelling and variable of any version in order, and of which flag it is
        in the newest version that has it as another spelling.
        """
        if not self._names:
            names = {name: name for name in self._places(FACTS)}
            for line in reversed(self._packed(SPELLINGS)[1].split("\n")[1:-1]):
                text, _, flag = line[6:].partition(" ")
                names[text] = flag.removeprefix("!")
            self._names = dict(sorted(names.items()))
        return self._names

    def plugin(self, name: str) -> Plugin | None:
        """Return the plugin that reads a variable, by its name or else by a prefix of it."""
        plugins = self.records(PLUGINS)
        for plugin, fields in plugins.items():
            if name in fields.get("variables", ()):
                return Plugin({"name": plugin, **fields})
        for plugin, fields in plugins.items():
            for prefix in fields.get("prefixes", ()):
                if name.startswith(prefix) and name != prefix:
                    return Plugin({"name": plugin, "prefix": prefix, **fields})
        return None

    def _places(self, pack: str) -> dict[str, list[str]]:
        """Return the names in a compiled table of all versions, each with the places of the first
        and the last version of each of its lines.
        """
        places = self._runs.get(pack)
        if places is None:
            places = {}
            for line in self._packed(pack)[1].split("\n")[1:-1]:
                if line[6] != "@":
                    places.setdefault(line[6:].partition(" ")[0], []).append(line[:6])
            self._runs[pack] = places
        return places

    def having(self, name: str) -> list[str]:
        """Return the versions that have a spelling of a flag, a key or a variable, oldest first."""
        packs = (KEYS,) if "." in name else (FACTS, SPELLINGS)
        places = sorted(place for pack in packs for place in self._places(pack).get(name, ()))
        spans = [self.versions()[int(place[:3]) : int(place[3:]) + 1] for place in places]
        return list(dict.fromkeys([version for span in spans for version in span]))

    def knows(self, name: str) -> bool:
        """Return whether any version has a spelling of a flag, a key or a variable of this name."""
        if "." in name:
            return name in self._places(KEYS)
        if self._known is None:
            self._known = frozenset((self.text(KNOWN) or "").split("\n"))
        return name in self._known

    def knowing(self, name: str) -> list[str]:
        """Return the version ranges that have a name, such as ["0.6.6-0.11.2"]."""
        return [f"{first}-{last}" for first, last in runs(self.versions(), self.having(name))]

    def similar(self, name: str, begin: str) -> list[str]:
        """Return the flags or variables of any version that a name may be a misspelling of, best
        first.

        Args:
            name: the name.
            begin: how they begin. It is left out of variables, which it would make all alike.
        """
        names = self._similar.get((name, begin))
        if names is None:
            cut = 0 if begin == "-" else len(begin)
            known = [item[cut:] for item in self.names() if item.startswith(begin)]
            names = self._similar[name, begin] = nearest(name, known, len(known) or 1)
        return names


_shipped: Tables | None = None


def shipped() -> Tables:
    """Return the tables of this installation."""
    global _shipped
    if _shipped is None:
        _shipped = Tables()
    return _shipped
