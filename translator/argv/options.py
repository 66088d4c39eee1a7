"""What a token names, as argparse's `_parse_optional` reads it, and what is wrong with it."""

from __future__ import annotations

from translator.argv.rewriting import written
from translator.findings import Finding, finding
from translator.secrets import secrets_of
from translator.text.names import nearest
from translator.values.tokens import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.tables.catalog import Catalog, Flag

    # The flag (None: unknown, or help), its spelling, the value in the token, and whether the
    # spelling switches the flag off.
    Option = tuple[Flag | None, str, str | None, bool]


_MOST_NAMES = 12  # `--` and one letter can match hundreds
_OFF = ("--no-", "--disable-")
HELP = ("-h", "--help")


def options_of(text: str, catalog: Catalog) -> list[Option]:
    """Parse a token as argparse's `_parse_optional` does.

    Returns:
        Nothing for a value; several options for an ambiguous abbreviation.
    """
    if text[:1] != "-" or len(text) == 1:
        return []
    spellings = catalog.spellings()
    key, sign, value = text.partition("=")
    explicit = value if sign else None
    if text in spellings:
        return [(spellings[text][0], text, None, spellings[text][1])]
    if sign and key in spellings:
        return [(spellings[key][0], key, value, spellings[key][1])]
    if key in HELP:
        return [(None, key, explicit, False)]
    found: list[Option] = []
    short, rest = text[:2], text[2:]
    is_long = short == "--"
    if catalog.begins_a_spelling(key if is_long else short):
        for name in spellings:
            if name.startswith(key) if is_long else name == short or name.startswith(text):
                flag, negated = spellings[name]
                behind = explicit if is_long else rest if name == short else None
                found.append((flag, name, behind, negated))
    if is_long and "--help".startswith(key):
        found.append((None, "--help", explicit, False))
    elif short == "-h":
        found.append((None, "-h", rest, False))
    if found:
        return found
    return [] if _is_negative_number(text) or " " in text else [(None, text, None, False)]


def _is_negative_number(text: str) -> bool:
    """Match argparse's `^-\\d+$|^-\\d*\\.\\d+$`."""
    whole, point, fraction = text[1:].partition(".")
    if not point:
        return whole.isdecimal()
    return (whole == "" or whole.isdecimal()) and fraction.isdecimal()


def ambiguous(token: str, options: Sequence[Option], version: str) -> Finding:
    """Return the finding about an abbreviation of several flags."""
    given, names = written(token), [option[1] for option in options]
    shown = (*names[:_MOST_NAMES], *["…"] * (len(names) > _MOST_NAMES))
    return finding(
        "ambiguous-flag", given, given=given, version=version, names=shown, write=names[0]
    )


def without_value(token: str, behind: str, flag: Flag, catalog: Catalog) -> Finding:
    """Return the finding about a flag that needs a value and is followed by none.

    Args:
        token: the flag as given.
        behind: the token behind it, or "".
        flag: the version's flag.
        catalog: the version's catalog.
    """
    given, behind = written(token), written(behind)
    is_secret = flag.flag in secrets_of(catalog.tables).carriers
    is_flag = behind.startswith("--") or catalog.begins_a_spelling(behind)
    joined = behind.startswith("-") and not is_flag and "=" not in token and not is_secret
    write = f"{given}={behind}" if joined else ""
    return finding("missing-value", given, given=given, version=catalog.version, write=write)


def unexpected_value(flag: Flag, token: str, text: str, version: str) -> Finding:
    """Return the finding about a switch with a value."""
    word = text.strip().lower()
    is_off = word in FALSE_WORDS
    given = written(token)
    return finding(
        "unexpected-value",
        given,
        given=given,
        flag=flag.flag,
        version=version,
        write=flag.flag if word in TRUE_WORDS else flag.off or "" if is_off else "",
        remove=flag.flag if is_off else "",
    )


def unrecognised(token: str, catalog: Catalog, hints: bool = True) -> Finding:
    """Return the finding about a token that belongs to no flag.

    Args:
        token: the token.
        catalog: the version's catalog.
        hints: whether to suggest the intended flag.
    """
    version, spellings, shown = catalog.version, catalog.spellings(), written(token)
    option, *value = token.replace("_", "-").split() or [""]
    if option in spellings and token[:1] == " ":
        return finding("stray-token", shown, case="blank", flag=option, version=version)
    if not token.startswith("-"):
        word = token.lower()
        case = "switch" if word in ("true", "1") else "off" if word in ("false", "0") else ""
        return finding("stray-token", shown, case=case, given=shown, version=version)
    # Of `--api-key S` in one piece, the option is compared.
    if value and option in spellings:
        return finding("unknown-flag", shown, case="one-string", flag=option, version=version)
    name, flag = shown.partition("=")[0], name_of(token)
    if flag in spellings:
        facts = {"flag": flag, "given": name, "version": version}
        return finding("unknown-flag", name, case="dotted", **facts)
    near = _near(name_of(option), catalog) if hints else ""
    return finding("unknown-flag", shown, given=name, near=near, version=version)


def name_of(option: str) -> str:
    """Return the name of the flag that an option is of, without keys and value."""
    return option.partition("=")[0].partition(".")[0].replace("_", "-")


def _near(name: str, catalog: Catalog) -> str:
    """Return the spelling that a name is most likely a misspelling of; "" if there is none. One
    that switches off is no misspelling of one that switches on.
    """
    spellings = catalog.spellings()
    for near in nearest(name, spellings.names, 1):
        flag, _ = spellings[near]
        return near if near.startswith(_OFF) == name.startswith(_OFF) else flag.off or ""
    return ""
