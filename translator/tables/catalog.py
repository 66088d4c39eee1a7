"""What running knows: the compiled tables, read lazily and kept.

A `Tables` is immutable once a part has been read; two threads that read the same part at once both
get the same content.
"""

from __future__ import annotations

import os

from translator.tables.entries import JSON_KINDS, Bounds, Flag, Variable
from translator.tables.records import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.tables.shapes import Shape


_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_compiled")


def _names(lines: list[str]) -> dict[str, str]:
    """Record lines by name. No name of the tables needs unescaping."""
    return {line.partition("\t")[0]: line for line in lines if line}


class Catalog:
    """What one vLLM version accepts.

    Attributes:
        version: the version of the table, for example "0.33.0".
        grammar: facts about the command line as a whole.
        bounded: those of the flags asked for so far whose numbers the engine bounds, each with its
            bounds.
        simple: those of the flags asked for so far that are neither JSON nor deprecated: whatever
            their value is, it needs no look of its own.
        written: flag → the value that was written last, and its tokens; one tuple, so that no
            thread sees half of it.
    """

    def __init__(self, version: str, text: str, shapes_text: str | None, tables: Tables) -> None:
        head, _, rest = text.partition("\n%flags\n")
        flags, _, variables = rest.partition("%env\n")
        self.version = version
        self.grammar: dict[str, Any] = decode(head.strip())[1]
        self._flag_lines = _names(flags.split("\n"))
        self._variable_lines = _names(variables.split("\n"))
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
            line = self._flag_lines.get(name)
            if line is not None:
                found = self._flags.setdefault(
                    name, Flag(name, decode(line)[1])
                )  # one object for all threads
                if not found.deprecated and found.kind not in JSON_KINDS:
                    self.simple.add(name)
                if found.started is not None and found.kind not in JSON_KINDS:
                    self.bounded[name] = Bounds(found.kind, found.started)
        return found

    def variable(self, name: str) -> Variable | None:
        """The variable of vLLM's own table of this name."""
        found = self._variables.get(name)
        if found is None:
            line = self._variable_lines.get(name)
            if line is not None:
                found = self._variables.setdefault(name, Variable(name, decode(line)[1]))
        return found

    def flag_names(self) -> list[str]:
        return list(self._flag_lines)

    def variable_names(self) -> list[str]:
        return list(self._variable_lines)

    def flags(self) -> Iterator[Flag]:
        for name in self._flag_lines:
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
                self._shapes_text = self.tables.text(f"{self.version}.shapes.txt") or ""
            _, _, line = ("\n" + self._shapes_text).partition(f"\n{flag}\t")
            if not line:
                return None
            from translator.text.json_text import loads

            found = self._shapes[flag] = loads(line.partition("\n")[0])
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
            return name in self._variable_lines
        flag, _, key = name.partition(".")
        if flag not in self._flag_lines:
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
            line = (self.text("index.txt") or "").split("\n", 2)[1]
            found = line.removeprefix("versions:").split("|")
            extra = [
                name.removesuffix(".txt")
                for name in self._overlay
                if name[:1].isdigit() and name.count(".txt") == 1 and "shapes" not in name
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
            text = self.text(f"{version}.txt")
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
            name[len(begin) : -len(".txt")]
            for name in names
            if name.startswith(begin) and name.endswith(".txt")
        )

    def records(self, name: str) -> dict[str, dict[str, Any]]:
        """The records of a compiled file by name; empty when there is no such file."""
        found = self._records.get(name)
        if found is None:
            found = {}
            for line in (self.text(name) or "").split("\n"):
                if line and "\t" in line:
                    key, fields = decode(line)
                    found[key] = fields
            if found:  # made-up names of dialects have none, and no end
                self._records[name] = found
        return found

    def index(self) -> dict[str, dict[str, Any]]:
        """Every flag spelling and variable of any version → {"in": ["0.6.6-0.11.2", …], "of": the
        flag of another spelling}.
        """
        return self.records("index.txt")

    def knowing(self, name: str) -> list[str]:
        """The version ranges that have a flag or variable, such as ["0.6.6-0.11.2"]; [] when none
        ever had it.
        """
        if self._index is None:
            self._index = _names((self.text("index.txt") or "").split("\n"))
        # One line, and not all of `index()`: 2 ms less for a process that asks for 40 names.
        line = self._index.get(name)
        if line is None or "\t" not in line:
            return []
        return decode(line)[1].get("in", [])  # type: ignore[return-value]


_shipped: Tables | None = None


def shipped() -> Tables:
    """The tables of this installation."""
    global _shipped
    if _shipped is None:
        _shipped = Tables()
    return _shipped
