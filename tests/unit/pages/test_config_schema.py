"""The schema of --config files, against files that real parsers took."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
import yaml
from cases import config_files

from translator.pages.config_schema import config_schema
from translator.tables.catalog import shipped

jsonschema = pytest.importorskip("jsonschema", reason="the extra `test` has jsonschema")

# What it refuses although the parser takes it: abbreviations, which are to be written out.
ABBREVIATED = {"max-model-l: 4096", "tensor-parallel: 2", "tensor: 2"}


@functools.cache
def validator(version: str) -> Any:
    return jsonschema.Draft202012Validator(
        json.loads(json.dumps(config_schema(shipped().catalog(version))))
    )


def fits(version: str, text: str) -> bool:
    return bool(validator(version).is_valid(yaml.safe_load(text)))


@pytest.mark.parametrize("version", config_files.VERSIONS)
def test_what_the_real_parser_takes_fits(version: str) -> None:
    record = config_files.recorded()[version]
    assert tuple(record) == config_files.FILES, (
        "record them anew: python -m tests.real.record_files"
    )
    refused = {text for text, taken in record.items() if taken and not fits(version, text)}
    assert refused <= ABBREVIATED


@pytest.mark.parametrize(
    "text",
    [
        "no-such-flag: 1",
        "max-model-length: 4096",
        "max-model-len: abc",
        "max-model-len: [1, 2]",
        "max-num-seqs: 0",  # by the engine
        "gpu-memory-utilization: 1.5",
        "dtype: fp9",
        "block-size: {a: 1}",
        "enforce-eager: 'yes'",
        "no-enable-prefix-caching: 3",
        "compilation-config: {no_such_key: 1}",
        "compilation-config: [1, 2]",
        "kv-transfer-config: {kv_connector: a, kv_role: nothing}",
        "speculative-config: {method: nothing}",
    ],
)
def test_a_mistake_does_not_fit(text: str) -> None:
    assert not fits("0.33.0", text)


def test_an_object_is_no_json_where_it_is_written_by_str() -> None:
    assert not fits("0.11.0", "kv-transfer-config: {kv_connector: a, kv_role: kv_both}")
    assert fits("0.33.0", "kv-transfer-config: {kv_connector: a, kv_role: kv_both}")


def test_it_is_a_schema_of_draft_2020_12() -> None:
    schema = validator("0.33.0").schema
    # Most flags have the same: each is asked once.
    once = {json.dumps(each.get("anyOf")): each for each in schema["properties"].values()}
    few = {**schema, "properties": {str(at): each for at, each in enumerate(once.values())}}
    jsonschema.Draft202012Validator.check_schema({**few, "patternProperties": {}})


def test_the_model_is_no_key_where_the_command_has_no_such_flag() -> None:
    """0.9.0 leaves --model out of `vllm serve`."""
    assert not fits("0.9.0.1", "model: org/m")
    assert fits("0.9.0.1", "model: false")  # which sets nothing
    assert fits("0.9.0.1", "seed: 1")
    assert fits("0.9.1", "model: org/m")


def test_a_removed_flag_says_so_and_may_only_set_nothing() -> None:
    schema = config_schema(shipped().catalog("0.33.0"))
    swap = schema["properties"]["swap-space"]
    assert swap["deprecated"]
    assert "0.17.1" in swap["description"]
    assert not fits("0.33.0", "swap-space: 4")
    assert fits("0.33.0", "swap-space: false")


def test_a_flag_has_its_default_its_kind_and_its_versions() -> None:
    found = config_schema(shipped().catalog("0.33.0"))["properties"]["max-num-batched-tokens"]
    assert ". `--max-num-batched-tokens`: integer" in found["description"]
    assert f"to {shipped().versions()[-1]}." in found["description"]
    assert config_schema(shipped().catalog("0.27.1"))["properties"]["seed"]["default"] == 0


def test_a_version_without_config_files_refuses_all() -> None:
    old = next(
        version
        for version in shipped().versions()
        if not shipped().catalog(version).knows("--config")
    )
    assert not validator(old).is_valid({})
