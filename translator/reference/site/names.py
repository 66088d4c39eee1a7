"""What is known about each name that gets a page, and where its page is: read from the tables, as
`explain` shows it; and names over the releases: the bar of one name, the matrix of all flags, how
many flags each release has, and what changes between any two releases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations
from typing import Any, TypeVar

from attrs import evolve, frozen
from markupsafe import Markup, escape

from translator.core.findings import codes
from translator.core.settings.defaults import DEFAULTS
from translator.core.tables.catalog import Catalog, Tables
from translator.core.tables.images import RELEASES
from translator.core.tables.versions import Version, span
from translator.core.text.json_text import dumps
from translator.documents import DiffJson
from translator.options import DEFAULT_DIALECT
from translator.reference.accepted import Accepted, Period, key_paths, periods
from translator.reference.lookup import Page, Section, accepted_in, flag_page, look_up
from translator.reference.markdown import flag_variables, scope_of
from translator.reference.versions import PARTS, name_diff, row_text, state

FLAGS, VARIABLES, FINDINGS = "flags", "variables", "findings"
DIALECTS, CHANGES = "dialects", "changes"
_Shown = TypeVar("_Shown")

_ODD = re.compile(r"[^A-Za-z0-9_.@-]")
# Of a text: an address, a quotation, or a word that may be a name.
_PARTS = re.compile(
    r"(?P<address>https?://[^\s<>\"'`]*[^\s<>\"'`.,;:)])|`(?P<code>[^`]+)`"
    r"|(?P<name>--[a-z][a-z0-9_.-]*[a-z0-9](?:=[^\s,;:)]+)?|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b)"
)
_TREE = "https://github.com/vllm-project/vllm/blob/v{}/vllm/{}"
# The first release with each place of the server's own flags; looked up in the sources of each.
_SERVER = (
    ("0.5.2", "entrypoints/openai/cli_args.py"),
    ("0.29.0", "entrypoints/launchers/cli_args.py"),
    ("0.33.0", "entrypoints/common/cli_args.py"),
)


def place(folder: str, name: str) -> str:
    """Return the path of the page of a name within the site."""
    return f"{folder}/{_plain(name.lstrip('-'))}.html"


def anchor(path: Iterable[str]) -> str:
    """Return the anchor of a key on the page of its flag."""
    return _plain("key-" + ".".join(path))


def _plain(text: str) -> str:
    return _ODD.sub(lambda match: f"~{ord(match[0]):x}", text)


def linked(text: str, places: Mapping[str, str], root: str) -> Markup:
    """Return a text as HTML: names are links to pages below `root`, and `quotations` are code."""
    html, at = Markup(""), 0
    for match in _PARTS.finditer(text):
        html += escape(text[at : match.start()])
        at = match.end()
        if match["address"]:
            html += Markup('<a href="{0}">{0}</a>').format(match["address"])
            continue
        word = match["code"] or match["name"]
        name = re.split("[ =]", word)[0]
        path = places.get(name) or places.get(name.partition(".")[0])
        code = Markup("<code>{}</code>").format(word)
        html += Markup('<a href="{}">{}</a>').format(root + path, code) if path else code
    return html + escape(text[at:])


def source(version: str, *, server: bool = False, variable: bool = False) -> str:
    """Return the address of the file in a release that defines a flag or a variable of vLLM's."""
    file = "envs.py" if variable else "engine/arg_utils.py"
    if server:
        here = Version(version)
        file = [path for first, path in _SERVER if Version(first) <= here][-1]
    return _TREE.format(version, file)


@frozen
class Name:
    """A flag, a key of one or a variable, and what is known of it.

    Attributes:
        name: itself; of a key, with the flag's: "--compilation-config.mode".
        path: of its page within the site; of a key, with its anchor there.
        accepted: what each run of versions accepts.
        since, until: the first and the last version that has it; "" of one that vLLM never had.
        gone: the version that removed it; "" if the newest has it, or none ever had.
        page: what `explain` shows of it, for the last version that has it.
        also: its other spellings in any version.
        keys: of a JSON flag.
        dialects: the platforms that list the variable, without their older generations.
    """

    name: str
    path: str
    accepted: Sequence[Period[Accepted]]
    since: str
    until: str
    gone: str
    page: Page
    also: Sequence[str] = ()
    keys: Sequence[Name] = ()
    dialects: Sequence[str] = ()

    @property
    def deprecated(self) -> bool:
        """Whether the last version that has it says so."""
        return bool(self.accepted) and self.accepted[-1][2].deprecated

    @property
    def state(self) -> str:
        """Where it stands today, in a few words."""
        if not self.since or self.gone:
            return f"removed in vLLM {self.gone}" if self.gone else ""
        return f"since vLLM {self.since}" + (", deprecated" if self.deprecated else "")


class Names:
    """All names of some tables.

    Args:
        tables: the tables.
        versions: those that the site is about, oldest first.

    Attributes:
        tables, versions: the same.
        dialects: the platform naming schemes → the path of the page of each.
        flags, variables: name → what is known of it, sorted.
        places: any name, or other spelling of one → the path of its page.
    """

    def __init__(self, tables: Tables, versions: Sequence[str]) -> None:
        self.tables, self.versions = tables, versions
        self.dialects = {name: place(DIALECTS, name) for name in tables.dialects()}
        self.scope = cache(lambda version, dialect="runpod": scope_of(dialect, version, tables))
        spellings: dict[str, list[str]] = {}
        for name, flag in tables.names().items():
            if flag != name:
                spellings.setdefault(flag, []).append(name)
        catalogs = [tables.catalog(version) for version in versions]
        listed = {name: self.scope(versions[-1], name).dialect.names for name in self.dialects}
        flags = {name for catalog in catalogs for name in catalog.flag_names()}
        variables = {name for catalog in catalogs for name in catalog.variable_names()}
        variables.update(name for names in listed.values() for name in names)
        self.flags = {
            name: self._flag(name, spellings.get(name, ()), key_paths(name, catalogs))
            for name in sorted(flags)
        }
        self.variables = {
            name: self._variable(name, [each for each in listed if name in listed[each]])
            for name in sorted(variables)
        }
        self.places = {
            **self.dialects,
            **{code: place(FINDINGS, code) for code in codes()},
            **{name: known.path for name, known in self.variables.items()},
            **{other: known.path for known in self.flags.values() for other in known.also},
            **{key.name: key.path for known in self.flags.values() for key in known.keys},
            **{name: known.path for name, known in self.flags.items()},
        }

    def of_dialects(self, flag: str) -> list[tuple[list[str], list[str]]]:
        """Return how a flag is written as a variable: the dialects that agree, and the lines."""
        agreeing: dict[tuple[str, ...], list[str]] = {}
        version = self.flags[flag].until
        spelled = self.tables.catalog(version).spelled(flag)
        assert spelled is not None
        for dialect in self.dialects:
            lines = flag_variables(spelled[0], self.scope(version, dialect))
            agreeing.setdefault(tuple(lines), []).append(dialect)
        return _default_first([(dialects, list(lines)) for lines, dialects in agreeing.items()])

    def by_dialect(self, variable: str) -> list[tuple[list[str], list[Section]]]:
        """Return what a variable means on the platforms that list it, without what is so on all of
        them; those that agree are together.
        """
        agreeing: dict[str, tuple[list[str], list[Section]]] = {}
        for dialect in self.dialects:
            there = self.scope(self.versions[-1], dialect)
            if there.dialect.variable(variable) is None:
                continue
            page = look_up(variable, there, self.versions)
            assert page is not None
            sections = [
                ("documented" if heading == f"in {there.name}" else heading, lines)
                for heading, lines in (page.about if page.accepted else page.sections)
            ]
            agreeing.setdefault(str(sections), ([], sections))[0].append(dialect)
        return _default_first(list(agreeing.values()))

    def _flag(self, name: str, also: Sequence[str], keys: Iterable[tuple[str, ...]]) -> Name:
        until = accepted_in(name, (), self.tables, self.versions)[-1][1]
        page = flag_page(name, (), self.scope(until), self.versions)
        assert page is not None
        flag = self._name(name, place(FLAGS, name), page)
        return evolve(flag, also=also, keys=[self._key(flag, path) for path in keys])

    def _key(self, flag: Name, path: tuple[str, ...]) -> Name:
        ranges = accepted_in(flag.name, path, self.tables, self.versions)
        name = ".".join((flag.name, *path))
        return self._name(name, f"{flag.path}#{anchor(path)}", Page(name, accepted=ranges))

    def _variable(self, name: str, listing: Sequence[str]) -> Name:
        newest = self.versions[-1]
        scopes = (self.scope(newest), *(self.scope(newest, each) for each in self.dialects))
        pages = (look_up(name, there, self.versions) for there in scopes)
        page = next(page for page in pages if page is not None)
        variable = self._name(name, place(VARIABLES, name), page)
        return evolve(variable, dialects=_without_generations(listing))

    def _name(self, name: str, path: str, page: Page) -> Name:
        ranges = page.accepted
        if not ranges:
            return Name(name, path, ranges, "", "", "", page)
        until = ranges[-1][1]
        after = [*self.versions, ""][self.versions.index(until) + 1]
        return Name(name, path, ranges, ranges[0][0], until, after, page)


def _without_generations(dialects: Sequence[str]) -> list[str]:
    """Return dialects without the older generations of those among them."""
    return [name for name in dialects if "@" not in name or name.partition("@")[0] not in dialects]


def _default_first(agreeing: list[tuple[list[str], _Shown]]) -> list[tuple[list[str], _Shown]]:
    """Return what dialects have in common, that of the default dialect first."""
    ordered = sorted(agreeing, key=lambda item: DEFAULT_DIALECT not in item[0])
    return [(_without_generations(dialects), shown) for dialects, shown in ordered]


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def bar(name: Name, versions: Sequence[str]) -> list[tuple[int, int, str, str]]:
    """Return the runs of a bar, a unit of width for each release: (start, width, class, what)."""
    return [
        (
            versions.index(first),
            _width(first, last, versions),
            "old" if accepted.deprecated else ("on", "on even")[number % 2],
            accepted.value,
        )
        for number, (first, last, accepted) in enumerate(name.accepted)
    ]


def cells(
    name: Name, versions: Sequence[str], defaults: Mapping[str, Mapping[str, str]]
) -> list[tuple[int, str, str]]:
    """Return a flag's row of the matrix: for each run of releases its width, its classes ("on",
    "old" or "off", and "change" with a new default), and a text for who does not see its colour.
    `defaults`: release → the names whose default it changes, and how.
    """
    states = {
        version: "old" if accepted.deprecated else "on"
        for first, last, accepted in name.accepted
        for version in versions[versions.index(first) : versions.index(last) + 1]
    }
    row = []
    for first, last, (here, change) in periods(
        versions, lambda each: (states.get(each, "off"), defaults.get(each, {}).get(name.name, ""))
    ):
        word = change or {"on": "present", "old": "deprecated"}.get(here, "")
        text = f"{span(first, last)}: {word}" if word else ""
        row.append((_width(first, last, versions), here + (" change" if change else ""), text))
    return row


def _width(first: str, last: str, versions: Sequence[str]) -> int:
    return versions.index(last) - versions.index(first) + 1


def releases(names: Names, steps: Mapping[str, DiffJson]) -> list[dict[str, Any]]:
    """Return the releases with their days and the numbers of their flags: all, those that are new,
    and those of the release before that are gone; oldest first. `steps`: release → its difference
    from the release before.
    """
    days = names.tables.records(RELEASES)
    releases = []
    for version in names.versions:
        parts: Any = steps[version]["flags"] if version in steps else {}
        added, gone, renamed = (
            len(parts.get(each, ())) for each in ("added", "removed", "renamed")
        )
        day = days.get(version, {}).get("date", "")
        count = len(names.tables.catalog(version).flag_names())
        counts = {"flags": count, "added": added, "removed": gone + renamed}
        releases.append({"version": version, "day": day, **counts})
    return releases


def changes_data(names: Names) -> dict[str, Any]:
    """Return what `assets/compare.js` reads, each fact once.

    A name's row in the difference of two releases depends on what each of them has of it; most
    names have a few such states in all releases. The data holds a row for every pair of states.

    Returns:
        "versions", oldest first; "parts", each with its title; "names", each with:
        "name", "group" ("flags" or "variables") and "path" of its page;
        "states": a letter for each release;
        "pairs": two letters → part and line, of each part that they are in;
        "weight": of one whose default matters, its place among these.
    """
    catalogs = [names.tables.catalog(version) for version in names.versions]
    weight = {name: number for number, name in enumerate(names.tables.records(DEFAULTS))}
    rows = []
    for group, known in (("flags", names.flags), ("variables", names.variables)):
        for name, facts in known.items():
            if facts.since:
                row = {"name": name, "group": group, "path": facts.path}
                more = {"weight": weight[name]} if name in weight else {}
                rows.append({**row, **_changes(facts, catalogs), **more})
    return {"versions": list(names.versions), "parts": list(PARTS.items()), "names": rows}


def _changes(name: Name, catalogs: Sequence[Catalog]) -> dict[str, Any]:
    last = next(each for each in catalogs if each.version == name.until)
    # What replaces a missing one depends on the release, too.
    here = [
        state(name.name, catalog) or dumps(_lines(name.name, last, catalog)) for catalog in catalogs
    ]
    known = list(dict.fromkeys(here))
    there = [(_LETTERS[at], catalogs[here.index(each)]) for at, each in enumerate(known)]
    pairs = {
        one + other: lines
        for (one, old), (other, new) in permutations(there, 2)
        if (state(name.name, old) or state(name.name, new))
        and (lines := _lines(name.name, old, new))
    }
    return {"states": "".join(_LETTERS[known.index(each)] for each in here), "pairs": pairs}


def _lines(name: str, old: Catalog, new: Catalog) -> list[list[str]]:
    return [[part, row_text(row)] for part, row in name_diff(name, old, new).items()]
