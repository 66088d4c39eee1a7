"""Nothing that was planted comes out: issue 13's list, and everything else of its kind.

The cases are numbered (`laws.planting.case`): TRANSLATE_PLANTED=100000 runs that many, and a number
that failed runs alone as `leaks(number)`. Each part of a secret that no encoding changes is looked
for in findings, their facts, `repr`, pickles, exceptions and what is chained to them, standard
error, the reports of `check`, `explain` and `tables`, and annotations of GitHub.
"""

from __future__ import annotations

import os
from itertools import islice

import pytest

from laws.planting import all_leaks, case, leaks, pieces

NUMBER = int(os.environ.get("TRANSLATE_PLANTED", "400"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_planted_secret_comes_out(part: int) -> None:
    """Options and values in one token, other dashes and quotes, JSON that a shell took apart, keys
    in camel case, manifests, `.properties`, PowerShell, YAML tags, versions, file names, usage.
    """
    size = NUMBER // PARTS
    found = list(islice(all_leaks(range(part * size, (part + 1) * size)), 20))
    assert not found, "\n".join(found)


def test_the_generator_plants_everywhere() -> None:
    """Every kind of input, and in each case a secret that can be found again."""
    made = [case(number) for number in range(300)]
    assert {item.name.split(" ")[0] for item in made} >= {
        "argv",
        "env",
        "text",
        "config",
        "usage",
        "dotenv",
        "docker",
        "properties",
        "tables",
    }
    assert all(pieces(item.secret) for item in made)


def test_what_is_planted_is_found_where_it_is_shown() -> None:
    """The suite can fail: a case whose output has the secret is a leak."""
    made = case(1)
    made.run = lambda: [f"x {made.secret} y"]
    from laws import planting

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planting, "case", lambda number: made)
        assert leaks(1)
