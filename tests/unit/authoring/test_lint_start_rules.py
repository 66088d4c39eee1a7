"""What the parser takes and vLLM then refuses to start with: a warning when translating, an error
when starting.
"""

from __future__ import annotations

import pytest

from translator import args_to_env, env_to_args
from translator.findings import REFUSED
from translator.settings.assemble import fits
from translator.tables.catalog import shipped


def told(env: dict[str, str], vllm: str) -> list[tuple[str, str, str]]:
    return [
        (item.severity, item.subject, item.hint)
        for item in env_to_args({"MODEL_NAME": "m", **env}, vllm=vllm).findings
        if item.code == REFUSED
    ]


def test_auto_tool_choice_needs_a_parser() -> None:
    """In every version that has the flag."""
    name = "ENABLE_AUTO_TOOL_CHOICE"
    having = [
        vllm
        for vllm in shipped().versions()
        if shipped().catalog(vllm).flag("--enable-auto-tool-choice")
    ]
    assert len(having) > 60
    for vllm in having:
        assert told({name: "true"}, vllm) == [("error", name, "Set `TOOL_CALL_PARSER`.")], vllm
        assert told({name: "true", "TOOL_CALL_PARSER": "hermes"}, vllm) == [], vllm
        assert told({name: "false"}, vllm) == [], vllm
        done = args_to_env(["m", "--enable-auto-tool-choice"], vllm=vllm)
        assert [(item.subject, item.hint) for item in done.findings if item.code == REFUSED] == [
            ("--enable-auto-tool-choice", "Set `--tool-call-parser`.")
        ], vllm


@pytest.mark.parametrize(
    ("env", "vllm", "hint"),
    [
        ({"ENABLE_REASONING": "1"}, "0.8.5", "Set `REASONING_PARSER`."),
        ({"ENABLE_REASONING": "1", "REASONING_PARSER": "x", "ENABLE_AUTO_TOOL_CHOICE": "1", "TOOL_CALL_PARSER": "y"}, "0.7.3", "Remove `ENABLE_REASONING`."),
        ({"ENABLE_LOG_OUTPUTS": "1"}, "0.27.1", "Set `ENABLE_LOG_REQUESTS`."),
        ({"ENABLE_ELASTIC_EP": "1", "ENABLE_EXPERT_PARALLEL": "1"}, "0.27.1", "Set `ENABLE_EPLB`."),
        ({"ENABLE_EPLB": "1", "ENABLE_EXPERT_PARALLEL": "1"}, "0.10.0", "Set `TENSOR_PARALLEL_SIZE > 1`."),
        ({"DATA_PARALLEL_RANK": "0"}, "0.9.2", "Set `DATA_PARALLEL_SIZE > 1`."),
        ({"ENABLE_PER_REQUEST_METRICS": "1", "DISABLE_LOG_STATS": "1"}, "0.33.0", "Remove `DISABLE_LOG_STATS`."),
        ({"HEADLESS": "1", "API_SERVER_COUNT": "1"}, "0.33.0", "Remove `API_SERVER_COUNT`."),
        ({"SSE_KEEP_ALIVE_INTERVAL": "-1"}, "0.33.0", "Use another value, or remove it."),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1", "DATA_PARALLEL_SIZE": "2", "NNODES": "2", "DATA_PARALLEL_START_RANK": "0"}, "0.33.0", "Remove `DATA_PARALLEL_START_RANK`."),
    ],
)  # fmt: skip
def test_the_rules_of_their_time(env: dict[str, str], vllm: str, hint: str) -> None:
    """Each with its remedy."""
    assert [item[2] for item in told(env, vllm)] == [hint]


@pytest.mark.parametrize(
    ("env", "vllm"),
    [
        ({"ENABLE_EPLB": "1"}, "0.9.2"), ({"ENABLE_EPLB": "1", "ENABLE_EXPERT_PARALLEL": "1", "DATA_PARALLEL_SIZE": "2"}, "0.33.0"),
        ({"HEADLESS": "1", "API_SERVER_COUNT": "1"}, "0.14.1"), ({"ENABLE_LOG_OUTPUTS": "1"}, "0.10.2"), ({"ENABLE_REASONING": "1"}, "0.9.2"),
        ({"DATA_PARALLEL_EXTERNAL_LB": "1", "DATA_PARALLEL_SIZE": "2", "NNODES": "2", "DATA_PARALLEL_START_RANK": "0"}, "0.14.1"), ({"SSE_KEEP_ALIVE_INTERVAL": "0"}, "0.33.0"),
        ({"ENABLE_AUTO_TOOL_CHOICE": "1", "VLLM_CONFIG_FILE": "/x.yaml"}, "0.33.0"), ({"HEADLESS": "1", "API_SERVER_COUNT": "2", "GRPC": "1"}, "0.33.0"),
    ],
)  # fmt: skip
def test_what_is_no_mistake_there(env: dict[str, str], vllm: str) -> None:
    """Versions without the rule; a file that may have the other flag."""
    assert told(env, vllm) == []


def test_the_words() -> None:
    """Of the table."""
    assert [
        word for word in ("true", "set", "positive", "negative", "many", "not-one") if fits(2, word)
    ] == ["true", "set", "positive", "many", "not-one"]
    assert [
        word for word in ("true", "set", "positive", "negative", "many", "not-one") if fits(0, word)
    ] == ["set", "not-one"]
    assert not any(
        fits(None, word) for word in ("true", "set", "positive", "negative", "many", "not-one")
    )
    assert fits(-1, "negative")
    assert not fits(True, "positive")
