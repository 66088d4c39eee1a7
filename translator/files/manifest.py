"""Manifests: YAML or JSON that contains containers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import yaml

from translator.files import (
    compose,
    compose_files,
    engine_args,
    helm_values,
    kubernetes,
    operators,
    runpod_hub,
    steps,
)
from translator.files.command import Command, Container, Context, unread
from translator.files.containers import commands_of
from translator.text import yaml_nodes
from translator.text.json_text import YamlError
from translator.text.references import Budget
from translator.text.yaml_nodes import entries, find, place_of, scalar_text

DocumentKind = Callable[[yaml.Node, Mapping[str, str], Budget], list[Container]]
# Kinds of YAML documents: each receives a document, the variables that it may refer to, and how
# much references may add to it, and returns its containers, or [] for another kind. The first that
# returns any wins: special ones are in front.
DOCUMENT_KINDS: tuple[DocumentKind, ...] = (
    runpod_hub.read_hub,
    compose.read_services,
    operators.read_service,
    operators.read_modelservice,
    operators.read_chart,
    engine_args.read_ray,
    kubernetes.read_container,
    kubernetes.read_arguments,
    kubernetes.read_manifest,
    steps.read_steps,
    helm_values.read_values,
    engine_args.read_arguments,
)

# A place that a template fills in, where YAML has a value or a line.
_PLACE = re.compile(r"^[ \t]*(?:- +|[\w./-]+: +)?(?:\{\{|\{%)", re.MULTILINE)
# Operators of other projects that write a command, and the keys of a deployment on Akash.
_OPERATORS_NOT_READ = ("kubeai.org", "ome.io")
_KEYS_OF_AKASH = {"services", "profiles", "deployment"}


def read_manifest(text: str, context: Context) -> list[Command]:
    """Read the containers of a manifest as commands.

    Raises:
        YamlError: the manifest is not valid YAML.
    """
    budget = Budget()
    documents, bad = yaml_nodes.good_documents(text, _is_template)
    if not documents and len(bad) == 1 and bad[0].problem:
        raise YamlError(bad[0].problem)
    if context.beside is not None:
        for document in documents:
            compose_files.load(document, context.beside)
    here: list[yaml.Node] = []
    unread: list[yaml.Node] = []
    for document in documents:
        (unread if _kind_not_read(document) else here).append(document)
    containers = _containers(here, {**context.outside, **context.env}, budget)
    found = [command for item in containers for command in commands_of(item, context, budget)]
    if "vllm" in text.lower():
        found += map(_not_read, unread)
    return [*found, *(_bad(part) for part in bad if "vllm" in part.text)]


def _is_template(text: str) -> bool:
    """Return whether a text is a template of Helm or Jinja, which is no YAML before it is filled
    in.
    """
    return _PLACE.search(text) is not None


def _kind_not_read(document: yaml.Node) -> str:
    """Return whose operator writes the command of a resource; "" for one that is read here."""
    group = scalar_text(find(document, "apiVersion")).partition("/")[0]
    if group in _OPERATORS_NOT_READ:
        return group
    return "Akash" if entries(document).keys() >= _KEYS_OF_AKASH else ""


def _not_read(document: yaml.Node) -> Command:
    kind = _kind_not_read(document)
    return unread(place_of(document), "unreadable-file", kind, "kind", kind=kind)


def _bad(part: yaml_nodes.BadPart) -> Command:
    """Return what is known of a document that is not YAML: why."""
    at = ("", part.line, 0)
    if part.problem:
        return unread(at, "bad-manifest", "YAML", "yaml", problem=part.problem)
    return unread(at, "unreadable-file", "{{", "template")


def _containers(
    documents: list[yaml.Node], env: Mapping[str, str], budget: Budget
) -> list[Container]:
    kubernetes.join_documents(documents)
    found: list[Container] = []
    for document in [part for whole in documents for part in helm_values.values_in(whole)]:
        made = (read(document, env, budget) for read in DOCUMENT_KINDS)
        found += next(filter(None, made), [])
    return found
