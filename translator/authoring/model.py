"""The schema of the tables, as classes. The prose is in mappings/README.md; what one entry can say
alone is checked here, what takes several of them in `lint`.

A validator raises ValueError with a text that goes after "where: ". The field that the files call
`not` is called `not_` here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs

from translator.authoring import fields
from translator.authoring.fields import (
    FLAG,
    NAME,
    PATTERN,
    SOURCE,
    SPELLING,
    TARGET,
    URL,
    VARIABLE,
    VERSION,
    checked,
    distinct,
    each,
    jsonable,
    line,
)

RENAMED = {"not_": "not"}


FlagKind = Literal[
    "switch",
    "toggle",
    "bool-value",
    "int",
    "size",
    "size-or-auto",
    "float",
    "str",
    "json",
    "json-or-str",
    "optional-str",
    "list",
    "append",
]


VariableKind = Literal["str", "int", "float", "bool", "bool-int", "list", "json"]


ShapeKind = Literal[
    "object", "map", "list", "union", "choice", "str", "bool", "int", "float", "json", "never"
]


Fold = Literal["case", "case-dash"]


Role = Literal["flag", "choice", "worker", "environment", "reserved"]


@attrs.frozen
class Grammar:
    """What the command line of one version as a whole knows; each fact is found by asking for it
    once.
    """

    model: Literal["positional", "both"]
    model_required: bool
    dotted: bool
    plus: bool
    dotted_sizes: bool
    model_option: Literal["moved", "ignored", "refused"] | None = None
    model_option_empty: bool = False
    served_needs_model: str | None = checked(SPELLING, default=None)
    config_lists: bool = False
    config_dicts: bool = False
    config_false: bool = False
    config_words: bool = False
    O: Mapping[str, str | None] = attrs.Factory(dict)  # noqa: E741  # the option is called so
    O_dotted: bool = False
    json_sizes: bool = False


@attrs.frozen
class Rule:
    """A key that is refused unless another one stands beside it."""

    key: str
    needs: Mapping[str, tuple[Any, ...]]
    values: tuple[Any, ...] | None = None


@attrs.frozen
class Shape:
    """What a JSON value, or one key of it, takes."""

    kind: ShapeKind
    keys: Mapping[str, Shape] | None = None
    extra: str | None = None
    required: tuple[str, ...] | None = None
    rules: tuple[Rule, ...] | None = None
    values: Shape | None = None
    items: Shape | None = None
    length: int | None = None
    of: tuple[Shape, ...] | None = None
    choices: tuple[Any, ...] | None = None
    names: tuple[str, ...] | None = None
    fold: Fold | None = None
    nullable: bool = False
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    key_choices: tuple[str, ...] | None = None
    dashes: bool = False
    prefixes: tuple[str, ...] | None = None
    also: tuple[Any, ...] | None = None
    not_: tuple[Any, ...] | None = None
    default: Any = None
    custom: bool = False

    def __attrs_post_init__(self) -> None:
        for kind, name in (
            ("object", "keys"),
            ("map", "values"),
            ("list", "items"),
            ("union", "of"),
            ("choice", "choices"),
        ):
            if (self.kind == kind) != (getattr(self, name) is not None):
                raise ValueError(
                    f"a shape of kind {self.kind!r} with{'out' if self.kind == kind else ''}"
                    f" {name!r}"
                )


@attrs.frozen
class Flag:
    """One option of `vllm serve`."""

    flag: str = attrs.field(validator=FLAG)
    dest: str
    kind: FlagKind
    aliases: tuple[str, ...] = attrs.field(validator=[each(SPELLING), distinct])
    negations: tuple[str, ...] = checked(each(SPELLING), distinct, default=())
    choices: tuple[Any, ...] | None = checked(fields.texts_or_ints, default=None)
    fold: Fold | None = None
    nullable: bool = False
    empty: bool = False
    suffixes: str | None = checked(fields.matching("[kKmMgGtT]*", "some of kKmMgGtT"), default=None)
    element: Literal["str", "int", "float", "named-path", "named-path-once", "comma"] | None = None
    objects: bool = False
    syntax: Literal["pairs", "pairs-or-json", "python", "one-line"] | None = None
    level: bool = False
    false: str | None = None
    bare: bool = False
    const: Any = None
    nargs: int | None = None
    default: Any = None
    deprecated: bool = False
    required: bool = False
    suppressed: bool = False
    shape: Shape | None = None
    start: Shape | None = None

    def __attrs_post_init__(self) -> None:
        needs = {
            "negations": ("toggle",),
            "suffixes": ("size", "size-or-auto"),
            "false": ("bool-value",),
            "bare": ("optional-str",),
        }
        for name, kinds in needs.items():
            if self.kind in kinds and getattr(self, name) in (None, (), False):
                raise ValueError(f"a flag of kind {self.kind!r} without {name!r}")
        allowed = {
            **needs,
            "bare": ("optional-str", "bool-value"),
            "element": ("list", "append", "str"),
            "objects": ("list", "append"),
            "shape": ("json",),
            "start": ("json", "int", "size", "size-or-auto", "float"),
            "level": ("json",),
            "syntax": ("json", "json-or-str"),
        }
        for name, kinds in allowed.items():
            if getattr(self, name) not in (None, (), False) and self.kind not in kinds:
                raise ValueError(f"a flag of kind {self.kind!r} with {name!r}")
        if self.shape is not None and self.start is not None:
            raise ValueError("a flag with both 'shape' and 'start': its keys are known once")
        if self.kind in ("list", "append") and self.element in (None, "comma"):
            raise ValueError(f"a flag of kind {self.kind!r} with the element {self.element!r}")

    @property
    def spellings(self) -> tuple[str, ...]:
        """Everything that the parser has registered for it."""
        return (self.flag, *self.aliases, *self.negations)

    @property
    def boolean(self) -> bool:
        return self.kind in ("switch", "toggle", "bool-value")


@attrs.frozen
class Variable:
    """One variable of vLLM's own table."""

    name: str = attrs.field(validator=VARIABLE)
    kind: VariableKind
    true: tuple[str, ...] | None = None
    choices: tuple[str, ...] | None = None
    fold: Fold | None = None
    default: Any = None
    also: tuple[str, ...] | None = None
    not_: tuple[str, ...] | None = None

    def __attrs_post_init__(self) -> None:
        if self.true is not None and self.kind not in ("bool", "bool-int"):
            raise ValueError(f"a variable of kind {self.kind!r} with 'true'")


@attrs.frozen
class Catalog:
    """What one vLLM version accepts. `spellings` and `variables` find an entry by name."""

    version: str = attrs.field(validator=VERSION)
    grammar: Grammar
    flags: tuple[Flag, ...]
    env: tuple[Variable, ...]
    spellings: Mapping[str, Flag] = attrs.field(init=False, repr=False, eq=False)
    variables: Mapping[str, Variable] = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(
            self, "spellings", {text: flag for flag in self.flags for text in flag.spellings}
        )
        object.__setattr__(self, "variables", {variable.name: variable for variable in self.env})


@attrs.frozen
class DialectHead:
    """What a dialect is, who else reads it and where that is documented."""

    name: str = attrs.field(validator=[fields.DIALECT])
    sources: tuple[str, ...] = checked(each(URL), distinct, default=())
    consumer: str | None = checked(line, default=None)
    reader: str | None = checked(line, default=None)
    extends: str | None = checked(fields.DIALECT, default=None)
    prefix: str = checked(fields.PREFIX, default="")
    any_prefix: bool = False
    extra_args: str | None = checked(VARIABLE, default=None)
    config_file: str | None = checked(VARIABLE, default=None)
    arguments: tuple[str, ...] = ()
    model_directory: str | None = checked(line, default=None)
    limit_name: int | None = checked(fields.positive, default=None)
    limit_value: int | None = checked(fields.positive, default=None)
    limit_all: int | None = checked(fields.positive, default=None)
    baked_args: str | None = checked(fields.matching(r"/\S+", "an absolute path"), default=None)
    required: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    own_names: tuple[str, ...] = checked(each(PATTERN), distinct, default=())


@attrs.frozen
class Properties:
    """A file of settings that the consumer reads, in the syntax of Java's properties."""

    file: str = attrs.field(validator=[fields.matching(r"[A-Za-z0-9_.-]+", "a file's name")])
    keys: Mapping[str, str] = attrs.field(validator=[fields.nonempty, fields.to_prefixes])
    names: Mapping[str, str] = checked(fields.to_variables, default=attrs.Factory(dict))
    source: str | None = checked(URL, default=None)


@attrs.frozen
class Consumer:
    """What the consumer's own program makes of a variable: flag by flag (the lists), or by the
    value alone (`true` and what follows it).
    """

    vllm: str | None = checked(VERSION, default=None)
    value_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    pair_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    switch_flags: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    zero_unset: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    true: Literal["bare", "value"] | None = None
    false: Literal["omit", "negative", "value"] | None = None
    empty: Literal["omit", "bare"] | None = None
    array: Literal["tokens", "token"] | None = None
    array_whole: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    objects: bool = False
    lines: bool = False
    exact: bool = False
    plain: bool = False
    any_text: bool = False
    only_true: bool = False
    ignored: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    calculates: tuple[str, ...] = checked(each(FLAG), distinct, default=())
    behind: Mapping[str, str] = checked(
        each(SPELLING), fields.assignments, default=attrs.Factory(dict)
    )
    own_spelling: bool = False
    unknown: Literal["dropped", "passed"] | None = None

    def __attrs_post_init__(self) -> None:
        given = [name for name in self.rules() if getattr(self, name) is not None]
        if given and len(given) < len(self.rules()):
            raise ValueError(
                f"{', '.join(given)} without"
                f" {', '.join(name for name in self.rules() if name not in given)}"
            )
        if given and any(getattr(self, name) for name in self.lists()[:4]):
            raise ValueError("goes by the value alone, and by lists of flags")
        if self.exact and not given:
            raise ValueError("'exact' is of a consumer that goes by the value alone")

    @staticmethod
    def lists() -> tuple[str, ...]:
        return (
            "value_flags",
            "pair_flags",
            "switch_flags",
            "zero_unset",
            "array_whole",
            "ignored",
            "calculates",
        )

    @staticmethod
    def rules() -> tuple[str, ...]:
        """What a consumer that goes by the value alone has to say, all of it."""
        return ("true", "false", "empty", "array")


@attrs.frozen
class DialectVariable:
    """One variable of a dialect."""

    name: str = attrs.field(validator=VARIABLE)
    role: Role
    flag: str | None = checked(TARGET, default=None)
    default: str | None = None
    unset: tuple[str, ...] = checked(distinct, default=())
    inverted: bool = False
    warn: bool = False
    fallback: bool = False
    values: Mapping[str, str] = attrs.Factory(dict)
    scheme: str | None = checked(line, default=None)
    unread: tuple[str, ...] = checked(distinct, default=())
    only: tuple[str, ...] = checked(distinct, default=())
    least: int | None = None
    most: int | None = None
    plain: bool = False
    otherwise: str | None = checked(line, default=None)
    positive: str | None = checked(line, default=None)
    sets: Mapping[str, Mapping[str, str]] = attrs.Factory(dict)
    note: str | None = checked(line, default=None)
    source: str | None = checked(URL, default=None)

    def __attrs_post_init__(self) -> None:
        for parts in self.sets.values():
            each(FLAG)(self, None, parts)
        if (self.role == "choice") != bool(self.sets):
            raise ValueError(
                f"a variable of role {self.role!r} with{'out' if self.role == 'choice' else ''}"
                " 'sets'"
            )
        of_flags = ("values", "scheme", "unread", "only", "fallback", "plain")
        if self.role != "flag" and (
            any(getattr(self, name) for name in of_flags)
            or self.least is not None
            or self.most is not None
        ):
            raise ValueError(
                f"a variable of role {self.role!r} with {', '.join(map(repr, of_flags))}, 'least'"
                " or 'most'"
            )
        for name in ("otherwise", "positive"):
            if getattr(self, name) is not None and getattr(self, name) not in self.sets:
                raise ValueError(f"{name!r} is none of the values in 'sets'")
        if self.unread and self.note is None:
            raise ValueError("'unread' goes with a note: what the consumer makes of these values")
        if (self.role == "flag") != (self.flag is not None):
            raise ValueError(
                f"a variable of role {self.role!r} with{'out' if self.role == 'flag' else ''}"
                " 'flag'"
            )
        if self.role != "flag" and (self.unset or self.inverted):
            raise ValueError(
                f"a variable of role {self.role!r} with {'unset' if self.unset else 'inverted'!r}"
            )
        if self.role in ("worker", "reserved") and self.note is None:
            raise ValueError(
                f"a variable of role {self.role!r} without 'note': what it is, and what to write"
                " instead"
            )
        if self.warn and (self.role != "environment" or self.note is None):
            raise ValueError("'warn' goes with the role 'environment' and a note")


@attrs.frozen
class Dialect:
    """One file of dialects/."""

    dialect: DialectHead
    consumer: Consumer | None = None
    properties: Properties | None = None
    variable: tuple[DialectVariable, ...] = ()


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
                f"'processes' speaks of {', '.join(strange)}, which is in neither 'nodes' nor"
                " 'rank'"
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


@attrs.frozen
class DataParallelFlags:
    """What a place is to data-parallel ranks on every machine."""

    local: str = attrs.field(validator=FLAG)
    total: str = attrs.field(validator=FLAG)
    start: str = attrs.field(validator=FLAG)
    address: str = attrs.field(validator=FLAG)
    port: str = attrs.field(validator=FLAG)
    everywhere: tuple[str, ...] = checked(each(FLAG), distinct, default=())


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

    def __attrs_post_init__(self) -> None:
        if "{address}" not in self.others:
            raise ValueError("'others' does not say where {address} stands")


@attrs.frozen
class MachineFlags:
    """clusters/_flags.toml: what a place among several machines becomes, for all clusters."""

    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    headless: str = attrs.field(validator=FLAG)
    nodes: NodeFlags
    data_parallel: DataParallelFlags
    joined: Joined


@attrs.frozen
class Same:
    """One meaning under several names, oldest first."""

    carriers: tuple[str, ...] = attrs.field(validator=[fields.several, each(NAME), distinct])
    source: str = attrs.field(validator=SOURCE)
    inverted: tuple[str, ...] = checked(distinct, default=())
    values: Mapping[str, Mapping[str, Any]] = checked(jsonable, default=attrs.Factory(dict))
    since: Mapping[str, str] = attrs.Factory(dict)
    until: Mapping[str, str] = attrs.Factory(dict)
    rename_keys: Mapping[str, Mapping[str, str]] = attrs.Factory(dict)
    beside: Mapping[str, Mapping[str, Any]] = checked(jsonable, default=attrs.Factory(dict))
    note: str | None = checked(line, default=None)

    def __attrs_post_init__(self) -> None:
        for field in ("inverted", *self.tables()):
            strange = [name for name in getattr(self, field) if name not in self.carriers]
            if strange:
                raise ValueError(
                    f"{field!r} speaks of {', '.join(strange)}, which is not among the carriers"
                )
        for version in (*self.since.values(), *self.until.values()):
            VERSION(self, None, version)
        for parts in self.beside.values():
            each(NAME)(self, None, parts)

    @staticmethod
    def tables() -> tuple[str, ...]:
        """The fields that hold something by carrier."""
        return ("values", "since", "until", "rename_keys", "beside")

    @property
    def names(self) -> tuple[str, ...]:
        return self.carriers


@attrs.frozen
class Split:
    """One value of a name becomes several settings."""

    name: str = attrs.field(validator=NAME)
    source: str = attrs.field(validator=SOURCE)
    values: Mapping[str, Mapping[str, Any]] = attrs.field(validator=[fields.nonempty, jsonable])
    note: str | None = checked(line, default=None)

    def __attrs_post_init__(self) -> None:
        for value, parts in self.values.items():
            for target in parts:
                NAME(self, None, target)
                if target == self.name:
                    raise ValueError(f"{value!r} becomes {target} itself")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def targets(self) -> Iterator[tuple[str, str, Any]]:
        """Each setting that a value becomes: the value, the name set, what it is set to."""
        return (
            (value, target, text)
            for value, parts in self.values.items()
            for target, text in parts.items()
        )


@attrs.frozen
class Gone:
    """Names that nothing carries."""

    names: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(NAME), distinct])
    why: str = attrs.field(validator=line)
    source: str = attrs.field(validator=SOURCE)
    default_when: str | None = None


@attrs.frozen
class ValueChange:
    """The name stayed, a value of it was renamed."""

    name: str = attrs.field(validator=NAME)
    values: tuple[str, ...] = attrs.field(validator=[fields.several, distinct])
    source: str = attrs.field(validator=SOURCE)
    note: str | None = checked(line, default=None)


@attrs.frozen
class Changes:
    """changes.toml."""

    same: tuple[Same, ...] = ()
    split: tuple[Split, ...] = ()
    gone: tuple[Gone, ...] = ()
    value: tuple[ValueChange, ...] = ()

    def entries(self) -> Iterator[tuple[str, Same | Split | Gone]]:
        """Every entry about a name's existence, with its path in the file."""
        for part in ("same", "split", "gone"):
            for index, entry in enumerate(getattr(self, part)):
                yield f"$.{part}[{index}]", entry


@attrs.frozen
class Secret:
    """A flag whose value is secret, a variable whose value is, or both: the variable then carries
    the flag's meaning.
    """

    flag: str | None = checked(FLAG, default=None)
    variable: str | None = checked(VARIABLE, default=None)

    def __attrs_post_init__(self) -> None:
        if self.flag is None and self.variable is None:
            raise ValueError("names neither 'flag' nor 'variable'")


@attrs.frozen
class Secrets:
    """secrets.toml."""

    secret: tuple[Secret, ...] = ()
    patterns: tuple[str, ...] = checked(each(PATTERN), distinct, default=())
    public: tuple[str, ...] = checked(each(VARIABLE), distinct, default=())
    key_patterns: tuple[str, ...] = checked(each(PATTERN), distinct, default=())


Word = Literal["true", "set", "positive", "negative", "many", "not-one"]


@attrs.frozen
class Refusal:
    """A flag that vLLM does not start with: without another, beside another, or at all with such a
    value.
    """

    flag: str = attrs.field(validator=FLAG)
    source: str = attrs.field(validator=SOURCE)
    when: Word = "true"
    needs: Mapping[str, Word] = attrs.Factory(dict)
    excludes: Mapping[str, Word] = attrs.Factory(dict)
    unless: Mapping[str, Word] = attrs.Factory(dict)
    since: str | None = checked(VERSION, default=None)
    until: str | None = checked(VERSION, default=None)

    def __attrs_post_init__(self) -> None:
        if self.needs and self.excludes:
            raise ValueError("'needs' and 'excludes' are two rules")
        if not self.needs and not self.excludes and self.when in ("true", "set"):
            raise ValueError("neither 'needs' nor 'excludes' says what is wrong with it")


@attrs.frozen
class Requires:
    """requires.toml."""

    refusal: tuple[Refusal, ...] = ()


@attrs.frozen
class Supported:
    """supported.toml: the versions that have a catalog, oldest first."""

    versions: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(VERSION), distinct])


@attrs.frozen
class Tables:
    """The tables of one directory; a user's own hold only a part.

    Attributes:
        catalogs: oldest version first.
        dialects: file name → dialect, in the order of the names.
        clusters: file name → cluster.
        digest: of the files that they were read from.
    """

    catalogs: tuple[Catalog, ...] = ()
    dialects: Mapping[str, Dialect] = attrs.Factory(dict)
    changes: Changes | None = None
    secrets: Secrets | None = None
    digest: str = ""
    clusters: Mapping[str, Cluster] = attrs.Factory(dict)
    requires: Requires | None = None
    supported: Supported | None = None
    machines: MachineFlags | None = None
