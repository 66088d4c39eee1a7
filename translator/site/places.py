"""Where each name has its page: paths within the site, and links to them in texts."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from markupsafe import Markup

FLAGS, VARIABLES, FINDINGS, DIALECTS, CHANGES = (
    "flags",
    "variables",
    "findings",
    "dialects",
    "changes",
)

_ODD = re.compile(r"[^A-Za-z0-9_.@-]")
# Of a text: an address, a quotation, or a word that may be a name.
_PARTS = re.compile(
    r"(?P<address>https?://[^\s<>\"'`]*[^\s<>\"'`.,;:)])|`(?P<code>[^`]+)`"
    r"|(?P<name>--[a-z][a-z0-9_.-]*[a-z0-9](?:=[^\s,;:)]+)?|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b)"
)


def place(folder: str, name: str) -> str:
    """Return the path of the page of a name within the site."""
    file = _ODD.sub(lambda found: f"~{ord(found[0]):x}", name.lstrip("-"))
    return f"{folder}/{file}.html"


def anchor(path: Iterable[str]) -> str:
    """Return the anchor of a key on the page of its flag."""
    return _ODD.sub(lambda found: f"~{ord(found[0]):x}", "key-" + ".".join(path))


def linked(text: str, places: Mapping[str, str], root: str) -> Markup:
    """Return a text of ours as HTML: names are links to their pages, `quotations` are code.

    Args:
        text: as messages and tables have it.
        places: name → path of its page.
        root: the way from the page to the top of the site: "../".
    """
    from markupsafe import Markup, escape  # of the extra `site`, as Jinja2

    done, at = Markup(""), 0
    for found in _PARTS.finditer(text):
        done += escape(text[at : found.start()])
        at = found.end()
        if found["address"]:
            done += Markup('<a href="{0}">{0}</a>').format(found["address"])
            continue
        word = found["code"] or found["name"]
        name = re.split("[ =]", word)[0]
        path = places.get(name) or places.get(name.partition(".")[0])
        code = Markup("<code>{}</code>").format(word)
        done += Markup('<a href="{}">{}</a>').format(root + path, code) if path else code
    return done + escape(text[at:])
