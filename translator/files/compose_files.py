"""What a compose file names beside it: files to include, services to extend, `env_file`, the
Dockerfile of `build`.

The rules are those of compose-go (https://github.com/compose-spec/compose-go): loader/include.go,
loader/extends.go, override/merge.go.
"""

from __future__ import annotations

import os

import yaml

from translator.files.command import Beside
from translator.text.files import LONGEST
from translator.text.json_text import YamlError
from translator.text.placed import joined, whole
from translator.text.yaml_nodes import (
    MOST_VALUES,
    documents,
    entries,
    find,
    has_type,
    items,
    mapping,
    put,
    scalar,
    scalar_text,
    sequence,
)

LOADED = "!loaded"
"""The tag of a scalar that is the text of a file, whose path is the name of its mark."""

_DEEPEST = 20
# Keys whose values are added to those of the service that is extended; others replace them.
_ADDED = ("environment", "env_file")


def load(document: yaml.Node, beside: Beside) -> None:
    """Put what the services of a compose file name into their nodes; nothing into another document.

    Raises:
        YamlError: the services extend each other to too much, or a file beside is not YAML.
    """
    keys = entries(document)
    if keys.keys() & {"services", "include"} and not keys.keys() & {"apiVersion", "kind"}:
        services = _Loader(beside).services(document, "")
        if services:
            put(document, "services", mapping(services, keys.get("services", document)))


class _Loader:
    """Loads the files of one compose file, each once."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside
        self._files: dict[str, yaml.Node | None] = {}
        self._entered: set[str] = set()  # the files that were included, each once
        self._left = MOST_VALUES
        self._characters = LONGEST

    def services(self, document: yaml.Node, folder: str) -> dict[str, yaml.Node]:
        """Return the services of a compose file and of those that it includes, which it overrides.

        Args:
            document: the file.
            folder: what its paths are relative to, itself relative to the input's folder.
        """
        known = entries(find(document, "services"))
        found = {name: self._whole(known[name], known, folder, 0) for name in known}
        for item in items(find(document, "include")):
            for name, service in self._included(item, folder).items():
                found.setdefault(name, service)
        return found

    def _included(self, item: yaml.Node, folder: str) -> dict[str, yaml.Node]:
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
        found: dict[str, yaml.Node] = {}
        for path in paths:
            document = self._document(path) if path not in self._entered else None
            self._entered.add(path)
            for name, service in (self.services(document, base) if document else {}).items():
                found[name] = self._merged(found[name], service) if name in found else service
        return found

    def _whole(
        self, service: yaml.Node, services: dict[str, yaml.Node], folder: str, depth: int
    ) -> yaml.Node:
        """Return a service with what it extends and with its files.

        Args:
            service: its node.
            services: those of its file.
            folder: that of its file, relative to the compose file's.
            depth: how many services extend it.
        """
        if not isinstance(service, yaml.MappingNode):
            return service
        own = self._with_files(service, folder)
        extends = entries(own).get("extends")
        if extends is None or depth > _DEEPEST:
            return own
        parts = entries(extends)
        name = scalar_text(parts.get("service", extends))
        if "file" in parts:
            path = os.path.join(folder, scalar_text(parts["file"]))
            services, folder = (
                entries(find(self._document(path), "services")),
                os.path.dirname(path),
            )
        base = services.get(name)
        if base is None:
            return own
        return self._merged(self._whole(base, services, folder, depth + 1), own)

    def _document(self, path: str) -> yaml.Node | None:
        """Return another file; None if it cannot be read."""
        if path not in self._files:
            read = self._beside(path)
            found = documents(whole(read[1], read[0])) if read is not None else []
            self._files[path] = found[0] if found else None
        return self._files[path]

    def _merged(self, base: yaml.Node, own: yaml.Node) -> yaml.MappingNode:
        found = dict(entries(base))
        for key, value in entries(own).items():
            if key in _ADDED and key in found:
                value = sequence([*_listed(found[key]), *_listed(value)], value)
                self._left -= len(value.value)
            elif key == "build" and entries(found.get(key)) and entries(value):
                value = mapping({**entries(found[key]), **entries(value)}, value)
            found[key] = value
        self._left -= len(found)
        if self._left < 0:
            raise YamlError(f"its services stand for more than {MOST_VALUES} values")
        found.pop("extends", None)
        return mapping(found, own)

    def _with_files(self, service: yaml.MappingNode, folder: str) -> yaml.MappingNode:
        """Return a service with the texts of its files in place of their names."""
        keys = dict(entries(service))
        if "env_file" in keys:
            files = _listed(keys["env_file"])
            loaded = [self._env_file(item, folder) for item in files]
            keys["env_file"] = sequence(loaded, keys["env_file"])
        if "build" in keys:
            keys["build"] = self._build(keys["build"], folder)
        return mapping(keys, service)

    def _env_file(self, item: yaml.Node, folder: str) -> yaml.Node:
        parts = entries(item)
        path = parts.get("path", item)
        loaded = self._text(os.path.join(folder, scalar_text(path)), path)
        return mapping({**parts, "path": loaded}, item) if parts else loaded

    def _build(self, build: yaml.Node, folder: str) -> yaml.Node:
        parts = entries(build)
        if "dockerfile_inline" in parts:
            inline = parts["dockerfile_inline"]
            loaded: yaml.Node = yaml.ScalarNode(
                LOADED, scalar_text(inline), inline.start_mark, inline.end_mark
            )
        else:
            context = scalar_text(parts.get("context", build)) or "."
            name = scalar_text(parts.get("dockerfile"), "Dockerfile")
            loaded = self._text(os.path.join(folder, context, name), build)
        return mapping({**parts, "dockerfile": loaded}, build) if loaded is not build else build

    def _text(self, path: str, node: yaml.Node) -> yaml.Node:
        """Return the text of a file in place of a node; the node, if it cannot be read."""
        read = self._beside(path) if "$" not in path else None
        if read is None or len(read[1]) > self._characters:
            return node
        self._characters -= len(read[1])
        text = whole(read[1], read[0])
        start, end = (yaml.Mark(read[0], at, 0, 0, text, at) for at in (0, len(text)))
        return yaml.ScalarNode(LOADED, read[1], start, end)


def _listed(node: yaml.Node) -> list[yaml.Node]:
    """Return the items of a list; of a mapping, as `NAME=value`; of anything else, itself."""
    if isinstance(node, yaml.MappingNode) and "path" not in entries(node):
        return [
            scalar(
                name if has_type(value, "null") else joined((name, "=", scalar_text(value))), value
            )
            for name, value in entries(node).items()
        ]
    return items(node) if isinstance(node, yaml.SequenceNode) else [node]
