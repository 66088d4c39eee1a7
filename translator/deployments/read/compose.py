"""Services of compose files, with what stands beside a file: those to include and to extend,
`env_file`, the Dockerfile of `build`.

The rules are those of compose-go (https://github.com/compose-spec/compose-go): loader/include.go,
loader/extends.go, override/merge.go.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import yaml

from translator.core.findings import Finding, finding
from translator.core.text.json_text import YamlError
from translator.core.text.words import Place, cut, joined, stamped
from translator.deployments.read import Container, Context, exceeded
from translator.deployments.read.directives import Stage, last_stage
from translator.deployments.read.programs import serves
from translator.deployments.read.surroundings import Surroundings, gpus_of, shm_of
from translator.formats.classes import evolve, frozen
from translator.formats.dotenv import BadEntryError, compose_bindings, raw_bindings
from translator.formats.files import LONGEST
from translator.formats.places import whole
from translator.formats.references import DEEPEST, NAME, Budget, hole, holes, reference
from translator.formats.yaml_nodes import (
    MOST_VALUES,
    assigned,
    documents,
    entries,
    find,
    has_type,
    items,
    line_of,
    mapping,
    place_of,
    scalar_text,
)

if TYPE_CHECKING:
    from translator.core.findings import Fact

# A variable of a service: its name, its value or None, and its place.
_Variable = tuple[str, str | None, Place]
_MOST_EXTENDED = 20
_ELSEWHERE = hole("the other file's image")
_OVERRIDES = tuple(
    f"{name}.override.{end}" for name in ("compose", "docker-compose") for end in ("yaml", "yml")
)
_MAIN_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
# What go-shellwords reads as it is, outside of quotes and in them; a place to fill in, as well.
_PLAIN = re.compile(r"""(?:[^\\ \t\r\n'"`()$;&|<>]+|<[A-Za-z][\w./:-]*>)+""")


def read_services(document: yaml.Node, context: Context) -> list[Container]:
    """Read the services of a compose file, those without a profile first: they are what
    `docker compose up` starts. [] for any other document.
    """
    keys = entries(document)
    if "apiVersion" in keys or "kind" in keys or not keys.keys() & {"services", "include"}:
        return []
    project = _Project(context)
    services = sorted(
        project.services(document, "").items(), key=lambda item: "profiles" in item[1].keys
    )
    env = {**context.outside, **context.env}
    return [_Reader(name, env, context.budget, project).read(item) for name, item in services]


@frozen
class _Service:
    """A service with what it extends.

    Attributes:
        node: where it stands.
        keys: its keys.
        variables: those of its environment, with their values and their nodes.
        files: the entries of `env_file`, each with the folder that it is relative to.
        folder: the one that `build` is relative to.
    """

    node: yaml.Node
    keys: Mapping[str, yaml.Node]
    variables: list[tuple[str, str | None, yaml.Node]]
    files: list[tuple[str, yaml.Node]]
    folder: str


class _Project:
    """Reads the files of one compose file, each once."""

    def __init__(self, context: Context) -> None:
        self._beside = context.beside or (lambda path: None)
        self._files: dict[str, yaml.Node | None] = {}
        self._entered: set[str] = set()  # the files that were included, each once
        self._left = MOST_VALUES
        self._characters = LONGEST

    def services(self, document: yaml.Node | None, folder: str) -> dict[str, _Service]:
        """Return the services of a compose file and of those that it includes, which it overrides.

        Args:
            document: the file.
            folder: what its paths are relative to, itself relative to the input's folder.
        """
        known = entries(find(document, "services"))
        services = {name: self._whole(known[name], known, folder, 0) for name in known}
        for item in items(find(document, "include")):
            for name, service in self._included(item, folder).items():
                services.setdefault(name, service)
        return services

    def text(self, path: str) -> tuple[str, str] | None:
        """Return the path of a file as messages show it, and its text; None if it is not known."""
        read = self._beside(path) if "$" not in path else None
        if read is None or len(read[1]) > self._characters:
            return None
        self._characters -= len(read[1])
        return read

    def started_by(self, name: str) -> dict[str, yaml.Node]:
        """Return what a service starts with in the file that others beside it add to."""
        documents = map(self._document, _MAIN_FILES)
        service = next(filter(None, (find(doc, "services", name) for doc in documents)), None)
        keys = entries(service)
        return {key: keys[key] for key in ("image", "build", "entrypoint") if key in keys}

    def _included(self, item: yaml.Node, folder: str) -> dict[str, _Service]:
        """Return the services of an entry of `include`: a path, or several that are merged."""
        parts = entries(item)
        given = parts.get("path", item)
        paths = [
            os.path.normpath(os.path.join(folder, scalar_text(path)))
            for path in items(given) or [given]
        ]
        base = os.path.dirname(paths[0])
        if "project_directory" in parts:
            base = os.path.join(folder, scalar_text(parts["project_directory"]))
        known: dict[str, _Service] = {}
        for path in paths:
            document = self._document(path) if path not in self._entered else None
            self._entered.add(path)
            for name, service in self.services(document, base).items():
                known[name] = self._merged(known[name], service) if name in known else service
        return known

    def _whole(
        self, node: yaml.Node, services: Mapping[str, yaml.Node], folder: str, depth: int
    ) -> _Service:
        """Return one of the services of a file in a folder, with what it extends; `depth` services
        extend it.
        """
        keys = entries(node)
        listed = [keys["env_file"]] if "env_file" in keys else []
        files = [(folder, item) for node in listed for item in items(node) or [node]]
        own = _Service(node, keys, list(assigned(keys.get("environment"))), files, folder)
        extends = keys.get("extends")
        if extends is None or depth > _MOST_EXTENDED:
            return own
        parts = entries(extends)
        if "file" in parts:
            path = os.path.join(folder, scalar_text(parts["file"]))
            services = entries(find(self._document(path), "services"))
            folder = os.path.dirname(path)
        base = services.get(scalar_text(parts.get("service", extends)))
        if base is None:
            return own
        return self._merged(self._whole(base, services, folder, depth + 1), own)

    def _document(self, path: str) -> yaml.Node | None:
        """Return another file; None if it cannot be read."""
        if path not in self._files:
            read = self._beside(path)
            nodes = documents(whole(read[1], read[0])) if read is not None else []
            self._files[path] = nodes[0] if nodes else None
        return self._files[path]

    def _merged(self, base: _Service, own: _Service) -> _Service:
        keys = {**base.keys, **own.keys}
        built = entries(own.keys.get("build"))
        if "build" in base.keys and built:
            keys["build"] = mapping({**entries(base.keys["build"]), **built}, keys["build"])
        moved = "context" in built or ("build" in own.keys and not (built and "build" in base.keys))
        merged = evolve(
            own,
            keys=keys,
            variables=[*base.variables, *own.variables],
            files=[*base.files, *own.files],
            folder=own.folder if moved else base.folder,
        )
        self._left -= len(merged.keys) + len(merged.variables) + len(merged.files)
        if self._left < 0:
            raise YamlError(f"its services stand for more than {MOST_VALUES} values")
        return merged


class _Reader:
    """Reads one service and collects its findings."""

    def __init__(
        self, name: str, env: Mapping[str, str], budget: Budget, project: _Project
    ) -> None:
        self.name, self._env, self._budget = f"service {name}", env, budget
        self._service = name
        self._project = project
        self.findings: list[Finding] = []

    def _tell(self, code: str, subject: str, case: str = "", **facts: Fact) -> None:
        self.findings.append(finding(code, subject, case=case, at=self.name, **facts))

    def read(self, service: _Service) -> Container:
        keys = service.keys
        # Of one that only adds to a service of another file, that has the image and the model.
        is_part = not keys.keys() & {"image", "build"}
        keys = {**self._project.started_by(self._service), **keys} if is_part else keys
        # What is not known of an image is told by its version.
        image = self._value(keys.get("image")) or _ELSEWHERE * is_part
        own = self._variables(service.variables)
        given = [*self._from_files(service.files, own), *own]
        command: list[str] | None = self._words("entrypoint", keys.get("entrypoint"))
        args = self._words("command", keys.get("command"))
        if "entrypoint" in keys and not (command or has_type(keys["entrypoint"], "null")):
            command, args = args, []  # the image's entrypoint is left out
        stage = self._stage(keys["build"], service.folder) if "build" in keys else None
        if stage is not None:
            image, command, args = _built(stage, command, args)
            at = place_of(keys["build"])
            given = [*((name, text, at) for name, text in stage.env.items()), *given]
        self.findings += exceeded(self._budget, self.name)
        started = [service.keys[key] for key in ("entrypoint", "command") if key in service.keys]
        started = started or [keys["build"] if stage is not None else service.node]
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
            pin=stage.pin if stage is not None else None,
            gets_model=is_part,
            surroundings=self._surroundings(keys, is_part),
        )

    def _surroundings(self, keys: Mapping[str, yaml.Node], is_part: bool) -> Surroundings | None:
        """Return what the service gets of its machine, if all of it is here."""
        if is_part or "extends" in keys or any(map(self._project.text, _OVERRIDES)):
            return None
        gpus = shm = None
        listed = find(keys.get("deploy"), "resources", "reservations", "devices")
        requests = [*items(listed), *items(keys.get("gpus"))]
        if len(requests) == 1 and not keys.keys() & {"privileged", "devices"}:
            ids = [self._value(item) for item in items(find(requests[0], "device_ids"))]
            count = f"device={','.join(ids)}" if ids else self._value(find(requests[0], "count"))
            gpus = gpus_of(count, "count: %d", f"device_ids: [{', '.join(ids)}]" if ids else "")
        if "ipc" not in keys:
            given = [keys[key] for key in ("volumes", "tmpfs") if key in keys]
            mounts = [item for node in given for item in items(node) or [node]]
            targets = [self._value(find(item, "target") or item) for item in mounts]
            size = self._value(keys["shm_size"]) if "shm_size" in keys else None
            shm = shm_of(size, targets, "`shm_size: %dg` or `ipc: host`")
        return Surroundings(gpus, shm)

    def _stage(self, build: yaml.Node, folder: str) -> Stage | None:
        """Return the image that a Dockerfile makes, if it could be read."""
        parts = entries(build)
        text = scalar_text(parts.get("dockerfile_inline"))
        if not text:
            context = scalar_text(parts.get("context", build)) or "."
            name = scalar_text(parts.get("dockerfile"), "Dockerfile")
            read = self._project.text(os.path.join(folder, context, name))
            if read is None:
                return None
            text = whole(read[1], read[0])
        # What is not known of them is told where a variable of the container gets it.
        findings = [*self.findings]
        given = self._variables(assigned(parts.get("args")))
        self.findings = findings
        arguments = {name: value or "" for name, value, _ in given}
        return last_stage(text, arguments, self._budget, self._value(parts.get("target")))

    def _variables(self, given: Iterable[tuple[str, str | None, yaml.Node]]) -> list[_Variable]:
        """Return the variables of a service, those without a value as the project has them."""
        variables: list[_Variable] = []
        for variable, written, at in given:
            name = str(variable)
            known = self._env.get(name)
            if written is not None:
                known = self._interpolated(written, line_of(at))
                if missing := tuple(map(str, holes([known]))):
                    facts = {"variable": name, "write": f"{name}=VALUE"}
                    self._tell("unresolved-value", variable, references=missing, **facts)
            elif known is None:
                source = "compose's environment"
                self._tell("unresolved-value", name, variable=name, source=source)
            variables.append((name, known, place_of(at)))
        return variables

    def _from_files(
        self, files: list[tuple[str, yaml.Node]], own: list[_Variable]
    ) -> list[_Variable]:
        """Return the variables of `env_file`, whose references are those of the project, of the
        service's own variables, and of the lines above.
        """
        variables: list[_Variable] = []
        known = {name: text for name, text, _ in own if text is not None}
        known = {**known, **self._env}
        before = dict(known)
        lines = _Reader("", before, self._budget, self._project)
        for folder, item in files:
            parts = entries(item)
            read = self._project.text(os.path.join(folder, scalar_text(parts.get("path", item))))
            if read is None:
                if scalar_text(parts.get("required")) != "false":
                    self._tell("unresolved-value", "env_file", "file", key="env_file")
                continue
            path, text = read
            is_raw = scalar_text(parts.get("format")) == "raw"
            try:
                for entry in (raw_bindings if is_raw else compose_bindings)(text):
                    value = known.get(entry.name) if entry.value is None else entry.value
                    if value is not None and entry.value is not None and not entry.literal:
                        value = lines._interpolated(value, entry.line)
                    if value is not None:
                        variables.append((entry.name, value, (path, entry.line, 0)))
                        before[entry.name] = known.get(entry.name) or value
            except BadEntryError as error:
                line = int(str(error))
                self.findings.append(finding("bad-env-file", f"{path}:{line}", at=path, line=line))
        return variables

    def _words(self, key: str, node: yaml.Node | None) -> list[str]:
        """Return the words of a command, which is a list or a string."""
        if node is None or not isinstance(node.value, str):
            return [self._text(item) for item in items(node)]
        try:
            words, behind = shell_words(self._text(node))
        except ValueError:
            self._tell("shell-syntax", self.name, key=key)
            return []
        if behind:
            self._tell("cut-off", stamped(str(behind), behind), text=str(behind))
        return words

    def _text(self, node: yaml.Node | None) -> str:
        """Return a part of a command, and tell what is not known of it."""
        text = self._value(node)
        for written in holes([text]):
            self._tell("shell-variable", written, "compose", variable=written[1:])
        return text

    def _value(self, node: yaml.Node | None) -> str:
        return "" if node is None else self._interpolated(scalar_text(node), line_of(node))

    def _interpolated(self, text: str, line: int, depth: int = 0) -> str:
        """Return a string with `$NAME`, `${NAME}` and `${NAME:-default}` replaced as in compose;
        `$$` is `$`. It is nested in `depth` defaults.
        """
        pieces: list[str] = []
        at = 0
        while (dollar := text.find("$", at)) >= 0:
            pieces.append(cut(text, at, dollar))
            name = NAME.match(text, dollar + 1)
            if text.startswith("${", dollar):
                value, at = self._reference(text, dollar, line, depth)
            elif name is not None:
                written, at = cut(text, dollar, name.end()), name.end()
                value = self._known(written, self._env.get(name[0]), line)
            else:
                value, at = "$", dollar + 1 + text.startswith("$$", dollar)
            pieces.append(stamped(value, text, dollar))
        return joined([*pieces, cut(text, at)])

    def _reference(self, text: str, at: int, line: int, depth: int) -> tuple[str, int]:
        """Return the replacement of the `${…}` at an index, and the index after it."""
        braced = reference(text, at)
        if braced is not None and braced.name and not braced.index and braced.operator[-1:] != "=":
            given = self._env.get(braced.name)
            value, word = braced.chosen(given)
            # An empty default stands for no value.
            if not word or (given is None and braced.word == braced.end):
                written = stamped(f"${braced.name}", text, at)
                return self._known(written, value, line), braced.end + 1
            if depth < DEEPEST:
                inner = cut(text, braced.word, braced.end)
                return self._interpolated(inner, line, depth + 1), braced.end + 1
        # The content is not shown: it may be part of a secret.
        self._tell("shell-syntax", cut(text, at, at + 2), "compose", line=line)
        return "", len(text) if braced is None else braced.end + 1

    def _known(self, written: str, value: str | None, line: int) -> str:
        """Return the value of the variable that a line refers to as written; a hole for None."""
        return hole(written) if value is None else self._budget.take(value, line)


def _built(
    stage: Stage, command: list[str] | None, args: list[str]
) -> tuple[str, list[str] | None, list[str]]:
    """Return the image that a Dockerfile makes for a service, with what it starts. A script of the
    image, which is not seen, starts the server with flags behind it.
    """
    is_script = not command or command[0].endswith(".sh")
    command, args = stage.started(command, args)
    if not is_script or not command or serves([*command, *args]):
        return stage.image, command, args
    return (stage.image, None, args) if "".join(args[:1])[:1] == "-" else ("", command, args)


def shell_words(text: str) -> tuple[list[str], str]:
    """Split a string into words as compose does, by go-shellwords 1.0.12: outside of single quotes,
    a backslash escapes whatever follows it; an operator ends the command.

    Returns:
        The words; what follows the command, which nothing runs.

    Raises:
        ValueError: a quote or a bracket is not closed.
    """
    words: list[str] = []
    word: list[str] = []  # its parts
    mark, at, end = "", 0, len(text)  # the quote or the bracket that closes what is open
    while at < end:
        start, char = at, text[at]
        plain = _PLAIN.match(text, at)
        at = plain.end() if plain else at + 1
        if char == "\\" and mark != "'":
            if at == end:
                raise ValueError("nothing follows a backslash")
            start, at = at, at + 1
        elif mark and char != mark:
            pass
        elif char in "'\"":
            mark, start = ("" if mark else char), at
        elif char in "`)":
            mark = "" if mark else char
        elif char in " \t\r\n":
            if word:
                words.append(joined(word))
            word = []
            continue
        elif char == "(":
            if word[-1:] != ["$"]:
                raise ValueError("a bracket without a dollar sign")
            mark = ")"
        elif char in ";&|<>" and not plain:
            if char == ">" and "".join(word)[:1].isdecimal():  # `2>`
                word = []
            at = start
            break
        word.append(cut(text, start, at))
    if mark:
        raise ValueError(f"{mark} is missing")
    if word:
        words.append(joined(word))
    return words, cut(text, at)
