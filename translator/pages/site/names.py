"""What is known about each name that gets a page, and where its page is: read from the tables, as
`explain` shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from attrs import evolve, frozen
from markupsafe import Markup, escape

from translator.findings.texts import codes
from translator.pages.accepted import Accepted, Period, key_paths
from translator.pages.lookup import accepted_in, flag_page, look_up
from translator.pages.page import Page, Section
from translator.pages.reference import flag_variables, scope_of
from translator.settings.scope import Scope
from translator.tables.catalog import Tables
from translator.tables.versions import Version

FLAGS, VARIABLES, FINDINGS = "flags", "variables", "findings"
DIALECTS, CHANGES = "dialects", "changes"

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
    return _ODD.sub(lambda found: f"~{ord(found[0]):x}", text)


def linked(text: str, places: Mapping[str, str], root: str) -> Markup:
    """Return a text of ours as HTML: names are links to their pages, `quotations` are code.

    Args:
        text: as messages and tables have it.
        places: name → path of its page.
        root: the way from the page to the top of the site: "../".
    """
    done, at = Markup(""), 0
    for found in _PARTS.finditer(text):
        done += escape(text[at : found.start()])
        at = found.end()
        if found["address"]:
            done += Markup('<a href="{0}">{0}</a>').format(found["address"])
            continue
        word = found["code"] or found["name"]
        name = re.split("[ =]", word)[0]
        path = places.get(name) or places.get(name.partition(".")[0])
        code = Markup("<code>{}</code>").format(word)
        done += Markup('<a href="{}">{}</a>').format(root + path, code) if path else code
    return done + escape(text[at:])


def source(version: str, *, server: bool = False, variable: bool = False) -> str:
    """Return the address of the file that defines a name of vLLM's.

    Args:
        version: the release.
        server: whether it is a flag of the server, and not of the engine.
        variable: whether it is a variable.
    """
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
        self.scope = cache(self._scope)
        spellings: dict[str, list[str]] = {}
        for name, found in tables.index().items():
            if "of" in found:
                spellings.setdefault(found["of"], []).append(name)
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
            **{name: found.path for name, found in self.variables.items()},
            **{other: found.path for found in self.flags.values() for other in found.also},
            **{key.name: key.path for found in self.flags.values() for key in found.keys},
            **{name: found.path for name, found in self.flags.items()},
        }

    def _scope(self, version: str, dialect: str = "runpod") -> Scope:
        """Return a version and a dialect; a prefix that the user chooses is "MY_"."""
        return scope_of(dialect, version, self.tables)

    def of_dialects(self, flag: str) -> list[tuple[list[str], list[str]]]:
        """Return how a flag is written as a variable: the dialects that agree, and the lines."""
        found: dict[tuple[str, ...], list[str]] = {}
        version = self.flags[flag].until
        there = self.tables.catalog(version).spellings()[flag][0]
        for dialect in self.dialects:
            lines = flag_variables(there, self.scope(version, dialect))
            found.setdefault(tuple(lines), []).append(dialect)
        return [(dialects, list(lines)) for lines, dialects in found.items()]

    def by_dialect(self, variable: str) -> list[tuple[list[str], list[Section]]]:
        """Return what a variable means on the platforms that list it, those together that agree;
        without what is so on all of them: what became of it, and which vLLM reads it.
        """
        found: dict[str, tuple[list[str], list[Section]]] = {}
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
            found.setdefault(str(sections), ([], sections))[0].append(dialect)
        return list(found.values())

    def _flag(self, name: str, also: Sequence[str], keys: Iterable[tuple[str, ...]]) -> Name:
        until = accepted_in(name, (), self.tables, self.versions)[-1][1]
        page = flag_page(name, (), self.scope(until), self.versions)
        assert page is not None
        made = self._name(name, place(FLAGS, name), page)
        return evolve(made, also=also, keys=[self._key(made, path) for path in keys])

    def _key(self, flag: Name, path: tuple[str, ...]) -> Name:
        found = accepted_in(flag.name, path, self.tables, self.versions)
        name = ".".join((flag.name, *path))
        return self._name(name, f"{flag.path}#{anchor(path)}", Page(name, accepted=found))

    def _variable(self, name: str, listing: Sequence[str]) -> Name:
        newest = self.versions[-1]
        scopes = (self.scope(newest), *(self.scope(newest, each) for each in self.dialects))
        pages = (look_up(name, there, self.versions) for there in scopes)
        page = next(page for page in pages if page is not None)
        dialects = [
            each for each in listing if each.partition("@")[0] not in listing or "@" not in each
        ]
        return evolve(self._name(name, place(VARIABLES, name), page), dialects=dialects)

    def _name(self, name: str, path: str, page: Page) -> Name:
        found = page.accepted
        if not found:
            return Name(name, path, found, "", "", "", page)
        until = found[-1][1]
        after = [*self.versions, ""][self.versions.index(until) + 1]
        return Name(name, path, found, found[0][0], until, after, page)
