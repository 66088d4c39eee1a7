"""Variables as the `config` of RunPod's `.runpod/hub.json`.

https://docs.runpod.io/hub/publishing-guide
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from translator.findings import finding
from translator.formats.forms import Environment, holds_secret, not_in_manifest, unwritable
from translator.formats.json_result import dump

if TYPE_CHECKING:
    from translator.formats.forms import Written


def write_env(environment: Environment) -> Written:
    """Write the JSON, and return the findings: a hub.json is public, so it holds no secret."""
    findings = unwritable("runpod-hub", environment, not_in_manifest)
    if findings:
        return "", findings
    variables: list[dict[str, Any]] = []
    for name, text in environment.env.items():
        if holds_secret(name, text, environment.tables):
            shown = name
            findings.append(finding("not-in-file", shown, case="public", name=shown))
            variables.append({"key": name, "input": {"name": name, "type": "string"}})
        else:
            variables.append({"key": name, "value": text})
    return dump({"config": {"env": variables}}), findings
