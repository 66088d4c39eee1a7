"""Several machines: the variables by which a scheduler tells each container its place, as vLLM's
flags (`--cluster`).

A table (mappings/clusters) says which variables these are. Another one, shared by all clusters,
says which flags of vLLM's a place becomes: those of one model over all machines, or, where every
machine has data-parallel ranks of its own, those of that family; and one more on all machines but
the first. What is set already stays.
"""

from __future__ import annotations

from translator.findings import Finding, TranslationError, finding
from translator.secrets.secrets import secrets_of
from translator.settings.setting import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.dialects.scope import Scope
    from translator.tables.catalog import Tables

    Records = Mapping[str, Mapping[str, Any]]  # of FILE

    Made = dict[str, tuple[Any, str]]  # flag → its value, and the variable that told it


PARTS = ("nodes", "rank", "address", "port", "host_list")


FILE = "machines.txt"


class Place:
    """A container's place among several.

    Attributes:
        nodes: how many machines there are.
        rank: which of them this is; 0 is the first.
        address: of the first one.
        port: where it is to be met, or None.
        origins: "nodes", "rank", "address" and "port" → the variable that told it.
    """

    __slots__ = ("address", "nodes", "origins", "port", "rank")

    def __init__(
        self, nodes: int, rank: int, address: str, port: int | None, origins: dict[str, str]
    ) -> None:
        self.nodes, self.rank, self.address, self.port, self.origins = (
            nodes,
            rank,
            address,
            port,
            origins,
        )


def place(env: Mapping[str, str], cluster: str, tables: Tables) -> Place:
    """Where the container stands.

    Raises:
        TranslationError: there is no such table, or its variables say nothing sensible.
    """
    table = tables.records(f"cluster.{cluster}.txt").get("@cluster")
    if table is None:
        shown = secrets_of(tables).masked_urls(cluster)
        raise TranslationError(
            [
                finding(
                    "bad-cluster",
                    "cluster",
                    f"there is no cluster {shown!r}",
                    "`translate tables list` names them",
                )
            ]
        )
    findings: list[Finding] = []
    origins: dict[str, str] = {}
    nodes = _number("nodes", env, table, cluster, origins, findings)
    rank = _number("rank", env, table, cluster, origins, findings)
    if nodes == 0:
        findings.append(
            finding(
                "bad-cluster",
                origins["nodes"],
                f"{origins['nodes']} says that there are no machines: expected at least 1",
            )
        )
    elif nodes is not None and rank is not None and not 0 <= rank < nodes:
        message = (
            f"{origins['rank']} says {rank}, of {nodes} machines ({origins['nodes']}): expected 0"
            f" to {nodes - 1}"
        )
        findings.append(finding("bad-cluster", origins["rank"], message))
    address = _address(env, table, origins, findings)
    if address == "" and nodes != 1:
        wanted = " or ".join((*table.get("address", ()), *table.get("host_list", ())))
        findings.append(
            finding(
                "bad-cluster",
                wanted,
                f"nothing says where the first machine is: {cluster} has {wanted}",
                f"set {wanted.partition(' ')[0]}",
            )
        )
    port = _number("port", env, table, cluster, origins, findings, needed=False)
    if findings or nodes is None or rank is None or address is None:
        raise TranslationError(findings)
    return Place(nodes, rank, address, port, origins)


def unset(env: Mapping[str, str], cluster: str, tables: Tables) -> bool:
    """Whether no variable tells a place at all, as in a file of settings that every machine
    shares.
    """
    table = tables.records(f"cluster.{cluster}.txt").get("@cluster", {})
    return not any(
        env.get(name, "").strip() for part in ("nodes", "rank") for name in table.get(part, ())
    )


def stand_ins(cluster: str, tables: Tables) -> list[dict[str, str]]:
    """The variables of the first and of the second of two machines."""
    table = tables.records(f"cluster.{cluster}.txt")["@cluster"]
    address = (table.get("address") or table["host_list"])[0]
    return [
        {table["nodes"][0]: "2", table["rank"][0]: rank, address: "first"} for rank in ("0", "1")
    ]


def _first(names: list[str], env: Mapping[str, str]) -> str | None:
    return next((name for name in names if env.get(name, "").strip()), None)


def _number(
    what: str,
    env: Mapping[str, str],
    table: Mapping[str, Any],
    cluster: str,
    origins: dict[str, str],
    findings: list[Finding],
    *,
    needed: bool = True,
) -> int | None:
    """A number from the first variable that is set; one that counts processes is divided by those
    of a machine.
    """
    name = _first(table.get(what, []), env)
    if name is None:
        if needed:
            wanted = " or ".join(table[what])
            message = f"{wanted} is not set: is this a container of a cluster of {cluster}?"
            findings.append(
                finding("bad-cluster", wanted, message, "leave --cluster out on a single machine")
            )
        return None
    origins[what] = name
    value = _integer(name, env[name], findings)
    per = _first(table.get("per_node", []), env) if name in table.get("processes", ()) else None
    each = _integer(per, env[per], findings) if per is not None else 1
    if value is None or not each:
        return value
    if what != "rank" and value % each:
        findings.append(
            finding(
                "bad-cluster",
                name,
                f"{name}={value} processes cannot be divided by {each} a machine ({per})",
            )
        )
    return value // each


def _integer(name: str, text: str, findings: list[Finding]) -> int | None:
    """A whole number; `2:2`, a range of one, is one, too."""
    first, _, last = text.strip().partition(":")
    if first.isascii() and first.isdecimal() and len(first) < 10 and (not last or last == first):
        return int(first)
    findings.append(finding("bad-cluster", name, f"{name}: expected a whole number"))
    return None


def _address(
    env: Mapping[str, str],
    table: Mapping[str, Any],
    origins: dict[str, str],
    findings: list[Finding],
) -> str | None:
    """Where the first machine is: "" when no variable says it, None when one says nothing
    sensible.
    """
    name = _first(table.get("address", []), env)
    if name is not None:
        origins["address"] = name
        return env[name].strip()
    name = _first(table.get("host_list", []), env)
    if name is None:
        return ""
    origins["address"] = name
    first = first_host(env[name].strip())
    if first is None:
        findings.append(
            finding(
                "bad-cluster",
                name,
                f"{name} is no list of machines: expected names such as node[01-04,07],other, each"
                " bracket closed",
            )
        )
    return first


def first_host(hosts: str) -> str | None:
    """The first name of a list such as `node[01-04,07],other`; None when it is no such list.

    >>> first_host("node[01-04,07]x,other")
    'node01x'
    """
    begin, *rest = hosts.split("[")
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


def lay(
    env: Mapping[str, str],
    cluster: str,
    scope: Scope,
    settings: list[Setting],
    findings: list[Finding],
) -> None:
    """Add to what is set what a container's place demands, where nothing else is said.

    Args:
        env: the variables.
        cluster: the table's name.
        settings: everything that is set, weakest first; added to.
        findings: added to; those about the cluster's own variables, which a dialect may warn of,
            are taken out.

    Raises:
        TranslationError: the variables say nothing sensible, or the version knows no several
            machines.
    """
    here = place(env, cluster, scope.tables)
    records = scope.tables.records(FILE)
    table = scope.tables.records(f"cluster.{cluster}.txt")["@cluster"]
    known = {name for part in (*PARTS, "per_node") for name in table.get(part, ())}
    findings[:] = [
        item for item in findings if item.code != "reserved-name" or item.subject not in known
    ]
    if here.nodes == 1:
        return
    given = {item.flag: item.value for item in settings if not item.path}
    make = _data_parallel if given.get(records["@data_parallel"]["local"]) else _nodes
    made = make(here, given, records, scope, findings)
    origins = {item.flag: item.origin for item in settings}
    meeting = [
        records[part][name] for part in ("@nodes", "@data_parallel") for name in ("address", "port")
    ]  # another way to the first machine is no mistake
    for flag, (value, origin) in made.items():
        if flag not in given:
            settings.insert(0, Setting(flag, value, origin))
        elif given[flag] != value and flag not in meeting:
            message = (
                f"{origins[flag]} sets {flag} to {given[flag]}, but by {origin} it is {value} on"
                f" this machine: {origins[flag]} wins"
            )
            findings.append(
                finding(
                    "disagreement",
                    origins[flag].partition(" (")[0],
                    message,
                    f"leave {flag} to {origin}",
                )
            )


def _nodes(
    here: Place, given: Mapping[str, Any], records: Records, scope: Scope, findings: list[Finding]
) -> Made:
    """One model over all machines."""
    flags, joined = records["@nodes"], records["@joined"]
    if given.get(joined["flag"]) == joined["value"] or scope.catalog.flag(flags["count"]) is None:
        _joined(here, given, flags["count"], joined, scope, findings)
        return {}
    made: Made = {
        flags["count"]: (here.nodes, here.origins["nodes"]),
        flags["rank"]: (here.rank, here.origins["rank"]),
    }
    made[flags["address"]] = (here.address, here.origins["address"])
    if here.port is not None:
        made[flags["port"]] = (here.port, here.origins["port"])
    if here.rank:
        made[records["@machines"]["headless"]] = (True, here.origins["rank"])
    return made


def _joined(
    here: Place,
    given: Mapping[str, Any],
    count: str,
    joined: Mapping[str, Any],
    scope: Scope,
    findings: list[Finding],
) -> None:
    """Another program joins the machines: vLLM runs on the first one only."""
    name = joined["name"]
    others = joined["others"].replace("{address}", scope.secrets.clean(here.address))
    if here.rank:
        message = (
            f"vLLM {scope.catalog.version} reaches several machines through {name} here: it runs on"
            f" the first one only, and this is number {here.rank}"
        )
        findings.append(
            finding(
                "cluster-not-in-version",
                here.origins["rank"],
                message,
                f"run {others} on this one instead",
            )
        )
    elif given.get(joined["flag"]) != joined["value"]:
        message = (
            f"vLLM {scope.catalog.version} has no {count}: {name} joins the {here.nodes} machines"
            " there"
        )
        hint = (
            f"run {joined['first']} on this one first and {others} on the others, and set"
            f" {joined['flag']} to {joined['value']}"
        )
        findings.append(finding("cluster-not-in-version", count, message, hint))


def _data_parallel(
    here: Place, given: Mapping[str, Any], records: Records, scope: Scope, findings: list[Finding]
) -> Made:
    """Data-parallel ranks on every machine, each of which holds the whole model."""
    flags = records["@data_parallel"]
    local: int = given[flags["local"]]
    wanted = here.nodes * local
    total = given.get(flags["total"], wanted)
    if total != wanted:
        message = (
            f"{flags['total']} is {total}, but {here.nodes} machines ({here.origins['nodes']}) with"
            f" {local} each make {wanted}"
        )
        findings.append(finding("bad-cluster", flags["total"], message))
    made: Made = {
        flags["total"]: (total, here.origins["nodes"]),
        flags["address"]: (here.address, here.origins["address"]),
    }
    if here.port is not None:
        made[flags["port"]] = (here.port, here.origins["port"])
    if here.rank:
        made[flags["start"]] = (here.rank * local, here.origins["rank"])
        if not any(given.get(name) for name in flags.get("everywhere", ())):
            made[records["@machines"]["headless"]] = (True, here.origins["rank"])
    lacking = [name for name in made if scope.catalog.flag(name) is None]
    if lacking:
        first, joined = lacking[0], records["@joined"]
        message = (
            f"vLLM {scope.catalog.version} has no {', '.join(lacking)}: it has no data-parallel"
            " ranks on several machines"
        )
        hint = (
            f"vLLM {scope.tables.knowing(first)[0].replace('-', ' to ')} has {first}; or use"
            f" {joined['flag']} {joined['value']}"
        )
        findings.append(finding("cluster-not-in-version", first, message, hint))
        return {}
    return made
