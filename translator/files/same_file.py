"""What documents of one file mean together: the values of ConfigMaps, and KServe's runtimes."""

from __future__ import annotations

from translator.text.yaml_nodes import (
    MOST_VALUES,
    entries,
    every,
    find,
    items,
    mapping,
    put,
    scalar,
    scalar_text,
    sequence,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

_RUNTIMES = ("ServingRuntime", "ClusterServingRuntime")


def joined(documents: list[yaml.Node]) -> None:
    """Put the values of ConfigMaps where containers refer to them, and the arguments of an
    InferenceService behind those of its runtime, as KServe does (utils.go, MergeRuntimeContainers).
    """
    maps: dict[str, dict[str, yaml.Node]] = {}
    runtimes: dict[str, yaml.Node] = {}
    services: list[yaml.Node] = []
    for document in documents:
        kind = scalar_text(find(document, "kind"))
        name = scalar_text(find(document, "metadata", "name"))
        if kind == "ConfigMap":
            maps[name] = entries(find(document, "data"))
        elif kind in _RUNTIMES:
            runtimes[name] = document
        elif kind == "InferenceService":
            services.append(document)
    if maps:
        _resolve(documents, maps)
    used = {runtime for service in services if (runtime := _with_runtime(service, runtimes))}
    for runtime in used:
        put(find(runtimes[runtime], "spec"), "containers", None)


def _resolve(documents: list[yaml.Node], maps: Mapping[str, Mapping[str, yaml.Node]]) -> None:
    """Put values of ConfigMaps into documents; no more of them than a file may hold."""
    left = MOST_VALUES
    for node in (part for document in documents for part in every(document)):
        keys = entries(node)
        if "envFrom" in keys:
            left -= _add_all(node, maps, left)
        for item in items(keys.get("env")):
            source = find(item, "valueFrom", "configMapKeyRef")
            name, key = scalar_text(find(source, "name")), scalar_text(find(source, "key"))
            value = maps.get(name, {}).get(key)
            if value is not None:
                put(item, "valueFrom", None)
                put(item, "value", scalar(scalar_text(value), value))


def _add_all(node: yaml.Node, maps: Mapping[str, Mapping[str, yaml.Node]], most: int) -> int:
    """Add the variables of `envFrom` to a container, in front of its own, which win.

    Args:
        node: the container.
        maps: the ConfigMaps.
        most: how many variables may be added; a ConfigMap with more is left out.

    Returns:
        How many were added.
    """
    found: list[yaml.Node] = []
    rest: list[yaml.Node] = []
    from_files, own = find(node, "envFrom"), find(node, "env")
    for item in items(from_files):
        values = maps.get(scalar_text(find(item, "configMapRef", "name")))
        prefix = scalar_text(find(item, "prefix"))
        if values is None or len(found) + len(values) > most:
            rest.append(item)
            continue
        for key, value in values.items():
            made = {"name": prefix + key, "value": scalar_text(value)}
            found.append(mapping({at: scalar(made[at], value) for at in made}, value))
    if found:
        put(node, "env", sequence([*found, *items(own)], own or node))
        put(node, "envFrom", sequence(rest, from_files or node) if rest else None)
    return len(found)


def _with_runtime(service: yaml.Node, runtimes: dict[str, yaml.Node]) -> str:
    """Give an InferenceService the container of its runtime; return the runtime's name, or ""."""
    predictor = find(service, "spec", "predictor")
    model = entries(find(predictor, "model"))
    name = scalar_text(model.get("runtime"))
    containers = items(find(runtimes.get(name), "spec", "containers"))
    if predictor is None or not containers:
        return ""
    keys = entries(containers[0])
    merged = {key: value for key, value in keys.items() if key not in model}
    for key in ("image", "command", "args", "env"):
        if key not in model:
            continue
        value = model[key]
        if key in ("args", "env") and key in keys:
            value = sequence([*items(keys[key]), *items(value)], value)
        merged[key] = value
    put(predictor, "model", None)
    put(predictor, "containers", sequence([mapping(merged, predictor)], predictor))
    return name
