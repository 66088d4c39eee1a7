"""Resources whose operators write the command, and values of charts whose templates do: KServe's
LLMInferenceService, llm-d's modelservice and vLLM's own chart.

KServe: config/llmisvcconfig in https://github.com/kserve/kserve. llm-d:
charts/llm-d-modelservice in
https://github.com/llm-d-incubation/llm-d-modelservice. vLLM: examples/online_serving/chart-helm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml
from attrs import evolve

from translator.files.command import Container, Context
from translator.files.kubernetes import ContainerReader, containers_in, image_in
from translator.text.placed import joined
from translator.text.quoting import quote
from translator.text.yaml_nodes import entries, find, items, scalar_text

_SERVER = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
# The container that runs vLLM, and the variable whose words stand in front of its arguments.
_MAIN, _WORDS = "main", "VLLM_ADDITIONAL_ARGS"
# The port of a server behind the proxy that splits prefill and decode, and of any other.
_PROXIED, _PORT = "8001", "8000"


def read_service(document: yaml.Node, context: Context) -> list[Container]:
    """Read the servers of an LLMInferenceService, whose presets give the command, and that of an
    InferenceService whose runtime is not in the file; [] for any other document.
    """
    if scalar_text(find(document, "kind")) == "InferenceService":
        return _of_runtime(document, context)
    if scalar_text(find(document, "kind")) != "LLMInferenceService":
        return []
    spec = entries(find(document, "spec"))
    name = find(spec.get("model"), "name") or find(document, "metadata", "name")
    served = scalar_text(name)
    title = f"LLMInferenceService/{served}"
    prefill = entries(spec.get("prefill"))
    port = _PROXIED if prefill else _PORT
    return [
        *_with_preset(spec, title, served, port, context),
        *_with_preset(prefill, f"{title}, prefill", served, _PORT, context),
    ]


def _of_runtime(document: yaml.Node, context: Context) -> list[Container]:
    """Read what an InferenceService adds to a runtime of vLLM's, which has the model."""
    model = find(document, "spec", "predictor", "model")
    form = scalar_text(find(model, "modelFormat", "name"))
    if model is None or form.lower() != "vllm" or not items(find(model, "args")):
        return []
    name = scalar_text(find(document, "metadata", "name"))
    made = ContainerReader(f"InferenceService/{name}", context).read(model)
    return [evolve(made, command=_SERVER, args=["--model=/mnt/models", *made.args])]


def _with_preset(
    spec: Mapping[str, yaml.Node], title: str, served: str, port: str, context: Context
) -> Iterator[Container]:
    size = find(spec.get("parallelism"), "tensor")
    sized = ["--tensor-parallel-size", scalar_text(size)] if size is not None else []
    for key in ("template", "worker"):
        for container in containers_in(spec[key], title, context) if key in spec else ():
            if container.command or not container.name.endswith(f": {_MAIN}"):
                yield container
                continue
            # Its shell evaluates them together, so that quotes in them are quotes.
            words = ["/mnt/models", "--served-model-name", served, "--port", port, *sized]
            env, places = dict(container.env), dict(container.places)
            places.pop(_WORDS, None)
            given = [env.pop(_WORDS, ""), *container.args]
            script = joined(["exec vllm serve", *map(quote, words), *given], " ")
            command = ["/bin/bash", "-c", script]
            yield evolve(container, command=command, args=[], env=env, places=places)


def read_modelservice(document: yaml.Node, context: Context) -> list[Container]:
    """Read the values of llm-d's chart modelservice; [] for any other document."""
    artifacts = entries(find(document, "modelArtifacts"))
    if "uri" not in artifacts:
        return []
    routing = entries(find(document, "routing"))
    proxy = entries(routing.get("proxy"))
    served, folder = (scalar_text(artifacts.get(key)) for key in ("name", "mountPath"))
    model = _of_uri(scalar_text(artifacts["uri"]), served, folder)
    found = []
    for role in ("decode", "prefill"):
        part = entries(find(document, role))
        direct = role == "prefill" or scalar_text(proxy.get("enabled"), "true") == "false"
        port = scalar_text(routing.get("servicePort"), _PORT) if direct else ""
        port = port or scalar_text(proxy.get("targetPort"), "8200")
        given = [port, *_sizes(part.get("parallelism")), "--served-model-name", served]
        created = scalar_text(part.get("create"), "true") != "false"
        for item in items(part.get("containers")) if created else ():
            name = scalar_text(find(item, "name"), "container")
            container = ContainerReader(f"{role}: {name}", context).read(item)
            way = scalar_text(find(item, "modelCommand"))
            if way == "vllmServe":
                args = [model, "--port", *given, *container.args]
                container = evolve(container, command=["vllm", "serve"], args=args)
            elif way == "imageDefault":
                args = ["--model", model, "--port", *given, *container.args]
                # llm-d's simulator has the same flags, and is no vLLM.
                command = None if "inference-sim" in container.image else _SERVER
                container = evolve(container, command=command, args=args)
            found.append(container)
    return found


def _of_uri(uri: str, served: str, folder: str) -> str:
    """Return the model of `hf://org/m`, `pvc://claim/path` or `pvc+hf://claim/org/m`."""
    scheme, _, rest = uri.partition("://")
    if "{{" in rest:  # a reference to the name beside it
        return served
    if scheme == "pvc":
        return f"{folder or '/model-cache'}/{rest.partition('/')[2]}"
    return "/".join(rest.split("/")[-2:]) if scheme == "pvc+hf" else rest


def _sizes(node: yaml.Node | None) -> list[str]:
    """Return the flags of parallel sizes, of which 1 needs none; some follow from the others."""
    given = {key: scalar_text(value) for key, value in entries(node).items()}
    sizes = {key: int(text) for key, text in given.items() if text.isdecimal() and len(text) < 9}
    workers = sizes.get("workers") or 1
    local = sizes.get("dataLocal") or 0
    data = sizes.get("data") or local * workers
    flags = {
        "--tensor-parallel-size": sizes.get("tensor", 1),
        "--data-parallel-size": data,
        "--data-parallel-size-local": local or data // workers,
    }
    return [word for flag, size in flags.items() if size > 1 for word in (flag, str(size))]


def read_chart(document: yaml.Node, context: Context) -> list[Container]:
    """Read the values of vLLM's own chart, whose image has the command; [] for any other
    document.
    """
    node = find(document, "image")
    keys = entries(node)
    if node is None or "repository" not in keys or not items(keys.get("command")):
        return []
    made = ContainerReader("image", context).read(node)
    return [evolve(made, image=image_in(node))]
