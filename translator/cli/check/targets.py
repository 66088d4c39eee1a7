"""The targets that the command line of `check` names."""

from __future__ import annotations

import os
from glob import glob
from typing import TYPE_CHECKING

from translator.checks.targets import context_of, of_command, of_variables, targets_in
from translator.cli.options import refuse_file
from translator.cli.process import log
from translator.files.registry import NOT_READ, read_behind, read_text
from translator.findings import UsageError
from translator.formats.inputs import environment_of, has_variables, read_bytes, read_file
from translator.text.classes import evolve

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from translator.checks import Asked
    from translator.checks.targets import Target
    from translator.files import Context

# The files of a folder that may hold a command, by the ends of their names.
_KINDS = (
    (".yaml", ".yml", ".json", ".sh", ".bash", ".slurm", ".sbatch", ".service", ".md", ".rst")
    + (".markdown", ".mdx", ".tpl", ".j2", ".conf", ".py")
)  # fmt: skip
_MADE = (
    ". If a chart or an operator creates the container, check its output:"
    " `helm template … | translate check -`, `kubectl get pods --output yaml | translate check -`"
)
_OTHERS = frozenset((".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"))


def targets_of(args: Namespace, asked: Asked) -> list[Target]:
    """Return the targets that the command line names: files, a command after --, variables."""
    quoted = [text for text in args.targets if " " in text and not os.path.exists(text)]
    quoted = [text for text in quoted if not any(map(os.path.exists, _paths(text)))]
    files = [path for path in args.targets if path not in quoted]
    # With a command, --env-file supplies its shell variables; otherwise it is the target.
    has_command = args.behind is not None or not all(map(has_variables, [*files, *quoted]))
    is_file = len(args.env_file) == 1 and os.path.isfile(args.env_file[0]) and not has_command
    given = None
    if not is_file and (args.env_file or not (files or has_command)):
        given = environment_of(args.env_file, asked.env_form, asked.dialect, asked.tables)
    context = context_of(asked, given.env if given is not None else None)
    found = _of_files([*files, *(args.env_file if is_file else ())], asked, context)
    found += [of_command("the command", read_text(text, context)) for text in quoted]
    if args.behind is not None:
        if not args.behind:
            raise UsageError("no command after --")
        refuse_file(args.behind, "check")
        found.append(of_command("the command", read_behind(args.behind, context)))
    if given is not None and not has_command:
        texts = {path: read_file(path) for path in args.env_file if path != "-"}
        found.append(of_variables(", ".join(args.env_file), given, texts, asked))
    elif given is not None and found:
        first, at = found[0], (", ".join(args.env_file), 0, 0)
        places = {**first.command.places, **{item.subject: at for item in given.findings}}
        command = evolve(first.command, places=places)
        found[0] = evolve(first, command=command, found=[*first.found, *given.findings])
    return found


def _of_files(files: Sequence[str], asked: Asked, context: Context) -> list[Target]:
    """Return the targets in files and folders; what is named and has none is told, and what cannot
    be read is counted, unless it is named.
    """
    paths = [item for path in files for item in _paths(path)]
    among = len(paths) > 1 or paths != [*files]
    found: list[Target] = []
    unread: list[str] = []
    for path in paths:
        try:
            made = targets_in(path, read_bytes(path), asked, context, among=among)
        except UsageError as error:
            if path in files:
                raise
            unread.append(str(error))
            continue
        found += made
        if not made and path in files:
            made_elsewhere = _MADE * path.endswith((".yaml", ".yml"))
            log(f"note: {path} does not start vLLM{made_elsewhere}")
    for path in filter(os.path.isdir, files):
        if not any(target.source.path.startswith(path) for target in found if target.source):
            log(f"note: no file in {path} starts vLLM")
    if unread:
        shown = "; ".join(unread[:3]) + ("; …" if len(unread) > 3 else "")
        log(f"{len(unread)} of {len(paths)} files cannot be read: {shown}")
    return found


def _paths(path: str) -> list[str]:
    """Return the files that an argument stands for: those of a folder or of a pattern."""
    if os.path.isdir(path):
        found: list[str] = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _OTHERS)
            inside = [
                os.path.join(folder, name)
                for name in sorted(names)
                if name.endswith((*_KINDS, *NOT_READ))
                or any(part in name.lower() for part in ("dockerfile", "containerfile"))
            ]
            found += filter(os.path.isfile, inside)  # no pipe, which would be waited for
        return found
    if not os.path.exists(path) and set("*?[").intersection(path):
        return sorted(filter(os.path.isfile, glob(path, recursive=True))) or [path]
    return [path]
