"""The value that a person most likely meant by one that is refused: asked only for a message."""

from __future__ import annotations

from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, integer, size
from translator.text.similar import nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


_QUOTES = "\"'"


def unquoted(text: str) -> str:
    """Return the text without blanks and a pair of quotes around it (docker's --env-file keeps
    them).
    """
    stripped = text.strip()
    return (
        stripped[1:-1].strip()
        if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in _QUOTES
        else stripped
    )


def near_boolean(text: str) -> str:
    """Return "true" or "false" for `"yes"`, `t`, `fasle`; "" when it is neither."""
    word = text.strip("\"' \t\n").lower()
    if word in TRUE_WORDS or word[:1] in ("t", "y"):
        return "true"
    return "false" if word in FALSE_WORDS or word[:1] in ("f", "n") else ""


def near_integer(text: str) -> str:
    """Return the digits for `"8192"`, `8,192`, `8_192`, `8k`, `32kb`, `0.5`; "" when no whole
    number is near.
    """
    plain = unquoted(text)
    thousands = (
        plain.replace(",", "").replace("_", "")
        if all(len(part) == 3 for part in plain.split(",")[1:])
        else plain
    )
    for candidate in (
        plain,
        thousands,
        plain[:-1] if plain[-1:] in "bB" else plain,
        plain[:-1] + plain[-1:].lower(),
        plain[:-2] if plain[-1:] in "bB" else plain,
    ):
        try:
            return str(size(candidate))
        except JsonError:
            continue
    try:
        return str(max(1, round(float(plain))))
    except (ValueError, OverflowError):
        return ""


def near_number(text: str) -> str:
    """Return the number for `"0.9"`, `90%`, `0,9`; "" when it is none."""
    plain = unquoted(text)
    percent = plain.endswith("%")
    try:
        found = float(plain.removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return ""
    return f"{found / 100 if percent else found:g}"


def near_array(text: str) -> str:
    """Return the JSON array for `*`, `a,b`, `1,2,4`; "" for what looks like JSON itself."""
    plain = unquoted(text)
    if not plain or plain[0] in "[{":
        return ""
    items = [item.strip() for item in plain.split(",") if item.strip()]
    try:
        return jsontext.dumps([integer(item) for item in items])
    except JsonError:
        return jsontext.dumps(items)


def near_json(text: str) -> str:
    """Return the JSON that a repair makes of a text; "" when it is beyond repair."""
    try:
        return jsontext.dumps(jsontext.repair(text)[0])
    except JsonError:
        return ""


def missing_bracket(text: str) -> str:
    """Return "}" when a text opens more braces than it closes, else ""."""
    return "}" if text.count("{") > text.count("}") else ""


def near_choice(text: str, choices: Iterable[object]) -> str:
    """Return the choice that differs in case or quotes, is misspelt or abbreviated; else ""."""
    by_case = {str(item).casefold(): str(item) for item in choices}
    plain = unquoted(text)
    return (
        by_case.get(plain.casefold())
        or next(iter(nearest(plain, by_case.values(), 1)), "")
        or _abbreviated(plain, list(by_case.values()))
    )


def _abbreviated(text: str, choices: list[str]) -> str:
    """The only choice that holds the letters in their order: `bf16` for bfloat16."""
    found = [choice for choice in choices if len(text) > 2 and _holds(choice, text)]
    return found[0] if len(found) == 1 else ""


def _holds(word: str, letters: str) -> bool:
    rest = iter(word.casefold())
    return all(letter in rest for letter in letters.casefold())
