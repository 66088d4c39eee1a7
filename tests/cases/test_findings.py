"""Every code has an input that gives it (cases/findings.py), and a message that is filled in."""

from pathlib import Path

import pytest

from cases.findings import PRODUCERS, example, is_input, of_example, produced
from translator.core.findings import codes


@pytest.mark.parametrize("code", codes())
def test_an_input_gives_the_code(code: str, tmp_path: Path) -> None:
    found = [item for item in produced(code, tmp_path) if item.code == code]
    assert found
    assert all(item.message for item in found)


@pytest.mark.parametrize("code", [code for code in codes() if code not in PRODUCERS])
def test_the_example_has_it_before_and_not_after(code: str) -> None:
    before, after, version = example(code)
    assert is_input(before)
    if is_input(after):
        assert code not in {item.code for item in of_example(code, after, version)}


def test_no_input_is_left_over() -> None:
    assert {*PRODUCERS} <= {*codes()}
