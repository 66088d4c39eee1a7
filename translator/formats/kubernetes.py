"""Variables as the `env:` list of a Kubernetes container."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.formats.forms import holds_secret, not_in_manifest, unwritable
from translator.text.references import kubernetes_escape
from translator.text.yaml_nodes import Quoted, dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.formats.forms import Environment, Written

SECRET = "vllm"
"""The name of the Secret that a manifest refers to."""


def write_env(environment: Environment) -> Written:
    """Write the YAML, and return errors for variables that it cannot hold."""
    values, findings = entries("k8s", environment)
    return dump({"env": values}) if values is not None else "", findings


def entries(
    form: str, environment: Environment
) -> tuple[list[dict[str, Any]] | None, list[Finding]]:
    """Return the items of the list, a secret as a reference, and findings; None if a variable
    cannot be written.
    """
    findings = unwritable(form, environment, not_in_manifest)
    if findings:
        return None, findings
    found: list[dict[str, Any]] = []
    for name, text in environment.env.items():
        if not holds_secret(name, text, environment.tables):
            found.append({"name": name, "value": Quoted(kubernetes_escape(text))})
            continue
        key = {"name": SECRET, "key": name}
        found.append({"name": name, "valueFrom": {"secretKeyRef": key}})
        shown = environment.showing.variable(name)
        reference = f"key `{shown}` of the Secret `{SECRET}`"
        facts = {"name": shown, "format": form, "reference": reference}
        findings.append(finding("not-in-file", shown, case="reference", **facts))
    return found, findings
