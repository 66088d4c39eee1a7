"""index.txt: which versions have a name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.tables import catalog, flag, tables

from translator.authoring import index

VERSIONS = ["0.8.5", "0.9.2", "0.10.2", "0.11.2"]


@given(st.sets(st.sampled_from(VERSIONS)))
def test_ranges_are_runs_of_successive_versions(having: set[str]) -> None:
    spans = index.ranges(VERSIONS, having)
    assert index._expand(VERSIONS, spans) == having
    assert len(spans) == sum(
        version in having and (at == 0 or VERSIONS[at - 1] not in having)
        for at, version in enumerate(VERSIONS)
    )


def test_a_spelling_knows_its_flag_and_where_it_was_one_itself() -> None:
    found = index.of_catalogs(
        tables(
            catalog("0.8.5", flag("--old")),
            catalog("0.9.2", flag("--new", aliases=["--old", "-n"])),
            catalog("0.10.2", flag("--new", "toggle"), env=[{"name": "OLD", "kind": "str"}]),
        ).catalogs
    )
    assert found.text("abc").split("\n") == [
        "abc",
        "versions:0.8.5|0.9.2|0.10.2",
        "--model\tin:0.8.5-0.10.2",
        "--new\tin:0.9.2-0.10.2",
        "--no-new\tin:0.10.2-0.10.2\tof=--new",
        "--old\tin:0.8.5-0.9.2\tof=--new\town:0.8.5-0.8.5",
        "-n\tin:0.9.2-0.9.2\tof=--new",
        "OLD\tin:0.10.2-0.10.2",
        "VLLM_HOME\tin:0.8.5-0.10.2",
        "",
    ]
    assert index.read(found.text("abc")).text("abc") == found.text("abc")


def test_a_version_that_is_added_again_replaces_what_was_known_of_it() -> None:
    found = index.of_catalogs(
        tables(catalog("0.8.5", flag("--x")), catalog("0.10.2", flag("--x"))).catalogs
    )
    for item in tables(catalog("0.9.2", flag("--y")), catalog("0.10.2", flag("--y"))).catalogs:
        found.add(item)
    assert found.text("").split("\n")[1:5] == [
        "versions:0.8.5|0.9.2|0.10.2",
        "--model\tin:0.8.5-0.10.2",
        "--x\tin:0.8.5-0.8.5",
        "--y\tin:0.9.2-0.10.2",
    ]
