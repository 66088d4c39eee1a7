"""The targets of `check`, what it has found about them, and where in their files that is."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from translator.argv.holes import named_flag
from translator.files.command import Command, is_of_one_value
from translator.findings import finding
from translator.text.placed import NOWHERE, place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Set

    from translator.findings import Finding
    from translator.tables.catalog import Catalog
    from translator.text.edits import Edit
    from translator.text.placed import Place

_MOST_NAMES = 6  # of unknown variables, in one finding


@frozen(eq=False, slots=False)
class Source:
    """A file that targets are from.

    Attributes:
        path: its path.
        content: what is in it.
        read: returns its targets if it had another content.
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
    def names(self) -> set[str]:
        """The variables that it reads (`$NAME`, `${NAME}`, `$(NAME)`) to do anything but set one of
        that name.
        """
        found: set[str] = set()
        for line in self.content.decode(errors="replace").split("\n"):
            seen: set[str] = set()
            for sign, name in re.findall(r"(\$[({]?)?\b([A-Za-z_]\w*)", line):
                if sign and name not in seen:
                    found.add(name)
                seen.add(name)
        return found

    def with_text(self, text: str) -> list[Target]:
        """Return its targets if it had another text.

        Raises:
            UsageError: that cannot be read.
        """
        mark = BOM_UTF8 if self.content.startswith(BOM_UTF8) else b""
        source = evolve(self, content=mark + text.encode())
        return [evolve(target, source=source) for target in self.read(source.content)]


@frozen
class Comment:
    """A comment that ignores findings.

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


@frozen(eq=False)
class Target:
    """One thing to check: a container, a command or a set of variables.

    Attributes:
        name: its name in the report.
        command: what was read.
        found: the findings from reading it.
        at: its place; file "", line 0 and column 0 for what is not known.
        places: variable → its place.
        argument_places: of each token, its place; None where that is not known.
        comments: file → the comments in it that ignore findings.
        source: the file that all of it is from; None if it is not from one file.
        others: what the containers of its file get that do not run vLLM.
    """

    name: str
    command: Command = field(factory=Command)
    found: Sequence[Finding] = ()
    at: Place = NOWHERE
    places: Mapping[str, Place] = field(factory=dict)
    argument_places: Sequence[Place | None] = ()
    comments: Mapping[str, Sequence[Comment]] = field(factory=dict)
    source: Source | None = None
    others: Sequence[object] = ()

    @property
    def env(self) -> Mapping[str, str]:
        """Its variables."""
        return self.command.env

    @property
    def written(self) -> Sequence[str]:
        """The tokens of its command line, with what is not known marked (text/references.py), or
        those that override its variables.
        """
        command = self.command
        if command.by_variables and command.entry is None:
            return ()
        return command.marked or command.tokens

    @property
    def is_translated(self) -> bool:
        """Whether its variables are translated, instead of its command line."""
        return self.command.entry is not None or self.command.by_variables

    @property
    def is_readable(self) -> bool:
        """Whether its command could be read well enough to be checked."""
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
        if (read := place(item.subject)) is not None:
            return (read[0] or (self.source.path if self.source else ""), *read[1:])
        inside = str(item.facts.get("inside", ""))  # a variable with arguments
        return self.places.get(item.subject) or self.places.get(inside) or self.at


@frozen(eq=False)
class Result:
    """The findings of one target for one version.

    Attributes:
        target, version, findings: as they say.
        places: the places of those that name an argument.
        fixes: finding → the edits of its file that `--fix` makes for it.
    """

    target: Target
    version: str
    findings: Sequence[Finding]
    places: Mapping[Finding, Place] = field(factory=dict)
    fixes: Mapping[Finding, Sequence[Edit]] = field(factory=dict)

    def place(self, item: Finding) -> Place:
        """Return the place of a finding."""
        return self.places.get(item) or self.target.place(item)


class Arguments:
    """The arguments of a command line, by what findings say of them.

    Args:
        tokens: the command line.
        catalog: of the version that it is checked for.
    """

    def __init__(self, tokens: Sequence[str], catalog: Catalog) -> None:
        self._catalog = catalog
        # The last index of a token; of an option, by any of its spellings, or with a key behind a
        # dot; and of an option with a value.
        self._tokens = {token: at for at, token in enumerate(tokens)}
        self._options: dict[str, int] = {}
        self._values: dict[tuple[str, str], int] = {}
        for at, token in enumerate(tokens):
            if not token.startswith("-") or len(token) < 2:
                continue
            name = _name(token)
            for option in {name, self._option(name), self._option(name.partition(".")[0])}:
                self._options[option] = at
                for value in _values(tokens, at):
                    self._values[option, value] = at

    def named(self, item: Finding) -> int | None:
        """Return the index of the argument that a finding names; None if it names none."""
        given = str(item.facts.get("given", ""))
        for text in (given, item.subject):
            if text in self._tokens and (
                "=" in text if text.startswith("-") else text == item.subject
            ):
                return self._tokens[text]
        for text in (given, item.subject):
            option = self._option(_name(text)) if text.startswith("-") else ""
            if option in self._options:
                # Of several uses, the one with the value that the finding quotes, or the last one.
                facts = [(option, str(fact)) for fact in item.facts.values()]
                quoted = [self._values[fact] for fact in facts if fact in self._values]
                return max(quoted, default=self._options[option])
        return None

    def _option(self, name: str) -> str:
        """Return the flag that an option is, else its own name."""
        flag = named_flag(name, self._catalog)[0]
        return name if flag is None else flag.flag


def _name(option: str) -> str:
    return option.partition("=")[0].partition(" ")[0].replace("_", "-")


def _values(tokens: Sequence[str], at: int) -> tuple[str, ...]:
    """Return how a finding may quote the value of an option."""
    _, sign, value = tokens[at].partition("=")
    if sign:
        return value, tokens[at]
    behind = tokens[at + 1 : at + 2]
    return (behind[0], f"{tokens[at]} {behind[0]}") if behind else ()


def merged(results: Sequence[Result]) -> list[Result]:
    """Return the results with one for each place and version, where a script may start several
    servers; and with one finding for all values of a command that are not known.
    """
    found: dict[tuple[str, Place, str], Result] = {}
    for result in results:
        key = (result.target.name, result.target.at, result.version)
        first = found.get(key)
        found[key] = result if first is None else _both(first, result)
    return [evolve(one, findings=_with_unknown_values_in_one(one)) for one in found.values()]


def _both(first: Result, other: Result) -> Result:
    return Result(
        first.target,
        first.version,
        list(dict.fromkeys([*first.findings, *other.findings])),
        {**other.places, **first.places},
        {**other.fixes, **first.fixes},
    )


def _with_unknown_values_in_one(result: Result) -> list[Finding]:
    found: list[Finding] = []
    unknown: dict[Place, list[str]] = {}
    for item in result.findings:
        if item.code == "value-not-known":
            at = result.target.places.get(item.subject, result.target.at)
            unknown.setdefault(at, []).append(item.subject)
        else:
            found.append(item)
    for names in unknown.values():
        found.append(
            finding("value-not-known", names[0], text=names[0], texts=tuple(names[1:] and names))
        )
    return found


def brief(result: Result) -> Result:
    """Return the result with one finding for all variables of a file that resemble nothing: those
    of a whole application, of which a container of vLLM gets a share.
    """
    found: list[Finding] = []
    alike: dict[str, list[Finding]] = {}
    for item in result.findings:
        facts = item.facts
        if item.code != "unknown-variable" or facts.get("write", "x") or facts["useless"]:
            found.append(item)
        else:
            alike.setdefault(result.place(item)[0], []).append(item)
    for items in alike.values():
        if len(items) == 1:
            found += items
            continue
        names = tuple(item.subject for item in items)
        some = names if len(names) <= _MOST_NAMES else names[: _MOST_NAMES - 1]
        about = {"version": result.version, "more": len(names) - len(some) or ""}
        found.append(finding("unknown-variable", names[0], case="several", names=some, **about))
    return evolve(result, findings=found)
