"""The golden cases: what goes in and must come out, as data (cases/*.toml)."""

import shlex
from typing import Any

import pytest

from cases import cases
from translator import Finding, TranslationError, args_to_env, env_to_args

MODEL = "org/model"


# What RunPod's worker of a version makes of it all has tests of its own: laws/test_generations.py
# and unit/tables/test_generations.py.
OF_WORKER = (
    "platform-default", "platform-differs", "older-platform", "platform-breaks",
    "image-differs",
)  # fmt: skip


def short(findings: tuple[Finding, ...]) -> list[str]:
    return sorted(f"{item.code} {item.subject}" for item in findings if item.code not in OF_WORKER)


@pytest.mark.parametrize(("vllm", "case"), cases("env_to_args"))
def test_an_environment_gives_its_command_line(vllm: str, case: dict[str, Any]) -> None:
    """Tokens, environment and every finding, exactly."""
    env = {"MODEL_NAME": MODEL, **case["env"]}
    if "argv" not in case and "whole" not in case:
        with pytest.raises(TranslationError) as caught:
            env_to_args(env, vllm=vllm)
        findings = caught.value.findings
    else:
        done = env_to_args(env, vllm=vllm)
        findings = done.findings
        assert done.argv == case.get("whole", ["vllm", "serve", MODEL, *case.get("argv", [])])
        if "left" in case:
            assert done.env == case["left"]
    assert short(findings) == case.get("codes", [])
    said = "\n".join(item.line() for item in findings)
    for text in case.get("says", []):
        assert text in said


@pytest.mark.parametrize(("vllm", "case"), cases("bad_input"))
def test_a_mistake_is_named_with_its_cure(vllm: str, case: dict[str, Any]) -> None:
    """One finding has the code, names the cause, and its hint holds the cure; nothing else is an
    error.
    """
    fatal = False
    try:
        if "line" in case:
            findings = args_to_env(shlex.split(case["line"]), vllm=vllm).findings
        else:
            findings = env_to_args({"MODEL_NAME": MODEL, **case["env"]}, vllm=vllm).findings
    except TranslationError as error:
        findings, fatal = error.findings, True
    assert fatal == ("error" in case)
    found = [item for item in findings if item.code == case["error" if fatal else "code"]]
    assert len(found) == 1, findings
    assert [item for item in findings if item.severity == "error"] == (found if fatal else [])
    for text in case["says"]:
        assert text in found[0].message
    assert case.get("cure", "") in (found[0].hint or found[0].message)
    assert found[0].line().isprintable()
    assert "sk-abcdefgh" not in repr(findings)


@pytest.mark.parametrize(("vllm", "case"), cases("args_to_env"))
def test_a_command_line_gives_its_variables(vllm: str, case: dict[str, Any]) -> None:
    """Variables and every finding, exactly; and the way back gives the tokens of `back`."""
    line = shlex.split(case["line"])
    if "env" not in case:
        with pytest.raises(TranslationError) as caught:
            args_to_env(line, vllm=vllm)
        assert short(caught.value.findings) == case["codes"]
        return
    done = args_to_env(line, vllm=vllm)
    assert done.env == (case["env"] if case.get("bare") else {"MODEL_NAME": MODEL, **case["env"]})
    assert short(done.findings) == case.get("codes", [])
    if "back" in case:
        assert env_to_args(done.env, vllm=vllm).argv == ["vllm", "serve", MODEL, *case["back"]]
