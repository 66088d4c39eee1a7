"""Variables as the `env:` list of a Kubernetes container or in RunPod's `.runpod/hub.json`
(https://docs.runpod.io/hub/publishing-guide), and command lines as the values of a Helm chart
(mappings/charts.toml): what its templates turn into the same command again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from translator.findings import Finding, finding
from translator.formats.forms import (
    CommandLine,
    Environment,
    holds_secret,
    not_in_manifest,
    unwritable,
)
from translator.settings.defaults import default_text
from translator.tables.catalog import Catalog
from translator.text.json_text import indented
from translator.text.references import kubernetes_escape
from translator.text.yaml_nodes import Quoted, dump

if TYPE_CHECKING:
    from translator.formats.forms import Written

CHARTS = "charts.json"
VALUE = "{}"
# Charts render larger numbers of a file as 1e+06 with some versions of Helm.
_DIGITS = 6
SECRET = "vllm"
"""The name of the Secret that a manifest refers to."""


def write_kubernetes(environment: Environment) -> Written:
    """Write the YAML, and return errors for variables that it cannot hold."""
    values, findings = _items("k8s", environment)
    return dump({"env": values}) if values is not None else "", findings


def _items(
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
        reference = f"key `{name}` of the Secret `{SECRET}`"
        facts = {"name": name, "format": form, "reference": reference}
        findings.append(finding("not-in-file", name, case="reference", **facts))
    return found, findings


def write_runpod_hub(environment: Environment) -> Written:
    """Write the JSON, and return the findings: a hub.json is public, so it holds no secret."""
    findings = unwritable("runpod-hub", environment, not_in_manifest)
    if findings:
        return "", findings
    variables: list[dict[str, Any]] = []
    for name, text in environment.env.items():
        if holds_secret(name, text, environment.tables):
            facts = {"name": name, "format": "runpod-hub"}
            findings.append(finding("not-in-file", name, case="secret", **facts))
            variables.append({"key": name, "input": {"name": name, "type": "string"}})
        else:
            variables.append({"key": name, "value": text})
    return indented({"config": {"env": variables}}), findings


def write_helm(line: CommandLine) -> Written:
    """Write the entry of a model; what has no key of its own becomes an extra argument."""
    charts = line.catalog.tables.records(CHARTS).values()
    chart = next(chart for chart in charts if "when" not in chart)
    if wrong := line.not_utf8("helm"):
        return "", wrong
    document: dict[str, Any] = {}
    model: dict[str, Any] = {}
    extra: list[str] = []
    (head, *groups), findings = line.public_groups("helm")
    for token in head[2:3]:
        _put(model, chart["model"], kubernetes_escape(token))
    for group in groups:
        if not _started(group, chart, document):
            key, value = _keyed(group, chart, line.catalog)
            if key:
                _put(model, key, value)
            else:
                extra += group
    if extra:
        _put(model, chart["extra"], list(map(kubernetes_escape, extra)))
    for argument in chart["argument"]:  # what the templates write without its key, too
        outer = argument.get("within")
        if outer in model and argument["key"].rpartition(".")[2] not in model[outer]:
            default = default_text(argument["tokens"][0], line.catalog) == "true"
            _put(model, argument["key"], default)
    if line.env:
        environment = Environment(line.env, tables=line.catalog.tables)
        variables, about = _items("helm", environment)
        findings += about
        if variables is None:
            return "", findings
        _put(model, chart["env"], variables)
    _put(document, chart["models"], [model])
    return dump(document), findings


def _put(found: dict[str, Any], key: str, value: Any) -> None:
    *outer, last = key.split(".")
    for name in outer:
        found = found.setdefault(name, {})
    found[last] = value


def _started(group: Sequence[str], chart: Mapping[str, Any], document: dict[str, Any]) -> bool:
    """Return whether the templates write a flag themselves, as it is or with a key of the file."""
    flag, _, value = group[0].partition("=")
    start = chart["start"]
    if len(group) > 1 or flag not in start:
        return False
    written = start[start.index(flag) + 1]
    if written == value:
        return True
    key, _, default = written[1:-1].partition("|")
    if written[:1] != "{" or not value.isdecimal():
        return False
    if value != default:
        _put(document, key, int(value))
    return True


def _keyed(group: Sequence[str], chart: Mapping[str, Any], catalog: Catalog) -> tuple[str, Any]:
    """Return the key for the tokens of a flag, and its value; "" if there is none."""
    if len(group) > 1:
        return "", None
    flag, given, text = group[0].partition("=")
    for argument in chart["argument"]:
        key, tokens = argument["key"], argument.get("tokens", ())
        if [group[0]] == argument.get("otherwise"):
            return key, False
        if [group[0]] == list(tokens):
            return key, True
        if given and len(tokens) == 2 and tokens[0] == flag and tokens[1].endswith(VALUE):
            before = tokens[1].removesuffix(VALUE)
            value = _typed(text.removeprefix(before), flag, catalog)
            if text.startswith(before) and value is not None:
                return key, value
    return "", None


def _typed(text: str, flag: str, catalog: Catalog) -> Any:
    """Return a value as the file has it; None if only a text could hold it."""
    entry = catalog.flag(flag)
    kind = entry.kind if entry is not None else "str"
    if kind == "str":
        return kubernetes_escape(text) or None
    if kind == "float":
        return float(text) if text.replace(".", "", 1).isdecimal() else None
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None
