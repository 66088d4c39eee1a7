"""Several machines (`--cluster`): turn a scheduler's rank variables into vLLM's flags.

A table (mappings/clusters) names these variables. A second table, shared by all clusters, names the
flags that a machine gets: those for one model over all machines, or the data-parallel flags if
every machine runs its own ranks, plus one flag on machines without a server. Flags that are already
set stay unchanged.
"""

from __future__ import annotations

from translator.env.slots import variable_for
from translator.findings import TranslationError, finding
from translator.secrets.secrets import secrets_of
from translator.settings.setting import Setting
from translator.tables.entries import CONFIG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.findings import Finding
    from translator.naming.scope import Scope
    from translator.tables.catalog import Tables

    Records = Mapping[str, Mapping[str, Any]]  # of FILE


PARTS = ("nodes", "rank", "address", "port", "host_list", "per_node")


FILE = "machines.json"


class Place:
    """The place of a container among several machines.

    Attributes:
        nodes: number of machines.
        rank: index of this machine; 0 is the first.
        address: address of the first machine.
        port: port on which the machines meet, or None.
        origins: "nodes", "rank", "address" and "port" → the variable that supplied it.
    """

    __slots__ = ("address", "nodes", "origins", "port", "rank")

    def __init__(
        self, nodes: int, rank: int, address: str, port: int | None, origins: dict[str, str]
    ) -> None:
        self.nodes, self.rank, self.address = nodes, rank, address
        self.port, self.origins = port, origins


def cluster_settings(
    env: Mapping[str, str],
    cluster: str,
    scope: Scope,
    given: Sequence[Setting],
    *,
    joins: bool = False,
) -> tuple[list[Setting], list[Finding]]:
    """Add the flags that a container's place requires, unless they are already set.

    Args:
        env: the variables.
        cluster: the table's name.
        scope: the version and the dialect.
        given: everything that is set, weakest first.
        joins: whether the program that joins the machines is started, too, if one is asked for.

    Returns:
        Everything that is then set, weakest first, and the findings.

    Raises:
        TranslationError: no such cluster exists, or its variables are inconsistent.
    """
    place = _place(env, cluster, scope.tables)
    settings = list(given)
    if place.nodes == 1:
        return settings, []
    records = scope.tables.records(FILE)
    values = {item.flag: item.value for item in given if not item.path}
    made, findings = _made(place, values, records, scope)
    if joins and _is_joined(values, records):
        findings = []
    origins = {item.flag: item.origin for item in given}
    machines = records["@machines"]
    if any(item.flag == machines["headless"] for item in made):
        servers = [item for item in settings if item.flag in machines.get("servers", ())]
        settings = [item for item in settings if item not in servers]
        findings += [_no_server(item, place) for item in servers]
    meeting = [  # another route to the first machine is valid
        records[part][name] for part in ("@nodes", "@data_parallel") for name in ("address", "port")
    ]
    for setting in made:
        flag = setting.flag
        if flag not in values:
            settings.insert(0, setting)
        elif values[flag] != setting.value and flag not in meeting:
            findings.append(
                finding(
                    "disagreement",
                    origins[flag].partition(" (")[0],
                    case="cluster",
                    origin=origins[flag],
                    flag=flag,
                    value=str(values[flag]),
                    variable=setting.origin,
                    expected=str(setting.value),
                )
            )
    return settings, findings


class Joining:
    """How another program than vLLM joins this machine to the others.

    Attributes:
        name: the program's name, for messages.
        nodes: number of machines.
        rank: index of this machine; on the first, 0, vLLM runs.
        origin: the variable that supplied `rank`.
        address, port: where the first machine is reached.
        listing: the tokens of a command that lists the machines that have joined.
        listed: regular expression of the line of such a machine.
        patience: seconds to wait for the other machines.
    """

    __slots__ = (
        "_joined",
        "address",
        "listed",
        "listing",
        "name",
        "nodes",
        "origin",
        "patience",
        "port",
        "rank",
    )

    def __init__(self, place: Place, joined: Mapping[str, Any]) -> None:
        self.nodes, self.rank, self.address = place.nodes, place.rank, place.address
        self.origin = place.origins["rank"]
        self._joined = joined
        self.name: str = joined["name"]
        self.port: int = joined["port"]
        self.listing: list[str] = joined["listing"].split()
        self.listed: str = joined["listed"]
        self.patience: int = joined["patience"]

    def command(self, address: str) -> list[str]:
        """Return the tokens that start the program here, with an address of the first machine."""
        return _command(self._joined, "others" if self.rank else "first", address).split()


def _command(joined: Mapping[str, Any], part: str, address: str = "") -> str:
    text: str = joined[part]
    return text.replace("{port}", str(joined["port"])).replace("{address}", address)


def joining(
    env: Mapping[str, str], cluster: str, tables: Tables, values: Mapping[str, Any]
) -> Joining | None:
    """Return how another program joins this machine to the others; None if vLLM does.

    Args:
        env: the variables.
        cluster: the table's name.
        tables: the tables.
        values: flag → value, of everything that is set.

    Raises:
        TranslationError: no such cluster exists, or its variables are inconsistent.
    """
    place, records = _place(env, cluster, tables), tables.records(FILE)
    if place.nodes == 1 or not _is_joined(values, records):
        return None
    return Joining(place, records["@joined"])


def cluster_variables(cluster: str, tables: Tables) -> frozenset[str]:
    """Return the names of a cluster's own variables, which need no dialect warning."""
    table = tables.records(f"cluster.{cluster}.json").get("@cluster", {})
    return frozenset(name for part in PARTS for name in table.get(part, ()))


def is_unplaced(env: Mapping[str, str], cluster: str, tables: Tables) -> bool:
    """Return whether no variable gives a place, as in a file shared by all machines."""
    table = tables.records(f"cluster.{cluster}.json").get("@cluster", {})
    return _first((*table.get("nodes", ()), *table.get("rank", ())), env) is None


def stand_ins(cluster: str, tables: Tables) -> list[dict[str, str]]:
    """Return the variables of the first and second of two machines."""
    table = tables.records(f"cluster.{cluster}.json")["@cluster"]
    address = (table.get("address") or table["host_list"])[0]
    return [
        {table["nodes"][0]: "2", table["rank"][0]: rank, address: "first"} for rank in ("0", "1")
    ]


def _first(names: Sequence[str], env: Mapping[str, str]) -> str | None:
    return next((name for name in names if env.get(name, "").strip()), None)


def _place(env: Mapping[str, str], cluster: str, tables: Tables) -> Place:
    """Read the place of this container in the cluster.

    Raises:
        TranslationError: no such table exists, or its variables are inconsistent.
    """
    table = tables.records(f"cluster.{cluster}.json").get("@cluster")
    if table is None:
        shown = secrets_of(tables).showing.word(cluster)
        raise TranslationError([_bad("unknown", "cluster", cluster=shown)])
    reader = _PlaceReader(env, cluster, table)
    nodes = reader.number("nodes")
    rank = reader.number("rank")
    origins, findings = reader.origins, reader.findings
    if nodes == 0:
        findings.append(_bad("no-machines", origins["nodes"]))
    elif nodes is not None and rank is not None and not 0 <= rank < nodes:
        findings.append(
            _bad(
                "rank", origins["rank"], rank=rank, nodes=nodes, of=origins["nodes"], last=nodes - 1
            )
        )
    address = reader.address()
    if address == "" and nodes != 1:
        findings.append(
            _bad_lacking(
                "no-address", (*table.get("address", ()), *table.get("host_list", ())), cluster
            )
        )
    port = reader.number("port", needed=False)
    if findings or nodes is None or rank is None or address is None:
        raise TranslationError(findings)
    return Place(nodes, rank, address, port, origins)


class _PlaceReader:
    """Reads each part of a place from the first of its variables that is set.

    Attributes:
        origins: part → the variable that supplied it.
        findings: problems with the variables.
    """

    __slots__ = ("_cluster", "_env", "_table", "findings", "origins")

    def __init__(self, env: Mapping[str, str], cluster: str, table: Mapping[str, Any]) -> None:
        self._env, self._cluster, self._table = env, cluster, table
        self.origins: dict[str, str] = {}
        self.findings: list[Finding] = []

    def number(self, part: str, *, needed: bool = True) -> int | None:
        """Read a number; divide a process count by the number of processes per machine."""
        table = self._table
        name = _first(table.get(part, ()), self._env)
        if name is None:
            if needed:
                self.findings.append(_bad_lacking("missing", table[part], self._cluster))
            return None
        self.origins[part] = name
        value = self._integer(name)
        per = (
            _first(table.get("per_node", ()), self._env)
            if name in table.get("processes", ())
            else None
        )
        each = self._integer(per) if per is not None else 1
        if value is None or not each:
            return value
        if part != "rank" and value % each:
            self.findings.append(_bad("processes", name, processes=value, each=each, per=per or ""))
        return value // each

    def _integer(self, name: str) -> int | None:
        """Read an integer; `2:2`, a range with one value, counts as an integer."""
        first, _, last = self._env[name].strip().partition(":")
        if (
            first.isascii()
            and first.isdecimal()
            and len(first) < 10
            and (not last or last == first)
        ):
            return int(first)
        self.findings.append(_bad("number", name))
        return None

    def address(self) -> str | None:
        """Read the address of the first machine: "" if no variable is set, None if invalid."""
        name = _first(self._table.get("address", ()), self._env)
        if name is not None:
            self.origins["address"] = name
            return self._env[name].strip()
        name = _first(self._table.get("host_list", ()), self._env)
        if name is None:
            return ""
        self.origins["address"] = name
        first = first_host(self._env[name].lstrip())
        if first is None:
            self.findings.append(_bad("hosts", name))
        return first


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
        if (
            not closed
            or "]" in behind
            or not all(number.isascii() and number.isdecimal() for number in numbers)
        ):
            return None
        names += [numbers[0], behind]
    return "".join(names).partition(",")[0] or None


def _bad(case: str, subject: str, **facts: str | int) -> Finding:
    return finding("bad-cluster", subject, case=case, variable=subject, **facts)


def _bad_lacking(case: str, names: Sequence[str], cluster: str) -> Finding:
    """Return the finding for several variables of which none is set and one is required."""
    first, *others = names
    return finding(
        "bad-cluster",
        " or ".join(names),
        case=case,
        variable=first,
        others=tuple(others),
        cluster=cluster,
    )


def _made(
    place: Place, given: Mapping[str, Any], records: Records, scope: Scope
) -> tuple[list[Setting], list[Finding]]:
    """Return the settings of this machine, and the findings about them."""
    if _is_joined(given, records):
        return _on_the_first(place, given, records), _joined(place, given, records, scope)
    local = _local_ranks(place, given, records["@data_parallel"])
    if local:
        return _data_parallel(place, local, given, records, scope)
    return _one_model(place, given, records, scope)


def _is_joined(given: Mapping[str, Any], records: Records) -> bool:
    """Return whether another program than vLLM is asked to join the machines."""
    ranks, joined = records["@data_parallel"], records["@joined"]
    if given.get(ranks["backend"]) == joined["value"]:
        return True
    apart = (ranks["local"], ranks["single"], *ranks["everywhere"])
    return given.get(joined["flag"]) == joined["value"] and not any(map(given.get, apart))


def _local_ranks(place: Place, given: Mapping[str, Any], flags: Mapping[str, Any]) -> int | None:
    """Return how many data-parallel ranks each machine runs whole; None if a rank spans machines.

    vLLM infers the number from that of all ranks only together with `--nnodes`, which 0.11 refuses
    for ranks of one GPU, and not at all if every machine has a server.
    """
    local: int | None = given.get(flags["local"])
    total: int = given.get(flags["total"]) or 1
    if total < place.nodes and place.nodes % total == 0 and not local:
        return 1 if given.get(flags["single"]) and flags["total"] not in given else None
    return local or (1 if given.get(flags["single"]) else max(total // place.nodes, 1))


def _one_model(
    place: Place, given: Mapping[str, Any], records: Records, scope: Scope
) -> tuple[list[Setting], list[Finding]]:
    """Return the settings for one model over all machines."""
    flags = records["@nodes"]
    if scope.catalog.flag(flags["count"]) is None:
        return [], _joined(place, given, records, scope)
    origins = place.origins
    made = [
        Setting(flags["count"], place.nodes, origins["nodes"]),
        Setting(flags["rank"], place.rank, origins["rank"]),
        Setting(flags["address"], place.address, origins["address"]),
    ]
    if place.port is not None:
        made.append(Setting(flags["port"], place.port, origins["port"]))
    ranks = records["@data_parallel"]
    spanned = place.nodes
    if given.get(ranks["single"]):  # the first machine of each rank has a server
        spanned //= given.get(ranks["total"], 1)
    if place.rank % spanned and not any(given.get(name) for name in ranks["everywhere"]):
        made.append(Setting(records["@machines"]["headless"], True, origins["rank"]))
    sizes = {name: given.get(name) or 1 for name in flags["sizes"]}
    world = 1
    for size in sizes.values():
        world *= size
    nodes = given.get(flags["count"]) or place.nodes
    if world % nodes == 0 or CONFIG in given:  # a file may hold the sizes
        return made, []
    asked = [name for name in sizes if name in given] or list(sizes)[:1]
    flag = scope.catalog.flag(asked[0])
    return made, [
        finding(
            "cluster-size",
            flags["count"],
            case="world",
            version=scope.catalog.version,
            nodes=nodes,
            of=origins["nodes"],
            flags=tuple(asked),
            world=world,
            variable=(variable_for(flag, scope) if flag is not None else None) or asked[0],
        )
    ]


def _on_the_first(place: Place, given: Mapping[str, Any], records: Records) -> list[Setting]:
    """Return what the one vLLM of joined machines needs to know: the ranks of all of them."""
    flags = records["@data_parallel"]
    local = given.get(flags["local"])
    if place.rank or not local:
        return []
    return [Setting(flags["total"], place.nodes * local, place.origins["nodes"])]


def _joined(
    place: Place, given: Mapping[str, Any], records: Records, scope: Scope
) -> list[Finding]:
    """Return the findings if another program joins the machines: vLLM runs only on the first."""
    version, joined, count = scope.catalog.version, records["@joined"], records["@nodes"]["count"]
    others = _command(joined, "others", scope.secrets.showing.value(place.address))
    if place.rank:
        return [
            finding(
                "cluster-not-in-version",
                place.origins["rank"],
                case="not-first",
                program=joined["name"],
                version=version,
                rank=place.rank,
                command=others,
            )
        ]
    if _is_joined(given, records):
        return []
    return [
        finding(
            "cluster-not-in-version",
            count,
            case="first",
            flag=count,
            version=version,
            program=joined["name"],
            first=_command(joined, "first"),
            command=others,
            setting=f"{joined['flag']} {joined['value']}",
        )
    ]


def _data_parallel(
    place: Place, local: int, given: Mapping[str, Any], records: Records, scope: Scope
) -> tuple[list[Setting], list[Finding]]:
    """Return the settings for data-parallel ranks where every machine holds the whole model."""
    flags, origins = records["@data_parallel"], place.origins
    wanted = place.nodes * local
    single = bool(given.get(flags["single"]))
    findings = _about_ranks(place, local, given, flags, scope)
    made = [
        Setting(flags["total"], given.get(flags["total"], wanted), origins["nodes"]),
        Setting(flags["address"], place.address, origins["address"]),
    ]
    if place.port is not None:
        made.append(Setting(flags["port"], place.port, origins["port"]))
    if single:
        made.append(Setting(flags["rank"], place.rank, origins["rank"]))
    else:
        made.append(Setting(flags["local"], local, origins["nodes"]))
        if place.rank:
            made.append(Setting(flags["start"], place.rank * local, origins["rank"]))
    if place.rank and not single and not any(given.get(name) for name in flags["everywhere"]):
        made.append(Setting(records["@machines"]["headless"], True, origins["rank"]))
    lacking = tuple(
        item.flag
        for item in made
        if item.flag not in given and scope.catalog.flag(item.flag) is None
    )
    if not lacking:
        return made, findings
    joined = records["@joined"]
    findings.append(
        finding(
            "cluster-not-in-version",
            lacking[0],
            case="data-parallel",
            flags=lacking,
            version=scope.catalog.version,
            since=scope.tables.knowing(lacking[0])[0].partition("-")[0],
            setting=f"{joined['flag']} {joined['value']}",
        )
    )
    return [], findings


def _about_ranks(
    place: Place, local: int, given: Mapping[str, Any], flags: Mapping[str, Any], scope: Scope
) -> list[Finding]:
    """Return the findings about numbers of ranks that do not fit the machines."""
    if given.get(flags["single"]) and local > 1:
        instead = [name for name in flags["everywhere"] if scope.catalog.flag(name) is not None]
        return [
            finding(
                "cluster-size",
                flags["local"],
                case="one-rank",
                flag=flags["single"],
                local=local,
                ranks=flags["local"],
                instead=tuple(instead),
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
            case="ranks" if flags["local"] in given or given.get(flags["single"]) else "uneven",
            flag=flags["total"],
            total=str(total),
            local=local,
            wanted=wanted,
            nodes=place.nodes,
            of=place.origins["nodes"],
        )
    ]


def _no_server(setting: Setting, place: Place) -> Finding:
    return finding(
        "no-server-here",
        setting.origin.partition(" (")[0],
        origin=setting.origin,
        flag=setting.flag,
        rank=place.rank,
        of=place.origins["rank"],
    )
