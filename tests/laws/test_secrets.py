"""Law 5: where a secret goes. It stays in the environment, or becomes the variable that vLLM reads
the same from; on argv it is warned of. That nothing shows it: test_planting.py.
"""

import json
import shlex
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from laws.strategies import MODEL, VERSIONS, catalog, examples
from translator import TranslationError, args_to_env, env_to_args
from translator.core.findings import Finding

# No real value looks like this, so that finding it means that it leaked; quotes and backslashes
# test the masking of escaped texts.
SECRETS = st.builds(
    "S3cr-{}-{}".format,
    st.text("abcdefgh0123456789", min_size=10, max_size=16),
    st.sampled_from(("", "x y", "q'q", 'd"d', "b\\b", "%s", "a=b", "ü", "a/b+c=")),
)
PLAIN_SECRETS = st.builds("S3cr-{}".format, st.text("abcdefgh0123456789", min_size=10, max_size=16))
VARIABLES = (
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "VLLM_API_KEY", "API_KEY", "OPENAI_API_KEY", "RUNPOD_API_KEY", "WANDB_API_KEY", "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "MY_DB_PASSWORD", "GITHUB_TOKEN", "SOME_PRIVATE_KEY", "VLLM_MY_SECRET", "HF_TOKEN__A",
    "VLLM_S3_SECRET_ACCESS_KEYY",
)  # fmt: skip
# Mistakes, so that findings and errors are written about what stands beside the secrets.
MISTAKES: list[dict[str, str]] = [
    {}, {"ENFORCE_EAGER": "maybe"}, {"MAX_MODEL_LEN": "25.6K", "DTYPE": "fp9"}, {"VLLM_EXTRA_ARGS": "--no-such-flag 'unclosed"}, {"VLLM_USER_V1": "1"},
    {"TENSOR_PARALELL_SIZE": "2"},
    {"VLLM_PORT": "tcp://10.0.0.1:8000"}, {"SPECULATIVE_MODEL": "org/d"}, {"SWAP_SPACE": "4"}, {"TASK": "embed"}, {"MAX_CONCURRENCY": "30"},
]  # fmt: skip


def translated(call: Any) -> tuple[list[str], dict[str, str], str, tuple[Finding, ...]]:
    """argv, environment, everything that is said, and the findings."""
    try:
        done = call()
        argv, env, findings, said = list(getattr(done, "argv", [])), done.env, done.findings, ""
    except TranslationError as error:
        argv, env, findings, said = [], {}, error.findings, f"{error}\n{error!r}\n{error.args}"
    for item in findings:
        shown = json.dumps(item.as_dict(), ensure_ascii=False)
        said += f"\n{tuple(item)!r}\n{item.line()}\n{item!r}\n{shown}"
    return argv, env, said, findings


def absent(secret: str, said: str) -> None:
    """Not as it is, and not as JSON or a shell or Python would write it."""
    for form in (secret, json.dumps(secret)[1:-1], shlex.quote(secret), repr(secret)[1:-1]):
        assert form not in said


@examples(100)
@given(
    vllm=st.sampled_from(VERSIONS),
    secrets=st.dictionaries(st.sampled_from(VARIABLES), SECRETS, min_size=1),
    mistake=st.sampled_from(MISTAKES),
)
def test_secret_variables_stay_in_the_environment(
    vllm: str, secrets: dict[str, str], mistake: dict[str, str]
) -> None:
    """Under their own names: never in argv, never said."""
    argv, env, said, _ = translated(
        lambda: env_to_args({"MODEL_NAME": MODEL, **secrets, **mistake}, vllm=vllm)
    )
    for name, secret in secrets.items():
        absent(secret, said)
        assert not any(secret in token for token in argv)
        if argv and name in ("HF_TOKEN", "VLLM_API_KEY", "AWS_SECRET_ACCESS_KEY", "API_KEY"):
            assert env[name] == secret


@examples(100)
@given(
    vllm=st.sampled_from(VERSIONS), secret=SECRETS, flag=st.sampled_from(("--api-key", "--hf-token", "--api_key", "--api-k")),
    joined=st.booleans(), data=st.data(),
)  # fmt: skip
def test_secret_flags_become_variables(
    vllm: str, secret: str, flag: str, joined: bool, data: st.DataObject
) -> None:
    """On a command line, in VLLM_EXTRA_ARGS, in the extra tokens: the value goes to the variable
    that vLLM reads the same from.
    """
    tokens = [f"{flag}={secret}"] if joined else [flag, secret]
    if flag == "--api-k" or flag.replace("_", "-") in catalog(vllm).spellings():
        wrong = ("", "--no-such-flag", "--dtype=fp9", "--swap-space=4", "--max-model-len x")
        tokens += data.draw(st.sampled_from(wrong)).split()
    carrier = "HF_TOKEN" if "hf" in flag else "VLLM_API_KEY"
    for call in (
        lambda: args_to_env([MODEL, *tokens], vllm=vllm),
        lambda: env_to_args(
            {"MODEL_NAME": MODEL, "VLLM_EXTRA_ARGS": shlex.join(tokens)}, vllm=vllm
        ),
        lambda: env_to_args({"MODEL_NAME": MODEL}, vllm=vllm, extra=tokens),
    ):
        argv, env, said, findings = translated(call)
        absent(secret, said)
        assert not any(secret in token for token in argv)
        if env:
            assert env[carrier] == secret
            assert [name for name, text in env.items() if secret in text] == [carrier]
            assert "secret-moved" in [item.code for item in findings]


@examples(60)
@given(
    vllm=st.sampled_from(VERSIONS),
    secrets=st.lists(PLAIN_SECRETS, min_size=2, max_size=3, unique=True),
)
def test_several_keys_are_on_argv_with_a_warning(vllm: str, secrets: list[str]) -> None:
    """vLLM takes a list of keys from its command line only: then, and only then, they stay
    there.
    """
    if catalog(vllm).flag("--api-key").kind != "list":  # type: ignore[union-attr]
        return
    _, env, said, findings = translated(
        lambda: args_to_env([MODEL, "--api-key", *secrets], vllm=vllm)
    )
    for secret in secrets:
        absent(secret, said)
        assert [name for name, text in env.items() if secret in text] == ["VLLM_EXTRA_ARGS"]
    assert "secret-on-argv" in [item.code for item in findings]
    argv, _, said, findings = translated(lambda: env_to_args(env, vllm=vllm))
    for secret in secrets:
        absent(secret, said)
        assert secret in argv
    assert "secret-on-argv" in [item.code for item in findings]


EXTRA = (
    lambda secret: {"token": secret, "a": 1},
    lambda secret: {"s3": {"aws_secret_access_key": secret, "region": "eu"}},
    lambda secret: {"keys": [{"api_key": [secret]}]},
)


@examples(120)
@given(
    vllm=st.sampled_from(VERSIONS),
    secret=SECRETS,
    extra=st.sampled_from(EXTRA),
    mistake=st.sampled_from(MISTAKES[:5]),
)
def test_secrets_inside_json_are_warned_of_and_never_said(
    vllm: str, secret: str, extra: Any, mistake: dict[str, str]
) -> None:
    """vLLM takes them only on its command line: there with a warning, and nowhere else."""
    content = {"kv_connector": "C", "kv_role": "kv_both"}
    text = json.dumps(content | {"kv_connector_extra_config": extra(secret)}, ensure_ascii=False)
    argv, env, said, findings = translated(
        lambda: env_to_args({"MODEL_NAME": MODEL, "KV_TRANSFER_CONFIG": text, **mistake}, vllm=vllm)
    )
    absent(secret, said)
    if argv:
        assert any(json.dumps(secret, ensure_ascii=False)[1:-1] in token for token in argv)
        assert "secret-on-argv" in [item.code for item in findings]
        assert secret not in json.dumps(list(env.items()), ensure_ascii=False)
    for line in (
        [MODEL, f"--kv-transfer-config={text}"],
        [MODEL, "--kv-transfer-config", text],
        [MODEL, f"--kv-transfer-config.kv_connector_extra_config.token={secret}"],
    ):
        _, env, said, findings = translated(lambda line=line: args_to_env(line, vllm=vllm))
        absent(secret, said)
        if env:
            assert "secret-on-argv" in [item.code for item in findings]
