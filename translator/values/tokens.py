"""The codecs: one value of one flag, between text and its typed form.

`from_token` reads a command-line token exactly as the real parser of the version does.
`from_variable` is what the environment offers on top of that (sizes for every integer, words for
booleans, JSON that can be repaired). `tokens` writes what every version of the parser reads back as
the same value.
"""

from __future__ import annotations

from translator.text import json_text as jsontext
from translator.text.json_text import repair
from translator.text.numbers import JsonError, integer, size
from translator.values.errors import FALSE_WORDS, TRUE_WORDS, BadValue
from translator.values.hints import _bool_hint, _choice_hint, _close_brackets, _in_digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from translator.tables.entries import Flag


PLAIN = frozenset(("str", "int", "size", "size-or-auto"))


EXPECTED_BOOL = "true or false (also 1/0, yes/no, on/off)"


def boolean(text: str) -> bool:
    """One of the words of section 4 of the contract, in any case."""
    word = text.strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise BadValue("bad-bool", EXPECTED_BOOL, _bool_hint(word))


def from_token(flag: Flag, text: str, json_sizes: bool = False) -> Any:
    """What the real parser makes of one value token.

    Args:
        flag: the flag of the version.
        text: the token.
        json_sizes: whether the version expands `80g` inside JSON flags that are parsed into a
            class.

    Raises:
        BadValue: the real parser refuses it.
    """
    if (flag.nullable and text == "None") or (flag.empty and text == ""):
        return None
    kind = flag.kind
    if kind in ("list", "append"):
        return element(flag, text)
    if kind == "str" or kind == "optional-str":
        return _choice(flag, text) if flag.choices is not None else text
    if kind == "int":
        value = _int(text)
        return _number_choice(flag, value) if flag.choices is not None else value
    if kind in ("size", "size-or-auto"):
        return _size(flag, text)
    if kind == "float":
        return _float(text)
    if kind == "json-or-str":
        inner = text.removesuffix("\n") if flag.syntax == "one-line" else text.strip()
        is_json = (
            inner.startswith("{")
            and inner.endswith("}")
            and not (flag.syntax == "one-line" and "\n" in inner)
        )
        return _json(flag, text, json_sizes) if is_json else text
    if kind == "json":
        return _json(flag, text, json_sizes)
    assert kind == "bool-value"
    if flag.bare:  # StoreBoolean
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise BadValue("bad-bool", "true or false", _bool_hint(text.lower()))
    return bool(text)  # argparse's type=bool: any text is true


def element(flag: Flag, text: str) -> Any:
    """One element of a list flag."""
    if (flag.nullable and text == "None") or (flag.empty and text == ""):
        return None
    kind = flag.element
    if kind == "int":
        return _int(text)
    if kind == "float":
        return _float(text)
    if kind in ("named-path", "named-path-once"):
        return _named_path(flag, text)
    return _choice(flag, text) if flag.choices is not None else text


def _named_path(flag: Flag, text: str) -> Any:
    """`name=path`, or a JSON object, as --lora-modules reads its elements; it skips empty ones and
    None.
    """
    if text in ("", "None") and flag.objects:
        return None
    if "=" in text and "," not in text:
        if flag.element == "named-path-once" and text.count("=") > 1:
            raise BadValue("bad-list", "NAME=PATH with one =")
        return text
    if not flag.objects:
        raise BadValue("bad-list", "NAME=PATH")
    try:
        value = jsontext.loads(text)
    except JsonError:
        raise BadValue("bad-list", "NAME=PATH or a JSON object with name and path") from None
    if not isinstance(value, dict) or not {"name", "path"} <= set(value):
        raise BadValue(
            "bad-list",
            "a JSON object with name and path",
            """{"name":"NAME","path":"ORG/ADAPTER"}""",
        )
    return value


def _choice(flag: Flag, text: str) -> str:
    choices = flag.choices or []
    if text in choices:
        return text
    if flag.fold is not None:
        folded = text.casefold().replace("-", "_") if flag.fold == "case-dash" else text.casefold()
        for item in choices:
            if item.casefold() == folded:
                return str(item)
    raise BadValue(
        "bad-choice",
        "one of " + ", ".join(str(item) for item in choices),
        _choice_hint(text, choices),
    )


def _number_choice(flag: Flag, value: int) -> int:
    if value in (flag.choices or []):
        return value
    numbers = sorted(item for item in flag.choices or [] if isinstance(item, int))
    close = min(numbers, key=lambda item: (abs(item - value), item))
    raise BadValue(
        "bad-choice", "one of " + ", ".join(str(item) for item in numbers), f"write {close}"
    )


def _int(text: str) -> int:
    try:
        return integer(text)
    except JsonError as error:
        raise BadValue(
            "bad-integer",
            f"an integer ({error})" if "digits" in str(error) else "an integer",
            _in_digits(text),
        ) from None


def _float(text: str) -> float:
    try:
        return float(text)
    except (ValueError, OverflowError):
        from translator.values.hints import number

        raise BadValue("bad-float", "a number", number(text)) from None


def _size(flag: Flag, text: str) -> Any:
    if flag.kind == "size-or-auto" and (text.strip() == "-1" or text.strip().lower() == "auto"):
        return -1
    try:
        return size(text, flag.suffixes)
    except JsonError as error:
        raise _bad_size(text, error, flag.kind == "size-or-auto") from None


def _bad_size(text: str, error: JsonError, auto: bool = False) -> BadValue:
    expected = "an integer, plain or with a suffix (1k is 1000, 1K is 1024, 25.6k is 25600)" + (
        ", or auto" if auto else ""
    )
    said = str(error)
    hint = (
        f"write {text.strip()[:-1]}{text.strip()[-1].lower()}"
        if said.startswith("decimals")
        else _in_digits(text)
    )
    return BadValue(
        "bad-integer", expected if said == "not an integer" else f"{expected}: {said}", hint
    )


def _json(flag: Flag, text: str, json_sizes: bool) -> Any:
    if flag.syntax == "pairs":
        return pairs(text)
    if flag.level and text in ("0", "1", "2", "3"):
        return {"level": int(text)}
    try:
        if flag.syntax == "pairs-or-json" and not text.lstrip().startswith("{"):
            return pairs(text)
        if flag.syntax == "python":
            value = jsontext.literal(text)
        else:
            value = jsontext.loads(
                jsontext.expand_sizes(text) if json_sizes and flag.shaped else text
            )
    except JsonError as error:
        wanted = "a Python literal" if flag.syntax == "python" else "JSON"
        raise BadValue("bad-json", f"{wanted}: {error}", _json_hint(text)) from None
    return _object(flag, value)


def _object(flag: Flag, value: Any) -> Any:
    """A value of a flag that is parsed into a class may be anything but null: the rest its keys'
    shape tells.
    """
    if value is None and flag.shaped:
        raise BadValue("bad-json", "a JSON object", "leave it out")
    return value


def _json_hint(text: str) -> str:
    try:
        return f"write {jsontext.dumps(repair(text)[0])}"
    except JsonError:
        return _close_brackets(text.strip())


def pairs(text: str) -> dict[str, int]:
    """`image=1,video=0`, as --limit-mm-per-prompt was written up to 0.8."""
    found: dict[str, int] = {}
    for item in text.split(","):
        parts = [part.lower().strip() for part in item.split("=")]
        if len(parts) != 2:
            raise BadValue("bad-json", "KEY=NUMBER pairs, separated by commas", "image=1,video=0")
        value = _int(parts[1])
        if found.setdefault(parts[0], value) != value:
            raise BadValue("bad-json", f"one number for {parts[0]}")
    return found


def text_of(flag: Flag, value: Any) -> str:
    """One value (or one element of a list) as the token that the real parser reads back as the
    same.
    """
    if value is None:
        return (
            "None"
            if flag.nullable or flag.syntax == "python"
            else "null"
            if flag.kind == "json" and not flag.empty
            else ""
        )
    if isinstance(value, str):
        return jsontext.dumps(value) if flag.kind == "json" else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return jsontext.dumps(value) if flag.kind == "json" else repr(value)
    if flag.syntax == "pairs" and isinstance(value, dict):
        return ",".join(f"{key}={item}" for key, item in value.items())
    if flag.syntax == "python":
        text = jsontext.dumps(value)
        if any(
            word in text for word in ("true", "false", "null", "NaN", "Infinity")
        ):  # no Python literals
            return repr(value)
        return text
    return jsontext.dumps(value)


def survives_alone(text: str) -> bool:
    """Whether argparse takes a token after its flag for a value: it does not begin with a dash, or
    is a negative integer.
    """
    return not text.startswith("-") or text == "-" or (text[1:].isdecimal() and text[1:].isascii())


def tokens(flag: Flag, value: Any, alone: Callable[[str], bool] = survives_alone) -> list[str]:
    """The tokens that set a flag. `--flag=value` wherever there is one value: the only form that
    survives a leading `-`, dots and underscores.

    Args:
        flag: of the version.
        value: typed.
        alone: whether a token can stand for itself in a list of several.

    Raises:
        BadValue: no argv can say it to this version.
    """
    kind = flag.kind
    if kind in PLAIN and (type(value) is str or type(value) is int):
        return [f"{flag.flag}={value}"]  # nine of ten values
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
        raise BadValue("not-on-argv", "a value: it has no word for none", "leave it out")
    if kind != "list" or value is None:
        return [f"{flag.flag}={text_of(flag, value)}"]
    texts = [text_of(flag, item) for item in value]
    if len(texts) == 1:
        return [f"{flag.flag}={texts[0]}"]
    if not texts:
        raise BadValue("bad-list", "at least one element")
    for text in texts:
        if not alone(text):
            raise BadValue(
                "not-on-argv",
                "elements that can stand alone on a command line, which those that look like"
                " options cannot",
                "give it as the only element",
            )
    return [flag.flag, *texts]
