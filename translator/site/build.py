"""Makes the site: every page as text, from the tables alone, the same bytes every time."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path

from translator.findings.texts import code, codes
from translator.naming.dialect import find_dialect
from translator.pages.flags import HEADINGS
from translator.pages.reference import SEVERITIES, messages, rows, summary
from translator.pages.variables import READ
from translator.pages.version_diff import diff_parts, row_text, version_diff
from translator.site.changes import changes_data, steps
from translator.site.names import Names
from translator.site.places import CHANGES, DIALECTS, FINDINGS, anchor, linked, place
from translator.site.sources import source
from translator.site.timeline import bar, cells, releases
from translator.tables.builds import RELEASES
from translator.tables.entries import variable_of
from translator.tables.versions import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from markupsafe import Markup

    from translator.site.names import Name
    from translator.site.timeline import Cell, Release
    from translator.tables.catalog import Tables

_HERE = Path(__file__).parent
_MENU = (
    ("index.html", "Find a name"),
    ("changes/index.html", "Changes"),
    ("matrix.html", "Matrix"),
)
_CHECK = ("check.html", "Paste and check")


def site(
    tables: Tables, versions: Sequence[str] = (), *, checks: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield every file of the site: its path below the site's folder, and its text.

    Args:
        tables: what it is about.
        versions: the releases that it is about, oldest first; () for all of the tables.
        checks: whether it has the page that checks what is pasted; `runtime` yields what that runs.
    """
    for file in sorted((_HERE / "assets").iterdir()):
        yield f"assets/{file.name}", file.read_text(encoding="utf-8")
    yield from Pages(Names(tables, versions or tables.versions()), checks=checks).all()


class Pages:
    """The pages of a site."""

    def __init__(self, names: Names, *, checks: bool = False) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # of the extra `site`

        self.names = names
        self._checks = checks
        self._dialects = {name: place(DIALECTS, name) for name in names.dialects}
        self._linked: dict[str, Callable[[str], Markup]] = {}
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            newest=names.versions[-1],
            oldest=names.versions[0],
            span=span,
            anchor=anchor,
            pair=_pair,
            menu=(*_MENU, _CHECK) if checks else _MENU,
        )

    def page(self, path: str, template: str, **facts: object) -> tuple[str, str]:
        """Return one page: its path, and its text.

        Args:
            path: within the site.
            template: its file in templates/.
            facts: what the template shows.
        """
        root = "../" * path.count("/")
        text = self._templates.get_template(template).render(
            path=path,
            root=root,
            prose=self._prose(root),
            **facts,
        )
        return path, text + "\n"

    def _prose(self, root: str) -> Callable[[str], Markup]:
        """Return what makes HTML of a text on pages with this way to the top of the site."""
        if root not in self._linked:
            self._linked[root] = cache(lambda text: linked(text, self.names.places, root))
        return self._linked[root]

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield every page."""
        yield self._index()
        if self._checks:
            yield self._check()
        yield from map(self._flag, self.names.flags.values())
        yield from map(self._variable, self.names.variables.values())
        yield from map(self._dialect, self.names.dialects)
        yield from self._releases()
        for name in codes():
            found = code(name)
            yield self.page(
                place(FINDINGS, name),
                "finding.html",
                name=name,
                code=found,
                severity=SEVERITIES[found.severity],
                messages=messages(found),
            )

    def _check(self) -> tuple[str, str]:
        names = self.names
        # Of the others, the user chooses the prefix.
        dialects = [name for name in self._dialects if not _has_any_prefix(name, names.tables)]
        return self.page("check.html", "check.html", versions=names.versions, dialects=dialects)

    def _index(self) -> tuple[str, str]:
        names = self.names
        flags, variables = names.flags.values(), names.variables.values()
        lists = [
            ("flags", "Flags", [(*_entry(item), _found_by(item)) for item in flags]),
            ("variables", "Variables", [(*_entry(item), "") for item in variables]),
            (
                "keys",
                "Keys of JSON flags",
                [(key.name, key.place, key.life.state, "") for item in flags for key in item.keys],
            ),
            (
                "platforms",
                "Platforms",
                [(name, target, "", "") for name, target in self._dialects.items()],
            ),
            (
                "findings",
                "Findings of this program",
                [
                    (name, place(FINDINGS, name), code(name).title, code(name).severity)
                    for name in sorted(codes())
                ],
            ),
        ]
        return self.page(
            "index.html",
            "index.html",
            flags=flags,
            variables=variables,
            releases=len(names.versions),
            lists=lists,
        )

    def _releases(self) -> Iterator[tuple[str, str]]:
        """Yield the pages about releases: their changes, and the matrix of all flags."""
        names = self.names
        data = json.dumps(changes_data(names), ensure_ascii=False, separators=(",", ":"))
        yield f"{CHANGES}/data.js", f"globalThis.changes={data};\n"
        diffs = {
            (old, new): version_diff(names.tables.catalog(old), names.tables.catalog(new))
            for old, new in steps(names.versions)
        }
        before = {new: diffs[old, new] for old, new in pairwise(names.versions)}
        known = releases(names, before)
        yield self._compare(known)
        days = {each.version: each.day for each in known}
        for (old, new), found in diffs.items():
            yield self.page(
                _pair(old, new),
                "diff.html",
                old=old,
                new=new,
                days=f"{days[old]} and {days[new]}",
                parts=[
                    (title, [row_text(row) for row in rows]) for title, rows in diff_parts(found)
                ],
            )
        yield self._matrix(before)

    def _compare(self, known: Sequence[Release]) -> tuple[str, str]:
        """Return the page about the changes between any two releases."""
        most = max(each.flags for each in known)
        changed = max(1, *(max(each.added, each.removed) for each in known))
        return self.page(
            f"{CHANGES}/index.html",
            "compare.html",
            releases=known,
            before=self.names.versions[-2:][0],
            most=most,
            high=lambda count: round(count * 145 / most, 1),
            wide=lambda count: round(count * 40 / changed, 1),
        )

    def _matrix(self, before: Mapping[str, dict[str, Any]]) -> tuple[str, str]:
        """Return the page of all flags in all releases.

        Args:
            before: release → its difference from the release before.
        """
        versions = self.names.versions
        defaults = {
            version: {
                row["name"]: f"default {row['before']} → {row['after']}"
                for row in found["flags"]["defaults"]
            }
            for version, found in before.items()
        }
        rows = [
            (name, _said(cells(name, versions, defaults), versions))
            for name in self.names.flags.values()
        ]
        return self.page("matrix.html", "matrix.html", versions=versions, rows=rows)

    def _flag(self, flag: Name) -> tuple[str, str]:
        names = self.names
        last = names.tables.catalog(flag.life.until)
        found = last.flag(flag.name)
        # The parser takes the beginning of a name for the name: then the message is another one.
        newest = names.tables.catalog(names.versions[-1])
        begun = [each for each in newest.spellings() if each.startswith(flag.name)]
        after = names.tables.catalog(flag.life.gone) if flag.life.gone else newest
        return self.page(
            flag.path,
            "flag.html",
            name=flag,
            changes=[part for part in flag.page.sections if part[0] in HEADINGS],
            versions=names.versions,
            dialect_places=self._dialects,
            bar=bar(flag.page.accepted, names.versions),
            unrecognized=bool(flag.life.gone) and not after.begins_a_spelling(flag.name),
            begun=begun if flag.life.gone else [],
            dialects=names.of_dialects(flag.name),
            source=self._source(flag.life.until, server=found is not None and found.server),
        )

    def _source(self, version: str, *, server: bool = False, variable: bool = False) -> str:
        """Return where a name is defined; "" if the version is no release of vLLM's."""
        if version not in self.names.tables.records(RELEASES):
            return ""
        return source(version, server=server, variable=variable)

    def _variable(self, variable: Name) -> tuple[str, str]:
        names = self.names
        dialects = names.by_dialect(variable.name)
        own = [] if dialects else variable.page.sections
        return self.page(
            variable.path,
            "variable.html",
            name=variable,
            changes=[part for part in variable.page.sections if part[0] in HEADINGS],
            sections=[part for part in own if part[0] not in (*HEADINGS, READ)],
            versions=names.versions,
            dialect_places=self._dialects,
            bar=bar(variable.page.accepted, names.versions),
            dialects=dialects,
            source=self._source(variable.life.until, variable=True),
        )

    def _dialect(self, name: str) -> tuple[str, str]:
        names = self.names
        dialect = names.scope(names.versions[-1], name).dialect
        return self.page(
            self._dialects[name],
            "dialect.html",
            name=name,
            option=names.scope(names.versions[-1], name).name,
            summary=[line.removeprefix("- ") for line in summary(dialect)],
            rows=list(rows(dialect, names.tables)),
            sources=dialect.sources,
        )


def _entry(name: Name) -> tuple[str, str, str]:
    """Return a name's line in the index: the name, its page, where it stands today."""
    return name.name, name.path, name.life.state or f"of {', '.join(name.dialects)}"


def _pair(old: str, new: str) -> str:
    """Return the path of the page about the changes from one release to another."""
    return place(CHANGES, f"{old}-to-{new}")


def _said(row: list[Cell], versions: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """Yield the cells of the matrix, each with what it says to who does not see its colour."""
    at = 0
    for width, state, change in row:
        what = span(versions[at], versions[at + width - 1])
        at += width
        said = {"on": "present", "old": "deprecated"}.get(state, "")
        yield width, state, change, f"{what}: {change or said}" if said else ""


def _found_by(flag: Name) -> str:
    """Return what else a flag is found by."""
    return " ".join([*flag.also, variable_of(flag.name)])


def _has_any_prefix(name: str, tables: Tables) -> bool:
    found = find_dialect(name, tables)
    return found is not None and found.any_prefix
