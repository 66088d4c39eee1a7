"""Every output format, in the environment of a machine: it holds what vLLM reads, and a manifest
holds no secret.
"""

import json

import pytest
import yaml
from support.program import translate

from translator.formats.registry import ARGV_FORMATS, ENV_FORMATS, STARTS

OF_OTHERS = {
    name: f"value-of-{name.lower()}"
    for name in [
        "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "HOSTNAME", "TERM",
        "EDITOR", "PAGER", "DISPLAY", "TMPDIR", "MAIL", "SSH_CONNECTION", "SSH_TTY", "XDG_RUNTIME_DIR",
        "XDG_SESSION_ID", "GIT_AUTHOR_NAME", "GOPATH", "CARGO_HOME", "JAVA_HOME", "NODE_ENV", "NVM_DIR", "DATABASE_URL",
        "REDIS_HOST", "KUBERNETES_SERVICE_HOST", "MANPATH", "KUBERNETES_PORT", "DEBIAN_FRONTEND", "CONDA_PREFIX", "VIRTUAL_ENV", "PIP_INDEX_URL",
        "GRAFANA_URL", "SENTRY_ENVIRONMENT", "STAGE", "REGION", "TEAM", "BUILD_NUMBER", "COMMIT_SHA", "CI_JOB_ID",
    ]
}  # fmt: skip
SECRETS_OF_OTHERS = {
    "DB_PASSWORD": "secret-of-the-database", "GITHUB_TOKEN": "ghp_secretsecretsecret",
    "AWS_SECRET_ACCESS_KEY": "secret-of-amazon", "OPENAI_API_KEY": "sk-secretsecretsecret",
    "STRIPE_SECRET_KEY": "secret-of-stripe",
}  # fmt: skip
SECRETS = {"HF_TOKEN": "hf_ownsecretsecret", "VLLM_API_KEY": "key-ownsecretsecret"}
MODEL = {"MODEL_NAME": "org/m", "VLLM_LOGGING_LEVEL": "DEBUG"}
MANIFESTS = ("k8s", "runpod-hub", "properties")
# The only dialect with a file of properties.
DIALECTS = {"properties": "lmi"}


def held(text: str, values: dict[str, str]) -> list[str]:
    return [name for name, value in values.items() if name in text or value in text]


@pytest.mark.parametrize("form", ARGV_FORMATS)
def test_what_others_read_is_in_no_command_line(form: str) -> None:
    env = {**OF_OTHERS, **SECRETS_OF_OTHERS, **SECRETS, **MODEL}
    ran = translate("env-to-args", "--vllm", "0.32.0", "--format", form, env=env)
    assert ran.status == 0
    written = [text for text in ran.out.splitlines() if not text.startswith("#")]
    assert held("\n".join(written), {**OF_OTHERS, **SECRETS_OF_OTHERS}) == []
    assert not any(value in ran.err for value in {**SECRETS, **SECRETS_OF_OTHERS}.values())
    shown = [value for value in SECRETS.values() if value in ran.out]
    if form == "json":
        assert json.loads(ran.out)["env"] == {**SECRETS, "VLLM_LOGGING_LEVEL": "DEBUG"}
    else:
        assert shown == []
    if form in (*MANIFESTS, *STARTS):  # each is referred to, or reported
        assert [name for name in SECRETS if f"`{name}`" in ran.err] == [*SECRETS]


@pytest.mark.parametrize("form", ENV_FORMATS)
def test_what_others_read_is_among_no_variables(form: str) -> None:
    """Neither the variables of the process, nor secrets of others that stand with the command."""
    with_command = {**SECRETS_OF_OTHERS, **SECRETS, "VLLM_LOGGING_LEVEL": "DEBUG"}
    line = " ".join([*(f"{name}={text}" for name, text in with_command.items()), "vllm serve m"])
    options = ("--vllm", "0.27.1", "--dialect", DIALECTS.get(form, "runpod"), "--format", form)
    env = {**OF_OTHERS, **SECRETS_OF_OTHERS}
    ran = translate("args-to-env", *options, line, env=env)
    assert ran.status == 0
    text = json.dumps(json.loads(ran.out)["env"]) if form == "json" else ran.out
    assert held(text, env) == []
    assert all(f"`{name}`" in ran.err for name in SECRETS_OF_OTHERS)
    assert not any(value in ran.err for value in with_command.values() if "secret" in value)
    shown = [value for value in SECRETS.values() if value in ran.out]
    assert shown == ([] if form in MANIFESTS else [*SECRETS.values()])
    if form in MANIFESTS:
        assert all(f"`{name}`" in ran.err for name in SECRETS)


def test_a_manifest_of_kubernetes_refers_to_secrets() -> None:
    line = "HF_TOKEN=hf_x OTLP=http://me:pw@host NCCL_DEBUG=INFO vllm serve m"
    ran = translate("args-to-env", "--vllm", "0.27.1", "--format", "k8s", line)
    items = {item.pop("name"): item for item in yaml.safe_load(ran.out)["env"]}
    assert items == {
        "MODEL_NAME": {"value": "m"},
        "HF_TOKEN": {"valueFrom": {"secretKeyRef": {"name": "vllm", "key": "HF_TOKEN"}}},
        "OTLP": {"valueFrom": {"secretKeyRef": {"name": "vllm", "key": "OTLP"}}},
        "NCCL_DEBUG": {"value": "INFO"},
    }
