"""Rules for defaults.toml: what it names exists, and it says only what the catalogs do not."""

from __future__ import annotations

from collections.abc import Sequence

from translator.authoring.lint.rules import Context, Wrong, rule_for, twice
from translator.authoring.names import reads, takes, within
from translator.model.catalog import Catalog, Variable
from translator.model.changes import AtStart, Defaults
from translator.tables.versions import Version


@rule_for("defaults")
def names_with_defaults(defaults: Defaults, context: Context) -> Wrong:
    """A name is in defaults.toml once, and its default changes between versions."""
    for name in twice(item.name for item in defaults.default):
        yield "$.default", f"{name} stands twice"
    for index, item in enumerate(defaults.default):
        entries = [catalog.names.get(item.name) for catalog in context.catalogs]
        found = [entry for entry in entries if entry is not None]
        # A version without a default, and without a word on what vLLM decides, is not compared.
        known = {str(entry.default) for entry in found if entry.default is not None}
        if not found:
            yield f"$.default[{index}]", f"no version has {item.name}"
        elif len(known) + len(item.at_start) < 2:
            yield f"$.default[{index}]", f"{item.name} has one known default in all versions"


@rule_for("defaults")
def only_what_vllm_decides(defaults: Defaults, context: Context) -> Wrong:
    """`at_start` is about versions that have the name and whose parser has no default of it, and
    what it says can be set in each of them; its spans are in order, apart, and begin and end with
    versions that are known.
    """
    known = {catalog.version for catalog in context.catalogs}
    for index, item in enumerate(defaults.default):
        path = f"$.default[{index}].at_start"
        for number, span in enumerate(item.at_start):
            for version in (span.since, span.until):
                if version is not None and version not in known:
                    yield f"{path}[{number}]", f"{version} is no known version"
            for text, versions in _wrong(item.name, span, context.catalogs).items():
                yield f"{path}[{number}]", f"{', '.join(versions)}: {text}"
        for one, other in zip(item.at_start, item.at_start[1:]):
            apart = one.until is not None and other.since is not None
            if not apart or Version(other.since or "") <= Version(one.until or ""):
                yield path, f"{item.name}: not in order, or not apart"


def _wrong(name: str, span: AtStart, catalogs: Sequence[Catalog]) -> dict[str, list[str]]:
    """What is wrong with a span, each with the versions where it is."""
    found: dict[str, list[str]] = {}
    for catalog in catalogs:
        if within(catalog, span.since, span.until):
            text = _wrong_in(name, span, catalog)
            if text:
                found.setdefault(text, []).append(catalog.version)
    return found


def _wrong_in(name: str, span: AtStart, catalog: Catalog) -> str:
    entry = catalog.names.get(name)
    if entry is None:
        return f"there is no {name}"
    if entry.default is not None:
        return f"the parser has a default of {name}"
    if span.value is None or (
        takes(name, span.value, (catalog,))
        and (isinstance(entry, Variable) or reads(entry, span.value))
    ):
        return ""
    return f"{name} does not accept {span.value!r}"


RULES = (names_with_defaults, only_what_vllm_decides)
