"""Nothing that was planted comes out. TRANSLATE_PLANTED=100000 plants that many; a number that
failed is run alone as `leak(number)`.
"""

import os

import pytest

from laws.planting import leak

NUMBER = int(os.environ.get("TRANSLATE_PLANTED", "800"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_planted_secret_comes_out(part: int) -> None:
    """Tokens, keys, passwords, PEM and JWT in variables, flags, JSON, headers, URLs and files."""
    size = NUMBER // PARTS
    found = [text for number in range(part * size, (part + 1) * size) if (text := leak(number))]
    assert not found, f"{len(found)}\n" + "\n\n".join(found[:10])
