"""Mistakes of typing a command line, that show in several of its tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from translator.advice.values import near_json
from translator.core.argv.rewriting import index_of
from translator.core.findings import Finding, finding
from translator.core.values import assignment

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_PARTS = 50  # of JSON that a shell has split
# An option that stands in a value, without a space in front: `10.1.2.3--port`.
_GLUED = re.compile(r"\w(--[a-z][\w-]*)$")


def as_typed(findings: Sequence[Finding], tokens: Sequence[str], version: str) -> list[Finding]:
    """Return the findings about a line, with one for JSON that a shell has split at its spaces, and
    with the option that stands in the value in front of what belongs to no flag.
    """
    found, until = [], -1
    places = {index_of(token, at): at for at, token in enumerate(tokens)}
    for item in findings:
        at = places.get(item.origin.at, -1) if item.origin is not None else -1
        before = tokens[at - 1] if at > 0 else ""
        if 0 <= at <= until and item.has_trait("unrecognized"):
            continue
        if item.code == "bad-json" and at >= 0:
            name, sign, first = tokens[at].partition("=")
            begin = at if sign else at + 1
            parts = ([first] if sign else []) + list(tokens[at + 1 : at + _MOST_PARTS])
            for end in range(2, len(parts) + 1 if parts and parts[0][:1] == "{" else 2):
                text = " ".join(parts[:end])
                is_whole = text.count("{") == text.count("}")
                if meant := near_json(text) if is_whole else "":
                    until = begin + end - 1
                    facts = {"flag": name, "instead": assignment(name, meant)}
                    about = finding("bad-json", item.subject, case="split", **facts)
                    item = about.of(item.origin)
                    break
        elif item.code == "stray-token" and (glued := _GLUED.search(before)):
            facts = {"given": str(item.facts.get("given", item.subject)), "version": version}
            facts |= {"flag": glued[1], "before": before}
            item = finding("stray-token", item.subject, case="glued", **facts).of(item.origin)
        found.append(item)
    return found
