"""RunPod's `.runpod/hub.json`: the variables that its Hub sets for a worker, and their presets.

https://docs.runpod.io/hub/publishing-guide
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

from translator.files import Container, Context, exceeded
from translator.findings import finding
from translator.text.references import hole
from translator.text.words import replaced
from translator.text.yaml_nodes import entries, has_type, items, line_of, place_of, scalar_text

# Of a variable: the container that its value was first given to, the value, and where it is set.
_Given = tuple[str, "yaml.Node | None", yaml.Node]
# A secret of the user's account, which the platform fills in.
_SECRET = re.compile(r"\{\{[^{}\n]{1,200}\}\}")


def read_hub(document: yaml.Node, context: Context) -> list[Container]:
    """Read the variables of a worker, as they are by default and with each preset; [] for any
    other document.
    """
    keys = entries(document)
    config = entries(keys.get("config")) or keys
    variables = [entries(item) for item in items(config.get("env"))]
    presets = [entries(item) for item in items(config.get("presets"))]
    if not any("key" in item for item in variables) and not any("defaults" in p for p in presets):
        return []
    about = [*keys.values(), *(item["key"] for item in variables if "key" in item)]
    if "title" in keys and not any("vllm" in scalar_text(node).lower() for node in about):
        return []  # variables of the same names start SGLang and other engines
    forms: dict[str, Mapping[str, yaml.Node]] = {}
    base: dict[str, _Given] = {}
    for item in variables:
        if "key" in item:
            name = str(scalar_text(item["key"]))
            forms[name] = entries(item.get("input"))
            base[name] = (
                "the defaults",
                item.get("value", forms[name].get("default")),
                item["key"],
            )
    found = [_container("the defaults", document, base, forms)]
    copied = sum(map(len, [*found[0].places, *found[0].env.values()]))
    for preset in presets:
        if copied and not context.budget.spend(copied, line_of(document)):
            found[-1].findings.extend(exceeded(context.budget, found[-1].name))
            break
        title = f"preset {scalar_text(preset['name']) if 'name' in preset else 'a preset'}"
        defaults = entries(preset.get("defaults"))
        own = {name: (title, value, value) for name, value in defaults.items()}
        node = preset.get("defaults", document)
        found.append(_container(title, node, {**base, **own}, forms))
    return found


def _container(
    title: str,
    node: yaml.Node,
    given: Mapping[str, _Given],
    forms: Mapping[str, Mapping[str, yaml.Node]],
) -> Container:
    """Return a worker with what the platform makes of values. A variable without one is not set,
    except where the form requires the user to enter it.
    """
    made = Container(title, place_of(node), is_vllm=True)
    for name, (source, value, at) in given.items():
        form = forms.get(name, {})
        if value is None or has_type(value, "null"):
            if scalar_text(form.get("required")) == "true":
                made.places[name] = place_of(at)
            continue
        made.places[name] = place_of(value)
        if isinstance(value.value, str):
            made.env[name] = replaced(_text(value, form), _SECRET, hole)
        else:
            found = finding(
                "bad-manifest",
                name,
                at=source,
                line=line_of(value),
                variable=name,
            )
            made.findings.append(found)
    return made


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
