"""The files that the command line of `check` names: the targets in them, and what --fix writes."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from translator.cli.options import refuse_file
from translator.cli.process import emit, log
from translator.cli.terminal import progress
from translator.core.findings import Finding, UsageError
from translator.core.secrets import secrets_of
from translator.core.tables.catalog import Tables
from translator.core.tables.versions import LATEST, Version, parse
from translator.deployments.options import CheckOptions
from translator.deployments.read import Context
from translator.deployments.read.registry import read_behind, read_text
from translator.deployments.read.targets import (
    Source,
    Target,
    context_of,
    of_command,
    of_variables,
    own,
    sources_of,
)
from translator.formats import files as writing
from translator.formats.classes import evolve
from translator.formats.inputs import environment_of, has_variables, read_bytes, read_file
from translator.formats.kinds import may_start_vllm

if TYPE_CHECKING:
    from argparse import Namespace

_MADE = (
    ". If a chart or an operator creates the container, check its output:"
    " `helm template … | translate check -`, `kubectl get pods --output yaml | translate check -`"
)
_MOST_CONTEXT = 3
# Of names of files in a difference: control characters, and bytes that are no UTF-8.
_ESCAPED = {code: f"\\{code & 255:03o}" for code in (*range(32), 127, *range(0xDC80, 0xDD00))}
_ESCAPED |= {ord(char): f"\\{sign}" for char, sign in zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\')}
_OTHERS = frozenset((".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"))


def targets_of(args: Namespace, asked: CheckOptions) -> list[Target]:
    """Return the targets that the command line names: files, a command after --, variables."""
    if args.targets[:2] == ["vllm", "serve"] and args.behind is None:
        args.targets, args.behind = [], args.targets
    spaced = (text for text in args.targets if " " in text)
    quoted = [text for text in spaced if not any(map(os.path.exists, [text, *paths_of(text)]))]
    files = [path for path in args.targets if path not in quoted]
    # With a command, --env-file supplies its shell variables; otherwise it is the target.
    has_command = args.behind is not None or not all(map(has_variables, [*files, *quoted]))
    is_file = len(args.env_file) == 1 and os.path.isfile(args.env_file[0]) and not has_command
    given = None
    if not is_file and (args.env_file or not (files or has_command)):
        given = environment_of(args.env_file, asked.env_form, asked.dialect, asked.tables)
    context = context_of(asked, given.env if given is not None else None)
    paths = [*files, *(args.env_file if is_file else ())]
    targets = _of_files(paths, asked, context, args.exclude)
    targets += [of_command("the command", read_text(text, context)) for text in quoted]
    if args.behind is not None:
        if not args.behind:
            raise UsageError("no command after --")
        refuse_file(args.behind, "check")
        targets.append(of_command("the command", read_behind(args.behind, context)))
    if given is None:
        return targets
    name = ", ".join(args.env_file)
    if not has_command:
        texts = {path: read_file(path) for path in args.env_file if path != "-"}
        return [*targets, of_variables(name, given, texts, asked)]
    return [*(_with_findings(one, name, given.findings) for one in targets[:1]), *targets[1:]]


def _with_findings(target: Target, file: str, findings: Sequence[Finding]) -> Target:
    """Return a target with what is wrong with the file of its variables."""
    places = {**target.command.places, **{item.subject: (file, 0, 0) for item in findings}}
    command = evolve(target.command, places=places)
    return evolve(target, command=command, found=[*target.found, *findings])


def _of_files(
    files: Sequence[str], asked: CheckOptions, context: Context, exclude: Sequence[str]
) -> list[Target]:
    """Return the targets in files and folders, less those that a pattern excludes; what is named
    and has none is told, and what cannot be read is counted, unless it is named.
    """
    paths = files_of(files)
    paths = [it for it in paths if it in asked.env_files or not is_excluded(it, exclude)]
    if not paths and any(map(os.path.isfile, files)):
        log("note: every file is left out by `exclude`")
    contents: dict[str, bytes] = {}
    unread: list[str] = []
    every: list[Target] = []

    def tell(error: UsageError, path: str) -> None:
        if path in files:
            raise error
        unread.append(str(error))

    for path in paths:
        try:
            contents[path] = read_bytes(path)
        except UsageError as error:
            tell(error, path)
    sources = sources_of(contents, asked, context, files)
    for source in progress(sources, "files", len(sources)):
        try:
            every += source.targets()
        except UsageError as error:
            tell(error, source.path)
    targets = own(every)
    _tell_of_others(files, paths, contents, every, targets)
    log_unread(unread, len(paths))
    return targets


def _tell_of_others(
    files: Sequence[str],
    paths: Sequence[str],
    contents: Collection[str],
    every: Sequence[Target],
    targets: Sequence[Target],
) -> None:
    """Say which of the files and folders that are named start no vLLM, and how many others."""
    starting = {target.source.path for target in every if target.source}
    alone = {target.source.path for target in targets if target.source}
    read = {path for target in targets for path in target.files}
    for path in (path for path in contents if path in files and path not in alone | read):
        if path in starting:
            log(f"note: {path} belongs to a start beside it, which gets nothing of it here")
        else:
            made_elsewhere = _MADE * path.endswith((".yaml", ".yml"))
            log(f"note: {path} does not start vLLM{made_elsewhere}")
    folders = [*map(os.path.realpath, alone)]
    for path in filter(os.path.isdir, files):
        if not any(it.startswith(os.path.join(os.path.realpath(path), "")) for it in folders):
            log(f"note: no file in {path} starts vLLM")
    others = len({*contents} - starting - {*files})
    if others and targets:
        log(f"{others} of {len(paths)} files {'start' if others > 1 else 'starts'} no vLLM")


def log_unread(problems: Sequence[str], count: int) -> None:
    """Say which of some files cannot be read, and why."""
    if problems:
        shown = "; ".join(problems[:3]) + ("; …" if len(problems) > 3 else "")
        log(f"{len(problems)} of {count} files cannot be read: {shown}")


def files_of(arguments: Sequence[str]) -> list[str]:
    """Return the files that arguments stand for, each once: by a name that is no link, if any."""
    found: dict[str, str] = {}
    for path in (item for argument in arguments for item in paths_of(argument)):
        file = os.path.realpath(path)
        if file not in found or os.path.islink(found[file]) > os.path.islink(path):
            found[file] = path
    return list(found.values())


def paths_of(path: str) -> list[str]:
    """Return the files that an argument stands for: those of a folder or of a pattern."""
    if os.path.isdir(path):
        paths: list[str] = []
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in _OTHERS)
            inside = [os.path.join(folder, name) for name in sorted(names) if may_start_vllm(name)]
            paths += filter(os.path.isfile, inside)  # no pipe, which would be waited for
        return paths
    if not os.path.exists(path) and set("*?[").intersection(path):
        from glob import glob

        return sorted(filter(os.path.isfile, glob(path, recursive=True))) or [path]
    return [path]


def rooted(patterns: Sequence[str], folder: str) -> list[str]:
    """Return patterns of a .gitignore in a folder as those of absolute paths: one without a slash,
    but at its end, is about a name at any depth.
    """
    if not patterns:
        return []
    from glob import escape  # lazy, as below: few give patterns

    root, found = escape(os.path.abspath(folder)), []
    for pattern in patterns:
        depth = "" if "/" in pattern.rstrip("/") else "**"
        inside = pattern.removesuffix("**") if pattern.endswith("/**") else pattern
        if pattern.strip("/"):
            found.append(os.path.join(root, depth, inside.lstrip("/")))
    return found


def is_excluded(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a rooted pattern is about a file, or about a folder that it is in."""
    parts = os.path.abspath(path).split("/")[1:]
    return any(_has_beginning(parts, pattern.split("/")[1:]) for pattern in patterns)


def _has_beginning(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a path begins with what a pattern names; with "" at its end, a folder."""
    if not pattern:
        return True
    from fnmatch import fnmatchcase

    first, rest = pattern[0], pattern[1:]
    if first == "**":
        fewest = int(rest == [""])
        return any(_has_beginning(parts[at:], rest) for at in range(fewest, len(parts) + 1))
    if not parts or not first:
        return bool(parts)
    return fnmatchcase(parts[0], first.replace("[^", "[!")) and _has_beginning(parts[1:], rest)


# --- --fix and --diff


def fixed(targets: Sequence[Target], asked: CheckOptions, args: Namespace) -> list[Target]:
    """Fix the files of targets, or print the differences; return the targets as they are then.

    Raises:
        UsageError: there is no file to fix, or it cannot be written.
    """
    # Lazy: most calls only check.
    from translator.deployments.repair.fixes import Group, groups_of, kept_from

    _refuse_fixes(targets, asked, args)
    named = (*args.targets, *args.env_file)
    fixed_targets = [target for target in targets if target.source is None]
    made = remaining = unsafe = changed = 0
    for sources, members in groups_of(targets):
        group = Group(sources, members, asked, args.unsafe_fixes)
        group.fix()
        edited = {
            old: new for old, new in zip(sources, group.sources) if old.content != new.content
        }
        why = {source.path: kept_from(source, named) for source in edited}
        if problems := [
            f"{path}: not fixed: {problem}" for path, problem in why.items() if problem
        ]:
            log(problems[0])
            fixed_targets += members
            continue
        made, remaining = made + group.made, remaining + group.remaining
        unsafe, changed = unsafe + group.unsafe, changed + len(edited)
        for path, problem in dict.fromkeys(group.problems):
            log(f"{path}: {problem}")
        if args.diff:
            for old, new in edited.items():
                emit(difference(old, new, asked.tables))
        else:
            write_sources({old: new.content for old, new in edited.items()})
        fixed_targets += members if args.diff else group.targets
    counts = f"{made} finding{'s' * (made != 1)} {'would be ' * args.diff}fixed"
    counts += f" in {changed} file{'s' * (changed != 1)}"
    counts = f"{counts if made else 'Nothing to fix'}, {remaining} remain"
    more = f"; --unsafe-fixes may fix {unsafe} more" * (unsafe > 0 and not args.unsafe_fixes)
    log(f"{counts}{more}" if made or remaining else "Nothing to fix.")
    return fixed_targets


def _refuse_fixes(targets: Sequence[Target], asked: CheckOptions, args: Namespace) -> None:
    """Refuse to fix what is no file, and to fix one for another vLLM than it names."""
    sources = {target.source for target in targets if target.source is not None}
    if not sources:
        option = "--diff" if args.diff else "--fix"
        raise UsageError(f"{option} needs a file, as an argument or with --env-file")
    if not args.diff and any(source.path == "-" for source in sources):
        raise UsageError("--fix cannot change standard input: name a file, or use --diff")
    asked_for = [Version(text) for text in asked.versions]
    for target in targets:
        named = target.command.vllm
        release = parse(asked.tables.versions()[-1] if named == LATEST else named or "")
        if release and asked_for and not any(it.includes(release) for it in asked_for):
            raise UsageError(
                f"{target.name} is for vLLM {named}, and stays so: --fix does not move it",
                hint=f"use `translate upgrade --to {asked.versions[-1]}`",
            )


def difference(before: Source, after: Source, tables: Tables) -> str:
    """Return what has changed as a unified diff that `git apply` and `patch -p1` take. Its context
    is cut so that no secret is in it; a changed line with a secret is masked.
    """
    from difflib import unified_diff

    secrets = secrets_of(tables)
    targets = [*before.targets(), *after.targets()]
    known = secrets.of_all([(target.env, target.written) for target in targets])
    path = os.path.relpath(before.path)
    path = os.path.abspath(path).lstrip("/") if path.startswith("..") else path
    from_name, to_name = _as_git(f"a/{path}"), _as_git(f"b/{path}")
    old, new = ([*StringIO(source.content.decode())] for source in (before, after))
    for context in range(_MOST_CONTEXT, 0, -1):
        lines = list(unified_diff(old, new, from_name, to_name, n=context))
        masked = [secrets.mask(line, known) for line in lines]
        if lines == masked:
            break
    else:
        log(
            f"{before.path}: a line with a secret is shown masked: only writing the file changes it"
        )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in masked
    )


def _as_git(path: str) -> str:
    """Return the name of a file as git writes it in a difference: in quotes, with what could end it
    escaped; a tab ends a name with blanks.
    """
    quoted = path.translate(_ESCAPED)
    return path + "\t" * (" " in path) if quoted == path else f'"{quoted}"'


def write_sources(contents: Mapping[Source, bytes]) -> None:
    """Write files, all or none.

    Raises:
        UsageError: one cannot be written, or has changed since it was read.
    """
    path = ""
    try:
        for path, content in ((source.path, source.content) for source in contents):
            if writing.read(path) != content:
                raise OSError(None, "it has changed since it was read")
        # The file itself of a link that is named.
        writing.write({os.path.realpath(it.path): new for it, new in contents.items()})
    except OSError as error:
        problem = f"not written: {error.strerror or error}"
        raise UsageError(f"{error.filename or path}: {problem}") from None
