"""Every code has an input that gives it (cases/findings.py), and a message that is filled in."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases.findings import PRODUCERS, produced
from translator.core.findings import codes


@pytest.mark.parametrize("code", codes())
def test_an_input_gives_the_code(code: str, tmp_path: Path) -> None:
    found = [item for item in produced(code, tmp_path) if item.code == code]
    assert found
    assert all(item.message for item in found)


def test_no_input_is_left_over() -> None:
    assert sorted(PRODUCERS) == sorted(codes())
