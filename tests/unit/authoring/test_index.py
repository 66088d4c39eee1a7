"""index.json: which versions have a name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.tables import catalog, flag, tables

from translator.authoring.compile import Names, index, indexed, names_of

VERSIONS = ["0.8.5", "0.9.2", "0.10.2", "0.11.2"]


def known(*catalogs: dict[str, object]) -> dict[str, Names]:
    return {item.version: names_of(item) for item in tables(*catalogs).catalogs}


@given(st.sets(st.sampled_from(VERSIONS)))
def test_ranges_are_runs_of_successive_versions(having: set[str]) -> None:
    names = {version: {"A": "A"} if version in having else {} for version in VERSIONS}
    entries = index(names)
    assert indexed(entries) == names
    assert len(entries.get("A", {"in": ()})["in"]) == sum(
        version in having and (at == 0 or VERSIONS[at - 1] not in having)
        for at, version in enumerate(VERSIONS)
    )


def test_a_version_that_is_added_again_replaces_what_was_known_of_it() -> None:
    found = known(catalog("0.8.5", flag("--x")), catalog("0.10.2", flag("--x")))
    found |= known(catalog("0.9.2", flag("--y")), catalog("0.10.2", flag("--y")))
    entries = index(found)
    assert entries["@versions"] == ["0.8.5", "0.9.2", "0.10.2"]
    assert entries["--x"] == {"in": ["0.8.5-0.8.5"]}
    assert entries["--y"] == {"in": ["0.9.2-0.10.2"]}
