"""What the version's parser, or its engine at the start, refuses or ignores of what is set: keys
and values of JSON flags, numbers out of bounds (the catalogs' `start`), and flags that its frontend
in Rust does not take.
"""

from __future__ import annotations

from translator.core.findings import REFUSED, Finding, finding
from translator.core.tables.catalog import PLUGINS
from translator.core.tables.shapes import REQUIRED_KEY, UNKNOWN_KEY, expectation, ignored, problems
from translator.core.text.json_text import dumps
from translator.core.text.words import nearest
from translator.core.values import assignment, holds_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Catalog, Flag, Variable
    from translator.core.tables.entries import Shape
    from translator.core.text.words import Origin

_MOST_KNOWN = 12  # keys that a remedy lists
_PAIRS = ("pairs", "pairs-or-json", "colons")


def about_json(flag: Flag, resolved: Resolved, catalog: Catalog) -> list[Finding]:
    """Return the findings about the value of a JSON flag, by the version's class; what the real
    parser refuses is an error.
    """
    name = flag.flag
    value, origin = resolved.values[name], resolved.origins[name][0]
    if not flag.shaped and not flag.start:
        if flag.syntax not in _PAIRS or holds_pairs(flag, value):
            return []
        colons = flag.syntax == "colons"
        pairs = "KEY:VALUE" if colons else "KEY=NUMBER"
        example = "a:1,b:2" if colons else "image=1,video=0"
        facts = {"given": origin.name, "flag": name, "version": catalog.version}
        return [finding("bad-json", str(origin), pairs=pairs, example=example, **facts).of(origin)]
    shape = catalog.shape(name)
    if shape is None or value is None:
        return []
    findings = [
        about_key(flag, mismatch, resolved.origin_of(name, mismatch[0]), catalog)
        for mismatch in problems(value, shape)
    ]
    for path in ignored(value, shape):
        about: dict[str, Fact] = {"key": path, "known": _known_keys(shape, path), "flag": name}
        about |= {"version": catalog.version, **catalog.when(f"{name}.{path}")}
        origin = resolved.origin_of(name, path)
        findings.append(finding("ignored-key", origin.name, case="", **about).of(origin))
    return findings


def about_key(
    flag: Flag, mismatch: tuple[str, Any, str], origin: Origin, catalog: Catalog
) -> Finding:
    """Return the finding about a key that the version's parser or engine refuses.

    Args:
        flag, catalog: the version's.
        mismatch: the dotted path, the value there, and what is expected (see `shapes.problems`).
        origin: what set it.
    """
    path, item, expected = mismatch
    shape: Shape = catalog.shape(flag.flag) or {}
    code = "bad-key"
    facts: dict[str, Fact] = {"flag": flag.flag, "version": catalog.version}
    if expected == UNKNOWN_KEY:
        facts |= {"key": path, "known": _known_keys(shape, path)}
        facts |= catalog.when(f"{flag.flag}.{path}")
    elif expected == REQUIRED_KEY:
        facts["lacks"] = path
    else:
        code, text = "bad-key-value", dumps(item)
        given = f"{flag.flag}.{path}={text}" if path else assignment(origin.option, text)
        facts |= {"given": given, "expected": expected}
    code = code if flag.shaped else REFUSED  # only the engine parses it into a class
    return finding(code, origin.name, case="", **facts).of(origin)


def _known_keys(shape: Shape, path: str) -> tuple[str, ...]:
    """Return the keys beside the one at a path, the nearest first."""
    *outer, name = path.split(".")
    for part in outer:
        shape = shape.get("keys", {}).get(part, {})
    known = sorted(shape.get("keys", {}))
    known = [*(near := nearest(name, known, 2)), *(key for key in known if key not in near)]
    return (*known[:_MOST_KNOWN], *["…"] * (len(known) > _MOST_KNOWN))


# --- what the engine refuses at its start


def about_frontend(
    variable: Variable, text: str, resolved: Resolved, catalog: Catalog
) -> list[Finding]:
    """Return the findings about flags that a frontend refuses or ignores, which is told what
    differs from vLLM's defaults.

    Args:
        variable, text: the one of vLLM's own that starts it, and its value.
    """
    values = resolved.values
    is_other = any(values.get(flag) or resolved.has_hole(flag) for flag in variable.unless)
    if is_other or text.strip().lstrip("+-").strip("0_") == "":  # an integer, as vLLM reads it
        return []
    findings = []
    for flag in values:
        known, first = catalog.flag(flag), resolved.origins[flag][0]
        if known is None or resolved.has_hole(flag) or values[flag] in (None, known.default):
            continue
        facts = {"given": first.name, "version": catalog.version, "frontend": variable.name}
        if flag in variable.flags_refused:
            findings.append(finding(REFUSED, first.name, case="frontend", **facts).of(first))
        elif flag in variable.flags_ignored:
            findings.append(finding("no-effect", first.name, **facts).of(first))
    return findings


def out_of_bounds(name: str, resolved: Resolved, scope: Scope) -> list[Finding]:
    """Return the finding about a number, or a name, that only the engine refuses."""
    values, origin = resolved.values, resolved.origins[name][0]
    value, bounds = values[name], scope.catalog.bounded[name]
    shape = bounds.shape
    if not any(problems(value, shape)) or ("beside" in shape and not values.get(shape["beside"])):
        return []
    is_free = any(other in values or other in resolved.env for other in shape.get("unless", ()))
    plugins = scope.tables.records(PLUGINS).values()
    if is_free or any(value in plugin.get("names", ()) for plugin in plugins):
        return []
    shown = int(value) if isinstance(value, float) and value.is_integer() else value
    instead = next(iter(nearest(str(value), bounds.names, 1)), "")
    given = origin.shown(assignment(origin.option, str(shown)))
    facts: dict[str, Fact] = {"given": given, "flag": name, "version": scope.catalog.version}
    if bounds.names:
        facts |= scope.catalog.when(name, str(value))
        instead = "" if "added" in facts else instead  # it was meant as it is
    # A long list of names only hides the one that was most likely meant.
    expected = "" if bounds.names and (instead or "added" in facts) else expectation(shape)
    facts |= {"expected": expected, "write": assignment(origin.option, instead) if instead else ""}
    model = scope.model  # its own configuration may say otherwise
    is_open = model is None or bool(model.problem) or "quantization_config" in model.content
    case = "model" if shape.get("overridden") and is_open else "bounds"
    return [finding(REFUSED, origin.name, case=case, **facts).of(origin)]
