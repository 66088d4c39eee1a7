"""What a person most likely meant by a value that is refused; only asked on the way to a
message.
"""

from __future__ import annotations

from translator.text import json_text as jsontext
from translator.text.numbers import JsonError, integer, size
from translator.text.similar import nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_QUOTES = "\"'"


def unquoted(text: str) -> str:
    """The text without blanks around it, and without a pair of quotes that docker's --env-file
    keeps.
    """
    stripped = text.strip()
    return (
        stripped[1:-1].strip()
        if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in _QUOTES
        else stripped
    )


def whole(text: str) -> str:
    """For a whole number: `"8192"`, `8,192`, `8_192`, `32kb`, `0.5`; "" when nothing near it is
    one.
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
            return f"write {size(candidate)}"
        except JsonError:
            continue
    try:
        return f"write {max(1, round(float(plain)))}"
    except (ValueError, OverflowError):
        return "write a whole number, such as 8192 or 8k"


def number(text: str) -> str:
    """For a number: `"0.9"`, `90%`, `0,9`."""
    plain = unquoted(text)
    percent = plain.endswith("%")
    try:
        found = float(plain.removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return "write a number, such as 0.9"
    return f"write {found / 100 if percent else found:g}"


def array(text: str) -> str:
    """For a JSON array: `*`, `a,b`, `1,2,4`."""
    plain = unquoted(text)
    if not plain or plain[0] in "[{":
        return ""
    items = [item.strip() for item in plain.split(",") if item.strip()]
    try:
        return f"write {jsontext.dumps([integer(item) for item in items])}"
    except JsonError:
        return f"write {jsontext.dumps(items)}"


def subsequence(text: str, choices: list[str]) -> str | None:
    """The only choice that holds the letters of an abbreviation in their order: `bf16` for
    bfloat16.
    """
    found = [
        choice
        for choice in choices
        if len(text) > 2 and _holds(choice.casefold(), text.strip().casefold())
    ]
    return found[0] if len(found) == 1 else None


def _holds(word: str, letters: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _bool_hint(word: str) -> str:
    word = word.strip("\"' ")
    if word in TRUE_WORDS or word[:1] in ("t", "y"):
        return "write true"
    return "write false" if word in FALSE_WORDS or word[:1] in ("f", "n") else "write true or false"


def _choice_hint(text: str, choices: list[Any]) -> str:
    by_case = {str(item).casefold(): str(item) for item in choices}

    plain = unquoted(text)
    close = (
        by_case.get(plain.casefold())
        or next(iter(nearest(plain, by_case.values(), 1)), None)
        or subsequence(plain, list(by_case.values()))
    )
    return f"write {close}" if close else ""


def _in_digits(text: str) -> str:
    """For a size given to a version that takes none there: the digits."""

    return whole(text)


def _close_brackets(text: str) -> str:
    missing = text.count("{") - text.count("}")
    return "a closing } is missing" if missing > 0 else ""
