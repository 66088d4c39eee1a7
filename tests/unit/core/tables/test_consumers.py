"""What the platforms' programs do when they run: each claim is a rule of tests/support/consumers.py,
held against the program's own code when it was written, and what we say of it.
"""

import shutil

import pytest
from support.consumers import Stops, lmi, sagemaker_shell, tokens_for
from support.dialects import codes, settings
from support.program import bash

from translator import TranslationError, args_to_env, env_to_args
from translator.core.findings import Finding

V = "0.27.1"
LMI = {"HF_MODEL_ID": "m"}
SAGEMAKER = ("sagemaker", "sagemaker@shell", "sagemaker@huggingface", "sagemaker@upstream")


def differing(dialect: str, env: dict[str, str], version: str = V) -> set[str]:
    """The variables that the program reads differently."""
    try:
        found: tuple[Finding, ...] = env_to_args(env, vllm=version, dialect=dialect).findings
    except TranslationError as error:
        found = tuple(error.findings)
    return {item.subject for item in found if item.code in ("platform-differs", "bad-choice")}


# --- LMI ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16", "auto", "float16", "bfloat16", "half"])
def test_lmi_takes_four_names_of_data_types(name: str) -> None:
    env = {**LMI, "OPTION_DTYPE": name}
    if name in ("fp32", "fp16", "bf16", "auto"):
        wanted = settings(lmi(env), V)["--dtype"]
        found = settings(env_to_args(env, vllm=V, dialect="lmi").argv[2:], V)
        assert found.get("--dtype", "auto") == wanted
        assert differing("lmi", env) == set()
    else:
        with pytest.raises(KeyError):
            lmi(env)
        assert differing("lmi", env) == {"OPTION_DTYPE"}


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "auto"])
def test_lmi_is_written_its_own_names_of_data_types(name: str) -> None:
    made = args_to_env(["m", "--dtype", name], vllm=V, dialect="lmi").env
    assert settings(lmi(made), V)["--dtype"] == name


@pytest.mark.parametrize("batch", ["auto", "disable", "vllm", "lmi-dist", "trtllm", "scheduler"])
@pytest.mark.parametrize(
    "more", [{}, {"OPTION_MAX_ROLLING_BATCH_SIZE": "8"}, {"MAX_BATCH_SIZE": "16"}]
)
def test_lmis_engine_decides_how_many_sequences_there_are(batch: str, more: dict[str, str]) -> None:
    env = {**LMI, "OPTION_ROLLING_BATCH": batch, **more}
    try:
        wanted = settings(lmi(env), V)["--max-num-seqs"]
    except Stops:
        assert differing("lmi", env) == {"OPTION_ROLLING_BATCH"}
        return
    found = settings(env_to_args(env, vllm=V, dialect="lmi").argv[2:], V)
    assert found["--max-num-seqs"] == wanted
    written = args_to_env(["m", "--max-num-seqs", "256"], vllm=V, dialect="lmi").env
    assert written["OPTION_MAX_ROLLING_BATCH_SIZE"] == "256"  # not by the engine
    assert "OPTION_ROLLING_BATCH" not in written


def test_lmis_engine_gets_no_reasoning_parser_and_knows_no_tokens_only() -> None:
    env = {**LMI, "OPTION_REASONING_PARSER": "qwen3"}
    assert "--reasoning-parser" not in settings(lmi(env), V)
    assert differing("lmi", env) == {"OPTION_REASONING_PARSER"}
    made = args_to_env(["m", "--reasoning-parser", "qwen3"], vllm=V, dialect="lmi")
    assert made.env["OPTION_REASONING_PARSER"] == "qwen3"
    assert codes(made.findings, subject="--reasoning-parser") == {"platform-differs"}
    env = {**LMI, "OPTION_TOKENS_ONLY": "true"}
    with pytest.raises(Stops):
        lmi(env)
    assert differing("lmi", env) == {"OPTION_TOKENS_ONLY"}
    with pytest.raises(TranslationError) as raised:
        args_to_env(["m", "--tokens-only"], vllm=V, dialect="lmi")
    assert codes(raised.value.findings, subject="--tokens-only") == {"not-expressible"}


@pytest.mark.parametrize("name", ["OPTION_QUANTIZE", "HF_MODEL_QUANTIZE"])
@pytest.mark.parametrize("value", ["bitsandbytes4", "bitsandbytes8", "bitsandbytes", "awq"])
def test_lmi_stops_at_bitsandbytes_with_a_number(name: str, value: str) -> None:
    env = {**LMI, name: value}
    if value[-1] in "48":
        with pytest.raises(Stops):
            lmi(env)
        assert differing("lmi", env) == {name}
        assert not [
            token
            for token in env_to_args(env, vllm=V, dialect="lmi").argv
            if token.startswith("--quantization")
        ]
    else:
        assert settings(lmi(env), V)["--quantization"] == value
        assert differing("lmi", env) == set()


def test_lmi_prefers_what_the_model_server_writes_for_itself() -> None:
    """HF_MODEL_ID, HF_REVISION and HF_TASK become a file, which wins over OPTION_*."""
    env = {"HF_MODEL_ID": "m", "HF_REVISION": "r", "HF_TASK": "classify"}
    env |= {"OPTION_MODEL_ID": "other", "OPTION_REVISION": "other", "OPTION_TASK": "generate"}
    argv = env_to_args(env, vllm="0.27.1", dialect="lmi").argv
    kept = [token for token in argv[2:] if not token.startswith(("--max-", "--runner"))]
    assert kept == ["m", "--convert=classify", "--revision=r"]
    theirs = lmi(env)
    assert theirs[0] == "m"
    assert theirs[theirs.index("--revision") + 1] == "r"
    assert theirs[theirs.index("--convert") + 1] == "classify"


# --- SageMaker ------------------------------------------------------------------------------------

TEXTS = ["plain", "a b", "50%", "50%%", "%(here)s", "a ;b", "a #b", "a;b", "#a", "it's", '{"a":1}', '{"a": "b c"}', "a\\b", "x=%y"]  # fmt: skip
# The scripts read one line.
EACH = [(name, text) for name in SAGEMAKER for text in TEXTS]
EACH += [("sagemaker", text) for text in ("a\nb", "a\n b", "a\n#b", "a\n\nb")]


@pytest.mark.parametrize(("dialect", "text"), EACH)
def test_what_the_supervisor_changes_is_told(dialect: str, text: str) -> None:
    name = "SM_VLLM_CHAT_TEMPLATE"
    env = {"SM_VLLM_MODEL": "m", name: text}
    try:
        arrives = settings(tokens_for(dialect, env) or [], V)["--chat-template"] == text
    except (Stops, AssertionError):
        arrives = False
    assert (name in differing(dialect, env)) is not arrives
    directly = {**env, "PROCESS_AUTO_RECOVERY": "false"}
    assert settings(tokens_for(dialect, directly) or [], V)["--chat-template"] == text
    assert differing(dialect, directly) == set()


@pytest.mark.parametrize(("dialect", "text"), EACH)
def test_what_the_supervisor_would_change_is_written_past_it(dialect: str, text: str) -> None:
    made = args_to_env(["m", f"--chat-template={text}"], vllm=V, dialect=dialect)
    assert settings(tokens_for(dialect, made.env) or [], V)["--chat-template"] == text
    told = codes(made.findings, subject="PROCESS_AUTO_RECOVERY")
    assert (made.env.get("PROCESS_AUTO_RECOVERY") == "false") is (told == {"platform-differs"})


@pytest.mark.parametrize("version", ["0.22.1", "0.23.0", "0.24.0"])
@pytest.mark.parametrize("text", ['{"a":1}', "two words", "#x", ";x", "a#b", "plain"])
def test_the_older_supervisor_loses_quotes(version: str, text: str) -> None:
    """Up to 0.1.15, in the images of vLLM before 0.24."""
    quoted = version == "0.24.0"
    env = {"SM_VLLM_MODEL": "m", "SM_VLLM_HF_OVERRIDES": text, "SM_VLLM_SEED": "1"}
    arrives = text in sagemaker_shell(env, quoted=quoted)
    if arrives:
        assert "SM_VLLM_HF_OVERRIDES" not in differing("sagemaker@shell", env, version) or (
            text != '{"a":1}'
        )
    made = args_to_env(["m", f"--chat-template={text}"], vllm=version, dialect="sagemaker@shell")
    assert settings(sagemaker_shell(made.env, quoted=quoted), version)["--chat-template"] == text
    needed = not quoted and text not in ("a#b", "plain")
    assert ("PROCESS_AUTO_RECOVERY" in made.env) is needed


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"HF_ENABLE_LMCACHE": "0"},
        {"HF_ENABLE_LMCACHE": ""},
        {"HF_ENABLE_LMCACHE": "1"},
        {"HF_ENABLE_OPTIMIZATIONS": "0"},
        {"SM_VLLM_KV_TRANSFER_CONFIG": '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'},
    ],
)
def test_hugging_faces_image_adds_lmcache(more: dict[str, str]) -> None:
    env = {"SM_VLLM_MODEL": "m", **more}
    name = "sagemaker@huggingface"
    made = env_to_args(env, vllm=V, dialect=name)
    wanted = settings(tokens_for(name, env) or [], V)
    assert settings(made.argv[2:], V) == wanted
    added = "--kv-transfer-config" in wanted and "SM_VLLM_KV_TRANSFER_CONFIG" not in more
    told = [item.subject for item in made.findings if item.code == "platform-default"]
    assert any("--kv-transfer-config" in subject for subject in told) is added


# --- a shell that evaluates: KServe --------------------------------------------------------------


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_what_a_shell_evaluates_arrives() -> None:
    """The last line of the preset, run by bash itself."""
    nasty = ["a b", "it's", '"x"', "$HOME", "`id`", "a;b", "a&b", "*", "~", "#a", "x\ny", "a\\b", "{a,b}", "!!", "$(id)", "é", "a=b", "<x>"]  # fmt: skip
    for text in [*nasty, '{"a": ["b c", "$d"]}']:
        made = args_to_env(["org/m", f"--chat-template={text}"], vllm=V, dialect="kserve").env
        extra = made["VLLM_ADDITIONAL_ARGS"]
        run = bash("eval \"printf '%s\\0' ${EXTRA:-}\"", {"EXTRA": extra, "HOME": "/root"})
        assert f"--chat-template={text}" in run.stdout.decode().split("\0")
        assert settings(env_to_args(made, vllm=V, dialect="kserve").argv[2:], V)[
            "--chat-template"
        ] == (text)


@pytest.mark.parametrize("dialect", SAGEMAKER)
@pytest.mark.parametrize(
    ("before", "behind"), [('{"a":' + "[" * 5000, "}"), ("{}" + "[" * 5000, "}")]
)
def test_objects_in_a_row_that_nest_too_deep(dialect: str, before: str, behind: str) -> None:
    """Python's own JSON ends with a RecursionError."""
    env = {"SM_VLLM_MODEL": "m", "SM_VLLM_HF_OVERRIDES": before + behind}
    with pytest.raises(TranslationError):
        env_to_args(env, vllm="0.33.0", dialect=dialect)
