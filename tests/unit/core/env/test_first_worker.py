"""Every variable of RunPod's first published table reaches vLLM 0.5, or a finding says why not."""

import pytest
from support.first_worker import RELEASES, SECRET, WORKERS_OWN, rows

from translator import args_to_env, env_to_args
from translator.core.tables.catalog import shipped


@pytest.mark.parametrize("vllm", RELEASES)
def test_every_variable_reaches_vllm_or_is_explained(vllm: str) -> None:
    table = rows(vllm)
    assert len({name for name, _, _ in table}) == len(table) == 78
    for name, text, tokens in table:
        done = env_to_args({"MODEL_NAME": "m", name: text}, vllm=vllm)
        assert done.argv[3:] == tokens, name
        told = [(item.code, item.subject) for item in done.findings]
        assert told == ([("worker-only", name)] if name in WORKERS_OWN else []), name
        assert (name in done.env) == (name == SECRET or name in WORKERS_OWN), name
        assert bool(tokens) == (name not in (SECRET, "MODEL_NAME", *WORKERS_OWN)), name


@pytest.mark.parametrize("vllm", RELEASES)
def test_all_of_them_together_are_one_command(vllm: str) -> None:
    """Each under one name; what it becomes is read back to itself."""
    table = rows(vllm)
    known = shipped().catalog(vllm)
    flags = {token.partition("=")[0] for _, _, tokens in table for token in tokens}
    assert {name for name in flags if known.flag(name) is None} == set()
    tokens = sorted({token for _, _, tokens in table for token in tokens})
    back = args_to_env(["m", *tokens], vllm=vllm).env
    assert sorted(env_to_args(back, vllm=vllm).argv[3:]) == tokens


@pytest.mark.parametrize("vllm", RELEASES)
def test_what_the_table_has_as_defaults_sets_nothing_else(vllm: str) -> None:
    """Words for nothing, and switches that are off."""
    for name, text, tokens in rows(vllm):
        if text == "true" and tokens:
            off = [f"{tokens[0].partition('=')[0]}=false"] if "=" in tokens[0] else []
            assert env_to_args({"MODEL_NAME": "m", name: "0"}, vllm=vllm).argv[3:] == off, name
        elif tokens:
            assert env_to_args({"MODEL_NAME": "m", name: "None"}, vllm=vllm).argv[3:] == [], name
