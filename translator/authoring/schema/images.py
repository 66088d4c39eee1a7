"""Images that hold vLLM: whose numbers their tags are, and which vLLM is in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from translator.authoring.schema.field_types import Distinct, Line, Some, Url, VersionName, matching

Repository = Annotated[
    str, matching(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*", "the end of a repository")
]
Tag = Annotated[str, matching(r"[A-Za-z0-9_][A-Za-z0-9._-]*", "the beginning of a tag")]


@dataclass(frozen=True)
class Image:
    """Images of one publisher.

    Attributes:
        names: the ends of their repositories, whole parts of them; the longest one counts.
        version_after: what stands before vLLM's version in a tag; "" for its beginning.
        versions: the beginning of a tag without its `v` → the vLLM in the image.
        runs: what the entrypoint makes of arguments: vLLM's server gets them, they are a command,
            or another program gets them. Not known if it is not set.
    """

    names: Some[Repository]
    publisher: Line
    sources: Some[Url]
    version_after: Distinct[str] = ()
    versions: Mapping[Tag, VersionName] = field(default_factory=dict)
    runs: Literal["server", "command", "program"] | None = None


@dataclass(frozen=True)
class Images:
    """images.toml.

    Attributes:
        serve_since: the first vLLM that images start as `vllm serve`, not as a module.
        telling: flags that hardly another program has: a container with two of them runs vLLM,
            whatever its image is called.
        others: flags that another program adds to `vllm serve`, whose own parser reads the rest.
    """

    serve_since: VersionName | None = None
    telling: Distinct[str] = ()
    others: Distinct[str] = ()
    image: tuple[Image, ...] = ()
