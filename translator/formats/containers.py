"""Whole starts of the image of vLLM's project: a Deployment of Kubernetes with its Service, a
compose file, `docker run`, and a Quadlet of Podman's. What stands around the command line is in
mappings/containers.toml.
"""

from __future__ import annotations

import math
import re
from typing import Any

from translator.core.findings import finding, has_errors
from translator.core.tables.catalog import CONFIG, MODEL
from translator.core.tables.images import RELEASES, image_of
from translator.core.text.words import SAFE, is_utf8, is_variable, quote
from translator.formats.forms import (
    BAD_NAME,
    NOT_UTF8,
    CommandLine,
    Environment,
    Problem,
    Written,
    cannot_be_said,
)
from translator.formats.manifests import ENV_FILE, argument_of, env_items, problem_of, referred
from translator.formats.needs import (
    CONTAINERS,
    changed,
    elsewhere,
    engines,
    offloaded,
    shm_needed,
    sizes_of,
)
from translator.formats.yaml_nodes import Quoted, dump

_PERIOD = 10  # seconds between two questions of a probe
_LONGEST_LABEL = 63


class Start:
    """A container of vLLM's image for a command line.

    Attributes:
        image: with the tag.
        name: by its model, a DNS label.
        groups: its arguments, flag by flag.
        environment: its variables; `plain` are those without a secret.
        gpus: how many it needs.
        shm: GiB of /dev/shm; 0 for the default.
        port: None if nothing reaches it from outside.
        health: the address that a probe asks, within the container; "" if it would not answer.
        patience: seconds in which it may still be starting.
        storage: what a comment says about it.
        findings: errors among them if the format has no place for it.
    """

    def __init__(self, form: str, line: CommandLine) -> None:
        catalog, values, version = line.catalog, line.values, line.catalog.version
        tables = catalog.tables
        table = tables.records(CONTAINERS)
        self.image = table["image"].format(version)
        (head, *self.groups), self.findings = line.public_groups(form)
        model, is_module = head[2:], image_of(self.image, tables).module
        self.groups.insert(0, [f"{MODEL}={name}" for name in model] if is_module else model)
        self.name = _label("".join(model))
        visible = table["visible"]
        env = {name: text for name, text in line.env.items() if name != visible}
        self.environment = Environment(env, tables=tables)
        secrets = self.environment.secrets
        self.plain = {name: text for name, text in env.items() if name not in secrets}
        sizes = sizes_of(values, [*table["ranks"], *engines(values, table)])
        self.gpus = math.prod(sizes.values())
        self.shm = shm_needed(values, table, offloaded(values, table, version, env))
        known = catalog.flag(table["port"])
        port = values.get(table["port"], known.default if known is not None else None)
        self.port = None if changed(values, table["unreached"], catalog) else port
        scheme = "https" if changed(values, table["encrypted"], catalog) else "http"
        address = f"{scheme}://localhost:{port}{table['health']}"
        self.health = "" if changed(values, table["unasked"], catalog) else address
        self.patience, self.storage = table["patience"], table["storage"]
        if visible in line.env:
            self._tell("not-in-file", "visible", visible, name=visible, count=str(self.gpus))
        self.findings += self.environment.unwritable(
            form, lambda name, text: _problem(form, f"{name}={text}", name)
        )
        for group in self.groups:
            why = next(filter(None, (_problem(form, token) for token in group)), None)
            flag = group[0].partition("=")[0] if group else ""
            self.findings += [cannot_be_said(form, flag, why)] if why else []
        if version not in tables.records(RELEASES):
            self._tell("not-expressible", "image", form, version=version)
        if flag := elsewhere(values, table, catalog):
            self._tell("not-expressible", "machines", flag, flag=flag, format=form)
        if CONFIG in values:
            self._tell("not-expressible", "config", CONFIG, file=values[CONFIG])
        self.findings += referred(form, self.environment)

    def _tell(self, code: str, case: str, subject: str, **facts: str) -> None:
        self.findings.append(finding(code, subject, case=case, **facts))

    @property
    def args(self) -> list[str]:
        return [token for group in self.groups for token in group]

    @property
    def published(self) -> str:
        return f"{self.port}:{self.port}" if self.port is not None else ""

    @property
    def question(self) -> str:
        """The command that asks it; a certificate is not for this name."""
        insecure = " -k" if self.health.startswith("https") else ""
        return f"curl -fsS{insecure} {self.health}" if self.health else ""


def write_start(form: str, line: CommandLine) -> Written:
    """Write a start in one of STARTS (registry.py)."""
    start = Start(form, line)
    if has_errors(start.findings):
        return "", start.findings
    write = {"k8s": _manifest, "compose": _compose, "docker": _docker, "quadlet": _quadlet}[form]
    text = (_container_alone if line.only_container else write)(start)
    return f"# {start.storage}\n{text}", start.findings


def _label(model: str) -> str:
    """Return the last part of a model's name as a DNS label, which begins with a letter."""
    last = model.rstrip("/").rpartition("/")[2]
    name = re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")
    name = name if name[:1].isalpha() else f"vllm-{name}"
    return name[:_LONGEST_LABEL].strip("-")


# --- Kubernetes and compose -----------------------------------------------------------------------


def _container(start: Start) -> dict[str, Any]:
    """Return the container of a pod."""
    container: dict[str, Any] = {"name": "vllm", "image": start.image}
    container["args"] = list(map(argument_of, start.args))
    if start.environment.env:
        container["env"] = env_items("k8s", start.environment)[0]
    if start.port is not None:
        container["ports"] = [{"containerPort": start.port}]
    container["resources"] = {"limits": {"nvidia.com/gpu": start.gpus}}
    if start.health:
        scheme, _, rest = start.health.partition("://")
        asked = {"path": rest[rest.index("/") :], "port": start.port}
        asked |= {"scheme": "HTTPS"} if scheme == "https" else {}
        probe = {"httpGet": asked, "periodSeconds": _PERIOD}
        often = start.patience // _PERIOD
        container["startupProbe"] = {**probe, "failureThreshold": often}
        container["readinessProbe"] = {**probe, "httpGet": dict(asked)}
    if start.shm:
        container["volumeMounts"] = [{"name": "shm", "mountPath": "/dev/shm"}]
    return container


def _volumes(start: Start) -> dict[str, Any]:
    """Return the volumes of a pod."""
    memory = {"medium": "Memory", "sizeLimit": f"{start.shm}Gi"}
    return {"volumes": [{"name": "shm", "emptyDir": memory}]} if start.shm else {}


def _container_alone(start: Start) -> str:
    """Write the container, and what its pod needs as a comment."""
    volumes = dump({"in the pod": _volumes(start)}).splitlines() if start.shm else ()
    return "".join(f"# {text}\n" for text in volumes) + dump(_container(start))


def _manifest(start: Start) -> str:
    """Write a Deployment and its Service."""
    labels = {"app": start.name}
    # Kubernetes sets VLLM_PORT for a Service that is called vllm.
    pod = {"enableServiceLinks": False, "containers": [_container(start)], **_volumes(start)}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"replicas": 1, "selector": {"matchLabels": dict(labels)}, "template": template}
    resources = [("apps/v1", "Deployment", spec)]
    if start.port is not None:
        spec = {"selector": dict(labels), "ports": [{"port": start.port}]}
        resources.append(("v1", "Service", spec))
    return "---\n".join(
        dump({"apiVersion": api, "kind": kind, "metadata": {"name": start.name}, "spec": spec})
        for api, kind, spec in resources
    )


def _compose(start: Start) -> str:
    """Write a compose file, which takes secrets from the environment of compose."""
    texts = [f"{name}={text}".replace("$", "$$") for name, text in start.plain.items()]
    texts += [f"{name}=${{{name}:?}}" for name in start.environment.secrets]
    device = {"driver": "nvidia", "count": start.gpus, "capabilities": ["gpu"]}
    test = {"test": ["CMD", *start.question.split()], "start_period": f"{start.patience}s"}
    service: dict[str, Any] = {
        "image": start.image,
        "command": [Quoted(text.replace("$", "$$")) for text in start.args],
        "environment": list(map(Quoted, texts)),
        "ports": [Quoted(start.published)] if start.published else [],
        "shm_size": f"{start.shm}g" if start.shm else "",
        "deploy": {"resources": {"reservations": {"devices": [device]}}},
        "healthcheck": test if start.health else {},
    }
    return dump({"services": {start.name: {key: value for key, value in service.items() if value}}})


# --- command lines and units ----------------------------------------------------------------------


def _docker(start: Start) -> str:
    """Write a `docker run` command, which takes secrets from a file."""
    options = [("--name", start.name), ("--gpus", str(start.gpus))]
    options += [("--shm-size", f"{start.shm}g")] if start.shm else []
    options += [("-p", start.published)] if start.published else []
    options += [("-e", f"{name}={text}") for name, text in start.plain.items()]
    options += [("--env-file", ENV_FILE)] if start.environment.secrets else []
    if start.health:
        options += [("--health-cmd", start.question)]
        options += [("--health-start-period", f"{start.patience}s")]
    groups = [["docker", "run"], *options, [start.image, *start.groups[0]], *start.groups[1:]]
    return " \\\n  ".join(" ".join(map(quote, group)) for group in groups) + "\n"


def _quadlet(start: Start) -> str:
    """Write a `.container` file, which takes secrets from a file beside it."""
    arguments = (" ".join(map(_unit_word, group)) for group in start.groups)
    keys = [("Image", f"docker.io/{start.image}"), ("ContainerName", start.name)]
    keys += [("Exec", " \\\n  ".join(filter(None, arguments)))]
    keys += [("Environment", _unit_word(f"{name}={value}")) for name, value in start.plain.items()]
    keys += [("EnvironmentFile", ENV_FILE)] if start.environment.secrets else []
    keys += [("PublishPort", start.published)] if start.published else []
    keys += [("AddDevice", f"nvidia.com/gpu={number}") for number in range(start.gpus)]
    keys += [("ShmSize", f"{start.shm}g")] if start.shm else []
    if start.health:
        keys += [("HealthCmd", start.question), ("HealthStartPeriod", f"{start.patience}s")]
    container = "".join(f"{key}={text}\n" for key, text in keys)
    # Podman pulls the image while systemd waits, which gives up after 90 seconds otherwise.
    service = f"[Service]\nTimeoutStartSec={start.patience}s\n"
    return f"[Container]\n{container}\n{service}\n[Install]\nWantedBy=default.target\n"


# What Podman's generator and then systemd make something else of: quotes and escapes of both,
# systemd's specifiers and variables (podman's pkg/systemd/parser/split.go, systemd.service(5)).
_UNIT_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "%": "%%", "$": "$$"}


def _unit_word(text: str) -> str:
    """Return a word of a Quadlet's key that ends up as the given one in the container."""
    raw = (char if char.isprintable() or char > "\x7f" else f"\\x{ord(char):02x}" for char in text)
    written = "".join([_UNIT_ESCAPES.get(char, text) for char, text in zip(text, raw)])
    return written if SAFE.issuperset(text) else f'"{written}"'


# Podman takes a line for ended at an empty word; it writes `;` so that it ends systemd's command,
# and U+0080 as a byte.
_NOT_PASSED = ("Podman does not pass on as it is", "docker")


def _problem(form: str, text: str, name: str = "A") -> Problem | None:
    """Return what a format cannot hold of an argument, or of a variable's name and `NAME=value`."""
    if form == "quadlet" and (text in ("", ";") or "\x80" in text):
        return _NOT_PASSED
    if problem_of(name, text) or (form in ("compose", "quadlet") and not is_variable(name)):
        return BAD_NAME
    return None if is_utf8(text) else NOT_UTF8
