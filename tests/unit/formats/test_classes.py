"""Classes in the form of attrs, made without it."""

import pytest

from translator.formats.classes import evolve, field, frozen


def upper(text: str) -> str:
    return text.upper()


@frozen(eq=True)
class Part:
    name: str
    items: list[int] = field(factory=list)
    change: object = upper


@frozen
class Alone:
    name: str = ""


def test_a_default_is_the_same_for_all_and_a_factory_is_called_for_each() -> None:
    one, other = Part("a"), Part(name="a")
    assert one.change is upper  # no method
    assert (one.items, one.items is other.items) == ([], False)


def test_what_is_equal() -> None:
    """Objects of a class that says so, by their fields; others are equal to themselves only."""
    part = Part("a", items=[])
    assert part == Part("a")
    assert part != Part("b")
    assert Alone() != Alone()
    assert hash(Part("a", items=())) == hash(Part("a", items=()))


def test_a_copy_has_other_values_of_some_fields() -> None:
    part = Part("a", items=[1])
    copy = evolve(part, name="b")
    assert (copy.name, copy.items is part.items, part.name) == ("b", True, "a")


@pytest.mark.parametrize("given", [{}, {"name": "a", "nmae": "b"}])
def test_a_field_that_is_missing_or_unknown_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="Part has name, items, change, not"):
        Part(**given)
