"""Mistakes of typing a command line, that show in several of its tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from translator.advice.values import near_json
from translator.core.argv.rewriting import index_of
from translator.core.findings import Finding, finding
from translator.core.text.words import words
from translator.core.values import assignment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Catalog

_MOST_PARTS = 50  # of JSON that a shell has split
# An option that stands in a value, without a space in front: `10.1.2.3--port`.
_GLUED = re.compile(r"\w(--[a-z][\w-]*)$")


def as_typed(
    findings: Sequence[Finding], tokens: Sequence[str], catalog: Catalog, inside: str = ""
) -> list[Finding]:
    """Return the findings about a line, or those `inside` of a variable for further arguments, with
    one for JSON that a shell has split at its spaces, and with the option that stands in the value
    in front of what belongs to no flag, or that switches off the one in front.
    """
    found, until = [], -1
    places = {index_of(token, at): at for at, token in enumerate(tokens)}
    for item in findings:
        is_here = item.origin is not None and item.origin.inside == inside
        at = places.get(item.origin.at, -1) if item.origin is not None and is_here else -1
        before = tokens[at - 1] if at > 0 else ""
        if 0 <= at <= until and item.has_trait("unrecognized"):
            continue
        if item.code == "bad-json" and at >= 0:
            if split := _split_json(tokens, at):
                name, meant, until = split
                facts = {"flag": name, "instead": assignment(name, meant), "inside": inside}
                item = finding("bad-json", item.subject, case="split", **facts).of(item.origin)
        elif item.code == "stray-token" and (glued := _GLUED.search(before)):
            facts = {"given": item.subject, "version": catalog.version, "inside": inside}
            facts |= {"flag": glued[1], "before": before}
            item = finding("stray-token", item.subject, case="glued", **facts).of(item.origin)
        elif item.case == "off" and (flag := catalog.flag(before)) is not None:
            item = item.with_facts(off=flag.off or "")
        found.append(item)
    return found


def _split_json(tokens: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """Return the option at an index, its JSON of which the next tokens are parts, and the index of
    the last one; None if they are none.
    """
    name, sign, first = tokens[at].partition("=")
    parts = ([first] if sign else []) + list(tokens[at + 1 : at + _MOST_PARTS])
    for end in range(2, len(parts) + 1 if parts and parts[0][:1] == "{" else 2):
        text = " ".join(parts[:end])
        if text.count("{") == text.count("}") and (meant := near_json(text)):
            return name, meant, at + end - bool(sign)
    return None


def as_typed_in(
    env: Mapping[str, str], findings: Sequence[Finding], scope: Scope
) -> Sequence[Finding]:
    """Return the findings about variables, with those about further arguments as they are typed."""
    name = scope.extra_args
    inside = {item.origin.inside for item in findings if item.origin is not None}
    if name not in env or name not in inside:
        return findings
    return as_typed(findings, words(env[name]), scope.catalog, inside=name)
