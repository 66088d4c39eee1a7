"""Which argument of a command line a finding names."""

from __future__ import annotations

from translator.argv.holes import named_flag
from translator.secrets.masking import place as place_of_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from translator.findings import Finding
    from translator.tables.catalog import Catalog

_ARGUMENT = place_of_argument(0)[:-1]


def named_argument(item: Finding, tokens: Sequence[str], catalog: Catalog) -> int | None:
    """Return the index of the argument that a finding names; None if it names none that is here.

    Args:
        item: the finding.
        tokens: the command line.
        catalog: of the version that it is checked for.
    """
    number = item.subject.removeprefix(_ARGUMENT)
    if number != item.subject and number.isdecimal():
        return int(number) - 1 if int(number) <= len(tokens) else None
    facts = item.facts
    given = str(facts.get("given", ""))
    for text in (given, item.subject):
        found = [at for at, token in enumerate(tokens) if token == text]
        if found and ("=" in text if text.startswith("-") else text == item.subject):
            return found[-1]
    for text in (given, item.subject):
        if not text.startswith("-"):
            continue
        name = _name(text)
        found = list(_uses(name, tokens, catalog))
        values = {str(fact) for fact in facts.values()}
        # Of several uses, the one with the value that the finding quotes; the last one counts.
        quoted = [at for at in found if values.intersection(_values(tokens, at))]
        if found:
            return (quoted or found)[-1]
    return None


def _uses(name: str, tokens: Sequence[str], catalog: Catalog) -> Iterator[int]:
    """Yield the indexes of an option, by any of its spellings, or with a key behind a dot."""
    flag = named_flag(name, catalog)[0]
    for at, token in enumerate(tokens):
        if not token.startswith("-") or len(token) < 2:
            continue
        own = _name(token)
        other = named_flag(own, catalog)[0] or named_flag(own.partition(".")[0], catalog)[0]
        if own == name or (flag is not None and other is flag):
            yield at


def _name(option: str) -> str:
    return option.partition("=")[0].partition(" ")[0].replace("_", "-")


def _values(tokens: Sequence[str], at: int) -> tuple[str, ...]:
    """Return how a finding may quote the value of an option."""
    _, sign, value = tokens[at].partition("=")
    if sign:
        return value, tokens[at]
    behind = tokens[at + 1 : at + 2]
    return (behind[0], f"{tokens[at]} {behind[0]}") if behind else ()
