"""The entries of a catalog: flags, the bounds of their numbers, and variables, of plugins too; and
the spelling of their names.
"""

from __future__ import annotations

from translator.tables import records
from translator.tables.records import Variable as Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.tables.shapes import Shape


# The two options that vLLM's own parse_args looks up by name before argparse sees the command line
# (every version).
MODEL = "--model"
CONFIG = "--config"

# Compiled files: name → its entry of changes.toml; program → its entry of launchers.toml;
# plugin → its hardware, sources, prefixes and variables.
CHANGES = "changes.json"
LAUNCHERS = "launchers.json"
PLUGINS = "plugins.json"


def flag_of(name: str) -> str:
    """Return the flag for a variable name: `--max-model-len` for `MAX_MODEL_LEN`."""
    return "--" + name.lower().replace("_", "-")


def variable_of(flag: str) -> str:
    """Return the variable name for a flag: `MAX_MODEL_LEN` for `--max-model-len`."""
    return flag.lstrip("-").replace("-", "_").upper()


class Grammar(records.Grammar):
    """What the command line of one version as a whole knows; mappings/README.md describes it."""

    @property
    def model_beside_file(self) -> bool:
        """Whether a file for --config cannot name the model."""
        return self.model_required or self.model_option == "absent"

    @property
    def reads_dots(self) -> bool:
        """Whether dotted keys are read: as JSON, or (before 0.9.2) as text."""
        return self.dotted or self.dotted_texts

    @property
    def level(self) -> str | None:
        """What `-O3` sets: a flag's name without its dashes, or a key of --compilation-config."""
        return self.O.get(f"{LEVEL}3")


class Flag(records.Flag):
    """One flag of one version; mappings/README.md describes the fields.

    Attributes:
        takes_value: whether a value stands behind it.
        shaped: whether the keys of its JSON are known to the parser.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__(record)
        self.takes_value = self.kind not in ("switch", "toggle")
        self.shaped = self.shape is not None

    @property
    def boolean(self) -> bool:
        return self.kind in ("switch", "toggle", "bool-value")

    @property
    def off(self) -> str | None:
        """Return the spelling that switches the flag off: the last one registered, which is the one
        in the version's help (0.33: `--disable-x`).
        """
        return self.negations[-1] if self.negations else None


class Bounds:
    """The numbers of a flag with which the engine starts.

    Attributes:
        shape: the exact bounds.
        above, below: numbers between them are valid; others may be valid, too.
    """

    __slots__ = ("above", "below", "shape")

    def __init__(self, shape: Shape) -> None:
        whole = shape["kind"] == "int"
        self.shape = shape
        get = shape.get
        self.above: float = get("gt", get("ge", float("-inf")) - whole)
        self.below: float = get("lt", get("le", float("inf")) + whole)


LEVEL = "-O"


JSON_KINDS = frozenset(("json", "json-or-str"))


class Plugin(records.Plugin):
    """A plugin that a variable belongs to.

    Attributes:
        prefix: with which the variable begins, if it is not among the listed ones; else "".
    """

    def __init__(self, name: str, fields: Mapping[str, Any], prefix: str) -> None:
        super().__init__({"name": name, **fields})
        self.prefix = prefix
