"""Services of Akash's deployments, which look like those of compose: their `command` replaces the
image's entrypoint, and `args` follow it, as in Kubernetes, which runs them.

https://akash.network/docs/developers/deployment/akash-sdl/syntax-reference/
"""

from __future__ import annotations

from translator.commands.command import Container, shown_name
from translator.commands.kubernetes import ContainerReader
from translator.text.placed import partition
from translator.text.yaml_tree import entries, items, mapping, put, scalar, scalar_text, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

    from translator.text.expansion import Budget


def read_services(document: yaml.Node, env: Mapping[str, str], budget: Budget) -> list[Container]:
    """Read the services of a deployment; [] for any other document."""
    keys = entries(document)
    if "deployment" not in keys or "profiles" not in keys:
        return []
    services = entries(keys.get("services"))
    return [_service(name, node, budget) for name, node in services.items()]


def _service(name: str, node: yaml.Node, budget: Budget) -> Container:
    """Read a service as a container of Kubernetes, whose values are all strings."""
    keys = entries(node)
    for key in ("command", "args"):
        if key in keys:
            texts = [scalar(scalar_text(item), item) for item in items(keys[key])]
            put(node, key, sequence(texts, keys[key]))
    if "env" in keys:
        put(node, "env", sequence(map(_variable, items(keys["env"])), keys["env"]))
    return ContainerReader(f"service {shown_name(name)}", budget).read(node)


def _variable(item: yaml.Node) -> yaml.Node:
    name, sign, value = partition(scalar_text(item), "=")
    parts = {"name": scalar(name, item)}
    return mapping({**parts, "value": scalar(value, item)} if sign else parts, item)
