"""Files of programs that start vLLM. Variables: the `env:` list of a Kubernetes container, and
RunPod's `.runpod/hub.json` (https://docs.runpod.io/hub/publishing-guide). Command lines: the
engine's arguments.
"""

from __future__ import annotations

from typing import Any

from translator.core.findings import Finding, finding
from translator.core.text.json_text import indented
from translator.formats.engine_args import engine_args
from translator.formats.forms import BAD_NAME, CommandLine, Environment, Problem, Written
from translator.formats.references import kubernetes_escape
from translator.formats.yaml_nodes import Quoted, dump

SECRET = "vllm"
"""The name of the Secret that a manifest refers to."""
ENV_FILE = "vllm.env"
"""The file of secrets that others refer to, and of which a Secret is made."""


# --- variables ------------------------------------------------------------------------------------


def write_kubernetes(environment: Environment) -> Written:
    """Write the YAML, and return errors for variables that it cannot hold."""
    values, findings = env_items("k8s", environment)
    return dump({"env": values}) if values else "", findings


def env_items(form: str, environment: Environment) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return the items of the list, secrets as references, and findings; none if one cannot be."""
    findings = environment.unwritable(form, problem_of)
    if findings:
        return [], findings
    variables: list[dict[str, Any]] = []
    for name, text in environment.env.items():
        if environment.holds_secret(name):
            key = {"name": SECRET, "key": name}
            variables.append({"name": name, "valueFrom": {"secretKeyRef": key}})
        else:
            variables.append({"name": name, "value": Quoted(kubernetes_escape(text))})
    return variables, referred(form, environment)


def referred(form: str, environment: Environment) -> list[Finding]:
    """Return the finding about secrets that a format refers to."""
    names = tuple(environment.secrets)
    facts: dict[str, Any] = {"names": names, "file": ENV_FILE, "format": form}
    facts |= {"secret": SECRET} if form == "k8s" else {}
    case = "compose" if form == "compose" else "reference"
    findings = [finding("not-in-file", name, case=case, first=name, **facts) for name in names]
    return findings[:1]


def problem_of(name: str, _: str) -> Problem | None:
    """Return why no manifest can hold a variable."""
    is_good = name and name.isascii() and name.isprintable() and "=" not in name
    return None if is_good else BAD_NAME


def write_runpod_hub(environment: Environment) -> Written:
    """Write the JSON, and return the findings: a hub.json is public, so it holds no secret."""
    findings = environment.unwritable("runpod-hub", problem_of)
    if findings:
        return "", findings
    variables: list[dict[str, Any]] = []
    for name, text in environment.env.items():
        if environment.holds_secret(name):
            facts = {"name": name, "format": "runpod-hub"}
            findings.append(finding("not-in-file", name, case="secret", **facts))
            variables.append({"key": name, "input": {"name": name, "type": "string"}})
        else:
            variables.append({"key": name, "value": text})
    return indented({"config": {"env": variables}}), findings


# --- command lines --------------------------------------------------------------------------------


def write_engine_args(line: CommandLine) -> Written:
    """Write the keyword arguments of `LLM(...)` and `AsyncEngineArgs(...)`, as JSON."""
    arguments, findings = engine_args(line.argv, line.catalog)
    return indented(arguments), findings + line.left_out("engine-args")


def argument_of(text: str) -> str:
    """Return a token as an item of a YAML list that Kubernetes reads: a string to every parser."""
    escaped = kubernetes_escape(text)
    return escaped if escaped.startswith("--") else Quoted(escaped)
