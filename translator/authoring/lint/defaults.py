"""Rules for defaults.toml: what it names exists, and it says only what the catalogs do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from translator.authoring.lint.rules import Context, Rule
from translator.authoring.names import reads, takes
from translator.authoring.schema.catalog import Catalog, Flag, Variable
from translator.authoring.schema.changes import AtStart
from translator.authoring.sources import DEFAULTS, Problem
from translator.tables.versions import Version


def _entry(name: str, catalog: Catalog) -> Flag | Variable | None:
    for flag in catalog.flags:
        if flag.flag == name:
            return flag
    return next((item for item in catalog.env if item.name == name), None)


def names_with_defaults(context: Context) -> Iterator[Problem]:
    """A name is in defaults.toml once, and its default changes between versions."""
    if context.tables.defaults is None:
        return
    seen: set[str] = set()
    for index, item in enumerate(context.tables.defaults.default):
        path = f"$.default[{index}]"
        if item.name in seen:
            yield Problem(DEFAULTS, path, f"{item.name} is in it twice")
        seen.add(item.name)
        found = [_entry(item.name, catalog) for catalog in context.catalogs]
        defaults = {str(entry.default) for entry in found if entry is not None}
        if not defaults:
            yield Problem(DEFAULTS, path, f"no version has {item.name}")
        elif len(defaults) == 1 and len(item.at_start) < 2:
            yield Problem(DEFAULTS, path, f"the default of {item.name} is the same everywhere")


def only_what_vllm_decides(context: Context) -> Iterator[Problem]:
    """`at_start` is about versions that have the name and whose parser has no default of it, and
    what it says can be set in each of them; its spans are in order, apart, and begin and end with
    versions that are known.
    """
    if context.tables.defaults is None:
        return
    known = {catalog.version for catalog in context.catalogs}
    for index, item in enumerate(context.tables.defaults.default):
        for number, span in enumerate(item.at_start):
            path = f"$.default[{index}].at_start[{number}]"
            for version in (span.since, span.until):
                if version is not None and version not in known:
                    yield Problem(DEFAULTS, path, f"{version} is no known version")
            for text, versions in _wrong(item.name, span, context.catalogs).items():
                yield Problem(DEFAULTS, path, f"{', '.join(versions)}: {text}")
        for one, other in zip(item.at_start, item.at_start[1:]):
            if (
                one.until is None
                or other.since is None
                or Version(other.since) <= Version(one.until)
            ):
                path = f"$.default[{index}].at_start"
                yield Problem(DEFAULTS, path, f"{item.name}: not in order, or not apart")


def _wrong(name: str, span: AtStart, catalogs: Sequence[Catalog]) -> dict[str, list[str]]:
    """What is wrong with a span, each with the versions where it is."""
    found: dict[str, list[str]] = {}
    for catalog in catalogs:
        here = Version(catalog.version)
        if (span.since is not None and here < Version(span.since)) or (
            span.until is not None and Version(span.until) < here
        ):
            continue
        entry = _entry(name, catalog)
        if entry is None:
            text = f"there is no {name}"
        elif entry.default is not None:
            text = f"the parser has a default of {name}"
        elif span.value is not None and not (
            takes(name, span.value, (catalog,))
            and (isinstance(entry, Variable) or reads(entry, span.value))
        ):
            text = f"{name} does not accept {span.value!r}"
        else:
            continue
        found.setdefault(text, []).append(catalog.version)
    return found


RULES: tuple[Rule, ...] = (names_with_defaults, only_what_vllm_decides)
