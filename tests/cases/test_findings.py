"""Every code as people see it, exactly (findings.toml)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import table
from cases.findings import rendered
from translator.findings import codes


@pytest.mark.parametrize("code", codes())
def test_a_code_is_rendered_so(code: str, tmp_path: Path) -> None:
    """`PYTHONPATH=.:tests python -m cases.findings` writes the file anew."""
    assert rendered(code, tmp_path) == {"code": code, **table("findings").get(code, {})}


def test_no_code_is_left_over() -> None:
    assert sorted(table("findings")) == sorted(codes())
