"""Manifests: documents of YAML or JSON that contain containers.

To add a kind, write its module in this folder and name its function in `_read_document`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import yaml

from translator.core.tables.catalog import CONFIG
from translator.core.text.json_text import YamlError
from translator.deployments.read import Command, Container, Context, config_maps, kubernetes, unread
from translator.formats.classes import evolve
from translator.formats.kinds import mentions_vllm
from translator.formats.yaml_nodes import (
    entries,
    every,
    find,
    good_documents,
    place_of,
    places_of_keys,
    plain,
    scalar_text,
)

# Kinds of Kubernetes' own that start nothing but what stands in their `containers:`.
_WORKLOADS = ("Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob")
# A place that a template of Helm or Jinja fills in, where YAML has a value or a line.
_PLACE = re.compile(r"^[ \t]*(?:- +|[\w./-]+: +)?(?:\{\{|\{%)", re.MULTILINE)
# The keys of a deployment on Akash.
_KEYS_OF_AKASH = {"services", "profiles", "deployment"}
# Resources and values from which charts that are not read make one.
_OF_ARGO = ("argoproj.io", "Application")
_KEY_OF_LLM_D = "modelArtifacts"
# Keys of what Ray Serve makes vLLM's arguments of; the file of KAITO's in a ConfigMap, and its keys
# (presets/workspace/inference/vllm/inference_api.py).
_KEYS_OF_RAY = {"applications", "model_loading_config"}
_FILE_OF_KAITO = "inference_config.yaml"
_KEYS_OF_KAITO = {"vllm", "max_probe_steps", "kv_cache_cpu_memory_utilization"}
_OF_VLLM = ("Ray Serve", "KAITO", "Triton")  # they start vLLM, whether they name it or not


def read_documents(text: str, context: Context) -> tuple[list[Container], list[Command]]:
    """Read the containers in a text, and notes on what is not read.

    Raises:
        YamlError: the text is not valid YAML.
    """
    documents, bad = good_documents(text, lambda part: _PLACE.search(part) is not None)
    if not documents and len(bad) == 1 and bad[0].problem:
        raise YamlError(bad[0].problem)
    kinds = [(item, _kind_not_read(item)) for item in documents]
    containers = _containers_of([item for item, kind in kinds if not kind], context)
    notes = []
    for item, kind in kinds:
        if not (kind or containers) and _has_section(item):
            kind = "vllm:"
        if kind in _OF_VLLM or (kind and any("vllm" in text.lower() for text in _texts(item))):
            notes.append(unread(place_of(item), "unreadable-file", kind, "kind", kind=kind))
    for part in (part for part in bad if mentions_vllm(part.text)):
        at = ("", part.line, 0)
        if part.problem:
            notes.append(unread(at, "bad-manifest", "YAML", "yaml", problem=part.problem))
        else:
            notes.append(unread(at, "unreadable-file", "{{", "template"))
    if "tag:" in text or "newTag:" in text:
        notes += [pin for item in documents for pin in kubernetes.pins_in(item, context)]
    return containers, notes


def _kind_not_read(document: yaml.Node) -> str:
    """Return whose program makes a command of a document; "" for one that is read here."""
    keys = entries(document)
    group = scalar_text(keys.get("apiVersion")).partition("/")[0]
    if keys.keys() >= _KEYS_OF_AKASH:
        return "Akash"
    kind = scalar_text(keys.get("kind"))
    if kind == "HelmChart" or (group, kind) == _OF_ARGO:
        return kind
    if _KEY_OF_LLM_D in keys or _KEY_OF_LLM_D in entries(find(document, "spec", "values")):
        return "llm-d-modelservice"
    if kind == "RayService" or keys.keys() & _KEYS_OF_RAY:
        is_llm = any("model_loading_config" in text for text in _texts(document))
        return "Ray Serve" if is_llm else ""
    if kind:
        is_kaitos = kind == "ConfigMap" and _FILE_OF_KAITO in entries(keys.get("data"))
        return "KAITO" if is_kaitos else ""
    if keys.keys() <= _KEYS_OF_KAITO and _has_section(document):
        return "KAITO"
    from translator.deployments.read.engine_args import is_argument

    is_json = isinstance(document, yaml.MappingNode) and document.flow_style
    return "Triton" if is_json and "model" in keys and all(map(is_argument, keys)) else ""


def _has_section(document: yaml.Node) -> bool:
    """Return whether a document has engine arguments for vLLM in a section of their own."""
    from translator.deployments.read.engine_args import is_argument

    section = entries(find(document, "vllm"))
    return bool(section) and all(map(is_argument, section))


def _texts(document: yaml.Node) -> list[str]:
    """Return the keys and the values of a document."""
    return [node.value for node in every(document) if isinstance(node.value, str)]


def _containers_of(documents: list[yaml.Node], context: Context) -> list[Container]:
    kubernetes.join_runtimes(documents)
    if maps := config_maps(documents):
        images = kubernetes.mounting_images(documents)
        context = evolve(context, maps={**context.maps, **maps}, images=images)
    return [container for document in documents for container in _read_document(document, context)]


def _read_document(document: yaml.Node, context: Context) -> list[Container]:
    """Read the containers of a document, or of the charts' values that it holds."""
    keys = entries(document)
    if "apiVersion" in keys and scalar_text(keys.get("kind")) in _WORKLOADS:
        return kubernetes.read_manifest(document, context)
    # Loaded when a document may be theirs: most manifests are Kubernetes' own.
    from translator.deployments.read import charts, compose, runpod_hub, steps

    # Each returns the containers of a document, or [] for another kind. The first that returns any
    # wins: special ones are in front.
    kinds: tuple[Callable[[yaml.Node, Context], list[Container]], ...] = (
        runpod_hub.read_hub,
        runpod_hub.read_template,
        compose.read_services,
        charts.read_values,
        kubernetes.read_service,
        kubernetes.read_container,
        kubernetes.read_arguments,
        kubernetes.read_resource,
        steps.read_steps,
        _read_config,
        charts.read_own,
    )
    part = charts.values_of(document)
    return next(filter(None, (read(part, context) for read in kinds)), [])


def _read_config(document: yaml.Node, context: Context) -> list[Container]:
    """Read a file for `vllm serve --config`, by its keys; [] for any other document."""
    from translator.deployments.read.engine_args import container_of, is_argument

    keys, at = entries(document), place_of(document)
    known = [key for key in keys if is_argument(key)]
    if at[0] not in ("", "-") and "-" in "".join(known) and 2 * len(known) > len(keys):
        # The model may stand in front of it.
        return [Container("", at, command=["vllm", "serve", CONFIG, at[0]], gets_model=True)]
    if not scalar_text(keys.get("model")) or len(known) < len(keys):
        return []
    # It may as well be the arguments of the engine, of which vLLM ignores none.
    return [container_of("the file", plain(document), at, places_of_keys(document))]
