"""What a schema says of a flag, in our own words."""

from __future__ import annotations

from translator.pages.flags import where
from translator.pages.page import KINDS, shape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag


def described(flag: Flag, catalog: Catalog) -> str:
    """Return a flag's kind, its other spellings, its bounds, and the versions that have it."""
    kind = "no value: true switches it on" if flag.kind == "switch" else KINDS[flag.kind]
    if flag.started is not None and flag.started["kind"] in ("int", "float"):
        kind += f"; the engine starts with {shape_text(flag.started)}"
    parts = [f"`{flag.flag}`: {kind}."]
    others = [*flag.aliases, *flag.negations]
    if others:
        parts.append(f"Also {' '.join(f'`{name}`' for name in others)}.")
    parts.append(f"vLLM has it in {where(flag.flag, catalog.tables).removeprefix('it is in ')}.")
    if flag.deprecated:
        parts.append(f"Deprecated in vLLM {catalog.version}.")
    return " ".join(parts)
