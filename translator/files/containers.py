"""Containers, whatever they are written in: the commands that they start."""

from __future__ import annotations

from translator.files.command import Command, Container, Context, is_of_one_value
from translator.files.programs import in_one_string, serves, starts_a_file, starts_ray
from translator.files.unwrap import Unwrapper, distinct, is_other
from translator.findings import has_errors
from translator.tables.catalog import shipped
from translator.tables.images import image_of, is_foreign, is_of_another, named_by_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.text.references import Budget


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
