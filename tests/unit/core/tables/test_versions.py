"""Which vLLM: parse, choose, and the one installed."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator.core.tables.versions import Version, choose, parse, ranges, runs
from translator.installed import about_installed, find

KNOWN = ["0.6.6", "0.9.2", "0.10.2", "0.33.0"]


ASCENDING = [
    "0.5.2", "0.6.4.dev1", "0.6.4a1", "0.6.4rc1.dev3", "0.6.4rc1", "0.6.4rc2", "0.6.4", "0.6.4.post1.dev2", "0.6.4.post1", "0.6.4.1", "0.9", "0.9.1",
    "0.10.0", "0.10.1", "0.10.1.1", "0.10.2", "1.0", "1.0.0.0.1",
]  # fmt: skip


def test_versions_are_ordered_as_pep_440_orders_them() -> None:
    """Numbers as numbers, pre-releases before, post-releases and further parts behind."""
    assert sorted(set(ASCENDING), key=Version) == ASCENDING
    for one, other in itertools.combinations(ASCENDING, 2):
        assert Version(one) < Version(other)
        assert Version(one) != Version(other)


NUMBERS = st.integers(0, 12).map(str)
PEP_440 = st.builds(
    "".join,
    st.tuples(
        st.lists(NUMBERS, min_size=2, max_size=4).map(".".join),
        st.just("") | st.builds("".join, st.tuples(st.sampled_from(["a", "b", "rc"]), NUMBERS)),
        st.just("") | NUMBERS.map(".post{}".format),
        st.just("") | NUMBERS.map(".dev{}".format),
    ),
)


@given(PEP_440, PEP_440)
def test_the_order_is_that_of_packaging(one: str, other: str) -> None:
    reference = pytest.importorskip("packaging.version").Version
    mine, theirs = (Version(one), Version(other)), (reference(one), reference(other))
    assert (mine[0] < mine[1], mine[0] == mine[1], mine[0] <= mine[1]) == (
        theirs[0] < theirs[1], theirs[0] == theirs[1], theirs[0] <= theirs[1]
    )  # fmt: skip
    assert (mine[0] != mine[1]) or hash(mine[0]) == hash(mine[1])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("v0.9", "0.9.0"), ("0.27.1+cpu", "0.27.1"), (" 0.19.2 ", "0.19.2"), ("0.33.0-cu129", "0.33"), ("V1.2.3", "1.2.3"), ("0.10.0rc1", "0.10rc1"),
        ("0.10.0alpha2", "0.10a2"), ("0.6.4post1", "0.6.4.post1"), ("0.11.1rc2.dev3+g123.d2025", "0.11.1.rc2dev3"),
    ],
)  # fmt: skip
def test_versions_are_parsed_as_people_write_them(text: str, same: str) -> None:
    """Tags of images, local versions, other spellings of the suffixes."""
    assert Version(text) == Version(same)


@pytest.mark.parametrize(
    "text",
    ["latest", "", "1", "0.x", "0.1x", "0.9.", "0.9..1", "0.\uff11", "9999999.0", "0.1rc1rc2", "0.1.post999999999", "0.9.foo"],
)  # fmt: skip
def test_what_is_no_version_is_refused(text: str) -> None:
    assert parse(text) is None
    with pytest.raises(ValueError, match="not a version"):
        Version(text)


def test_ranges_are_runs_without_a_gap() -> None:
    known = ["0.6.6", "0.7.3", "0.9.2", "0.10.2"]
    assert runs(known, {"0.6.6", "0.7.3", "0.10.2"}) == [("0.6.6", "0.7.3"), ("0.10.2", "0.10.2")]
    assert runs(known, ()) == []
    assert ranges(["0.6.6-0.7.3", "0.10.2-0.10.2"]) == "0.6.6 to 0.7.3, 0.10.2"


MANY = ["0.6.4", "0.6.4.post1", "0.9.1", "0.9.2", "0.10.1", "0.10.1.1"]


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("0.6.4", "0.6.4"), ("0.6.4+cpu", "0.6.4"), ("0.6.4.post1", "0.6.4.post1"), ("0.6.4.post2", "0.6.4.post1"), ("0.9.1rc1", "0.9.1"),
        ("0.9.1", "0.9.1"), ("0.9.7", "0.9.2"), ("0.10.1", "0.10.1"), ("0.10.1.1", "0.10.1.1"), ("0.10.2.dev1", "0.10.1.1"), ("0.7", "0.6.4.post1"),
        ("0.9.0", "0.6.4.post1"), ("0.10.1+cu129", "0.10.1"), ("v0.10.1.1-cpu", "0.10.1.1"),
    ],
)  # fmt: skip
def test_the_table_is_that_of_the_newest_release_that_is_no_newer(text: str, table: str) -> None:
    """A pre-release counts as its release."""
    assert choose(text, MANY)[0] == table


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("0.6", "0.6.4.post1"), ("v0.9", "0.9.2"), ("0.10", "0.10.1.1"), ("0.10+cu129", "0.10.1.1"),
        ("latest", MANY[-1]),
    ],
)  # fmt: skip
def test_a_minor_version_is_its_newest_release(text: str, table: str) -> None:
    """As pip's `0.9.*` would have it; nothing was assumed."""
    assert choose(text, MANY) == (table, [])
    assert choose("0.9.0", ["0.9.0", "0.9.2"]) == ("0.9.0", [])


@pytest.mark.parametrize(
    ("text", "table"),
    [("0.9.9", "0.9.2"), ("0.9.2.post1", "0.9.2"), ("0.10.0", "0.9.2"), ("0.12", "0.10.2")],
)
def test_one_between_two_releases_uses_the_older_one_with_a_warning(text: str, table: str) -> None:
    """0.10 comes after 0.9."""
    version, findings = choose(text, KNOWN)
    assert version == table
    assert [(item.code, item.severity) for item in findings] == [("version-between", "warning")]


@pytest.mark.parametrize("text", ["0.34.0", "1.0", "0.34", "0.33.0.post1", "0.33.7+cu"])
def test_one_newer_than_all_uses_the_newest_with_a_warning(text: str) -> None:
    """The table may be wrong in places, and the finding says what to do."""
    version, findings = choose(text, KNOWN)
    assert version == "0.33.0"
    assert [(item.code, item.severity) for item in findings] == [("version-too-new", "warning")]


@pytest.mark.parametrize(
    ("text", "code"),
    [*((text, "version-too-old") for text in ("0.6.5", "0.5", "0.5.4", "0.0.1")), ("nightly", "bad-version")],
)  # fmt: skip
def test_one_older_than_all_or_none_is_an_error(text: str, code: str) -> None:
    version, findings = choose(text, KNOWN)
    assert (version, [item.code for item in findings]) == (None, [code])
    assert "0.6.6 to 0.33.0" in findings[0].hint


def test_the_first_on_the_path_counts(tmp_path: Path) -> None:
    for name, version in (("a", "0.9.2"), ("b", "0.33.0")):
        (tmp_path / name / f"vllm-{version}.dist-info").mkdir(parents=True)
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    (tmp_path / "egg" / "vllm-0.27.1.egg").mkdir(parents=True)
    found = [find([str(tmp_path / "egg"), str(tmp_path / "none"), *folders]), find(folders[::-1])]
    assert [build and build.version for build in found] == ["0.9.2", "0.33.0"]
    assert find([]) is None


def test_another_vllm_than_the_installed_one_is_a_finding() -> None:
    """Unless it is of the same minor version."""
    (found,) = about_installed("0.8.5", "0.32.0+cpu", "0.8.5")
    assert (found.code, found.severity) == ("other-version", "warning")
    assert about_installed("0.32.1", "0.32.0", "0.32.0") == []
    assert about_installed("0.8.5", None, "0.8.5") == []
