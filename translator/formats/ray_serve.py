"""Command lines as a configuration of Ray Serve LLM, for `serve run`.

https://docs.ray.io/en/latest/serve/llm/; what it sets itself: mappings/launchers.toml.
"""

from __future__ import annotations

from translator.argv.engine_args import engine_args, field
from translator.findings import finding
from translator.formats.forms import holds_secret
from translator.tables.entries import LAUNCHERS, MODEL
from translator.text.yaml_nodes import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.formats.forms import CommandLine, Written

FORM = "ray-serve"
_START = {"name": "llm", "route_prefix": "/", "import_path": "ray.serve.llm:build_openai_app"}


def write_argv(line: CommandLine) -> Written:
    """Write an application with one model; the variables of the command become those of its
    workers.
    """
    catalog = line.catalog
    if wrong := line.not_utf8(FORM, (*line.env, *line.env.values())):
        return "", wrong
    launcher = catalog.tables.records(LAUNCHERS)[FORM]
    groups, findings = line.public_groups(FORM)
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
        shown = line.showing.variable(name)
        facts = {"name": shown, "format": FORM, "reference": f"`${{{shown}}}`"}
        findings.append(finding("not-in-file", shown, case="reference", **facts))
    if left:
        findings.append(
            finding("not-in-file", left[0], case="launcher", flags=tuple(left), format=FORM)
        )
    unread = [name for name in line.env if name not in env]
    findings += [
        finding("not-in-file", name, case="launcher-variable", name=name, format=FORM)
        for name in map(line.showing.variable, unread)
    ]
    loading = {"model_id": names[0]} | ({"model_source": model} if model != names[0] else {})
    config: dict[str, Any] = {"model_loading_config": loading, "engine_kwargs": arguments}
    if env:
        config["runtime_env"] = {"env_vars": env}
    return dump({"applications": [{**_START, "args": {"llm_configs": [config]}}]}), findings
