"""What is known of each vLLM: the compiled tables, read lazily and kept.

A `Tables` is immutable once a part has been read; two threads that read the same part at once both
get the same content.
"""

from __future__ import annotations

import os

from translator.tables.entries import JSON_KINDS, Bounds, Flag, Variable
from translator.text.json_text import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.tables.shapes import Shape


INDEX = "index.json"

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_compiled")


def _lines(text: str) -> dict[str, str]:
    """The lines of a compiled file by the names that they begin with: `"--seed":{…},`.

    A file is one JSON object; most processes need a few of its lines. The names in the files that
    are read so need no escapes.
    """
    return {line[1 : line.index('"', 1)]: line for line in text.split("\n") if len(line) > 1}


def _entry(line: str, name: str) -> Any:
    return scan(line, len(name) + 3)[0]


class Catalog:
    """What one vLLM version accepts.

    Attributes:
        version: the version of the table, for example "0.33.0".
        grammar: facts about the command line as a whole.
        bounded: those of the flags looked up so far whose numbers the engine bounds, each with its
            bounds.
        simple: those of the flags looked up so far that are neither JSON nor deprecated: whatever
            their value is, it needs no look of its own.
        written: flag → the value that was written last, and its tokens; one tuple, so that no
            thread sees half of it.
    """

    def __init__(self, version: str, text: str, shapes_text: str | None, tables: Tables) -> None:
        self.version = version
        self._lines = _lines(text)
        self.grammar: dict[str, Any] = _entry(self._lines.pop("@grammar"), "@grammar")
        self._flags: dict[str, Flag] = {}
        self.simple: set[str] = set()
        self.bounded: dict[str, Bounds] = {}
        self.written: dict[str, tuple[Any, list[str]]] = {}
        self._variables: dict[str, Variable] = {}
        self._shapes_text = shapes_text
        self._shapes: dict[str, Shape] = {}
        self._spellings: dict[str, tuple[Flag, bool]] | None = None
        self.tables = tables

    def flag(self, name: str) -> Flag | None:
        """The flag of this name (not of another spelling of it)."""
        found = self._flags.get(name)
        if found is None:
            line = self._lines.get(name)
            if line is not None and name[0] == "-":
                found = self._flags.setdefault(
                    name, Flag(name, _entry(line, name))
                )  # one object for all threads
                if not found.deprecated and found.kind not in JSON_KINDS:
                    self.simple.add(name)
                if found.started is not None and found.kind not in JSON_KINDS:
                    self.bounded[name] = Bounds(found.started)
        return found

    def variable(self, name: str) -> Variable | None:
        """The variable of vLLM's own table of this name."""
        found = self._variables.get(name)
        if found is None:
            line = self._lines.get(name)
            if line is not None and name[0] != "-":
                found = self._variables.setdefault(name, Variable(name, _entry(line, name)))
        return found

    def flag_names(self) -> list[str]:
        return [name for name in self._lines if name[0] == "-"]

    def variable_names(self) -> list[str]:
        return [name for name in self._lines if name[0] != "-"]

    def flags(self) -> Iterator[Flag]:
        for name in self.flag_names():
            flag = self.flag(name)
            assert flag is not None
            yield flag

    def spellings(self) -> dict[str, tuple[Flag, bool]]:
        """Every registered spelling, in the order of registration: the flag and whether the
        spelling switches it off.
        """
        if self._spellings is None:
            found: dict[str, tuple[Flag, bool]] = {}
            for flag in self.flags():
                for text in (flag.flag, *flag.aliases):
                    found[text] = (flag, False)
                for text in flag.negations:
                    found[text] = (flag, True)
            self._spellings = found
        return self._spellings

    def shape(self, flag: str) -> Shape | None:
        """The keys of a JSON flag that vLLM makes a class of: the parser, or the engine when it
        starts.
        """
        found = self._shapes.get(flag)
        if found is None:
            if self._shapes_text is None:
                self._shapes_text = self.tables.text(f"{self.version}.shapes.json") or ""
            start = f'\n"{flag}":'
            at = self._shapes_text.find(start)
            if at < 0:
                return None
            found = self._shapes[flag] = scan(self._shapes_text, at + len(start))[0]
        return found

    def with_flags(self, flags: list[Flag]) -> Catalog:
        """This version as if it had some flags of other versions as well."""
        found: Catalog = Catalog.__new__(Catalog)
        found.__dict__.update(self.__dict__)
        found._flags = {**self._flags, **{flag.flag: flag for flag in flags}}
        found._spellings = dict(self.spellings())
        for flag in flags:
            for text in (flag.flag, *flag.aliases, *flag.negations):
                found._spellings.setdefault(text, (flag, text in flag.negations))
        return found

    def knows(self, name: str) -> bool:
        """Whether a flag (any spelling), a key of a JSON flag (`--flag.key`) or a variable exists
        in this version.
        """
        if not name.startswith("-"):
            return name in self._lines
        flag, _, key = name.partition(".")
        if flag not in self._lines:
            return not key and flag in self.spellings()
        shape = self.shape(flag) if key and self.flag(flag).shaped else None  # type: ignore[union-attr]
        for part in key.split(".") if shape is not None else ():
            if shape is None or shape.get("kind") != "object" or part not in shape["keys"]:
                return shape is not None and shape.get("kind") in ("map", "json")
            shape = shape["keys"][part]
        return True


class Tables:
    """The compiled tables: catalogs, dialects, changes, secrets, and the index of every name ever
    known.

    Args:
        overlay: file name → text, which replaces or adds to the shipped files (a user's own tables,
            compiled).
    """

    def __init__(self, overlay: Mapping[str, str] | None = None) -> None:
        self._overlay = dict(overlay or {})
        self._catalogs: dict[str, Catalog] = {}
        self._records: dict[str, dict[str, dict[str, Any]]] = {}
        self._versions: list[str] | None = None
        self._index: dict[str, str] | None = None
        self.kept: dict[
            Any, Any
        ] = {}  # what other modules derive from the tables, by their own keys

    def text(self, name: str) -> str | None:
        """The text of one compiled file, or None."""
        if name in self._overlay:
            return self._overlay[name]
        try:
            with open(os.path.join(_FOLDER, name), encoding="utf-8", newline="\n") as file:
                return file.read()
        except (OSError, ValueError):  # not there, or no file can have that name
            return None

    def versions(self) -> list[str]:
        """The versions that there are catalogs for, oldest first."""
        if self._versions is None:
            text, start = self.text(INDEX) or "", '\n"@versions":'
            found: list[str] = scan(text, text.index(start) + len(start))[0]
            extra = [
                name.removesuffix(".json")
                for name in self._overlay
                if name[:1].isdigit() and not name.endswith(".shapes.json")
            ]
            if extra:
                from translator.tables.versions import Version

                found = sorted({*found, *extra}, key=Version)
            self._versions = found
        return self._versions

    def catalog(self, version: str) -> Catalog:
        """The catalog of one of `versions()`."""
        found = self._catalogs.get(version)
        if found is None:
            text = self.text(f"{version}.json")
            if text is None:
                raise KeyError(version)
            found = self._catalogs.setdefault(version, Catalog(version, text, None, self))
        return found

    def dialects(self) -> list[str]:
        """The names of the dialects that there are tables for."""
        return self._called("dialect.")

    def clusters(self) -> list[str]:
        """The names of the clusters that there are tables for."""
        return self._called("cluster.")

    def _called(self, begin: str) -> list[str]:
        names = {*os.listdir(_FOLDER), *self._overlay}
        return sorted(
            name[len(begin) : -len(".json")]
            for name in names
            if name.startswith(begin) and name.endswith(".json")
        )

    def records(self, name: str) -> dict[str, dict[str, Any]]:
        """The records of a compiled file by name; empty when there is no such file."""
        found = self._records.get(name)
        if found is None:
            text = self.text(name)
            found = scan(text, 0)[0] if text is not None else {}
            if found:  # made-up names of dialects have none, and no end
                self._records[name] = found
        return found

    def index(self) -> dict[str, dict[str, Any]]:
        """Every flag spelling and variable of any version → {"in": ["0.6.6-0.11.2", …], "of": the
        flag of another spelling}.
        """
        return {name: at for name, at in self.records(INDEX).items() if name[0] != "@"}

    def knowing(self, name: str) -> list[str]:
        """The version ranges that have a flag or variable, such as ["0.6.6-0.11.2"]; [] when none
        ever had it.
        """
        if self._index is None:
            self._index = _lines(self.text(INDEX) or "")
        # One line, and not all of `index()`: 2 ms less for a process that asks for 40 names.
        line = self._index.get(name)
        if line is None or name[0] == "@":
            return []
        found: list[str] = _entry(line, name)["in"]
        return found


_shipped: Tables | None = None


def shipped() -> Tables:
    """The tables of this installation."""
    global _shipped
    if _shipped is None:
        _shipped = Tables()
    return _shipped
