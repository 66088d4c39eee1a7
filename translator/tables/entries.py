"""The entries of a catalog: flags, the bounds of their numbers, and variables; and the spelling of
their names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.tables.shapes import Shape


# The two options that vLLM's own parse_args looks up by name before argparse sees the command line
# (every version).
MODEL = "--model"
CONFIG = "--config"

# Compiled files: name → its entry of changes.toml; program → its entry of launchers.toml.
CHANGES = "changes.json"
LAUNCHERS = "launchers.json"


def flag_of(name: str) -> str:
    """Return the flag for a variable name: `--max-model-len` for `MAX_MODEL_LEN`."""
    return "--" + name.lower().replace("_", "-")


def variable_of(flag: str) -> str:
    """Return the variable name for a flag: `MAX_MODEL_LEN` for `--max-model-len`."""
    return flag.lstrip("-").replace("-", "_").upper()


_NOTHING: Mapping[str, Any] = {}


class Entry:
    """An entry of a compiled table: an attribute for each field that the class names, with the
    value that stands there if the entry leaves it out.
    """

    _usual: Mapping[str, Any]

    def __init_subclass__(cls) -> None:
        cls._usual = {
            name: value
            for name, value in vars(cls).items()
            if name[0] != "_" and not callable(value) and not isinstance(value, property)
        }

    def __init__(self, fields: Mapping[str, Any]) -> None:
        # All of them, and in one order: Python finds those of an object faster than its class's.
        for name, value in self._usual.items():
            setattr(self, name, fields.get(name, value))


class Grammar(Entry):
    """What the command line of one version as a whole knows; mappings/README.md describes it."""

    model_required = False
    dotted = False
    plus = False
    dotted_sizes = False
    dotted_texts = False
    dotted_underscores = False
    model_option: str | None = None
    model_option_empty = False
    served_needs_model: str | None = None
    config_lists = False
    config_dicts = False
    config_false = False
    config_words = False
    config_first = False
    O: Mapping[str, str | None] = _NOTHING  # noqa: E741  # the option is called so
    O_dotted = False
    json_sizes = False

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


class Flag(Entry):
    """One flag of one version; mappings/README.md describes the fields."""

    kind = ""
    aliases: Sequence[str] = ()
    negations: Sequence[str] = ()
    choices: Sequence[Any] | None = None
    fold: str | None = None
    nullable = False
    empty = False
    suffixes = ""
    element = "str"
    objects = False
    object_keys: Sequence[str] = ()
    syntax: str | None = None
    level = False
    false: str | None = None
    bare = False
    default: Any = None
    deprecated = False
    required = False
    suppressed = False
    server = False  # and no field of AsyncEngineArgs

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.flag = name
        self.takes_value = self.kind not in ("switch", "toggle")
        self.shaped: bool = fields.get("shape", False)
        self.started: Shape | None = fields.get("start")

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


class Variable(Entry):
    """One variable of vLLM's own table in one version."""

    kind = ""
    true: Sequence[str] = ()
    choices: Sequence[str] | None = None
    fold: str | None = None
    also: Sequence[str] = ()
    default: Any = None

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.name = name
        self.refused: Sequence[str] = fields.get("not", ())


LEVEL = "-O"


JSON_KINDS = frozenset(("json", "json-or-str"))
