"""Containers of Kubernetes manifests, and what the documents of one file mean together: the values
of ConfigMaps, and KServe's runtimes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import yaml

from translator.core.findings import Finding, finding
from translator.core.tables.images import image_of
from translator.core.text.words import Place, joined, placed_at, quote
from translator.deployments.read import Command, Container, Context, exceeded
from translator.deployments.read.pins import of_image
from translator.deployments.read.programs import SERVER
from translator.deployments.read.surroundings import SHM, Surroundings, gpus_of, shm_of
from translator.formats.classes import evolve
from translator.formats.places import replaced
from translator.formats.references import Budget, hole
from translator.formats.yaml_nodes import (
    entries,
    every,
    find,
    has_type,
    items,
    line_of,
    mapping,
    place_of,
    put,
    scalar,
    scalar_text,
    sequence,
)

# What a variable of a ConfigMap takes from the budget: any number of containers may name it.
_COST = 16
_RAY_GROUPS = ("headGroupSpec", "workerGroupSpecs")
_RUNTIMES = ("ServingRuntime", "ClusterServingRuntime")
# A value that an operator fills in: `--served-model-name={{.Name}}` of KServe; of RunPod, a secret
# of the user's account.
PLACE = re.compile(r"\{\{[^{}\n]{1,200}\}\}")
# A value that a program fills in before Kubernetes sees the file, as envsubst and Flux do.
_FILLED = re.compile(r"(?<!\$)\$\{([A-Za-z_][\w.]{0,99})(?::?[-=][^{}$\s]{0,200})?\}")
# A reference to a variable, as Kubernetes reads it, and what it reads as a dollar sign.
_REFERENCE = re.compile(r"\$(?:\$|\([^$()\s]{1,250}\))")
# The container that runs vLLM, and the variable whose words stand in front of its arguments.
_MAIN, _WORDS = "main", "VLLM_ADDITIONAL_ARGS"
# The port of a server behind the proxy that splits prefill and decode, and of any other.
_PROXIED, _PORT = "8001", "8000"
# Keys of custom resources under which a list or a text is the arguments of vLLM, where its image
# stands beside them; and those that may hold some in a form that only their operator knows.
_ARGUMENTS = ("command", "args", "extraArgs", "arguments", "engineArgs")
_MAY_BE_ARGUMENTS = re.compile(r"\w*(?:args|arguments|flags)", re.IGNORECASE)
_GPUS = ("nvidia.com/gpu", "amd.com/gpu")
# The resources whose pods are as their manifests say: operators add volumes to others.
_PODS = ("Pod", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "LeaderWorkerSet")
_VOLUME = "a volume at /dev/shm: `emptyDir: {medium: Memory, sizeLimit: %dGi}`"
_NO_STRINGS = ("int", "float", "bool", "timestamp")


def read_manifest(document: yaml.Node, context: Context) -> list[Container]:
    """Read every `containers:` in a manifest, at any depth: in pods, deployments, jobs, custom
    resources, and the values of charts.
    """
    containers = containers_in(document, _title(document), context)
    is_runtime = scalar_text(find(document, "kind")) in _RUNTIMES
    return [evolve(item, gets_model=True) if is_runtime else item for item in containers]


def read_resource(document: yaml.Node, context: Context) -> list[Container]:
    """Read a resource of any kind: the containers of a manifest, and what stands for one."""
    containers = read_manifest(document, context)
    if _is_manifest(document):
        containers += _resources(document, _title(document), context)
    return containers


def containers_in(node: yaml.Node, title: str, context: Context) -> Iterator[Container]:
    """Yield every `containers:` in a part of a manifest, whose name in messages is `title`."""
    for key, value in entries(node).items():
        if key in ("containers", "initContainers"):
            for name, item in _named(value):
                around = _surroundings(entries(item), entries(node), title.partition("/")[0])
                yield ContainerReader(f"{title}: {name}", context).read(item, around)
        elif key == "container" and _is_container(value):
            yield ContainerReader(title, context).read(value)
        elif key in _RAY_GROUPS:  # KubeRay starts Ray in a container without a command
            containers = containers_in(value, title, context)
            yield from (container for container in containers if container.words)
        elif not isinstance(value, yaml.ScalarNode):
            yield from containers_in(value, _title(value, title), context)
    for item in items(node):
        yield from containers_in(item, _title(item, title), context)


def read_container(document: yaml.Node, context: Context) -> list[Container]:
    """Read a document that holds the keys of one container, or only its variables.

    One whose command is a string is not Kubernetes' own: it is read as a script.
    """
    keys = entries(document)
    texts = (keys[key].value for key in ("command", "args") if key in keys)
    if _is_container(document) and not any(isinstance(text, str) and text for text in texts):
        return [ContainerReader("the container", context).read(document)]
    if set(keys) == {"env"}:
        return [ContainerReader("the variables", context).read(document)]
    return []


def read_arguments(document: yaml.Node, context: Context) -> list[Container]:
    """Read a document that is a list of arguments."""
    if not items(document) or any(entries(item) for item in items(document)):
        return []
    container = ContainerReader("the arguments", context)
    args = container.texts(document)
    return [Container(container.name, place_of(document), args=args, findings=container.findings)]


def _resources(node: yaml.Node, title: str, context: Context) -> Iterator[Container]:
    """Yield what stands for a container in a custom resource, of whatever kind: vLLM's image with a
    command or arguments beside it.
    """
    keys = entries(node)
    image = image_in(keys.get("image")) or image_in(node)
    if image and image_of(image, context.tables).runs:
        given = {key: _words_of(keys[key]) for key in _ARGUMENTS if key in keys}
        maybe = [key for key in keys if _MAY_BE_ARGUMENTS.fullmatch(key) and keys[key].value]
        if unread := [key for key in maybe if not given.get(key)]:
            about = finding("unreadable-file", unread[0], case="arguments", key=unread[0])
            yield Container(title, place_of(keys[unread[0]]), image, findings=[about])
        elif given:
            parts: dict[str, yaml.Node] = {}
            parts |= {key: keys[key] for key in ("env", "envFrom") if key in keys}
            parts["image"], command = scalar(image, node), given.pop("command", [])
            parts["command"] = sequence(command, node)
            parts["args"] = sequence([*chain(*given.values())], node)
            container = ContainerReader(title, context).read(mapping(parts, node))
            # The operator may add arguments, and the model.
            yield evolve(container, is_open=True, gets_model=True)
    for key, value in keys.items():
        if key not in ("containers", "initContainers", "container"):
            yield from _resources(value, title, context)
    for item in items(node):
        yield from _resources(item, title, context)


def _words_of(node: yaml.Node) -> list[yaml.Node]:
    """Return the words of a list of texts, or of a text; [] for anything else."""
    if isinstance(node, yaml.ScalarNode):
        from translator.deployments.text.shell import split  # lazy: most have a list of words

        commands = split(scalar_text(node))
        return [scalar(word, node) for command in commands[:1] for word in command]
    words = items(node)
    return words if all(isinstance(word, yaml.ScalarNode) for word in words) else []


def pins_in(document: yaml.Node, context: Context) -> Iterator[Command]:
    """Yield vLLM's images that a document gives in two keys, for who starts them elsewhere."""
    for keys in map(entries, every(document)):
        tag = keys.get("tag", keys.get("newTag"))
        name = next((keys[key] for key in ("repository", "newName", "name") if key in keys), None)
        if tag is not None and name is not None:
            image = joined([scalar_text(name), scalar_text(tag)], ":")
            known = image_of(image, context.tables)
            if known.holds_vllm:
                yield Command(pin=of_image(image, known), place=place_of(tag), starts_vllm=False)


def _named(node: yaml.Node) -> Iterator[tuple[str, yaml.Node]]:
    """Yield containers with their names. Those of a chart may be a mapping:
    https://github.com/bjw-s-labs/helm-charts/tree/main/charts/library/common
    """
    for item in items(node):
        yield scalar_text(find(item, "name"), "container"), item
    for name, item in entries(node).items():
        keys = entries(item)
        words = [keys[key] for key in ("command", "args") if key in keys]
        if words and all(map(items, words)):
            yield name, item


def _settings(
    keys: Mapping[str, yaml.Node], context: Context
) -> Iterator[tuple[str, yaml.Node, Mapping[str, yaml.Node], bool]]:
    """Yield variables: the name and its node, the keys beside it, and whether a value must be a
    string. Where names are keys, the templates of a chart put quotes around values.
    """
    for item in items(keys.get("envFrom")):
        values = context.maps.get(_map_in(item, "configMapRef"), {})
        if context.budget.spend(_COST * len(values), line_of(item)):
            for key, value in values.items():
                yield scalar_text(find(item, "prefix")) + key, value, {"value": value}, False
    for item in items(keys.get("env")):
        parts = entries(item)
        values = context.maps.get(_map_in(parts.get("valueFrom"), "configMapKeyRef"), {})
        known = values.get(scalar_text(find(item, "valueFrom", "configMapKeyRef", "key")))
        if "name" in parts:
            given = parts if known is None else {"value": known}
            yield scalar_text(parts["name"]), parts["name"], given, known is None
    for name, value in entries(keys.get("env")).items():
        yield name, value, entries(value) or {"value": value}, False


def _map_in(node: yaml.Node | None, key: str) -> str:
    """Return the name of the ConfigMap that a part of a container refers to, or ""."""
    return scalar_text(find(node, key, "name"))


def image_in(node: yaml.Node | None) -> str:
    """Return an image, which the values of charts give in parts; "" for none."""
    keys = entries(node)
    parts = [scalar_text(keys[key]) for key in ("repository", "tag") if key in keys]
    return joined(filter(None, parts), ":") if keys else scalar_text(node)


def _is_manifest(node: yaml.Node) -> bool:
    keys = entries(node)
    return "apiVersion" in keys or "kind" in keys


def _is_container(node: yaml.Node) -> bool:
    keys = entries(node)
    starts = "args" in keys or "command" in keys
    return starts and "containers" not in keys and not _is_manifest(node)


def _title(node: yaml.Node, outer: str = "") -> str:
    """Return the name of a manifest for messages: its kind and name, or those of the outer
    manifest.
    """
    if outer and not _is_manifest(node):
        return outer
    named = [find(node, "kind"), find(node, "metadata", "name")]
    parts = [item.value for item in named if item is not None and isinstance(item.value, str)]
    return "/".join(parts) or "the manifest"


class ContainerReader:
    """Reads one container and collects its findings."""

    def __init__(self, name: str, context: Context) -> None:
        self.name, self._context, self._budget = name, context, context.budget
        self.findings: list[Finding] = []
        self._env: dict[str, str] = {}

    def _tell(self, code: str, subject: str, node: yaml.Node, case: str = "", **facts: str) -> None:
        line = line_of(node)
        subject = placed_at(subject, place_of(node))
        self.findings.append(finding(code, subject, case=case, at=self.name, line=line, **facts))

    def read(self, node: yaml.Node, around: Surroundings | None = None) -> Container:
        keys = entries(node)
        image = image_in(keys.get("image"))
        places = self._variables(keys)
        for key in ("command", "args"):
            if key in keys and isinstance(keys[key].value, str) and keys[key].value:
                self._tell("bad-manifest", key, keys[key], key=key)
        texts = {key: self.texts(keys.get(key), key) for key in ("command", "args")}
        words = [word for part in texts.values() for word in part]
        referred = _referred(words)
        # An operator or a webhook may set them; in a script, it is a command.
        missing = _referred(word for word in words if " " not in word) - self._env.keys()
        if not self._knows_all(keys):  # what is not known may set any of them
            missing = referred
        else:
            references = [f"$({name})" for name in sorted(missing)]
            self.findings += [finding("value-not-known", text, text=text) for text in references]
        self._env = {**{name: hole(f"$({name})") for name in sorted(missing)}, **self._env}
        start = "command" if texts["command"] or "args" not in keys else "args"
        place = place_of(keys.get(start, node))
        command, args = (
            [expand(text, self._env, self._budget, place[1]) for text in part]
            for part in texts.values()
        )
        self.findings += exceeded(self._budget, self.name)
        return Container(
            self.name,
            place,
            image,
            command or None,
            args,
            self._env,
            places,
            referred,
            self.findings,
            is_open=bool(entries(keys.get("image"))),  # in parts: a chart's, whose template adds
            surroundings=around,
        )

    def _variables(self, keys: Mapping[str, yaml.Node]) -> dict[str, Place]:
        """Read the variables and return the place of each."""
        places: dict[str, Place] = {}
        for name, at, parts, is_exact in _settings(keys, self._context):
            variable = str(name)
            places[variable] = place_of(at)
            if "value" in parts:
                value = parts["value"]
                is_text = isinstance(value.value, str) and has_type(value, "str")
                if is_exact and not is_text:
                    self._tell("bad-manifest", variable, at, "value", variable=variable)
                line = places[variable][1]
                text = self._filled(scalar_text(value))
                self._env[variable] = expand(text, self._env, self._budget, line)
            elif "valueFrom" in parts:
                facts = {"variable": variable, "source": "`valueFrom`"}
                self._tell("unresolved-value", variable, at, **facts)
                self._env[variable] = hole(f"$({variable})")
        if not self._knows_all(keys):
            self._tell("unresolved-value", "envFrom", keys["envFrom"], "file", key="envFrom")
        return places

    def _knows_all(self, keys: Mapping[str, yaml.Node]) -> bool:
        """Return whether the sources of variables are in the file."""
        names = [_map_in(item, "configMapRef") for item in items(keys.get("envFrom"))]
        return self._context.maps.keys() >= set(names)

    def _filled(self, text: str) -> str:
        """Return one word with a hole for each `${NAME}`, which a script would refer to. Kubernetes
        leaves it as it is: with the name of one of the container's variables, it is a mistake.
        """

        def fill(given: str) -> str:
            if given[2:].rstrip("}") in self._env:
                return given
            self.findings.append(finding("value-not-known", given, text=str(given)))
            return hole(given)

        return text if any(map(str.isspace, text)) else replaced(text, _FILLED, fill)

    def texts(self, node: yaml.Node | None, key: str = "") -> list[str]:
        """Return the strings of a list; with the key of one in a container, Kubernetes accepts no
        other items.
        """
        texts = []
        for item in items(node):
            if entries(item) or items(item):
                self._tell("bad-manifest", self.name, item)
            else:
                text = scalar_text(item)
                # A chat template is filled in by vLLM.
                text = text if "{%" in text else replaced(text, PLACE, hole)
                texts.append(self._filled(text))
                if key and has_type(item, *_NO_STRINGS):
                    self._tell("bad-manifest", key, item, "value", key=key)
        return texts


def _referred(words: Iterable[str]) -> frozenset[str]:
    """Return the variables that words refer to, as `$(NAME)`."""
    references = (item for word in words for item in _REFERENCE.findall(word))
    return frozenset(name for item in references if (name := item[2:-1]))


def expand(text: str, env: Mapping[str, str], budget: Budget | None = None, line: int = 0) -> str:
    """Return a string with `$(NAME)` replaced as in Kubernetes; `$$` is `$`, and a name that is not
    set is left unchanged.
    """
    budget = budget or Budget()

    def value(written: str) -> str:
        name = written[2:-1]
        if name in env:
            return budget.take(env[name], line)
        return written if name else "$"

    return replaced(text, _REFERENCE, value)


def _surroundings(
    container: Mapping[str, yaml.Node], pod: Mapping[str, yaml.Node], kind: str
) -> Surroundings:
    """Return what a container of a pod gets of its machine; `kind` is that of the manifest."""
    resources, gpus = entries(container.get("resources")), None
    asked = {**entries(resources.get("requests")), **entries(resources.get("limits"))}
    name = next((name for name in _GPUS if name in asked), "")
    if "claims" not in resources and "privileged" not in entries(container.get("securityContext")):
        gpus = gpus_of(scalar_text(asked.get(name)), f"{name}: %d")
    shm, mounts = None, container.get("volumeMounts")
    is_known = mounts is None or bool(items(mounts))
    if is_known and kind in _PODS and "hostIPC" not in pod:
        paths = {scalar_text(find(node, "mountPath")).rstrip("/"): node for node in items(mounts)}
        if SHM not in paths:
            shm = shm_of(None, paths, _VOLUME)
        volumes = {scalar_text(find(node, "name")): node for node in items(pod.get("volumes"))}
        volume = volumes.get(scalar_text(find(paths.get(SHM), "name")))
        memory = entries(find(volume, "emptyDir"))
        if "sizeLimit" in memory and scalar_text(memory.get("medium")) == "Memory":
            shm = shm_of(scalar_text(memory["sizeLimit"]), (), "`sizeLimit: %dGi`")
    return Surroundings(gpus, shm, is_amds=name.startswith("amd"))


def mounting_images(documents: list[yaml.Node]) -> dict[str, str]:
    """Return the images of the containers that mount the ConfigMaps of a file, by their names."""
    images: dict[str, str] = {}
    for keys in (entries(node) for document in documents for node in every(document)):
        for volume in items(keys.get("volumes")):
            name, held = scalar_text(find(volume, "name")), _map_in(volume, "configMap")
            for container in items(keys.get("containers")) if held else ():
                mounts = items(find(container, "volumeMounts"))
                if any(scalar_text(find(mount, "name")) == name for mount in mounts):
                    images.setdefault(held, image_in(find(container, "image")))
    return images


def join_runtimes(documents: list[yaml.Node]) -> None:
    """Put the arguments of an InferenceService behind those of its runtime, as KServe does
    (utils.go, MergeRuntimeContainers).
    """
    runtimes: dict[str, yaml.Node] = {}
    services: list[yaml.Node] = []
    for document in documents:
        kind = scalar_text(find(document, "kind"))
        if kind in _RUNTIMES:
            runtimes[scalar_text(find(document, "metadata", "name"))] = document
        elif kind == "InferenceService":
            services.append(document)
    used = {runtime for service in services if (runtime := _with_runtime(service, runtimes))}
    for runtime in used:
        put(find(runtimes[runtime], "spec"), "containers", None)


def _with_runtime(service: yaml.Node, runtimes: dict[str, yaml.Node]) -> str:
    """Give an InferenceService the container of its runtime; return the runtime's name, or ""."""
    predictor = find(service, "spec", "predictor")
    model = entries(find(predictor, "model"))
    name = scalar_text(model.get("runtime"))
    containers = items(find(runtimes.get(name), "spec", "containers"))
    if predictor is None or not containers:
        return ""
    keys = entries(containers[0])
    merged = {key: value for key, value in keys.items() if key not in model}
    merged |= {key: model[key] for key in ("image", "command", "args", "env") if key in model}
    for key in ("args", "env"):
        if key in model and key in keys:
            merged[key] = sequence([*items(keys[key]), *items(model[key])], model[key])
    put(predictor, "model", None)
    put(predictor, "containers", sequence([mapping(merged, predictor)], predictor))
    return name


# --- KServe's services whose operator writes the command: its config/llmisvcconfig ----------------


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
    container = ContainerReader(f"InferenceService/{name}", context).read(model)
    return [evolve(container, command=SERVER, args=["--model=/mnt/models", *container.args])]


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
