"""Settings from any reader, made ready for any writer."""

from typing import Any

import pytest
from cases import NEWEST
from support.made_up import origin
from support.made_up import scope as made_scope
from support.tables import committed

from translator import env_to_args
from translator.core.findings import REFUSED
from translator.core.settings import Reading, Resolved, Setting
from translator.core.settings.assemble import assemble
from translator.core.settings.scope import Scope
from translator.core.tables.catalog import shipped
from translator.core.tables.shapes import problems
from translator.maintain.compile import catalog_of

SHAPES = {
    "--j": {
        "kind": "object",
        "keys": {
            "mode": {"kind": "choice", "choices": ["fast", "slow"]}, "n": {"kind": "int", "ge": 1}, "new": {"kind": "int"},
            "deep": {"kind": "object", "keys": {"x": {"kind": "int"}}},
            "dir": {"kind": "str"}, "profiler": {"kind": "str"}, "token": {"kind": "int"},
        },
        "rules": [{"key": "dir", "needs": {"profiler": ["torch"]}}],
    },
    "--need": {"kind": "object", "keys": {"a": {"kind": "int"}}, "required": ["a"]},
}  # fmt: skip
CHANGES = (
    "--j.old\tkind=same\tcarriers:--j.old|--j.new", "--j.new\tkind=same\tcarriers:--j.old|--j.new", "VLLM_DIR\tkind=same\tcarriers:VLLM_DIR|--j.dir\tbeside={\"--j.dir\": {\"--j.profiler\": \"torch\"}}",
    "--gone\tkind=same\tcarriers:--gone|--x",
    "--deep.moved\tkind=same\tcarriers:--deep.moved|--x", "--j.deep.away\tkind=gone\twhy=it went",
)  # fmt: skip


@pytest.fixture(scope="module")
def here() -> Scope:
    return made_scope(
        "--x kind=int", "--j kind=json shape", "--free kind=json", "--need kind=json shape", "--p kind=json syntax=pairs",
        "--pj kind=json syntax=pairs-or-json", "--pc kind=json syntax=colons", "--list kind=list element=str",
        shapes=SHAPES, changes=CHANGES, older={"0.6.6": ("--gone kind=int",)}, secrets=("@patterns\tpatterns:token",),
    )  # fmt: skip


def put(
    here: Scope,
    *settings: tuple[str, Any, str],
    missing: tuple[tuple[str, Any, str], ...] = (),
    quiet: bool = False,
) -> Resolved:
    def made(item: tuple[str, Any, str]) -> Setting:
        flag, *path = item[0].split(".")
        return Setting(flag, item[1], origin(item[2]), tuple(path))

    reading = Reading([made(item) for item in settings], [made(item) for item in missing])
    return assemble(reading, here, quiet=quiet)


def codes(done: Resolved) -> list[str]:
    return [f"{item.code} {item.subject}" for item in done.findings]


def test_later_settings_win_and_are_told_of(here: Scope) -> None:
    """Unless they agree, or the reader is a command line."""
    done = put(here, ("--x", 1, "X"), ("--x", 2, "ALIAS"))
    assert done.values == {"--x": 2}
    assert codes(done) == ["disagreement ALIAS"]
    assert "`ALIAS` wins" in done.findings[0].message
    assert done.shown_origins() == {"--x": ["X", "ALIAS"]}
    assert codes(put(here, ("--x", 1, "X"), ("--x", 1, "ALIAS"))) == []
    assert codes(put(here, ("--x", 1, "--x"), ("--x", 2, "--x=2"), quiet=True)) == []


def test_the_order_of_keys_is_their_own(here: Scope) -> None:
    """An environment has none."""
    one = put(here, ("--free.b", 1, "B"), ("--free.a", 2, "A")).values["--free"]
    other = put(here, ("--free.a", 2, "A"), ("--free.b", 1, "B")).values["--free"]
    assert list(one) == list(other) == ["a", "b"]


def test_what_is_given_by_its_own_name_beats_what_is_carried_to_it(here: Scope) -> None:
    """A flag of another version stands for this one's."""
    done = put(here, missing=(("--gone", 1, "GONE"),))
    assert done.values == {"--x": 1}
    assert codes(done) == ["replaced GONE"]
    done = put(here, ("--x", 2, "X"), missing=(("--gone", 1, "GONE"),))
    assert done.values == {"--x": 2}
    assert codes(done) == ["replaced GONE", "disagreement X"]


def test_keys_of_another_version_move(here: Scope) -> None:
    """Inside a whole JSON value, too; what stands there already wins; an object that is emptied by
    it goes.
    """
    done = put(here, ("--j", {"old": 3, "mode": "fast"}, "J"))
    assert done.values == {"--j": {"mode": "fast", "new": 3}}
    assert codes(done) == ["replaced J"]
    assert put(here, ("--j", {"old": 3, "new": 4}, "J")).values == {"--j": {"new": 4}}
    assert put(here, ("--j.old", 3, "J__OLD")).values == {"--j": {"new": 3}}
    done = put(here, ("--j", {"deep": {"away": 1}}, "J"))
    assert done.values == {}
    assert codes(done) == ["removed J"]
    assert put(here, ("--j", {"deep": {"away": 1, "x": 2}}, "J")).values == {
        "--j": {"deep": {"x": 2}}
    }


def test_a_carried_key_brings_the_neighbour_that_it_needs(here: Scope) -> None:
    """Where only one value will do; what a person wrote is left as it is, and refused."""
    done = put(here, missing=(("VLLM_DIR", "/x", "VLLM_DIR"),))
    assert done.values == {"--j": {"dir": "/x", "profiler": "torch"}}
    assert codes(done) == ["replaced VLLM_DIR"]
    assert codes(put(here, ("--j", {"dir": "/x"}, "J"))) == ["bad-key-value J"]
    assert codes(put(here, ("--j", {"dir": "/x", "profiler": "torch"}, "J"))) == []


def test_keys_and_their_values_are_checked(here: Scope) -> None:
    """With the known keys, the choices, and the variable that set it."""
    done = put(here, ("--j", {"mod": "fast"}, "J"))
    assert codes(done) == ["bad-key J"]
    assert done.findings[0].message == "`--j` of vLLM 9.9.9 has no key `mod`."
    done = put(here, ("--j", {"zzz": 1}, "J"))
    assert done.findings[0].hint.startswith("Known keys: deep, dir, mode, n")
    done = put(here, ("--j.mode", "fst", "J__MODE"))
    assert codes(done) == ["bad-key-value J__MODE"]
    message = '`--j.mode="fst"` is invalid: vLLM 9.9.9 expects one of fast, slow.'
    assert done.findings[0].message == message
    assert codes(put(here, ("--j", {"n": 0}, "--j={...}"))) == ["bad-key-value --j"]
    assert (
        put(here, ("--need", {}, "N")).findings[0].message
        == "`--need` of vLLM 9.9.9 requires the key `a`."
    )
    assert codes(put(here, ("--j", [1], "J"))) == ["bad-key-value J"]
    assert codes(put(here, ("--j", None, "J"), ("--free", {"any": 1}, "F"))) == []
    assert codes(put(here, ("--j", {"n": 0, "mod": 1, "mode": "x"}, "J"))) == [
        "bad-key-value J",
        "bad-key J",
        "bad-key-value J",
    ]


def test_flags_that_take_pairs_take_nothing_else(here: Scope) -> None:
    """Numbers under names; or, in between, JSON objects."""
    assert (
        codes(put(here, ("--p", {"a": 1}, "P"), ("--pj", {"a": "x"}, "PJ"), ("--pj", {}, "PJ")))
        == ["disagreement PJ"][:0]
    )
    for value in ({}, {"a": "x"}, {"a": True}, [1], 3):
        assert codes(put(here, ("--p", value, "P"))) == ["bad-json P"], value
    assert codes(put(here, ("--pj", [1], "PJ"))) == ["bad-json PJ"]
    assert codes(put(here, ("--pc", {"a": "x y", "b": 1, "": True}, "PC"))) == []
    for value in ({}, {"a": None}, {"a": [1]}, {"a": {}}, {"a:b": "c"}, {"a": "b,c"}, [1], None):
        assert codes(put(here, ("--pc", value, "PC"))) == ["bad-json PC"], value


def test_what_became_a_variable_is_in_the_variables() -> None:
    """A flag of a newer version that was a variable before."""
    made = made_scope(
        "--x kind=int",
        env=("VLLM_X kind=int",),
        changes=("--new\tkind=same\tcarriers:VLLM_X|--new",),
        older={"0.6.6": ("--new kind=int",)},
    )
    done = put(made, missing=(("--new", 3, "NEW"),))
    assert (done.values, done.variables, codes(done)) == ({}, {"VLLM_X": "3"}, ["replaced NEW"])


# --- what the parser takes and the engine refuses, as the catalogs have it


def told(vllm: str = NEWEST, **env: str) -> list[tuple[str, str]]:
    return [
        (item.subject, item.hint)
        for item in env_to_args({"MODEL_NAME": "m", **env}, vllm=vllm).findings
        if item.code == REFUSED
    ]


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("GPU_MEMORY_UTILIZATION", "95", "Use another value, or remove it."), ("GPU_MEMORY_UTILIZATION", "0", ""), ("GPU_MEMORY_UTILIZATION", "nan", ""),
        ("TENSOR_PARALLEL_SIZE", "0", ""), ("MAX_NUM_SEQS", "-1", ""), ("DATA_PARALLEL_RPC_PORT", "70000", ""), ("MAX_MODEL_LEN", "-2", ""),
    ],
)  # fmt: skip
def test_numbers_beyond_the_bounds(name: str, text: str, hint: str) -> None:
    assert told(**{name: text}) == [(name, hint or "Use another value, or remove it.")]


@pytest.mark.parametrize(
    "env",
    [
        {"GPU_MEMORY_UTILIZATION": "1"}, {"GPU_MEMORY_UTILIZATION": "0.001"}, {"TENSOR_PARALLEL_SIZE": "1"}, {"MAX_MODEL_LEN": "-1"}, {"MAX_MODEL_LEN": "auto"},
        {"DATA_PARALLEL_RPC_PORT": "65535"}, {"DATA_PARALLEL_SIZE_LOCAL": "0"}, {"CPU_OFFLOAD_GB": "0"},
    ],
)  # fmt: skip
def test_numbers_at_the_bounds(env: dict[str, str]) -> None:
    assert told(**env) == []


@pytest.mark.parametrize(
    ("env", "vllm", "hint"),
    [
        ({"ENABLE_AUTO_TOOL_CHOICE": "true"}, "0.6.0", "Set `TOOL_CALL_PARSER`."),
        ({"ENABLE_AUTO_TOOL_CHOICE": "true"}, "0.33.0", "Set `TOOL_CALL_PARSER`."),
        ({"ENABLE_AUTO_TOOL_CHOICE": "true", "TOOL_CALL_PARSER": "hermes"}, "0.33.0", ""),
        ({"ENABLE_AUTO_TOOL_CHOICE": "false"}, "0.33.0", ""),
        ({"ENABLE_REASONING": "1"}, "0.8.5", "Set `REASONING_PARSER`."),
        ({"ENABLE_REASONING": "1", "REASONING_PARSER": "deepseek_r1", "ENABLE_AUTO_TOOL_CHOICE": "1", "TOOL_CALL_PARSER": "hermes"}, "0.7.3", "Remove `ENABLE_REASONING`."),
        ({"ENABLE_LOG_OUTPUTS": "1"}, "0.27.1", "Set `ENABLE_LOG_REQUESTS=true`."),
        ({"ENABLE_ELASTIC_EP": "1", "ENABLE_EXPERT_PARALLEL": "1"}, "0.27.1", "Set `ENABLE_EPLB=true`."),
        ({"ENABLE_EPLB": "1", "ENABLE_EXPERT_PARALLEL": "1"}, "0.10.0", "Set `TENSOR_PARALLEL_SIZE=2`."),
        ({"DATA_PARALLEL_RANK": "0"}, "0.9.2", "Set `DATA_PARALLEL_SIZE=2`."),
        ({"ENABLE_PER_REQUEST_METRICS": "1", "DISABLE_LOG_STATS": "1"}, "0.33.0", "Remove `DISABLE_LOG_STATS`."),
        ({"HEADLESS": "1", "API_SERVER_COUNT": "1"}, "0.33.0", "Remove `API_SERVER_COUNT`."),
        ({"SSE_KEEP_ALIVE_INTERVAL": "-1"}, "0.33.0", "Set `SSE_KEEP_ALIVE_INTERVAL=0`."),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1", "DATA_PARALLEL_SIZE": "2", "NNODES": "2", "DATA_PARALLEL_START_RANK": "0"}, "0.33.0", "Remove `DATA_PARALLEL_START_RANK`."),
        ({"ENABLE_EPLB": "1"}, "0.9.2", ""),
        ({"ENABLE_EPLB": "1", "ENABLE_EXPERT_PARALLEL": "1", "DATA_PARALLEL_SIZE": "2"}, "0.33.0", ""),
        ({"HEADLESS": "1", "API_SERVER_COUNT": "1"}, "0.14.1", ""),
        ({"ENABLE_LOG_OUTPUTS": "1"}, "0.10.2", ""),
        ({"ENABLE_REASONING": "1"}, "0.9.2", ""),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1", "DATA_PARALLEL_SIZE": "2", "NNODES": "2", "DATA_PARALLEL_START_RANK": "0"}, "0.14.1", ""),
        ({"SSE_KEEP_ALIVE_INTERVAL": "0"}, "0.33.0", ""),
        ({"ENABLE_AUTO_TOOL_CHOICE": "1", "VLLM_CONFIG_FILE": "/x.yaml"}, "0.33.0", ""),
        ({"HEADLESS": "1", "API_SERVER_COUNT": "2", "GRPC": "1"}, "0.33.0", ""),
    ],
)  # fmt: skip
def test_the_rules_of_their_time(env: dict[str, str], vllm: str, hint: str) -> None:
    """Each with its remedy; nothing of versions without the rule, and of a file that may have the
    other flag.
    """
    assert [found for _, found in told(vllm, **env)] == [hint] * bool(hint)


def test_versions_without_the_bound_say_nothing() -> None:
    assert told("0.6.6", TENSOR_PARALLEL_SIZE="-1") == []
    assert told("0.19.1", MAX_LOGPROBS="-5") == []
    assert told("0.33.0", MAX_LOGPROBS="-5") != []


def test_one_key_is_said_of_the_variable_that_set_it() -> None:
    """Capitals are small letters."""
    assert told(
        SPECULATIVE_CONFIG__NUM_SPECULATIVE_TOKENS="0", SPECULATIVE_CONFIG__METHOD="ngram"
    ) == [("SPECULATIVE_CONFIG__NUM_SPECULATIVE_TOKENS", "Use another value, or remove it.")]


@pytest.mark.parametrize("version", shipped().versions())
def test_the_compiled_facts_are_those_of_the_catalog(version: str) -> None:
    """Also read back from the compiled files, and by the quick way that most values go."""
    raw = {item["flag"]: item["start"] for item in committed(version)["flags"] if "start" in item}
    again = {flag.flag: flag.start for flag in catalog_of(version).flags if flag.start is not None}
    assert again.keys() == raw.keys()
    catalog = shipped().catalog(version)
    for name, shape in raw.items():
        flag = catalog.flag(name)
        assert flag is not None
        assert flag.start
        if shape["kind"] == "object":
            assert (catalog.shape(name) or {}).keys() >= {"kind", "keys"}
            continue
        bounds = catalog.bounded[name]
        if shape["kind"] == "choice":
            assert list(bounds.names) == shape["choices"]
            continue
        for number in (-2, -1, 0, 0.5, 1, 1.5, 2, 65535, 65536):
            if bounds.above < number < bounds.below and (
                shape["kind"] == "float" or number == int(number)
            ):
                assert not any(problems(number, shape)), (name, number)
