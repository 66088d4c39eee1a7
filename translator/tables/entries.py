"""The entries of a catalog: flags, the bounds of their numbers, and variables; and the spelling of
their names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.tables.shapes import Shape


# The two options that vLLM's own parse_args looks up by name before argparse sees the command line
# (every version).
MODEL = "--model"


CONFIG = "--config"


CHANGES = "changes.json"
LAUNCHERS = "launchers.json"
"""The compiled file of changes between versions: name → its entry of changes.toml."""


def flag_of(name: str) -> str:
    """Return the flag for a variable name: `--max-model-len` for `MAX_MODEL_LEN`."""
    return "--" + name.lower().replace("_", "-")


def variable_of(flag: str) -> str:
    """Return the variable name for a flag: `MAX_MODEL_LEN` for `--max-model-len`."""
    return flag.lstrip("-").replace("-", "_").upper()


class Flag:
    """One flag of one version; mappings/README.md describes the fields."""

    __slots__ = (
        "aliases",
        "bare",
        "choices",
        "default",
        "deprecated",
        "element",
        "empty",
        "false",
        "flag",
        "fold",
        "kind",
        "known",
        "level",
        "negations",
        "nullable",
        "objects",
        "required",
        "server",
        "shaped",
        "started",
        "suffixes",
        "suppressed",
        "syntax",
        "takes_value",
    )

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        get = fields.get
        self.flag = name
        self.kind: str = fields["kind"]
        self.takes_value = self.kind not in ("switch", "toggle")
        self.aliases: list[str] = get("aliases", [])
        self.negations: list[str] = get("negations", [])
        self.choices: list[Any] | None = get("choices")
        self.fold: str | None = get("fold")
        self.nullable: bool = get("nullable", False)
        self.empty: bool = get("empty", False)
        self.suffixes: str = get("suffixes", "")
        self.element: str = get("element", "str")
        self.objects: bool = get("objects", False)
        self.syntax: str | None = get("syntax")
        self.level: bool = get("level", False)
        self.false: str | None = get("false")
        self.bare: bool = get("bare", False)
        self.shaped: bool = get("shape", False)
        self.started: Shape | None = get("start")
        self.default: Any = get("default")
        self.deprecated: bool = get("deprecated", False)
        self.required: bool = get("required", False)
        self.suppressed: bool = get("suppressed", False)
        self.server: bool = get("server", False)  # and no field of AsyncEngineArgs
        self.known: dict[str, Any] = {}  # token → value, for numbers and choices; a cache

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
        fine: the last value checked that was valid; the same value is often checked repeatedly.
    """

    __slots__ = ("above", "below", "fine", "shape")

    def __init__(self, shape: Shape) -> None:
        whole = shape["kind"] == "int"
        self.fine: Any = None
        self.shape = shape
        get = shape.get
        self.above: float = get("gt", get("ge", float("-inf")) - whole)
        self.below: float = get("lt", get("le", float("inf")) + whole)


class Variable:
    """One variable of vLLM's own table in one version."""

    __slots__ = ("also", "choices", "default", "fold", "kind", "name", "refused", "true")

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        get = fields.get
        self.name = name
        self.kind: str = fields["kind"]
        self.true: list[str] = get("true", [])
        self.choices: list[str] | None = get("choices")
        self.fold: str | None = get("fold")
        self.also: list[str] = get("also", [])
        self.refused: list[str] = get("not", [])
        self.default: Any = get("default")


LEVEL = "-O"


def level_of(grammar: dict[str, Any]) -> str | None:
    """Return what `-O3` sets in a version: a flag's name without its dashes, or a key of
    --compilation-config.
    """
    found: str | None = grammar.get("O", {}).get(f"{LEVEL}3")
    return found


JSON_KINDS = frozenset(("json", "json-or-str"))
