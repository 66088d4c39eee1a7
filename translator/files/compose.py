"""Services of compose files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import yaml

from translator.files.command import Container, exceeded
from translator.files.compose_files import LOADED
from translator.files.dockerfile import Stage, last_stage
from translator.files.programs import serves
from translator.findings import Finding, finding
from translator.text.dotenv import BadEntryError, compose_bindings, raw_bindings
from translator.text.placed import Place, cut, joined, stamped
from translator.text.quoting import words
from translator.text.references import DEEPEST, NAME, Budget, hole, reference
from translator.text.yaml_nodes import (
    assigned,
    entries,
    has_type,
    items,
    line_of,
    place_of,
    scalar_text,
)

# A variable of a service: its name, its value or None, and its place.
_Variable = tuple[str, str | None, Place]


def read_services(document: yaml.Node, env: Mapping[str, str], budget: Budget) -> list[Container]:
    """Read the services of a compose file, those without a profile first: they are what
    `docker compose up` starts. [] for any other document.
    """
    keys = entries(document)
    if "apiVersion" in keys or "kind" in keys:
        return []
    services = sorted(
        entries(keys.get("services")).items(), key=lambda item: "profiles" in entries(item[1])
    )
    return [_Service(name, env, budget).read(node) for name, node in services]


class _Service:
    """Reads one service and collects its findings."""

    def __init__(self, name: str, env: Mapping[str, str], budget: Budget) -> None:
        self.name, self._env, self._budget = f"service {name}", env, budget
        self.findings: list[Finding] = []

    def _tell(self, code: str, subject: str, case: str = "", **facts: str | int) -> None:
        self.findings.append(finding(code, subject, case=case, at=self.name, **facts))

    def read(self, node: yaml.Node) -> Container:
        keys = entries(node)
        image = self._text(keys.get("image"))
        own = self._variables(keys.get("environment"))
        given = [*self._from_files(keys.get("env_file"), own), *own]
        command: list[str] | None = self._words("entrypoint", keys.get("entrypoint"))
        args = self._words("command", keys.get("command"))
        if "entrypoint" in keys and not (command or has_type(keys["entrypoint"], "null")):
            command, args = args, []  # the image's entrypoint is left out
        stage = self._stage(keys.get("build"))
        if stage is not None:
            image = stage.image
            own_command, (command, args) = command, stage.started(command, args)
            is_script = not own_command or own_command[0].endswith(".sh")
            if is_script and command and not serves([*command, *args]):
                # A script of the image: behind flags, it starts the server with them.
                command, image = (None, image) if args[:1] and args[0][:1] == "-" else (command, "")
            at = place_of(keys["build"])
            given = [*((name, text, at) for name, text in stage.env.items()), *given]
        self.findings += exceeded(self._budget, self.name)
        started = [keys[key] for key in ("entrypoint", "command") if key in keys]
        started = started or ([keys["build"]] if stage is not None else [node])
        env = {name: text for name, text, _ in given}
        return Container(
            self.name,
            place_of(started[-1]),
            image,
            command or None,
            args,
            {name: text for name, text in env.items() if text is not None},
            {name: place for name, _, place in given},
            findings=self.findings,
            vllm=stage.vllm if stage is not None else "",
        )

    def _stage(self, build: yaml.Node | None) -> Stage | None:
        """Return the image that a Dockerfile makes, if it could be read."""
        parts = entries(build)
        dockerfile = parts.get("dockerfile")
        if dockerfile is None or dockerfile.tag != LOADED:
            return None
        # What is not known of them is told where a variable of the container gets it.
        given = _Service("", self._env, self._budget)._variables(parts.get("args"))
        arguments = {name: value or "" for name, value, _ in given}
        target = self._text(parts.get("target"))
        return last_stage(scalar_text(dockerfile), arguments, self._budget, target)

    def _variables(self, node: yaml.Node | None) -> list[_Variable]:
        """Return the variables of a mapping, or of a list of `NAME=value`."""
        found: list[_Variable] = []
        for variable, written, at in assigned(node):
            name = str(variable)
            known = self._env.get(name)
            if written is not None:
                known = self._interpolated(written, line_of(at))
            elif known is None:
                source = "compose's environment"
                self._tell("unresolved-value", name, variable=name, source=source)
            found.append((name, known, place_of(at)))
        return found

    def _from_files(self, node: yaml.Node | None, own: Sequence[_Variable]) -> list[_Variable]:
        """Return the variables of `env_file`, whose references are those of the project, of the
        service's own variables, and of the lines above.
        """
        if node is None:
            return []
        found: list[_Variable] = []
        known = {name: text for name, text, _ in own if text is not None}
        known = {**known, **self._env}
        before = dict(known)
        for item in items(node) or [node]:
            parts = entries(item)
            loaded = parts.get("path", item)
            if loaded.tag != LOADED:
                if scalar_text(parts.get("required")) != "false":
                    self._tell("unresolved-value", "env_file", "file", key="env_file")
                continue
            path = place_of(loaded)[0]
            is_raw = scalar_text(parts.get("format")) == "raw"
            file = _Service("", before, self._budget)
            try:
                for entry in (raw_bindings if is_raw else compose_bindings)(scalar_text(loaded)):
                    text = entry.value
                    if text is None:
                        text = known.get(entry.name)
                    elif not entry.literal:
                        text = file._interpolated(text, entry.line)
                    if text is not None:
                        found.append((entry.name, text, (path, entry.line, 0)))
                        before[entry.name] = known.get(entry.name) or text
            except BadEntryError as error:
                line = int(str(error))
                self.findings.append(finding("bad-env-file", f"{path}:{line}", at=path, line=line))
        return found

    def _words(self, key: str, node: yaml.Node | None) -> list[str]:
        """Return the words of a command, which is a list or a string."""
        if node is None:
            return []
        if not isinstance(node.value, str):
            return [self._text(item) for item in items(node)]
        try:
            return words(self._text(node))
        except ValueError:
            self._tell("shell-syntax", self.name, key=key)
            return []

    def _text(self, node: yaml.Node | None) -> str:
        return "" if node is None else self._interpolated(scalar_text(node), line_of(node))

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
        while (dollar := text.find("$", at)) >= 0:
            found.append(cut(text, at, dollar))
            behind = text[dollar + 1 : dollar + 2]
            value, at = "$", dollar + 1
            if behind == "$":
                at += 1
            elif behind == "{":
                value, at = self._reference(text, dollar, line, depth)
            elif found_name := NAME.match(text, at):
                at = found_name.end()
                whole = cut(text, dollar, at)
                value = self._known(whole, whole[1:], self._env.get(whole[1:]), line)
            found.append(stamped(value, text, dollar))
        return joined([*found, cut(text, at)])

    def _reference(self, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        """Return the replacement of the `${…}` at an index, and the index after it."""
        found = reference(text, at)
        if found is None or found.index or not found.name or found.operator[-1:] == "=":
            value, word, readable = None, False, False
        else:
            value, word = found.chosen(self._env.get(found.name))
            readable = not word or depth < DEEPEST
        end = len(text) if found is None else found.end + 1
        if found is None or not readable:
            # The content is not shown: it may be part of a secret.
            self._tell("shell-syntax", cut(text, at, at + 2), "compose", line=line)
            return "", end
        if word:
            inner = cut(text, found.word, found.end)
            return self._interpolated(inner, line, depth + 1), end
        return self._known(cut(text, at, end), found.name, value, line), end

    def _known(self, written: str, name: str, value: str | None, line: int) -> str:
        """Return the value of a variable. An unknown value becomes a finding, and is marked as
        known only to a shell.

        Args:
            written: the reference.
            name, value: of the variable.
            line: that of the reference.
        """
        if value is not None:
            return self._budget.take(value, line)
        subject = stamped(f"${name}", written)
        self._tell("shell-variable", subject, "compose", variable=name, line=line)
        return hole(stamped(f"${name}", written))
