"""What running knows of a version: lazily read, from the compiled tables or from a user's own."""

import pytest
from support.made_up import VERSION, catalog, flag, tables

from translator.core.tables.catalog import flag_of, shipped, variable_of

SHAPES = {
    "--j": {
        "kind": "object",
        "keys": {
            "a": {"kind": "object", "keys": {"b": {"kind": "int"}}},
            "m": {"kind": "map", "values": {"kind": "int"}},
            "f": {"kind": "json"},
        },
    }
}


def test_names_become_each_other() -> None:
    assert flag_of("MAX_MODEL_LEN") == "--max-model-len"
    assert variable_of("--max-model-len") == "MAX_MODEL_LEN"


def test_a_flag_has_its_facts() -> None:
    """And the usual ones where the table says nothing."""
    made = flag("--x kind=int choices:1|2 int_choices nullable aliases:-x|--ex")
    facts = {"flag": "--x", "kind": "int", "choices": [1, 2], "nullable": True}
    usual = {"negations": (), "fold": None, "element": "str", "bare": False, "off": None}
    for name, fact in {**facts, **usual, "aliases": ["-x", "--ex"], "takes_value": True}.items():
        assert getattr(made, name) == fact, name
    assert flag("--x kind=toggle negations:--no-x|--without-x").off == "--without-x"
    assert not flag("--x kind=switch").takes_value
    assert flag("--x kind=bool-value").takes_value


def test_every_spelling_leads_to_its_flag() -> None:
    made = catalog("--x kind=toggle negations:--no-x", "--y kind=int aliases:-y|--why")
    found = [(text, *item) for text, item in made.spellings().items()]
    of_y = [(text, "--y", False) for text in ("--y", "-y", "--why")]
    assert sorted(found) == sorted([("--x", "--x", False), ("--no-x", "--x", True), *of_y])
    assert made.flag("--why") is None
    assert made.spelled("--no-x") == (made.flag("--x"), True)
    assert made.spelled("--z") is None
    assert made.flag("--y") is made.flag("--y")
    assert made.flag_names() == ["--x", "--y"]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("--j", True), ("--k", True), ("-j", True), ("--no-k", True), ("--z", False), ("--j.a", True), ("--j.a.b", True), ("--j.a.c", False), ("--j.z", False),
        ("--j.m.anything", True), ("--j.f.any.thing", True),
        ("--j.a.b.c", False), ("--u.any.key", True), ("--no-k.a", False), ("VLLM_X", True), ("VLLM_Y", False),
    ],
)  # fmt: skip
def test_names_that_the_version_knows(name: str, known: bool) -> None:
    """Flags in any spelling, keys as far as their class goes, variables."""
    made = catalog(
        "--j kind=json shape aliases:-j",
        "--k kind=toggle negations:--no-k",
        "--u kind=json",
        env=("VLLM_X kind=int",),
        shapes=SHAPES,
    )
    assert made.knows(name) is known


def test_shapes_are_read_when_they_are_asked_for() -> None:
    made = catalog("--j kind=json shape", "--jj kind=json", shapes=SHAPES)
    assert made.shape("--j") == SHAPES["--j"]
    assert made.shape("--jj") is None
    assert made.shape("--none") is None


def test_a_users_own_tables_replace_and_add() -> None:
    """An overlay over the shipped ones; the versions stay in order."""
    made = tables(("--x kind=int",), older={"0.9.9": ("--x kind=str",)})
    assert made.versions() == ["0.9.9", VERSION]
    assert made.catalog("0.9.9").flag("--x").kind == "str"  # type: ignore[union-attr]
    with pytest.raises(KeyError):
        made.catalog("1.2.3")


def test_the_index_says_which_versions_had_a_name() -> None:
    assert shipped().knowing("--swap-space") == ["0.5.2-0.17.1"]
    assert shipped().knowing("--no-such") == []


def test_every_release_is_there() -> None:
    """Those that `vllm serve` exists in, oldest first, each with flags and variables, and with one flag a name."""
    versions = shipped().versions()
    assert versions[0] == "0.5.2"
    assert versions == list(shipped().records("releases.json"))
    for version in versions:
        made = shipped().catalog(version)
        assert len(made.flag_names()) > 90
        assert len(made.variable_names()) > 30
        assert made.flag("--model") is not None
        for found in made.flags():
            assert found.kind != "toggle" or found.negations
            assert not found.shaped or made.shape(found.flag) is not None
        for name in made.variable_names():
            kinds = {"str", "int", "float", "bool", "bool-int", "list", "json", "unread"}
            assert made.variable(name).kind in kinds  # type: ignore[union-attr]


def test_no_file_of_any_name_is_found_outside_of_the_tables() -> None:
    """Made-up names, and names that no file can have."""
    for name in ("nothing.json", "a\0b", "x" * 5000, "runpod.json/x", "\udc80"):
        assert shipped().text(name) is None
        assert shipped().records(name) == {}
