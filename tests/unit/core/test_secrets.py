"""What is masked by name, by shape and by value, and what is quoted as it is."""

import pytest
from cases import NEWEST

from translator.core.findings import finding
from translator.core.secrets import MASK, looks_random, secrets_of
from translator.core.tables.catalog import shipped

SECRETS = secrets_of()
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ"


@pytest.mark.parametrize(
    "name",
    ["HF_TOKEN", "VLLM_API_KEY", "MY_DB_PASSWORD", "GITHUB_TOKEN", "accessToken", "X-Api-Key", "Authorization", "client_secret", "apikey", "API_KEYS",
     "DB_PASS", "MAIL_PW", "GCP_CREDS", "STRIPE_KEY", "ACME_KEY_1", "HF_TOKEN_2", "subscription-key", "Pwd", "MYSQL_PWD"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert SECRETS.named(name)


@pytest.mark.parametrize(
    "name", ["MAX_MODEL_LEN", "MAX_NUM_BATCHED_TOKENS", "bos_token", "classifier_from_token", "TOKENIZER", "allow_credentials", "num_speculative_tokens", "PATH",
     "PWD", "OLDPWD", "BYPASS", "MONKEY", "PUBLIC_KEY", "cache_key", "post_grad_custom_post_pass", "topologyKey"]
)  # fmt: skip
def test_other_names(name: str) -> None:
    """Many hold the word token."""
    assert not SECRETS.named(name)


def test_no_name_of_the_tables_is_one_by_chance() -> None:
    """Only the flags and variables that the table lists are."""
    for catalog in map(shipped().catalog, ("0.6.6", "0.12.0", NEWEST)):
        found = {name for name in catalog.spellings() if SECRETS.flag(name)}
        assert {name.replace("_", "-") for name in found} <= set(SECRETS.variables)


@pytest.mark.parametrize("flag", ["--api-key", "--api_key", "--apikey", "--api_keys", "--hf-tokn", "--api-k", "--my-password", "--x.api_key"])  # fmt: skip
def test_secret_flags(flag: str) -> None:
    """Misspelt and abbreviated ones, too, with one word behind them or several."""
    tokens = ["m", flag, "one", "two", "--seed", "3", f"{flag}=one"]
    assert SECRETS.shown_tokens(tokens) == [
        "m", flag, MASK, MASK, "--seed", "3", f"{flag}={MASK}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (TOKEN, "***"),
        (f"x={TOKEN}", "x=***"),
        ("sk-proj-abcDEF123456789012345", "***"),
        ("AKIAIOSFODNN7EXAMPLE", "***"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP", "***"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- x", "*** x"),
        ("postgres://user:p@ss/w0rd@db:5432/x", "postgres://***@db:5432/x"),
        ("`me:hunter2@reg.example:5000/org/image:v1`", "`***@reg.example:5000/org/image:v1`"),
        ("org/image:v1@sha256:0123/x", "org/image:v1@sha256:0123/x"),
        ("https://ghs_x@github.com/a", "https://***@github.com/a"),
        ("https://h/x?a=1&api_key=abc&b=2", "https://h/x?a=1&api_key=***&b=2"),
        ('{"token": "abc", "model": "org/m"}', '{"token": "***", "model": "org/m"}'),
        ("{'auth': {'user': 'u'}, 'n': 1}", "{'auth': ***, 'n': 1}"),
        ('{"a": "{\\"secret\\": \\"x\\"}", "n": 1}', '{"a": "{\\"secret\\": \\"***\\"}", "n": 1}'),
        ("Authorization: Bearer abc", "Authorization: Bearer ***"),
        ("--api-key sk-x --seed 3", "--api-key *** --seed 3"),
        ("--api-key a b --seed 3", "--api-key *** *** --seed 3"),
        ('["--hf-token", "abc", "--seed", "3"]', '["--hf-token", "***", "--seed", "3"]'),
        ("DB_PASSWORD='a b' x", "DB_PASSWORD='***' x"),
        ("https://h/x?pass=abc&subscription-key=d-e#f", "https://h/x?pass=***&subscription-key=***#f"),
        ("aB3xK9mPq2Zr7TnWd4Lc", "***"), ("a k3m9xq7tz2b8fw4hs6dj", "a ***"), ("sk-ab3xk9mp/zr8+tyuq1=", "***"),
    ],
)  # fmt: skip
def test_secrets_in_texts(text: str, shown: str) -> None:
    """By their shape, and by the name in front of them; what is around them stays."""
    assert SECRETS.mask(text) == shown
    assert SECRETS.mask(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "--enable-chunked-prefil-tokens", "Qwen/Qwen2.5-72B-Instruct-AWQ", "Qwen2VLForConditionalGeneration", "s3://bucket/models/DeepSeek-R1-Distill-Llama-70B",
        "http://host:8000/v1@x", "hf_transfer", "$HOME/ckpt/hf_models/Qwen/Qwen3-1.7B", "npm_config_registry", '{"bos_token": "<s>"}', "HF_TOKEN=$HF_TOKEN", '{"token": null}', "{% if token == bos_token %}",
        "sha256:0d7e1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcd", "maybe", "a stray word",
        "aB3xK9mPq2Zr", "org/aB3xK9mPq2Zr7TnWd4Lc", "/tmp/k3m9xq7tz2b8fw4hs6dj", "v0.19.1rc1.dev2+gd91bde1212277b3e909eb6af7f64858a", "Qwen3VL30BA3BInstruct",
    ],
)  # fmt: skip
def test_other_texts(text: str) -> None:
    """Models, digests, references and misspelt flags are quoted as they are."""
    assert SECRETS.mask(text) == text


def test_a_known_secret_is_masked_where_its_text_stands() -> None:
    """Only one of eight characters, as a whole word, and never within a name of the tables."""
    env = {
        "DB_PASSWORD": "model",
        "A_TOKEN": "max-model",
        "B_TOKEN": 'p"ss word',
        "C_URL": "x://u:correcthorse@h",
    }
    known = SECRETS.known(env, ["m", "--api-key", "staple-battery"])
    for text in ("--max-model-len", "model", "MAX_MODEL_LEN"):
        assert SECRETS.mask(text, known) == text
    for text in ('p"ss word', "correcthorse", "x=staple-battery", '{"a":"p\\"ss word"}'):
        assert MASK in SECRETS.mask(text, known)
        assert not {"word", "battery"}.intersection(SECRETS.mask(text, known).split("-"))


def test_findings_leave_masked() -> None:
    """Subject and facts, first masked and then cut to sixty characters."""
    item = finding("bad-bool", "ENFORCE_EAGER", given=f"ENFORCE_EAGER={'x' * 40} {TOKEN}")
    done = SECRETS.finished([item, item])
    assert len(done) == 1
    assert f"{'x' * 40} ***`" in done[0].message
    long = finding("bad-bool", "ENFORCE_EAGER", given="y" * 100)
    assert f"`{'y' * 59}…`" in SECRETS.finished([long])[0].message


def test_words_that_look_random() -> None:
    """They are long, and neither digits nor put together from words, in whichever case."""
    words = ("aB3xK9mPq2Zr7TnWd4Lc", "k3m9xq7tz2b8fw4hs6dj", "ABX7QK2MZ9WPL4TRF8HV")
    others = ("Gemma3ForConditionalGeneration", "CPUFP8W8A8ScaledMMLinearKernel", "bfloat16bfloat16bfloat16", "9223372036854775808L", "aB3xK9mPq2Zr")  # fmt: skip
    assert all(map(looks_random, words))
    assert not any(map(looks_random, others))


def test_a_second_key_that_begins_like_an_option_is_masked() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nSonFFZBXdqm2wNn0A0\n-----END PRIVATE KEY-----"
    tokens = ["--api-key", "first-of-two", key, "--max-model-len=8192"]
    shown = SECRETS.shown_tokens(tokens, SECRETS.known({}, tokens))
    assert shown == ["--api-key", MASK, MASK, "--max-model-len=8192"]


def test_models_are_no_random_words() -> None:
    names = ("Qwen2p5VL72BInstruct", "MiniCPMV26ForCausalLM", "5Coder32BInstructGPTQ4bit")
    assert not any(map(looks_random, [*names, *map(str.lower, names)]))


def test_no_text_is_the_name_of_a_secret() -> None:
    """A name is short: a long text costs no look at each of its letters."""
    assert SECRETS.named("X" * 80 + "_TOKEN")
    assert not SECRETS.named("X" * 200 + "_TOKEN")
