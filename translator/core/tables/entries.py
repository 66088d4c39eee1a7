"""What the compiled tables hold, as dictionaries: for mypy alone. Generated from maintain/model by
`translate tables compile`: do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class Change(TypedDict, total=False):
    kind: str
    carriers: Sequence[str]
    source: str
    inverted: Sequence[str]
    values: Mapping[str, Mapping[str, Any]]
    since: Mapping[str, str]
    until: Mapping[str, str]
    rename_keys: Mapping[str, Mapping[str, str]]
    beside: Mapping[str, Mapping[str, Any]]
    product: Mapping[str, Mapping[str, Product]]
    only_speed: bool
    note: str
    name: str
    needs: Sequence[str]
    names: Sequence[str]
    why: str
    default_when: str


class Product(TypedDict, total=False):
    of: Sequence[str]
    since: str
    where: Mapping[str, Any]


class ValueChange(TypedDict, total=False):
    kind: str
    name: str
    values: Sequence[str]
    source: str


class Secret(TypedDict, total=False):
    flag: str
    variable: str
    address: str


class Group(TypedDict, total=False):
    source: str
    relation: Sequence[Relation]
    unless: str
    anywhere: bool


class Relation(TypedDict, total=False):
    id: str
    must: str
    when: str
    unless: str
    since: str
    until: str
    case: str
    why: str
    remedy: str
    says: str
    off: bool


class ModelKeys(TypedDict, total=False):
    overrides: str
    elsewhere: Sequence[str]
    converted: Sequence[str]
    converts: Sequence[str]
    number: Mapping[str, Sequence[str]]
    default: Mapping[str, Mapping[str, int]]
    nested: Sequence[str]
    scaling: Sequence[str]
    original: str
    lengthens: Mapping[str, str]
    keeps: Sequence[str]
    unscaled: str
    with_params: Sequence[str]
    replaces: str
    shortens: str
    shortened: Sequence[str]
    bidirectional: Sequence[str]


class Architectures(TypedDict, total=False):
    facts: Sequence[str]
    names: Sequence[str]
    since: str
    until: str


class Types(TypedDict, total=False):
    experts: Sequence[str]
    latent: Sequence[str]
    crosses: Sequence[str]
    float32: Sequence[str]
    drafts: Sequence[str]


class Message(TypedDict, total=False):
    says: str
    source: str
    line: Sequence[str]
    flag: str
    why: str
    remedy: str


class NodeFlags(TypedDict, total=False):
    count: str
    rank: str
    address: str
    port: str
    sizes: Sequence[str]


class DataParallelFlags(TypedDict, total=False):
    local: str
    total: str
    start: str
    rank: str
    address: str
    port: str
    backend: str
    single: str
    everywhere: Sequence[str]


class Joined(TypedDict, total=False):
    name: str
    flag: str
    value: str


class Plugin(TypedDict, total=False):
    name: str
    hardware: str
    sources: Sequence[str]
    variables: Sequence[str]
    prefixes: Sequence[str]
    names: Sequence[str]


class Default(TypedDict, total=False):
    name: str
    effect: str
    source: str
    at_start: Sequence[AtStart]


class AtStart(TypedDict, total=False):
    value: str
    depends: str
    since: str
    until: str


class Concern(TypedDict, total=False):
    since: str
    note: str
    mentions: Sequence[str]


class Image(TypedDict, total=False):
    names: Sequence[str]
    publisher: str
    sources: Sequence[str]
    version_after: Sequence[str]
    versions: Mapping[str, str]
    runs: str
    dialect: str
    programs: Sequence[ImageProgram]
    suffixes: Mapping[str, Suffix]


class ImageProgram(TypedDict, total=False):
    tag: str
    since: str
    dialect: str


class Suffix(TypedDict, total=False):
    since: str
    until: str


class Server(TypedDict, total=False):
    name: str
    source: str
    flags: Mapping[str, str]
    others: Sequence[str]


class Chart(TypedDict, total=False):
    name: str
    sources: Sequence[str]
    model: str
    image: Sequence[str]
    start: Sequence[str]
    argument: Sequence[Argument]
    models: str
    equal: Mapping[str, str]
    enabled: Sequence[str]
    when: str
    env: str
    closed: Sequence[str]
    others: Sequence[str]
    extra: str


class Argument(TypedDict, total=False):
    key: str
    tokens: Sequence[str]
    otherwise: Sequence[str]
    there: bool
    within: str
    several: bool
    given: Sequence[str]
    absent: Sequence[str]
    equal: Mapping[str, str]
    unequal: Mapping[str, str]


Code = TypedDict(
    "Code",
    {
        "message": "Sequence[str]",
        "remedy": "Sequence[str]",
        "fix": "str",
        "in": "Mapping[str, str]",
        "stops": "bool",
        "traits": "Sequence[str]",
        "severity": "str",
        "title": "str",
        "explanation": "str",
        "before": "str",
        "after": "str",
        "case": "Mapping[str, Case]",
    },
    total=False,
)


Case = TypedDict(
    "Case",
    {
        "message": "Sequence[str]",
        "remedy": "Sequence[str]",
        "fix": "str",
        "severity": "str",
        "in": "Mapping[str, str]",
        "stops": "bool",
        "traits": "Sequence[str]",
    },
    total=False,
)


class DialectHead(TypedDict, total=False):
    name: str
    sources: Sequence[str]
    consumer: str
    reader: str
    extends: str
    prefix: str
    any_prefix: bool
    extra_args: str
    config_file: str
    arguments: Sequence[str]
    model_directory: str
    limit_name: int
    limit_value: int
    limit_all: int
    baked_args: str
    image: str
    arguments_with: Mapping[str, Sequence[str]]
    own_names: Sequence[str]
    reads: Sequence[Reads]


class Reads(TypedDict, total=False):
    names: Sequence[str]
    does: str
    means: str
    texts: Sequence[str]
    fine: Sequence[str]
    needs: str
    beside: Sequence[str]


class Generation(TypedDict, total=False):
    of: str
    release: str
    vllm: str
    instead: str


class Consumer(TypedDict, total=False):
    vllm: str
    program: str
    aliases: Sequence[str]
    extends: bool
    value_flags: Sequence[str]
    pair_flags: Sequence[str]
    switch_flags: Sequence[str]
    zero_unset: Sequence[str]
    true_flags: Sequence[str]
    json_flags: Sequence[str]
    pairs_flags: Sequence[str]
    unset: Sequence[str]
    closed: bool
    evaluated: bool
    any_text: bool
    ignored: Sequence[str]
    calculates: Sequence[str]
    breaks: Mapping[str, Breaks]
    partly: Mapping[str, str]
    elsewhere: Mapping[str, str]
    relay: Relay
    overrules: Sequence[str]
    own_spelling: bool


class Breaks(TypedDict, total=False):
    note: str
    unless: Sequence[str]


class Relay(TypedDict, total=False):
    name: str
    assignment: str
    breaks: Sequence[str]
    older: Sequence[str]
    until: str


class Properties(TypedDict, total=False):
    file: str
    keys: Mapping[str, str]
    names: Mapping[str, str]
    source: str


class DialectVariable(TypedDict, total=False):
    name: str
    role: str
    flag: str
    default: str
    unset: Sequence[str]
    inverted: bool
    meant: str
    meant_by: Sequence[str]
    fallback: bool
    values: Mapping[str, str]
    scheme: str
    unread: Sequence[str]
    only: Sequence[str]
    least: int
    read_only: bool
    otherwise: str
    sets: Mapping[str, Mapping[str, str]]
    note: str
    source: str


class Cluster(TypedDict, total=False):
    name: str
    sources: Sequence[str]
    nodes: Sequence[str]
    rank: Sequence[str]
    address: Sequence[str]
    port: Sequence[str]
    host_list: Sequence[str]
    processes: Sequence[str]
    per_node: Sequence[str]
    note: str


Shape = TypedDict(
    "Shape",
    {
        "kind": "str",
        "keys": "Mapping[str, Shape]",
        "extra": "str",
        "required": "Sequence[str]",
        "rules": "Sequence[Rule]",
        "values": "Shape",
        "items": "Shape",
        "length": "int",
        "of": "Sequence[Shape]",
        "choices": "Sequence[Any]",
        "fold": "str",
        "nullable": "bool",
        "ge": "float",
        "gt": "float",
        "le": "float",
        "lt": "float",
        "min_length": "int",
        "max_length": "int",
        "key_choices": "Sequence[str]",
        "dashes": "bool",
        "prefixes": "Sequence[str]",
        "also": "Sequence[Any]",
        "not": "Sequence[Any]",
        "beside": "str",
        "unless": "Sequence[str]",
        "overridden": "bool",
    },
    total=False,
)


class Rule(TypedDict, total=False):
    key: str
    needs: Mapping[str, Sequence[Any]]
    values: Sequence[Any]


class Images(TypedDict, total=False):
    serve_since: str
    telling: Sequence[str]
    others: Mapping[str, str]
    engine_fields: Sequence[str]
    concerns: Sequence[Concern]
    requires: Sequence[str]
    elsewhere: Sequence[str]
    image: Sequence[Image]


class MachineFlags(TypedDict, total=False):
    sources: Sequence[str]
    headless: str
    servers: Sequence[str]
    nodes: NodeFlags
    data_parallel: DataParallelFlags
    joined: Joined
