"""Containers of Kubernetes manifests."""

from __future__ import annotations

from typing import Any

from translator.commands.command import Container
from translator.commands.compose import _service
from translator.findings import Finding, finding
from translator.text import yaml_nodes as yamlread
from translator.text.yaml_nodes import _text, entries, items, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import yaml


def containers(text: str, env: Mapping[str, str] | None = None) -> list[Container]:
    """The containers of a text, in its order: of manifests, of compose services, or one container's
    own keys.

    Args:
        text: YAML.
        env: what compose files may refer to.

    Raises:
        YamlError: it is no YAML.
    """
    found: list[Container] = []
    for node in yamlread.documents(text):
        keys = entries(node)
        services = entries(keys.get("services"))
        if services and not _is_manifest(keys):
            found += [
                _service(name, service, dict(env or {})) for name, service in services.items()
            ]
        elif _is_container(keys):
            found.append(_container("the container", node))
        elif set(keys) == {"env"}:
            found.append(_container("the variables", node))
        elif items(node) and all(not entries(item) for item in items(node)):
            made = Container("the arguments", line_of(node))
            made.args = _texts(node, made)
            found.append(made)
        else:
            _walk(node, _title(keys), found, 0)
    return found


def _is_manifest(keys: Mapping[str, Any]) -> bool:
    return "apiVersion" in keys or "kind" in keys


def _is_container(keys: Mapping[str, Any]) -> bool:
    return (
        not _is_manifest(keys)
        and any(name in keys for name in ("args", "command"))
        and "containers" not in keys
    )


def _title(keys: Mapping[str, yaml.Node]) -> str:
    kind, metadata = keys.get("kind"), entries(keys.get("metadata"))
    name = metadata.get("name")
    parts = [
        str(item.value) for item in (kind, name) if item is not None and isinstance(item.value, str)
    ]
    return "/".join(parts) or "the manifest"


def _walk(node: yaml.Node, title: str, found: list[Container], depth: int) -> None:
    """Every `containers:` list anywhere below: pods, deployments, jobs, and the many kinds of
    custom resources.
    """
    if depth > 40:
        return
    for key, value in entries(node).items():
        if key in ("containers", "initContainers"):
            for item in items(value):
                name = entries(item).get("name")
                found.append(
                    _container(f"{title}: {name.value if name is not None else 'container'}", item)
                )
        elif key == "container" and _is_container(entries(value)):
            found.append(_container(title, value))
        else:
            _walk(
                value,
                _title(entries(value)) if _is_manifest(entries(value)) else title,
                found,
                depth + 1,
            )
    for item in items(node):
        _walk(
            item, _title(entries(item)) if _is_manifest(entries(item)) else title, found, depth + 1
        )


def _texts(node: yaml.Node, made: Container, change: Callable[[str], str] = str) -> list[str]:
    found = []
    for item in items(node):
        if entries(item) or items(item):
            made.findings.append(
                finding(
                    "bad-manifest",
                    made.name,
                    f"{made.name}, line {line_of(item)}: an argument is a text, not a list or a"
                    " mapping",
                    "put it in quotes",
                )
            )
        else:
            found.append(change(_text(item)))
    return found


def _container(name: str, node: yaml.Node) -> Container:
    keys = entries(node)
    made = Container(name, line_of(node))
    if "image" in keys:
        made.image = _text(keys["image"])
    for item in items(keys.get("env")):
        parts = entries(item)
        if "name" not in parts:
            continue
        variable = _text(parts["name"])
        made.lines[variable] = line_of(item)
        if "value" in parts:
            value = parts["value"]
            if not isinstance(value.value, str) or value.tag != "tag:yaml.org,2002:str":
                message = (
                    f"{name}, line {line_of(item)}: the value of {variable} is no text: Kubernetes"
                    " refuses it"
                )
                made.findings.append(finding("bad-manifest", variable, message, "put it in quotes"))
            made.env[variable] = expand(_text(value), made.env)
        elif "valueFrom" in parts:
            made.findings.append(
                _elsewhere(name, item, f"{variable} is taken from elsewhere (valueFrom)")
            )
    if "envFrom" in keys:
        made.findings.append(
            _elsewhere(name, keys["envFrom"], "envFrom takes variables from elsewhere")
        )
    for key in ("command", "args"):
        if key not in keys:
            continue
        value = keys[key]
        if isinstance(value.value, str) and value.value:
            made.findings.append(
                finding(
                    "bad-manifest",
                    key,
                    f"{name}, line {line_of(value)}: `{key}` is a list in Kubernetes, not a text",
                    f'write {key}: ["…", "…"]',
                )
            )
        texts = _texts(value, made, lambda text: expand(text, made.env, made.referred))
        if key == "command":
            made.command = texts or None
            made.args_line = line_of(value)
        else:
            made.args = texts
            made.args_line = made.args_line if made.command else line_of(value)
    return made


def _elsewhere(name: str, node: yaml.Node, what: str) -> Finding:
    return finding(
        "unresolved-value",
        what.partition(" ")[0],
        f"{name}, line {line_of(node)}: {what}: its value is not known here, and not checked",
    )


def expand(text: str, env: Mapping[str, str], referred: set[str] | None = None) -> str:
    """`$(NAME)` as Kubernetes replaces it; `$$` is `$`, and a name that is not set stays as it is.
    The names are added to `referred`.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        behind = text[at + 1 : at + 2]
        if char == "$" and behind == "$":
            found.append("$")
            at += 2
        elif char == "$" and behind == "(" and ")" in text[at:]:
            end = text.index(")", at)
            name = text[at + 2 : end]
            if referred is not None:
                referred.add(name)
            found.append(env.get(name, f"$({name})"))
            at = end + 1
        else:
            found.append(char)
            at += 1
    return "".join(found)
