"""What is known about each name that gets a page: read from the tables, as `explain` shows it."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from translator.findings.texts import codes
from translator.naming.scope import Scope
from translator.pages.flags import HEADINGS, flag_page, flag_periods, flag_variables, key_paths
from translator.pages.lookup import look_up
from translator.pages.page import Accepted, Page, Period, Section
from translator.pages.reference import scope_of
from translator.pages.site.links import DIALECTS, FINDINGS, FLAGS, VARIABLES, anchor, place
from translator.pages.variables import READ
from translator.tables.catalog import Tables


@frozen
class Life:
    """From when to when vLLM has a name.

    Attributes:
        since, until: the first and the last version that has it; "" of one that vLLM never had.
        gone: the version that removed it; "" if the newest has it, or none ever had.
        deprecated: whether the last version that has it says so.
    """

    since: str = ""
    until: str = ""
    gone: str = ""
    deprecated: bool = False

    @property
    def state(self) -> str:
        """Where it stands today, in a few words."""
        if not self.since:
            return ""
        if self.gone:
            return f"removed in vLLM {self.gone}"
        return f"since vLLM {self.since}" + (", deprecated" if self.deprecated else "")


@frozen
class Key:
    """A key of a JSON flag.

    Attributes:
        name: with the flag's: "--compilation-config.mode".
        path: the keys.
        place: its anchor on the flag's page.
        accepted: what each run of versions accepts.
        life: when vLLM has it.
    """

    name: str
    path: tuple[str, ...]
    place: str
    accepted: Sequence[Period[Accepted]]
    life: Life


@frozen
class Name:
    """A flag or a variable, and what is known of it.

    Attributes:
        name: itself.
        path: of its page within the site.
        page: what `explain` shows of it, for the last version that has it.
        life: when vLLM has it.
        also: its other spellings in any version.
        keys: of a JSON flag.
        dialects: the platforms that list the variable, without their older generations.
    """

    name: str
    path: str
    page: Page
    life: Life
    also: Sequence[str] = ()
    keys: Sequence[Key] = ()
    dialects: Sequence[str] = ()

    @property
    def changes(self) -> list[Section]:
        """What became of it."""
        return [part for part in self.page.sections if part[0] in HEADINGS]


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
        self._scopes: dict[tuple[str, str], Scope] = {}
        spellings: dict[str, list[str]] = {}
        for name, found in tables.index().items():
            if "of" in found:
                spellings.setdefault(found["of"], []).append(name)
        catalogs = [tables.catalog(version) for version in versions]
        listed = {name: self.scope(versions[-1], name).dialect.names for name in self.dialects}
        flags = {name for catalog in catalogs for name in catalog.flag_names()}
        variables = {name for catalog in catalogs for name in catalog.variable_names()}
        variables.update(name for names in listed.values() for name in names)
        self.flags = {name: self._flag(name, spellings.get(name, ())) for name in sorted(flags)}
        self.variables = {
            name: self._variable(name, [each for each in listed if name in listed[each]])
            for name in sorted(variables)
        }
        self.places = {
            **self.dialects,
            **{code: place(FINDINGS, code) for code in codes()},
            **{name: found.path for name, found in self.variables.items()},
            **{other: found.path for found in self.flags.values() for other in found.also},
            **{key.name: key.place for found in self.flags.values() for key in found.keys},
            **{name: found.path for name, found in self.flags.items()},
        }

    def scope(self, version: str, dialect: str = "runpod") -> Scope:
        """Return a version and a dialect; a prefix that the user chooses is "MY_"."""
        found = self._scopes.get((version, dialect))
        if found is None:
            found = scope_of(dialect, version, self.tables)
            self._scopes[version, dialect] = found
        return found

    def of_dialects(self, flag: str) -> list[tuple[list[str], list[str]]]:
        """Return how a flag is written as a variable: the dialects that agree, and the lines."""
        found: dict[tuple[str, ...], list[str]] = {}
        version = self.flags[flag].life.until
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
            own = (*HEADINGS, READ) if page.accepted else ()
            sections: list[Section] = [
                ("documented" if heading == f"in {there.name}" else heading, lines)
                for heading, lines in page.sections
                if heading not in own
            ]
            found.setdefault(str(sections), ([], sections))[0].append(dialect)
        return list(found.values())

    def _flag(self, name: str, also: Sequence[str]) -> Name:
        accepted = flag_periods(name, (), self.tables, self.versions)
        page = flag_page(name, (), self.scope(accepted[-1][1]), self.versions)
        assert page is not None
        path = place(FLAGS, name)
        keys = []
        for parts in key_paths(name, self.tables, self.versions):
            found = flag_periods(name, parts, self.tables, self.versions)
            full = ".".join((name, *parts))
            keys.append(Key(full, parts, f"{path}#{anchor(parts)}", found, self._life(found)))
        return Name(name, path, page, self._life(page.accepted), also, keys)

    def _variable(self, name: str, listing: Sequence[str]) -> Name:
        newest = self.versions[-1]
        scopes = (self.scope(newest), *(self.scope(newest, each) for each in self.dialects))
        pages = (look_up(name, there, self.versions) for there in scopes)
        page = next(page for page in pages if page is not None)
        dialects = [
            each for each in listing if each.partition("@")[0] not in listing or "@" not in each
        ]
        life = self._life(page.accepted)
        return Name(name, place(VARIABLES, name), page, life, dialects=dialects)

    def _life(self, accepted: Sequence[Period[Accepted]]) -> Life:
        if not accepted:
            return Life()
        since, (_, until, last) = accepted[0][0], accepted[-1]
        after = self.versions.index(until) + 1
        gone = self.versions[after] if after < len(self.versions) else ""
        return Life(since, until, gone, last.deprecated)
