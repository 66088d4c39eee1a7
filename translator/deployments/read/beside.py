"""The files that are read together with one: those beside it, and the other files of a run; and the
files of variables among them.
"""

from __future__ import annotations

import os
from collections import Counter

from translator.core.tables.catalog import Tables
from translator.core.text.words import Place, cut
from translator.deployments.read import Beside, Context, Files
from translator.formats import files
from translator.formats.classes import evolve
from translator.formats.inputs import environment_of, has_variables, read_file
from translator.formats.places import split, whole
from translator.formats.references import has_hole
from translator.formats.registry import form_of
from translator.options import DEFAULT_DIALECT

_MOST_BESIDE = 200  # files beside one input


def with_run(context: Context, files_of_run: Files) -> Context:
    """Return a context with the files of a run. Of those that are named, the variables that only
    one of them sets may be named to compose, too.
    """
    elsewhere: dict[str, str] = {}
    times: Counter[str] = Counter()
    for path in filter(has_variables, files_of_run.named):
        content = files_of_run.contents.get(path)
        form = form_of("auto", path)
        if content is not None and form == "dotenv" and os.path.basename(path) != ".env":
            variables = placed_variables(path, form, context.tables, content)[0]
            elsewhere |= variables
            times.update(variables.keys())
    elsewhere = {name: text for name, text in elsewhere.items() if times[name] == 1}
    return evolve(context, elsewhere=elsewhere, files=files_of_run)


def placed_variables(
    path: str, form: str, tables: Tables, content: bytes | None = None
) -> tuple[dict[str, str], dict[str, Place]]:
    """Return the variables of a file in a form, each with the place of its value; and the places of
    the lines that set them.
    """
    given = environment_of([path], form, DEFAULT_DIALECT, tables, content)
    lines = split(whole(read_file(path, content), path), "\n")
    env = dict(given.env)
    for name, (_, number) in given.places.items():
        line, value = lines[number - 1], env.get(name, "")
        at = line.find(value, line.find(name) + len(name))
        env[name] = cut(line, at, at + len(value)) if at >= 0 else value
    return env, {name: (path, number, 0) for name, (_, number) in given.places.items()}


def variables_beside(
    name: str, form: str, context: Context
) -> tuple[dict[str, str], dict[str, Place]] | None:
    """Return the variables of a file beside the input, as `placed_variables`; None if there is none
    that can be read.
    """
    read = context.beside(name) if context.beside is not None and not has_hole(name) else None
    if read is None:
        return None
    return placed_variables(read[0], form, context.tables, read[1].encode())


def files_beside(folder: str, files_of_run: Files) -> Beside:
    """Return a function that reads files by their paths, relative to a folder or absolute, of which
    some may be of the run.
    """
    texts: dict[str, tuple[str, str] | None] = {}

    def read(name: str) -> tuple[str, str] | None:
        path = files_of_run.path(os.path.join(folder, name))
        if path not in texts and len(texts) < _MOST_BESIDE:
            try:
                known = files_of_run.contents.get(path)
                content = files.read(path, only_regular=True) if known is None else known
                text = content.decode("utf-8-sig")
            except (OSError, UnicodeDecodeError):
                text = "\0"
            texts[path] = (path, text) if "\0" not in text else None
        return texts.get(path)

    return read
