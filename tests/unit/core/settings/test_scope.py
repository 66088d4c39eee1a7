"""What a variable's name means in a version and a dialect."""

import pytest
from support.dialects import refused
from support.made_up import scope as made_scope

from translator.core.settings.scope import Scope, scope
from translator.core.tables.catalog import Tables, shipped

DIALECT = (
    "ALIAS role=flag flag=--x order#1", "LATER role=flag flag=--x order#2",
    "KEYED role=flag flag=--j.method", "X role=flag flag=--x default=1",
    "PORT role=reserved note=no", "WORKER role=worker", "HF_TOKEN role=environment",
    "VLLM_KNOWN role=environment note=n", "OLD role=flag flag=--gone",
    "UNKNOWN role=flag flag=--never", "PLAIN role=flag flag=--x order#3",
)  # fmt: skip
SHAPES = {"--j": {"kind": "object", "keys": {"method": {"kind": "str"}, "n": {"kind": "int"}}}}


@pytest.fixture(scope="module")
def here() -> Scope:
    return made_scope(
        "--x kind=int aliases:--ex", "--j kind=json shape", "--port kind=int", "--on kind=toggle negations:--no-on|--off", "--e-x-tra kind=int",
        env=("VLLM_KNOWN kind=int", "LD_X kind=str"),
        shapes=SHAPES, dialect=DIALECT, older={"0.6.6": ("--gone kind=str", "--x kind=int", "--gonejson kind=json")},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "flag", "path"),
    [
        ("X", "flag", "--x", ()), ("ALIAS", "flag", "--x", ()), ("KEYED", "flag", "--j", ("method",)), ("J", "flag", "--j", ()),
        ("J__METHOD", "flag", "--j", ("method",)), ("J__A__B", "flag", "--j", ("a", "b")),
        ("PORT", "reserved", None, ()), ("WORKER", "worker", None, ()), ("HF_TOKEN", "environment", None, ()), ("EXTRA", "extra-args", None, ()),
        ("CONFIG_FILE", "config-file", None, ()),
        ("VLLM_KNOWN", "native", None, ()), ("LD_X", "native", None, ()), ("VLLM_OTHER", "unknown-vllm", None, ()), ("OLD", "absent", None, ()),
        ("GONE", "absent", None, ()), ("GONEJSON__A", "absent", None, ("a",)),
        ("ON", "flag", "--on", ()), ("NO_ON", "flag", "--on", ()), ("OFF", "flag", "--on", ()), ("EX", "flag", "--x", ()), ("E_X_TRA", "flag", "--e-x-tra", ()),
        ("UNKNOWN", "no-flag", None, ()),
    ],
)  # fmt: skip
def test_names_and_what_they_mean(
    here: Scope, name: str, kind: str, flag: str | None, path: tuple[str, ...]
) -> None:
    """The dialect first, then vLLM's own variables, then the flags in capitals, of this version and
    of others.
    """
    role = here.role(name)
    assert role is not None
    assert (role.kind, role.flag.flag if role.flag else None, role.path) == (kind, flag, path)


@pytest.mark.parametrize(
    "name", ["", "x", "Max_Len", "NOTHING", "X__A", "X__", "__X", "J__", "J____A", "ALIAS__A", "@dialect", "PATH", "_", "J__a b__"]
)  # fmt: skip
def test_names_that_are_none_of_ours(here: Scope, name: str) -> None:
    """Small letters, keys of flags that have none, empty keys, and everything else."""
    role = here.role(name)
    assert role is None or (
        role.kind == "flag" and role.flag is not None and role.flag.kind == "json"
    )


def test_aliases_beat_the_name_and_later_ones_earlier_ones(here: Scope) -> None:
    """The flag's own name in capitals is the weakest, though it stands in the dialect, too."""
    ranks = [here.role(name).rank for name in ("X", "ALIAS", "LATER", "PLAIN")]  # type: ignore[union-attr]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 4
    assert ranks[0] == 0


def test_a_spelling_for_off_is_turned_round(here: Scope) -> None:
    assert here.role("NO_ON").inverted  # type: ignore[union-attr]
    assert not here.role("ON").inverted  # type: ignore[union-attr]


def test_secrets_are_not_shown() -> None:
    here = scope("0.33.0", "runpod", {}, shipped())[0]
    for name, shown in (("HF_TOKEN", "***"), ("X", "abc")):
        assert here.shown(name, "abc") == shown


def test_a_scope_is_kept() -> None:
    """Asking again costs nothing, whatever way the version is written down."""
    tables = Tables()  # those of other tests may keep as many as they can
    assert (
        scope("0.33.0", "runpod", {}, tables)[0]
        is scope(None, "runpod", {"TRANSLATE_VLLM_VERSION": "0.33.0"}, tables)[0]
    )


@pytest.mark.parametrize(
    ("vllm", "dialect", "codes"),
    [
        ("nightly", "runpod", ["bad-version"]), ("0.1.0", "runpod", ["version-too-old"]), ("0.33.0", "nobody", ["unknown-dialect"]),
        ("x", "y", ["bad-version", "unknown-dialect"]),
    ],
)  # fmt: skip
def test_what_is_not_known_is_an_error(vllm: str, dialect: str, codes: list[str]) -> None:
    """Both at once, if both are wrong."""
    assert [code for code, _ in refused(scope, vllm, dialect, {}, shipped())] == codes
