"""Images that hold vLLM: whose numbers their tags are, and which vLLM is in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from translator.authoring.schema import fields
from translator.authoring.schema.fields import (
    URL,
    VERSION,
    checked,
    distinct,
    each,
    entries,
    line,
    matching,
)

REPOSITORY = matching(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*", "the end of a repository")
TAG = matching(r"[A-Za-z0-9_][A-Za-z0-9._-]*", "the beginning of a tag")


@attrs.frozen
class Image:
    """Images of one publisher.

    Attributes:
        names: the ends of their repositories, whole parts of them; the longest one counts.
        version_after: what stands before vLLM's version in a tag; "" for its beginning.
        versions: the beginning of a tag without its `v` → the vLLM in the image.
        runs: what the entrypoint makes of arguments: vLLM's server gets them, they are a command,
            or another program gets them. Not known if it is not set.
    """

    names: tuple[str, ...] = attrs.field(
        validator=[fields.nonempty, each(REPOSITORY), distinct],
    )
    publisher: str = attrs.field(validator=line)
    sources: tuple[str, ...] = attrs.field(validator=[fields.nonempty, each(URL), distinct])
    version_after: tuple[str, ...] = checked(distinct, default=())
    versions: Mapping[str, str] = attrs.field(factory=dict, validator=entries(TAG, VERSION))
    runs: Literal["server", "command", "program"] | None = None


@attrs.frozen
class Images:
    """images.toml.

    Attributes:
        serve_since: the first vLLM that images start as `vllm serve`, not as a module.
        telling: flags that hardly another program has: a container with two of them runs vLLM,
            whatever its image is called.
    """

    serve_since: str | None = checked(VERSION, default=None)
    telling: tuple[str, ...] = checked(distinct, default=())
    image: tuple[Image, ...] = ()
