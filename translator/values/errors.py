"""A string that is not a value of a flag: the finding about it, and what was most likely meant."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets import MASK
from translator.text.json_text import JsonError, dumps, integer, repair, size
from translator.text.names import nearest
from translator.text.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from translator.findings import Fact
    from translator.tables.catalog import Catalog, Flag


class BadValue(Exception):
    """A string is not a value of the flag.

    Attributes:
        code, case, facts: of the finding. The fact `instead` is the value that was most likely
            meant.
    """

    def __init__(self, code: str, case: str = "", **facts: Fact) -> None:
        super().__init__(code, case, facts)
        self.code, self.case, self.facts = code, case, facts


def bad_value(name: str, text: str, flag: Flag, error: BadValue, catalog: Catalog) -> Finding:
    """Return the finding about a value that the flag does not accept.

    Args:
        name: the variable or the token that has the value.
        text: the value; a secret is masked where findings leave.
        flag: the flag of the catalog's version, or of another version if this one lacks it.
        error: what is wrong.
        catalog: the version's catalog.
    """
    facts = dict(error.facts)
    instead = str(facts.pop("instead", ""))
    return finding(
        error.code,
        name,
        case=error.case,
        given=assignment(name, text),
        flag=flag.flag,
        version=catalog.version if catalog.flag(flag.flag) is flag else "",
        write=assignment(name, instead) if instead else "",
        **facts,
    )


def assignment(name: str, text: str) -> str:
    """Return how to set a variable (`NAME=text`) or a flag (`--name text`, quoted for a shell)."""
    if not name.startswith("-") or text == MASK:
        return f"{name}={text}"
    return f"{name}={quote(text)}" if text[:1] in ("", "-") else f"{name} {quote(text)}"


TRUE_WORDS = frozenset(("true", "1", "yes", "on"))
FALSE_WORDS = frozenset(("false", "0", "no", "off"))


# --- the value that was most likely meant, for messages


def unquoted(text: str) -> str:
    """Remove surrounding blanks and one pair of quotes (docker's --env-file keeps quotes)."""
    stripped = text.strip()
    is_quoted = len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'"
    return stripped[1:-1].strip() if is_quoted else stripped


def near_boolean(text: str) -> str:
    """Return "true" or "false" for `"yes"`, `t`, `fasle`; "" if it is neither."""
    word = text.strip("\"' \t\n").lower()
    if word in TRUE_WORDS or word[:1] in ("t", "y"):
        return "true"
    return "false" if word in FALSE_WORDS or word[:1] in ("f", "n") else ""


def near_integer(text: str) -> str:
    """Return the digits for `"8192"`, `8,192`, `8_192`, `8k`, `32kb`, `0.5`; "" if none fit."""
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
        return str(max(1, round(float(plain))))
    except (ValueError, OverflowError):
        return ""


def near_number(text: str) -> str:
    """Return the number for `"0.9"`, `90%`, `0,9`; "" if it is not a number."""
    plain = unquoted(text)
    try:
        found = float(plain.removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return ""
    return f"{found / 100 if plain.endswith('%') else found:g}"


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


def near_json(text: str) -> str:
    """Return a string as repaired JSON; "" if it cannot be repaired."""
    try:
        return dumps(repair(text)[0])
    except JsonError:
        return ""


def near_choice(text: str, choices: Iterable[object]) -> str:
    """Return the choice meant by a misspelt, abbreviated (`bf16`), quoted or differently cased
    string; "" if there is none.
    """
    by_case = {str(item).casefold(): str(item) for item in choices}
    plain = unquoted(text)
    word = plain.casefold()
    # PyTorch's names: `fp16`
    if meant := by_case.get(word) or by_case.get(word.replace("fp", "float")):
        return meant
    found = nearest(plain, by_case.values(), 1)
    if not found and len(word) > 2:
        found = [choice for known, choice in by_case.items() if _holds(known, word)]
    return found[0] if len(found) == 1 else ""


def _holds(word: str, letters: str) -> bool:
    """Return whether a word has letters in their order: `bfloat16` those of `bf16`."""
    rest = iter(word)
    return all(letter in rest for letter in letters)
