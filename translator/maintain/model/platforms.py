"""Platforms: what the variables of each mean (a dialect), and which of them say where a container
runs among others (a cluster).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from attrs import field, frozen

from translator.core.platforms.programs import PROGRAMS
from translator.maintain.model.schema import (
    Distinct,
    FlagName,
    Line,
    OwnName,
    Pattern,
    Positive,
    Prefix,
    Some,
    Target,
    Url,
    VariableName,
    VariableOrNothing,
    VersionName,
    among,
    check_kind,
    matching,
    nonempty,
    stand_once,
)

_Beginning = Annotated[str, matching(r"[^\s=:#!]*", "how a key begins")]
_Prefix = Annotated[str, matching(r"[A-Z0-9_]+", "how a variable begins (NAME_)")]

Role = Literal["flag", "choice", "worker", "environment", "reserved"]


@frozen
class Reads:
    """What a program makes of variables where this translator makes something else of them: of all
    texts but those that it `needs` or that are `fine`, or of `texts` alone.
    """

    names: Some[VariableName]
    does: Literal["stops at", "ignores", "reads", ""]
    means: Line = ""
    texts: Distinct[str] = ()
    fine: Distinct[str] = ()
    needs: Literal["whole numbers in digits", ""] = ""
    beside: Distinct[VariableName] = ()


@frozen
class DialectHead:
    """What a dialect is, who else reads it and where that is documented."""

    name: OwnName
    sources: Distinct[Url] = ()
    about: Line = field(default="", metadata={"file": "consumer"})
    reader: Line = ""
    extends: OwnName | None = None
    prefix: Prefix = ""
    any_prefix: bool = False
    extra_args: VariableOrNothing | None = None
    config_file: VariableOrNothing | None = None
    arguments: tuple[str, ...] = ()
    model_directory: Line = ""
    limit_name: Positive = 0
    limit_value: Positive = 0
    limit_all: Positive = 0
    baked_args: Annotated[str, matching(r"/\S+", "an absolute path")] = ""
    image: Line = ""
    arguments_with: Mapping[FlagName, tuple[str, ...]] = field(factory=dict)
    own_names: Distinct[Pattern] = ()
    reads: tuple[Reads, ...] = ()


@frozen
class Generation:
    """Which releases of the consumer's program read the variables by this table, and on which vLLM:
    those from `release` on, up to the next table of the same dialect.
    """

    of: OwnName
    release: Annotated[str, matching(r"\d+(\.\d+)*", "a release")]
    vllm: VersionName
    instead: Line | None = None


@frozen
class Breaks:
    """What a flag does to the consumer's program, and with which values it does not."""

    note: Line
    unless: Distinct[str] = ()


@frozen
class Relay:
    """A program that hands the command line on through a file, in whose syntax some texts do not
    arrive; of older images, up to a vLLM version, more of them.
    """

    name: Line
    assignment: Line
    breaks: Distinct[str] = ()
    older: Distinct[str] = ()
    until: VersionName | None = None


@frozen
class Properties:
    """A file of settings that the consumer reads, in the syntax of Java's properties."""

    file: Annotated[str, matching(r"[A-Za-z0-9_.-]+", "a file's name")]
    keys: Annotated[Mapping[_Beginning, _Prefix], nonempty]
    names: Mapping[str, VariableName] = field(factory=dict)
    source: Url | None = None


def _program(value: str) -> None:
    among([value], ("", *PROGRAMS), "{} is no program of core/platforms/programs.py")


_Program = Annotated[str, _program]
# The lists of a consumer that passes on only what they name.
_CLOSING = ("value_flags", "pair_flags", "switch_flags", "true_flags", "json_flags", "pairs_flags")
LISTS = (*_CLOSING, "zero_unset", "ignored", "calculates", "overrules")


@frozen
class Consumer:
    """What the consumer makes of a variable: flag by flag (the lists), or as its program."""

    vllm: VersionName = ""
    program: _Program = ""
    aliases: Distinct[VariableName] = ()
    extends: bool = False
    value_flags: Distinct[FlagName] = ()
    pair_flags: Distinct[FlagName] = ()
    switch_flags: Distinct[FlagName] = ()
    zero_unset: Distinct[FlagName] = ()
    true_flags: Distinct[FlagName] = ()
    json_flags: Distinct[FlagName] = ()
    pairs_flags: Distinct[FlagName] = ()
    unset: Distinct[str] = ()
    closed: bool = False
    evaluated: bool = False
    any_text: bool = False
    ignored: Distinct[FlagName] = ()
    calculates: Distinct[FlagName] = ()
    breaks: Mapping[FlagName, Breaks] = field(factory=dict)
    partly: Mapping[FlagName, str] = field(factory=dict)
    elsewhere: Mapping[FlagName, str] = field(factory=dict)
    relay: Relay | None = None
    overrules: Distinct[FlagName] = ()
    own_spelling: bool = False

    def __attrs_post_init__(self) -> None:
        stand_once(name for part in _CLOSING for name in getattr(self, part))
        text = "'zero_unset' names {}, which is not among the 'value_flags'"
        among(self.zero_unset, self.value_flags, text)
        if self.program == "runpod" and not (self.value_flags or self.extends):
            raise ValueError("'program' is 'runpod', without 'value_flags'")


# Of a variable, what goes with its role.
_NEEDED = {"target": ("flag",), "sets": ("choice",), "note": ("worker", "reserved")}
_OF_FLAGS = ("target", "unset", "inverted", "values", "scheme", "unread", "only", "least")
_ALLOWED = {
    **dict.fromkeys(_OF_FLAGS, ("flag",)),
    "sets": ("choice",),
    "fallback": ("flag", "choice"),
    "read_only": ("flag", "choice"),
    "meant": ("environment",),
    "meant_by": ("environment",),
}


@frozen
class DialectVariable:
    """One variable of a dialect."""

    name: VariableName
    role: Role = "flag"
    target: Target = field(default="", metadata={"file": "flag"})
    default: str | None = None
    unset: Distinct[str] = ()
    inverted: bool = False
    meant: FlagName = ""
    meant_by: Distinct[str] = ()
    fallback: bool = False
    values: Mapping[str, str] = field(factory=dict)
    scheme: Line = ""
    unread: Distinct[str] = ()
    only: Distinct[str] = ()
    least: int | None = None
    read_only: bool = False
    otherwise: Line | None = None
    sets: Mapping[str, Mapping[FlagName, str]] = field(factory=dict)
    note: Line = ""
    source: Url = ""

    def __attrs_post_init__(self) -> None:
        check_kind(self, "a variable", "role", _NEEDED, _ALLOWED)
        if self.otherwise is not None and self.otherwise not in self.sets:
            raise ValueError("'otherwise' is none of the values in 'sets'")
        for name in ("unread", "meant"):
            if getattr(self, name) and not self.note:
                raise ValueError(f"{name!r} goes with a note: what becomes of such values")


@frozen
class Dialect:
    """One file of dialects/."""

    dialect: DialectHead
    generation: Generation | None = None
    consumer: Consumer | None = None
    properties: Properties | None = None
    variable: tuple[DialectVariable, ...] = ()

    def __attrs_post_init__(self) -> None:
        own = (self.dialect.extra_args, self.dialect.config_file)
        names = [item.name for item in self.variable]
        stand_once([*filter(None, own), *names])
        if self.properties is not None:
            text = "a key of 'properties' names {}, which is no variable"
            among(self.properties.names.values(), names, text)


# --- clusters -------------------------------------------------------------------------------------


@frozen
class Cluster:
    """Which variables tell a container its place among several; of each list, the first counts."""

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
    """The program that joins machines where vLLM does not, and the flag that asks for it."""

    name: Line
    flag: FlagName
    value: Line


@frozen
class MachineFlags:
    """clusters/_flags.toml: what a place among several machines becomes, for all clusters."""

    sources: Some[Url]
    headless: FlagName
    servers: Some[FlagName]
    nodes: NodeFlags
    data_parallel: DataParallelFlags
    joined: Joined
