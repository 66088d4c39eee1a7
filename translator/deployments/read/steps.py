"""YAML whose values are scripts: workflows and pipelines, SkyPilot, dstack, Truss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import yaml

from translator.core.text.words import Place, cut, joined
from translator.deployments.read import Container, Context, exceeded
from translator.deployments.read.kubernetes import image_in
from translator.deployments.read.programs import ENGINES, installed, serves
from translator.deployments.text.shell import split
from translator.formats.classes import evolve
from translator.formats.places import NOWHERE, replaced
from translator.formats.references import hole
from translator.formats.yaml_nodes import (
    assigned,
    entries,
    find,
    items,
    line_of,
    place_of,
    scalar_text,
)

# Keys whose value is a script, or its lines.
_SCRIPTS = ("run", "commands", "command", "script", "start_command", "cmd", "entrypoint")
_ENDS = ("_cmd", "_command", "Command", ".sh", ".bash")  # of a ConfigMap, the names of scripts
# Those whose list may be the tokens of one command.
_TOKENS = ("command", "cmd", "entrypoint")
# Keys of the variables that a script gets.
_VARIABLES = ("env", "envs", "environment", "environment_variables", "variables")
# Keys of what runs in front of every script, of the packages that it finds, and of its image.
_BEFORE = ("setup", "build_commands", "requirements")
_IMAGES = (
    ("image",),
    ("container",),
    ("container", "image"),
    ("base_image", "image"),
    ("resources", "image_id"),
)
# GitHub's own expressions: only its runner knows their values.
_EXPRESSION = re.compile(r"\$\{\{.{0,200}?\}\}")
_GOES_ON = re.compile(r"\n(?=[ \t]+\S|-)")


def read_steps(document: yaml.Node, context: Context) -> list[Container]:
    """Read every script in a document that starts vLLM."""
    # A ConfigMap's are run by who mounts it.
    image = context.images.get(scalar_text(find(document, "metadata", "name")), "")
    return list(_scripts(document, Container("", NOWHERE, image), context))


def _scripts(node: yaml.Node, outer: Container, context: Context) -> Iterator[Container]:
    """Yield the scripts in a part of a document, which gives all of them the variables, the image
    and the vLLM of `outer`.
    """
    keys = entries(node)
    outer = _with_own(outer, node, keys)
    for key, value in keys.items():
        if key not in _SCRIPTS and not key.endswith(_ENDS):
            yield from _scripts(value, outer, context)
            continue
        behind = items(keys.get("args")) if key == "command" else []
        words = items(value) or ([value] if behind else [])  # a program in front of its list
        tokens = [scalar_text(item) for item in [*words, *behind]]
        if key in _TOKENS and serves(tokens):
            yield evolve(outer, name=key, place=place_of(value), command=tokens)
            continue
        text = _text(value)
        if text and key.endswith("cmd") and text.startswith((*ENGINES, "vllm serve")):
            text = replaced(text, _GOES_ON, lambda _: " ")  # llama-swap reads lines as one command
        if text is None:
            yield from _scripts(value, outer, context)
        elif "vllm" in text and any(serves(words) for words in split(text)):
            text = replaced(text, _EXPRESSION, lambda given: f"${{{_name(given)}}}")
            title = scalar_text(keys["name"]) if "name" in keys else key
            command = ["/bin/sh", "-c", context.budget.take(text, line_of(value))]
            findings = exceeded(context.budget, title)
            at = place_of(value)
            yield evolve(outer, name=title, place=at, command=command, findings=findings)
    for item in items(node):
        yield from _scripts(item, outer, context)


def _with_own(outer: Container, node: yaml.Node, keys: Mapping[str, yaml.Node]) -> Container:
    """Return what scripts get with the variables, the image and the vLLM of their part."""
    env, places = dict(outer.env), dict(outer.places)
    for key in _VARIABLES:
        for name, (text, place) in _variables(keys.get(key)).items():
            env[name], places[name] = text, place
    installs = (_text(keys[key]) for key in _BEFORE if key in keys)
    before = (words for text in installs if text and "vllm" in text for words in split(text))
    pin = next(filter(None, map(installed, before)), outer.pin)
    return evolve(outer, env=env, places=places, image=_image(node) or outer.image, pin=pin)


def _image(node: yaml.Node) -> str:
    """Return the image that scripts run in, if its name says that it has vLLM; or ""."""
    texts = (image_in(find(node, *keys)) for keys in _IMAGES)
    image = next((text for text in texts if "vllm" in text), "")
    return cut(image, len("docker:")) if image.startswith("docker:") else image


def _name(expression: str) -> str:
    """Return a name of a variable for `${{ inputs.model }}`."""
    return re.sub(r"\W", "_", expression.strip("${} "))


def _text(node: yaml.Node) -> str | None:
    """Return a script, whose lines may be a list; None for anything else."""
    if isinstance(node.value, str):
        return scalar_text(node)
    parts = items(node)
    if not parts or any(not isinstance(part.value, str) for part in parts):
        return None
    return joined([scalar_text(part) for part in parts], "\n")


def _variables(node: yaml.Node | None) -> dict[str, tuple[str, Place]]:
    """Return variables with their places: of a mapping, or of a list of `NAME=value`."""
    return {
        name: (replaced(text, _EXPRESSION, lambda given: hole(f"${_name(given)}")), place_of(at))
        for name, text, at in assigned(node)
        # SkyPilot wants a value for what is empty in a mapping.
        if text is not None and isinstance(at.value, str) and at.value
    }
