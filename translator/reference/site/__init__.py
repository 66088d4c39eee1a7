"""Makes the site: every page as text, from the tables alone, the same bytes every time; and what
its page check.html runs: Python for browsers (Pyodide), and this package.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import attr
import attrs
import yaml
from jinja2 import (  # of the extra `site`
    Environment,
    FileSystemLoader,
    StrictUndefined,
    select_autoescape,
)

from translator.core.findings import codes, texts_of
from translator.core.tables.catalog import Tables, variable_of
from translator.core.tables.dialects import find_dialect
from translator.core.tables.images import RELEASES
from translator.core.tables.versions import span
from translator.reference.lookup import capital
from translator.reference.markdown import SEVERITIES, messages, rows, summary
from translator.reference.site.names import (
    CHANGES,
    FINDINGS,
    Name,
    Names,
    bar,
    cells,
    changes_data,
    linked,
    place,
    releases,
    source,
)
from translator.reference.versions import diff_page, version_diff

_HERE = Path(__file__).parent
_MENU = (
    ("index.html", "Find a name"),
    ("changes/index.html", "Changes"),
    ("matrix.html", "Matrix"),
)
_CHECK = ("check.html", "Paste and check")
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
"""The files of the npm package `pyodide` that a page needs."""
SHELL = ("check.html", "assets/search.js", "assets/style.css", "assets/icon.svg")
"""What else the page loads: files of the site."""
_SCRIPTS = _HERE / "check"
_PACKAGES = {
    **{module.__name__: Path(module.__path__[0]) for module in (attr, attrs, yaml)},
    "translator": _HERE.parents[1],
}
# What no check imports: it is for those who maintain the tables, and for the site.
_WITHOUT = ("maintain", "site", "__pycache__")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_KINDS = (".py", ".json", ".pack", ".txt")


def site(
    tables: Tables,
    versions: Sequence[str] = (),
    *,
    checks: bool = False,
    commands: Mapping[str, str] = MappingProxyType({}),
    source_code: str = "",
) -> Iterator[tuple[str, str]]:
    """Yield every file of the site: its path below the site's folder, and its text.

    Args:
        tables: what it is about.
        versions: the releases that it is about, oldest first; () for all of the tables.
        checks: whether it has the page that checks what is pasted; `runtime` yields what that runs.
        commands: each command's help.
        source_code: the address of the project's repository; "" if it is not known.
    """
    for file in sorted((_HERE / "assets").iterdir()):
        yield f"assets/{file.name}", file.read_text(encoding="utf-8")
    pages = Pages(Names(tables, versions or tables.versions()), checks, source_code)
    yield from pages.all()
    yield pages.page("about.html", "about.html", commands=commands)


class Pages:
    """The pages of a site."""

    def __init__(self, names: Names, checks: bool, source_code: str) -> None:
        self.names = names
        self._checks = checks
        self._linked = cache(lambda text, root: linked(text, names.places, root))
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            newest=names.versions[-1],
            oldest=names.versions[0],
            versions=names.versions,
            dialect_places=names.dialects,
            span=span,
            capital=capital,
            pair=_pair,
            menu=(*_MENU, _CHECK) if checks else _MENU,
            source_code=source_code,
        )

    def page(self, path: str, template: str, **facts: object) -> tuple[str, str]:
        """Return the path of a page within the site, and its text: a template with its facts."""
        root = "../" * path.count("/")
        content = self._templates.get_template(template)
        prose = partial(self._linked, root=root)
        return path, content.render(path=path, root=root, prose=prose, **facts) + "\n"

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield every page."""
        names = self.names
        yield self._index()
        yield self.page("llms.txt", "llms.txt", flags=names.flags.values())
        if self._checks:
            tables = {name: find_dialect(name, names.tables) for name in names.dialects}
            # Of the others, the user chooses the prefix.
            dialects = [name for name, table in tables.items() if table and not table.any_prefix]
            yield self.page("check.html", "check.html", dialects=dialects)
        yield from map(self._flag, names.flags.values())
        yield from map(self._variable, names.variables.values())
        yield from map(self._dialect, names.dialects)
        yield from self._releases()
        for name in codes():
            texts = texts_of(name)
            facts = {"severity": SEVERITIES[texts.severity], "messages": messages(texts)}
            path = place(FINDINGS, name)
            yield self.page(path, "finding.html", name=name, code=texts, **facts)

    def _index(self) -> tuple[str, str]:
        names = self.names
        flags, variables = names.flags.values(), names.variables.values()
        lists = [
            (
                "flags",
                "Flags",  # also found by their other spellings and variables
                [(*_entry(item), " ".join([*item.also, variable_of(item.name)])) for item in flags],
            ),
            ("variables", "Variables", [(*_entry(item), "") for item in variables]),
            (
                "keys",
                "Keys of JSON flags",
                [(key.name, key.path, key.state, "", "") for item in flags for key in item.keys],
            ),
            ("platforms", "Platforms", [(*item, "", "", "") for item in names.dialects.items()]),
            (
                "findings",
                "Findings of this program",
                [
                    (name, place(FINDINGS, name), texts_of(name).title, "", texts_of(name).severity)
                    for name in sorted(codes())
                ],
            ),
        ]
        counts = {"flags": flags, "variables": variables, "releases": len(names.versions)}
        return self.page("index.html", "index.html", lists=lists, **counts)

    def _releases(self) -> Iterator[tuple[str, str]]:
        """Yield the pages about releases: their changes, and the matrix of all flags."""
        names, versions = self.names, self.names.versions
        data = json.dumps(changes_data(names), ensure_ascii=False, separators=(",", ":"))
        yield f"{CHANGES}/data.js", f"globalThis.changes={data};\n"
        catalogs = map(names.tables.catalog, versions)
        steps = {new.version: version_diff(old, new) for old, new in pairwise(catalogs)}
        known = releases(names, steps)
        most = max(each["flags"] for each in known)
        changed = max(1, *(each[way] for each in known for way in ("added", "removed")))
        yield self.page(
            f"{CHANGES}/index.html",
            "compare.html",
            releases=known,
            before=versions[-2:][0],
            most=most,
            high=lambda count: round(count * 145 / most, 1),
            wide=lambda count: round(count * 40 / changed, 1),
        )
        days = {each["version"]: each["day"] for each in known}
        for new, diff in steps.items():
            old = diff["from"]
            facts = {"days": f"{days[old]} and {days[new]}", "parts": diff_page(diff).about}
            yield self.page(_pair(old, new), "diff.html", old=old, new=new, **facts)
        defaults = {
            version: {
                row["name"]: f"default {row['before']} → {row['after']}"
                for row in diff["flags"]["defaults"]
            }
            for version, diff in steps.items()
        }
        matrix = [(name, cells(name, versions, defaults)) for name in names.flags.values()]
        yield self.page("matrix.html", "matrix.html", rows=matrix)

    def _flag(self, flag: Name) -> tuple[str, str]:
        names = self.names
        known = names.tables.catalog(flag.until).flag(flag.name)
        # The parser takes the beginning of a name for the name: then the message is another one.
        newest = names.tables.catalog(names.versions[-1])
        begun = [each for each in newest.spellings() if each.startswith(flag.name)]
        after = names.tables.catalog(flag.gone) if flag.gone else newest
        return self.page(
            flag.path,
            "flag.html",
            name=flag,
            bar=bar(flag, names.versions),
            unrecognized=bool(flag.gone) and not after.begins_a_spelling(flag.name),
            begun=begun if flag.gone else [],
            dialects=names.of_dialects(flag.name),
            source=self._source(flag, server=known is not None and known.server),
        )

    def _variable(self, variable: Name) -> tuple[str, str]:
        dialects = self.names.by_dialect(variable.name)
        return self.page(
            variable.path,
            "variable.html",
            name=variable,
            sections=[] if dialects else variable.page.about,
            bar=bar(variable, self.names.versions),
            dialects=dialects,
            source=self._source(variable, variable=True),
        )

    def _source(self, name: Name, **kind: bool) -> str:
        """Return where a name is defined; "" if its last version is no release of vLLM's."""
        is_release = name.until in self.names.tables.records(RELEASES)
        return source(name.until, **kind) if is_release else ""

    def _dialect(self, name: str) -> tuple[str, str]:
        names = self.names
        scope = names.scope(names.versions[-1], name)
        return self.page(
            names.dialects[name],
            "dialect.html",
            name=name,
            option=scope.name,
            summary=list(summary(scope.dialect)),
            heads=("Variable", "Sets", "Value", "Default", "Note"),
            rows=list(rows(scope)),
            sources=scope.dialect.sources,
        )


def _entry(name: Name) -> tuple[str, str, str, str]:
    """Return a name's line in the index: the name, its page, its state today, what it is for."""
    state = name.state or f"of {', '.join(name.dialects)}"
    return name.name, name.path, state, name.page.description


def _pair(old: str, new: str) -> str:
    """Return the path of the page about the changes from one release to another."""
    return place(CHANGES, f"{old}-to-{new}")


def runtime(pyodide: Path, shell: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the page beside its HTML: their paths below the site's folder. `pyodide`
    is the unpacked npm package, `shell` the other files that the page loads; the name of its cache
    in a browser depends on all of them.

    Raises:
        OSError: a file of it is not there.
    """
    files = {f"check/{name}": (pyodide / name).read_bytes() for name in PYODIDE}
    files["check/package.zip"] = package()
    for script in ("check.css", "check.js", "engine.js"):
        files[f"check/{script}"] = (_SCRIPTS / script).read_bytes()
    yield from files.items()
    digest = hashlib.sha256()
    for name, content in sorted({**shell, **files}.items()):
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    # It has to lie above all that it answers for.
    worker = (_SCRIPTS / "offline.js").read_text("utf-8")
    yield "offline.js", worker.replace("VERSION", digest.hexdigest()[:16]).encode()


def package() -> bytes:
    """Return this package and those that it needs, as a zip with the same bytes every time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, folder in _PACKAGES.items():
            for path in sorted(folder.rglob("*")):
                inside = path.relative_to(folder)
                if path.suffix in _KINDS and not set(inside.parts).intersection(_WITHOUT):
                    file = zipfile.ZipInfo(f"{name}/{inside.as_posix()}", _EPOCH)
                    archive.writestr(file, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()
