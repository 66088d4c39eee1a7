"""Variables as the `env:` list of a Kubernetes container."""

from __future__ import annotations

from translator.findings import finding, show
from translator.text.quoting import is_utf8
from translator.text.yaml_nodes import Quoted, dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.formats.registry import Environment, Written


def write_env(environment: Environment) -> Written:
    """Write the YAML, and return errors for variables that it cannot hold."""
    env = environment.env
    findings = []
    for name, text in env.items():
        if not name or not name.isascii() or not name.isprintable() or "=" in name:
            case, use = "name", "json"
        elif not is_utf8(text):
            case, use = "bytes", "shell"
        else:
            continue
        findings.append(
            finding("cannot-be-said", name, case=case, name=show(name), format="k8s", use=use)
        )
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
