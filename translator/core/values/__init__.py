"""Convert one value of one flag from a command-line token to its type and back.

`from_token` reads a token exactly as the version's real parser does; `tokens` writes tokens that
every version of the parser reads back as the same value.
"""

from __future__ import annotations

from translator.core.secrets import MASK
from translator.core.text.json_text import (
    JsonError,
    dumps,
    expand_sizes,
    integer,
    literal,
    loads,
    size,
)
from translator.core.text.words import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.core.tables.catalog import Flag


class BadValue(Exception):
    """A string is not a value of the flag.

    Attributes:
        code, case: of the finding.
        text: the string, if the facts of the finding depend on it (`mistakes.facts_of`).
        given: facts, or else what they depend on, too.
    """

    def __init__(self, code: str, case: str = "", text: str | None = None, **given: Any) -> None:
        super().__init__(code, case, text, given)
        self.code, self.case, self.text, self.given = code, case, text, given


def assignment(name: str, text: str) -> str:
    """Return how to set a variable (`NAME=text`) or a flag (`--name text`, quoted for a shell)."""
    if not name.startswith("-") or text == MASK:
        return f"{name}={text}"
    return f"{name}={quote(text)}" if text[:1] in ("", "-") else f"{name} {quote(text)}"


TRUE_WORDS = frozenset(("true", "1", "yes", "on"))
FALSE_WORDS = frozenset(("false", "0", "no", "off"))
LEVELS = ("0", "1", "2", "3")  # of `-O3`
_PLAIN = frozenset(("str", "int", "size", "size-or-auto"))


def from_token(flag: Flag, text: str, json_sizes: bool = False) -> Any:
    """Read one value token, of a list one element, as the real parser does.

    Args:
        flag: the version's flag.
        text: the token.
        json_sizes: whether the version expands `80g` inside JSON flags that are parsed into a
            class.

    Raises:
        BadValue: the real parser refuses it.
    """
    if (flag.nullable and text == "None") or (flag.empty and text == ""):
        return None
    kind = flag.kind if flag.kind not in ("list", "append") else flag.element
    if kind in ("str", "optional-str"):
        return choice(flag, text) if flag.choices is not None else text
    if kind in ("named-path", "named-path-once"):
        return _named_path(flag, text)
    if kind in ("int", "size", "size-or-auto"):
        return whole_number(flag, kind, text)
    if kind == "float":
        return number(text)
    if kind == "json-or-str":
        one_line = flag.syntax == "one-line"
        inner = text.removesuffix("\n") if one_line else text.strip()
        is_json = inner[:1] == "{" and inner.endswith("}") and not (one_line and "\n" in inner)
        return _json(flag, text, json_sizes) if is_json else text
    if kind == "json":
        return _json(flag, text, json_sizes)
    assert kind == "bool-value"
    if not flag.bare:
        return bool(text)  # argparse's type=bool: any non-empty string is true
    if text.lower() in ("true", "false"):  # StoreBoolean
        return text.lower() == "true"
    raise BadValue("bad-bool", text=text)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and not true or false."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def boolean(text: str) -> bool:
    """Read true or false, 1 or 0, yes or no, on or off, in any case.

    Raises:
        BadValue: it is none of these.
    """
    word = text.strip().lower()
    if word not in TRUE_WORDS and word not in FALSE_WORDS:
        raise BadValue("bad-bool", text=text)
    return word in TRUE_WORDS


def choice(flag: Flag, text: str) -> str:
    """Return a text if it is a choice of a flag, as the version spells it.

    Raises:
        BadValue: it is none.
    """
    choices = flag.choices or []
    if text in choices:
        return text
    if flag.fold is not None:
        folded = text.casefold().replace("-", "_") if flag.fold == "case-dash" else text.casefold()
        for item in choices:
            if item.casefold() == folded:
                return str(item)
    raise BadValue("bad-choice", text=text, choices=choices)


def whole_number(flag: Flag, kind: str, text: str, *, in_variable: bool = False) -> int:
    """Read an integer. A variable may have a suffix of any version, as it is written as digits.

    Raises:
        BadValue: it is none, or the flag has choices, and it is none of them.
    """
    if kind == "size-or-auto" and text.strip().lower() in ("auto", "-1"):
        return -1
    try:
        if in_variable:
            value = size(text)
        else:
            value = integer(text) if kind == "int" else size(text, flag.suffixes)
    except JsonError:
        kind = "any" if in_variable and kind == "int" else kind
        raise BadValue("bad-integer", text=text, kind=kind) from None
    if flag.choices is not None and value not in flag.choices:
        raise BadValue("bad-choice", text=str(value), choices=flag.choices)
    return value


def number(text: str) -> float:
    """Read a floating-point number.

    Raises:
        BadValue: it is not a number.
    """
    try:
        return float(text)
    except (ValueError, OverflowError):
        raise BadValue("bad-float", text=text) from None


def _named_path(flag: Flag, text: str) -> Any:
    """Read `name=path` or a JSON object, as --lora-modules does; it skips "" and None."""
    if text in ("", "None") and flag.objects:
        return None
    if "=" in text and not (flag.objects and "," in text):
        if flag.element == "named-path-once" and text.count("=") > 1:
            raise BadValue("bad-list", element="NAME=PATH")
        return text
    if not flag.objects:
        raise BadValue("bad-list", element="NAME=PATH")
    try:
        value = loads(text)
    except JsonError:
        value = None
    if not isinstance(value, dict) or not {"name", "path"} <= set(value):
        raise BadValue("bad-list", element='NAME=PATH or `{"name":"NAME","path":"PATH"}`')
    if flag.object_keys and not set(value) <= set(flag.object_keys):
        raise BadValue("bad-list", known=tuple(flag.object_keys))
    return value


def named_object(flag: Flag, value: dict[str, Any]) -> Any:
    """Return a JSON object as an element: `name=path` where the flag accepts no objects.

    Raises:
        BadValue: the flag cannot hold it.
    """
    name, path = value.get("name"), value.get("path")
    if flag.objects or len(value) != 2 or not isinstance(name, str) or not isinstance(path, str):
        return _named_path(flag, dumps(value))
    if "=" in name:
        raise BadValue("bad-list", element="NAME=PATH")
    return _named_path(flag, f"{name}={path}")


# --- JSON, and what older versions read in its place


def _json(flag: Flag, text: str, json_sizes: bool) -> Any:
    if flag.syntax == "colons":
        return colons(text)
    may_be_json = flag.syntax != "pairs" and text.lstrip()[:1] == "{"
    if flag.syntax in ("pairs", "pairs-or-json") and not may_be_json:
        return pairs(text)
    if flag.level and text in LEVELS:
        return {"level": int(text)}
    try:
        if flag.syntax == "python":
            value = literal(text)
        else:
            value = loads(expand_sizes(text) if json_sizes and flag.shaped else text)
    except JsonError as error:
        raise bad_json(flag, text, "" if flag.syntax == "python" else str(error)) from None
    return not_null(flag, value)


def bad_json(flag: Flag, text: str, reason: str) -> BadValue:
    """Return the error about a string that is not JSON."""
    case = "unquoted" if ":" in text and not {'"', "'"} & set(text) else ""
    return BadValue("bad-json", case, text, reason=reason)


def not_null(flag: Flag, value: Any) -> Any:
    """Return the value of a JSON flag after checking that it may be null.

    Raises:
        BadValue: it is null, and vLLM parses the flag into a class.
    """
    if value is None and flag.shaped:
        raise BadValue("bad-json", "null")
    return value


def pairs(text: str) -> dict[str, int]:
    """Read `image=1,video=0`, the format of --limit-mm-per-prompt up to 0.8.

    Raises:
        BadValue: it has another format.
    """
    numbers: dict[str, int] = {}
    for item in text.split(","):
        parts = [part.lower().strip() for part in item.split("=")]
        if len(parts) != 2:
            raise BadValue("bad-json", pairs="KEY=NUMBER", example="image=1,video=0")
        try:
            value = integer(parts[1])
        except JsonError:
            raise BadValue("bad-integer", text=parts[1], kind="int") from None
        if numbers.setdefault(parts[0], value) != value:
            raise BadValue("bad-json", twice="two different numbers")
    return numbers


def colons(text: str) -> dict[str, str]:
    """Read `a:x,b:y`, the format of --override-neuron-config up to 0.6.2; every value is text.

    Raises:
        BadValue: it has another format.
    """
    parts = [item.split(":") for item in text.split(",")]
    if any(len(part) != 2 for part in parts):
        raise BadValue("bad-json", pairs="KEY:VALUE", example="a:1,b:2")
    return dict(parts)


def holds_pairs(flag: Flag, value: Any) -> bool:
    """Tell whether a flag that reads pairs accepts a value: whether its token is read back. Of
    `KEY:VALUE`, numbers and booleans become text.
    """
    if value is None:
        return flag.nullable or flag.empty
    if flag.syntax == "pairs-or-json" or not isinstance(value, dict):
        return isinstance(value, dict)
    if not value:
        return flag.empty
    is_flat = all(isinstance(item, (str, int, float)) for item in value.values())
    try:
        read = from_token(flag, text_of(flag, value))
    except BadValue:
        return False
    return read == value or (flag.syntax == "colons" and is_flat)


# What stands between a key and its value, by the syntax of a flag that reads pairs.
_MARKS: dict[str | None, str] = {"pairs": "=", "colons": ":"}


def text_of(flag: Flag, value: Any) -> str:
    """Return one value or list element as a token that the real parser reads back unchanged."""
    if value is None:
        if flag.nullable or flag.syntax == "python":
            return "None"
        return "null" if flag.kind == "json" and not flag.empty else ""
    if flag.kind != "json" and isinstance(value, (str, float)):
        return str(value)
    if isinstance(value, dict) and (mark := _MARKS.get(flag.syntax)):
        return ",".join(f"{key}{mark}{plain(item)}" for key, item in value.items())
    text = dumps(value)
    # What is no Python literal
    names = ("true", "false", "null", "NaN", "Infinity") if flag.syntax == "python" else ()
    return repr(value) if any(name in text for name in names) else text


def plain(value: Any) -> str:
    """Return a value as text: itself, or its JSON."""
    return value if isinstance(value, str) else dumps(value)


def survives_alone(text: str) -> bool:
    """Tell whether argparse reads a token after its flag as a value.

    It does if the token is a negative integer or does not begin with a dash.
    """
    return not text.startswith("-") or text == "-" or (text[1:].isdecimal() and text[1:].isascii())


def tokens(flag: Flag, value: Any, alone: Callable[[str], bool] = survives_alone) -> list[str]:
    """Return the tokens that set a flag.

    A single value is written as `--flag=value`, the only form in which a leading `-`, dots and
    underscores survive.

    Args:
        flag: the version's flag.
        value: the typed value.
        alone: tells whether a string can be a separate token in a list of several.

    Raises:
        BadValue: no command line of this version can hold the value.
    """
    kind = flag.kind
    if kind in _PLAIN and (type(value) is str or type(value) is int):
        return [f"{flag.flag}={value}"]  # shortcut for nine of ten values
    if kind in ("switch", "toggle"):
        if value:
            return [flag.flag]
        return [flag.off] if flag.off else []
    if kind == "bool-value":
        return [f"{flag.flag}={'true' if value else flag.false}"]
    if kind == "optional-str" and value is True:
        return [flag.flag]
    if kind == "append":
        return [f"{flag.flag}={text_of(flag, item)}" for item in value]
    if value is None and not (
        flag.nullable
        or flag.empty
        or (kind == "json" and not flag.shaped and flag.syntax != "pairs-or-json")
    ):
        raise BadValue("not-on-argv", "null")
    if kind != "list" or value is None:
        return [f"{flag.flag}={text_of(flag, value)}"]
    return _list_tokens(flag, value, alone)


def _list_tokens(flag: Flag, value: list[Any], alone: Callable[[str], bool]) -> list[str]:
    texts = [text_of(flag, item) for item in value]
    if len(texts) == 1:
        return [f"{flag.flag}={texts[0]}"]
    if not texts:
        raise BadValue("bad-list", "empty")
    if not all(alone(text) for text in texts):
        raise BadValue("not-on-argv", "dash")
    return [flag.flag, *texts]
