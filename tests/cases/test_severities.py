"""How bad each finding is for each kind of input (severities.toml)."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cases import MAPPINGS, table
from translator import check, check_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = [
    pytest.param(code.partition(".")[0], case, id=f"{code} in {row}")
    for code, rows in table("severities").items()
    for row, case in rows.items()
]


@pytest.mark.parametrize(("code", "case"), CASES)
def test_a_finding_is_as_bad_as_its_row_says(code: str, case: list[Any], tmp_path: Path) -> None:
    severity, text, *more = case
    assert severities_in(code, text, tmp_path, **dict(*more)) == {severity} - {"drop"}


def severities_in(
    code: str, text: str, folder: Path, file: str = "", of: str = "", **version: str
) -> set[str]:
    """How bad the findings with a code are in an input."""
    if file:
        (folder / file).write_text(text, "utf-8")
    if text.startswith("-- "):
        findings = check(shlex.split(text)[1:], **version)
    else:
        findings = check_file(folder / file if file else text, **version)
    return {item.severity for item in findings if item.code == (of or code)}


def rows() -> Iterator[tuple[str, str, str]]:
    """Every row of the table: its code, with a case of its own; the facts; the severity."""
    whole = tomllib.loads((MAPPINGS / "findings.toml").read_text("utf-8"))
    held = {"*": whole}
    for code, entry in whole["finding"].items():
        held[code] = entry
        held.update({f"{code}.{case}": it for case, it in entry.get("case", {}).items()})
    for name, entry in held.items():
        yield from ((name, facts, severity) for facts, severity in entry.get("in", {}).items())


def test_every_row_has_a_case() -> None:
    cases = table("severities").items()
    assert set(rows()) <= {
        (code, row, case[0]) for code, rows in cases for row, case in rows.items()
    }
