"""Pages of names that are in no table of vLLM: our own variables, those of schedulers and of
Kubernetes, and the short flag of an optimization level.
"""

from __future__ import annotations

from translator.env.vllm_variables import is_service_link
from translator.pages.page import Page, version_lines
from translator.tables.entries import LEVEL
from translator.tables.versions import VARIABLE, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.tables.catalog import Tables

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


def other_page(name: str, tables: Tables, versions: Sequence[str]) -> Page | None:
    """Return the page of a name that is neither vLLM's nor the dialect's; None when nothing is
    called so.

    Args:
        name: as a person would type it.
        tables: the tables in use.
        versions: the versions that matter.
    """
    plain, _, value = name.partition("=")
    if plain.startswith(LEVEL) and (plain[len(LEVEL) :] or value or "3").isdecimal():
        return _level_page(plain[len(LEVEL) :] or value, tables, versions)
    if plain in OWN:
        what, option = OWN[plain]
        sections = [("value", [what]), ("option", [option] if option else [])]
        return Page(f"{plain}: a variable of this program", sections)
    clusters = cluster_lines(plain, tables)
    if clusters:
        return Page(f"{plain}: a variable of a scheduler", [("with --cluster", clusters)])
    if is_service_link(plain, ""):
        value = "address of a service whose name begins with vllm; it is removed before vLLM starts"
        remedy = "enableServiceLinks: false in the pod's spec, or another name for the service"
        return Page(
            f"{plain}: a service link of Kubernetes (see service-link)",
            [("value", [value]), ("to avoid it", [remedy])],
        )
    return None


def cluster_lines(name: str, tables: Tables) -> list[str]:
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
