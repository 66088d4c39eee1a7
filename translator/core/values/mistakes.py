"""What is wrong with a value, for messages."""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.values import BadValue, assignment, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    facts = {name: _of_flag(name, fact, flag, catalog) for name, fact in facts_of(error).items()}
    if "choices" in facts and text is not None and catalog.knows(flag.flag):
        facts |= catalog.when(flag.flag, text)
    given = assignment(name, text) if text is not None else ""
    version = catalog.version if catalog.flag(flag.flag) is flag else ""
    _, opened, reference = (text or "").partition("${")
    unexpanded = f"${{{reference.partition('}')[0]}}}" if opened else ""
    facts |= {"flag": flag.flag, "given": given, "version": version, "unexpanded": unexpanded}
    return finding(error.code, name, case=error.case, **facts)


def _of_flag(name: str, usual: Fact, flag: Flag, catalog: Catalog) -> Fact:
    """Return a fact about a kind of value as it is of a flag: what it expects, and as an example of
    a number its default, else the usual one or its first choice.
    """
    from translator.core.tables.shapes import expectation, problems

    text = str(usual)
    if name == "expected" and flag.start is not None:
        plain = "a number" if flag.kind == "float" else "an integer"
        return text.replace(plain, expectation(flag.start))
    if name != "example" or not text[:1].isdigit():
        return usual
    bounds, number = catalog.bounds(flag.flag), float(text.partition(" ")[0])
    if is_number(flag.default) and flag.default >= 0:
        return str(flag.default)
    choices = [choice for choice in flag.choices or () if is_number(choice)]
    is_fine = not choices and (bounds is None or not any(problems(number, bounds.shape)))
    return text if is_fine else str((choices or [1])[0])


# What a flag accepts, and such values.
_INTEGERS = {
    "int": ("an integer", "2"),
    "any": ("an integer", "2"),  # a variable of an `int`
    "size": ("an integer", "8192 or 8k"),
    "size-or-auto": ("an integer or auto", "8192 or 8k, or auto"),
}
_MOST_DIGITS = 400  # no float has more


def facts_of(error: BadValue) -> dict[str, Fact]:
    """Return the facts of the finding."""
    text, given = error.text, error.given
    return dict(given) if text is None else _FACTS[error.code](text, **given)


def _about_integer(text: str, kind: str) -> dict[str, Fact]:
    text = text.strip()
    if len(text) > _MOST_DIGITS and text[:_MOST_DIGITS].isdecimal():
        return {"most": _MOST_DIGITS}
    expected, example = _INTEGERS[kind]
    is_decimal = kind != "int" and "." in text and text[-1:] in "KMGT"
    suffixes = {"suffixes": "k, m, g and t"} if is_decimal else {}
    return {"expected": expected, "example": example, **suffixes}


_FACTS: Mapping[str, Callable[..., dict[str, Fact]]] = {
    "bad-bool": lambda text: {},
    "bad-choice": lambda text, choices: {"choices": tuple(map(str, choices))},
    "bad-float": lambda text: {"expected": "a number", "example": "0.9"},
    "bad-integer": _about_integer,
    "bad-json": lambda text, reason: {
        "reason": reason,
        "missing": "}" if text.count("{") > text.count("}") else "",
    },
}
