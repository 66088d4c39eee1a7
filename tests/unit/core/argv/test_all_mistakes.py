"""All mistakes of a command line at once, and still exactly those lines refused that the real
parser refuses.
"""

import itertools

import pytest
from laws.strategies import VERSIONS, catalog
from support.dialects import refused

from translator import TranslationError, args_to_env

KEYS = ("--k.k", "-p", "-G", "--tensor-para", "--no-such=5", "--max", "-O7", "--a_b.c+")
"""What a secret may be that begins as an option does."""


@pytest.mark.parametrize("vllm", VERSIONS)
def test_one_of_each(vllm: str) -> None:
    """At each of these the real parser stops, or would have stopped."""
    line = (
        "m --enforce-eager=true --max-model-len x --max=5 --no-such 7 --dtype=fp9 --help --seed y"
    )
    assert set(refused(args_to_env, [*line.split(), "--download-dir"], vllm)) == {
        ("unexpected-value", "--enforce-eager=true"), ("bad-integer", "--max-model-len"), ("ambiguous-flag", "--max=5"), ("unknown-flag", "--no-such"),
        ("bad-choice", "--dtype"), ("unexpected-value", "--help"), ("bad-integer", "--seed"), ("missing-value", "--download-dir"),
    }  # fmt: skip


@pytest.mark.parametrize("vllm", VERSIONS)
def test_a_key_with_a_dash_first(vllm: str) -> None:
    """argparse takes it for the next option. Which one is not told, as it is most likely the key;
    and what else is wrong is.
    """
    flags = [flag for flag in ("--api-key", "--hf-token") if flag in catalog(vllm).spellings()]
    assert "--api-key" in flags
    for flag, key in itertools.product(flags, KEYS):
        with pytest.raises(TranslationError) as caught:
            args_to_env(["m", flag, key, "--seed", "x"], vllm=vllm)
        errors = [item for item in caught.value.findings if item.severity == "error"]
        assert [(item.code, item.subject) for item in errors] == [
            ("missing-value", flag),
            ("bad-integer", "--seed"),
        ]
        assert errors[0].hint == f"If it is the value, write `{flag}=…`."
        assert key not in str(caught.value)
    assert refused(args_to_env, ["m", "--api-key", "--port", "x"], vllm) == [
        ("missing-value", "--api-key"),
        ("bad-integer", "--port"),
    ]
