"""The variables of a file for vLLM that nothing reads."""

from __future__ import annotations

from translator.core.env.cluster import cluster_variables
from translator.core.env.vllm_variables import ends, known_names, misspelt
from translator.core.findings import Finding, finding
from translator.core.tables.catalog import flag_of
from translator.core.tables.images import telling
from translator.core.text.words import MOST_HINTS, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from translator.core.settings.scope import Scope

_MOST_UNREAD = 8  # names that one finding lists
_MOST_MEANT = 3


def unread(names: Iterable[str], scope: Scope, cluster: str | None = None) -> list[Finding]:
    """Return notes about the variables of a file for vLLM that nothing reads."""
    own = cluster_variables(cluster, scope.tables) if cluster else ()
    left = [name for name in names if not (scope.role(name) or name in own)]
    left = [name for name in left if not name.startswith("TRANSLATE_")]
    misspelt_names = {item.subject for item in misspelt(left, scope)}
    version = scope.catalog.version
    facts = {"reader": scope.reader, "version": version}
    known, found, others = known_names(scope), [], []
    for at, name in enumerate(name for name in left if name not in misspelt_names):
        near = _meant(name.upper(), known, scope) if at < MOST_HINTS else []
        if near:
            found.append(finding("unread-variable", name, name=name, near=tuple(near), **facts))
        else:
            others.append(name)
    if others:
        shown, more = tuple(others[:_MOST_UNREAD]), len(others[_MOST_UNREAD:]) or ""
        subject = ", ".join(shown)
        about = finding(
            "unread-variable", subject, case="several", names=shown, more=more, version=version
        )
        found.append(about)
    return found


def _meant(name: str, known: Collection[str], scope: Scope) -> list[str]:
    """Return the known names of which only words between the first and the last are missing
    (`MAX_LEN`), those that many set first, or else the nearest one.
    """
    first, last = ends(name)
    if name == first + last[1:]:
        wider = {it for it in known if it.startswith(first) and it.endswith(last)}
        if wider:
            often = telling(map(flag_of, wider), scope.tables)
            return sorted(wider, key=lambda it: (flag_of(it) not in often, it))[:_MOST_MEANT]
    return nearest(name, known, 1)
