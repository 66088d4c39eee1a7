"""What the compiled tables hold, as plain classes. Generated from translator/model by
`translate tables compile`: do not edit.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_NOTHING: Mapping[str, Any] = {}


class Grammar:
    """`Grammar` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.model: str = get("model", "positional")
        self.model_required: bool = get("model_required", False)
        self.dotted: bool = get("dotted", False)
        self.plus: bool = get("plus", False)
        self.dotted_sizes: bool = get("dotted_sizes", False)
        self.dotted_texts: bool = get("dotted_texts", False)
        self.dotted_underscores: bool = get("dotted_underscores", False)
        self.model_option: str | None = get("model_option", None)
        self.model_option_empty: bool = get("model_option_empty", False)
        self.served_needs_model: str | None = get("served_needs_model", None)
        self.config_lists: bool = get("config_lists", False)
        self.config_dicts: bool = get("config_dicts", False)
        self.config_false: bool = get("config_false", False)
        self.config_words: bool = get("config_words", False)
        self.config_first: bool = get("config_first", False)
        self.O: Mapping[str, str | None] = get("O", _NOTHING)
        self.O_dotted: bool = get("O_dotted", False)
        self.json_sizes: bool = get("json_sizes", False)


class Flag:
    """`Flag` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.flag: str = record["flag"]
        self.kind: str = record["kind"]
        self.dest: str = get("dest", "")
        self.aliases: Sequence[str] = get("aliases", ())
        self.negations: Sequence[str] = get("negations", ())
        self.choices: Sequence[Any] | None = get("choices", None)
        self.fold: str | None = get("fold", None)
        self.nullable: bool = get("nullable", False)
        self.empty: bool = get("empty", False)
        self.suffixes: str = get("suffixes", "")
        self.element: str = get("element", "str")
        self.objects: bool = get("objects", False)
        self.object_keys: Sequence[str] = get("object_keys", ())
        self.syntax: str | None = get("syntax", None)
        self.level: bool = get("level", False)
        self.false: str | None = get("false", None)
        self.bare: bool = get("bare", False)
        self.const: Any = get("const", None)
        self.default: Any = get("default", None)
        self.deprecated: bool = get("deprecated", False)
        self.required: bool = get("required", False)
        self.server: bool = get("server", False)
        self.shape: dict[str, Any] | None = get("shape", None)
        self.start: dict[str, Any] | None = get("start", None)


class Variable:
    """`Variable` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.name: str = record["name"]
        self.kind: str = record["kind"]
        self.true: Sequence[str] = get("true", ())
        self.choices: Sequence[str] | None = get("choices", None)
        self.fold: str | None = get("fold", None)
        self.default: Any = get("default", None)
        self.also: Sequence[str] = get("also", ())
        self.refused: Sequence[str] = get("not", ())


class Breaks:
    """`Breaks` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.note: str = record["note"]
        self.unless: Sequence[str] = get("unless", ())


class Appends:
    """`Appends` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.unless: Sequence[str] = get("unless", ())
        self.assignment: str = record["assignment"]


class Relay:
    """`Relay` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.name: str = record["name"]
        self.assignment: str = record["assignment"]
        self.breaks: Sequence[str] = get("breaks", ())
        self.older: Sequence[str] = get("older", ())
        self.until: str | None = get("until", None)


class Consumer:
    """`Consumer` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.vllm: str = get("vllm", "")
        self.extends: bool = get("extends", False)
        self.value_flags: Sequence[str] = get("value_flags", ())
        self.pair_flags: Sequence[str] = get("pair_flags", ())
        self.switch_flags: Sequence[str] = get("switch_flags", ())
        self.zero_unset: Sequence[str] = get("zero_unset", ())
        self.true_flags: Sequence[str] = get("true_flags", ())
        self.json_flags: Sequence[str] = get("json_flags", ())
        self.pairs_flags: Sequence[str] = get("pairs_flags", ())
        self.unset: Sequence[str] = get("unset", ())
        self.true: str | None = get("true", None)
        self.false: str | None = get("false", None)
        self.empty: str | None = get("empty", None)
        self.array: str | None = get("array", None)
        self.array_whole: Sequence[str] = get("array_whole", ())
        self.objects: bool = get("objects", False)
        self.lines: bool = get("lines", False)
        self.exact: bool = get("exact", False)
        self.closed: bool = get("closed", False)
        self.plain: bool = get("plain", False)
        self.evaluated: bool = get("evaluated", False)
        self.any_text: bool = get("any_text", False)
        self.ignored: Sequence[str] = get("ignored", ())
        self.calculates: Sequence[str] = get("calculates", ())
        self.behind: Mapping[str, str] = get("behind", _NOTHING)
        self.breaks: Mapping[str, Breaks] = {
            name: Breaks(item) for name, item in get("breaks", _NOTHING).items()
        }
        self.partly: Mapping[str, str] = get("partly", _NOTHING)
        self.elsewhere: Mapping[str, str] = get("elsewhere", _NOTHING)
        self.appends: Mapping[str, Appends] = {
            name: Appends(item) for name, item in get("appends", _NOTHING).items()
        }
        held = get("relay")
        self.relay: Relay | None = Relay(held) if held is not None else None
        self.overrules: Sequence[str] = get("overrules", ())
        self.own_spelling: bool = get("own_spelling", False)
        self.unknown: str | None = get("unknown", None)


class DialectHead:
    """`DialectHead` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.name: str = record["name"]
        self.sources: Sequence[str] = get("sources", ())
        self.about: str = get("consumer", "")
        self.reader: str = get("reader", "")
        self.extends: str | None = get("extends", None)
        self.prefix: str = get("prefix", "")
        self.any_prefix: bool = get("any_prefix", False)
        self.extra_args: str | None = get("extra_args", None)
        self.config_file: str | None = get("config_file", None)
        self.arguments: Sequence[str] = get("arguments", ())
        self.model_directory: str = get("model_directory", "")
        self.limit_name: int = get("limit_name", 0)
        self.limit_value: int = get("limit_value", 0)
        self.limit_all: int = get("limit_all", 0)
        self.baked_args: str = get("baked_args", "")
        self.arguments_with: Mapping[str, Sequence[str]] = get("arguments_with", _NOTHING)
        self.own_names: Sequence[str] = get("own_names", ())
        self.reads: Sequence[dict[str, Any]] = get("reads", ())


class DialectVariable:
    """`DialectVariable` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.name: str = record["name"]
        self.role: str = record["role"]
        self.target: str = get("flag", "")
        self.default: str | None = get("default", None)
        self.unset: Sequence[str] = get("unset", ())
        self.inverted: bool = get("inverted", False)
        self.meant: str = get("meant", "")
        self.fallback: bool = get("fallback", False)
        self.values: Mapping[str, str] = get("values", _NOTHING)
        self.scheme: str = get("scheme", "")
        self.unread: Sequence[str] = get("unread", ())
        self.only: Sequence[str] = get("only", ())
        self.least: int | None = get("least", None)
        self.most: int | None = get("most", None)
        self.plain: bool = get("plain", False)
        self.known: Sequence[str] = get("known", ())
        self.read_only: bool = get("read_only", False)
        self.otherwise: str | None = get("otherwise", None)
        self.positive: str | None = get("positive", None)
        self.sets: Mapping[str, Mapping[str, str]] = get("sets", _NOTHING)
        self.note: str = get("note", "")
        self.source: str = get("source", "")


class Refusal:
    """`Refusal` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.flag: str = record["flag"]
        self.source: str = record["source"]
        self.when: str = get("when", "true")
        self.needs: Mapping[str, str] = get("needs", _NOTHING)
        self.excludes: Mapping[str, str] = get("excludes", _NOTHING)
        self.unless: Mapping[str, str] = get("unless", _NOTHING)
        self.since: str | None = get("since", None)
        self.until: str | None = get("until", None)


class Joined:
    """`Joined` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.name: str = record["name"]
        self.flag: str = record["flag"]
        self.value: str = record["value"]
        self.first: str = record["first"]
        self.others: str = record["others"]
        self.port: int = record["port"]


class Plugin:
    """`Plugin` of the model."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        get = record.get
        self.name: str = record["name"]
        self.hardware: str = record["hardware"]
        self.sources: Sequence[str] = record["sources"]
        self.variables: Sequence[str] = record["variables"]
        self.prefixes: Sequence[str] = get("prefixes", ())
