"""Manifests: YAML or JSON that contains containers."""

from __future__ import annotations

import attrs

from translator.commands.command import Command, Container, Context, ManifestError
from translator.commands.registry import DOCUMENT_KINDS, function, may_be_yaml
from translator.commands.unwrap import Unwrapper, every_command, serves
from translator.findings import has_errors
from translator.text import yaml_nodes
from translator.text.expansion import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import yaml


def read_manifest(text: str, context: Context) -> list[Command] | None:
    """Read the containers of a manifest as commands.

    Raises:
        ManifestError: the manifest is not valid YAML.
    """
    if not may_be_yaml(text):
        return None
    budget = Budget()
    containers = read_containers(text, {**context.outside, **context.env}, budget)
    return [command for item in containers for command in _commands(item, context, budget)]


def read_containers(
    text: str, env: Mapping[str, str] | None = None, budget: Budget | None = None
) -> list[Container]:
    """Read the containers of a string, in its order.

    Args:
        text: YAML.
        env: the variables that compose files may refer to.
        budget: how much references may add to the string.

    Raises:
        ManifestError: the string is not valid YAML.
    """
    try:
        documents = yaml_nodes.documents(text)
    except yaml_nodes.YamlError as error:
        raise ManifestError(str(error)) from None
    kinds: list[Callable[[yaml.Node, Mapping[str, str], Budget], list[Container]]]
    kinds = [function(place) for place in DOCUMENT_KINDS]
    budget = budget or Budget()
    found: list[Container] = []
    for document in documents:
        found += next((made for read in kinds if (made := read(document, env or {}, budget))), [])
    return found


def _commands(container: Container, context: Context, budget: Budget) -> list[Command]:
    def read(unwrapper: Unwrapper) -> None:
        if not has_errors(item for item in container.findings if item.code != "shell-variable"):
            unwrapper.image(container.image, container.command, container.args)

    return [
        _command(done, container, context)
        for done in every_command(read, context, container, budget)
    ]


def _command(done: Command, container: Container, context: Context) -> Command:
    words = [*(container.command or []), *container.args]
    return attrs.evolve(
        done,
        name=container.name,
        line=container.line,
        lines=container.lines,
        starts_vllm="vllm" in container.image
        or serves(words)
        or any("vllm" in word for word in words)
        or context.reads(container.telling),
        by_variables=not words
        and done.vllm is None
        and not container.image.rpartition("/")[2].startswith("vllm"),
    )
