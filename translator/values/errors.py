"""A string that is not a value of a flag, and the finding about it."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import MASK
from translator.text.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.findings import Fact
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag


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
