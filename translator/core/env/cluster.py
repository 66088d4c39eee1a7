"""Several machines (`--cluster`): which of them this one is, by the variables of a scheduler
(mappings/clusters), and the flags that vLLM needs there.

One table, shared by all clusters, names the flags that a machine gets: those for one model over all
machines, or the data-parallel flags if every machine runs its own ranks, plus one flag on machines
without a server. Flags that are already set stay unchanged. Where vLLM's own flags do not suffice,
another program joins the machines, and vLLM runs on the first.
"""

from __future__ import annotations

from translator.core.findings import TranslationError, finding
from translator.core.settings import Setting
from translator.core.settings.scope import variable_for
from translator.core.tables.catalog import CONFIG, FileOf
from translator.core.text.words import VARIABLE, Origin, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from translator.core.findings import Finding
    from translator.core.settings.scope import Scope
    from translator.core.tables import entries
    from translator.core.tables.catalog import Tables

    Part = Literal["nodes", "rank", "address", "port", "host_list", "per_node"]
    Told = tuple[list[Setting], list[Finding]]


_READ: Sequence[Part] = ("nodes", "rank", "address", "port", "host_list", "per_node")
_NEEDED: Sequence[Part] = ("nodes", "rank")
_MACHINES: FileOf[Any] = FileOf("machines.json")
_HOSTS = "a list of machines, such as `node[01-04,07],other`, with all brackets closed"


def cluster_variables(cluster: str, tables: Tables) -> frozenset[str]:
    """Return the names of a cluster's own variables, which need no dialect warning."""
    parts = tables.cluster(cluster)
    return frozenset(name for part in _READ for name in parts.get(part, ()))


def _first(names: Sequence[str], env: Mapping[str, str]) -> str | None:
    return next((name for name in names if env.get(name, "").strip()), None)


def first_host(hosts: str) -> str | None:
    """Return the first name of a list such as `node[01-04,07],other`, or of one name a line; None
    if the list is invalid.

    >>> first_host("node[01-04,07]x,other")
    'node01x'
    """
    begin, *rest = hosts.partition("\n")[0].strip().split("[")
    names = [begin]
    for part in rest:
        inside, _, behind = part.partition("]")
        numbers = [end for item in inside.split(",") for end in item.split("-", 1)]
        if not all(number.isascii() and number.isdecimal() for number in numbers):
            return None
        names += [numbers[0], behind]
    is_closed = hosts.count("[") == hosts.count("]") and "]" not in "".join(names)
    return ("".join(names).partition(",")[0] or None) if is_closed else None


class Machine:
    """One machine of several, by the variables of its scheduler.

    Attributes:
        nodes: number of machines.
        rank: index of this machine; 0 is the first.
        address: address of the first machine.
        port: port on which the machines meet, or None.
        origins: "nodes", "rank", "address" and "port" → the variable that supplied it.
    """

    def __init__(self, env: Mapping[str, str], cluster: str, tables: Tables) -> None:
        """Read the variables.

        Raises:
            TranslationError: no such cluster exists, or its variables are inconsistent.
        """
        self._env, self._parts = env, tables.cluster(cluster)
        if not self._parts:
            raise TranslationError([unknown_cluster(cluster, tables)])
        self._findings: list[Finding] = []
        lists, addresses = self._parts.get("host_list", ()), self._parts.get("address", ())
        found = {part: _first(self._parts.get(part, ()), env) for part in (*_NEEDED, "port")}
        found["address"] = _first((*addresses, *lists), env)
        self.origins: dict[str, str] = {
            part: name for part, name in found.items() if name is not None
        }
        for part in _NEEDED:
            if part not in self.origins:
                self._lacking("missing", self._parts[part], cluster)
        nodes, rank, self.port = self._number("nodes"), self._number("rank"), self._number("port")
        if nodes == 0:
            self._bad("nodes", expected="a whole number ≥ 1")
        elif nodes is not None and rank is not None and rank >= nodes:
            self._bad("rank", rank=rank, nodes=nodes, of=self.origins["nodes"], last=nodes - 1)
        self.nodes, self.rank, self.address = nodes or 0, rank or 0, ""
        name = found["address"]
        if name is not None:
            text = env[name].strip()
            self.address = (first_host(text) if name not in addresses else text) or ""
            if not self.address:
                self._bad("address", expected=_HOSTS)
        elif nodes != 1:
            self._lacking("no-address", (*addresses, *lists), cluster)
        if self._findings:
            raise TranslationError(self._findings)

    def _number(self, part: str) -> int | None:
        """Read a number; divide a process count by the number of processes per machine."""
        name = self.origins.get(part)
        if name is None:
            return None
        value = self._integer(part, name)
        counts_processes = name in self._parts.get("processes", ())
        per = _first(self._parts.get("per_node", ()), self._env) if counts_processes else None
        each = self._integer(part, per) if per is not None else 1
        if value is None or not each:
            return value
        if part != "rank" and value % each:
            self._bad(part, processes=value, each=each, per=per or "")
        return value // each

    def _integer(self, part: str, name: str) -> int | None:
        """Read an integer; `2:2`, a range with one value, counts as an integer."""
        first, _, last = self._env[name].strip().partition(":")
        if first.isascii() and first.isdecimal() and len(first) < 10 and last in ("", first):
            return int(first)
        self._bad(part, name, expected="a whole number")
        return None

    def _bad(self, part: str, name: str = "", **facts: Any) -> None:
        name = name or self.origins[part]
        given = f"{name}={self._env[name]}" if "expected" in facts else ""
        item = finding("bad-cluster", name, variable=name, given=given, **facts)
        self._findings.append(item)

    def _lacking(self, case: str, names: Sequence[str], cluster: str) -> None:
        """Add the finding for several variables of which none is set and one is required."""
        subject, facts = " or ".join(names), {"variable": names[0], "cluster": cluster}
        item = finding("bad-cluster", subject, case=case, others=tuple(names[1:]), **facts)
        self._findings.append(item)


def unknown_cluster(cluster: str, tables: Tables) -> Finding:
    """Return the finding about a cluster that has no table."""
    known = tuple(tables.clusters())
    near = "".join(nearest(cluster, known, 1))
    facts = {"cluster": cluster, "near": near}
    return finding("bad-cluster", "cluster", case="unknown", known=known, **facts)


def cluster_settings(
    env: Mapping[str, str], cluster: str, scope: Scope, given: Sequence[Setting]
) -> Told:
    """Add the flags that this machine requires, unless they are already set.

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
    machine = Machine(env, cluster, scope.tables)
    if machine.nodes == 1:
        return list(given), []
    flags = _Flags(machine, given, scope)
    made, findings = flags.settings()
    settings, added, disagreements = list(given), [], []
    for item in made:
        before = flags.given.get(item.flag)
        if item.flag == flags.headless:
            for other in [other for other in given if other.flag in flags.servers]:
                settings.remove(other)
                subject, facts = other.origin.inside or str(other.origin), {"flag": other.flag}
                facts |= {"origin": str(other.origin), "of": str(item.origin)}
                findings.append(finding("no-server-here", subject, rank=machine.rank, **facts))
        if before is None:
            added.append(item)
        elif before.value != item.value and item.flag not in flags.routes:
            subject, facts = before.origin.inside or str(before.origin), {"flag": before.flag}
            facts |= {"origin": str(before.origin), "value": str(before.value)}
            facts |= {"variable": str(item.origin), "expected": str(item.value)}
            disagreements.append(finding("disagreement", subject, **facts))
    return [*reversed(added), *settings], findings + disagreements


class _Flags:
    """The flags of one machine, next to what is set on all of them.

    Attributes:
        given: flag → its setting, of what is set.
        headless: the flag of a machine without a server.
        servers: flags that make no sense there.
        routes: flags for which another value is valid: another way to the first machine.
    """

    def __init__(self, machine: Machine, given: Sequence[Setting], scope: Scope) -> None:
        found = scope.tables.records(_MACHINES)
        self._machine, self._scope = machine, scope
        self.given = {item.flag: item for item in given if not item.path}
        self._values: Mapping[str, Any] = {flag: item.value for flag, item in self.given.items()}
        common: entries.MachineFlags = found["@machines"]
        self._nodes: entries.NodeFlags = found["@nodes"]
        self._ranks: entries.DataParallelFlags = found["@data_parallel"]
        self._joined: entries.Joined = found["@joined"]
        every = (self._nodes, self._ranks)
        self.routes = {flag for flags in every for flag in (flags["address"], flags["port"])}
        self.headless, self.servers = common["headless"], common["servers"]

    def settings(self) -> Told:
        """Return the settings of this machine, and the findings about them."""
        local = self._local_ranks()
        if self._is_joined():
            local = self._values.get(self._ranks["local"])
            if self._machine.rank or not local:
                return [], self._about_joined()
            # The one vLLM, on the first machine, needs the ranks of all of them.
            total = self._made(self._ranks["total"], self._machine.nodes * local, "nodes")
            return [total], self._about_joined()
        return self._data_parallel(local) if local else self._one_model()

    def _is_joined(self) -> bool:
        """Return whether the flags ask for another program that joins the machines."""
        given, ranks, joined = self._values, self._ranks, self._joined
        apart = (ranks["local"], ranks["single"], *ranks["everywhere"])
        asks = given.get(joined["flag"]) == joined["value"] and not any(map(given.get, apart))
        return asks or given.get(ranks["backend"]) == joined["value"]

    def _made(self, flag: str, value: Any, part: str) -> Setting:
        """Return a setting that comes from one of the scheduler's variables."""
        return Setting(flag, value, Origin(VARIABLE, self._machine.origins[part]))

    def _route(self, flags: entries.NodeFlags | entries.DataParallelFlags) -> list[Setting]:
        """Return where the machines meet."""
        settings = [self._made(flags["address"], self._machine.address, "address")]
        if self._machine.port is not None:
            settings.append(self._made(flags["port"], self._machine.port, "port"))
        return settings

    def _without_server(self) -> list[Setting]:
        """Return the setting of a machine without a server, unless every machine has one."""
        everywhere = any(map(self._values.get, self._ranks["everywhere"]))
        return [] if everywhere else [self._made(self.headless, True, "rank")]

    def _local_ranks(self) -> int | None:
        """Return how many data-parallel ranks each machine runs whole; None if a rank spans
        machines.

        vLLM infers the number from that of all ranks only together with `--nnodes`, which 0.11
        refuses for ranks of one GPU, and not at all if every machine has a server.
        """
        given, ranks, nodes = self._values, self._ranks, self._machine.nodes
        local: int | None = given.get(ranks["local"])
        total: int = given.get(ranks["total"]) or 1
        if total < nodes and nodes % total == 0 and not local:
            return 1 if given.get(ranks["single"]) and ranks["total"] not in given else None
        return local or (1 if given.get(ranks["single"]) else max(total // nodes, 1))

    def _one_model(self) -> Told:
        """Return the settings for one model over all machines."""
        machine, given, flags, scope = self._machine, self._values, self._nodes, self._scope
        if scope.catalog.flag(flags["count"]) is None:
            return [], self._about_joined()
        settings = [
            self._made(flags["count"], machine.nodes, "nodes"),
            self._made(flags["rank"], machine.rank, "rank"),
            *self._route(flags),
        ]
        spanned = machine.nodes
        if given.get(self._ranks["single"]):  # the first machine of each rank has a server
            spanned //= given.get(self._ranks["total"], 1)
        settings += self._without_server() if machine.rank % spanned else []
        world, nodes = 1, given.get(flags["count"]) or machine.nodes
        for name in flags["sizes"]:
            world *= given.get(name) or 1
        if world % nodes == 0 or CONFIG in given:  # a file may hold the sizes
            return settings, []
        asked = tuple(name for name in flags["sizes"] if name in given) or (flags["sizes"][0],)
        facts: dict[str, Any] = {"nodes": nodes, "of": machine.origins["nodes"], "flags": asked}
        variable = variable_for(asked[0], scope) or asked[0]
        facts |= {"variable": variable, "version": scope.catalog.version}
        return settings, [finding("cluster-size", flags["count"], world=world, **facts)]

    def _about_joined(self) -> list[Finding]:
        """Return the findings if another program joins the machines: vLLM runs on the first."""
        machine, joined, count = self._machine, self._joined, self._nodes["count"]
        code = "cluster-not-in-version"
        facts = {"program": joined["name"], "version": self._scope.catalog.version}
        if machine.rank:
            return [finding(code, machine.origins["rank"], rank=machine.rank, **facts)]
        if self._is_joined():
            return []
        setting = f"{joined['flag']} {joined['value']}"
        return [finding(code, count, flag=count, setting=setting, **facts)]

    def _data_parallel(self, local: int) -> Told:
        """Return the settings for data-parallel ranks where every machine holds the whole model."""
        machine, given, flags, scope = self._machine, self._values, self._ranks, self._scope
        total = given.get(flags["total"], machine.nodes * local)
        settings = [self._made(flags["total"], total, "nodes"), *self._route(flags)]
        if given.get(flags["single"]):
            settings.append(self._made(flags["rank"], machine.rank, "rank"))
        else:
            settings.append(self._made(flags["local"], local, "nodes"))
            if machine.rank:
                settings.append(self._made(flags["start"], machine.rank * local, "rank"))
                settings += self._without_server()
        findings = self._about_ranks(local, total)
        lacking = [item.flag for item in settings if item.flag not in given]
        lacking = [flag for flag in lacking if not scope.catalog.knows(flag)]
        if not lacking:
            return settings, findings
        about = finding(
            "cluster-not-in-version",
            lacking[0],
            flags=tuple(lacking),
            version=scope.catalog.version,
            since=scope.tables.having(lacking[0])[0],
            setting=f"{self._joined['flag']} {self._joined['value']}",
        )
        return [], [*findings, about]

    def _about_ranks(self, local: int, total: int) -> list[Finding]:
        """Return the finding about numbers of ranks that do not fit the machines."""
        machine, given, flags = self._machine, self._values, self._ranks
        single = given.get(flags["single"])
        facts: dict[str, Any] = {"local": local}
        if single and local > 1:
            knows = self._scope.catalog.knows
            instead = tuple(name for name in flags["everywhere"] if knows(name))
            facts |= {"flag": flags["single"], "ranks": flags["local"], "instead": instead}
            return [finding("cluster-size", flags["local"], **facts)]
        wanted = machine.nodes * local
        if total == wanted:
            return []
        facts |= {"flag": flags["total"], "total": str(total), "nodes": machine.nodes}
        most = wanted if flags["local"] in given or single else ""
        facts |= {"wanted": most, "of": machine.origins["nodes"]}
        return [finding("cluster-size", flags["total"], **facts)]
