"""Manifests: YAML or JSON that contains containers."""

from __future__ import annotations

import re

import yaml
from attrs import evolve

from translator.files import kubernetes
from translator.files.command import Command, Container, Context, unread
from translator.files.containers import commands_of
from translator.text import yaml_nodes
from translator.text.json_text import YamlError
from translator.text.yaml_nodes import entries, find, place_of, scalar_text

# Kinds of Kubernetes' own that start nothing but what stands in their `containers:`.
_WORKLOADS = ("Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob")

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
    documents, bad = yaml_nodes.good_documents(text, _is_template)
    if not documents and len(bad) == 1 and bad[0].problem:
        raise YamlError(bad[0].problem)
    here: list[yaml.Node] = []
    unread: list[yaml.Node] = []
    for document in documents:
        (unread if _kind_not_read(document) else here).append(document)
    found = [made for item in _containers(here, context) for made in commands_of(item, context)]
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


def _containers(documents: list[yaml.Node], context: Context) -> list[Container]:
    kubernetes.join_runtimes(documents)
    context = evolve(context, maps=kubernetes.config_maps(documents))
    found: list[Container] = []
    for document in documents:
        if _is_workload(document):
            found += kubernetes.read_manifest(document, context)
        else:
            from translator.files.documents import read_document

            found += read_document(document, context)
    return found


def _is_workload(document: yaml.Node) -> bool:
    """Return whether only the reader of Kubernetes is needed: others are loaded when they are."""
    keys = entries(document)
    return "apiVersion" in keys and scalar_text(keys.get("kind")) in _WORKLOADS
