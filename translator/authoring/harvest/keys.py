"""The keys of a JSON flag that vLLM parses into a dataclass: pydantic's own schema of it, corrected
by asking it.

vLLM validates these while it parses the command line, so a wrong key or value stops the server
before it starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from translator.authoring.harvest.declared import Shape, declared
from translator.authoring.harvest.probes import same, unique
from translator.tables.shapes import problems

Ask = Callable[[Any], str | None]
"""Offers one JSON value of the whole flag to the real parser; None when it is taken, else what was
said.
"""


# Offered to every key: each JSON kind, and the forms that pydantic's lax mode may or may not
# convert.
KEY_PROBES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    2,
    -1,
    16,
    1.0,
    1.5,
    "1",
    "1.5",
    "true",
    "abc",
    "",
    "none",
    [],
    ["abc"],
    [1],
    {},
    {"a": 1},
)


# What some lists take their elements with (custom operators: `+rms_norm`, `-rms_norm`).
_SIGNED = ("+abc", "-abc")


_STRINGS = [probe for probe in KEY_PROBES if isinstance(probe, str)]


# What a neighbouring key may be set to when a key is refused alone.
_COMPANIONS: dict[str, list[Any]] = {
    "bool": [True, False],
    "str": ["abc"],
    "int": [1, 16],
    "float": [0.5, 2.0],
    "list": [["abc"], [1]],
    "map": [{}],
    "json": ["abc", 1, {}],
}


def _nest(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _candidates(shape: Shape, said: str | None) -> list[str]:
    """Strings worth offering: the declared choices, enum names, and every quoted word in the
    refusal of a wrong one.
    """
    declared = [
        text
        for text in (*shape.get("choices", ()), *shape.get("names", ()))
        if isinstance(text, str)
    ]
    declared += [text for option in shape.get("of", ()) for text in _candidates(option, None)]
    mined = re.findall(r"['`]([A-Za-z0-9_.+-]{1,60})['`]", said or "")
    # Enum members are listed bare: "Valid options are: A, B, C".
    for listing in re.findall(r"\{ ([^{}]*) \}", said or ""):
        mined += re.split(r",\s*", listing)
    for listing in re.findall(
        r"(?:options are|choices are|kinds are|one of|must be one of|Supported[^:]*):?"
        r" ([A-Za-z0-9_, ]+)",
        said or "",
    ):
        mined += re.split(r",\s*", listing.strip())
    return list(dict.fromkeys(text for text in (*declared, *mined) if text))


def _settle_leaf(shape: Shape, ask: Callable[[Any], str | None]) -> list[Any]:
    """Correct one key's shape in place by what the real parser takes; return the values it should
    take but refuses.
    """
    names = shape.pop("names", ())
    candidates = _candidates({**shape, "names": names}, ask("abc"))
    of_items = [[item] for item in shape.get("items", {}).get("choices", ())[:2]]
    probes = unique([*KEY_PROBES, *candidates, *shape.get("choices", ()), *of_items])
    taken = {index for index, probe in enumerate(probes) if ask(probe) is None}
    custom = shape.pop("custom", False)

    def takes(value: Any) -> bool:
        return any(same(value, probes[index]) for index in taken)

    if len(taken) == len(probes) or all(takes(probe) for probe in probes if probe is not None):
        shape_nullable = takes(None)
        shape.clear()
        shape.update({"kind": "json"} if shape_nullable else {"kind": "json", "not": [None]})
        return []
    if takes(None) and not shape.get("nullable"):
        shape["nullable"] = True
    if (
        shape["kind"] == "json"
        and takes({})
        and not any(
            takes(probe) for probe in probes if probe is not None and not isinstance(probe, dict)
        )
    ):
        nullable = {"nullable": True} if takes(None) else {}
        shape.clear()
        shape.update(
            {
                "kind": "map",
                "values": {"kind": "json" if ask({"a": "abc"}) is None else "int"},
                **nullable,
            }
        )
        return []
    words = [text for text in candidates if takes(text)]
    if shape["kind"] == "str" and not takes("abc") and all(ask(text) is None for text in _SIGNED):
        shape["prefixes"] = [text[0] for text in _SIGNED]
        shape["also"] = words
        return []
    generic = [text for text in ("abc", "1.5") if takes(text)]
    if (
        words
        and not generic
        and (custom or (len(words) > 1 and shape["kind"] == "str"))
        and shape["kind"] in ("choice", "str", "json")
    ):
        numbers = [
            item for item in shape.get("choices", ()) if isinstance(item, int) and takes(item)
        ]
        others = [
            item
            for item in shape.get("choices", ())
            if not isinstance(item, (str, int)) and item is not None and takes(item)
        ]
        shape["kind"] = "choice"
        shape["choices"] = unique([*words, *numbers, *others])
    if (
        shape["kind"] == "choice"
        and words
        and all(ask(text.lower()) is None and ask(text.upper()) is None for text in words)
    ):
        dashed = [text.replace("_", "-") for text in words if "_" in text]
        shape["fold"] = (
            "case-dash" if dashed and all(ask(text) is None for text in dashed) else "case"
        )
    if shape["kind"] == "list" and all(takes(text) for text in _STRINGS if text):
        inner = dict(shape)
        nullable = inner.pop("nullable", False)
        shape.clear()
        shape.update({"kind": "union", "of": [inner, {"kind": "str"}]})
        if nullable:
            shape["nullable"] = True
    also, refused = [], []
    for probe in probes:
        fits = not any(problems(probe, shape))
        if takes(probe) and not fits:
            also.append(probe)
        elif fits and not takes(probe):
            refused.append(probe)
    if also:
        shape["also"] = also
    return refused


def _keys_of(values: Shape, ask: Callable[[Any], str | None]) -> list[str]:
    """The keys that an object of free keys takes: those that its refusal lists, or ["key"] when any
    will do (or none is known).
    """
    offers = [*values.get("choices", ())[:2], *values.get("names", ())[:2], "abc", 1, 0.5]
    if any(ask({"key": value}) is None for value in offers):
        return ["key"]
    listed = _candidates({"kind": "str"}, ask({"key": offers[0]}))
    return [key for key in listed if any(ask({key: value}) is None for value in offers)] or ["key"]


def _settle_inside(shape: Shape, ask: Callable[[Any], str | None]) -> None:
    """Correct what a list's elements and an object's values are, where one of them is taken at
    all.
    """
    scalars = ("str", "choice", "int", "float", "union")
    keys: list[str] = []
    if shape["kind"] == "list" and "length" not in shape and shape["items"]["kind"] in scalars:
        inner = shape["items"]
    elif shape["kind"] == "map" and shape["values"]["kind"] in scalars:
        inner = shape["values"]
        keys = _keys_of(inner, ask)
        if keys != ["key"]:
            shape["key_choices"] = keys
    else:
        return

    def wrap(value: Any) -> Any:
        return {keys[0]: value} if keys else [value]

    before = dict(inner)
    refused = _settle_leaf(inner, lambda value: ask(wrap(value)))
    taken = inner.get("choices") or inner.get("prefixes") or not refused
    if (
        not taken
    ):  # nothing that could be thought of is taken: the declaration is all there is to say
        inner.clear()
        inner.update(before)
        inner.pop("names", None)


def _companions(shape: Shape) -> list[Any]:
    if shape["kind"] == "choice":
        return [item for item in shape["choices"] if not isinstance(item, list)][:16]
    return _COMPANIONS.get(shape["kind"], [])


def _needs(
    key: str,
    value: Any,
    siblings: dict[str, Shape],
    contexts: list[dict[str, Any]],
    ask: Callable[[Any], str | None],
) -> dict[str, list[Any]] | None:
    """Which other key makes a value acceptable that is refused alone: {other key: the values of it
    that do}.
    """
    found: dict[str, list[Any]] = {}
    for other, shape in siblings.items():
        for company in _companions(shape) if other != key else ():
            if ask({key: value, other: company}) is None:
                found.setdefault(other, []).append(company)
    if found:
        return found
    for context in contexts:
        if key not in context and ask({**context, key: value}) is None:
            for name, company in context.items():
                found.setdefault(name, []).append(company)
    if any(
        siblings[name]["kind"] != "str" for name in found
    ):  # "any text" beside a choice is the choice's own need
        found = {name: values for name, values in found.items() if siblings[name]["kind"] != "str"}
    return {name: unique(values) for name, values in found.items()} or None


def _words_only(
    key: str, shape: Shape, rules: list[dict[str, Any]], refusals: list[tuple[str, Any]]
) -> None:
    """A text key that takes some words, in company, and nothing else: a choice (the connectors of
    0.6).
    """
    left = [value for name, value in refusals if name == key and isinstance(value, str)]
    words = [
        value
        for rule in rules
        if rule["key"] == key
        for value in rule.get("values", ())
        if isinstance(value, str)
    ]
    if shape["kind"] == "str" and words and all(text in left for text in _STRINGS if text):
        nullable = {"nullable": True} if shape.get("nullable") else {}
        shape.clear()
        shape.update({"kind": "choice", "choices": unique(words), **nullable})
        refusals[:] = [item for item in refusals if item[0] != key]


def _settle_extra(shape: Shape, taken: bool) -> None:
    """Whether unknown keys are taken, whatever the class declares (some are built with `**value`,
    which refuses them).
    """
    if taken:
        shape.setdefault("extra", "allow")
    else:
        shape.pop("extra", None)


def _settle(node: Shape, path: tuple[str, ...], ask: Ask) -> None:
    """Correct the shape of an object and everything below it; keys that only work together become
    its `rules`.
    """
    siblings: dict[str, Shape] = node.get("keys", {})
    refusals: list[tuple[str, Any]] = []
    for key, inner in siblings.items():
        here = (*path, key)

        def ask_here(value: Any, here: tuple[str, ...] = here) -> str | None:
            return ask(_nest(here, value))

        if inner["kind"] == "object":
            inner.pop("custom", None)
            texts = [text for text in _candidates(inner, ask_here("abc")) if ask_here(text) is None]
            if texts:
                inner["also"] = texts
            if ask_here({}) is None:
                _settle(inner, here, ask)
            _settle_extra(inner, ask_here({"no_such_key": 1}) is None)
        else:
            _settle_inside(inner, ask_here)
            refusals += [(key, value) for value in _settle_leaf(inner, ask_here)]

    def ask_node(value: Any) -> str | None:
        return ask(_nest(path, value))

    rules: list[dict[str, Any]] = []
    contexts: list[dict[str, Any]] = []
    for late in (False, True):  # the second round may need what the first has found
        for key, value in list(refusals):
            needs = _needs(key, value, siblings, contexts if late else [], ask_node)
            if needs is None:
                continue
            refusals.remove((key, value))
            rule = next(
                (item for item in rules if item["key"] == key and item["needs"] == needs), None
            )
            if rule is None:
                rule = {"key": key, "values": [], "needs": needs}
                rules.append(rule)
            rule["values"].append(value)
            contexts += [
                {key: value, other: company}
                for other, values in needs.items()
                for company in values
            ]
    for rule in rules:
        words = [text for text in _STRINGS if text]
        if siblings[rule["key"]]["kind"] == "str" and all(text in rule["values"] for text in words):
            del rule["values"]  # any text at all
        elif siblings[rule["key"]]["kind"] == "map" and rule["values"] == [{"a": 1}]:
            del rule["values"]  # anything but an empty object
        elif siblings[rule["key"]]["kind"] == "list" and rule["values"] == [
            [item] for item in siblings[rule["key"]]["items"].get("choices", ())[:2]
        ]:
            del rule["values"]  # anything but an empty list
        for other, values in rule["needs"].items():
            if siblings[other]["kind"] == "str" and values == ["abc"]:
                rule["needs"][other] = []  # any text at all
    for key in {rule["key"] for rule in rules}:
        _words_only(key, siblings[key], rules, refusals)
    if rules:
        node["rules"] = rules
    for key, value in refusals:
        siblings[key].setdefault("not", []).append(value)


def harvest_keys(ask: Ask, target: type) -> Shape | None:
    """The shape of the class that a JSON flag is parsed into, as the real parser enforces it.

    Args:
        ask: offers one JSON value to the real parser.
        target: the class, a dataclass or a pydantic model.

    Returns:
        The shape, or None when pydantic has no schema of fixed keys for it.
    """
    shape = declared(target)
    if shape is None or shape["kind"] != "object":
        return None
    shape.pop("custom", None)
    _settle_extra(shape, ask({"no_such_key": 1}) is None)
    _settle(shape, (), ask)
    return shape
