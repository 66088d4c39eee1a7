"""What vLLM needs of the container around it and does not get: GPUs for its ranks, room in /dev/shm
(mappings/containers.toml). What is not certain gets no verdict.
"""

from __future__ import annotations

import re
import sys
from itertools import takewhile
from typing import TYPE_CHECKING

from translator.core.argv.reader import settle_argv
from translator.core.findings import TranslationError, finding, prevents
from translator.core.tables.catalog import CONFIG
from translator.core.tables.versions import within
from translator.core.values import assignment
from translator.deployments.read.surroundings import Amount, Surroundings
from translator.formats.classes import frozen
from translator.formats.needs import CONTAINERS, GIB, engines, offloaded, product, sizes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from translator.core.findings import Finding
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.deployments.judge.case import Case
    from translator.deployments.read import Filled

_IDS = re.compile(r"\d{1,4}(?:,\d{1,4})*")
_MIB = 1 << 20


def about_surroundings(case: Case, line: Filled) -> list[Finding]:
    """Return the findings about what the container of a command line lacks.

    Args:
        line: the command line, its holes filled.
    """
    command, scope = case.target.command, case.scope
    if command.surroundings is None and not case.target.env:
        return []
    tables = scope.tables.records(CONTAINERS)
    if not tables or line.dropped or command.is_open or command.engine:
        return []
    gpus, offload = tables["gpus"], tables["offload"]
    visible, around = case.target.env.get(gpus["visible"], ""), command.surroundings
    sizes = (*gpus["ranks"], *gpus["local"], offload["flag"])
    if around is None and not visible:
        return []
    is_numbered = bool(visible) and around is not None and around.gpus is not None
    if not is_numbered and not _has_any(sizes, line.tokens, scope):
        return []
    try:
        resolved = settle_argv(line.tokens, scope)
    except TranslationError:
        return []
    values, here = resolved.values, gpus["here"]
    is_known = all(values.get(flag, value) == value for flag, value in here.items())
    is_known = is_known and values.keys().isdisjoint(
        (CONFIG, *gpus["machines"], *gpus["elsewhere"])
    )
    if not is_known or prevents(resolved.findings) or any(map(resolved.has_hole, (*sizes, *here))):
        return []
    start = _Start(resolved, tables, around or Surroundings(), scope.catalog.version)
    findings = start.gpus(visible) if command.names.isdisjoint(gpus["unless"]) else []
    return [*findings, *start.shm(command.names)]


def _has_any(flags: Iterable[str], tokens: Sequence[str], scope: Scope) -> bool:
    """Return whether a command line has one of some flags, not abbreviated."""
    known = filter(None, map(scope.catalog.flag, flags))
    names = {name for flag in known for name in (flag.flag, *flag.aliases)}
    return any(token.partition("=")[0].replace("_", "-") in names for token in tokens)


@frozen
class _Start:
    """A command line in what surrounds it, for one version."""

    resolved: Resolved
    tables: Mapping[str, Any]
    around: Surroundings
    version: str

    def gpus(self, visible: str) -> list[Finding]:
        """Return the finding about fewer GPUs than ranks, of which some may be `visible`."""
        facts, given, name = self.tables["gpus"], self.around.gpus, self.tables["gpus"]["visible"]
        if _IDS.fullmatch(visible):
            most = given.number or 0 if given is not None else sys.maxsize
            # CUDA reads no further than to one that is not there.
            ids = [*takewhile(most.__gt__, map(int, visible.split(",")))]
            if not ids and given is not None:
                about = {"given": f"{name}={visible}", "id": visible.partition(",")[0]}
                about |= {"has": given.written, "last": str(most - 1), "version": self.version}
                return [finding("too-few-gpus", name, case="index", **about)]
            if len(ids) < most:
                given = Amount(len(ids), f"{name}={visible}")
        is_refused = within(self.version, facts["since"], None)
        beside = engines(self.resolved.values, facts) if is_refused else ()
        sizes = sizes_of(self.resolved.values, [*facts["ranks"], *beside])
        ranks = product(sizes)
        if given is None or ranks <= (given.number or 0):
            return []
        if not is_refused and self.around.uses_ray:
            return []
        listed = ",".join(map(str, range(ranks))) if ranks < 100 else ""
        write = given.form % ranks if given.form else f"{name}={listed}" if listed else ""
        about = {"world": str(ranks), "count": str(given.number), "has": given.written}
        about |= {"instead": write, "backend": facts["ray"] if self.around.uses_ray else ""}
        return [self._about("too-few-gpus", sizes, "" if is_refused else "ray", **about)]

    def shm(self, names: Collection[str]) -> list[Finding]:
        """Return the finding about too little room in /dev/shm; `names` are those of variables."""
        facts, offload, given = self.tables["shm"], self.tables["offload"], self.around.shm
        values = self.resolved.values
        if given is None:
            return []
        room = facts["default"] * _MIB if given.number is None else given.number
        about = {"has": given.written, "other": given.other}
        about["room"] = f"{room / GIB:g} GiB" if room >= GIB else f"{room / _MIB:g} MiB"
        cache = 0 if self.around.is_amds else offloaded(values, offload, self.version, names)
        if 0.9 * cache > room / GIB:  # certainly there: all but a block
            offload_size = [(offload["flag"], cache)]
            is_checked = within(self.version, offload["checked"], None) and given.written
            about |= {"needs": f"{cache:g} GiB", "instead": given.form % (cache + 1)}
            return [
                self._about("small-shm", offload_size, "offload" if is_checked else "full", **about)
            ]
        sizes = sizes_of(values, self.tables["gpus"]["ranks"])
        if not sizes or room >= facts["needs"] or not within(self.version, facts["since"], None):
            return []
        about |= {"needs": f"{facts['needs'] // _MIB} MiB", "instead": given.form % 1}
        return [self._about("small-shm", sizes, "" if given.written else "default", **about)]

    def _about(
        self, code: str, sizes: Sequence[tuple[str, float]], case: str, **facts: str
    ) -> Finding:
        """Return a finding about the first of some flags, which quotes all of them."""
        origins = [self.resolved.origins[flag][0] for flag, _ in sizes]
        shown = [
            origin.shown(assignment(origin.option, f"{value:g}"))
            for origin, (_, value) in zip(origins, sizes)
        ]
        facts |= {"given": "` and `".join(shown), "version": self.version}
        return finding(code, origins[0].name, case=case, **facts).of(origins[0])
