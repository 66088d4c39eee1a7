"""What the options of `translate check` ask for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from translator.checks import Asked
from translator.cli.options import installed_vllm, unknown
from translator.findings import UsageError, codes
from translator.tables.versions import Version, parse
from translator.text.words import show

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence

    from translator.tables.catalog import Tables


def asked_of(args: Namespace, tables: Tables) -> Asked:
    """Return what options ask for.

    Raises:
        UsageError: a range of versions, or a code, is none.
    """
    known = tables.versions()
    versions = {text: versions_in(text, known) for text in args.vllm}
    ranges = (text for text in versions if ".." in text and not text.startswith(".."))
    begins = next((versions[text][0] for text in ranges), None)
    return Asked(
        tables,
        list(dict.fromkeys(version for several in versions.values() for version in several)),
        args.source or begins,
        args.dialect,
        args.cluster,
        args.platform,
        args.env_file,
        args.env_file_format,
        _codes("--select", args),
        _codes("--ignore", args),
        args.ask,
        partial(installed_vllm, ask=args.ask),
    )


def _codes(option: str, args: Namespace) -> frozenset[str]:
    """Return the codes that --select or --ignore names."""
    known = codes()
    values: Iterable[str] = getattr(args, option[2:])
    found = [name.strip() for value in values for name in value.split(",") if name.strip()]
    for name in found:
        if name not in known:
            raise UsageError(
                f"{option}: {unknown('finding code', name, known)}",
                hint="`translate explain` lists the codes",
            )
    return frozenset(found)


def versions_in(text: str, known: Sequence[str]) -> list[str]:
    """Return the known versions in a range: `0.19..`, `..0.27`, `0.8..0.33` (inclusive) or `all`; a
    plain version is returned unchanged.

    Raises:
        UsageError: an end is not a version, or the range is empty.
    """
    if text == "all":
        return list(known)
    if ".." not in text:
        return [text]
    low, _, high = text.partition("..")
    first, last = parse(low or known[0]), parse(high or known[-1])
    if first is None or last is None:
        raise UsageError(f"`{show(text)}` is not a range such as 0.19.., ..0.27 or 0.8..0.33")
    found = [
        item
        for item in known
        if first.base <= Version(item).base
        and (Version(item).base <= last.base or last.includes(Version(item)))
    ]
    if not found:
        raise UsageError(
            f"no known version in {show(low)}..{show(high)}: {known[0]} to {known[-1]} are known"
        )
    return found
