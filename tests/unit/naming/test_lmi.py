"""LMI's own rules, written down here once more from its documentation."""

from __future__ import annotations

import pytest
from support.consumers import tokens_for
from support.dialects import told

from translator import args_to_env, env_to_args


def test_lmi_drops_what_is_no_field_of_the_engines_arguments() -> None:
    """Other spellings, keys in a name, names that are nearly right, names that are not; none of
    them without a word.
    """
    model = {"HF_MODEL_ID": "m"}
    assert told("lmi", OPTION_NO_ENABLE_PREFIX_CACHING="true", **model) == {
        ("consumer-differs", "OPTION_NO_ENABLE_PREFIX_CACHING")
    }
    assert told("lmi", OPTION_SPECULATIVE_CONFIG__METHOD="ngram", **model) == {
        ("consumer-differs", "OPTION_SPECULATIVE_CONFIG__METHOD")
    }
    assert told("lmi", OPTION_MAX_MODL_LEN="8", **model) == {
        ("unknown-variable", "OPTION_MAX_MODL_LEN")
    }
    assert told("lmi", OPTION_FLASH="8", OPTION_Seed="1", **model) == {
        ("unknown-variable", "OPTION_FLASH"),
        ("unknown-variable", "OPTION_Seed"),
    }
    assert (
        told(
            "lmi",
            OPTION_ENFORCE_EAGER="true",
            OPTION_SPECULATIVE_CONFIG='{"method":"ngram"}',
            OPTION_BATCH_SIZE="2",
            **model,
        )
        == set()
    )


def test_lmi_prefers_what_the_model_server_writes_for_itself() -> None:
    """HF_MODEL_ID, HF_REVISION and HF_TASK become a file, which wins over OPTION_*."""
    env = {
        "HF_MODEL_ID": "m",
        "OPTION_MODEL_ID": "other",
        "HF_REVISION": "r",
        "OPTION_REVISION": "other",
        "HF_TASK": "classify",
        "OPTION_TASK": "generate",
    }
    argv = env_to_args(env, vllm="0.27.1", dialect="lmi").argv
    assert [token for token in argv if not token.startswith(("--max-", "--runner"))] == [
        "vllm",
        "serve",
        "m",
        "--convert=classify",
        "--revision=r",
    ]
    theirs = tokens_for("lmi", env)
    assert theirs is not None
    assert theirs[0] == "m"
    assert [theirs[theirs.index(name) + 1] for name in ("--revision", "--convert")] == [
        "r",
        "classify",
    ]


@pytest.mark.parametrize("task", ["generate", "text-embedding", "classify", "feature-extraction"])
def test_lmi_is_told_a_task_by_its_name(task: str) -> None:
    """The container takes it for more than vLLM's two flags: which of its own services it
    starts.
    """
    argv = env_to_args({"HF_MODEL_ID": "m", "OPTION_TASK": task}, vllm="0.27.1", dialect="lmi").argv
    assert args_to_env(argv, vllm="0.27.1", dialect="lmi").env["OPTION_TASK"] == task
    assert told("lmi", HF_MODEL_ID="m", OPTION_TASK=task) == set()
    one_more = args_to_env(
        ["m", "--runner=pooling", "--convert=classify"], vllm="0.27.1", dialect="lmi"
    ).env
    assert one_more == {
        "HF_MODEL_ID": "m",
        "OPTION_RUNNER": "pooling",
        "OPTION_CONVERT": "classify",
    }
