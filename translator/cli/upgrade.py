"""Move the files of a deployment to another vLLM: the version that they name, and the flags and the
variables that it has otherwise.

A file that would have an error that it had not before is left alone. Exit status: 1 if anything is
left alone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from translator.cli.check.reports import MANY, placed_json
from translator.cli.check.targets import difference, files_of, log_unread, write_sources
from translator.cli.options import FORMAT, tables_of
from translator.cli.process import BAD_INPUT, OK, emit, emit_json, finding_pieces, log
from translator.core.findings import UsageError
from translator.core.tables.dialects import of_release
from translator.core.tables.images import vllm_of, with_release
from translator.core.tables.versions import choose
from translator.core.text.words import show
from translator.deployments.options import CheckOptions
from translator.deployments.repair.fixes import kept_from
from translator.deployments.repair.upgrade import upgrade_all
from translator.formats.kinds import TITLES
from translator.formats.model_config import read_model_config
from translator.formats.places import NOWHERE
from translator.options import DEFAULT_DIALECT, DIALECT, MODEL_CONFIG, TABLES, Option

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Sequence

    from translator.core.findings import Finding
    from translator.core.tables.catalog import Tables
    from translator.deployments.repair.upgrade import Upgrade
    from translator.documents import UpgradedJson

USAGE = "translate upgrade --to V [OPTIONS] FILE ..."
EXAMPLE = """\
  translate upgrade --to 0.33.0 compose.yaml .env
  translate upgrade --to latest --write deploy/
  translate upgrade --to runpod@2.28.0 pod.yaml | git apply"""
OPTIONS = (
    Option(
        "targets",
        "FILE",
        f"{TITLES}, requirements, … or a directory",
        repeatable=True,
    ),
    Option(
        "--to",
        "V",
        "vLLM version to move to (0.33: its newest), latest, or of RunPod's worker: runpod@2.28.0",
        dest="wanted",
    ),
    Option(
        "--from",
        "V",
        "version that the files are for (default: the one that they name)",
        dest="origin",
    ),
    Option("--write", "", "write the files (default: print the differences)"),
    Option(
        "--image",
        "OLD=NEW",
        "write the image NEW, which holds the version, for OLD; repeatable",
        repeatable=True,
    ),
    DIALECT,
    MODEL_CONFIG,
    TABLES,
    FORMAT,
)


def run(args: Namespace) -> int:
    """Run the command and return its exit status."""
    tables = tables_of(args)
    asked, vllm = _asked(args, tables)
    paths = files_of(args.targets)
    images = dict(map(_image, args.image))
    results, unread = upgrade_all(paths, asked, images, args.targets)
    log_unread([*unread.values()], len(paths))
    if args.format == "text":
        _tell(results)
    missing = {upgrade.old.path for upgrade in results if not upgrade.is_vllm}.intersection(
        args.targets
    )
    for path in sorted(missing):
        log(f"{path}: ", ("error", "error"), ": nothing in it starts or installs vLLM")
    changed = [upgrade for upgrade in results if upgrade.is_changed]
    left = {*unread, *missing, *(upgrade.old.path for upgrade in results if upgrade.is_left)}
    if not _written(changed, args, tables):
        left.update(upgrade.old.path for upgrade in changed)
        changed = []
    if args.format == "json":
        files = [_as_json(upgrade, vllm, left, changed, tables) for upgrade in results]
        emit_json({"vllm": vllm, "written": args.write, "files": files})
    tense = "" if args.write else "would be "
    counts = f"{len(changed)} file{'s' * (len(changed) != 1)} {tense}moved to vLLM {vllm}"
    if not (changed or left or any(upgrade.reasons or upgrade.notes for upgrade in results)):
        counts = f"Nothing to change for vLLM {vllm}"
    log(
        ("bold", counts),
        _lost(results),
        f"; {len(left)} left alone, wholly or in part" * bool(left),
    )
    return BAD_INPUT if left or any(upgrade.lost for upgrade in results) else OK


def _asked(args: Namespace, tables: Tables) -> tuple[CheckOptions, str]:
    """Return what is asked for, and the vLLM to move to.

    Raises:
        UsageError: no version or no file is named, or one that is not known.
    """
    if not args.wanted or not args.targets:
        raise UsageError("name a version and files: translate upgrade --to 0.33.0 compose.yaml")
    vllm, dialect = _version("--to", args.wanted, tables)
    before = _version("--from", args.origin, tables)[0] if args.origin else None
    platform = dialect or args.dialect
    model = read_model_config(args.model_config) if args.model_config else None
    dialect = platform or DEFAULT_DIALECT
    return CheckOptions(tables, [vllm], before, dialect, platform=platform, model=model), vllm


def _lost(upgrades: Sequence[Upgrade]) -> str:
    """Return what the summary says of variables that the new version ignores."""
    lost = sorted({name for upgraded in upgrades for name in upgraded.lost})
    names = ", ".join(f"`{name}`" for name in lost)
    return f"; {len(lost)} setting{'s' * (len(lost) != 1)} lost: {names}" if lost else ""


def _tell(upgrades: Sequence[Upgrade]) -> None:
    """Log what is to be known about files, and what is so of many of them once."""
    notes = [note for upgraded in upgrades for note in upgraded.notes.items()]
    files = Counter(item for item, at in notes if item.has_trait("release") or at == NOWHERE)
    common = {item: count for item, count in files.items() if count >= MANY}
    shown: set[tuple[Finding, str, int]] = set()
    for upgraded in upgrades:
        path, about = upgraded.old.path, {**upgraded.reasons, **upgraded.notes}
        for item in (item for item in about if item not in common):
            file, line, _ = about[item]
            if (item, file, line) in shown:
                continue
            shown.add((item, file, line))
            log(*finding_pieces(item, f"{file or path}:{line}: " if line else f"{path}: "))
        for problem in dict.fromkeys(upgraded.problems):
            log(f"{path}: {problem}")
    for item, count in common.items():
        log(f"{count} files: ", *finding_pieces(item))


def _as_json(
    upgrade: Upgrade, vllm: str, left: Collection[str], changed: Sequence[Upgrade], tables: Tables
) -> UpgradedJson:
    """Return what is printed of a file as JSON."""
    about = {**upgrade.reasons, **upgrade.notes}
    return {
        "file": upgrade.old.path,
        "changed": upgrade in changed,
        "left": upgrade.old.path in left,
        "difference": difference(upgrade.old, upgrade.new, tables) if upgrade in changed else "",
        "lost": sorted(upgrade.lost),
        "problems": list(dict.fromkeys(upgrade.problems)),
        "findings": [
            placed_json(item, vllm, (file or upgrade.old.path, line, column))
            for item, (file, line, column) in about.items()
        ],
    }


def _written(changed: Sequence[Upgrade], args: Namespace, tables: Tables) -> bool:
    """Write files, or what changes in them; return whether they may be written. Since one may name
    the version that another one starts, what keeps one of them keeps all.
    """
    why = {upgrade.old.path: kept_from(upgrade.old, args.targets) for upgrade in changed}
    problems = [f"{path}: not written: {problem}" for path, problem in why.items() if problem]
    if args.write and not problems:
        try:
            write_sources({upgrade.old: upgrade.new.content for upgrade in changed})
        except UsageError as error:
            problems.append(str(error))
    for problem in problems:
        log(problem)
    if problems and changed[1:]:
        log("No file is written: they are moved together.")
    is_shown = args.format == "text" and not (args.write or problems)
    for upgrade in changed if is_shown else ():
        emit(difference(upgrade.old, upgrade.new, tables))
    return not problems


def _version(option: str, text: str, tables: Tables) -> tuple[str, str]:
    """Return the vLLM that an option names, and the dialect if it names a release of a program.

    Raises:
        UsageError: it is no known release.
    """
    known = tables.versions()
    if "@" in text and of_release(text, tables):
        return vllm_of(text, tables), with_release(text, tables)
    version, about = choose(text, known)
    if version is None or about:
        raise UsageError(
            f"{option}: `{show(text)}` is not a release that is known",
            hint=f"write one such as {known[-1]}, `latest`, or runpod@ and a tag of its worker",
        )
    return version, ""


def _image(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise UsageError(f"--image: `{show(text)}` is not OLD=NEW")
    return old, new
