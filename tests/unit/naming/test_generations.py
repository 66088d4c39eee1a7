"""Older generations of a platform's program: which one is meant, and what it does not read."""

from __future__ import annotations

import pytest
from support.dialects import codes

from translator import TranslationError, args_to_env, env_to_args
from translator.findings import Finding
from translator.naming.dialect import generations, of_release, of_version
from translator.naming.scope import older_generation, scope
from translator.tables.catalog import shipped

LINE = ["m", "--max-model-len", "8k", "--tool-call-parser", "hermes", "--middleware", "a.b"]


def subjects(findings: tuple[Finding, ...], code: str) -> list[str]:
    return [item.subject for item in findings if item.code == code]


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("1.1", "runpod@1.2"),
        ("1.9", "runpod@2.5"),
        ("1.9.0", "runpod@2.5"),
        ("2.20", "runpod@2.23"),
        ("2.20.0", "runpod@2.20"),
        ("2.24", "runpod"),
        ("2.25.2", "runpod"),
    ],
)
def test_a_release_belongs_to_a_generation(release: str, name: str) -> None:
    """By the first release of each; two numbers are the newest release that begins so."""
    assert of_release(f"runpod@{release}", shipped()) == name
    # and is a dialect like any other
    assert args_to_env(["m"], vllm="0.8.4", dialect=f"runpod@{release}").env == {"MODEL_NAME": "m"}


@pytest.mark.parametrize(
    "name", ["runpod@1.0", "runpod@0.3.2", "runpod@", "runpod@x", "lmi@1.9", "runpod@²"]
)
def test_a_release_before_the_first_is_no_dialect(name: str) -> None:
    assert of_release(name, shipped()) is None
    with pytest.raises(TranslationError) as caught:
        args_to_env(["m"], vllm="0.8.4", dialect=name)
    assert codes(caught.value.findings) == {"unknown-dialect"}


@pytest.mark.parametrize(
    ("vllm", "name"),
    [
        ("0.5.2", "runpod@1.2"),
        ("0.6.4", "runpod@1.7"),
        ("0.8.5", "runpod@2.5"),
        ("0.20.2", "runpod@2.23"),
        ("0.25.1", "runpod@2.23"),
        ("0.26.0", None),
        ("0.33.0", None),
    ],
)
def test_a_version_is_run_by_a_generation(vllm: str, name: str | None) -> None:
    """The newest that ran it, or an older version; the oldest, where none did."""
    assert of_version("runpod", vllm, shipped()) == name
    older = older_generation(scope(vllm, "runpod", {}, shipped())[0])
    assert (older.name if older is not None else None) == name
    for other in ("sagemaker", "runpod@2.5", "runpod@2.25"):
        assert older_generation(scope(vllm, other, {}, shipped())[0]) is None


def test_generations_are_in_one_order() -> None:
    """Of releases and of vLLM alike, or a version would belong to two of them."""
    found = generations("runpod", shipped())
    assert [item.vllm for item in found] == sorted(item.vllm for item in found)
    assert len({item.release for item in found}) == len(found) > 5
    assert generations("lmi", shipped()) == []


def test_what_a_named_generation_cannot_be_given_is_an_error() -> None:
    with pytest.raises(TranslationError) as caught:
        args_to_env(LINE, vllm="0.23.0", dialect="runpod@2.23")
    (error,) = [item for item in caught.value.findings if item.severity == "error"]
    assert (error.code, error.subject) == ("cannot-be-said", "--middleware")
    assert error.message == (
        "RunPod's worker 2.23 does not pass `--middleware` on to vLLM, so no variable can set it."
    )
    assert error.hint == (
        "Use worker-vllm 2.24 or newer, or make `translate exec` the entrypoint of the image."
    )


def test_without_a_name_it_is_a_warning_and_stays_readable() -> None:
    """`translate exec` reads what the worker of that vLLM does not."""
    made = args_to_env(LINE, vllm="0.23.0")
    assert subjects(made.findings, "older-consumer") == ["--middleware"]
    assert env_to_args(made.env, vllm="0.23.0").argv == [
        "vllm",
        "serve",
        "m",
        "--max-model-len=8000",
        "--middleware=a.b",
        "--tool-call-parser=hermes",
    ]
    assert not subjects(args_to_env(LINE, vllm="0.27.1").findings, "older-consumer")


def test_without_a_name_both_read_what_both_can() -> None:
    """The variable of the generation, where it differs from that of the current worker."""
    line = ["m", "--limit-mm-per-prompt", '{"image":2}', "--logits-processors", "a.B"]
    made = args_to_env(line, vllm="0.23.0")
    assert made.env == {
        "MODEL_NAME": "m",
        "LIMIT_MM_PER_PROMPT": "image=2",
        "LOGITS_PROCESSORS": '["a.B"]',
    }
    assert made.env == args_to_env(line, vllm="0.23.0", dialect="runpod@2.23").env
    assert env_to_args(made.env, vllm="0.23.0").argv[3:] == [
        '--limit-mm-per-prompt={"image":2}',
        "--logits-processors=a.B",
    ]


def test_its_own_defaults_are_told_and_added() -> None:
    """Those that the version does not have, or has itself, are not."""
    names = "--gpu-memory-utilization, --max-num-seqs, --block-size, --enable-prefix-caching"
    told = subjects(args_to_env(["m"], vllm="0.23.0").findings, "consumer-default")
    assert told == ["--max-num-batched-tokens", names]
    line = env_to_args({"MODEL_NAME": "m"}, vllm="0.23.0", dialect="runpod@2.23")
    assert line.argv[3:] == [
        "--block-size=16",
        "--no-enable-prefix-caching",
        "--gpu-memory-utilization=0.95",
        "--max-num-seqs=256",
    ]
    assert subjects(line.findings, "consumer-default") == ["--max-num-batched-tokens", names]
    told = subjects(args_to_env(["m"], vllm="0.6.4").findings, "consumer-default")
    assert told == ["--gpu-memory-utilization"]
    told = subjects(args_to_env(["m"], vllm="0.5.3.post1").findings, "consumer-default")
    assert told == ["--disable-log-stats, --disable-log-requests"]
    several = args_to_env(["m", "-tp", "2"], vllm="0.11.0", dialect="runpod@2.11").findings
    assert subjects(several, "consumer-default")[0] == "--tensor-parallel-size"


@pytest.mark.parametrize(
    ("env", "message", "hint"),
    [
        ({"ENABLE_LORA": "1"}, "`ENABLE_LORA=1`: for RunPod's worker 2.11, only `true` is true.", "Write `ENABLE_LORA=true`."),
        ({"ROPE_SCALING": "{}"}, "`ROPE_SCALING` sets `--rope-scaling` here, but RunPod's worker 2.11 does not pass `--rope-scaling` on to vLLM.", ""),
        ({"LIMIT_MM_PER_PROMPT": '{"image":2}'}, "`LIMIT_MM_PER_PROMPT={\"image\":2}`: RunPod's worker 2.11 reads only `key=number` pairs with commas between.",
         "Write such pairs."),
        ({"ENABLE_CHUNKED_PREFILL": "false"},
         "`ENABLE_CHUNKED_PREFILL=false` switches `--enable-chunked-prefill` on: RunPod's worker 2.11 does so for every text.",
         "Remove `ENABLE_CHUNKED_PREFILL`."),
    ],
)  # fmt: skip
def test_what_a_generation_reads_otherwise(env: dict[str, str], message: str, hint: str) -> None:
    found = env_to_args({"MODEL_NAME": "m", **env}, vllm="0.11.0", dialect="runpod@2.11").findings
    assert [(item.message, item.hint) for item in found if item.code == "consumer-differs"] == [
        (message, hint)
    ]
    # `translate exec` reads it
    assert "consumer-differs" not in codes(
        env_to_args({"MODEL_NAME": "m", **env}, vllm="0.11.0").findings
    )


def test_what_a_generation_reads_alike() -> None:
    env = {
        "ENABLE_LORA": "True",
        "LIMIT_MM_PER_PROMPT": "image=2",
        "ENABLE_CHUNKED_PREFILL": "true",
    }
    found = env_to_args({"MODEL_NAME": "m", **env}, vllm="0.11.0", dialect="runpod@2.11").findings
    assert codes(found) & {"consumer-differs", "repaired-json"} == set()


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        (["--port", "9000"], ["--port"]),
        (["--uds", "/tmp/s", "--host", "10.0.0.1"], ["--host", "--uds"]),
        (["--api-key", "k-1aaa"], ["--api-key"]),
        (["--ssl-keyfile", "k", "--ssl-certfile", "c"], ["--ssl-certfile", "--ssl-keyfile"]),
        (["--port", "8000", "--host", "0.0.0.0"], []),
        (["--seed", "9000"], []),
    ],
)
def test_a_flag_that_the_running_worker_does_not_survive(line: list[str], flags: list[str]) -> None:
    """A warning where variables are written for it; a note where somebody else may read them."""
    made = args_to_env(["m", *line], vllm="0.27.1")
    assert sorted(subjects(made.findings, "platform-breaks")) == flags
    extra = {"MODEL_NAME": "m", "VLLM_EXTRA_ARGS": " ".join(line)}
    found = env_to_args(extra, vllm="0.27.1").findings
    assert len(subjects(found, "platform-differs")) == len(flags)
    # an older worker starts no server, and reads no VLLM_EXTRA_ARGS
    assert "platform-breaks" not in codes(args_to_env(["m", *line], vllm="0.23.0").findings)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("LORA_MODULES", '[{"name":"a","path":"b"}]', True),
        ("SERVED_MODEL_NAME", "a,b", True),
        ("MAX_MODEL_LEN", "0", True),
        ("LORA_MODULES", '{"name":"a","path":"b"}', False),
        ("SERVED_MODEL_NAME", "a", False),
        ("MAX_NUM_BATCHED_TOKENS", "0", False),
        ("MAX_MODEL_LEN", "8k", False),
    ],
)
def test_a_value_that_the_worker_reads_otherwise(name: str, text: str, told: bool) -> None:
    env = {"MODEL_NAME": "m", name: text}
    for _ in range(2):  # the second reading remembers the first
        found = env_to_args(env, vllm="0.27.1").findings
        assert subjects(found, "platform-differs") == ([name] if told else [])
