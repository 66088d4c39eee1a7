"""Kubernetes manifests and compose files: the containers in them, with their variables and commands as a container runtime would start them."""

from __future__ import annotations

from typing import Any

from translator import references, yamlread
from translator.findings import Finding, finding
from translator.shellwords import END, UNKNOWN
from translator.yamlread import YamlError, entries, items, line_of, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import yaml


class Container:
    """One container of a file.

    Attributes:
        name: such as "Deployment/vllm: server", or "service vllm".
        line: where it begins.
        image: with its tag, or "".
        command: what replaces the image's entrypoint, or None.
        args: what follows it.
        env: its variables.
        lines: variable → its line.
        referred: the variables that its command refers to, as `$(NAME)`.
        args_line: where the command begins.
    """

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line, self.args_line = name, line, line
        self.image = ""
        self.command: list[str] | None = None
        self.args: list[str] = []
        self.env: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.referred: set[str] = set()
        self.findings: list[Finding] = []

    @property
    def telling(self) -> set[str]:
        """The names of its variables by which a reader of them may be known: one that its command hands on says nothing of what reads it."""
        return set(self.lines) - self.referred


def containers(text: str, env: Mapping[str, str] | None = None) -> list[Container]:
    """The containers of a text, in its order: of manifests, of compose services, or one container's own keys.

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
            found += [_service(name, service, dict(env or {})) for name, service in services.items()]
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
    return not _is_manifest(keys) and any(name in keys for name in ("args", "command")) and "containers" not in keys


def _title(keys: Mapping[str, yaml.Node]) -> str:
    kind, metadata = keys.get("kind"), entries(keys.get("metadata"))
    name = metadata.get("name")
    parts = [str(item.value) for item in (kind, name) if item is not None and isinstance(item.value, str)]
    return "/".join(parts) or "the manifest"


def _walk(node: yaml.Node, title: str, found: list[Container], depth: int) -> None:
    """Every `containers:` list anywhere below: pods, deployments, jobs, and the many kinds of custom resources."""
    if depth > 40:
        return
    for key, value in entries(node).items():
        if key in ("containers", "initContainers"):
            for item in items(value):
                name = entries(item).get("name")
                found.append(_container(f"{title}: {name.value if name is not None else 'container'}", item))
        elif key == "container" and _is_container(entries(value)):
            found.append(_container(title, value))
        else:
            _walk(value, _title(entries(value)) if _is_manifest(entries(value)) else title, found, depth + 1)
    for item in items(node):
        _walk(item, _title(entries(item)) if _is_manifest(entries(item)) else title, found, depth + 1)


def _text(node: yaml.Node) -> str:
    """A scalar as the text that it was written as: Kubernetes and compose take `8000` for "8000"."""
    if not isinstance(node.value, str):
        return ""
    if node.value.isascii():
        return node.value
    # JSON writes a character as two escapes, which PyYAML leaves apart; of half a one, Go makes a sign of replacement.
    return node.value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _texts(node: yaml.Node, made: Container, change: Callable[[str], str] = str) -> list[str]:
    found = []
    for item in items(node):
        if entries(item) or items(item):
            made.findings.append(
                finding("bad-manifest", made.name, f"{made.name}, line {line_of(item)}: an argument is a text, not a list or a mapping", "put it in quotes")
            )
        else:
            found.append(change(_text(item)))
    return found


# --- Kubernetes --------------------------------------------------------------------------------------------------------------


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
                message = f"{name}, line {line_of(item)}: the value of {variable} is no text: Kubernetes refuses it"
                made.findings.append(finding("bad-manifest", variable, message, "put it in quotes"))
            made.env[variable] = expand(_text(value), made.env)
        elif "valueFrom" in parts:
            made.findings.append(_elsewhere(name, item, f"{variable} is taken from elsewhere (valueFrom)"))
    if "envFrom" in keys:
        made.findings.append(_elsewhere(name, keys["envFrom"], "envFrom takes variables from elsewhere"))
    for key in ("command", "args"):
        if key not in keys:
            continue
        value = keys[key]
        if isinstance(value.value, str) and value.value:
            made.findings.append(
                finding("bad-manifest", key, f"{name}, line {line_of(value)}: `{key}` is a list in Kubernetes, not a text", f'write {key}: ["…", "…"]')
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
    return finding("unresolved-value", what.partition(" ")[0], f"{name}, line {line_of(node)}: {what}: its value is not known here, and not checked")


def expand(text: str, env: Mapping[str, str], referred: set[str] | None = None) -> str:
    """`$(NAME)` as Kubernetes replaces it; `$$` is `$`, and a name that is not set stays as it is. The names are added to `referred`."""
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


# --- compose -------------------------------------------------------------------------------------------------------------------


def _service(name: str, node: yaml.Node, env: dict[str, str]) -> Container:
    keys = entries(node)
    made = Container(f"service {name}", line_of(node))

    def filled(text: str, line: int) -> str:
        return interpolate(text, env, made, line)

    if "image" in keys:
        made.image = filled(_text(keys["image"]), line_of(keys["image"]))
    environment = keys.get("environment")
    for variable, value in entries(environment).items():
        made.lines[variable] = line_of(value)
        if value.tag == "tag:yaml.org,2002:null":
            _from_outside(variable, env, made)
        else:
            made.env[variable] = filled(_text(value), line_of(value))
    for item in items(environment):
        variable, sign, text = _text(item).partition("=")
        made.lines[variable] = line_of(item)
        if sign:
            made.env[variable] = filled(text, line_of(item))
        else:
            _from_outside(variable, env, made)
    if "env_file" in keys:
        made.findings.append(finding("unresolved-value", "env_file", f"{made.name}: env_file is not read", "check that file by itself, with --env-file"))
    for key in ("entrypoint", "command"):
        if key not in keys:
            continue
        value = keys[key]
        if isinstance(value.value, str):
            words = _compose_words(filled(_text(value), line_of(value)), made)
        else:
            words = [filled(_text(item), line_of(item)) for item in items(value)]
        if key == "entrypoint":
            made.command = words or None
        else:
            made.args = words
        made.args_line = line_of(value)
    return made


def _compose_words(text: str, made: Container) -> list[str]:
    import shlex

    try:
        return shlex.split(text)
    except ValueError as error:
        made.findings.append(finding("shell-syntax", made.name, f"{made.name}: its command cannot be split: {str(error).lower()}", "close the quote"))
        return []


def _from_outside(variable: str, env: Mapping[str, str], made: Container) -> None:
    if variable in env:
        made.env[variable] = env[variable]
    else:
        made.findings.append(
            finding(
                "unresolved-value", variable, f"{made.name}: {variable} is taken from the environment of compose: its value is not known here, and not checked"
            )
        )


def interpolate(text: str, env: Mapping[str, str], made: Container, line: int, depth: int = 0) -> str:
    """`$NAME`, `${NAME}` and `${NAME:-default}` as compose replaces them; `$$` is `$`.

    Args:
        text: what stands in the file.
        env: the variables that compose would know.
        made: its container, which is told of what is not known.
        line: where the text stands.
        depth: in how many defaults.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        behind = text[at + 1 : at + 2]
        if text[at] == "$" and behind == "$":
            found.append("$")
            at += 2
        elif text[at] == "$" and behind == "{":
            reference = references.read(text, at)
            value, word = references.chosen(reference, env) if reference is not None and reference.name else (None, False)
            if reference is None or not reference.name or (word and depth == references.DEEPEST):
                # What stands in it is not shown: it may be a part of a secret.
                message = f"{made.name}, line {line}: a ${{…}} is not closed, is too deep, or holds what compose does not read"
                made.findings.append(finding("shell-syntax", "${", message, "write ${NAME}, ${NAME:-DEFAULT}, or $$ for a dollar"))
            elif word:
                found.append(interpolate(text[reference.word : reference.end], env, made, line, depth + 1))
            else:
                found.append(_known(reference.name, value, made, line))
            at = len(text) if reference is None else reference.end + 1
        elif text[at] == "$" and behind in references.NAME_START and behind:
            end = at + 1
            while end < len(text) and text[end] in references.NAME:
                end += 1
            name = text[at + 1 : end]
            found.append(_known(name, env.get(name), made, line))
            at = end
        else:
            found.append(text[at])
            at += 1
    return "".join(found)


def _known(name: str, value: str | None, made: Container, line: int) -> str:
    """The value of a variable of compose's; one that is not known is told, and marked as what a shell would have to say."""
    if value is None:
        message = f"{made.name}, line {line}: ${name} is a variable of compose's, and what it holds is not known"
        made.findings.append(finding("shell-variable", f"${name}", message, f"give it with --env-file, or write ${{{name}:-DEFAULT}}"))
        return f"{UNKNOWN}${name}{END}"
    return value


__all__ = ["Container", "YamlError", "containers", "expand", "interpolate", "plain"]
