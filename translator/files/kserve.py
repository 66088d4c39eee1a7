"""KServe's services whose operator writes the command: config/llmisvcconfig in
https://github.com/kserve/kserve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

from translator.files import Container, Context
from translator.files.kubernetes import ContainerReader, containers_in
from translator.files.programs import SERVER
from translator.text.classes import evolve
from translator.text.words import joined, quote
from translator.text.yaml_nodes import entries, find, items, scalar_text

# The container that runs vLLM, and the variable whose words stand in front of its arguments.
_MAIN, _WORDS = "main", "VLLM_ADDITIONAL_ARGS"
# The port of a server behind the proxy that splits prefill and decode, and of any other.
_PROXIED, _PORT = "8001", "8000"


def read_service(document: yaml.Node, context: Context) -> list[Container]:
    """Read the servers of an LLMInferenceService, whose presets give the command, and that of an
    InferenceService whose runtime is not in the file; [] for any other document.
    """
    kind = scalar_text(find(document, "kind"))
    if kind != "LLMInferenceService":
        return _of_runtime(document, context) if kind == "InferenceService" else []
    spec = entries(find(document, "spec"))
    name = scalar_text(find(document, "metadata", "name"))
    served = scalar_text(find(spec.get("model"), "name"), name)
    title = f"LLMInferenceService/{name}"
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
    return [evolve(made, command=SERVER, args=["--model=/mnt/models", *made.args])]


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
