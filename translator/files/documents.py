"""The kinds of YAML documents, and the functions that read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
from translator.files.command import Container
from translator.text.references import Budget

# Each receives a document, the variables that it may refer to, and how much references may add to
# it, and returns its containers, or [] for another kind. The first that returns any wins: special
# ones are in front.
DOCUMENT_KINDS: tuple[Callable[[yaml.Node, Mapping[str, str], Budget], list[Container]], ...] = (
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


def read_document(document: yaml.Node, env: Mapping[str, str], budget: Budget) -> list[Container]:
    """Read the containers of a document, or of the charts' values that it holds."""
    found: list[Container] = []
    for part in helm_values.values_in(document):
        made = (read(part, env, budget) for read in DOCUMENT_KINDS)
        found += next(filter(None, made), [])
    return found
