"""Both translations are pure: no environment, no file but the compiled tables, no clock; and
threads do not disturb each other.
"""

import builtins
import gc
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

import pytest
from cases import NEWEST

from translator import TranslationError, args_to_env, env_to_args
from translator.core.tables.catalog import Tables
from translator.core.text import json_text

ENV = {
    "MODEL_NAME": "org/model", "MAX_MODEL_LEN": "8k", "ENFORCE_EAGER": "yes", "HF_OVERRIDES": "{'a': True}", "LORA_MODULES": '[{"name": "a", "path": "b"}]',
    "HF_TOKEN": "hf_secret12",
    "VLLM_USE_DEEP_GEMM": "true", "SPECULATIVE_CONFIG__NUM_SPECULATIVE_TOKENS": "3", "SPECULATIVE_CONFIG__METHOD": "ngram",
    "VLLM_EXTRA_ARGS": "--port 9 --task embed", "SWAP_SPACE": "4",
    "VLLM_PORT": "tcp://10.0.0.1:8000", "TENSOR_PARALELL_SIZE": "2", "VLLM_CONFIG_FILE": "/no/such/file.yaml", "API_KEY": "x",
}  # fmt: skip
ARGV = [
    "vllm", "serve", "org/model", "--config", "/no/such/file.yaml", "-tp", "2", "--hf-overrides.a.b=1", "--api-key", "sk-secret12",
    "--kv-transfer-config", '{"kv_connector": "x", "kv_role": "kv_both"}',
]  # fmt: skip
BAD_ENV = {"MODEL_NAME": "m", "DTYPE": "fp9", "HF_OVERRIDES": "{"}


class Watched(dict[str, str]):
    """An os.environ that must not be touched."""

    def touched(self, *given: Any) -> Any:
        raise AssertionError(f"os.environ was asked for {given}")

    __getitem__ = __contains__ = __iter__ = __len__ = get = items = keys = values = copy = touched


def call_everything(tables: Tables | None = None) -> list[Any]:
    """Both translations, of good and of bad input, for several versions."""
    found: list[Any] = []
    for version in ("0.6.6", "0.12.0", "0.27.1", NEWEST, None):
        old = version == "0.6.6"
        done = env_to_args({"MODEL_NAME": "m"} if old else ENV, vllm=version, tables=tables)
        found += [done.argv, done.env, done.findings]
        try:
            env_to_args(BAD_ENV, vllm=version, tables=tables)
        except TranslationError as error:
            found.append(error.findings)
        back = args_to_env(ARGV[:3] if old else ARGV, vllm=version, tables=tables)
        found += [back.env, back.findings]
    return found


def test_no_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is given counts; TRANSLATE_VLLM_VERSION, too, is read from there."""
    monkeypatch.setenv("TRANSLATE_VLLM_VERSION", "0.6.6")
    monkeypatch.setenv("MAX_NUM_SEQS", "7")
    expected = call_everything()
    monkeypatch.setattr(os, "environ", Watched())
    monkeypatch.setattr(os, "getenv", lambda *args: pytest.fail("os.getenv was called"))
    assert call_everything() == expected
    assert not any("--max-num-seqs" in token for token in env_to_args({"MODEL_NAME": "m"}).argv)
    assert env_to_args({"MODEL_NAME": "m", "TRANSLATE_VLLM_VERSION": "0.19.1"}).version == "0.19.1"


def test_no_file_is_opened_but_the_compiled_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fresh tables only theirs are opened, and nothing else at all; then nothing any more."""
    expected = call_everything()
    opened: list[str] = []
    real = builtins.open

    def watched(path: Any, *args: Any, **kwargs: Any) -> Any:
        opened.append(os.fspath(path))
        return real(path, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", watched)
    monkeypatch.setattr(os, "open", lambda *args: pytest.fail("os.open was called"))
    monkeypatch.setattr(os, "listdir", lambda *args: pytest.fail("os.listdir was called"))
    tables = Tables()
    assert call_everything(tables) == expected
    assert opened
    assert {os.path.dirname(path) for path in opened} == {json_text._FOLDER}
    assert len(opened) == len(set(opened))
    opened.clear()
    assert call_everything(tables) == expected
    assert not opened


def test_no_clock_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same input gives the same output at any time."""
    expected = call_everything()
    with monkeypatch.context() as watched:  # pytest and its plugins read the clock after the test
        for name in ("time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime", "strftime"):  # fmt: skip
            watched.setattr(
                time, name, lambda *args, name=name: pytest.fail(f"time.{name} was called")
            )
        assert call_everything() == expected


def test_what_is_given_is_not_changed() -> None:
    """A mapping that cannot be changed is enough; a list of tokens stays as it is; and what is
    returned is the caller's own.
    """
    done = env_to_args(MappingProxyType(ENV), vllm="0.27.1", extra=("--seed", "1"))
    tokens = list(ARGV)
    args_to_env(tokens, vllm="0.27.1", env=MappingProxyType({"VLLM_USE_DEEP_GEMM": "1"}))
    args_to_env(tuple(ARGV), vllm="0.27.1")
    assert tokens == ARGV
    done.argv.append("x")
    done.env["X"] = "y"
    again = env_to_args(ENV, vllm="0.27.1", extra=("--seed", "1"))
    assert "x" not in again.argv
    assert "X" not in again.env


def test_eight_threads_give_what_one_gives() -> None:
    """On fresh tables, so that all of them read the same files at once."""
    expected = call_everything()
    for _ in range(3):
        tables = Tables()
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(call_everything, [tables] * 8))
        finally:
            sys.setswitchinterval(switch)
        assert all(item == expected for item in found)


def test_the_order_of_the_variables_means_nothing() -> None:
    """An environment is a mapping: the same argv whatever came first."""
    expected = env_to_args(ENV, vllm="0.27.1").argv
    assert env_to_args(dict(reversed(ENV.items())), vllm="0.27.1").argv == expected
    assert env_to_args(dict(sorted(ENV.items())), vllm="0.27.1").argv == expected


def test_threads_read_python_literals() -> None:
    """Python 3.11 fails where a garbage collection lets another thread parse a syntax tree."""
    text, before, switch = "{'a': True, 'b': [1, {'c': (1, 2)}]}", gc.get_threshold(), sys.getswitchinterval()  # fmt: skip

    def collected(*about: object) -> None:
        sum(range(50))

    gc.callbacks.append(collected)
    gc.set_threshold(20)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(json_text.repair, [text] * 8000))
    finally:
        gc.callbacks.remove(collected)
        gc.set_threshold(*before)
        sys.setswitchinterval(switch)
    assert all(item == found[0] for item in found)
