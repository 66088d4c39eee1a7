"""`check --fix` and `--diff`: write the files, or what would differ in them."""

from __future__ import annotations

import os
from difflib import unified_diff
from itertools import groupby
from typing import TYPE_CHECKING

from translator.checks.fixes import File, kept_from
from translator.cli.process import emit, log
from translator.findings import UsageError, inert
from translator.secrets import secrets_of
from translator.text import files

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from translator.checks import Asked
    from translator.checks.targets import Source, Target


def fixed(targets: Sequence[Target], asked: Asked, args: Namespace) -> list[Target]:
    """Fix the files of targets, or print the differences; return the targets as they are then.

    Raises:
        UsageError: there is no file to fix, or it cannot be written.
    """
    sources = {target.source for target in targets if target.source is not None}
    if not sources:
        option = "--diff" if args.diff else "--fix"
        raise UsageError(f"{option} needs a file, as an argument or with --env-file")
    if not args.diff and any(source.path == "-" for source in sources):
        raise UsageError("--fix cannot change standard input: name a file, or use --diff")
    named = (*args.targets, *args.env_file)
    done: list[Target] = []
    made = remaining = unsafe = changed = 0
    for source, group in groupby(targets, lambda target: target.source):
        mine = list(group)
        if source is None:
            done += mine
            continue
        file = File(source, mine, asked, args.unsafe_fixes)
        file.fix()
        is_changed = file.source is not source
        if is_changed and (problem := kept_from(source, named)):
            log(f"{source.path}: not fixed: {problem}")
            done += mine
            continue
        made, remaining = made + file.made, remaining + file.remaining
        unsafe, changed = unsafe + file.unsafe, changed + is_changed
        for problem in dict.fromkeys(file.problems):
            log(f"{source.path}: {problem}")
        if is_changed and args.diff:
            emit(_difference(source, file, asked))
        elif is_changed:
            _write(source, file.source.content)
        done += mine if args.diff else file.targets
    counts = f"{made} finding{'s' * (made != 1)} {'would be ' * args.diff}fixed"
    counts += f" in {changed} file{'s' * (changed != 1)}"
    counts = f"{counts if made else 'Nothing to fix'}, {remaining} remain"
    more = f"; --unsafe-fixes may fix {unsafe} more" * (unsafe > 0 and not args.unsafe_fixes)
    log(f"{counts}{more}" if made or remaining else "Nothing to fix.")
    return done


def _difference(source: Source, file: File, asked: Asked) -> str:
    """Return what has changed as a unified diff without context; secrets are masked."""
    secrets = secrets_of(asked.tables)
    known = secrets.of_all((target.env, target.written) for target in file.targets)
    old, new = source.text.split("\n"), file.source.text.split("\n")
    lines = unified_diff(old, new, source.path, source.path, lineterm="", n=0)
    return "".join(f"{inert(secrets.mask(line.rstrip(), known))}\n" for line in lines)


def _write(source: Source, content: bytes) -> None:
    try:
        if files.read(source.path) != source.content:
            raise OSError(None, "not fixed: it has changed since it was read")
        files.write(os.path.realpath(source.path), content)  # a link that is named
    except OSError as error:
        raise UsageError(f"{source.path}: {error.strerror or error}") from None
