"""Manifests: YAML or JSON that contains containers."""

from __future__ import annotations

import re

from translator.commands import compose_files
from translator.commands.command import (
    Command,
    Container,
    Context,
    is_of_one_value,
)
from translator.commands.programs import in_one_string, serves, starts_a_file, starts_ray
from translator.commands.registry import DOCUMENT_KINDS, function
from translator.commands.same_file import joined
from translator.commands.unwrap import Unwrapper, distinct, is_other
from translator.findings import finding, has_errors
from translator.tables.catalog import shipped
from translator.tables.images import image_of, is_foreign, is_of_another, named_by_flags
from translator.text import yaml_nodes
from translator.text.expansion import Budget
from translator.text.yaml_error import YamlError
from translator.text.yaml_tree import entries, find, place_of, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import yaml


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
    unread = [item for item in documents if _kind_not_read(item)] if "vllm" in text.lower() else []
    documents = [item for item in documents if not _kind_not_read(item)]
    containers = _containers(documents, {**context.outside, **context.env}, budget)
    found = [command for item in containers for command in commands_of(item, context, budget)]
    found += [_not_read(document) for document in unread]
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
    found = finding("unreadable-file", kind, case="kind", kind=kind)
    return Command(findings=[found], place=place_of(document))


def _bad(part: yaml_nodes.BadPart) -> Command:
    """Return what is known of a document that is not YAML: why."""
    if part.problem:
        found = finding("bad-manifest", "YAML", case="yaml", problem=part.problem)
    else:
        found = finding("unreadable-file", "{{", case="template")
    return Command(findings=[found], place=("", part.line, 0))


def _containers(
    documents: list[yaml.Node], env: Mapping[str, str], budget: Budget
) -> list[Container]:
    joined(documents)
    kinds: list[Callable[[yaml.Node, Mapping[str, str], Budget], list[Container]]]
    kinds = [function(place) for place in DOCUMENT_KINDS]
    values_in = function("helm_values.values_in")
    found: list[Container] = []
    for document in [part for whole in documents for part in values_in(whole)]:
        found += next((made for read in kinds if (made := read(document, env, budget))), [])
    return found


def commands_of(container: Container, context: Context, budget: Budget) -> list[Command]:
    """Return the commands that a container starts.

    Args:
        container: the container.
        context: what its commands are read in.
        budget: how much references may add to them.
    """
    unwrapper = Unwrapper(context, container, budget)
    unreadable = has_errors(
        item
        for item in container.findings
        if item.code != "shell-variable" and not is_of_one_value(item)
    )
    started = unwrapper.image(container.image, container.command, container.args)
    found = [unwrapper.finish()] if unreadable else distinct(started)
    return [_command(done, container, context) for done in found]


def _command(done: Command, container: Container, context: Context) -> Command:
    words = [*(container.command or []), *container.args]
    mentioned = serves(words) and is_other(done)  # by a script that starts something else
    of_another = is_of_another(done.tokens, context.tables or shipped())
    is_known = _is_known(container, words, context)
    is_guess = not is_known and context.reads(container.telling) and not starts_ray(words)
    return done.replaced(
        name=container.name,
        place=container.place,
        places={**container.places, **done.places},
        starts_vllm=(is_known or is_guess) and not (mentioned or of_another),
        is_guess=is_guess,
        by_variables=not words
        and done.vllm is None
        and not container.image.rpartition("/")[2].startswith("vllm"),
    )


def _is_known(container: Container, words: list[str], context: Context) -> bool:
    """Return whether a container runs vLLM by its command, its image, or its flags."""
    tables = context.tables or shipped()
    if starts_ray(words):
        return False
    if serves(words) or in_one_string(words):
        return True
    image = image_of(container.image, tables)
    if (image.holds_vllm and image.runs == "program") or container.is_vllm:
        return context.reads(container.telling, True)
    if container.command and not starts_a_file(words) and not words[0].endswith("vllm"):
        return False
    runs = image.runs
    if "vllm" in container.image.lower() and runs != "program":
        return bool(runs) or (bool(words) and not is_foreign(words, tables))
    return not runs and not container.command and named_by_flags(words, tables)
