"""Nothing that was planted comes out. TRANSLATE_PLANTED=100000 plants that many; a number that
failed is run alone as `leak(number)`.
"""

from __future__ import annotations

import os

import pytest

from laws.planting import leak, plant

NUMBER = int(os.environ.get("TRANSLATE_PLANTED", "800"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_planted_secret_comes_out(part: int) -> None:
    """Tokens, keys, passwords, PEM and JWT in variables, flags, JSON, headers, URLs and files."""
    size = NUMBER // PARTS
    found = [text for number in range(part * size, (part + 1) * size) if (text := leak(number))]
    assert not found, f"{len(found)}\n" + "\n\n".join(found[:10])


def test_secrets_are_planted_everywhere() -> None:
    """In every kind of input, and the secret stands in it."""
    made = [plant(number)[:2] for number in range(300)]
    assert {what.split(" ")[0] for what, _ in made} == {"argv", "env", "file"}
    assert all(secret for _, secret in made)
