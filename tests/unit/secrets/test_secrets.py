"""What must not be seen, and masking."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translator.secrets.masking import MASK, masker, user_spans
from translator.secrets.secrets import hidden_values, secrets_of
from translator.tables.catalog import shipped

SECRETS = secrets_of(shipped())


@pytest.mark.parametrize(
    "name",
    [
        "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "VLLM_API_KEY", "API_KEY", "RUNPOD_API_KEY", "S3_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
        "MY_PASSWORD", "DB_PASSWD", "A_SECRET_B", "X_PRIVATE_KEY_PEM", "TOKEN",
    ],
)  # fmt: skip
def test_secret_variables(name: str) -> None:
    """By name, and by what secrets are usually called."""
    assert SECRETS.named(name)


@pytest.mark.parametrize(
    "name",
    [
        "MAX_NUM_BATCHED_TOKENS", "TOKENIZER", "TOKENIZER_MODE", "NUM_SPECULATIVE_TOKENS", "MODEL_NAME", "MAX_TOKENS", "KEY", "MONKEY", "VLLM_PORT",
        "MAX_PROMPT_ADAPTER_TOKEN", "NUM_SPECULATIVE_TOKEN", "",
    ],
)  # fmt: skip
def test_variables_that_are_none(name: str) -> None:
    """Tokens are counted in this trade."""
    assert not SECRETS.named(name)


def test_no_variable_of_vllm_or_the_dialect_is_taken_for_a_secret_by_chance() -> None:
    """Only those that are one."""
    tables = shipped()
    names = {name for name in tables.index() if not name.startswith("-")} | {
        name for name in tables.records("dialect.runpod.json") if not name.startswith("@")
    }
    names |= {
        name[2:].replace("-", "_").upper() for name in tables.index() if name.startswith("--")
    }
    assert {name for name in names if SECRETS.named(name)} == {
        "API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "RUNPOD_API_KEY", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "VLLM_API_KEY",
    }  # fmt: skip


def test_every_secret_flag_has_a_variable_that_says_the_same() -> None:
    """Those of all versions."""
    assert SECRETS.carriers == {"--api-key": "VLLM_API_KEY", "--hf-token": "HF_TOKEN"}
    flags = {name for name in shipped().index() if name.startswith("--")}
    assert {name for name in flags if SECRETS.named(name[2:])} == {"--api-key", "--hf-token"}


@pytest.mark.parametrize(
    "name",
    [
        "token", "hf_token", "api_key", "apiKey".lower(), "aws_secret_access_key", "password", "db-password", "s3_access_key_id", "Authorization",
        "client_secret", "AUTH_TOKEN", "accessToken", "authToken", "apiToken", "hfToken", "accessKey", "privateKey", "accountKey", "connectionString",
        "api_keys", "wandb_token", "vault_token", "x-amz-security-token", "X-Amz-Security-Token", "jwt", "cookie", "auth", "authorization", "dbPassword",
        "userPassword", "sig", "HFToken", "APIToken", "apitoken", "ACCESSTOKEN", "Set-Cookie", "proxy_authorization", "clientSecret", "lora.s3.secretKey",
    ],
)  # fmt: skip
def test_secret_keys(name: str) -> None:
    """Inside JSON, in any case, with dashes or underscores."""
    assert SECRETS.named(name)


@pytest.mark.parametrize(
    "name",
    [
        "bos_token", "eos_token_id", "pad_token", "num_speculative_tokens", "tokens", "tokenizer", "key", "keys", "cpu_bytes_to_use", "token_type_ids",
        "mask_token",
    ],
)  # fmt: skip
def test_keys_that_are_none(name: str) -> None:
    """A model's configuration is full of tokens."""
    assert not SECRETS.named(name)


def test_secrets_inside_json_are_found_by_their_key() -> None:
    """At any depth, everything below a secret key, numbers too; and passwords of URLs under any
    key.
    """
    value = {
        "a": {"token": "s1", "b": [{"api_key": ["s2", {"x": "s3"}]}]},
        "url": "redis://u:s4@h/0",
        "password": 1234,
        "secret": True,
        "n": 5,
        "bos_token": "<s>",
    }
    assert sorted(SECRETS.in_json(value)) == ["1234", "s1", "s2", "s3", "s4"]
    assert SECRETS.in_json("postgres://a:b@c") == ["b"]
    assert SECRETS.in_json({"token": ""}) == []
    assert SECRETS.in_json(5) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"token": "SECRETVALUE"}', "{'token': 'SECRETVALUE'}", '{"token": "SECRETVALUE"', "token=SECRETVALUE", '{"a": {"api_key" : "SECRETVALUE',
        "[{'password': 'SECRETVALUE'", "https://u:SECRETVALUE@h/x",
        '\'{"token": "SECRETVALUE"}\'', '{"aws_secret_access_key": {"a": ["x", "SECRETVALUE"]', '{\\"token\\": \\"SECRETVALUE\\"', "api-key: SECRETVALUE",
        '{"token": 1k, "x": SECRETVALUE',
    ],
)  # fmt: skip
def test_secrets_inside_texts_are_found_even_in_broken_ones(text: str) -> None:
    """The value is masked wherever the text, or what can be repaired of it, is shown."""
    hidden = [item for item in SECRETS.in_text(text) if len(item) > 3]
    for shown in (text, f"X={text}: vLLM expects JSON", text[:60], text.replace("'", '"')):
        assert "SECRETVALUE" not in masker(hidden)(shown)


@pytest.mark.parametrize(
    "text", ["", "abc", "8k", "/a:/b", '{"a": 1}', "a=b,c=d", "http://host:80/x", '{"bos_token": "x"}', '{"max_tokens": 5}', "tokenizer=auto"],
)  # fmt: skip
def test_texts_without_secrets_are_left_alone(text: str) -> None:
    """Masking too much would hide the mistake."""
    assert SECRETS.in_text(text) == []


@pytest.mark.parametrize(
    "tokens",
    [
        ["--api-key", "SECRETVALUE"], ["--api-key=SECRETVALUE"], ["--api_key", "SECRETVALUE"], ["--api-k", "SECRETVALUE"],
        ["--api-key", "other", "SECRETVALUE"], ["--hf-token=SECRETVALUE"],
        ["--kv-transfer-config.kv_connector_extra_config.token", "SECRETVALUE"], ["--kv-transfer-config.token=SECRETVALUE"], ["--no-such-password=SECRETVALUE"],
        ["--x", '{"token": "SECRETVALUE"}'],
        ['--x={"token": "SECRETVALUE"'], ["https://u:SECRETVALUE@h"], ["--apikey", "SECRETVALUE"], ["--api-key", "-SECRETVALUE"],
    ],
)  # fmt: skip
def test_secrets_on_a_command_line_are_found_even_on_one_that_nobody_can_read(
    tokens: list[str],
) -> None:
    """By the option in front of them, or by what is in them."""
    assert "SECRETVALUE" not in masker(SECRETS.in_tokens(tokens))(" ".join(tokens))


def test_other_tokens_are_left_alone() -> None:
    """Neighbours of a secret, and options that only look like one."""
    assert (
        SECRETS.in_tokens(
            ["m", "--tokenizer", "t", "--max-num-batched-tokens=5", "--seed", "1", "--x", "a=b"]
        )
        == []
    )
    assert SECRETS.in_tokens(["--api-key", "s", "--tokenizer", "t"]) == ["s", "s"]


@pytest.mark.parametrize(
    ("tokens", "found"),
    [
        (["m", "--api-key", "--k.k"], {2: "--api-key"}), (["--hf-token", "-p", "--port", "1"], {1: "--hf-token"}),
        (["--api_key", "-x", "-y"], {1: "--api_key", 2: "--api_key"}),
        (["--my-password", "--no-such=5"], {1: "--my-password"}), (["--api-key", "k", "-x"], {2: "--api-key"}),
        (["--max", "--api-key", "--max"], {2: "--api-key"}),  # whatever was read before
        # Flags of some version by their full names, what stands behind a value and looks like a
        # flag, and what is joined by `=`.
        (["--api-key", "--port", "1"], {}), (["--hf-token", "--tensor_parallel_size=2"], {}), (["--api-key", "-tp", "2"], {}),
        (["--hf-token", "--swap-space", "4"], {}), (["--hf-token", "--hf-overrides.a", "1"], {}), (["--api-key", "k", "--max-modl-len=4"], {}),
        (["--api-key=-x", "-x"], {}), (["--api-key", "--", "m"], {}),
    ],
)  # fmt: skip
def test_a_key_that_begins_with_a_dash(tokens: list[str], found: dict[int, str]) -> None:
    """Right behind the flag, only a flag by its full name is none."""
    SECRETS.in_tokens(tokens[:1])
    assert SECRETS.keys_like_options(tokens) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://u:p@h/x", ["u:p"]), ("https://u:p:q@h", ["u:p:q"]), ("https://u@h", ["u"]), ("https://h:80/a@b:c", []),
        ("a redis://:p@h b http://x:y@z", [":p", "x:y"]), ("u:p@h", []), ("://u:p@h", ["u:p"]), ("http://u:@h", ["u:"]),
        ("http://u:p@w@h", ["u:p@w"]), ("https://h/a@b", []),
    ],
)  # fmt: skip
def test_passwords_of_urls(text: str, found: list[str]) -> None:
    """With their users, up to the last at-sign before the host."""
    assert [text[start:end] for start, end in user_spans(text)] == found


@given(
    st.lists(st.text("abcdef", min_size=1, max_size=8), max_size=4), st.text("abcdef ", max_size=30)
)
def test_nothing_hidden_remains(hidden: list[str], text: str) -> None:
    """Whichever contains which."""
    masked = masker(hidden)(text)
    assert not any(item in masked.replace(MASK, "\0") for item in hidden)


def test_what_was_cut_short_is_masked_by_its_beginning() -> None:
    """Messages show long values shortened."""
    secret = "abcdefghijklmnopqrstuvwxyz"
    assert masker([secret])(f"X={secret[:20]}… (26 characters)") == "X=***… (26 characters)"
    assert masker([secret])(f"{secret[:20]} {secret[:15]}- {secret}") == "*** ***- ***"
    assert masker([secret])("abcdefgh") == "abcdefgh"


def test_the_values_of_an_environment() -> None:
    """Also without the blanks around them; empty ones hide nothing."""
    env = {
        "HF_TOKEN": " abcd ",
        "API_KEY": "",
        "X": "http://u:pass@h",
        "Y": json.dumps({"token": "inner"}),
        "Z": "plain",
    }
    assert set(hidden_values(env, SECRETS)) == {" abcd ", "abcd", "pass", "inner"}


def test_of_a_secret_that_begins_as_another_nothing_remains() -> None:
    """The longest is masked first."""
    assert masker(["hf_abc", "hf_abcdefg"])("X=hf_abcdefg") == "X=***"
    assert masker(["hf_abcdefg", "hf_abc"])("X=hf_abcdefg hf_abc") == "X=*** ***"
