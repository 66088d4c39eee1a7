"""Where each name has its page, links to these pages in texts, and links to vLLM's own sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from markupsafe import Markup, escape

from translator.tables.versions import Version

FLAGS, VARIABLES, FINDINGS = "flags", "variables", "findings"
DIALECTS, CHANGES = "dialects", "changes"

_ODD = re.compile(r"[^A-Za-z0-9_.@-]")
# Of a text: an address, a quotation, or a word that may be a name.
_PARTS = re.compile(
    r"(?P<address>https?://[^\s<>\"'`]*[^\s<>\"'`.,;:)])|`(?P<code>[^`]+)`"
    r"|(?P<name>--[a-z][a-z0-9_.-]*[a-z0-9](?:=[^\s,;:)]+)?|\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b)"
)
_TREE = "https://github.com/vllm-project/vllm/blob/v{}/vllm/{}"
# The first release with each place of the server's own flags; looked up in the sources of each.
_SERVER = (
    ("0.5.2", "entrypoints/openai/cli_args.py"),
    ("0.29.0", "entrypoints/launchers/cli_args.py"),
    ("0.33.0", "entrypoints/common/cli_args.py"),
)


def place(folder: str, name: str) -> str:
    """Return the path of the page of a name within the site."""
    return f"{folder}/{_plain(name.lstrip('-'))}.html"


def anchor(path: Iterable[str]) -> str:
    """Return the anchor of a key on the page of its flag."""
    return _plain("key-" + ".".join(path))


def _plain(text: str) -> str:
    return _ODD.sub(lambda found: f"~{ord(found[0]):x}", text)


def linked(text: str, places: Mapping[str, str], root: str) -> Markup:
    """Return a text of ours as HTML: names are links to their pages, `quotations` are code.

    Args:
        text: as messages and tables have it.
        places: name → path of its page.
        root: the way from the page to the top of the site: "../".
    """
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


def source(version: str, *, server: bool = False, variable: bool = False) -> str:
    """Return the address of the file that defines a name of vLLM's.

    Args:
        version: the release.
        server: whether it is a flag of the server, and not of the engine.
        variable: whether it is a variable.
    """
    file = "envs.py" if variable else "engine/arg_utils.py"
    if server:
        here = Version(version)
        file = [path for first, path in _SERVER if Version(first) <= here][-1]
    return _TREE.format(version, file)
