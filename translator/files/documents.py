"""The kinds of YAML documents, and the functions that read them."""

from __future__ import annotations

from collections.abc import Callable

import yaml

from translator.files import (
    compose,
    engine_args,
    helm_values,
    kubernetes,
    operators,
    runpod_hub,
    steps,
)
from translator.files.command import Container, Context

# Each returns the containers of a document, or [] for another kind. The first that returns any
# wins: special ones are in front.
DOCUMENT_KINDS: tuple[Callable[[yaml.Node, Context], list[Container]], ...] = (
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


def read_document(document: yaml.Node, context: Context) -> list[Container]:
    """Read the containers of a document, or of the charts' values that it holds."""
    found: list[Container] = []
    for part in helm_values.values_in(document):
        made = (read(part, context) for read in DOCUMENT_KINDS)
        found += next(filter(None, made), [])
    return found
