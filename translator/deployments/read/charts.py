"""Values of Helm charts, read as the containers that their templates make of them: of the charts in
mappings/charts.toml, and of one's own, whose template is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import yaml

from translator.core.findings import Finding, finding
from translator.core.tables.catalog import CHARTS, MODEL, Tables, shipped
from translator.core.tables.images import telling
from translator.core.text.words import cut, joined, placed_at, stamped
from translator.deployments.read import Container, Context
from translator.deployments.read.arguments import flags_in, is_foreign, is_of_another
from translator.deployments.read.kubernetes import ContainerReader, image_in
from translator.deployments.read.pins import Pin
from translator.formats.places import replaced, split
from translator.formats.references import hole, visible
from translator.formats.yaml_nodes import (
    entries,
    find,
    has_type,
    items,
    line_of,
    mapping,
    place_of,
    scalar,
    scalar_text,
    sequence,
)

if TYPE_CHECKING:
    from translator.core.tables.entries import Argument, Chart

_FALSE = ("", "0", "false", "no", "off", "n", "null", "~")
_KEY = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]*)(?:#([^{}|]*))?(?:\|([^{}]*))?\}")


def read_values(document: yaml.Node, context: Context) -> list[Container]:
    """Read the models of a chart's values; [] for any other document."""
    charts = shipped().records(CHARTS).values()
    values = []
    for place in dict.fromkeys(chart.get("models", "") for chart in charts):
        listed = [chart for chart in charts if chart.get("models", "") == place]
        for model in items(_at(document, place)) if place else [document]:
            chart = next((chart for chart in listed if _is_of(model, chart)), None)
            if chart is None:
                continue
            switches = (_at(model, key) or _at(document, key) for key in chart.get("enabled", ()))
            if all(node is None or _is_true(node) for node in switches):
                values.append(_container(model, document, chart, context))
    return values


def values_of(document: yaml.Node) -> yaml.Node:
    """Return the values of a chart in a HelmRelease; the document itself, if it is another one, or
    refers to values elsewhere.
    """
    is_release = scalar_text(find(document, "kind")) == "HelmRelease"
    held = find(document, "spec", "values") if is_release else None
    return held if held is not None and entries(held) else document


def _is_of(model: yaml.Node, chart: Chart) -> bool:
    is_meant = "when" not in chart or _is_true(_at(model, chart["when"]))
    is_equal = all(_text(model, key) == text for key, text in chart.get("equal", {}).items())
    return is_meant and is_equal and _at(model, chart["model"]) is not None


def _container(model: yaml.Node, document: yaml.Node, chart: Chart, context: Context) -> Container:
    """Return the container that the chart makes for a model."""
    named = _at(model, "name")
    name = f"model {scalar_text(named)}" if named is not None else "a model"
    tokens = [_filled(token, model, document) for token in chart["start"]]
    for argument in chart["argument"]:
        tokens += _tokens(argument, model, document)
    command = sequence([scalar(token, model) for token in tokens], model)
    keys: dict[str, yaml.Node] = {"command": command}
    image = [_at(model, key) for key in chart["image"]]
    if None not in image:
        keys["image"] = scalar(joined(map(scalar_text, image), ":"), model)
    variables = _at(model, chart["env"]) if "env" in chart else None
    if variables is not None:
        keys["env"] = variables
    container = ContainerReader(name, context).read(mapping(keys, model))
    container.findings.extend(_unread(model, chart, name))
    return container


def _tokens(argument: Argument, model: yaml.Node, document: yaml.Node) -> list[str]:
    node = _at(model, argument["key"])
    given = all(_at(model, key) is not None for key in argument.get("given", ()))
    absent = all(_at(model, key) is None for key in argument.get("absent", ()))
    equal = all(_text(model, key) == text for key, text in argument.get("equal", {}).items())
    unequal = all(_text(model, key) != text for key, text in argument.get("unequal", {}).items())
    if not (given and absent and equal and unequal):
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


def _unread(model: yaml.Node, chart: Chart, name: str) -> Iterator[Finding]:
    """Yield a finding for every key that no template reads, of the mappings known completely."""
    read = {argument["key"] for argument in chart["argument"]} | set(chart.get("others", ()))
    for outer in chart.get("closed", ()):
        for key in entries(_at(model, outer)):
            shown = f"{outer}.{key}"
            if shown not in read:
                at, extra = line_of(model), chart["extra"]
                yield finding("unread-key", shown, at=name, line=at, key=shown, extra=extra)


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
        key, prefix, default = _KEY.fullmatch(written).groups("")  # type: ignore[union-attr]
        node = _at(model, key) or _at(document, key)
        text = scalar_text(node) if _is_true(node) else default
        return cut(text, len(prefix) if text.startswith(prefix) else 0)

    return replaced(token, _KEY, value)


# --- values of a chart that nobody else knows

# Keys beside the arguments by which values of a chart are told from any other YAML.
_OF_CHARTS = frozenset(
    ("image", "resources", "replicas", "replicaCount", "service", "nodeSelector", "tolerations")
)
_BESIDE = _OF_CHARTS | {"command"}
# What stands for all that its template adds.
_TEMPLATE = hole("the chart's template")


def read_own(document: yaml.Node, context: Context) -> list[Container]:
    """Read the lists of vLLM's flags in the values of a chart of one's own, under any key; [] for a
    document that names its kind.
    """
    if {"apiVersion", "kind"} & entries(document).keys():
        return []
    return list(_lists(document, (), {}, context))


def _lists(
    node: yaml.Node, path: tuple[str, ...], beside: Mapping[str, yaml.Node], context: Context
) -> Iterator[Container]:
    """Yield the lists in a part of a document, which stands under a path of keys; `beside` are the
    keys of charts next to it, or above.
    """
    keys = entries(node)
    beside = {**beside, **{key: keys[key] for key in _BESIDE & keys.keys()}}
    for key, value in keys.items():
        yield from _lists(value, (*path, key), beside, context)
    words = items(node)
    if words and all(isinstance(item, yaml.ScalarNode) for item in words):
        container = _of_flags(node, path, beside, context)
        yield from [container] if container is not None else []
        return
    for item in words:
        yield from _lists(item, path, beside, context)


def _of_flags(
    node: yaml.Node, path: tuple[str, ...], beside: Mapping[str, yaml.Node], context: Context
) -> Container | None:
    """Return the container of a list of arguments; None for a list of anything else."""
    tables = context.tables
    container = ContainerReader(".".join(path) or "the arguments", context)
    # Templates write an item as it is, so that a shell or YAML splits it.
    args = [word for item in container.texts(node) for word in _words(item)]
    known = [name for name in flags_in(args) if tables.knows(name)]
    image = image_in(beside.get("image"))
    command = beside.get("command")
    starts = " ".join(map(scalar_text, [command, *items(command)]))
    is_vllms = any("vllm" in text.lower() for text in (*path, image))
    if (
        len(known) < 2
        or not (is_vllms or _OF_CHARTS & beside.keys())
        or len(telling(known, tables)) < (1 if is_vllms else 2)
        or (starts and "vllm" not in starts)
        or _is_of_names(args, tables)
        or is_foreign(args, tables)
        or is_of_another(args, tables)
    ):
        return None
    at = place_of(node)
    template = placed_at(_TEMPLATE, at)
    findings = container.findings
    if "serve" in args[:2]:
        words = args[args.index("serve") + 1 :]
    else:  # in front the model, and further flags
        words = [*args, template] if MODEL in known else [template, template, *args]
        findings.append(finding("shell-variable", visible(template), case="template"))
    line = ["vllm", "serve", *words]
    pin = None if image else Pin("the chart's image", is_release=False)
    return Container(container.name, at, image, line, findings=findings, pin=pin)


def _is_of_names(args: Sequence[str], tables: Tables) -> bool:
    """Return whether a list only names flags: several that take a value, and none has one."""
    newest = tables.catalog(tables.versions()[-1])
    flags = [newest.flag(word) for word in args]
    takers = [at for at, flag in enumerate(flags) if flag is not None and flag.takes_value]
    behind = ["".join(args[at + 1 : at + 2]) for at in takers]
    return len(takers) > 1 and all(word[:1] in ("", "-") for word in behind)


def _words(text: str) -> list[str]:
    """Return the words of an item: `--flag value` in one are two."""
    option, blank, _ = text.partition(" ")
    return split(text) if blank and option.startswith("--") and "=" not in option else [text]
