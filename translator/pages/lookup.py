"""Everything that is known about one name: a flag, a key of a JSON flag, a variable, or the code of
a finding.
"""

from __future__ import annotations

from translator.findings.texts import code, codes
from translator.pages.flags import flag_page
from translator.pages.other_names import cluster_lines, other_page
from translator.pages.page import Page
from translator.pages.variables import variable_page
from translator.tables.entries import variable_of
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.naming.scope import Scope


def look_up(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    """Return the page of a name; None when nothing is called so.

    Args:
        name: as a person would type it.
        scope: the version that is shown where one has to be, and the dialect.
        versions: the versions that matter.
    """
    name = name.strip()
    if name in codes():
        return _code_page(name)
    plain = name.partition("=")[0]
    if not plain.startswith("-") and (page := variable_page(plain, scope, versions)) is not None:
        clusters = cluster_lines(plain, scope.tables)
        return Page(page.title, [*page.sections, ("with --cluster", clusters)], page.accepted)
    if (page := other_page(name, scope.tables, versions)) is not None:
        return page
    flag, *path = (plain if plain.startswith("-") else f"--{plain}").split(".")
    return flag_page(flag.replace("_", "-"), tuple(path), scope, versions)


def similar(name: str, scope: Scope) -> list[str]:
    """Return the names that a person may have meant."""
    known = [
        *scope.tables.index(),
        *codes(),
        *scope.dialect.names,
    ]
    known += [variable_of(item) for item in scope.tables.index() if item.startswith("--")]
    tries = [
        name,
        name.upper().replace("-", "_"),
        f"--{name.lstrip('-').lower().replace('_', '-')}",
        name.lower().replace("_", "-"),
    ]
    shapes = {flag: scope.catalog.shape(flag) or {} for flag in scope.catalog.flag_names()}
    found = [f"{flag}.{name}" for flag, shape in shapes.items() if name in shape.get("keys", {})]
    found += [close for item in tries for close in nearest(item, known, 3)]
    return list(dict.fromkeys(found))[:5]


def _code_page(name: str) -> Page:
    found = code(name)
    title = f"{name}: {found.title} ({found.severity})"
    return Page(title, [("", [found.explanation]), ("example", found.example.split("\n"))])
