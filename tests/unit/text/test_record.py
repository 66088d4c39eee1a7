"""Values with many named fields."""

from __future__ import annotations

from translator.text.record import Record


class Point(Record):
    name: str
    marks: list[str] = []
    length: object = len


def test_fields_are_given_in_order_or_by_name() -> None:
    """What is not given is the default, a function among them."""
    point = Point("a", length=str.upper)
    assert (point.name, point.marks, point.length) == ("a", [], str.upper)
    assert Point(name="a").length is len


def test_a_default_that_can_change_is_each_value_s_own() -> None:
    """One value's list is not another's."""
    first, second = Point("a"), Point("b")
    first.marks.append("x")
    assert (first.marks, second.marks, Point.marks) == (["x"], [], [])


def test_a_copy_has_other_values_of_some_fields() -> None:
    """The value itself stays as it is."""
    first = Point("a", ["x"])
    other = first.replaced(name="b")
    assert (other.name, other.marks, first.name) == ("b", ["x"], "a")
    assert repr(other) == f"Point(name='b', marks=['x'], length={len!r})"
