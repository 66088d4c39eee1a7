"""What is wrong with a value, and the value that was most likely meant, for messages."""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.text.json_text import JsonError, dumps, integer, repair, size
from translator.core.text.words import nearest
from translator.core.values import FALSE_WORDS, TRUE_WORDS, BadValue, assignment, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.tables.catalog import Catalog, Flag


def bad_value(
    error: BadValue, name: str, flag: Flag, catalog: Catalog, text: str | None = None
) -> Finding:
    """Return the finding about a value that the flag does not accept.

    Args:
        error: what is wrong.
        name: the variable or the token that has the value.
        flag: the flag of the catalog's version, or of another version if this one lacks it.
        catalog: the version's catalog.
        text: the value, if it is quoted; a secret is masked where findings leave.
    """
    facts = facts_of(error)
    instead = str(facts.pop("instead", ""))
    if "choices" in facts and text is not None and catalog.knows(flag.flag):
        facts |= catalog.when(flag.flag, text)
        instead = "" if "added" in facts else instead  # it was meant as it is
    if "expected" in facts and flag.start is not None:
        from translator.core.tables.shapes import expectation

        plain = "a number" if flag.kind == "float" else "an integer"
        facts["expected"] = str(facts["expected"]).replace(plain, expectation(flag.start))
    facts["given"] = assignment(name, text) if text is not None else ""
    facts["version"] = catalog.version if catalog.flag(flag.flag) is flag else ""
    facts["write"] = assignment(name, instead) if instead else ""
    if text is not None and "${" in text:
        facts["unexpanded"] = text[text.index("${") :].partition("}")[0] + "}"
    return finding(error.code, name, case=error.case, flag=flag.flag, **facts)


# What a flag accepts, and such values.
_INTEGERS = {
    "int": ("an integer", "2"),
    "any": ("an integer", "2"),  # a variable of an `int`
    "size": ("an integer", "8192 or 8k"),
    "size-or-auto": ("an integer or auto", "8192 or 8k, or auto"),
}
_MOST_DIGITS = 400  # no float has more


def facts_of(error: BadValue) -> dict[str, Fact]:
    """Return the facts of the finding; `instead` is the value that was most likely meant."""
    text, given = error.text, error.given
    return dict(given) if text is None else _FACTS[error.code](text, **given)


def _about_boolean(text: str) -> dict[str, Fact]:
    """`"yes"`, `t` and `fasle` are meant as "true" and "false"."""
    word = text.strip("\"' \t\n").lower()
    if word in TRUE_WORDS or word[:1] in ("t", "y"):
        return {"instead": "true"}
    return {"instead": "false" if word in FALSE_WORDS or word[:1] in ("f", "n") else ""}


def _about_number(text: str) -> dict[str, Fact]:
    """`"0.9"`, `90%` and `0,9` are meant as 0.9."""
    plain, near = unquoted(text), ""
    try:
        found = float(plain.removesuffix("%").strip().replace(",", "."))
        near = f"{found / 100 if plain.endswith('%') else found:g}"
    except ValueError:
        pass
    return {"expected": "a number", "instead": near}


def _about_choice(text: str, choices: Sequence[Any]) -> dict[str, Fact]:
    return {"choices": tuple(map(str, choices)), "instead": near_choice(text, choices)}


def _about_json(text: str, reason: str, is_list: bool) -> dict[str, Fact]:
    missing = "}" if text.count("{") > text.count("}") else ""
    near = near_json(text) or (near_array(text) if is_list else "")
    return {"reason": reason, "instead": near, "missing": missing}


def _about_integer(text: str, kind: str) -> dict[str, Fact]:
    text = text.strip()
    if len(text) > _MOST_DIGITS and text[:_MOST_DIGITS].isdecimal():
        return {"most": _MOST_DIGITS}
    (expected, example), near = _INTEGERS[kind], near_integer(text)
    facts: dict[str, Fact] = {"expected": expected, "example": example, "instead": near}
    if kind != "int" and near and "." in text and text[-1:] in "KMGT":
        facts |= {"instead": text[:-1] + text[-1].lower(), "suffixes": "k, m, g and t"}
    return facts


_FACTS: Mapping[str, Callable[..., dict[str, Fact]]] = {
    "bad-bool": _about_boolean,
    "bad-choice": _about_choice,
    "bad-float": _about_number,
    "bad-integer": _about_integer,
    "bad-json": _about_json,
}


def unquoted(text: str) -> str:
    """Remove surrounding blanks and one pair of quotes (docker's --env-file keeps quotes)."""
    stripped = text.strip()
    is_quoted = len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'"
    return stripped[1:-1].strip() if is_quoted else stripped


def near_integer(text: str) -> str:
    """Return the digits for `"8192"`, `8,192`, `8_192`, `8k`, `32kb`, `2.0`; "" if none fit."""
    plain = unquoted(text)
    parts = plain.replace("_", ",").split(",")
    whole = "".join(parts) if all(len(part) == 3 for part in parts[1:]) else plain
    without_unit = [plain[:-1], plain[:-2]] if plain[-1:] in ("b", "B") else []
    for candidate in (plain, whole, plain[:-1] + plain[-1:].lower(), *without_unit):
        try:
            return str(size(candidate))
        except JsonError:
            continue
    try:
        number = float(plain)
        return str(int(number)) if number >= 1 and number == int(number) else ""
    except (ValueError, OverflowError):
        return ""


def near_array(text: str) -> str:
    """Return the JSON array for `*`, `a,b`, `1,2,4`; "" for a string that looks like JSON."""
    plain = unquoted(text)
    if not plain or plain[0] in "[{":
        return ""
    items = [item.strip() for item in plain.split(",") if item.strip()]
    try:
        return dumps([integer(item) for item in items])
    except JsonError:
        return dumps(items)


# A value that is no number and no word of JSON's.
_BARE_WORD = r"(:\s*)(?!(?:true|false|null)\s*[,}\]])([A-Za-z/_][\w./-]*)(?=\s*[,}\]])"


def near_json(text: str) -> str:
    """Return repaired JSON, or that of `image=1,video=0`; "" if it is neither. A template may have
    doubled its braces, a shell's quotes may have kept a backslash, or removed the quotes of keys.
    """
    import re  # no start of vLLM gets here

    stripped = text.strip()
    doubled = stripped[1:-1] if stripped[:2] == "{{" and stripped[-2:] == "}}" else text
    bare = text.replace("\\{", "{").replace("\\}", "}") if stripped[:2] == "\\{" else text
    has_quotes = '"' in text or "'" in text
    keyed = re.sub(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)", r'\1"\2"\3', "" if has_quotes else text)
    keyed = re.sub(_BARE_WORD, r'\1"\2"', keyed)
    for candidate in (text, doubled, bare, keyed):
        try:
            return dumps(repair(candidate)[0])
        except JsonError:
            continue
    try:
        return dumps(pairs(text)) if text.strip()[:1] not in ("{", "[") else ""
    except BadValue:
        return ""


def near_choice(text: str, choices: Iterable[object]) -> str:
    """Return the choice meant by a misspelt, abbreviated (`bf16`), quoted or differently cased
    string, or the nearest number; "" if there is none.
    """
    numbers = sorted(item for item in choices if isinstance(item, int))
    if numbers:
        return str(min(numbers, key=lambda item: abs(item - int(text))))
    by_case = {str(item).casefold(): str(item) for item in choices}
    plain = unquoted(text)
    word = plain.casefold()
    # PyTorch's names: `fp16`
    if exact := by_case.get(word) or by_case.get(word.replace("fp", "float")):
        return exact
    near = nearest(plain, by_case.values(), 1)
    if not near and len(word) > 2:
        near = [choice for known, choice in by_case.items() if _holds(known, word)]
    return near[0] if len(near) == 1 else ""


def _holds(word: str, letters: str) -> bool:
    """Return whether a word has letters in their order: `bfloat16` those of `bf16`."""
    rest = iter(word)
    return all(letter in rest for letter in letters)
