"""What vLLM needs of the container around it and does not get: GPUs for its ranks, room in /dev/shm
(mappings/containers.toml). What is not certain gets no verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from translator.core.argv.reader import settle_argv
from translator.core.findings import Finding, finding, prevents
from translator.core.settings import Resolved
from translator.core.tables.catalog import CONFIG
from translator.core.tables.versions import within
from translator.core.values import assignment
from translator.deployments.judge.case import Case
from translator.deployments.read import Filled
from translator.deployments.read.surroundings import SHM, Amount, Surroundings
from translator.formats.needs import CONTAINERS, GIB, engines, has, offloaded, shm_needed, sizes_of

_MIB = 1 << 20


def about_surroundings(case: Case, line: Filled) -> list[Finding]:
    """Return the findings about what the container of a command line lacks, whose unknown parts are
    filled.
    """
    scope, container = case.scope, case.target.command.container
    table, around = scope.tables.records(CONTAINERS), container.surroundings or Surroundings()
    if not table or line.dropped or container.is_open or container.engine:
        return []
    visible = case.target.env.get(table["visible"], "")
    sizes = (*table["ranks"], *table["local"], table["offload"])
    flags = filter(None, map(scope.catalog.flag, sizes))
    names = {name for flag in flags for name in (flag.flag, *flag.aliases)}
    has_size = any(token.partition("=")[0].replace("_", "-") in names for token in line.tokens)
    if not (visible and around.gpus) and not (has_size and (visible or around.gpus or around.shm)):
        return []
    resolved = settle_argv(line.tokens, scope)
    if prevents(resolved.findings) or any(map(resolved.has_hole, (*sizes, *table["here"]))):
        return []
    unknown = {CONFIG, *table["machines"], *table["elsewhere"]}
    if not has(resolved.values, table["here"]) or resolved.values.keys() & unknown:
        return []
    start = _Start(case, table, resolved)
    return [*start.about_gpus(around.gpus, visible), *start.about_shm(around)]


class _Start:
    """A command line with the settings that it makes in a version, by mappings/containers.toml."""

    def __init__(self, case: Case, table: Mapping[str, Any], resolved: Resolved) -> None:
        self._table, self._version = table, case.scope.catalog.version
        self._values, self._origins = resolved.values, resolved.origins
        self._names = case.target.command.names  # of its variables
        self._words = "\n".join(case.target.command.container.words)

    def about_gpus(self, given: Amount | None, visible: str) -> list[Finding]:
        """Return the finding about fewer GPUs than ranks, of which some may be `visible`."""
        table, name = self._table, self._table["visible"]
        if not self._names.isdisjoint(table["hidden"]):
            return []
        is_refused = within(self._version, table["refused"], None)
        beside = engines(self._values, table) if is_refused else ()
        sizes = sizes_of(self._values, [*table["ranks"], *beside])
        ranks = math.prod(sizes.values())
        if re.fullmatch(r"\d{1,4}(?:,\d{1,4})*", visible):
            # CUDA reads no further than to one that is not there.
            most = given.number if given else math.inf
            ids = [*takewhile(most.__gt__, map(int, visible.split(",")))]
            if given and not ids:
                about = {"given": f"{name}={visible}", "id": visible.partition(",")[0]}
                about |= {"has": given.written, "last": str(given.number - 1)}
                return [finding("too-few-gpus", name, case="index", version=self._version, **about)]
            if len(ids) < most:
                listed = ",".join(map(str, range(min(ranks, 99))))
                form = f"{name}={listed}" if ranks <= min(most, 99) else ""
                given = Amount(len(ids), f"{name}={visible}", form)
        has_ray = re.search(r"\bray|\bmulti-node-serving", self._words)
        if given is None or ranks <= given.number or (has_ray and not is_refused):
            return []
        about = {"world": str(ranks), "count": str(given.number)}
        about |= {"backend": table["ray"] if has_ray else ""}
        kind = "" if is_refused else "ray"
        return [self._lack("too-few-gpus", kind, sizes, given, ranks, **about)]

    def about_shm(self, around: Surroundings) -> list[Finding]:
        """Return the finding about too little room in /dev/shm, if no command may mount another."""
        table, given, kind = self._table, around.shm, ""
        if given is None or SHM in self._words:
            return []
        room, sizes = given.number or table["room"], sizes_of(self._values, table["ranks"])
        cache = offloaded(self._values, table, self._version, self._names)
        cache = 0 if around.is_amds else cache
        if 0.9 * cache * GIB > room:  # all but a block
            sizes, needs = {table["offload"]: cache}, f"{cache:g} GiB"
            kind = "" if within(self._version, table["compared"], None) else "full"
        elif sizes and room < table["needs"] and within(self._version, table["needed"], None):
            needs = f"more than {table['needs'] // _MIB} MiB"
        else:
            return []
        kind = kind if given.written else "default"
        shown = f"{room / GIB:g} GiB" if room >= GIB else f"{room / _MIB:g} MiB"
        number = shm_needed(self._values, table, cache)
        return [self._lack("small-shm", kind, sizes, given, number, needs=needs, room=shown)]

    def _lack(
        self, code: str, kind: str, sizes: dict[str, Any], given: Amount, number: int, **about: str
    ) -> Finding:
        """Return the finding that flags with their `sizes` need another `number` than is given."""
        origins = [self._origins[flag][0] for flag in sizes]
        shown = map(assignment, (it.option for it in origins), map("{:g}".format, sizes.values()))
        about |= {"given": "` and `".join(shown), "has": given.written, "version": self._version}
        write = given.form.replace("%d", str(number))
        return finding(code, origins[0].name, case=kind, instead=write, **about).of(origins[0])
