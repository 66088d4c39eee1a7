"""What documents of one file mean together: the values of ConfigMaps, and KServe's runtimes."""

from __future__ import annotations

import yaml

from translator.text.yaml_nodes import MOST_VALUES, entries, items, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_STRING = "tag:yaml.org,2002:str"
_RUNTIMES = ("ServingRuntime", "ClusterServingRuntime")
_DEEPEST = 60


def joined(documents: list[yaml.Node]) -> None:
    """Put the values of ConfigMaps where containers refer to them, and the arguments of an
    InferenceService behind those of its runtime, as KServe does (utils.go, MergeRuntimeContainers).
    """
    maps: dict[str, dict[str, yaml.Node]] = {}
    runtimes: dict[str, yaml.Node] = {}
    services: list[yaml.Node] = []
    for document in documents:
        keys = entries(document)
        kind, name = _text(keys.get("kind")), _text(entries(keys.get("metadata")).get("name"))
        if kind == "ConfigMap":
            maps[name] = entries(keys.get("data"))
        elif kind in _RUNTIMES:
            runtimes[name] = document
        elif kind == "InferenceService":
            services.append(document)
    if maps:
        walk = _Walk(maps)
        for document in documents:
            walk.resolve(document, 0)
    used = {runtime for service in services if (runtime := _with_runtime(service, runtimes))}
    for runtime in used:
        _drop(entries(runtimes[runtime]).get("spec"), "containers")


class _Walk:
    """Puts values of ConfigMaps into documents; no more of them than a file may hold."""

    def __init__(self, maps: dict[str, dict[str, yaml.Node]]) -> None:
        self._maps = maps
        self._done: set[int] = set()
        self._left = MOST_VALUES

    def resolve(self, node: yaml.Node, depth: int) -> None:
        if depth > _DEEPEST or id(node) in self._done or isinstance(node, yaml.ScalarNode):
            return
        self._done.add(id(node))
        keys = entries(node)
        if "envFrom" in keys and isinstance(node, yaml.MappingNode):
            self._add_all(node, keys)
        for item in items(keys.get("env")):
            source = entries(entries(item).get("valueFrom")).get("configMapKeyRef")
            key = _text(entries(source).get("key"))
            value = self._maps.get(_text(entries(source).get("name")), {}).get(key)
            if value is not None and isinstance(item, yaml.MappingNode):
                _drop(item, "valueFrom")
                item.value.append((_scalar("value", item), _scalar(scalar_text(value), value)))
        for part in [*entries(node).values(), *items(node)]:
            self.resolve(part, depth + 1)

    def _add_all(self, node: yaml.MappingNode, keys: dict[str, yaml.Node]) -> None:
        """Add the variables of `envFrom` to a container, in front of its own, which win."""
        found: list[yaml.Node] = []
        left: list[yaml.Node] = []
        for item in items(keys["envFrom"]):
            name = _text(entries(entries(item).get("configMapRef")).get("name"))
            prefix = _text(entries(item).get("prefix"))
            values = self._maps.get(name)
            if values is None or len(values) > self._left:
                left.append(item)
                continue
            self._left -= len(values)
            for key, value in values.items():
                pairs = [(_scalar("name", item), _scalar(prefix + key, value))]
                pairs.append((_scalar("value", item), _scalar(scalar_text(value), value)))
                found.append(_mapping(pairs, value))
        if not found:
            return
        env = keys.get("env")
        own = items(env)
        _drop(node, "env")
        _drop(node, "envFrom")
        node.value.append((_scalar("env", node), _sequence([*found, *own], env or node)))
        if left:
            node.value.append((_scalar("envFrom", node), _sequence(left, keys["envFrom"])))


def _with_runtime(service: yaml.Node, runtimes: dict[str, yaml.Node]) -> str:
    """Give an InferenceService the container of its runtime; return the runtime's name, or ""."""
    predictor = entries(entries(service).get("spec")).get("predictor")
    model = entries(entries(predictor).get("model"))
    name = _text(model.get("runtime"))
    if name not in runtimes or not isinstance(predictor, yaml.MappingNode):
        return ""
    containers = items(entries(entries(runtimes[name]).get("spec")).get("containers"))
    if not containers:
        return ""
    keys = entries(containers[0])
    pairs = [(_scalar(key, value), value) for key, value in keys.items() if key not in model]
    for key in ("image", "command", "args", "env"):
        if key not in model:
            continue
        value = model[key]
        if key in ("args", "env") and key in keys:
            value = _sequence([*items(keys[key]), *items(model[key])], model[key])
        pairs.append((_scalar(key, value), value))
    merged = _mapping(pairs, predictor)
    _drop(predictor, "model")
    predictor.value.append((_scalar("containers", predictor), _sequence([merged], predictor)))
    return name


def _drop(node: yaml.Node | None, key: str) -> None:
    if isinstance(node, yaml.MappingNode):
        node.value = [pair for pair in node.value if pair[0].value != key]


def _text(node: yaml.Node | None) -> str:
    return scalar_text(node) if node is not None else ""


def _scalar(text: str, at: yaml.Node) -> yaml.ScalarNode:
    return yaml.ScalarNode(_STRING, text, at.start_mark, at.end_mark)


def _mapping(pairs: Sequence[tuple[yaml.Node, yaml.Node]], at: yaml.Node) -> yaml.MappingNode:
    return yaml.MappingNode("tag:yaml.org,2002:map", list(pairs), at.start_mark, at.end_mark)


def _sequence(found: list[yaml.Node], at: yaml.Node) -> yaml.SequenceNode:
    return yaml.SequenceNode("tag:yaml.org,2002:seq", found, at.start_mark, at.end_mark)
