"""Whole starts of the image of vLLM's project: a Deployment of Kubernetes with its Service, a
compose file, `docker run`, and a Quadlet of Podman's. What stands around the command line is in
mappings/containers.toml.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from translator.core.findings import Finding, finding
from translator.core.tables.catalog import CONFIG, MODEL
from translator.core.tables.images import RELEASES, image_of
from translator.core.text.words import SAFE, is_utf8, is_variable, quote
from translator.formats.classes import frozen
from translator.formats.forms import BAD_NAME, NOT_UTF8, Environment, cannot_be_said
from translator.formats.manifests import ENV_FILE, argument_of, env_items, problem_of, referred
from translator.formats.needs import (
    CONTAINERS,
    changed,
    elsewhere,
    engines,
    product,
    shm,
    sizes_of,
)
from translator.formats.yaml_nodes import Quoted, dump

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from translator.formats.forms import CommandLine, Problem, Written

_SHM = "shm"  # the name of the volume
_PERIOD = 10  # seconds between two questions of a probe
_LONGEST_LABEL = 63


@frozen
class Start:
    """A container of vLLM's image.

    Attributes:
        name: by its model, a DNS label.
        image: with the tag.
        groups: its arguments, flag by flag.
        environment: its variables.
        gpus: how many it needs.
        shm: GiB of /dev/shm; 0 for the default.
        port: None if nothing reaches it from outside.
        scheme: of what a probe asks; "" if none would be answered.
        around: what else is written around a command line, from the tables.
    """

    name: str
    image: str
    groups: Sequence[Sequence[str]]
    environment: Environment
    gpus: int
    shm: int
    port: int | None
    scheme: str
    around: Mapping[str, Any]

    @property
    def args(self) -> list[str]:
        return [token for group in self.groups for token in group]

    @property
    def question(self) -> list[str]:
        """The command that asks from within the container whether it answers."""
        insecure = ["-k"] if self.scheme == "https" else []
        url = f"{self.scheme}://localhost:{self.port}{self.around['health']}"
        return ["curl", "-fsS", *insecure, url]

    @property
    def plain(self) -> dict[str, str]:
        """The variables without a secret."""
        env, secrets = self.environment.env, self.environment.secrets
        return {name: env[name] for name in env if name not in secrets}


def _start(
    form: str,
    line: CommandLine,
    problem: Callable[[str, str], Problem | None] = problem_of,
    word_problem: Callable[[str], Problem | None] = lambda text: None,
) -> tuple[Start | None, list[Finding]]:
    """Return the container for a command line, and the findings; None where there is none.

    Args:
        form: the format.
        line: the command line.
        problem, word_problem: return what the format cannot hold of a variable, of an argument.
    """
    catalog, values = line.catalog, line.values
    tables, version = catalog.tables, catalog.version
    needs = tables.records(CONTAINERS)
    gpus, around = needs["gpus"], needs["around"]
    (head, *groups), findings = line.public_groups(form)
    image = around["image"].format(version)
    model, is_module = head[2:], image_of(image, tables).module
    groups.insert(0, [f"{MODEL}={name}" for name in model] if is_module else model)
    env = {name: text for name, text in line.env.items() if name != gpus["visible"]}
    count = product(sizes_of(values, [*gpus["ranks"], *engines(values, gpus)]))
    if len(env) < len(line.env):
        facts = {"name": gpus["visible"], "count": str(count)}
        findings.append(finding("not-in-file", gpus["visible"], case="visible", **facts))
    environment = Environment(env, tables=tables)
    findings += environment.unwritable(form, problem)
    for group in groups:
        problems = filter(None, map(word_problem, group))
        why = next(problems, None if all(map(is_utf8, group)) else NOT_UTF8)
        findings += [cannot_be_said(form, group[0].partition("=")[0], why)] if why else []
    if version not in tables.records(RELEASES):
        findings.append(finding("not-expressible", form, case="image", version=version))
    if flag := elsewhere(values, gpus, catalog):
        findings.append(finding("not-expressible", flag, case="machines", flag=flag, format=form))
    if CONFIG in values:
        findings.append(finding("not-expressible", CONFIG, case="config", file=values[CONFIG]))
    if any(item.severity == "error" for item in findings):
        return None, findings
    port_flag = catalog.flag(around["port"])
    port = values.get(around["port"], port_flag.default if port_flag else None)
    scheme = "https" if changed(values, around["encrypted"], catalog) else "http"
    start = Start(
        _label("".join(model)),
        image,
        groups,
        environment,
        count,
        shm(values, needs, version, env),
        None if changed(values, around["unreached"], catalog) else port,
        "" if changed(values, around["unasked"], catalog) else scheme,
        around,
    )
    return start, findings


def _label(model: str) -> str:
    """Return the last part of a model's name as a DNS label, which begins with a letter."""
    last = model.rstrip("/").rpartition("/")[2]
    name = re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")
    name = name if name[:1].isalpha() else f"vllm-{name}"
    return name[:_LONGEST_LABEL].strip("-")


def _commented(start: Start, text: str, *more: str) -> str:
    comments = [*more, start.around["storage"]]
    return "".join(f"# {comment}\n" for comment in comments) + text


# --- Kubernetes and compose -----------------------------------------------------------------------


def write_deployment(line: CommandLine) -> Written:
    """Write a Deployment and its Service, or only the container."""
    start, findings = _start("k8s", line)
    if start is None:
        return "", findings
    variables, about = env_items("k8s", start.environment)
    container: dict[str, Any] = {"name": "vllm", "image": start.image}
    container["args"] = list(map(argument_of, start.args))
    container |= {"env": variables} if variables else {}
    container |= {"ports": [{"containerPort": start.port}]} if start.port is not None else {}
    container["resources"] = {"limits": {"nvidia.com/gpu": start.gpus}}
    if start.scheme:
        asked = {"path": start.around["health"], "port": start.port}
        asked |= {"scheme": "HTTPS"} if start.scheme == "https" else {}
        often = start.around["patience"] // _PERIOD
        wait = {"periodSeconds": _PERIOD, "failureThreshold": often}
        container["startupProbe"] = {"httpGet": asked, **wait}
        container["readinessProbe"] = {"httpGet": dict(asked), "periodSeconds": _PERIOD}
    pod: dict[str, Any] = {"enableServiceLinks": False, "containers": [container]}
    if start.shm:
        container["volumeMounts"] = [{"name": _SHM, "mountPath": "/dev/shm"}]
        memory = {"medium": "Memory", "sizeLimit": f"{start.shm}Gi"}
        pod["volumes"] = [{"name": _SHM, "emptyDir": memory}]
    if line.only_container:
        volumes = {"of the pod": {"volumes": pod["volumes"]}} if start.shm else {}
        comments = dump(volumes).splitlines() if volumes else []
        return _commented(start, dump(container), *comments), [*findings, *about]
    named, labels = {"name": start.name}, {"app": start.name}
    template = {"metadata": {"labels": dict(labels)}, "spec": pod}
    spec = {"replicas": 1, "selector": {"matchLabels": dict(labels)}, "template": template}
    documents = [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": named, "spec": spec}]
    if start.port is not None:
        service = {"selector": labels, "ports": [{"port": start.port, "targetPort": start.port}]}
        documents.append(
            {"apiVersion": "v1", "kind": "Service", "metadata": dict(named), "spec": service}
        )
    return _commented(start, "---\n".join(map(dump, documents))), [*findings, *about]


def write_compose(line: CommandLine) -> Written:
    """Write a compose file, which takes secrets from the environment of compose."""
    start, findings = _start("compose", line, _compose_problem)
    if start is None:
        return "", findings
    secrets = start.environment.secrets
    variables = [f"{name}={_compose_escape(text)}" for name, text in start.plain.items()]
    variables += [f"{name}=${{{name}:?}}" for name in secrets]
    device = {"driver": "nvidia", "count": start.gpus, "capabilities": ["gpu"]}
    service: dict[str, Any] = {"image": start.image}
    service["command"] = [Quoted(_compose_escape(text)) for text in start.args]
    service |= {"environment": list(map(Quoted, variables))} if variables else {}
    service |= {"ports": [Quoted(f"{start.port}:{start.port}")]} if start.port is not None else {}
    service |= {"shm_size": f"{start.shm}g"} if start.shm else {}
    service["deploy"] = {"resources": {"reservations": {"devices": [device]}}}
    if start.scheme:
        period = f"{start.around['patience']}s"
        service["healthcheck"] = {"test": ["CMD", *start.question], "start_period": period}
    document = {"services": {start.name: service}}
    about = referred("compose", start.environment, compose="the file")
    return _commented(start, dump(document)), [*findings, *about]


def _compose_escape(text: str) -> str:
    return text.replace("$", "$$")


def _compose_problem(name: str, text: str) -> Problem | None:
    return problem_of(name, text) if is_variable(name) else BAD_NAME


# --- command lines and units ----------------------------------------------------------------------


def write_docker_run(line: CommandLine) -> Written:
    """Write a `docker run` command, which takes secrets from a file."""
    start, findings = _start("docker", line)
    if start is None:
        return "", findings
    secrets = start.environment.secrets
    groups: list[Sequence[str]] = [["docker", "run", "--name", start.name]]
    groups.append(["--gpus", str(start.gpus)])
    groups += [["--shm-size", f"{start.shm}g"]] if start.shm else []
    groups += [["-p", f"{start.port}:{start.port}"]] if start.port is not None else []
    groups += [["-e", f"{name}={text}"] for name, text in start.plain.items()]
    groups += [["--env-file", ENV_FILE]] if secrets else []
    if start.scheme:
        period = f"{start.around['patience']}s"
        groups.append(["--health-cmd", " ".join(start.question), "--health-start-period", period])
    groups += [[start.image, *start.groups[0]], *start.groups[1:]]
    text = " \\\n  ".join(" ".join(map(quote, group)) for group in groups) + "\n"
    about = referred("docker", start.environment)
    return _commented(start, text), [*findings, *about]


def write_quadlet(line: CommandLine) -> Written:
    """Write a `.container` file, which takes secrets from a file beside it."""
    start, findings = _start("quadlet", line, _unit_problem, _unit_word_problem)
    if start is None:
        return "", findings
    arguments = (" ".join(map(_unit_word, group)) for group in start.groups)
    keys = [("Image", f"docker.io/{start.image}"), ("ContainerName", start.name)]
    keys.append(("Exec", " \\\n  ".join(filter(None, arguments))))
    keys += [("Environment", _unit_word(f"{name}={it}")) for name, it in start.plain.items()]
    keys += [("EnvironmentFile", ENV_FILE)] if start.environment.secrets else []
    keys += [("PublishPort", f"{start.port}:{start.port}")] if start.port is not None else []
    keys += [("AddDevice", f"nvidia.com/gpu={number}") for number in range(start.gpus)]
    keys += [("ShmSize", f"{start.shm}g")] if start.shm else []
    period = f"{start.around['patience']}s"
    if start.scheme:
        keys += [("HealthCmd", " ".join(start.question)), ("HealthStartPeriod", period)]
    container = "".join(f"{key}={text}\n" for key, text in keys)
    # Podman pulls the image while systemd waits, which gives up after 90 seconds otherwise.
    service = f"[Service]\nTimeoutStartSec={period}\n\n[Install]\nWantedBy=default.target\n"
    about = referred("quadlet", start.environment)
    text = f"[Container]\n{container}\n{service}"
    return _commented(start, text, f"{start.name}.container"), [*findings, *about]


# What Podman's generator and then systemd make something else of: quotes and escapes of both,
# systemd's specifiers and variables (podman's pkg/systemd/parser/split.go, systemd.service(5)).
_UNIT_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "%": "%%", "$": "$$"}


def _unit_word(text: str) -> str:
    """Return a word of a Quadlet's key that ends up as the given one in the container."""
    written = "".join(
        [
            _UNIT_ESCAPES.get(
                char, char if char.isprintable() or ord(char) > 128 else f"\\x{ord(char):02x}"
            )
            for char in text
        ]
    )
    return written if SAFE.issuperset(text) else f'"{written}"'


# Podman writes it as a byte, which is no UTF-8.
_NOT_PASSED = ("Podman does not pass on as it is", "docker")


def _unit_problem(name: str, text: str) -> Problem | None:
    return _NOT_PASSED if "\x80" in text else _compose_problem(name, text)


def _unit_word_problem(text: str) -> Problem | None:
    """Return what a Quadlet cannot hold: at an empty word, Podman takes the line for ended; it
    writes `;` so that it ends systemd's command.
    """
    return _NOT_PASSED if text in ("", ";") or "\x80" in text else None
