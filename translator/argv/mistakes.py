"""Findings about tokens that the real parser refuses."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.secrets.masking import shown_text
from translator.secrets.secrets import secrets_of
from translator.text.similar import nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag


_MOST_NAMES = 12  # `--` and one letter can match hundreds
_OFF = ("--no-", "--disable-")


def prints_help(token: str) -> Finding:
    """Return the finding about an option at which the real parser prints its help."""
    given = shown_text(token)
    return finding("unexpected-value", given, case="help", given=given)


def ambiguous(token: str, spellings: Sequence[str], version: str) -> Finding:
    """Return the finding about an abbreviation of several flags."""
    given = shown_text(token)
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
    given = shown_text(token)
    return finding("missing-value", given, case="dashes", given=given, flag=flag.flag)


def without_value(token: str, behind: str, flag: Flag, catalog: Catalog) -> Finding:
    """Return the finding about a flag that needs a value and is followed by none.

    Args:
        token: the flag as given.
        behind: the token behind it, or "".
        flag: the version's flag.
        catalog: the version's catalog.
    """
    given, behind = shown_text(token), shown_text(behind)
    is_secret = flag.flag in secrets_of(catalog.tables).carriers
    is_flag = behind.startswith("--") or catalog.begins_a_spelling(behind)
    joined = behind.startswith("-") and not is_flag and "=" not in token and not is_secret
    write = f"{given}={behind}" if joined else ""
    return finding("missing-value", given, given=given, version=catalog.version, write=write)


def unexpected_value(flag: Flag, token: str, text: str, version: str) -> Finding:
    """Return the finding about a switch with a value."""
    word = text.strip().lower()
    is_off = word in FALSE_WORDS
    given = shown_text(token)
    return finding(
        "unexpected-value",
        given,
        given=given,
        flag=flag.flag,
        version=version,
        write=flag.flag if word in TRUE_WORDS else flag.off or "" if is_off else "",
        remove=flag.flag if is_off else "",
    )


def unrecognised(token: str, catalog: Catalog, hints: bool = True, *, number: int = 0) -> Finding:
    """Return the finding about a token that belongs to no flag.

    Args:
        token: the token. Only the name of an option is shown, and only if it is harmless.
        catalog: the version's catalog.
        hints: whether to suggest the intended flag.
        number: the place of the argument; 0 for one from a file.
    """
    version = catalog.version
    shown = shown_text(token)
    written, *value = token.replace("_", "-").split() or [""]
    if written in catalog.spellings() and token[:1] == " ":
        facts = {"flag": written, "version": version}
        return finding("stray-token", shown, case="blank", **facts)
    if not token.startswith("-"):
        word = token.lower()
        case = "switch" if word in ("true", "1") else "off" if word in ("false", "0") else ""
        return finding("stray-token", shown, case=case, given=shown, version=version)
    # Of `--api-key S` in one piece, the option is compared.
    if value and written in catalog.spellings():
        facts = {"flag": written, "version": version}
        return finding("unknown-flag", shown, case="one-string", **facts)
    near = _near(_name(written), catalog) if hints else ""
    name = shown.partition("=")[0]
    if _name(token) in catalog.spellings():
        return finding(
            "unknown-flag", name, case="dotted", flag=_name(token), given=name, version=version
        )
    return finding("unknown-flag", shown, given=name, near=near, version=version)


def _name(option: str) -> str:
    return option.partition("=")[0].partition(".")[0].replace("_", "-")


def _near(name: str, catalog: Catalog) -> str:
    """Return the spelling that a name is most likely a misspelling of; "" if there is none. One
    that switches off is no misspelling of one that switches on.
    """
    spellings = catalog.spellings()
    for near in nearest(name, spellings, 1):
        flag, _ = spellings[near]
        return near if near.startswith(_OFF) == name.startswith(_OFF) else flag.off or ""
    return ""
