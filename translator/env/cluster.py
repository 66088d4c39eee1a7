"""Several machines (`--cluster`): which of them this one is, by the variables of a scheduler
(mappings/clusters), and the flags that vLLM needs there.

One table, shared by all clusters, names the flags that a machine gets: those for one model over all
machines, or the data-parallel flags if every machine runs its own ranks, plus one flag on machines
without a server. Flags that are already set stay unchanged. Where vLLM's own flags do not suffice,
another program joins the machines, and vLLM runs on the first.
"""

from __future__ import annotations

from translator.findings import TranslationError, finding
from translator.naming.scope import variable_for
from translator.settings.setting import Setting
from translator.tables import records
from translator.tables.entries import CONFIG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.findings import Fact, Finding
    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables

    # Part of a machine's place → the variables for it; the first of them that is set counts.
    Parts = Mapping[str, Sequence[str]]


_ROUTE = ("address", "port")


class Machine:
    """One machine of several, by the variables of its scheduler.

    Attributes:
        nodes: number of machines.
        rank: index of this machine; 0 is the first.
        address: address of the first machine.
        port: port on which the machines meet, or None.
        origins: "nodes", "rank", "address" and "port" → the variable that supplied it.
        findings: problems with the variables; the numbers are then 0.
    """

    def __init__(self, env: Mapping[str, str], cluster: str, parts: Parts) -> None:
        self._env, self._cluster, self._parts = env, cluster, parts
        self.origins: dict[str, str] = {}
        self.findings: list[Finding] = []
        nodes, rank = self._number("nodes"), self._number("rank")
        if nodes == 0:
            self._bad(self.origins["nodes"], expected="a whole number ≥ 1")
        elif nodes is not None and rank is not None and rank >= nodes:
            of, last = self.origins["nodes"], nodes - 1
            self._bad(self.origins["rank"], rank=rank, nodes=nodes, of=of, last=last)
        self.address = self._address(needed=nodes != 1)
        self.port = self._number("port", needed=False)
        self.nodes, self.rank = nodes or 0, rank or 0

    def _number(self, part: str, *, needed: bool = True) -> int | None:
        """Read a number; divide a process count by the number of processes per machine."""
        parts = self._parts
        name = _first(parts.get(part, ()), self._env)
        if name is None:
            if needed:
                self._lacking("missing", tuple(parts[part]))
            return None
        self.origins[part] = name
        value = self._integer(name)
        counts_processes = name in parts.get("processes", ())
        per = _first(parts.get("per_node", ()), self._env) if counts_processes else None
        each = self._integer(per) if per is not None else 1
        if value is None or not each:
            return value
        if part != "rank" and value % each:
            self._bad(name, processes=value, each=each, per=per or "")
        return value // each

    def _integer(self, name: str) -> int | None:
        """Read an integer; `2:2`, a range with one value, counts as an integer."""
        first, _, last = self._env[name].strip().partition(":")
        if first.isascii() and first.isdecimal() and len(first) < 10 and last in ("", first):
            return int(first)
        self._bad(name, expected="a whole number")
        return None

    def _address(self, *, needed: bool) -> str:
        """Read the address of the first machine: its own variable, or the first of a list."""
        addresses, lists = self._parts.get("address", ()), self._parts.get("host_list", ())
        name = _first((*addresses, *lists), self._env)
        if name is None:
            if needed:
                self._lacking("no-address", (*addresses, *lists))
            return ""
        self.origins["address"] = name
        if name in addresses:
            return self._env[name].strip()
        first = first_host(self._env[name].lstrip())
        if first is None:
            hosts = "a list of machines such as `node[01-04,07],other`, with all brackets closed"
            self._bad(name, expected=hosts)
        return first or ""

    def _bad(self, subject: str, **facts: Any) -> None:
        self.findings.append(finding("bad-cluster", subject, variable=subject, **facts))

    def _lacking(self, case: str, names: tuple[str, ...]) -> None:
        """Add the finding for several variables of which none is set and one is required."""
        facts: dict[str, Fact] = {"others": names[1:], "cluster": self._cluster}
        subject = " or ".join(names)
        self.findings.append(finding("bad-cluster", subject, case=case, variable=names[0], **facts))


def machine_of(env: Mapping[str, str], cluster: str, tables: Tables) -> Machine:
    """Read which machine of a cluster this is.

    Raises:
        TranslationError: no such cluster exists, or its variables are inconsistent.
    """
    parts = _parts(cluster, tables)
    if not parts:
        facts = {"variable": "cluster", "cluster": cluster}
        raise TranslationError([finding("bad-cluster", "cluster", case="unknown", **facts)])
    machine = Machine(env, cluster, parts)
    if machine.findings:
        raise TranslationError(machine.findings)
    return machine


def cluster_variables(cluster: str, tables: Tables) -> frozenset[str]:
    """Return the names of a cluster's own variables, which need no dialect warning."""
    parts = _parts(cluster, tables)
    read = ("nodes", "rank", "address", "port", "host_list", "per_node")
    return frozenset(name for part in read for name in parts.get(part, ()))


def is_unplaced(env: Mapping[str, str], cluster: str, tables: Tables) -> bool:
    """Return whether no variable tells which machine this is, as in a file shared by all."""
    parts = _parts(cluster, tables)
    return _first((*parts.get("nodes", ()), *parts.get("rank", ())), env) is None


def stand_ins(cluster: str, tables: Tables) -> list[dict[str, str]]:
    """Return the variables of the first and second of two machines."""
    parts = _parts(cluster, tables)
    address = (parts.get("address") or parts["host_list"])[0]
    return [
        {parts["nodes"][0]: "2", parts["rank"][0]: rank, address: "first"} for rank in ("0", "1")
    ]


def _parts(cluster: str, tables: Tables) -> Parts:
    """Return the variables of a cluster; none if it has no table."""
    return tables.records(f"cluster.{cluster}.json").get("@cluster", {})


def _first(names: Sequence[str], env: Mapping[str, str]) -> str | None:
    return next((name for name in names if env.get(name, "").strip()), None)


def first_host(hosts: str) -> str | None:
    """Return the first name of a list such as `node[01-04,07],other`, or of one name a line; None
    if the list is invalid.

    >>> first_host("node[01-04,07]x,other")
    'node01x'
    """
    begin, *rest = hosts.partition("\n")[0].strip().split("[")
    if "]" in begin:
        return None
    names = [begin]
    for part in rest:
        inside, closed, behind = part.partition("]")
        numbers = [end for item in inside.split(",") for end in item.split("-", 1)]
        are_numbers = all(number.isascii() and number.isdecimal() for number in numbers)
        if not closed or "]" in behind or not are_numbers:
            return None
        names += [numbers[0], behind]
    return "".join(names).partition(",")[0] or None


def cluster_settings(
    env: Mapping[str, str], cluster: str, scope: Scope, given: Sequence[Setting]
) -> tuple[list[Setting], list[Finding]]:
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
    machine = machine_of(env, cluster, scope.tables)
    settings = list(given)
    if machine.nodes == 1:
        return settings, []
    flags = _Flags(machine, {item.flag: item for item in given if not item.path}, scope)
    made, findings = flags.settings()
    if any(item.flag == flags.headless for item in made):
        servers = [item for item in settings if item.flag in flags.servers]
        settings = [item for item in settings if item not in servers]
        findings += [flags.no_server(item) for item in servers]
    added = [item for item in made if item.flag not in flags.given]
    findings += [flags.disagreement(item) for item in made if flags.contradicts(item)]
    return [*reversed(added), *settings], findings


class _Flags:
    """The flags of one machine, next to what is set on all of them.

    Attributes:
        given: flag → its value, of what is set.
        headless: the flag of a machine without a server.
        servers: flags that make no sense there.
    """

    def __init__(self, machine: Machine, given: Mapping[str, Setting], scope: Scope) -> None:
        found = scope.tables.records("machines.json")
        self._machine, self._settings, self._scope = machine, given, scope
        self.given: Mapping[str, Any] = {flag: item.value for flag, item in given.items()}
        self._nodes, self._ranks = found["@nodes"], found["@data_parallel"]
        self.headless: str = found["@machines"]["headless"]
        self.servers: Sequence[str] = found["@machines"].get("servers", ())
        self._joined = records.Joined(found["@joined"])

    def settings(self) -> tuple[list[Setting], list[Finding]]:
        """Return the settings of this machine, and the findings about them."""
        if self._is_joined():
            local = self.given.get(self._ranks["local"])
            if self._machine.rank or not local:
                return [], self._about_joined()
            # The one vLLM, on the first machine, needs the ranks of all of them.
            total = self._made(self._ranks["total"], self._machine.nodes * local, "nodes")
            return [total], self._about_joined()
        local = self._local_ranks()
        return self._data_parallel(local) if local else self._one_model()

    def contradicts(self, made: Setting) -> bool:
        """Return whether a flag is set to another value. Another route to the first machine is
        valid.
        """
        routes = [flags[part] for flags in (self._nodes, self._ranks) for part in _ROUTE]
        value = self.given.get(made.flag, made.value)
        return bool(value != made.value) and made.flag not in routes

    def disagreement(self, made: Setting) -> Finding:
        """Return the finding about a flag that is set to another value."""
        given = self._settings[made.flag]
        facts = {"origin": given.origin, "flag": given.flag, "value": str(given.value)}
        facts |= {"variable": made.origin, "expected": str(made.value)}
        return finding("disagreement", given.origin.partition(" (")[0], **facts)

    def no_server(self, setting: Setting) -> Finding:
        """Return the finding about a flag of servers on a machine without one."""
        return finding(
            "no-server-here",
            setting.origin.partition(" (")[0],
            origin=setting.origin,
            flag=setting.flag,
            rank=self._machine.rank,
            of=self._machine.origins["rank"],
        )

    def _is_joined(self) -> bool:
        """Return whether the flags ask for another program that joins the machines."""
        given, ranks, joined = self.given, self._ranks, self._joined
        if given.get(ranks["backend"]) == joined.value:
            return True
        apart = (ranks["local"], ranks["single"], *ranks["everywhere"])
        return given.get(joined.flag) == joined.value and not any(map(given.get, apart))

    def _made(self, flag: str, value: Any, part: str) -> Setting:
        """Return a setting that comes from one of the scheduler's variables."""
        return Setting(flag, value, self._machine.origins[part])

    def _route(self, flags: Mapping[str, str]) -> list[Setting]:
        """Return where the machines meet."""
        made = [self._made(flags["address"], self._machine.address, "address")]
        if self._machine.port is not None:
            made.append(self._made(flags["port"], self._machine.port, "port"))
        return made

    def _without_server(self) -> list[Setting]:
        """Return the setting of a machine without a server, unless every machine has one."""
        if any(map(self.given.get, self._ranks["everywhere"])):
            return []
        return [self._made(self.headless, True, "rank")]

    def _local_ranks(self) -> int | None:
        """Return how many data-parallel ranks each machine runs whole; None if a rank spans
        machines.

        vLLM infers the number from that of all ranks only together with `--nnodes`, which 0.11
        refuses for ranks of one GPU, and not at all if every machine has a server.
        """
        given, ranks, nodes = self.given, self._ranks, self._machine.nodes
        local: int | None = given.get(ranks["local"])
        total: int = given.get(ranks["total"]) or 1
        if total < nodes and nodes % total == 0 and not local:
            return 1 if given.get(ranks["single"]) and ranks["total"] not in given else None
        return local or (1 if given.get(ranks["single"]) else max(total // nodes, 1))

    def _one_model(self) -> tuple[list[Setting], list[Finding]]:
        """Return the settings for one model over all machines."""
        machine, given, flags, ranks = self._machine, self.given, self._nodes, self._ranks
        if self._scope.catalog.flag(flags["count"]) is None:
            return [], self._about_joined()
        made = [
            self._made(flags["count"], machine.nodes, "nodes"),
            self._made(flags["rank"], machine.rank, "rank"),
            *self._route(flags),
        ]
        spanned = machine.nodes
        if given.get(ranks["single"]):  # the first machine of each rank has a server
            spanned //= given.get(ranks["total"], 1)
        if machine.rank % spanned:
            made += self._without_server()
        return made, self._about_world()

    def _about_world(self) -> list[Finding]:
        """Return the finding about a number of GPUs that the machines cannot share."""
        machine, given, flags, scope = self._machine, self.given, self._nodes, self._scope
        sizes = {name: given.get(name) or 1 for name in flags["sizes"]}
        world = 1
        for size in sizes.values():
            world *= size
        nodes = given.get(flags["count"]) or machine.nodes
        if world % nodes == 0 or CONFIG in given:  # a file may hold the sizes
            return []
        asked = tuple([name for name in sizes if name in given] or list(sizes)[:1])
        flag = scope.catalog.flag(asked[0])
        facts: dict[str, Any] = {
            "nodes": nodes,
            "of": machine.origins["nodes"],
            "flags": asked,
            "world": world,
            "variable": (variable_for(flag, scope) if flag is not None else None) or asked[0],
        }
        version = scope.catalog.version
        return [finding("cluster-size", flags["count"], version=version, **facts)]

    def _about_joined(self) -> list[Finding]:
        """Return the findings if another program joins the machines: vLLM runs on the first."""
        machine, joined, count = self._machine, self._joined, self._nodes["count"]
        port = str(joined.port)
        others = joined.others.replace("{port}", port).replace("{address}", machine.address)
        version = self._scope.catalog.version
        facts = {"program": joined.name, "version": version, "command": others}
        code = "cluster-not-in-version"
        if machine.rank:
            origin, rank = machine.origins["rank"], machine.rank
            return [finding(code, origin, rank=rank, **facts)]
        facts["first"] = joined.first.replace("{port}", port)
        if self._is_joined():
            return [finding("machines-to-join", joined.flag, **facts)]
        facts |= {"flag": count, "setting": f"{joined.flag} {joined.value}"}
        return [finding(code, count, **facts)]

    def _data_parallel(self, local: int) -> tuple[list[Setting], list[Finding]]:
        """Return the settings for data-parallel ranks where every machine holds the whole model."""
        machine, given, flags, scope = self._machine, self.given, self._ranks, self._scope
        made = [
            self._made(flags["total"], given.get(flags["total"], machine.nodes * local), "nodes"),
            *self._route(flags),
        ]
        if given.get(flags["single"]):
            made.append(self._made(flags["rank"], machine.rank, "rank"))
        else:
            made.append(self._made(flags["local"], local, "nodes"))
            if machine.rank:
                made.append(self._made(flags["start"], machine.rank * local, "rank"))
                made += self._without_server()
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
                flags=lacking,
                version=scope.catalog.version,
                since=scope.tables.knowing(lacking[0])[0].partition("-")[0],
                setting=f"{self._joined.flag} {self._joined.value}",
            ),
        ]

    def _about_ranks(self, local: int) -> list[Finding]:
        """Return the finding about numbers of ranks that do not fit the machines."""
        machine, given, flags = self._machine, self.given, self._ranks
        single = given.get(flags["single"])
        if single and local > 1:
            known = self._scope.catalog.flag
            return [
                finding(
                    "cluster-size",
                    flags["local"],
                    flag=flags["single"],
                    local=local,
                    ranks=flags["local"],
                    instead=tuple([name for name in flags["everywhere"] if known(name)]),
                )
            ]
        wanted = machine.nodes * local
        total = given.get(flags["total"], wanted)
        if total == wanted:
            return []
        return [
            finding(
                "cluster-size",
                flags["total"],
                flag=flags["total"],
                total=str(total),
                local=local,
                wanted=wanted if flags["local"] in given or single else "",
                nodes=machine.nodes,
                of=machine.origins["nodes"],
            )
        ]
