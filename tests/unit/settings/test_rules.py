"""Numbers and keys that the parser takes and the engine refuses, as the catalogs have them: a
warning when translating, an error when starting.
"""

from __future__ import annotations

import pytest
from support.tables import committed

from translator import env_to_args
from translator.authoring.compile import catalog_of
from translator.settings.rules import CODE
from translator.tables.catalog import shipped
from translator.tables.shapes import problems

NEWEST = "0.33.0"


def told(vllm: str = NEWEST, **env: str) -> list[tuple[str, str]]:
    return [
        (item.subject, item.hint)
        for item in env_to_args({"MODEL_NAME": "m", **env}, vllm=vllm).findings
        if item.code == CODE
    ]


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("GPU_MEMORY_UTILIZATION", "95", "Did you mean `GPU_MEMORY_UTILIZATION=0.95`?"), ("GPU_MEMORY_UTILIZATION", "0", ""), ("GPU_MEMORY_UTILIZATION", "nan", ""),
        ("TENSOR_PARALLEL_SIZE", "0", ""), ("MAX_NUM_SEQS", "-1", ""), ("DATA_PARALLEL_RPC_PORT", "70000", ""), ("MAX_MODEL_LEN", "-2", ""),
    ],
)  # fmt: skip
def test_numbers_beyond_the_bounds(name: str, text: str, hint: str) -> None:
    """With the bounds, and what to write."""
    assert told(**{name: text}) == [(name, hint or "Use another value, or remove it.")]


@pytest.mark.parametrize(
    "env",
    [
        {"GPU_MEMORY_UTILIZATION": "1"}, {"GPU_MEMORY_UTILIZATION": "0.001"}, {"TENSOR_PARALLEL_SIZE": "1"}, {"MAX_MODEL_LEN": "-1"}, {"MAX_MODEL_LEN": "auto"},
        {"DATA_PARALLEL_RPC_PORT": "65535"}, {"DATA_PARALLEL_SIZE_LOCAL": "0"}, {"CPU_OFFLOAD_GB": "0"},
    ],
)  # fmt: skip
def test_numbers_at_the_bounds(env: dict[str, str]) -> None:
    """Are accepted."""
    assert told(**env) == []


def test_versions_without_the_bound_say_nothing() -> None:
    """As they do not."""
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
        for number in (-2, -1, 0, 0.5, 1, 1.5, 2, 65535, 65536):
            if bounds.above < number < bounds.below and (
                shape["kind"] == "float" or number == int(number)
            ):
                assert not any(problems(number, shape)), (name, number)
