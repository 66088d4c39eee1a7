"""What a token names, as argparse's `_parse_optional` reads it, and what is wrong with it."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.secrets import secrets_of
from translator.text.similar import nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.tables.catalog import Catalog, Spellings
    from translator.tables.entries import Flag

    # The flag (None: unknown, or help), its spelling, the value in the token, and whether the
    # spelling switches the flag off.
    Option = tuple[Flag | None, str, str | None, bool]


_MOST_NAMES = 12  # `--` and one letter can match hundreds
_OFF = ("--no-", "--disable-")


HELP = ("-h", "--help")


class Rewritten(str):
    """A token that vLLM or this program puts in place of others.

    Attributes:
        written: what the user wrote, which messages quote.
    """

    __slots__ = ("written",)
    written: str

    def __new__(cls, text: str, origin: str) -> Rewritten:
        made = str.__new__(cls, text)
        made.written = origin.written if type(origin) is Rewritten else origin
        return made


def written(token: str) -> str:
    """Return a token as the user wrote it."""
    return token.written if type(token) is Rewritten else token


class Refused(Exception):
    """The real parser refuses the command line for this reason."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found)
        self.finding = found


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
        return found[0], text, None, found[1]
    if len(text) == 1:
        return None
    key, sign, value = text.partition("=")
    if sign and key in spellings:
        flag, negated = spellings[key]
        return flag, key, value, negated
    begin = key if text.startswith("--") else text[:2]
    known = catalog.begins_a_spelling(begin) or begin == "-h" or "--help".startswith(begin)
    matches = _abbreviated(text, spellings) if known else []
    if len(matches) > 1:
        raise Refused(ambiguous(text, [item[1] for item in matches], catalog.version))
    if matches:
        return matches[0]
    if _is_negative_number(text) or " " in text:
        return None
    return None, text, None, False


def _abbreviated(text: str, spellings: Spellings) -> list[Option]:
    found: list[Option] = []
    if text.startswith("--"):
        prefix, sign, value = text.partition("=")
        explicit = value if sign else None
        for name in spellings:
            if name.startswith(prefix):
                flag, negated = spellings[name]
                found.append((flag, name, explicit, negated))
        if "--help".startswith(prefix):
            found.append((None, "--help", explicit, False))
        return found
    short, rest = text[:2], text[2:]
    for name in spellings:
        if name == short or name.startswith(text):
            flag, negated = spellings[name]
            found.append((flag, name, rest if name == short else None, negated))
    if short == "-h":
        found.append((None, "-h", rest, False))
    return found


def prints_help(token: str) -> Finding:
    """Return the finding about an option at which the real parser prints its help."""
    given = written(token)
    return finding("unexpected-value", given, case="help", given=given)


def ambiguous(token: str, spellings: Sequence[str], version: str) -> Finding:
    """Return the finding about an abbreviation of several flags."""
    given = written(token)
    names = (*spellings[:_MOST_NAMES], *["…"] * (len(spellings) > _MOST_NAMES))
    return finding(
        "ambiguous-flag",
        given,
        given=given,
        version=version,
        names=names,
        write=spellings[0],
    )


def empties_a_list(token: str, flag: Flag) -> Finding:
    """Return the finding about `--flag=--`: Python 3.11 drops the value and passes an empty list to
    vLLM.
    """
    given = written(token)
    return finding("missing-value", given, case="dashes", given=given, flag=flag.flag)


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
    version = catalog.version
    shown = written(token)
    option, *value = token.replace("_", "-").split() or [""]
    if option in catalog.spellings() and token[:1] == " ":
        facts = {"flag": option, "version": version}
        return finding("stray-token", shown, case="blank", **facts)
    if not token.startswith("-"):
        word = token.lower()
        case = "switch" if word in ("true", "1") else "off" if word in ("false", "0") else ""
        return finding("stray-token", shown, case=case, given=shown, version=version)
    # Of `--api-key S` in one piece, the option is compared.
    if value and option in catalog.spellings():
        facts = {"flag": option, "version": version}
        return finding("unknown-flag", shown, case="one-string", **facts)
    near = _near(name_of(option), catalog) if hints else ""
    name = shown.partition("=")[0]
    if name_of(token) in catalog.spellings():
        return finding(
            "unknown-flag", name, case="dotted", flag=name_of(token), given=name, version=version
        )
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
