"""What `explain` tells of names that stand in no table of vLLM: our own variables, those of
schedulers and of Kubernetes, and the short flag of a level.
"""

from __future__ import annotations

from translator.env.vllm_variables import is_service_link
from translator.explain.page import Page, spans
from translator.findings.registry import CODES
from translator.tables.entries import LEVEL, level_of
from translator.tables.versions import VARIABLE, ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.dialects.scope import Scope
    from translator.tables.catalog import Catalog, Tables


# Our own variables: what each is for, and the option that says the same, if there is one.
OWN = {
    VARIABLE: (
        "the vLLM to translate for. Without it, it is the one installed, else the newest known.",
        "--vllm",
    ),
    "TRANSLATE_TABLES": (
        "a directory of your own tables, which is laid over those of the project.",
        "--tables",
    ),
    "TRANSLATE_DEBUG": (
        (
            "anything in it: an internal error shows where in the code it happened, without what"
            " the message holds."
        ),
        "",
    ),
}


# The parts of a cluster's table that name variables, and what these tell.
_PLACES = {
    "nodes": "how many machines there are",
    "rank": "which of them this is",
    "address": "where the first one is",
    "port": "the port of the first one",
    "host_list": "the names of all",
    "per_node": "the processes of one machine",
}


def page_of(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    """The page of a name that is none of vLLM's or of the dialect's; None when nothing here is
    called so.

    Args:
        name: as a person would type it.
        scope: the version and the dialect.
        versions: the versions that matter.
    """
    plain, _, value = name.partition("=")
    if plain.startswith(LEVEL) and (plain[len(LEVEL) :] or value or "3").isdecimal():
        return _level(plain[len(LEVEL) :] or value, scope.tables, versions)
    if plain in OWN:
        what, option = OWN[plain]
        page = Page(f"{plain}: a variable of this program")
        page.add("holds", [what])
        page.add("the same as an option", [option] if option else [])
        return page
    told = told_by_clusters(plain, scope.tables)
    if told:
        page = Page(f"{plain}: a variable of a scheduler")
        page.add("with --cluster", told)
        return page
    if is_service_link(plain, ""):
        page = Page(
            f"{plain}: a service link of Kubernetes, {CODES['service-link'].severity} service-link"
        )
        page.add(
            "holds",
            [
                "the address of a service in the namespace whose name begins with vllm; it is kept"
                " from vLLM"
            ],
        )
        page.add(
            "to be rid of it",
            ["enableServiceLinks: false in the pod's spec, or another name for the service"],
        )
        return page
    return None


def told_by_clusters(name: str, tables: Tables) -> list[str]:
    """What a variable tells with each cluster that has it."""
    found = []
    for cluster in tables.clusters():
        table = tables.records(f"cluster.{cluster}.txt")["@cluster"]
        found += [
            f"{cluster}: {what}" for part, what in _PLACES.items() if name in table.get(part, ())
        ]
    return found


def _level(number: str, tables: Tables, versions: Sequence[str]) -> Page:
    """The short flag that is a level in every version, and in some takes JSON, too."""
    page = Page(f"{LEVEL}{number}: a level of compilation for vllm serve")
    whole = tables.index()[LEVEL]["of"]

    def fact(version: str) -> str | None:
        catalog: Catalog = tables.catalog(version)
        target = level_of(catalog.grammar)
        if target is None:
            return None
        full = f"--{target}" if catalog.flag(f"--{target}") is not None else f"{whole}.{target}"
        return f"{LEVEL}{number or 3} is {full}={number or 3}" + (
            f"; {LEVEL} with JSON is {whole}" if LEVEL in catalog.spellings() else ""
        )

    page.add(
        "in vLLM",
        [f"{where}: {text}" for where, text in spans(versions, fact)]
        or [f"none of {', '.join(versions)}; it is in {ranges(tables.versions())}"],
    )
    return page
