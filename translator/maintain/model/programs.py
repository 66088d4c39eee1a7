"""Programs around vLLM: images that hold it, charts that start it, plugins; its containers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from attrs import field, frozen

from translator.maintain.model.schema import (
    Distinct,
    FlagName,
    Line,
    Name,
    OwnName,
    Prefix,
    Release,
    Some,
    Url,
    VariableName,
    VersionName,
    matching,
    nonempty,
    once,
)

Repository = Annotated[
    str, matching(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*", "the end of a repository")
]
Tag = Annotated[str, matching(r"[A-Za-z0-9_][A-Za-z0-9._-]*", "the beginning of a tag")]


@frozen
class ImageProgram:
    """The program that an image starts whose tag has a word in it, from a vLLM on."""

    tag: str
    since: VersionName
    dialect: OwnName


@frozen
class Suffix:
    """A part of a tag behind the version: the first release with it, and the last one; from then
    on, the tag without it is the same.
    """

    since: VersionName | None = None
    until: VersionName | None = None


@frozen
class Image:
    """Images of one publisher."""

    names: Some[Repository]
    publisher: Line
    sources: Some[Url]
    version_after: Distinct[str] = ()
    versions: Mapping[Tag, VersionName] = field(factory=dict)
    runs: Literal["server", "command", "program"] | None = None
    dialect: OwnName = ""
    programs: tuple[ImageProgram, ...] = ()
    suffixes: Mapping[Tag, Suffix] = field(factory=dict)


@frozen
class Concern:
    """What an upgrade across a release may need beside its command line; of files with one of the
    words that it `mentions`, if it has some.
    """

    since: VersionName
    note: Line
    mentions: Distinct[str] = ()


@frozen
class Images:
    """images.toml."""

    serve_since: VersionName | None = None
    telling: Distinct[str] = ()
    others: Mapping[str, Line] = field(factory=dict)
    engine_fields: Distinct[str] = ()
    concerns: tuple[Concern, ...] = ()
    requires: Distinct[str] = ()
    elsewhere: Distinct[str] = ()
    image: Annotated[tuple[Image, ...], once("names")] = ()


Key = Annotated[str, matching(r"[A-Za-z_][A-Za-z0-9_.]*", "a key, with those that it is in (a.b)")]


@frozen
class Argument:
    """Tokens that a template writes for a key of a model: `{}` is the key's value, `{key}` inside
    of a token another key's, `{key|text}` with a default.
    """

    key: Key
    tokens: tuple[Line, ...] = ()  # if its value is true, or any value
    otherwise: tuple[Line, ...] = ()  # if it is false
    there: bool = False  # if it is there, whatever its value
    within: Key | None = None
    several: bool = False  # a list of tokens
    given: Distinct[Key] = ()
    absent: Distinct[Key] = ()
    equal: Mapping[str, str] = field(factory=dict)
    unequal: Mapping[str, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if bool(self.tokens) == self.several:
            raise ValueError("either 'tokens' or 'several' says what is written")
        if self.within is not None and not self.otherwise:
            raise ValueError("'within' is for 'otherwise'")


@frozen
class Chart:
    """A chart, or one of its templates."""

    name: OwnName
    sources: Some[Url]
    model: Key
    image: Some[Key]
    start: Annotated[tuple[Line, ...], nonempty]
    argument: Annotated[tuple[Argument, ...], nonempty]
    models: Key | None = None
    equal: Mapping[Key, Line] = field(factory=dict)
    enabled: Distinct[Key] = ()
    when: Key | None = None
    env: Key | None = None
    closed: Distinct[Key] = ()
    others: Distinct[Key] = ()
    extra: Key | None = None


@frozen
class Charts:
    """charts.toml: of the charts that fit a file of values, the first counts."""

    chart: Annotated[tuple[Chart, ...], once("name")] = ()


TheirFlag = Annotated[str, matching(r"--[a-z0-9]+(-[a-z0-9]+)*", "a flag (--name)")]


@frozen
class Server:
    """A server of models that is not vLLM, and what vLLM calls its flags."""

    name: Line
    source: Url
    flags: Mapping[TheirFlag, FlagName]
    others: Distinct[TheirFlag] = ()  # which vLLM has nothing for, and nothing alike


@frozen
class Servers:
    """servers.toml."""

    server: Annotated[tuple[Server, ...], once("name")] = ()


@frozen
class Plugin:
    """A plugin, the hardware that it is for, its variables, and the names that it adds to what
    flags of vLLM take.
    """

    name: OwnName
    hardware: Line
    sources: Some[Url]
    variables: Distinct[VariableName] = ()
    prefixes: Distinct[Prefix] = ()
    names: Distinct[OwnName] = ()


@frozen
class Plugins:
    """plugins.toml."""

    plugin: Annotated[tuple[Plugin, ...], once("name", "prefixes", "variables")] = ()


@frozen
class Containers:
    """containers.toml: which flags say how many ranks there are and where they run, and what may
    hide GPUs; what ranks need in /dev/shm, in bytes, and the flag whose GiB lie there;
    and what a written start has around its command line.
    """

    ranks: Some[FlagName]
    local: Distinct[FlagName]
    here: Mapping[FlagName, str]
    machines: Distinct[FlagName]
    elsewhere: Distinct[FlagName]
    visible: Line
    hidden: Distinct[Line]
    ray: Line
    refused: Release
    room: int
    needs: int
    needed: Release
    offload: FlagName
    native: Mapping[FlagName, str]
    moved: Distinct[Name]
    compared: Release
    image: Line
    port: FlagName
    health: Line
    patience: int
    encrypted: Distinct[FlagName]
    unasked: Distinct[FlagName]
    unreached: Distinct[FlagName]
    storage: Line
    sources: Some[Url]
