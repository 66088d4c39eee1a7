"""Clusters: which variables say where a container runs, and what becomes of that."""

from __future__ import annotations

import re

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import FLAG, URL, VARIABLE, checked, distinct, each, line


@attrs.frozen
class Cluster:
    """Which variables tell a container its place among several; of each list, the first that is set
    counts.
    """

    name: str = attrs.field(validator=fields.DIALECT)
    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    nodes: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(VARIABLE), distinct])
    rank: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(VARIABLE), distinct])
    address: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    port: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    host_list: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    processes: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    per_node: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    note: str | None = checked(line, default=None)

    def __attrs_post_init__(self) -> None:
        if not self.address and not self.host_list:
            raise ValueError("neither 'address' nor 'host_list' says where the first node is")
        strange = [name for name in self.processes if name not in (*self.nodes, *self.rank)]
        if strange:
            raise ValueError(
                f"'processes' names {', '.join(strange)}, which is in neither 'nodes' nor 'rank'"
            )
        if bool(self.processes) != bool(self.per_node):
            raise ValueError("'processes' and 'per_node' go together")


@attrs.frozen
class ClusterFile:
    """One file of clusters/."""

    cluster: Cluster


@attrs.frozen
class NodeFlags:
    """What a place is to one model over all machines."""

    count: str = attrs.field(validator=FLAG)
    rank: str = attrs.field(validator=FLAG)
    address: str = attrs.field(validator=FLAG)
    port: str = attrs.field(validator=FLAG)
    sizes: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(FLAG), distinct])


@attrs.frozen
class DataParallelFlags:
    """What a place is to data-parallel ranks on every machine."""

    local: str = attrs.field(validator=FLAG)
    total: str = attrs.field(validator=FLAG)
    start: str = attrs.field(validator=FLAG)
    rank: str = attrs.field(validator=FLAG)
    address: str = attrs.field(validator=FLAG)
    port: str = attrs.field(validator=FLAG)
    backend: str = attrs.field(validator=FLAG)
    single: str = attrs.field(validator=FLAG)
    everywhere: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(FLAG), distinct])


@attrs.frozen
class Joined:
    """What joins the machines where vLLM does not: the flag that asks for it, and the commands for
    the first machine and for the others.
    """

    name: str = attrs.field(validator=line)
    flag: str = attrs.field(validator=FLAG)
    value: str = attrs.field(validator=line)
    first: str = attrs.field(validator=line)
    others: str = attrs.field(validator=line)
    port: int = attrs.field(
        validator=attrs.validators.and_(attrs.validators.ge(1), attrs.validators.le(65535))
    )
    listing: str = attrs.field(validator=line)
    listed: str = attrs.field(validator=line)
    patience: int = attrs.field(validator=attrs.validators.ge(1))

    def __attrs_post_init__(self) -> None:
        if "{address}" not in self.others:
            raise ValueError("'others' does not say where {address} stands")
        try:
            re.compile(self.listed)
        except re.error as error:
            raise ValueError(f"'listed' is no regular expression: {error}") from None


@attrs.frozen
class MachineFlags:
    """clusters/_flags.toml: what a place among several machines becomes, for all clusters."""

    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    headless: str = attrs.field(validator=FLAG)
    servers: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(FLAG), distinct])
    nodes: NodeFlags
    data_parallel: DataParallelFlags
    joined: Joined
