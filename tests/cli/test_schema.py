"""`translate tables schema`."""

from __future__ import annotations

import json

from support.program import translate


def test_both_schemas_are_json_of_draft_2020_12() -> None:
    for what, key in (("config", "max-model-len"), ("env", "MAX_MODEL_LEN")):
        done = translate("tables", "schema", "--vllm", "0.27.1", "--for", what)
        assert (done.status, done.err) == (0, "")
        schema = json.loads(done.out)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert "integer" in schema["properties"][key]["description"]


def test_the_dialect_names_the_variables() -> None:
    done = translate("tables", "schema", "--for", "env", "--dialect", "sagemaker")
    assert "SM_VLLM_MAX_MODEL_LEN" in json.loads(done.out)["properties"]
