"""Everything that is known about one name: a flag, a key of a JSON flag, a variable of a dialect or
of vLLM's, the code of a finding; and what is in no table of vLLM: our own variables, those of
schedulers and of Kubernetes, and the short flag of an optimization level.
"""

from __future__ import annotations

from collections.abc import Sequence

from translator.env.unknown import names_a_service
from translator.findings.texts import code, codes
from translator.naming.scope import Scope
from translator.pages.flags import flag_page
from translator.pages.page import Page, version_lines
from translator.pages.variables import variable_page
from translator.tables.catalog import Tables
from translator.tables.entries import LEVEL, variable_of
from translator.tables.versions import VARIABLE, span
from translator.text.similar import nearest

# Our own variables: what each is for, and the option for the same, if there is one.
OWN = {
    VARIABLE: ("vLLM version (default: the installed one, else the newest known)", "--vllm"),
    "TRANSLATE_TABLES": ("a directory of your own tables, added to the built-in ones", "--tables"),
    "TRANSLATE_DEBUG": (
        "if not empty, an internal error shows where in the code it happened, without values",
        "",
    ),
}

# The parts of a cluster's table that name variables, and what their values are.
_PLACES = {
    "nodes": "number of machines",
    "rank": "rank of this machine",
    "address": "address of the first machine",
    "port": "port of the first machine",
    "host_list": "names of all machines",
    "per_node": "processes of each machine",
}


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
        clusters = _cluster_lines(plain, scope.tables)
        return Page(page.title, [*page.sections, ("with --cluster", clusters)], page.accepted)
    if (page := _other_page(name, scope.tables, versions)) is not None:
        return page
    flag, *path = (plain if plain.startswith("-") else f"--{plain}").split(".")
    return flag_page(flag.replace("_", "-"), tuple(path), scope, versions)


def similar(name: str, scope: Scope) -> list[str]:
    """Return the names that a person may have meant."""
    known = [*scope.tables.index(), *codes(), *scope.dialect.names]
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


def _other_page(name: str, tables: Tables, versions: Sequence[str]) -> Page | None:
    """Return the page of a name that is neither vLLM's nor the dialect's."""
    plain, _, value = name.partition("=")
    if plain.startswith(LEVEL) and (plain[len(LEVEL) :] or value or "3").isdecimal():
        return _level_page(plain[len(LEVEL) :] or value, tables, versions)
    if plain in OWN:
        what, option = OWN[plain]
        sections = [("value", [what]), ("option", [option] if option else [])]
        return Page(f"{plain}: a variable of this program", sections)
    clusters = _cluster_lines(plain, tables)
    if clusters:
        return Page(f"{plain}: a variable of a scheduler", [("with --cluster", clusters)])
    if plain.startswith("VLLM_") and names_a_service(plain):
        value = "address of a service whose name begins with vllm; it is removed before vLLM starts"
        remedy = "enableServiceLinks: false in the pod's spec, or another name for the service"
        return Page(
            f"{plain}: a service link of Kubernetes (see service-link)",
            [("value", [value]), ("to avoid it", [remedy])],
        )
    return None


def _cluster_lines(name: str, tables: Tables) -> list[str]:
    """Return what a variable means with each cluster that has it."""
    return _cluster_names(tables).get(name, [])


def _cluster_names(tables: Tables) -> dict[str, list[str]]:
    """Return the variables of all clusters: name → what it means, a line for each cluster."""
    found: dict[str, list[str]] | None = tables.kept.get("cluster names")
    if found is None:
        found = {}
        for cluster in tables.clusters():
            table = tables.records(f"cluster.{cluster}.json")["@cluster"]
            for part, what in _PLACES.items():
                for name in dict.fromkeys(table.get(part, ())):
                    found.setdefault(name, []).append(f"{cluster}: {what}")
        tables.kept["cluster names"] = found
    return found


def _level_page(number: str, tables: Tables, versions: Sequence[str]) -> Page:
    """Return the page of the short flag that is a level in every version, and JSON in some."""
    whole = tables.index()[LEVEL]["of"]
    level = number or "3"

    def fact(version: str) -> str | None:
        catalog = tables.catalog(version)
        target = catalog.grammar.level
        if target is None:
            return None
        full = f"--{target}" if catalog.flag(f"--{target}") is not None else f"{whole}.{target}"
        with_json = f"; {LEVEL} with JSON is {whole}" if LEVEL in catalog.spellings() else ""
        return f"{LEVEL}{level} is {full}={level}{with_json}"

    every = tables.versions()[0], tables.versions()[-1]
    missing = f"not in {', '.join(versions)}; it is in {span(*every)}"
    title = f"{LEVEL}{number}: an optimization level of `vllm serve`"
    return Page(title, [("vLLM", version_lines(versions, fact) or [missing])])
