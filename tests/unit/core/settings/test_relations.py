"""Relations between values: expressions of three values, and what is never said."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator.core.settings.relations import (
    UNSET,
    Situation,
    evaluate,
    names_in,
    truth,
    wrong_parts,
)
from translator.core.tables.catalog import RELATIONS, shipped
from translator.maintain.model.relations import Group, Relation, Relations
from translator.maintain.relations import compiled, expression

TABLE = shipped().records(RELATIONS)
PARTS = [part for one in TABLE.values() for part in (*one["when"], *one["must"])]
VALUES = st.sampled_from([UNSET, True, False, 0, 1, 2, 8, "auto", "mp", "ngram", [1, 2], []])


class Known(Situation):
    """A start of which some names have values, and of others nothing is known."""

    def __init__(self, **values: Any) -> None:
        self.known = values

    def is_set(self, name: str) -> bool | None:
        return self.known[name] is not UNSET if name in self.known else None

    def value(self, name: str) -> Any:
        return self.known.get(name)


@given(st.data())
def test_what_is_known_stays_so_when_more_is_known(data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(PARTS))
    whole = {name: data.draw(VALUES) for name in names_in(part)}
    some = {name: value for name, value in whole.items() if data.draw(st.booleans())}
    assert truth(part, Known(**some)) in (None, truth(part, Known(**whole)))


@pytest.mark.parametrize("name", TABLE)
def test_of_what_is_not_known_or_not_given_nothing_is_said(name: str) -> None:
    relation = TABLE[name]
    names = names_in(*relation["when"], *relation["must"])
    assert wrong_parts(relation, Known()) == []
    assert wrong_parts(relation, Known(**dict.fromkeys(names, UNSET))) == []


@pytest.mark.parametrize(
    ("text", "values", "known"),
    [
        ("a > 1 and b", {"--a": 2, "--b": True}, True),
        ("a > 1 and b", {"--a": 1}, False),
        ("a > 1 and b", {"--a": 2}, None),
        ("a > 1 or b", {"--a": 2}, True),
        ("not a", {"--a": UNSET}, None),
        ("a != 1", {"--a": UNSET}, None),
        ("a not in ('x', 'y')", {"--a": "auto"}, None),
        ("a not in ('auto', 'y')", {"--a": "auto"}, False),
        ("a in ('x', 'y')", {"--a": "x"}, True),
        ("a == 1", {"--a": True}, False),
        ("a == b", {"--a": 16, "--b": "auto"}, None),
        ("a <= b", {"--a": 1, "--b": "auto"}, None),
        ("a % b == 0", {"--a": 6, "--b": 0}, None),
        ("a % b == 0", {"--a": 6, "--b": 4}, False),
        ("first(a.key, b) == 3", {"--a.key": UNSET, "--b": 3}, True),
        ("set(first(a, b))", {"--a": UNSET, "--b": 1}, True),
        ("max(a) == 4 and len(a) == 2", {"--a": [1, 4]}, True),
        ("max(a) == 4", {"--a": []}, None),
        ("a + b * 2 // 2 >= min(a, b)", {"--a": 1, "--b": 2}, True),
    ],
)
def test_expressions(text: str, values: dict[str, Any], known: bool | None) -> None:
    assert truth(expression(text, {}), Known(**values)) is known


def test_a_derived_name_stands_for_its_expression() -> None:
    derive = {"both": "first(a, c)", "c": "b"}
    assert evaluate(expression("both + 1", derive), Known(**{"--a": UNSET, "--b": 2})) == 3


@pytest.mark.parametrize("text", ["a >", "f(a)", "a.b()", "lambda: a", "a ** 2", "a < b < c"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no expression|is not understood"):
        expression(text, {})


def test_what_reads_a_variable_is_tried_with_a_model_only() -> None:
    """What is remembered of settings holds in any environment."""
    own = Relation("own", "set(env.VLLM_LOGGING_LEVEL)", "seed == 3")
    (entry,) = compiled(Relations(group=[Group("", (own,))])).values()
    assert entry["by"] == ["model", ["--seed"]]
