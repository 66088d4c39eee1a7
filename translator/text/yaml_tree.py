"""The nodes of YAML documents: find one, say where it stands, make others."""

from __future__ import annotations

import yaml

from translator.text.placed import partition, place
from translator.text.yaml_places import with_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from translator.text.placed import Place

_TAGS = "tag:yaml.org,2002:"


def entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by key; {} for anything else."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def places_of_keys(node: yaml.Node) -> dict[str, Place]:
    """Return the places of the keys of a mapping; {} for anything else."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: place_of(key) for key, _ in node.value if isinstance(key, yaml.ScalarNode)}


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """Return the elements of a sequence; [] for anything else."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def find(node: yaml.Node | None, *keys: str) -> yaml.Node | None:
    """Return the value of a key in a mapping, of a key in that, and so on; None if one is
    missing.
    """
    for key in keys:
        node = entries(node).get(key)
    return node


def parts(node: yaml.Node) -> list[yaml.Node]:
    """Return the keys and the values of a mapping, the elements of a sequence, or []."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return items(node)


def every(node: yaml.Node) -> Iterator[yaml.Node]:
    """Yield a node and all nodes in it, each once, an outer one before its parts."""
    left, done = [node], set()
    while left:
        node = left.pop()
        if id(node) not in done:
            done.add(id(node))
            yield node
            left += reversed(parts(node))


def scalar_text(node: yaml.Node | None, default: str = "") -> str:
    """Return a scalar as the string that it was written as, with its place: Kubernetes and compose
    read `8000` as "8000".

    Args:
        node: "" for another node than a scalar.
        default: the string for None.
    """
    if node is None:
        return default
    text = node.value
    if not isinstance(text, str):
        return ""
    if not text.isascii():
        # JSON writes some characters as two escapes, which PyYAML does not join; Go replaces a lone
        # half by the replacement character.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return with_places(text, node) if isinstance(node, yaml.ScalarNode) else text


def assigned(node: yaml.Node | None) -> Iterator[tuple[str, str | None, yaml.Node]]:
    """Yield the variables of a mapping, or of a list of `NAME=value`: the name, the value or None,
    and the node.
    """
    for name, value in entries(node).items():
        yield name, None if has_type(value, "null") else scalar_text(value), value
    for item in items(node):
        variable, sign, text = partition(scalar_text(item), "=")
        yield variable, text if sign else None, item


def has_type(node: yaml.Node, *names: str) -> bool:
    """Return whether YAML takes a value for one of some types, such as "int" or "null"."""
    return any(node.tag == _TAGS + name for name in names)


def place_of(node: yaml.Node) -> Place:
    """Return where a node begins."""
    mark = node.start_mark
    return place(mark.buffer or "", mark.pointer) or ("", mark.line + 1, mark.column + 1)


def line_of(node: yaml.Node) -> int:
    return place_of(node)[1]


def file_of(node: yaml.Node) -> str:
    """Return the file of a node that is not of the input itself, or ""."""
    return place_of(node)[0]


def scalar(text: str, near: yaml.Node) -> yaml.ScalarNode:
    """Return a string as a node in the place of another one; its text has its own, or none."""
    return yaml.ScalarNode(f"{_TAGS}str", text, near.start_mark)


def mapping(found: Mapping[str, yaml.Node], near: yaml.Node) -> yaml.MappingNode:
    """Return a mapping as a node in the place of another one."""
    pairs = [(scalar(key, value), value) for key, value in found.items()]
    return yaml.MappingNode(f"{_TAGS}map", pairs, near.start_mark, near.end_mark)


def sequence(found: Iterable[yaml.Node], near: yaml.Node) -> yaml.SequenceNode:
    """Return a sequence as a node in the place of another one."""
    return yaml.SequenceNode(f"{_TAGS}seq", list(found), near.start_mark, near.end_mark)


def put(node: yaml.Node | None, key: str, value: yaml.Node | None) -> None:
    """Set a key of a mapping; None removes it."""
    if isinstance(node, yaml.MappingNode):
        node.value = [pair for pair in node.value if pair[0].value != key]
        if value is not None:
            node.value.append((scalar(key, value), value))
