"""Command lines for programs that start vLLM themselves: the engine's arguments, Ray Serve LLM and
KAITO. What they set is in mappings/launchers.toml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from translator.argv.engine_args import engine_args, field
from translator.findings import Finding, finding
from translator.formats.forms import CommandLine, holds_secret
from translator.tables.catalog import Catalog
from translator.tables.entries import LAUNCHERS, MODEL
from translator.text.json_text import indented
from translator.text.yaml_nodes import dump

if TYPE_CHECKING:
    from translator.formats.forms import Written

_RAY_SERVE, _KAITO = "ray-serve", "kaito"
_START = {"name": "llm", "route_prefix": "/", "import_path": "ray.serve.llm:build_openai_app"}


def write_engine_args(line: CommandLine) -> Written:
    """Write the keyword arguments of `LLM(...)` and `AsyncEngineArgs(...)`, as JSON."""
    found, findings = engine_args(line.argv, line.catalog)
    return indented(found), findings + line.left_out("engine-args")


def write_ray_serve(line: CommandLine) -> Written:
    """Write the configuration of Ray Serve LLM: an application with one model; the variables of the
    command become those of its workers. https://docs.ray.io/en/latest/serve/llm/
    """
    catalog = line.catalog
    if wrong := line.not_utf8(_RAY_SERVE, (*line.env, *line.env.values())):
        return "", wrong
    launcher = catalog.tables.records(LAUNCHERS)[_RAY_SERVE]
    groups, findings = line.public_groups(_RAY_SERVE)
    argv = [token for group in groups for token in group]
    arguments, unsaid = engine_args(argv, catalog, launcher["server"])
    findings += unsaid
    left = [flag for flag in launcher["left"] if arguments.pop(field(flag), None) is not None]
    model = arguments.pop(field(MODEL), None)
    if model is None:  # of no command that env_to_args writes: the version's default
        entry = catalog.flag(MODEL)
        model = entry.default if entry is not None else ""
    names = arguments.pop(field(launcher["served"]), None) or [model]
    if len(names) > 1:
        left.append(launcher["served"])
    env = {name: text for name, text in line.env.items() if name not in launcher["unread"]}
    for name in [name for name, text in env.items() if holds_secret(name, text, catalog.tables)]:
        env[name] = f"${{{name}}}"  # Ray reads it from the environment of its node
        facts = {"name": name, "format": _RAY_SERVE, "reference": f"`${{{name}}}`"}
        findings.append(finding("not-in-file", name, case="reference", **facts))
    findings += _left_out(_RAY_SERVE, "launcher", left)
    unread = [name for name in line.env if name not in env]
    findings += [
        finding("not-in-file", name, case="launcher", name=name, format=_RAY_SERVE)
        for name in unread
    ]
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
    catalog = line.catalog
    if wrong := line.not_utf8(_KAITO):
        return "", wrong
    own = catalog.tables.records(LAUNCHERS)[_KAITO]["left"]
    (head, *groups), findings = line.public_groups(_KAITO)
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
    findings += line.left_out(_KAITO, manifest=True)
    findings += _left_out(_KAITO, "launcher", left)
    findings += _left_out(_KAITO, "pairs", unsaid)
    return dump({"vllm": section}), findings


def _fits(token: str, switches: int, catalog: Catalog) -> bool:
    """Return whether the parser reads a flag and its value alike as two tokens."""
    flag, given, text = token.partition("=")
    if given:  # argparse takes -1 for a value; vLLM's parser takes -0.5 for a dotted key
        return not text.startswith("-") or text[1:].isdecimal()
    entry = catalog.spellings().get(flag)
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


def _left_out(form: str, case: str, flags: Sequence[str]) -> list[Finding]:
    """Return the finding about flags that a format has no place for."""
    if not flags:
        return []
    return [finding("not-in-file", flags[0], case=case, flags=tuple(flags), format=form)]
