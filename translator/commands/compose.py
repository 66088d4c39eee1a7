"""Services of compose files."""

from __future__ import annotations

from translator.commands.command import Container, exceeded, shown_name
from translator.findings import Finding, finding
from translator.secrets.masking import hidden
from translator.secrets.secrets import showing_of
from translator.text import parameter_expansion as references
from translator.text.holes import hole
from translator.text.quoting import words
from translator.text.yaml_nodes import entries, items, line_of, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import yaml

    from translator.text.expansion import Budget

_NULL = "tag:yaml.org,2002:null"


def read_services(document: yaml.Node, env: Mapping[str, str], budget: Budget) -> list[Container]:
    """Read the services of a compose file; [] for any other document."""
    keys = entries(document)
    if "apiVersion" in keys or "kind" in keys:
        return []
    services = entries(keys.get("services"))
    return [_Service(name, env, budget).read(node) for name, node in services.items()]


class _Service:
    """Reads one service and collects its findings."""

    def __init__(self, name: str, env: Mapping[str, str], budget: Budget) -> None:
        self.name, self._env, self._budget = f"service {shown_name(name)}", env, budget
        self.findings: list[Finding] = []

    def _tell(self, code: str, subject: str, case: str, **facts: str | int) -> None:
        self.findings.append(finding(code, subject, case=case, container=self.name, **facts))

    def read(self, node: yaml.Node) -> Container:
        keys = entries(node)
        image = self._text(keys["image"]) if "image" in keys else ""
        env, lines = self._variables(keys.get("environment"))
        if "env_file" in keys:
            self._tell("unresolved-value", "env_file", "compose-file")
        command = self._words("entrypoint", keys.get("entrypoint"))
        args = self._words("command", keys.get("command"))
        self.findings += exceeded(self._budget, self.name)
        started = [keys[key] for key in ("entrypoint", "command") if key in keys]
        return Container(
            self.name,
            line_of(started[-1] if started else node),
            image,
            command or None,
            args,
            env,
            lines,
            findings=self.findings,
        )

    def _variables(self, node: yaml.Node | None) -> tuple[dict[str, str], dict[str, int]]:
        """Return the known variables, and the lines of all variables."""
        env: dict[str, str] = {}
        lines: dict[str, int] = {}
        given: list[tuple[str, str | None, int]] = []
        for name, value in entries(node).items():
            text = None if value.tag == _NULL else scalar_text(value)
            given.append((name, text, line_of(value)))
        for item in items(node):
            name, sign, text = scalar_text(item).partition("=")
            given.append((name, text if sign else None, line_of(item)))
        for name, text, line in given:
            lines[name] = line
            if text is not None:
                env[name] = self._interpolated(text, line)
            elif name in self._env:
                env[name] = self._env[name]
            else:
                shown = showing_of().variable(name)
                self._tell("unresolved-value", shown, "compose-variable", variable=shown)
        return env, lines

    def _words(self, key: str, node: yaml.Node | None) -> list[str]:
        """Return the words of a command, which is a list or a string."""
        if node is None:
            return []
        if not isinstance(node.value, str):
            return [self._text(item) for item in items(node)]
        try:
            return words(self._text(node))
        except ValueError:
            self._tell("shell-syntax", self.name, "compose-words", key=key)
            return []

    def _text(self, node: yaml.Node) -> str:
        return self._interpolated(scalar_text(node), line_of(node))

    def _interpolated(self, text: str, line: int, depth: int = 0) -> str:
        """Return a string with `$NAME`, `${NAME}` and `${NAME:-default}` replaced as in compose;
        `$$` is `$`.

        Args:
            text: the string in the file.
            line: its line.
            depth: how many defaults it is nested in.
        """
        found: list[str] = []
        at = 0
        while at < len(text):
            behind = text[at + 1 : at + 2]
            if text[at] == "$" and behind == "$":
                found.append("$")
                at += 2
            elif text[at] == "$" and behind == "{":
                value, at = self._reference(text, at, line, depth)
                found.append(value)
            elif text[at] == "$" and behind in references.NAME_START and behind:
                end = at + 1
                while end < len(text) and text[end] in references.NAME:
                    end += 1
                name = text[at + 1 : end]
                found.append(self._known(name, self._env.get(name), line))
                at = end
            else:
                found.append(text[at])
                at += 1
        return "".join(found)

    def _reference(self, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        """Return the replacement of the `${…}` at an index, and the index after it."""
        reference = references.read(text, at)
        if reference is None or not reference.name or reference.operator[-1:] == "=":
            value, word, readable = None, False, False
        else:
            value, word = references.chosen(reference, self._env)
            readable = not word or depth < references.DEEPEST
        end = len(text) if reference is None else reference.end + 1
        if reference is None or not readable:
            # The content is not shown: it may be part of a secret.
            self._tell("shell-syntax", "${", "compose-reference", line=line)
            return "", end
        if word:
            inner = text[reference.word : reference.end]
            return self._interpolated(inner, line, depth + 1), end
        return self._known(reference.name, value, line), end

    def _known(self, name: str, value: str | None, line: int) -> str:
        """Return the value of a variable. An unknown value becomes a finding, and is marked as
        known only to a shell.
        """
        if value is not None:
            return self._budget.take(value, line)
        shown = name if showing_of().name(name) else hidden(name)
        self._tell("shell-variable", f"${shown}", "compose", variable=shown, line=line)
        return hole(f"${name}")
