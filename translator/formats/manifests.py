"""Files of programs that start vLLM. Variables: the `env:` list of a Kubernetes container, and
RunPod's `.runpod/hub.json` (https://docs.runpod.io/hub/publishing-guide). Command lines: the
engine's arguments, Ray Serve LLM and KAITO (what they set is in mappings/launchers.toml), and the
values of a Helm chart (mappings/charts.toml).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from translator.argv.engine_args import engine_args, field
from translator.findings import Finding, finding
from translator.formats.forms import BAD_NAME, NOT_UTF8, CommandLine, Environment, cannot_be_said
from translator.secrets import secrets_of
from translator.settings.defaults import default_text
from translator.tables.catalog import LAUNCHERS, MODEL, Catalog
from translator.text.json_text import indented
from translator.text.references import kubernetes_escape
from translator.text.words import is_utf8
from translator.text.yaml_nodes import Quoted, dump

if TYPE_CHECKING:
    from translator.formats.forms import Problem, Written

CHARTS = "charts.json"
VALUE = "{}"
# Charts render larger numbers of a file as 1e+06 with some versions of Helm.
_DIGITS = 6
SECRET = "vllm"
"""The name of the Secret that a manifest refers to."""
_START = {"name": "llm", "route_prefix": "/", "import_path": "ray.serve.llm:build_openai_app"}


# --- variables ------------------------------------------------------------------------------------


def write_kubernetes(environment: Environment) -> Written:
    """Write the YAML, and return errors for variables that it cannot hold."""
    values, findings = _items("k8s", environment)
    return dump({"env": values}) if values else "", findings


def _items(form: str, environment: Environment) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return the items of the list, secrets as references, and findings; none if one cannot be."""
    findings = environment.unwritable(form, _problem)
    if findings:
        return [], findings
    found: list[dict[str, Any]] = []
    for name, text in environment.env.items():
        if not environment.holds_secret(name):
            found.append({"name": name, "value": Quoted(kubernetes_escape(text))})
            continue
        key = {"name": SECRET, "key": name}
        found.append({"name": name, "valueFrom": {"secretKeyRef": key}})
        findings.append(_referred(form, name, f"key `{name}` of the Secret `{SECRET}`"))
    return found, findings


def _referred(form: str, name: str, reference: str) -> Finding:
    facts = {"name": name, "format": form, "reference": reference}
    return finding("not-in-file", name, case="reference", **facts)


def _problem(name: str, _: str) -> Problem | None:
    """Return why no manifest can hold a variable."""
    is_good = name and name.isascii() and name.isprintable() and "=" not in name
    return None if is_good else BAD_NAME


def write_runpod_hub(environment: Environment) -> Written:
    """Write the JSON, and return the findings: a hub.json is public, so it holds no secret."""
    findings = environment.unwritable("runpod-hub", _problem)
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
    found, findings = engine_args(line.argv, line.catalog)
    return indented(found), findings + line.left_out("engine-args")


def _not_utf8(form: str, texts: Iterable[str]) -> list[Finding]:
    """Return an error if a text is none that a file can hold."""
    wrong = next((text for text in texts if not is_utf8(text)), None)
    return [] if wrong is None else [cannot_be_said(form, wrong, NOT_UTF8)]


def _public_groups(form: str, line: CommandLine) -> tuple[list[Sequence[str]], list[Finding]]:
    """Return the groups without a secret, which a manifest may hold, and findings on the others."""
    secrets = secrets_of(line.catalog.tables)
    found: list[Sequence[str]] = [line.groups[0]]
    findings = []
    for group in line.groups[1:]:
        if secrets.in_tokens(group):
            findings += _left_out(form, "secret", [group[0].partition("=")[0]])
        else:
            found.append(group)
    return found, findings


def _left_out(form: str, case: str, flags: Sequence[str]) -> list[Finding]:
    """Return the finding about flags that a format has no place for."""
    if not flags:
        return []
    return [finding("not-in-file", flags[0], case=case, flags=tuple(flags), format=form)]


def write_ray_serve(line: CommandLine) -> Written:
    """Write the configuration of Ray Serve LLM: an application with one model; the variables of the
    command become those of its workers. https://docs.ray.io/en/latest/serve/llm/
    """
    form, catalog = "ray-serve", line.catalog
    if wrong := _not_utf8(form, (*line.argv, *line.env, *line.env.values())):
        return "", wrong
    launcher = catalog.tables.records(LAUNCHERS)[form]
    groups, findings = _public_groups(form, line)
    argv = [token for group in groups for token in group]
    arguments, unsaid = engine_args(argv, catalog, launcher["server"])
    left = [flag for flag in launcher["left"] if arguments.pop(field(flag), None) is not None]
    model = arguments.pop(field(MODEL), None)
    if model is None:  # of no command that env_to_args writes: the version's default
        entry = catalog.flag(MODEL)
        model = entry.default if entry is not None else ""
    names = arguments.pop(field(launcher["served"]), None) or [model]
    if len(names) > 1:
        left.append(launcher["served"])
    findings += [*unsaid, *_left_out(form, "launcher", left)]
    env = {}
    for name, text in line.env.items():
        if name in launcher["unread"]:
            findings.append(finding("not-in-file", name, case="launcher", name=name, format=form))
        elif line.holds_secret(name):
            env[name] = f"${{{name}}}"  # Ray reads it from the environment of its node
            findings.append(_referred(form, name, f"`{env[name]}`"))
        else:
            env[name] = text
    loading = {"model_id": names[0]} | ({"model_source": model} if model != names[0] else {})
    config: dict[str, Any] = {"model_loading_config": loading, "engine_kwargs": arguments}
    if env:
        config["runtime_env"] = {"env_vars": env}
    return dump({"applications": [{**_START, "args": {"llm_configs": [config]}}]}), findings


def write_kaito(line: CommandLine) -> Written:
    """Write the section `vllm` of KAITO's `inference_config.yaml`; what it cannot hold is left out,
    with a finding.

    KAITO's program writes each key and its value, as a text, as two tokens
    (presets/workspace/inference/vllm/inference_api.py in https://github.com/kaito-project/kaito).
    So no flag stands twice or has several values. The value of a switch becomes the only positional
    argument, which nothing reads; a second one would stop vLLM.
    """
    form, catalog = "kaito", line.catalog
    if wrong := _not_utf8(form, line.argv):
        return "", wrong
    own = catalog.tables.records(LAUNCHERS)[form]["left"]
    (head, *groups), findings = _public_groups(form, line)
    groups = [*([f"{MODEL}={token}"] for token in head[2:3]), *groups]
    section: dict[str, Any] = {}
    switches, unsaid, left = 0, [], []
    for group in groups:
        flag, given, text = group[0].partition("=")
        switches += not given
        if flag in own:
            left.append(flag)
        elif len(group) > 1 or not _fits(group[0], switches, catalog):
            unsaid.append(flag)
        else:
            section[flag[2:]] = _scalar(text) if given else True
    for name in line.env:
        if line.holds_secret(name):  # another machine has not the secrets of this one
            findings.append(finding("not-in-file", name, case="secret", name=name, format=form))
        elif line.env_in_front:
            findings.append(finding("not-in-file", name, name=name, format=form))
    findings += _left_out(form, "launcher", left)
    return dump({"vllm": section}), findings + _left_out(form, "pairs", unsaid)


def _fits(token: str, switches: int, catalog: Catalog) -> bool:
    """Return whether the parser reads a flag and its value alike as two tokens."""
    flag, given, text = token.partition("=")
    if given:  # argparse takes -1 for a value; vLLM's parser takes -0.5 for a dotted key
        return not text.startswith("-") or text[1:].isdecimal()
    entry = catalog.spelled(flag)
    return switches == 1 and entry is not None and entry[0].kind in ("switch", "toggle")


def _scalar(text: str) -> float | str:
    """Return a number whose text is the given one, or the text."""
    for number in (int, float):
        try:
            found = number(text)
        except ValueError:
            continue
        if str(found) == text:
            return found
    return text


def write_helm(line: CommandLine) -> Written:
    """Write the entry of a model for a chart; what has no key of its own is an extra argument."""
    charts = line.catalog.tables.records(CHARTS).values()
    chart = next(chart for chart in charts if "when" not in chart)
    if wrong := _not_utf8("helm", line.argv):
        return "", wrong
    document: dict[str, Any] = {}
    model: dict[str, Any] = {}
    extra: list[str] = []
    (head, *groups), findings = _public_groups("helm", line)
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
        _put(model, chart["extra"], list(map(kubernetes_escape, extra)))
    for argument in chart["argument"]:  # what the templates write without its key, too
        outer = argument.get("within")
        if outer in model and argument["key"].rpartition(".")[2] not in model[outer]:
            default = default_text(argument["tokens"][0], line.catalog) == "true"
            _put(model, argument["key"], default)
    if line.env:
        variables, about = _items("helm", line)
        findings += about
        if not variables:
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
        if [group[0]] in (list(tokens), argument.get("otherwise")):
            return key, [group[0]] == list(tokens)
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
