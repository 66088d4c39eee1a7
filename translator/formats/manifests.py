"""Files of programs that start vLLM. Variables: the `env:` list of a Kubernetes container, and
RunPod's `.runpod/hub.json` (https://docs.runpod.io/hub/publishing-guide). Command lines: the
engine's arguments, and the values of a Helm chart (mappings/charts.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from translator.core.findings import Finding, finding
from translator.core.settings.defaults import default_text
from translator.core.tables.catalog import CHARTS, Catalog
from translator.core.text.json_text import indented
from translator.core.text.words import is_utf8
from translator.formats.engine_args import engine_args
from translator.formats.forms import BAD_NAME, NOT_UTF8, CommandLine, Environment, cannot_be_said
from translator.formats.references import kubernetes_escape
from translator.formats.yaml_nodes import Quoted, dump

if TYPE_CHECKING:
    from translator.core.tables.entries import Chart
    from translator.formats.forms import Problem, Written

# Charts render larger numbers of a file as 1e+06 with some versions of Helm.
_DIGITS = 6
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
    facts |= {"secret": SECRET} if form in ("k8s", "helm") else {}
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


def write_helm(line: CommandLine) -> Written:
    """Write the entry of a model for a chart; what has no key of its own is an extra argument."""
    charts = line.catalog.tables.records(CHARTS).values()
    chart = next(chart for chart in charts if "models" in chart and "when" not in chart)
    if wrong := next((text for text in line.argv if not is_utf8(text)), None):
        return "", [cannot_be_said("helm", wrong, NOT_UTF8)]
    document: dict[str, Any] = {}
    model: dict[str, Any] = {}
    extra: list[str] = []
    (head, *groups), findings = line.public_groups("helm")
    for token in head[2:3]:
        _put(model, chart["model"], kubernetes_escape(token))
    for group in groups:
        if _started(group, chart, document):
            continue
        key, value = _keyed(group, chart, line.catalog)
        if key:
            _put(model, key, value)
        else:
            extra += group
    if extra:
        _put(model, chart["extra"], list(map(argument_of, extra)))
    for argument in chart["argument"]:  # what the templates write without its key, too
        outer = argument.get("within")
        if outer in model and argument["key"].rpartition(".")[2] not in model[outer]:
            default = default_text(argument["tokens"][0], line.catalog) == "true"
            _put(model, argument["key"], default)
    if line.env:
        variables, about = env_items("helm", line)
        findings += about
        if not variables:
            return "", findings
        _put(model, chart["env"], variables)
    _put(document, chart["models"], [model])
    return dump(document), findings


def argument_of(text: str) -> str:
    """Return a token as an item of a YAML list that Kubernetes reads: a string to every parser."""
    escaped = kubernetes_escape(text)
    return escaped if escaped.startswith("--") else Quoted(escaped)


def _put(mapping: dict[str, Any], key: str, value: Any) -> None:
    *outer, last = key.split(".")
    for name in outer:
        mapping = mapping.setdefault(name, {})
    mapping[last] = value


def _started(group: Sequence[str], chart: Chart, document: dict[str, Any]) -> bool:
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


def _keyed(group: Sequence[str], chart: Chart, catalog: Catalog) -> tuple[str, Any]:
    """Return the key for the tokens of a flag, and its value; "" if there is none."""
    if len(group) > 1:
        return "", None
    flag, given, text = group[0].partition("=")
    for argument in chart["argument"]:
        key, tokens = argument["key"], argument.get("tokens", ())
        if [group[0]] in (list(tokens), argument.get("otherwise")):
            return key, [group[0]] == list(tokens)
        if given and len(tokens) == 2 and tokens[0] == flag and tokens[1].endswith("{}"):
            before = tokens[1].removesuffix("{}")
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
