"""RunPod's own files: `.runpod/hub.json`, the variables that its Hub sets for a worker, with their
presets, and templates, pods and endpoints as its API takes them.

https://docs.runpod.io/hub/publishing-guide
https://docs.runpod.io/api-reference/templates/POST/templates
"""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from translator.core.findings import finding
from translator.deployments.read import Container, Context, exceeded
from translator.deployments.read.kubernetes import PLACE, ContainerReader
from translator.deployments.read.pins import Pin, of_platform
from translator.formats.places import replaced
from translator.formats.references import hole
from translator.formats.yaml_nodes import (
    entries,
    has_type,
    items,
    line_of,
    mapping,
    place_of,
    scalar_text,
)

# Of a variable: the container that its value was first given to, the value, and where it is set.
_Given = tuple[str, "yaml.Node | None", yaml.Node]


def read_hub(document: yaml.Node, context: Context) -> list[Container]:
    """Read the variables of a worker, as they are by default and with each preset; [] for any
    other document.
    """
    keys = entries(document)
    config = entries(keys.get("config")) or keys
    variables = [entries(item) for item in items(config.get("env"))]
    presets = [entries(item) for item in items(config.get("presets"))]
    is_form = any("key" in item for item in variables) or any(
        "defaults" in item for item in presets
    )
    if not is_form or "imageName" in keys:
        return []
    names = [str(scalar_text(item["key"])) for item in variables if "key" in item]
    about = [*map(scalar_text, keys.values()), *names]
    names_vllm = any("vllm" in text.lower() for text in about)
    if "title" in keys and not names_vllm and not _is_workers(names, context):
        return []  # variables of the same names start SGLang and other engines
    forms: dict[str, Mapping[str, yaml.Node]] = {}
    base: dict[str, _Given] = {}
    for item in variables:
        if "key" in item:
            name = str(scalar_text(item["key"]))
            forms[name] = entries(item.get("input"))
            value = item.get("value", forms[name].get("default"))
            base[name] = ("the defaults", value, item["key"])
    pin = of_platform("hub.json", "runpod", context.tables)
    containers = [_container("the defaults", document, base, forms, pin)]
    copied = sum(map(len, [*containers[0].places, *containers[0].env.values()]))
    for preset in presets:
        if copied and not context.budget.spend(copied, line_of(document)):
            containers[-1].findings.extend(exceeded(context.budget, containers[-1].name))
            break
        title = f"preset {scalar_text(preset['name']) if 'name' in preset else 'a preset'}"
        defaults = entries(preset.get("defaults"))
        own = {name: (title, value, value) for name, value in defaults.items()}
        node = preset.get("defaults", document)
        containers.append(_container(title, node, {**base, **own}, forms, pin))
    return containers


def _is_workers(names: list[str], context: Context) -> bool:
    """Return whether variables are those of the worker: it reads half of them, and two are flags
    that hardly any program but vLLM has.
    """
    return context.reads(names) and 2 * sum(context.reads([n], 0) for n in names) >= len(names)


def read_template(document: yaml.Node, context: Context) -> list[Container]:
    """Read the container of a template, a pod or an endpoint; [] for any other document."""
    keys = entries(document)
    if "imageName" not in keys:
        return []
    pairs = [entries(item) for item in items(keys.get("env"))]  # of its older API
    listed = {scalar_text(pair.get("key")): pair["value"] for pair in pairs if "value" in pair}
    parts = {
        "image": keys["imageName"],
        "command": keys.get("dockerEntrypoint"),
        "args": keys.get("dockerStartCmd"),
        "env": mapping(listed, keys["env"]) if listed else keys.get("env"),
    }
    given = {name: node for name, node in parts.items() if node is not None}
    name = f"template {scalar_text(keys.get('name'), 'a template')}"
    return [ContainerReader(name, context).read(mapping(given, document))]


def _container(
    title: str,
    node: yaml.Node,
    given: Mapping[str, _Given],
    forms: Mapping[str, Mapping[str, yaml.Node]],
    pin: Pin | None,
) -> Container:
    """Return a worker with what the platform makes of values. A variable without one is not set,
    except where the form requires the user to enter it.
    """
    container = Container(title, place_of(node), pin=pin)
    for name, (source, value, at) in given.items():
        form = forms.get(name, {})
        if value is None or has_type(value, "null"):
            if scalar_text(form.get("required")) == "true":
                container.places[name] = place_of(at)
            continue
        container.places[name] = place_of(value)
        if isinstance(value.value, str):
            container.env[name] = replaced(_text(value, form), PLACE, hole)
        else:
            item = finding("bad-manifest", name, at=source, line=line_of(value), variable=name)
            container.findings.append(item)
    return container


def _text(value: yaml.Node, form: Mapping[str, yaml.Node]) -> str:
    """Return a value as the variable has it: of a boolean, what the form says for it; of a number,
    what JavaScript writes.
    """
    text = scalar_text(value)
    other = form.get(f"{text}Value") if text in ("true", "false") else None
    if other is not None:
        return scalar_text(other)
    whole, _, fraction = text.partition(".")
    is_whole = has_type(value, "float") and fraction and not fraction.strip("0")
    return whole if is_whole else text
