"""Every codec of a value (of flags, keys and vLLM's own variables): read as a
token, as a variable, written as tokens, read back.
"""

from __future__ import annotations

from typing import Any

from fuzz import names
from fuzz.laws import Broken, bounded
from fuzz.taker import Taker, expand
from translator.argv.parser import Misread, stands, value_of
from translator.env import vllm_variables as native
from translator.settings.rules import _holds_pairs as holds_pairs
from translator.settings.setting import same
from translator.tables.catalog import Catalog, shipped
from translator.tables.entries import Flag
from translator.tables.shapes import problems
from translator.values import tokens as values
from translator.values.errors import BadValue
from translator.values.variables import from_variable, key_shape, key_value, variable_text


def _told(error: BadValue) -> None:
    for name, fact in error.facts.items():
        if len(str(fact)) > 4000:
            raise Broken(f"the fact {name} has {len(str(fact))} characters")


def _written(flag: Flag, value: Any, catalog: Catalog) -> None:
    """What is written for a value is read back as the same."""
    try:
        tokens = values.tokens(flag, value, lambda text: stands(text, catalog))
    except BadValue as error:
        _told(error)
        return
    if (
        not tokens
        or any("\0" in token for token in tokens)
        or any(token.endswith("=--") for token in tokens)
    ):
        return
    if flag.kind in ("switch", "toggle") or flag.flag in ("--model", "--config"):
        return  # vLLM looks for these two before argparse does
    try:
        again = value_of(tokens, flag, catalog)
    except Misread:
        shape = catalog.shape(flag.flag) if flag.shaped else None
        if shape is not None and any(problems(value, shape)):
            return  # a key that the version's class refuses
        raise Broken(f"{tokens!a} is not read back, of {value!a}") from None
    if not same(again, value):
        raise Broken(f"{tokens!a} is read back as {again!a}, not as {value!a}")


def run(data: bytes) -> None:
    """A version, a flag of it, and a text."""
    taker = Taker(data)
    catalog = shipped().catalog(taker.pick(names.VERSIONS))
    flag = catalog.flag(taker.pick(catalog.flag_names()))
    variable = catalog.variable(taker.pick(catalog.variable_names()))
    assert flag is not None
    assert variable is not None
    text = expand(taker.rest(), names.keys(), names.words())
    shape = catalog.shape(flag.flag) if flag.shaped else None
    with bounded():
        if flag.takes_value:
            try:
                value = values.from_token(flag, text, bool(catalog.grammar.json_sizes))
            except BadValue as error:
                _told(error)
            else:
                _written(flag, [value] if flag.kind in ("list", "append") else value, catalog)
                for path, _, expected in problems(value, shape) if shape is not None else ():
                    assert isinstance(path, str)
                    assert expected
        try:
            value, _ = from_variable(flag, text)
        except BadValue as error:
            _told(error)
        else:
            odd = flag.syntax in ("pairs", "pairs-or-json", "colons") and not holds_pairs(
                flag, value
            )  # which `assemble` tells of
            if text.strip() not in ("", "None") and not odd:  # those set nothing
                _written(flag, value, catalog)
            written = variable_text(flag, value)
            if written is not None:
                assert isinstance(written, str)
        key_value(text, shape)
        for key in (shape or {}).get("keys", {}):
            key_value(text, key_shape(catalog, flag, (key,)))
        passed, told = native.check(variable, text, catalog.version)
        assert passed is None or isinstance(passed, str)
        assert told is None or told.line().isprintable()
        native.is_service_link("VLLM_PORT", text)
