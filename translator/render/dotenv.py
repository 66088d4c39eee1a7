r"""Variables as a .env file that python-dotenv reads back exactly.

Its rules (python-dotenv 1.0 and later): 'single quotes' know \' and \\, "double quotes" know \n and the like, too, and everywhere `${NAME}` is replaced,
for which there is no escape. `${:-$}` is one: the variable without a name is never set, and its default is a dollar sign.
"""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.render.shell import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"}
_DOLLAR, _NOTHING = "${:-$}", "${:-}"


def value(text: str) -> str:
    """One value, quoted as far as it needs to be."""
    if text and _PLAIN.issuperset(text):
        return text
    held = text.replace("${", _DOLLAR + "{")
    if any(char in held for char in _ESCAPES if char not in '\\"'):
        quoted = "".join(_ESCAPES.get(char, char) for char in held)
        mark = '"'
    else:
        quoted = held.replace("\\", "\\\\").replace("'", "\\'")
        mark = "'"
    if quoted.endswith("\\"):
        quoted += _NOTHING  # up to 1.2.1, python-dotenv takes the backslash before the closing quote for an escape
    return f"{mark}{quoted}{mark}"


def render(env: Mapping[str, str]) -> tuple[str, list[Finding]]:
    """The file, and errors for what it cannot hold."""
    findings = []
    for name, text in env.items():
        if not is_name(name):
            findings.append(finding("cannot-be-said", name, f"a .env file has no variable called {show(name)!r}", "use --format json or k8s"))
        elif not is_utf8(text):
            findings.append(finding("cannot-be-said", name, f"{name} holds bytes that are not UTF-8, which a .env file cannot", "use --format shell"))
    return "".join(f"{name}={value(text)}\n" for name, text in env.items()), findings


def is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
