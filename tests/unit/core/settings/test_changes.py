"""From one version to another, by made-up tables and by the shipped ones."""

import json
from typing import Any

import pytest
from cases import NEWEST
from support.made_up import VERSION, origin, scope

from translator import TranslationError, env_to_args
from translator.core.settings import Setting
from translator.core.settings.changes import (
    carry,
    join_splits,
    nearest_first,
    renamed_choice,
    replacements,
)
from translator.core.tables.catalog import shipped
from translator.core.values import BadValue


def same(*carriers: str, **fields: Any) -> list[str]:
    """The compiled records of a [[same]] entry, one for each carrier."""
    extra = "".join(
        f"\t{key}={json.dumps(value)}" if isinstance(value, dict) else f"\t{key}:{'|'.join(value)}"
        for key, value in fields.items()
    )
    return [f"{item}\tkind=same\tcarriers:{'|'.join(carriers)}{extra}" for item in carriers]


def setting(name: str, value: Any, text: str) -> Setting:
    flag, *path = name.split(".")
    return Setting(flag, value, origin(text), tuple(path))


def test_the_next_newer_carrier_comes_first() -> None:
    assert nearest_first(["a", "b", "c", "d"], "b") == ["c", "d", "a"]
    assert nearest_first(["a", "b", "c", "d"], "d") == ["c", "b", "a"]


RENAMED = same("--old", "--new")
INVERTED = same("--disable-x", "--enable-x", inverted=["--disable-x"])
MOVED = same("VLLM_X", "--x", "--j.x")
LEVELS = same("--j.level", "--j.mode", values={"--j.level": {"0": "NONE", "3": "ALL"}})
ENDED = same("--r", "--j.a", "--j.b", until={"--j.a": "9.9.8"}, since={"--j.b": VERSION})
LASTS = same("--r", "--j.a", "--j.b", until={"--j.a": VERSION}, since={"--j.b": "10.0.0"})
SPLIT = {"embed": {"--runner": "pooling", "--convert": "embed"}, "classify": {"--runner": "pooling"}, "auto": {}}  # fmt: skip
TASK = [f"--task\tkind=split\tvalues={json.dumps(SPLIT)}"]
RUNNER = ("--runner kind=str choices:auto|pooling", "--convert kind=str")
GONE = ["--v2\tkind=gone\twhy=always so\tdefault_when=true"]
KEYS = [*same("--all.a", "--x"), "--all.b\tkind=gone\twhy=it went"]


@pytest.mark.parametrize(
    ("changes", "name", "value", "flags", "made", "codes"),
    [
        (RENAMED, "--old", "x", "--new kind=str", {"--new": "x"}, "replaced"),
        (RENAMED, "--new", "x", "--old kind=str", {"--old": "x"}, "replaced"),
        (RENAMED, "--old", "x", "--other kind=str", {}, "removed"),
        (INVERTED, "--disable-x", True, "--enable-x kind=toggle negations:--no-enable-x", {"--enable-x": False}, "replaced"),
        (INVERTED, "--enable-x", "no", "--disable-x kind=switch", {"--disable-x": True}, "replaced"),
        (INVERTED, "--enable-x", "maybe", "--disable-x kind=switch", {}, "bad-bool"),
        (MOVED, "--x", "3", "--j kind=json", {"--j.x": 3}, "replaced"),
        (MOVED, "VLLM_X", "3", "--x kind=int", {"--x": 3}, "replaced"),
        (MOVED, "VLLM_X", "abc", "--x kind=int", {}, "bad-integer"),
        (MOVED, "--j.x", 3, "VLLM_X kind=int", {"VLLM_X": "3"}, "replaced"),
        (MOVED, "--j.x", 3.0, "VLLM_X kind=int", {"VLLM_X": "3"}, "replaced"),
        (MOVED, "--j.x", 3.5, "VLLM_X kind=int", {}, "bad-integer"),
        (LEVELS, "--j.level", 3, "--j kind=json shape mode", {"--j.mode": "ALL"}, "replaced"),
        (LEVELS, "--j.mode", "NONE", "--j kind=json shape level", {"--j.level": 0}, "replaced"),
        (ENDED, "--r", "x", "--j kind=json", {"--j.b": "x"}, "replaced"),
        (LASTS, "--r", "x", "--j kind=json", {"--j.a": "x"}, "replaced"),
        (TASK, "--task", "embed", RUNNER, {"--runner": "pooling", "--convert": "embed"}, "replaced"),
        (TASK, "--task", "auto", RUNNER, {}, "now-default"),
        (TASK, "--task", "score", RUNNER, {}, "removed"),
        (GONE, "--v2", True, "--x kind=int", {}, "now-default"),
        (GONE, "--v2", "1", "--x kind=int", {}, "now-default"),
        (GONE, "--v2", False, "--x kind=int", {}, "removed"),
        (KEYS, "--all", {"a": 1, "b": 2}, "--x kind=int", {"--x": 1}, "replaced removed"),
        (KEYS, "--all", {"c": 1}, "--x kind=int", {}, "no-key"),
        (KEYS, "--all", {}, "--x kind=int", {}, "now-default"),
    ],
)  # fmt: skip
def test_one_setting_is_replaced(
    changes: list[str], name: str, value: Any, flags: Any, made: dict[str, Any], codes: str
) -> None:
    """Renamed, inverted, moved, split, gone or key by key, in either direction of time; values are
    typed as the new place wants them, and spelled as it spells them.
    """
    flags, env = (flags,) if isinstance(flags, str) else flags, ()
    if flags[0].startswith("VLLM_"):
        flags, env = ("--z kind=int",), flags
    line, shape, key = flags[0].partition(" shape ")
    shapes = {"--j": {"kind": "object", "keys": {key: {"kind": "str" if key == "mode" else "int"}}}}
    here = scope(line + shape, *flags[1:], changes=changes, env=env, shapes=shapes if key else {})
    settings, findings = carry(setting(name, value, name.lstrip("-").upper()), here)
    assert {item.name: item.value for item in settings} == made
    assert " ".join(item.code for item in findings) == codes


def test_keys_inside_the_value_are_renamed_and_neighbours_are_set() -> None:
    """`type` became `rope_type`; a neighbour yields to what is set."""
    renamed, beside = {"--j.r": {"type": "rope_type"}}, {"--j.r": {"--j.kind": "default"}}
    changes = same("--r", "--j.r", rename_keys=renamed, beside=beside)
    here = scope("--j kind=json", changes=changes)
    made, _ = carry(setting("--r", {"type": "yarn", "factor": 4}, "R"), here)
    assert [(item.name, item.value, item.weak) for item in made] == [
        ("--j.r", {"rope_type": "yarn", "factor": 4}, False),
        ("--j.kind", "default", True),
    ]
    assert len(carry(setting("--r", False, "R"), here)[0]) == 1  # of a switch that is off


def test_several_settings_become_one_value() -> None:
    """The one with the most parts."""
    here = scope("--task kind=str", changes=TASK)
    both = [setting("--runner", "pooling", "R"), setting("--convert", "embed", "C")]
    other = setting("--z", 1, "Z")
    (made,), (told,), rest = join_splits([*both, other], here)
    assert (made.flag, made.value, str(made.origin), rest) == ("--task", "embed", "R C", [other])
    assert (told.code, told.subject, told.facts["given"]) == ("replaced", "R C", "R (--runner) C (--convert)")  # fmt: skip
    ((made,), _, _) = join_splits(both[:1], here)
    assert (made.flag, made.value) == ("--task", "classify")
    assert replacements([setting("--runner", "generate", "R")], here)[0] == []


def test_what_no_entry_knows_is_an_error_with_the_versions() -> None:
    """Of a flag; of a variable, a warning."""
    older = {"0.6.6": ("--only-old kind=int",)}
    here = scope("--x kind=int", older=older)
    _, (told,) = carry(setting("--only-old", 1, "ONLY_OLD"), here)
    assert told.code == "flag-not-in-version"
    assert (told.facts["removed"], told.facts["versions"]) == ("9.9", "0.6.6")
    for name, code in (("VLLM_OLD", "variable-not-in-version"), ("--j.k", "no-key")):
        assert [item.code for item in carry(setting(name, "1", "X"), here)[1]] == [code]


def test_a_value_that_was_renamed() -> None:
    """Only where the version's choices have the other one."""
    changes = ["--x=old\tkind=value\tvalues:old|new", "--x=new\tkind=value\tvalues:old|new"]
    for choices, text, new in (("new|other", " old ", "new"), ("new", "odd", None), ("old", "new", "old")):  # fmt: skip
        here = scope(f"--x kind=str choices:{choices}", changes=changes)
        flag = here.catalog.flag("--x")
        assert flag is not None
        found = renamed_choice(
            origin("X"), text, flag, BadValue("bad-choice", choices=("new",)), here
        )
        assert (found[0] if found else None) == new
        assert renamed_choice(origin("X"), text, flag, BadValue("bad-text"), here) is None


# --- the shipped tables ---------------------------------------------------------------------------


@pytest.mark.parametrize("vllm", ["0.8.5", "0.10.2", "0.19.1", "0.27.1", NEWEST])
def test_the_old_workers_table_is_never_silent(vllm: str) -> None:
    """Every variable of the dialect with its documented default: on argv, in the environment, or a
    finding.
    """
    for name, fields in shipped().records("dialect.runpod.json").items():
        if name.startswith("@") or not fields.get("default") or name == "MODEL_NAME":
            continue
        off = fields["default"].lower() in ("false", "0") or fields["default"] in fields.get(
            "unset", ()
        )
        assert off or outcome(name, fields["default"], vllm), name


def outcome(name: str, text: str, vllm: str) -> bool:
    """Whether something came of a variable."""
    try:
        done = env_to_args({"MODEL_NAME": "m", name: text}, vllm=vllm)
    except TranslationError as error:
        return name in {item.subject for item in error.findings}
    return (
        len(done.argv) > 3 or name in done.env or name in {item.subject for item in done.findings}
    )
