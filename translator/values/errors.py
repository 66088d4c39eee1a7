"""A text that is no value of a flag, and what is told of it."""

from __future__ import annotations

from translator.findings import Finding, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.secrets.secrets import Secrets
    from translator.tables.entries import Flag


def bad_value(
    name: str, shown: str, flag: Flag, error: BadValue, version: str, secrets: Secrets
) -> Finding:
    """The finding for a value that the flag does not take."""
    what = f"{name}={shown}" if not name.startswith("-") else f"{name} {shown}"
    about = "" if name.startswith(flag.flag) else f" for {flag.flag}"
    return finding(
        error.code,
        name,
        f"{what}: vLLM {version} expects {error.expected}{about}",
        secrets.clean(error.hint),
    )


TRUE_WORDS = frozenset(("true", "1", "yes", "on"))


FALSE_WORDS = frozenset(("false", "0", "no", "off"))


class BadValue(Exception):
    """A text is no value of the flag: `code` of the finding, what was `expected`, and a `hint`."""

    def __init__(self, code: str, expected: str, hint: str = "") -> None:
        super().__init__(expected)
        self.code, self.expected, self.hint = code, expected, hint
