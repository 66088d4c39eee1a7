"""Classify tokens as options, values or `--`, as argparse's first pass does."""

from __future__ import annotations

from translator.argv.parsed import Refused
from translator.findings import Finding, finding, show
from translator.secrets.masking import shown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.argv.parsed import ParseState
    from translator.tables.catalog import Catalog


HELP = ("-h", "--help")
# Marks an option at which the real parser stops.
REFUSED = object()

_MOST_NAMES = 12  # `--` and one letter can match hundreds


def classify(tokens: list[str], state: ParseState) -> tuple[list[str], dict[int, Any]]:
    """Return the kind of each token (A, O or -), and the result of `option_of` by position.

    Raises:
        Refused: an ambiguous abbreviation or a help option, and the parse stops there.
    """
    options: dict[int, Any] = {}
    kinds: list[str] = []
    catalog = state.catalog
    spellings = catalog.spellings()
    for at, text in enumerate(tokens):
        if not text.startswith("-"):
            kinds.append("A")
            continue
        if text in spellings:  # shortcut for most options, with the same result
            flag, negated = spellings[text]
            options[at] = flag, text, None, negated
            kinds.append("O")
            continue
        if text == "--":
            kinds += ["-", *("A" for _ in tokens[at + 1 :])]
            break
        found: Any = None
        try:
            if text in HELP or text.startswith("--help="):
                state.stop(prints_help(text))
                found = REFUSED
            else:
                found = option_of(text, catalog)
        except Refused as refused:
            state.stop(refused.finding)
            found = REFUSED
        if found is not None:
            options[at] = found
        kinds.append("A" if found is None else "O")
    return kinds, options


def _is_negative_number(text: str) -> bool:
    """Match argparse's `^-\\d+$|^-\\d*\\.\\d+$`."""
    whole, point, fraction = text[1:].partition(".")
    if not point:
        return whole.isdecimal()
    return (whole == "" or whole.isdecimal()) and fraction.isdecimal()


def option_of(text: str, catalog: Catalog) -> Any:
    """Parse a token as argparse's `_parse_optional` does.

    Returns:
        None for a value; otherwise the flag (None: unknown), its spelling, the value after `=`, and
        whether it is negated.

    Raises:
        Refused: the token abbreviates several flags.
    """
    if not text.startswith("-"):
        return None
    spellings = catalog.spellings()
    found = spellings.get(text)
    if found is not None:
        return found[0], str(text), None, found[1]
    if len(text) == 1:
        return None
    key, sign, value = text.partition("=")
    if sign and key in spellings:
        flag, negated = spellings[key]
        return flag, key, value, negated
    begin = key if text.startswith("--") else text[:2]
    known = catalog.begins_a_spelling(begin) or begin == "-h" or "--help".startswith(begin)
    matches = _abbreviated(str(text), spellings) if known else []
    if len(matches) > 1:
        names = [item[1] for item in matches[:_MOST_NAMES]]
        raise Refused(
            finding(
                "ambiguous-flag",
                shown_text(text),
                given=show(shown_text(text)),
                version=catalog.version,
                names=(*names, *["…"] * (len(matches) > _MOST_NAMES)),
                write=names[0],
            )
        )
    if matches:
        return matches[0]
    if _is_negative_number(text) or " " in text:
        return None
    return None, str(text), None, False


def _abbreviated(text: str, spellings: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    if text.startswith("--"):
        prefix, sign, value = text.partition("=")
        explicit = value if sign else None
        for name, (flag, negated) in spellings.items():
            if name.startswith(prefix):
                found.append((flag, name, explicit, negated))
        if "--help".startswith(prefix):
            found.append((None, "--help", explicit, False))
        return found
    short, rest = text[:2], text[2:]
    for name, (flag, negated) in spellings.items():
        if name == short:
            found.append((flag, name, rest, negated))
        elif name.startswith(text):
            found.append((flag, name, None, negated))
    if short == "-h":
        found.append((None, "-h", rest, False))
    return found


def prints_help(token: str) -> Finding:
    given = shown_text(token)
    return finding("unexpected-value", given, case="help", given=show(given))
