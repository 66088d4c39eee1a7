"""Variables as the `env:` list of a Kubernetes container."""

from __future__ import annotations

from translator.formats.registry import not_in_manifest, unwritable
from translator.text.yaml_nodes import Quoted, dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.formats.registry import Environment, Written


def write_env(environment: Environment) -> Written:
    """Write the YAML, and return errors for variables that it cannot hold."""
    env = environment.env
    findings = unwritable("k8s", environment, not_in_manifest)
    if findings:
        return "", findings
    values = [{"name": name, "value": Quoted(escape(text))} for name, text in env.items()]
    return dump({"env": values}), []


def escape(text: str) -> str:
    """Return a string that Kubernetes, which replaces `$(NAME)` and reads `$$` as `$`, turns into
    the given one.
    """
    found = []
    for at, char in enumerate(text):
        found.append("$$" if char == "$" and text[at + 1 : at + 2] in ("$", "(") else char)
    return "".join(found)
