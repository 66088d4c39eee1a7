"""The place of a container among several machines, by the variables of a scheduler
(mappings/clusters).
"""

from __future__ import annotations

from translator.findings import TranslationError, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.findings import Finding
    from translator.tables.catalog import Tables

    # Part of a place → the variables that may tell it; the first of them that is set counts.
    Parts = Mapping[str, Sequence[str]]


_PARTS = ("nodes", "rank", "address", "port", "host_list", "per_node")


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


def place_of(env: Mapping[str, str], cluster: str, tables: Tables) -> Place:
    """Read the place of this container in a cluster.

    Raises:
        TranslationError: no such cluster exists, or its variables are inconsistent.
    """
    parts = _parts(cluster, tables)
    if not parts:
        shown = cluster
        raise TranslationError([_bad("unknown", "cluster", cluster=shown)])
    reader = _Reader(env, cluster, parts)
    nodes, rank = reader.number("nodes"), reader.number("rank")
    origins, findings = reader.origins, reader.findings
    if nodes == 0:
        findings.append(_bad("no-machines", origins["nodes"]))
    elif nodes is not None and rank is not None and not 0 <= rank < nodes:
        of, last = origins["nodes"], nodes - 1
        findings.append(_bad("rank", origins["rank"], rank=rank, nodes=nodes, of=of, last=last))
    address = reader.address()
    if address == "" and nodes != 1:
        names = (*parts.get("address", ()), *parts.get("host_list", ()))
        findings.append(_lacking("no-address", names, cluster))
    port = reader.number("port", needed=False)
    if findings or nodes is None or rank is None or address is None:
        raise TranslationError(findings)
    return Place(nodes, rank, address, port, origins)


def cluster_variables(cluster: str, tables: Tables) -> frozenset[str]:
    """Return the names of a cluster's own variables, which need no dialect warning."""
    parts = _parts(cluster, tables)
    return frozenset(name for part in _PARTS for name in parts.get(part, ()))


def is_unplaced(env: Mapping[str, str], cluster: str, tables: Tables) -> bool:
    """Return whether no variable gives a place, as in a file shared by all machines."""
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


class _Reader:
    """Reads each part of a place from the first of its variables that is set.

    Attributes:
        origins: part → the variable that supplied it.
        findings: problems with the variables.
    """

    __slots__ = ("_cluster", "_env", "_parts", "findings", "origins")

    def __init__(self, env: Mapping[str, str], cluster: str, parts: Parts) -> None:
        self._env, self._cluster, self._parts = env, cluster, parts
        self.origins: dict[str, str] = {}
        self.findings: list[Finding] = []

    def number(self, part: str, *, needed: bool = True) -> int | None:
        """Read a number; divide a process count by the number of processes per machine."""
        parts = self._parts
        name = _first(parts.get(part, ()), self._env)
        if name is None:
            if needed:
                self.findings.append(_lacking("missing", parts[part], self._cluster))
            return None
        self.origins[part] = name
        value = self._integer(name)
        counts_processes = name in parts.get("processes", ())
        per = _first(parts.get("per_node", ()), self._env) if counts_processes else None
        each = self._integer(per) if per is not None else 1
        if value is None or not each:
            return value
        if part != "rank" and value % each:
            self.findings.append(_bad("processes", name, processes=value, each=each, per=per or ""))
        return value // each

    def _integer(self, name: str) -> int | None:
        """Read an integer; `2:2`, a range with one value, counts as an integer."""
        first, _, last = self._env[name].strip().partition(":")
        is_number = first.isascii() and first.isdecimal() and len(first) < 10
        if is_number and last in ("", first):
            return int(first)
        self.findings.append(_bad("number", name))
        return None

    def address(self) -> str | None:
        """Read the address of the first machine: "" if no variable is set, None if invalid."""
        name = _first(self._parts.get("address", ()), self._env)
        if name is not None:
            self.origins["address"] = name
            return self._env[name].strip()
        name = _first(self._parts.get("host_list", ()), self._env)
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
        are_numbers = all(number.isascii() and number.isdecimal() for number in numbers)
        if not closed or "]" in behind or not are_numbers:
            return None
        names += [numbers[0], behind]
    return "".join(names).partition(",")[0] or None


def _bad(case: str, subject: str, **facts: str | int) -> Finding:
    return finding("bad-cluster", subject, case=case, variable=subject, **facts)


def _lacking(case: str, names: Sequence[str], cluster: str) -> Finding:
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
