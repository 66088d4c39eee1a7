"""index.json: which versions have a name."""

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
    entries = index.entries(found, "abc")
    assert entries == {
        "@digest": "abc",
        "@versions": ["0.8.5", "0.9.2", "0.10.2"],
        "@keys": [],
        "--model": {"in": ["0.8.5-0.10.2"]},
        "--new": {"in": ["0.9.2-0.10.2"]},
        "--no-new": {"in": ["0.10.2-0.10.2"], "of": "--new"},
        "--old": {"in": ["0.8.5-0.9.2"], "of": "--new", "own": ["0.8.5-0.8.5"]},
        "-n": {"in": ["0.9.2-0.9.2"], "of": "--new"},
        "OLD": {"in": ["0.10.2-0.10.2"]},
        "VLLM_HOME": {"in": ["0.8.5-0.10.2"]},
    }
    assert index.entries(index.read(entries), "abc") == entries


def test_a_version_that_is_added_again_replaces_what_was_known_of_it() -> None:
    found = index.of_catalogs(
        tables(catalog("0.8.5", flag("--x")), catalog("0.10.2", flag("--x"))).catalogs
    )
    for item in tables(catalog("0.9.2", flag("--y")), catalog("0.10.2", flag("--y"))).catalogs:
        found.add(item)
    entries = index.entries(found, "")
    assert entries["@versions"] == ["0.8.5", "0.9.2", "0.10.2"]
    assert entries["--x"] == {"in": ["0.8.5-0.8.5"]}
    assert entries["--y"] == {"in": ["0.9.2-0.10.2"]}
