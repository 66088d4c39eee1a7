"""What the engine refuses of values beside each other, and what it knows of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from attrs import field, frozen

from translator.maintain.model.schema import (
    Distinct,
    Line,
    Release,
    Searched,
    Some,
    Source,
    nonempty,
    once,
)

Fact = Literal[
    "encoder",
    "generative",
    "hc_sp",
    "hybrid",
    "mm",
    "no_attention",
    "no_lora",
    "pooling",
    "pp",
    "replayssm",
]


@frozen
class Relation:
    """Refused where `when` is true, `must` is false, and `unless`, of which a release may lack the
    flags, is false. `case` chooses the message, `why` completes that about a property of the model;
    a user's own table may switch one `off`.
    """

    id: Annotated[str, nonempty]
    must: Line = "True"
    when: Line = "True"
    unless: str = ""
    since: Release | None = None
    until: Release | None = None
    case: Line | None = None
    why: Line | None = None
    remedy: Line | None = None
    says: Searched | None = None
    off: bool = False


@frozen
class Group:
    """The relations of one source, which nothing asks where `unless` is true. They were asked of a
    CUDA and a CPU build, unless they hold `anywhere`.
    """

    source: Source
    relation: Annotated[tuple[Relation, ...], nonempty, once("id")]
    unless: str = ""
    anywhere: bool = False


@frozen
class ModelKeys:
    """Which keys of a `config.json` hold a number, in vLLM's order, in the text's part too, which
    may be `nested`. `lengthens`: the kinds of RoPE scaling, each with the last release in which it
    lengthens a model ("" for all), and `keeps`: those that do not; none lengthens the types with
    `unscaled` in their name. Some types have a `default`. Of the types `with_params`, vLLM reads a
    `params.json` first; a file whose name begins with `replaces` says another length, the file
    `shortens` may say a shorter one for an encoder, and the types and scalings `shortened` have one
    where the command line says none. In the types that are `bidirectional`, each token sees all
    others where they do not generate. `overrides` is the flag whose keys win; with one of
    `elsewhere`, vLLM reads another file. Of a model for texts, vLLM makes those of the endings
    `converted`, unless one of the flags `converts` says what.
    """

    overrides: str
    elsewhere: Distinct[str]
    converted: Distinct[str]
    converts: Distinct[str]
    number: Mapping[str, Distinct[str]]
    default: Mapping[str, Mapping[str, int]]
    nested: Distinct[str]
    scaling: Distinct[str]
    original: str
    lengthens: Mapping[str, str]
    keeps: Distinct[str]
    unscaled: str
    with_params: Distinct[str]
    replaces: str
    shortens: str
    shortened: Distinct[str]
    bidirectional: Distinct[str]


@frozen
class Relations:
    """relations.toml: `derive` names expressions that others may use."""

    group: tuple[Group, ...] = ()
    derive: Mapping[str, Line] = field(factory=dict)
    model: ModelKeys | None = None

    def __attrs_post_init__(self) -> None:
        once("id")(tuple(relation for group in self.group for relation in group.relation))


@frozen
class Architectures:
    """What the registry of some releases says of several architectures."""

    facts: Distinct[Fact]
    names: Some[str]
    since: Release | None = None
    until: Release | None = None


@frozen
class Types:
    """The types of models whose configuration has experts, a `latent` key and value, or an encoder
    that a decoder `crosses` to, whatever a file says; that need more than float16; and that may
    draft for themselves.
    """

    experts: Distinct[str] = ()
    latent: Distinct[str] = ()
    crosses: Distinct[str] = ()
    float32: Distinct[str] = ()
    drafts: Distinct[str] = ()


@frozen
class Registry:
    """architectures.toml."""

    group: tuple[Architectures, ...] = ()
    types: Types = field(factory=Types)
