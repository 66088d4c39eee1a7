"""Clusters: which variables say where a container runs, and what becomes of that."""

from __future__ import annotations

from attrs import frozen

from translator.model.field_types import (
    Distinct,
    FlagName,
    Line,
    OwnName,
    Port,
    Some,
    Url,
    VariableName,
    among,
)


@frozen
class Cluster:
    """Which variables tell a container its place among several; of each list, the first that is set
    counts.
    """

    name: OwnName
    sources: Some[Url]
    nodes: Some[VariableName]
    rank: Some[VariableName]
    address: Distinct[VariableName] = ()
    port: Distinct[VariableName] = ()
    host_list: Distinct[VariableName] = ()
    processes: Distinct[VariableName] = ()
    per_node: Distinct[VariableName] = ()
    note: Line | None = None

    def __attrs_post_init__(self) -> None:
        if not self.address and not self.host_list:
            raise ValueError("neither 'address' nor 'host_list' says where the first node is")
        text = "'processes' names {}, which is in neither 'nodes' nor 'rank'"
        among(self.processes, (*self.nodes, *self.rank), text)
        if bool(self.processes) != bool(self.per_node):
            raise ValueError("'processes' and 'per_node' go together")


@frozen
class ClusterFile:
    """One file of clusters/."""

    cluster: Cluster


@frozen
class NodeFlags:
    """What a place is to one model over all machines."""

    count: FlagName
    rank: FlagName
    address: FlagName
    port: FlagName
    sizes: Some[FlagName]


@frozen
class DataParallelFlags:
    """What a place is to data-parallel ranks on every machine."""

    local: FlagName
    total: FlagName
    start: FlagName
    rank: FlagName
    address: FlagName
    port: FlagName
    backend: FlagName
    single: FlagName
    everywhere: Some[FlagName]


@frozen
class Joined:
    """What joins the machines where vLLM does not: the flag that asks for it, and the commands for
    the first machine and for the others.
    """

    name: Line
    flag: FlagName
    value: Line
    first: Line
    others: Line
    port: Port

    def __attrs_post_init__(self) -> None:
        if "{address}" not in self.others:
            raise ValueError("'others' does not say where {address} stands")


@frozen
class MachineFlags:
    """clusters/_flags.toml: what a place among several machines becomes, for all clusters."""

    sources: Some[Url]
    headless: FlagName
    servers: Some[FlagName]
    nodes: NodeFlags
    data_parallel: DataParallelFlags
    joined: Joined
