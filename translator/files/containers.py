"""Containers, whatever they are written in: the commands that they start, and which of them run
vLLM.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from translator.files.command import Command, Container, Context, Reads, is_of_one_value
from translator.files.programs import in_one_string, serves, starts_a_file, starts_ray
from translator.files.unwrap import Unwrapper, distinct, is_other
from translator.findings import TranslationError, has_errors
from translator.settings.scope import Scope
from translator.settings.scope import scope as scope_of
from translator.tables.builds import image_of, is_foreign, is_of_another, named_by_flags, telling
from translator.tables.catalog import MODEL, Tables

# The roles of variables that identify a container. Variables that any program may read, such as
# HF_TOKEN, do not.
_TELLING = frozenset(("flag", "absent", "choice", "extra-args"))


def commands_of(container: Container, context: Context) -> list[Command]:
    """Return the commands that a container starts."""
    unwrapper = Unwrapper(context, container)
    unreadable = has_errors(
        item
        for item in container.findings
        if item.code != "shell-variable" and not is_of_one_value(item)
    )
    started = unwrapper.image(container.image, container.command, container.args)
    found = [unwrapper.finish()] if unreadable else distinct(started)
    return [_command(done, container, context) for done in found]


def _command(done: Command, container: Container, context: Context) -> Command:
    words = container.words
    mentioned = serves(words) and is_other(done)  # by a script that starts something else
    of_another = is_of_another(done.tokens, context.tables)
    is_known = _is_known(container, words, context)
    is_guess = not is_known and context.reads(container.telling) and not starts_ray(words)
    return evolve(
        done,
        starts_vllm=(is_known or is_guess) and not (mentioned or of_another),
        is_guess=is_guess,
        by_variables=not words
        and done.vllm is None
        and not container.image.rpartition("/")[2].startswith("vllm"),
    )


def _is_known(container: Container, words: list[str], context: Context) -> bool:
    """Return whether a container runs vLLM by its command, its image, or its flags."""
    tables = context.tables
    if starts_ray(words):
        return False
    if serves(words) or in_one_string(words):
        return True
    image = image_of(container.image, tables)
    if (image.holds_vllm and image.runs == "program") or container.is_vllm:
        return context.reads(container.telling, 0)
    if container.command and not starts_a_file(words) and not words[0].endswith("vllm"):
        return False
    runs = image.runs
    if "vllm" in container.image.lower() and runs != "program":
        return bool(runs) or (bool(words) and not is_foreign(words, tables))
    return not runs and not container.command and named_by_flags(words, tables)


def reader(dialect: str, tables: Tables) -> Reads:
    """Return a function that returns whether a container is one of a dialect, by the names of its
    variables: by as many flags as asked for that hardly any program but vLLM has (by two, one of
    them has to be the model), or by the one that holds arguments; where none is asked for, and of
    a dialect whose names have a prefix, by any one.

    The dialect is looked up on its first call.
    """
    found: list[Scope] = []

    def reads(names: Iterable[str], least: int = 2) -> bool:
        try:
            scope = found[0] if found else scope_of(tables.versions()[-1], dialect, {}, tables)[0]
        except TranslationError:
            return False  # no such dialect: reported elsewhere
        found[:] = [scope]
        roles = [role for role in map(scope.role, names) if role and role.kind in _TELLING]
        if not least or scope.prefix or any(role.kind == "extra-args" for role in roles):
            return bool(roles)
        flags = {role.flag.flag if role.flag is not None else role.name for role in roles}
        return len(telling(flags, tables)) >= least and (least < 2 or MODEL in flags)

    return reads
