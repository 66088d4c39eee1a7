"""Files with the keyword arguments of vLLM's engine: `AsyncEngineArgs(**arguments)`.

Triton's vLLM backend reads such a file (`model.json`:
https://github.com/triton-inference-server/vllm_backend), KAITO a section `vllm` of its
configuration (https://github.com/kaito-project/kaito/tree/main/presets/workspace/inference), and
Ray Serve LLM `engine_kwargs` beside the model (`LLMConfig`:
https://docs.ray.io/en/latest/serve/llm/), which a RayService holds as a text (`serveConfigV2`:
https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/rayservice.html).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import yaml
from attrs import evolve

from translator.argv.engine_args import command_line, field
from translator.files import Container, Context, EngineArgs
from translator.files.kubernetes import containers_in
from translator.findings import finding
from translator.tables.catalog import CONFIG, LAUNCHERS, MODEL, shipped
from translator.text.references import has_hole, hole
from translator.text.words import MOST_HINTS, Place, nearest, placed_at
from translator.text.yaml_nodes import (
    entries,
    every,
    find,
    inside,
    items,
    place_of,
    places_of_keys,
    plain,
    scalar_text,
)

if TYPE_CHECKING:
    from translator.tables.catalog import Catalog

# Keys of a model, which a builder of the user's own has at a place of its own.
_CONFIG = frozenset(("engine_kwargs", "model_loading_config"))
# The keys of KAITO's file; none but `vllm` reaches vLLM.
_KAITO = frozenset(("vllm", "max_probe_steps", "kv_cache_cpu_memory_utilization"))

# Values that a program may give an argument, and no command line its flag: a level of compilation,
# a text that counts as true.
_UNSAID: dict[str, type] = {"shaped": int, "switch": str, "toggle": str}


def read_arguments(document: yaml.Node, context: Context) -> list[Container]:
    """Read engine arguments as a command, also those in a ConfigMap of KAITO's; [] for any other
    document.
    """
    if scalar_text(find(document, "kind")) == "ConfigMap":
        texts = [text for text in entries(find(document, "data")).values() if "vllm:" in text.value]
        return [made for text in texts for part in inside(text) for made in _arguments(part)]
    return _arguments(document)


def _arguments(document: yaml.Node) -> list[Container]:
    keys, at = entries(document), place_of(document)
    known = [key for key in keys if _is_argument(key)]
    if at[0] not in ("", "-") and "-" in "".join(known) and 2 * len(known) > len(keys):
        # Keys with dashes are those of a file for --config; the model may stand in front of it.
        return [Container("", at, command=["vllm", "serve", CONFIG, at[0]], gets_model=True)]
    if scalar_text(keys.get("model")) and all(map(_is_argument, keys)):
        return [_container("the engine's arguments", plain(document), document)]
    section = entries(keys.get("vllm"))
    if section and _KAITO.issuperset(keys) and all(map(_is_argument, section)):
        return [_container("vllm", plain(keys["vllm"]), keys["vllm"])]
    return []


def read_ray(document: yaml.Node, context: Context) -> list[Container]:
    """Read the models of Ray Serve LLM, also those in a RayService; [] for any other document."""
    if scalar_text(find(document, "kind")) != "RayService":
        return _models(document)
    image = next((node.image for node in containers_in(document, "RayService", context)), "")
    parts = inside(find(document, "spec", "serveConfigV2"))
    return [evolve(made, image=image) for part in parts for made in _models(part)]


def _models(document: yaml.Node) -> list[Container]:
    keys = entries(document)
    served = shipped().records(LAUNCHERS)["ray-serve"]["served"]
    configs = [(document, document)] if "engine_kwargs" in keys else []
    for application in items(keys.get("applications")):
        given = every(find(application, "args") or application)
        configs += [(node, application) for node in given if not _CONFIG.isdisjoint(entries(node))]
    found = []
    for config, application in configs:
        parts = entries(config)
        model = entries(parts.get("model_loading_config"))
        kwargs = parts.get("engine_kwargs")
        source = model.get("model_source", model.get("model_id"))
        arguments: dict[str, Any] = {"model": scalar_text(source)} if source is not None else {}
        if source is not None and model.get("model_id", source) is not source:
            arguments[field(served)] = [scalar_text(model["model_id"])]
        if kwargs is not None and entries(kwargs):
            arguments.update(plain(kwargs))
        name = scalar_text(model.get("model_id"), "engine_kwargs")
        variables = {
            **entries(find(application, "runtime_env", "env_vars")),
            **entries(find(config, "runtime_env", "env_vars")),
        }
        container = _container(name, arguments, kwargs or config)
        env = {name: scalar_text(value) for name, value in variables.items()}
        places = {name: place_of(value) for name, value in variables.items()}
        found.append(evolve(container, env=env, places={**container.places, **places}))
    return found


def _is_argument(key: str) -> bool:
    return bool(shipped().knowing(f"--{key.replace('_', '-')}"))


def _container(name: str, arguments: dict[str, Any], node: yaml.Node) -> Container:
    return container_of(name, arguments, place_of(node), places_of_keys(node))


def container_of(
    name: str, arguments: Mapping[str, Any], at: Place, places: Mapping[str, Place]
) -> Container:
    """Return the command that makes the same arguments.

    A keyword argument has no abbreviations, so what no vLLM has is no part of the command.

    Args:
        name: of the container in messages.
        arguments: the arguments; what is not known of them is marked.
        at: their place.
        places: argument -> its place.
    """
    named = {str(key): value for key, value in arguments.items()}  # YAML has other keys, too
    others = shipped().records(LAUNCHERS)["engine"]["fields"]
    unknown = [key for key in named if not (_is_argument(key) or has_hole(key) or key in others)]
    engine = tuple(
        (key, named[key], places.get(key))
        for key in sorted(named, key=lambda key: key != field(MODEL))
        if key not in unknown and key not in others
    )
    tables = shipped()
    flags = [field(flag) for flag in tables.index() if flag.startswith("--")] if unknown else []
    near = ("".join(nearest(key, flags, 1)) for key in unknown[:MOST_HINTS])
    findings = [
        finding("unknown-flag", key, case="argument", given=key, near=meant)
        for key, meant in zip_longest(unknown, near, fillvalue="")
    ]
    told = {item.subject: places[key] for item, key in zip(findings, unknown) if key in places}
    tokens = tokens_of(engine, tables.catalog(tables.versions()[-1]))
    return Container(name, at, command=tokens, findings=findings, places=told, engine=engine)


def tokens_of(engine: EngineArgs, catalog: Catalog) -> list[str]:
    """Return the command line of a version that makes engine arguments, at their places."""
    tokens = ["vllm", "serve"]
    for key, value, at in engine:
        name = f"--{key.replace('_', '-')}"
        flag = catalog.flag(name)
        kind = "" if flag is None else "shaped" if flag.shaped else flag.kind
        is_open = isinstance(value, str) and has_hole(value)
        if isinstance(value, _UNSAID.get(kind, ())) and not is_open:
            value = hole(f"{key}={value}")
        if has_hole(key):
            made = [value]
        elif is_open and name != MODEL:
            made = [f"{name}={value}"]  # what stands there may be no text
        else:
            made = command_line({key: value}, catalog)[2:]
        tokens += [placed_at(token, at) for token in made]
    return tokens
