"""Guess the intended value behind a refused one; used only for messages."""

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
    """Remove surrounding blanks and one pair of quotes (docker's --env-file keeps quotes)."""
    stripped = text.strip()
    return (
        stripped[1:-1].strip()
        if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in _QUOTES
        else stripped
    )


def near_boolean(text: str) -> str:
    """Return "true" or "false" for `"yes"`, `t`, `fasle`; "" if it is neither."""
    word = text.strip("\"' \t\n").lower()
    if word in TRUE_WORDS or word[:1] in ("t", "y"):
        return "true"
    return "false" if word in FALSE_WORDS or word[:1] in ("f", "n") else ""


def near_integer(text: str) -> str:
    """Return the digits for `"8192"`, `8,192`, `8_192`, `8k`, `32kb`, `0.5`; "" if none fit."""
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
    """Return the number for `"0.9"`, `90%`, `0,9`; "" if it is not a number."""
    plain = unquoted(text)
    percent = plain.endswith("%")
    try:
        found = float(plain.removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return ""
    return f"{found / 100 if percent else found:g}"


def near_array(text: str) -> str:
    """Return the JSON array for `*`, `a,b`, `1,2,4`; "" for a string that looks like JSON."""
    plain = unquoted(text)
    if not plain or plain[0] in "[{":
        return ""
    items = [item.strip() for item in plain.split(",") if item.strip()]
    try:
        return jsontext.dumps([integer(item) for item in items])
    except JsonError:
        return jsontext.dumps(items)


def near_json(text: str) -> str:
    """Return a string as repaired JSON; "" if it cannot be repaired."""
    try:
        return jsontext.dumps(jsontext.repair(text)[0])
    except JsonError:
        return ""


def missing_bracket(text: str) -> str:
    """Return "}" if a string opens more braces than it closes, else ""."""
    return "}" if text.count("{") > text.count("}") else ""


def near_choice(text: str, choices: Iterable[object]) -> str:
    """Return the choice meant by a misspelt, abbreviated, quoted or differently cased string.

    Return "" if there is none.
    """
    by_case = {str(item).casefold(): str(item) for item in choices}
    plain = unquoted(text)
    return (
        by_case.get(plain.casefold())
        or by_case.get(plain.casefold().replace("fp", "float"))  # PyTorch's names: `fp16`
        or next(iter(nearest(plain, by_case.values(), 1)), "")
        or _abbreviated(plain, list(by_case.values()))
    )


def _abbreviated(text: str, choices: list[str]) -> str:
    """Return the only choice that contains the letters in order: `bf16` for bfloat16; else ""."""
    found = [choice for choice in choices if len(text) > 2 and _holds(choice, text)]
    return found[0] if len(found) == 1 else ""


def _holds(word: str, letters: str) -> bool:
    rest = iter(word.casefold())
    return all(letter in rest for letter in letters.casefold())
