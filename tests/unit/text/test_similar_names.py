"""Similar names are remembered, and are those of difflib."""

from __future__ import annotations

import difflib
import random

from translator.tables.catalog import shipped
from translator.text import similar


def test_the_names_are_those_of_difflib() -> None:
    """For a version after another, whose names are mostly the same."""
    rand = random.Random(7)
    known = [list(shipped().catalog(version).spellings()) for version in ("0.10.2", "0.33.0")]
    for _ in range(12):
        letters = list(rand.choice(known[1]))
        for _ in range(rand.randint(1, 4)):
            letters[rand.randrange(len(letters))] = rand.choice("abc-")
        name = "".join(letters)
        for names in known:
            for limit in (1, 3):
                wanted = difflib.get_close_matches(name, names, n=limit, cutoff=0.72)
                assert similar.nearest(name, names, limit) == wanted


def test_what_is_remembered_has_a_limit() -> None:
    for at in range(300):
        similar.nearest(f"name{at}", ["name1", "other"])
    assert len(similar._SCORES) <= 100
