"""Every code is documented, and its example and its input (cases/findings.py) give it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from cases import NEWEST

from translator import TranslationError, args_to_env, check, check_file, env_to_args
from translator.advice.check import check_argv
from translator.core.findings import Finding, codes, texts_of
from translator.core.settings.scope import scope
from translator.core.tables.catalog import shipped
from translator.deployments.read.registry import read_text
from translator.formats.registry import read_env

# Examples that are neither variables nor a command line, or are so only with a file or an option
# beside them.
IN_WORDS = {
    "bad-text", "config-file-kept", "config-false", "model-beside-config", "bad-manifest", "worker-default", "baked-args", "bad-baked-args",
    "cluster-not-in-version", "example-ranks", "over-limit", "version-too-old", "version-too-new", "version-between", "bad-version", "unknown-dialect", "not-expressible",
    "default-changed", "not-in-file", "not-asked", "other-version", "version-assumed", "repeated-variable", "expands-too-much",
    "unread-key", "unreadable-file", "unused-ignore", "value-not-known", "set-elsewhere", "unread-variable", "not-moved", "upgrade-concern", "model-config",
}  # fmt: skip
DIALECTS = {
    "platform-default": "sagemaker",
    "platform-differs": "sagemaker",
    "platform-stops": "runpod@2.28.0",
}
CLUSTERS = dict.fromkeys(("bad-cluster", "cluster-size", "no-server-here"), "lws")
VARIABLE = re.compile(r"(?:^| )([A-Z][A-Z0-9_]*)=")


def said(call: Callable[[], Sequence[Finding]]) -> Sequence[Finding]:
    try:
        return call()
    except TranslationError as error:
        return error.findings


def found_in(code: str, text: str, version: str) -> set[str]:
    """The codes of what check and the translations say of an example."""
    here = scope(version, DIALECTS.get(code, "runpod"), {}, shipped())[0]
    cluster = CLUSTERS.get(code)
    findings: list[Finding] = []
    if VARIABLE.match(text) and "vllm serve" not in text:
        parts = VARIABLE.split(text)[1:]
        env = dict(zip(parts[::2], parts[1::2], strict=True))
        if code not in ("missing-model", "no-model"):
            env = {"MODEL_NAME": "org/m", **env} if code not in DIALECTS else env
        findings += read_env("dotenv", text.encode(), "f").findings
        findings += check(env, version, here.name, cluster=cluster)
        findings += said(lambda: env_to_args(env, version, here.name, cluster=cluster).findings)
    else:
        done = read_text(text)
        findings += done.findings
        if done.tokens:
            findings += check_argv(done.tokens, done.env, here)
            findings += check_file(text, version) if "docker run " in text else ()
            findings += said(
                lambda: args_to_env(done.tokens, version, here.name, env=done.env).findings
            )
    return {item.code for item in findings}


@pytest.mark.parametrize("code", [code for code in codes() if code not in IN_WORDS])
def test_the_example_has_it_before_and_not_after(code: str) -> None:
    before, after = texts_of(code).before, texts_of(code).after
    before, _, rest = before.partition("       (for vLLM ")
    version = rest.removesuffix(")") or NEWEST
    assert VARIABLE.match(before) or before.startswith(("vllm ", "docker run "))
    assert code in found_in(code, before, version)
    if VARIABLE.match(after) or after.startswith(("vllm ", "docker run ")):
        assert code not in found_in(code, after, version)
