"""Several machines (`--cluster`): what vLLM's flags tell each of them.

One table, shared by all clusters, names the flags that a machine gets: those for one model over all
machines, or the data-parallel flags if every machine runs its own ranks, plus one flag on machines
without a server. Flags that are already set stay unchanged. Where vLLM's own flags do not suffice,
another program joins the machines, and vLLM runs on the first.
"""

from __future__ import annotations

from translator.env.place import place_of
from translator.env.slots import variable_for
from translator.findings import finding
from translator.settings.setting import Setting
from translator.tables import records
from translator.tables.entries import CONFIG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.env.place import Place
    from translator.findings import Finding
    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables

    Settings = tuple[list[Setting], list[Finding]]


FILE = "machines.json"


def cluster_settings(
    env: Mapping[str, str],
    cluster: str,
    scope: Scope,
    given: Sequence[Setting],
) -> Settings:
    """Add the flags that a container's place requires, unless they are already set.

    Args:
        env: the variables.
        cluster: the scheduler's table.
        scope: the version and the dialect.
        given: everything that is set, weakest first.

    Returns:
        Everything that is then set, weakest first, and the findings.

    Raises:
        TranslationError: no such cluster exists, or its variables are inconsistent.
    """
    place = place_of(env, cluster, scope.tables)
    settings = list(given)
    if place.nodes == 1:
        return settings, []
    values = {item.flag: item.value for item in given if not item.path}
    origins = {item.flag: item.origin for item in given}
    machine = _Machine(place, values, scope)
    made, findings = machine.settings()
    if any(item.flag == machine.headless for item in made):
        servers = [item for item in settings if item.flag in machine.servers]
        settings = [item for item in settings if item not in servers]
        findings += [_no_server(item, place) for item in servers]
    added = [item for item in made if item.flag not in values]
    findings += [
        _disagreement(item, Setting(item.flag, values[item.flag], origins[item.flag]))
        for item in made
        if machine.contradicts(item)
    ]
    return [*reversed(added), *settings], findings


def _disagreement(made: Setting, given: Setting) -> Finding:
    return finding(
        "disagreement",
        given.origin.partition(" (")[0],
        case="cluster",
        origin=given.origin,
        flag=given.flag,
        value=str(given.value),
        variable=made.origin,
        expected=str(made.value),
    )


def _no_server(setting: Setting, place: Place) -> Finding:
    return finding(
        "no-server-here",
        setting.origin.partition(" (")[0],
        origin=setting.origin,
        flag=setting.flag,
        rank=place.rank,
        of=place.origins["rank"],
    )


class Joined(records.Joined):
    """Another program than vLLM that joins the machines."""

    def __init__(self, tables: Tables) -> None:
        found = tables.records(FILE)
        super().__init__(found["@joined"])
        self._ranks = found["@data_parallel"]

    @property
    def setting(self) -> str:
        """The flag that asks for it, with its value."""
        return f"{self.flag} {self.value}"

    def is_asked_for(self, given: Mapping[str, Any]) -> bool:
        """Return whether it joins the machines, by all flags that are set."""
        ranks = self._ranks
        if given.get(ranks["backend"]) == self.value:
            return True
        apart = (ranks["local"], ranks["single"], *ranks["everywhere"])
        return given.get(self.flag) == self.value and not any(map(given.get, apart))

    def command(self, rank: int, address: str = "") -> str:
        """Return the command that starts it on a machine."""
        text = self.others if rank else self.first
        return text.replace("{port}", str(self.port)).replace("{address}", address)


class _Machine:
    """One machine of several, and what is set on all of them.

    Attributes:
        headless: the flag of a machine without a server.
        servers: flags that make no sense there.
        joined: the program that joins the machines where vLLM does not.
    """

    def __init__(self, place: Place, given: Mapping[str, Any], scope: Scope) -> None:
        found = scope.tables.records(FILE)
        self._place, self._given, self._scope = place, given, scope
        self._nodes, self._ranks = found["@nodes"], found["@data_parallel"]
        self.headless: str = found["@machines"]["headless"]
        self.servers: Sequence[str] = found["@machines"].get("servers", ())
        self.joined = Joined(scope.tables)

    def settings(self) -> Settings:
        """Return the settings of this machine, and the findings about them."""
        if self.joined.is_asked_for(self._given):
            return self._on_the_first(), self._about_joined()
        local = self._local_ranks()
        return self._data_parallel(local) if local else self._one_model()

    def contradicts(self, made: Setting) -> bool:
        """Return whether a flag is set to another value. Another route to the first machine is
        valid.
        """
        routes = [flags[part] for flags in (self._nodes, self._ranks) for part in _ROUTE]
        value = self._given.get(made.flag, made.value)
        return bool(value != made.value) and made.flag not in routes

    def _made(self, flag: str, value: Any, part: str) -> Setting:
        """Return a setting that comes from a part of the place."""
        return Setting(flag, value, self._place.origins[part])

    def _route(self, flags: Mapping[str, str]) -> list[Setting]:
        """Return where the machines meet."""
        values = {"address": self._place.address, "port": self._place.port}
        return [
            self._made(flags[part], values[part], part)
            for part in _ROUTE
            if values[part] is not None
        ]

    def _no_server(self) -> list[Setting]:
        """Return the setting of a machine without a server, unless every machine has one."""
        if any(map(self._given.get, self._ranks["everywhere"])):
            return []
        return [self._made(self.headless, True, "rank")]

    def _local_ranks(self) -> int | None:
        """Return how many data-parallel ranks each machine runs whole; None if a rank spans
        machines.

        vLLM infers the number from that of all ranks only together with `--nnodes`, which 0.11
        refuses for ranks of one GPU, and not at all if every machine has a server.
        """
        given, ranks, nodes = self._given, self._ranks, self._place.nodes
        local: int | None = given.get(ranks["local"])
        total: int = given.get(ranks["total"]) or 1
        if total < nodes and nodes % total == 0 and not local:
            return 1 if given.get(ranks["single"]) and ranks["total"] not in given else None
        return local or (1 if given.get(ranks["single"]) else max(total // nodes, 1))

    def _one_model(self) -> Settings:
        """Return the settings for one model over all machines."""
        place, given, flags, ranks = self._place, self._given, self._nodes, self._ranks
        if self._scope.catalog.flag(flags["count"]) is None:
            return [], self._about_joined()
        made = [
            self._made(flags["count"], place.nodes, "nodes"),
            self._made(flags["rank"], place.rank, "rank"),
            *self._route(flags),
        ]
        spanned = place.nodes
        if given.get(ranks["single"]):  # the first machine of each rank has a server
            spanned //= given.get(ranks["total"], 1)
        if place.rank % spanned:
            made += self._no_server()
        return made, self._about_world()

    def _about_world(self) -> list[Finding]:
        """Return the finding about a number of GPUs that the machines cannot share."""
        place, given, flags, scope = self._place, self._given, self._nodes, self._scope
        sizes = {name: given.get(name) or 1 for name in flags["sizes"]}
        world = 1
        for size in sizes.values():
            world *= size
        nodes = given.get(flags["count"]) or place.nodes
        if world % nodes == 0 or CONFIG in given:  # a file may hold the sizes
            return []
        asked = [name for name in sizes if name in given] or list(sizes)[:1]
        flag = scope.catalog.flag(asked[0])
        return [
            finding(
                "cluster-size",
                flags["count"],
                case="world",
                version=scope.catalog.version,
                nodes=nodes,
                of=place.origins["nodes"],
                flags=tuple(asked),
                world=world,
                variable=(variable_for(flag, scope) if flag is not None else None) or asked[0],
            )
        ]

    def _on_the_first(self) -> list[Setting]:
        """Return what the one vLLM of joined machines needs to know: the ranks of all of them."""
        local = self._given.get(self._ranks["local"])
        if self._place.rank or not local:
            return []
        return [self._made(self._ranks["total"], self._place.nodes * local, "nodes")]

    def _about_joined(self) -> list[Finding]:
        """Return the findings if another program joins the machines: vLLM runs on the first."""
        place, joined, count = self._place, self.joined, self._nodes["count"]
        facts = {
            "program": joined.name,
            "version": self._scope.catalog.version,
            "command": joined.command(1, place.address),
        }
        code = "cluster-not-in-version"
        if place.rank:
            return [
                finding(code, place.origins["rank"], case="not-first", rank=place.rank, **facts)
            ]
        facts["first"] = joined.command(0)
        if joined.is_asked_for(self._given):
            return [finding("machines-to-join", joined.flag, **facts)]
        facts |= {"flag": count, "setting": joined.setting}
        return [finding(code, count, case="first", **facts)]

    def _data_parallel(self, local: int) -> Settings:
        """Return the settings for data-parallel ranks where every machine holds the whole model."""
        place, given, flags, scope = self._place, self._given, self._ranks, self._scope
        made = [
            self._made(flags["total"], given.get(flags["total"], place.nodes * local), "nodes"),
            *self._route(flags),
        ]
        if given.get(flags["single"]):
            made.append(self._made(flags["rank"], place.rank, "rank"))
        else:
            made.append(self._made(flags["local"], local, "nodes"))
            if place.rank:
                made.append(self._made(flags["start"], place.rank * local, "rank"))
                made += self._no_server()
        findings = self._about_ranks(local)
        lacking = tuple(
            item.flag
            for item in made
            if item.flag not in given and scope.catalog.flag(item.flag) is None
        )
        if not lacking:
            return made, findings
        return [], [
            *findings,
            finding(
                "cluster-not-in-version",
                lacking[0],
                case="data-parallel",
                flags=lacking,
                version=scope.catalog.version,
                since=scope.tables.knowing(lacking[0])[0].partition("-")[0],
                setting=self.joined.setting,
            ),
        ]

    def _about_ranks(self, local: int) -> list[Finding]:
        """Return the finding about numbers of ranks that do not fit the machines."""
        place, given, flags = self._place, self._given, self._ranks
        single = given.get(flags["single"])
        if single and local > 1:
            known = self._scope.catalog.flag
            return [
                finding(
                    "cluster-size",
                    flags["local"],
                    case="one-rank",
                    flag=flags["single"],
                    local=local,
                    ranks=flags["local"],
                    instead=tuple([name for name in flags["everywhere"] if known(name)]),
                )
            ]
        wanted = place.nodes * local
        total = given.get(flags["total"], wanted)
        if total == wanted:
            return []
        return [
            finding(
                "cluster-size",
                flags["total"],
                case="ranks" if flags["local"] in given or single else "uneven",
                flag=flags["total"],
                total=str(total),
                local=local,
                wanted=wanted,
                nodes=place.nodes,
                of=place.origins["nodes"],
            )
        ]


_ROUTE = ("address", "port")
