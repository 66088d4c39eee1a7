"""Values of a Helm chart that starts vLLM, read as the containers that its templates make of them.

The table of charts (mappings/charts.toml) says what they are, with their sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from translator.files.command import Container, Context
from translator.files.kubernetes import ContainerReader
from translator.findings import Finding, finding
from translator.tables.catalog import shipped
from translator.text.placed import joined, replaced, stamped
from translator.text.yaml_nodes import (
    entries,
    find,
    has_type,
    inside,
    items,
    line_of,
    mapping,
    scalar,
    scalar_text,
    sequence,
)

CHARTS = "charts.json"
# Resources of Flux and of k3s that hold the values of a chart, and those of Argo CD: the keys.
_HELD = {"HelmRelease": "values", "HelmChart": "valuesContent"}
_ARGO, _HELD_BY_ARGO = "Application", ("valuesObject", "values")
_FALSE = ("", "0", "false", "no", "off", "n", "null", "~")
_KEY = re.compile(r"\{[A-Za-z_][A-Za-z0-9_.]*(?:\|[^{}]*)?\}")


def read_values(document: yaml.Node, context: Context) -> list[Container]:
    """Read the models of a chart's values; [] for any other document."""
    charts = shipped().records(CHARTS).values()
    places = dict.fromkeys(chart["models"] for chart in charts)
    return [
        _container(model, document, chart, context)
        for place in places
        for model in items(_at(document, place))
        for chart in [_chart(model, place)]
        if chart is not None and _is_enabled(model, document, chart)
    ]


def values_in(document: yaml.Node) -> list[yaml.Node]:
    """Return the values of charts in a resource that installs them; the document itself, if it is
    another one, or refers to values elsewhere.
    """
    kind, spec = scalar_text(find(document, "kind")), find(document, "spec")
    held = [find(spec, _HELD[kind])] if kind in _HELD else []
    if kind == _ARGO:
        sources = [find(spec, "source"), *items(find(spec, "sources"))]
        held = [find(source, "helm", key) for source in sources for key in _HELD_BY_ARGO]
    found = [[node] if entries(node) else inside(node) for node in held if node is not None]
    return [node for nodes in found for node in nodes] or [document]


def _chart(model: yaml.Node, place: str) -> Mapping[str, Any] | None:
    for chart in shipped().records(CHARTS).values():
        if (
            chart["models"] == place
            and _at(model, chart["model"]) is not None
            and ("when" not in chart or _is_true(_at(model, chart["when"])))
        ):
            return chart
    return None


def _is_enabled(model: yaml.Node, document: yaml.Node, chart: Mapping[str, Any]) -> bool:
    """Return whether nothing switches a model off; what is not set is on."""
    found = (_at(model, key) or _at(document, key) for key in chart.get("enabled", ()))
    return all(node is None or _is_true(node) for node in found)


def _container(
    model: yaml.Node, document: yaml.Node, chart: Mapping[str, Any], context: Context
) -> Container:
    """Return the container that the chart makes for a model."""
    named = _at(model, "name")
    name = f"model {scalar_text(named)}" if named is not None else "a model"
    tokens = [_filled(token, model, document) for token in chart["start"]]
    for argument in chart["argument"]:
        tokens += _tokens(argument, model, document)
    keys: dict[str, yaml.Node] = {
        "command": sequence([scalar(token, model) for token in tokens], model)
    }
    image = [_at(model, key) for key in chart["image"]]
    if None not in image:
        keys["image"] = scalar(joined(map(scalar_text, image), ":"), model)
    variables = _at(model, chart["env"]) if "env" in chart else None
    if variables is not None:
        keys["env"] = variables
    found = ContainerReader(name, context).read(mapping(keys, model))
    found.findings.extend(_unread(model, chart, name))
    return found


def _tokens(argument: Mapping[str, Any], model: yaml.Node, document: yaml.Node) -> list[str]:
    node = _at(model, argument["key"])
    if any(_at(model, key) is None for key in argument.get("given", ())) or any(
        _at(model, key) is not None for key in argument.get("absent", ())
    ):
        return []
    if any(_text(model, key) != text for key, text in argument.get("equal", {}).items()) or any(
        _text(model, key) == text for key, text in argument.get("unequal", {}).items()
    ):
        return []
    if argument.get("several"):
        return [scalar_text(item) for item in items(node)]
    if node is not None and (argument.get("there") or _is_true(node)):
        value = scalar_text(node)
        return [
            stamped(token.replace("{}", value), value)
            if "{}" in token
            else stamped(_filled(token, model, document), value)
            for token in argument["tokens"]
        ]
    if node is None and not ("within" in argument and _is_true(_at(model, argument["within"]))):
        return []
    return list(argument.get("otherwise", ()))


def _unread(model: yaml.Node, chart: Mapping[str, Any], name: str) -> Iterator[Finding]:
    """Yield a finding for every key that no template reads, of the mappings known completely."""
    read = {argument["key"] for argument in chart["argument"]} | set(chart.get("others", ()))
    for outer in chart.get("closed", ()):
        for key in entries(_at(model, outer)):
            if f"{outer}.{key}" not in read:
                shown = f"{outer}.{key}"
                yield finding(
                    "unread-key",
                    shown,
                    at=name,
                    line=line_of(model),
                    key=shown,
                    extra=chart["extra"],
                )


def _at(node: yaml.Node, key: str) -> yaml.Node | None:
    """Return the value of a key of nested mappings, or None."""
    return find(node, *key.split("."))


def _text(model: yaml.Node, key: str) -> str | None:
    node = _at(model, key)
    return None if node is None else scalar_text(node)


def _is_true(node: yaml.Node | None) -> bool:
    """Return whether a template takes a value for true: not false, 0, empty or null."""
    if node is None or isinstance(node, (yaml.SequenceNode, yaml.MappingNode)):
        return node is not None and bool(node.value)
    return bool(node.value) if has_type(node, "str") else node.value.lower() not in _FALSE


def _filled(token: str, model: yaml.Node, document: yaml.Node) -> str:
    """Return a token with the values of the keys that it names."""

    def value(written: str) -> str:
        key, _, default = written[1:-1].partition("|")
        node = _at(model, key) or _at(document, key)
        return scalar_text(node) if _is_true(node) else default

    return replaced(token, _KEY, value)
