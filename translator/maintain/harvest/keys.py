"""The keys of a JSON flag that vLLM parses into a dataclass: pydantic's own schema of it, corrected
by asking it.

vLLM validates these while it parses the command line, so a wrong key or value stops the server
before it starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

from translator.core.tables.shapes import problems, same
from translator.maintain.harvest.declared import Shape, declared, unique

Ask = Callable[[Any], str | None]
"""Offers one JSON value of the whole flag to the real parser; None when it is taken, else what was
said.
"""

# Offered to every key: each JSON kind, and the forms that pydantic's lax mode may or may not
# convert.
KEY_PROBES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 16, 1.0, 1.5),
    *("1", "1.5", "true", "abc", "", "none"),
    *([], ["abc"], [1], {}, {"a": 1}),
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


def _candidates(shape: Shape, message: str | None) -> list[str]:
    """Strings worth offering: declared choices, enum names, and quoted words in a refusal."""
    named = (*shape.get("choices", ()), *shape.get("names", ()))
    declared = [text for text in named if isinstance(text, str)]
    declared += [text for option in shape.get("of", ()) for text in _candidates(option, None)]
    mined = re.findall(r"['`]([A-Za-z0-9_.+-]{1,60})['`]", message or "")
    # Enum members are listed bare: "Valid options are: A, B, C".
    for listing in re.findall(r"\{ ([^{}]*) \}", message or ""):
        mined += re.split(r",\s*", listing)
    for listing in re.findall(
        r"(?:options are|choices are|kinds are|one of|must be one of|Supported[^:]*):?"
        r" ([A-Za-z0-9_, ]+)",
        message or "",
    ):
        mined += re.split(r",\s*", listing.strip())
    return list(dict.fromkeys(text for text in (*declared, *mined) if text))


class _Answers:
    """What the real parser takes of the probes of one key: of all, and of the `words` worth
    offering.
    """

    def __init__(self, shape: Shape, ask: Ask) -> None:
        self.ask = ask
        candidates = _candidates(shape, ask("abc"))
        of_items = [[item] for item in shape.get("items", {}).get("choices", ())[:2]]
        self.probes = unique([*KEY_PROBES, *candidates, *shape.get("choices", ()), *of_items])
        self._taken = [probe for probe in self.probes if ask(probe) is None]
        self.words = [text for text in candidates if self.takes(text)]

    def takes(self, value: Any) -> bool:
        return any(same(value, probe) for probe in self._taken)

    def all_take(self, texts: Iterable[Any]) -> bool:
        """Whether each is taken, also of those that were not probes."""
        return all(self.ask(text) is None for text in texts)


def _settle_leaf(shape: Shape, ask: Ask) -> tuple[Shape, list[Any]]:
    """One key's shape as the parser takes it, and the values that it should take, but refuses."""
    answers = _Answers(shape, ask)
    takes, custom = answers.takes, shape.get("custom", False)
    shape = dict(shape)
    something = [probe for probe in answers.probes if probe is not None]
    if all(map(takes, something)):
        return {"kind": "json"} if takes(None) else {"kind": "json", "not": [None]}, []
    nullable = {"nullable": True} if takes(None) else {}
    others = [probe for probe in something if not isinstance(probe, dict)]
    if shape["kind"] == "json" and takes({}) and not any(map(takes, others)):
        inner = "json" if ask({"a": "abc"}) is None else "int"
        return {"kind": "map", "values": {"kind": inner}, **nullable}, []
    shape.update(nullable)
    if shape["kind"] == "str" and not takes("abc") and answers.all_take(_SIGNED):
        return {**shape, "prefixes": [text[0] for text in _SIGNED], "also": answers.words}, []
    shape = _as_list_or_text(_folding(_as_choice(shape, custom, answers), answers), answers)
    fitting = [(probe, not any(problems(probe, cast(Any, shape)))) for probe in answers.probes]
    also = [probe for probe, fits in fitting if not fits and takes(probe)]
    if also:
        shape["also"] = also
    return shape, [probe for probe, fits in fitting if fits and not takes(probe)]


def _as_choice(shape: Shape, custom: bool, answers: _Answers) -> Shape:
    """A key that takes some words and no other text is a choice, whatever its class declares."""
    free = answers.takes("abc") or answers.takes("1.5")
    declared = custom or (len(answers.words) > 1 and shape["kind"] == "str")
    if not answers.words or free or not declared or shape["kind"] not in ("choice", "str", "json"):
        return shape
    others = [
        item
        for item in shape.get("choices", ())
        if item is not None and not isinstance(item, str) and answers.takes(item)
    ]
    others.sort(key=lambda item: not isinstance(item, int))  # numbers first
    return {**shape, "kind": "choice", "choices": unique([*answers.words, *others])}


def _folding(shape: Shape, answers: _Answers) -> Shape:
    """A choice whose words are taken in any case, maybe with dashes for underscores."""
    words = answers.words if shape["kind"] == "choice" else []
    cased = [text for word in words for text in (word.lower(), word.upper())]
    if not words or not answers.all_take(cased):
        return shape
    dashed = [text.replace("_", "-") for text in words if "_" in text]
    return {**shape, "fold": "case-dash" if dashed and answers.all_take(dashed) else "case"}


def _as_list_or_text(shape: Shape, answers: _Answers) -> Shape:
    """A list that is also taken as a text."""
    if shape["kind"] != "list" or not all(answers.takes(text) for text in _STRINGS if text):
        return shape
    inner = {name: fact for name, fact in shape.items() if name != "nullable"}
    nullable = {"nullable": True} if shape.get("nullable") else {}
    return {"kind": "union", "of": [inner, {"kind": "str"}], **nullable}


def _keys_of(values: Shape, ask: Ask) -> list[str]:
    """The keys that an object of free keys takes; ["key"] when any will do (or none is known)."""
    offers = [*values.get("choices", ())[:2], *values.get("names", ())[:2], "abc", 1, 0.5]
    if any(ask({"key": value}) is None for value in offers):
        return ["key"]
    listed = _candidates({"kind": "str"}, ask({"key": offers[0]}))
    return [key for key in listed if any(ask({key: value}) is None for value in offers)] or ["key"]


def _settle_inside(shape: Shape, ask: Ask) -> Shape:
    """The shape of a list or an object of free keys, with what its elements or values are."""
    scalars = ("str", "choice", "int", "float", "union")
    if shape["kind"] == "list" and "length" not in shape and shape["items"]["kind"] in scalars:
        inner = _settle_item(shape["items"], lambda value: ask([value]))
        return {**shape, "items": inner}
    if shape["kind"] == "map" and shape["values"]["kind"] in scalars:
        keys = _keys_of(shape["values"], ask)
        inner = _settle_item(shape["values"], lambda value: ask({keys[0]: value}))
        listed = {"key_choices": keys} if keys != ["key"] else {}
        return {**shape, "values": inner, **listed}
    return shape


def _settle_item(shape: Shape, ask: Ask) -> Shape:
    settled, refused = _settle_leaf(shape, ask)
    if settled.get("choices") or settled.get("prefixes") or not refused:
        return settled
    return shape  # nothing that could be thought of is taken: there is the declaration only


def _companions(shape: Shape) -> list[Any]:
    if shape["kind"] == "choice":
        return [item for item in shape["choices"] if not isinstance(item, list)][:16]
    return _COMPANIONS.get(shape["kind"], [])


def _needs(
    key: str, value: Any, siblings: dict[str, Shape], contexts: list[dict[str, Any]], ask: Ask
) -> dict[str, list[Any]] | None:
    """Which other key makes a value acceptable that is refused alone → the values that do."""
    needs: dict[str, list[Any]] = {}
    for other, shape in siblings.items():
        for company in _companions(shape) if other != key else ():
            if ask({key: value, other: company}) is None:
                needs.setdefault(other, []).append(company)
    if needs:
        return needs
    for context in contexts:
        if key not in context and ask({**context, key: value}) is None:
            for name, company in context.items():
                needs.setdefault(name, []).append(company)
    # "Any text" beside a choice is the choice's own need.
    others = {name: values for name, values in needs.items() if siblings[name]["kind"] != "str"}
    return {name: unique(values) for name, values in (others or needs).items()} or None


def _settle_extra(shape: Shape, allowed: bool) -> None:
    """Whether unknown keys are taken: some classes are built with `**value`, which refuses them."""
    if allowed:
        shape.setdefault("extra", "allow")
    else:
        shape.pop("extra", None)


def _ask_at(ask: Ask, path: tuple[str, ...], value: Any) -> str | None:
    for key in reversed(path):
        value = {key: value}
    return ask(value)


def _settle(node: Shape, path: tuple[str, ...], ask: Ask) -> None:
    """Correct the shape of an object and all below; keys that only work together are `rules`."""
    siblings: dict[str, Shape] = node.get("keys", {})
    refusals: list[tuple[str, Any]] = []
    for key, inner in list(siblings.items()):
        here = (*path, key)
        ask_here = partial(_ask_at, ask, here)
        if inner["kind"] == "object":
            _settle_object(inner, here, ask)
        else:
            siblings[key], refused = _settle_leaf(_settle_inside(inner, ask_here), ask_here)
            refusals += [(key, value) for value in refused]
    rules, refusals = _rules(refusals, siblings, partial(_ask_at, ask, path))
    for key in {rule["key"] for rule in rules}:
        left = [value for name, value in refusals if name == key]
        words = _words_only(siblings[key], [rule for rule in rules if rule["key"] == key], left)
        if words:
            nullable = {"nullable": True} if siblings[key].get("nullable") else {}
            siblings[key] = {"kind": "choice", "choices": words, **nullable}
            refusals = [item for item in refusals if item[0] != key]
    if rules:
        node["rules"] = rules
    for key, value in refusals:
        siblings[key].setdefault("not", []).append(value)


def _settle_object(shape: Shape, path: tuple[str, ...], ask: Ask) -> None:
    ask_here = partial(_ask_at, ask, path)
    texts = [text for text in _candidates(shape, ask_here("abc")) if ask_here(text) is None]
    if texts:
        shape["also"] = texts
    if ask_here({}) is None:
        _settle(shape, path, ask)
    _settle_extra(shape, ask_here({"no_such_key": 1}) is None)


def _rules(
    refusals: list[tuple[str, Any]], siblings: dict[str, Shape], ask: Ask
) -> tuple[list[dict[str, Any]], list[tuple[str, Any]]]:
    """The rules that explain why some values are refused alone, and the values that none does."""
    rules: list[dict[str, Any]] = []
    contexts: list[dict[str, Any]] = []
    for late in (False, True):  # the second round may need what the first has found
        left = []
        for key, value in refusals:
            needs = _needs(key, value, siblings, contexts if late else [], ask)
            if needs is None:
                left.append((key, value))
                continue
            same_needs = (item for item in rules if (item["key"], item["needs"]) == (key, needs))
            rule = next(same_needs, None)
            if rule is None:
                rule = {"key": key, "values": [], "needs": needs}
                rules.append(rule)
            rule["values"].append(value)
            contexts += [
                {key: value, other: company}
                for other, values in needs.items()
                for company in values
            ]
        refusals = left
    return [_shortened(rule, siblings) for rule in rules], refusals


def _shortened(rule: dict[str, Any], siblings: dict[str, Shape]) -> dict[str, Any]:
    """A rule without its values where they stand for any text, or any list or object."""
    shape, values = siblings[rule["key"]], rule["values"]
    short = dict(rule)
    if shape["kind"] == "list":
        items = shape["items"].get("choices", ())[:2]
        is_any = values == [[item] for item in items]
    elif shape["kind"] == "map":
        is_any = values == [{"a": 1}]
    else:
        is_any = shape["kind"] == "str" and all(text in values for text in _STRINGS if text)
    if is_any:
        del short["values"]
    short["needs"] = {
        other: [] if siblings[other]["kind"] == "str" and texts == ["abc"] else texts
        for other, texts in rule["needs"].items()
    }
    return short


def _words_only(shape: Shape, rules: list[dict[str, Any]], refused: list[Any]) -> list[str]:
    """The words of a text key that takes only these, in company (the connectors of 0.6)."""
    if shape["kind"] != "str" or any(text not in refused for text in _STRINGS if text):
        return []
    values = [value for rule in rules for value in rule.get("values", ())]
    return unique([value for value in values if isinstance(value, str)])


def harvest_keys(ask: Ask, target: type) -> Shape | None:
    """Return the shape of the class that a JSON flag is parsed into, as the real parser enforces
    it; None when pydantic has no schema of fixed keys for it.
    """
    shape = declared(target)
    if shape is None or shape["kind"] != "object":
        return None
    _settle_extra(shape, ask({"no_such_key": 1}) is None)
    _settle(shape, (), ask)
    return _settled(shape)


def _settled(shape: Shape) -> Shape:
    """A shape without what was declared for the settling of it only."""
    settled = {name: fact for name, fact in shape.items() if name not in ("custom", "names")}
    for part in ("values", "items"):
        if part in settled:
            settled[part] = _settled(settled[part])
    if "keys" in settled:
        settled["keys"] = {key: _settled(inner) for key, inner in settled["keys"].items()}
    if "of" in settled:
        settled["of"] = list(map(_settled, settled["of"]))
    return settled
