"""`translate diff`: what one version adds, removes, renames and changes by default."""

import itertools
import json

import pytest
from support.program import translate

from translator import TranslationError, diff
from translator.core.tables.catalog import shipped
from translator.reference.versions import diff_page, version_diff

KNOWN = shipped().versions()


def names(rows) -> set[str]:
    return {row["name"] for row in rows}


@pytest.mark.parametrize(("old", "new"), [*itertools.pairwise(KNOWN[::5]), (KNOWN[-1], KNOWN[0])])
def test_every_name_is_accounted_for(old: str, new: str) -> None:
    """What only one has is added, removed or renamed; the index of all names says the same."""
    before, after = shipped().catalog(old), shipped().catalog(new)
    found = version_diff(before, after)
    for group, one, other in (
        ("flags", before.flag_names(), after.flag_names()),
        ("variables", before.variable_names(), after.variable_names()),
    ):
        part = found[group]
        assert names(part["added"]) == set(other) - set(one)
        assert names(part["removed"]) | names(part["renamed"]) == set(one) - set(other)
        assert not names(part["removed"]) & names(part["renamed"])
        assert names(part["changed"]) | names(part["defaults"]) <= set(one) & set(other)
        for row in part["renamed"]:
            assert all(after.knows(name) for name in row["to"])
    text, marked = str(diff_page(found)).replace("`", ""), diff_page(found).markdown()
    for group in ("flags", "variables"):
        for row in itertools.chain.from_iterable(found[group].values()):
            assert f"\n  {row['name']}" in text
            assert f"\n- `{row['name']}`" in marked


def test_a_removed_flag_has_its_successor_or_the_reason() -> None:
    found = diff("0.10.2", "0.27.1")["flags"]
    renamed = {row["name"]: row["to"] for row in found["renamed"]}
    assert renamed["--task"] == ["--convert", "--runner"]
    assert renamed["--guided-decoding-backend"] == ["--structured-outputs-config.backend"]
    removed = {row["name"]: row["why"] for row in found["removed"]}
    assert "never swaps" in removed["--swap-space"]


def test_defaults_kinds_and_choices() -> None:
    found = diff("0.19.1", "0.20.2")["flags"]
    first = found["defaults"][0]
    assert (first["name"], first["before"], first["after"]) == (
        "--gpu-memory-utilization",
        "0.9",
        "0.92",
    )
    changed = {row["name"]: row for row in diff("0.8.5", "0.27.1")["flags"]["changed"]}
    assert changed["--max-model-len"]["kind"] == {"before": "size", "after": "size-or-auto"}


def test_the_command() -> None:
    """Its texts: cases/program/diff.toml."""
    told = json.loads(translate("diff", "0.19.1", "0.20.2", "--format", "json").out)
    assert told == diff("0.19.1", "0.20.2")
    with pytest.raises(TranslationError):
        diff("0.19.1", "nightly")
