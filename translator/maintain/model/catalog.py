"""What vLLM accepts: the catalog of one version, and the table of all releases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from attrs import field, frozen

from translator.maintain.model.schema import (
    Distinct,
    FlagName,
    Spelling,
    VariableName,
    VersionName,
    among,
    check_kind,
    matching,
    nonempty,
    once,
    texts_or_ints,
)

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

VariableKind = Literal["str", "int", "float", "bool", "bool-int", "list", "json", "unread"]

ShapeKind = Literal[
    "object", "map", "list", "union", "choice", "str", "bool", "int", "float", "json", "never"
]

Fold = Literal["case", "case-dash"]


@frozen
class Grammar:
    """What the command line of one version as a whole knows."""

    model: Literal["positional", "both"] = "positional"
    model_required: bool = False
    dotted: bool = False
    plus: bool = False
    dotted_sizes: bool = False
    dotted_texts: bool = False
    dotted_underscores: bool = False
    model_option: Literal["moved", "ignored", "refused", "absent"] | None = None
    model_option_empty: bool = False
    served_needs_model: Spelling | None = None
    config_lists: bool = False
    config_dicts: bool = False
    config_false: bool = False
    config_words: bool = False
    config_first: bool = False
    O: Mapping[str, str | None] = field(factory=dict)  # noqa: E741  # the option is called so
    O_dotted: bool = False
    json_sizes: bool = False


@frozen
class Rule:
    """A key that is refused unless another one stands beside it."""

    key: str
    needs: Mapping[str, tuple[Any, ...]]
    values: tuple[Any, ...] | None = None


# Of a shape, what only one kind has.
_PARTS = {
    "keys": ("object",),
    "values": ("map",),
    "items": ("list",),
    "of": ("union",),
    "choices": ("choice",),
}


@frozen
class Shape:
    """What a JSON value, or one key of it, takes; or a flag at the engine's start: this is looked
    at only `beside` a flag that is on, and not where one of `unless` is set, which may add names;
    `overridden` is what a model's own configuration may say instead.
    """

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
    refused: tuple[Any, ...] | None = field(default=None, metadata={"file": "not"})
    beside: FlagName | None = None
    unless: tuple[str, ...] | None = None
    overridden: bool = False

    def __attrs_post_init__(self) -> None:
        check_kind(self, "a shape", "kind", _PARTS, _PARTS)
        for key in self.keys or ():
            if not key or any(sign in key for sign in ".= \t\n"):
                raise ValueError(f"the key {key!r} cannot be written as a dotted key")
        if self.keys:  # in the table of all releases, they stand in lines of their own
            named = [name for rule in self.rules or () for name in (rule.key, *rule.needs)]
            among((*(self.required or ()), *named), self.keys, "names {}, which is no key of it")


# Of a flag, what goes with its kind.
_NEEDED = {
    "negations": ("toggle",),
    "suffixes": ("size", "size-or-auto"),
    "false": ("bool-value",),
    "bare": ("optional-str",),
}
_ALLOWED = {
    **_NEEDED,
    "bare": ("optional-str", "bool-value"),
    "element": ("list", "append", "str"),
    "objects": ("list", "append"),
    "object_keys": ("list", "append"),
    "shape": ("json",),
    "start": ("json", "int", "size", "size-or-auto", "float", "str"),
    "level": ("json",),
    "syntax": ("json", "json-or-str"),
}


@frozen
class Flag:
    """One option of `vllm serve`."""

    flag: FlagName
    kind: FlagKind
    aliases: Distinct[Spelling] = ()
    negations: Distinct[Spelling] = ()
    choices: Annotated[tuple[Any, ...], texts_or_ints] | None = None
    fold: Fold | None = None
    nullable: bool = False
    empty: bool = False
    suffixes: Annotated[str, matching("[kKmMgGtT]*", "some of kKmMgGtT")] = ""
    element: Literal["str", "int", "float", "named-path", "named-path-once", "comma"] = "str"
    objects: bool = False
    object_keys: Distinct[str] = ()
    syntax: Literal["pairs", "pairs-or-json", "colons", "python", "one-line"] | None = None
    level: bool = False
    false: str | None = None
    bare: bool = False
    const: Any = None
    default: Any = None
    deprecated: bool = False
    required: bool = False
    server: bool = False
    shape: Shape | None = None
    start: Shape | None = None

    def __attrs_post_init__(self) -> None:
        check_kind(self, "a flag", "kind", _NEEDED, _ALLOWED)
        if self.shape is not None and self.start is not None:
            raise ValueError("a flag with both 'shape' and 'start': its keys are known once")
        if self.kind in ("list", "append") and self.element == "comma":
            raise ValueError(f"a flag of kind {self.kind!r} with the element {self.element!r}")

    @property
    def spellings(self) -> tuple[str, ...]:
        """Everything that the parser has registered for it."""
        return (self.flag, *self.aliases, *self.negations)

    @property
    def boolean(self) -> bool:
        return self.kind in ("switch", "toggle", "bool-value")


@frozen
class Variable:
    """One variable of vLLM's own table."""

    name: VariableName
    kind: VariableKind
    true: tuple[str, ...] = ()
    choices: tuple[str, ...] | None = None
    fold: Fold | None = None
    default: Any = None
    also: tuple[str, ...] = ()
    refused: tuple[str, ...] = field(default=(), metadata={"file": "not"})
    flags_refused: Distinct[FlagName] = ()
    flags_ignored: Distinct[FlagName] = ()
    unless: Distinct[FlagName] = ()

    def __attrs_post_init__(self) -> None:
        check_kind(self, "a variable", "kind", {}, {"true": ("bool", "bool-int")})


@frozen
class Catalog:
    """What one vLLM version accepts."""

    version: VersionName
    grammar: Grammar
    flags: Annotated[tuple[Flag, ...], once("spellings")]
    env: Annotated[tuple[Variable, ...], nonempty, once("name")]

    def __attrs_post_init__(self) -> None:
        if "--model" not in self.spellings:
            raise ValueError("has no --model")

    @cached_property
    def spellings(self) -> Mapping[str, Flag]:
        return {text: flag for flag in self.flags for text in flag.spellings}

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        return {variable.name: variable for variable in self.env}


@frozen
class Facts:
    """The table of all releases: the texts of its files by name, and the catalogs in them, oldest
    release first.
    """

    texts: Mapping[str, str]
    catalogs: tuple[Catalog, ...]
