"""Classify tokens as options, values or `--`, as argparse's first pass does."""

from __future__ import annotations

from translator.argv.mistakes import ambiguous, prints_help
from translator.argv.parsed import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from translator.argv.parsed import LineParse
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag

    # The flag (None: unknown, or help), its spelling, the value in the token, and whether the
    # spelling switches the flag off.
    Option = tuple[Flag | None, str, str | None, bool]


HELP = ("-h", "--help")
# An option at which the real parser stops.
REFUSED: Option = (None, "", None, False)


def classify(tokens: list[str], line: LineParse) -> tuple[list[str], dict[int, Option]]:
    """Return the kind of each token (A, O or -), and the result of `option_of` by position.

    Raises:
        Refused: an ambiguous abbreviation or a help option, and the parse stops there.
    """
    options: dict[int, Option] = {}
    kinds: list[str] = []
    catalog = line.catalog
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
        try:
            if text in HELP or text.startswith("--help="):
                raise Refused(prints_help(text))
            found = option_of(text, catalog)
        except Refused as refused:
            line.stop(refused.finding)
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


def option_of(text: str, catalog: Catalog) -> Option | None:
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
        raise Refused(ambiguous(text, [item[1] for item in matches], catalog.version))
    if matches:
        return matches[0]
    if _is_negative_number(text) or " " in text:
        return None
    return None, str(text), None, False


def _abbreviated(text: str, spellings: Mapping[str, tuple[Flag, bool]]) -> list[Option]:
    found: list[Option] = []
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
