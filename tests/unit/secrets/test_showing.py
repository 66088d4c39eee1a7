"""What may be shown: names of the tables, plain values, and of anything else the length."""

from __future__ import annotations

import pytest

from translator import TranslationError, args_to_env, env_to_args
from translator.cli.streams import inert
from translator.secrets.masking import escaped, is_hidden, shown_text
from translator.secrets.secrets import secrets_of
from translator.tables.catalog import shipped

SECRETS = secrets_of(shipped())
SHOWING = SECRETS.showing
S = "q7Zw3hJ9kV2xB5nM"


def test_every_name_of_the_tables_is_shown_and_only_listed_ones_are_secret() -> None:
    tables = shipped()
    for name in tables.index():
        assert SHOWING.name(name), name
        if name.startswith("--"):
            assert SHOWING.option(name) == name
            assert SECRETS.flag(name) == (name in SECRETS.carriers), name
    for key in tables.json_keys():
        assert SHOWING.key(key) == key
        assert not SECRETS.named(key), key


@pytest.mark.parametrize(
    "token",
    [
        f"--api-key {S}", f"--api-key\xa0{S}", f"--api-key\t{S}", f"—api-key {S}", f"--{S}", f"--{S}=1", f"-z{S}", f"“--api-key” {S}", f"--model m --api-key {S}",
        f"--api-key-{S}", f"--x.{S}=1",
    ],
)  # fmt: skip
def test_an_option_that_is_none_is_its_place_and_length(token: str) -> None:
    """Option and value in one token, dashes and quotes of another kind, a secret as the name."""
    (found,) = SECRETS.clean_tokens([token])
    assert shown_text(found) in (
        f"argument 1 ({len(token)} characters)", f"… ({len(token)} characters)", f"--x.… ({len(S)} characters)=… (1 character)",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("--max-modle-len=8k", "--max-modle-len=… (2 characters)"), ("--max-model-len=8k", "--max-model-len=8k"), ("--max-n=5", "--max-n=5"), ("-qawq", "-qawq"),
        ("--swap-space=4", "--swap-space=4"), (f"--api-key={S}", "--api-key=***"), ("-1", "-1"), ("--help", "--help"),
        (f"--kv-transfer-config.token={S}", "--kv-transfer-config.token=***"), ("--no-such-flag", "--no-such-flag"),
    ],
)  # fmt: skip
def test_options_that_are_shown(token: str, shown: str) -> None:
    """Known in any version, abbreviated, two letters off, or of known words."""
    assert SHOWING.option(token) == shown


@pytest.mark.parametrize("text", ["bflot16", "25.6x", "90%", "8,192", '"8192"', "org/model-7B", "maybe", "tcp://10.0.0.1:8000", "$MODEL", "a,b"])  # fmt: skip
def test_plain_values(text: str) -> None:
    """What people mistype stays visible."""
    assert SHOWING.value(text) == text


@pytest.mark.parametrize(
    "text",
    [S, f"sk-{S}", "a b", f"--api-key {S}", f'{{"token": {S}', f"https://u:{S}", f"Bearer {S}", f"Password={S};", "-----BEGIN KEY-----\nabc", f"${S}", f"u:{S}@h"],
)  # fmt: skip
def test_values_that_are_hidden(text: str) -> None:
    assert is_hidden(SHOWING.value(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"https://{S}@host:1/x", "https://***@host:1/x"), (f"https://u:{S}@host", "https://***@host"), (f"https://h/x?sig={S}", "https://h/x?***"),
        (f'{{"accessToken": "{S}", "backend": "x", "a": "{S}", "n": 1}}', f'{{"accessToken":"***","backend":"x","a":"… ({len(S)} characters)","n":1}}'),
    ],
)  # fmt: skip
def test_values_without_what_may_be_secret(text: str, shown: str) -> None:
    """URLs without user and query, JSON with the strings of known keys."""
    assert SHOWING.value(text) == shown


@pytest.mark.parametrize("shape", ["{}\n{}", "{}\t{}", "{}'{}", '{}"{}', "{}ü{}", "{}%{}"])
def test_a_secret_that_is_repeated_is_masked_however_it_is_escaped(shape: str) -> None:
    """In another variable, whose message escapes it."""
    secret = shape.format("abcdefgh", "ijklmnop")
    with pytest.raises(TranslationError) as caught:
        env_to_args({"MODEL_NAME": "m", "HF_TOKEN": secret, "DTYPE": secret}, vllm="0.33.0")
    assert not any(form in str(caught.value) for form in escaped(secret))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (f"VLLM_PORT__{S}", f"VLLM_PORT__… ({len(S)} characters)"), (f"VLLM_{S}_X", f"VLLM_… ({len(S) + 2} characters)"), (S, f"… ({len(S)} characters)"),
        ("VLLM_MULTIMODAL_QUICKPREPROCESSING", "VLLM_MULTIMODAL_… (18 characters)"), ("VLLM_NO_SUCH_THING", "VLLM_NO_SUCH_THING"),
    ],
)  # fmt: skip
def test_names_of_variables(name: str, shown: str) -> None:
    """The words in front are those that everybody knows."""
    assert SHOWING.variable(name) == shown


@pytest.mark.parametrize("size", [40, 64])
def test_a_digest_is_shown_as_a_part_of_a_path_only(size: int) -> None:
    """Many a key has the same letters."""
    digest = ("a3f1c9d2e4b5" * 6)[:size]
    assert SHOWING.path(f"models/snapshots/{digest}") == f"models/snapshots/{digest}"
    assert SHOWING.path(digest) == f"… ({size} characters)"


def test_the_place_is_that_in_the_users_command() -> None:
    """Counted from one, with the program."""
    with pytest.raises(TranslationError) as caught:
        args_to_env(["vllm", "serve", "org/m", "--api-key=", S], vllm="0.33.0")
    assert S not in str(caught.value)
    with pytest.raises(TranslationError) as caught:
        args_to_env(["vllm", "serve", "org/m", "--seed=1", S], vllm="0.33.0")
    (found,) = caught.value.findings
    assert (found.subject, found.facts["given"]) == ("argument 5", "argument 5 (16 characters)")
    assert "refuses argument 5 (16 characters), which" in found.message


@pytest.mark.parametrize(
    "line", ["::error::x", " ::set-env name=a::b", "a ##[error]b", "a\nb", "a\x1b[2Kb", "a\u202eb"]
)
def test_a_line_is_no_command_to_a_terminal_or_a_runner(line: str) -> None:
    shown = inert(line)
    assert shown.isprintable()
    assert not shown.lstrip().startswith("::")
    assert "##[" not in shown
