"""YAML from untrusted files: its nodes with their places, their plain values, and what is written.

PyYAML makes the nodes, within limits of size and depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import yaml

from translator.core.text.json_text import YamlError
from translator.core.text.words import Place, Placed, cut, joined, place, stamped
from translator.formats.classes import frozen
from translator.formats.places import beginning, partition, whole
from translator.formats.places import split as split_placed
from translator.formats.references import MOST_ADDED

MOST_VALUES = 100_000
"""Values of one text, aliases included: a node takes a kilobyte and 50 microseconds."""

DEEPEST = 200
"""Levels, as in JSON. PyYAML recurses, and looks at every open bracket for each token."""

_LONGEST_NUMBER = 4300
"""Characters: Python writes no longer integer, and adds up 1:59:59… in quadratic time."""

_TAGS = "tag:yaml.org,2002:"
_TOO_MUCH = f"it stands for more than {MOST_VALUES} values"
_TOO_DEEP = "it nests too deep"


class _Composer(yaml.composer.Composer):
    """PyYAML's maker of nodes, with limits."""

    made = depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.made += 1
        if self.made > MOST_VALUES:
            raise YamlError(_TOO_MUCH)
        if self.depth >= DEEPEST:
            raise YamlError(_TOO_DEEP)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Loader(_Composer, yaml.SafeLoader):
    """PyYAML's loader with limits, and with one kind of error.

    PyYAML's constructors raise whatever comes: an IndexError for `!!int ""`, a KeyError for
    `!!bool x`, an AttributeError for `!!timestamp x`.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.buffer = Placed(self.buffer, whole(text).parts)  # which the marks of nodes refer to

    def fetch_flow_collection_start(self, token: Any) -> None:
        if self.flow_level >= DEEPEST:
            raise YamlError(_TOO_DEEP)
        super().fetch_flow_collection_start(token)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        number = has_type(node, "int", "float")
        try:
            if number and len(node.value) > _LONGEST_NUMBER:
                raise ValueError
            value = super().construct_object(node, deep)
            if number:
                str(value)  # hexadecimal digits may be too many decimal ones
        except (yaml.YAMLError, RecursionError):
            raise
        except Exception:
            tag = node.tag.removeprefix(_TAGS)
            raise yaml.constructor.ConstructorError(
                None, None, f"`!!{tag}` cannot stand for this value", node.start_mark
            ) from None
        return value

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if has_type(key, "int") and len(key.value) > 18:  # thousands may have one hash
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is too long a number", key.start_mark
                )
        return super().construct_mapping(node, deep)


if yaml.__with_libyaml__:
    from yaml._yaml import CParser

    class _QuickLoader(_Composer, CParser, yaml.resolver.Resolver):
        """A loader with libyaml's reader of a text, which takes a fifth of the time."""

        def __init__(self, text: str) -> None:
            _Composer.__init__(self)
            CParser.__init__(self, str(text))
            yaml.resolver.Resolver.__init__(self)
            self._text = whole(text)

        def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
            node = super().compose_node(parent, index)
            if isinstance(node, yaml.ScalarNode) and not (node.value or node.style):
                raise YamlError("nothing has another place in libyaml")
            if node is not None and node.end_mark is not None and node.start_mark.buffer is None:
                node.start_mark = self._placed(node.start_mark)
                node.end_mark = self._placed(node.end_mark)
            return node

        def _placed(self, mark: yaml.Mark) -> yaml.Mark:
            return yaml.Mark("", mark.index, mark.line, mark.column, self._text, mark.index)


# What libyaml and PyYAML read otherwise: `!tag`, `? key` and `|#`; and what is not printable.
_READ_OTHERWISE = re.compile(r"[!?]|[|>][-+\d]*#")


def _composed(text: str) -> list[yaml.Node | None]:
    """Return the documents of a string as PyYAML reads them, which also says what is wrong: with
    libyaml, where both surely agree.
    """
    is_sure = text.replace("\n", "").isprintable() and not _READ_OTHERWISE.search(text)
    if is_sure and yaml.__with_libyaml__:
        try:
            return list(yaml.compose_all(text, Loader=_QuickLoader))  # type: ignore[arg-type]
        except (YamlError, yaml.YAMLError, RecursionError):
            pass
    return list(yaml.compose_all(text, Loader=_Loader))


def documents(text: str) -> list[yaml.Node]:
    """Return the documents of a string, merges (`<<`) resolved; JSON is one document.

    Raises:
        YamlError: the string is not valid YAML, or expands to too much.
    """
    text = whole(text)
    if text.lstrip()[:1] in ("{", "[") and "\t" in text:
        # JSON allows tabs only between its values, where PyYAML rejects them.
        text = Placed(text.replace("\t", " "), text.parts)
    try:
        nodes = [node for node in _composed(text) if node is not None]
        if "&" in text or "<<" in text:  # else it is no longer than it is written
            _limit(nodes, len(text))
            merging = _Loader("")
            for part in (part for node in nodes for part in every(node)):
                if isinstance(part, yaml.MappingNode):
                    merging.flatten_mapping(part)
    except YamlError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(_why(error)) from None
    return nodes


@frozen
class BadPart:
    """A document that is no YAML: its first line, the reason ("" for a template), and its text."""

    line: int
    problem: str
    text: str


def good_documents(
    text: str, unfit: Callable[[str], bool]
) -> tuple[list[yaml.Node], list[BadPart]]:
    """Return the documents of a string that can be read, and those that cannot. One is a template
    if it is `unfit`, and it is no YAML or has a place to fill in for a value.

    Raises:
        YamlError: they expand to too much.
    """
    if not unfit(text):
        try:
            return documents(text), []
        except YamlError:
            pass
    lines = split_placed(whole(text), "\n")
    starts = [at for at, line in enumerate(lines) if line.startswith("---")]
    bad: list[BadPart] = []
    for start, end in pairwise(sorted({0, *starts, len(lines)})):
        part = joined(lines[start:end], "\n")
        try:
            if not (any(map(_is_template, documents(part))) and unfit(part)):
                continue
            problem = ""
        except YamlError as error:
            problem = "" if unfit(part) else str(error)
        bad.append(BadPart(start + 1, problem, part))
        lines[start:end] = [""] * (end - start)
    return documents(joined(lines, "\n")), bad


def _is_template(document: yaml.Node) -> bool:
    """Return whether `{{ name }}` stands without quotes: a mapping that is the key of one."""
    mappings = (node for node in every(document) if isinstance(node, yaml.MappingNode))
    return any(isinstance(key, yaml.MappingNode) for node in mappings for key, _ in node.value)


def plain(node: yaml.Node) -> Any:
    """Return the value of a node, as yaml.safe_load does.

    Raises:
        YamlError: the node has no value.
    """
    try:
        return _Loader("").construct_document(node)
    except (yaml.YAMLError, RecursionError) as error:
        raise YamlError(_why(error)) from None


def load(text: str) -> tuple[Any, dict[str, Place]]:
    """Return the single document of a string, as yaml.safe_load does, and the places of its keys;
    None for an empty string.

    Raises:
        YamlError: the string is not valid YAML, or has more than one document.
    """
    nodes = documents(text)
    if len(nodes) > 1:
        raise YamlError("it holds more than one document")
    return (plain(nodes[0]), places_of_keys(nodes[0])) if nodes else (None, {})


def _limit(roots: list[yaml.Node], written: int) -> None:
    """Raise a YamlError if documents contain themselves, or expand to too much with all aliases."""
    known: dict[int, tuple[int, int] | None] = {}  # None: those that are being counted

    def size(node: yaml.Node) -> tuple[int, int]:
        """Return how many values a node stands for, and how many characters they have."""
        if isinstance(node, yaml.ScalarNode):
            return 1, len(node.value)
        if id(node) not in known:
            known[id(node)] = None
            known[id(node)] = total(parts(node), 1)
        counted = known[id(node)]
        if counted is None:
            raise YamlError("it contains itself")
        return counted

    def total(nodes: list[yaml.Node], values: int) -> tuple[int, int]:
        sizes = list(map(size, nodes))
        return values + sum(each[0] for each in sizes), sum(each[1] for each in sizes)

    values, characters = total(roots, 0)
    if values > MOST_VALUES:
        raise YamlError(_TOO_MUCH)
    if characters > written + MOST_ADDED:
        raise YamlError(f"its aliases add more than {MOST_ADDED} characters")


def _why(error: Exception) -> str:
    """Return the reason of an error in one line, without what it quotes from the file: that may be
    secret. The names of PyYAML's tokens (`<block end>`) and single characters stay.
    """
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    problem = re.sub(r"(['\"])(?!<).{3,}\1", r"\1…\1", problem)
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return problem
    at = place(mark.buffer, mark.pointer)
    return f"line {at[1] if at else mark.line + 1}: {problem}"


# The nodes: find one, say where it stands, make others.


def entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by key; {} for anything else."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def places_of_keys(node: yaml.Node) -> dict[str, Place]:
    """Return the places of the keys of a mapping, behind a quote; {} for anything else."""
    keys = [scalar_text(key) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return {str(key): beginning(key) for key in keys}


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """Return the elements of a sequence; [] for anything else."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def find(node: yaml.Node | None, *keys: str) -> yaml.Node | None:
    """Return the value of a key in a mapping, of a key in that, …; None if one is missing."""
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
    left, seen = [node], set()
    while left:
        node = left.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            left += reversed(parts(node))


def scalar_text(node: yaml.Node | None, default: str = "") -> str:
    """Return a scalar as the string that it was written as, with its place: Kubernetes and compose
    read `8000` as "8000". "" for another node, `default` for None.
    """
    if node is None:
        return default
    if not isinstance(node, yaml.ScalarNode):
        return ""
    text: str = node.value
    if not text.isascii():
        # JSON writes some characters as two escapes, which PyYAML does not join; Go replaces a lone
        # half by the replacement character.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _with_places(text, node)


# A tag or an anchor in front of a scalar.
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_WORD = re.compile(r"\S+")
# A word between double quotes, where blanks may be escapes, and an escaped line break is nothing;
# and the parts of one between quotes, of which an escape is one character.
_ESCAPED_WORD = re.compile(
    r"(\\[ntr \n])|(?:[^\\\s]|\\[^ntr \n])(?:[^\\\s]|\\[^ntr \n]|\\\n[ \t]*)*"
)
_PARTS = {
    '"': re.compile(r"(\\(?:u\w{4}|x\w{2}|[^\n]))|[^\\\s]+"),
    "'": re.compile(r"('')|[^']+"),
}


def _with_places(text: str, node: yaml.ScalarNode) -> str:
    """Return the text of a scalar with the places of its words in the file, where it has quotes,
    escapes, line breaks and indentation; with that of its beginning, if it is written in an
    unusual way; without any, if it was not written in a file.
    """
    source, end = node.start_mark.buffer, node.end_mark
    if not isinstance(source, Placed) or isinstance(text, Placed) or end is None:
        return text
    start = node.start_mark.pointer
    start = _PROPERTIES.match(source, start, end.pointer).end()  # type: ignore[union-attr]
    mark = source[start] if node.style in ("'", '"') else ""
    inner, stop = start + len(mark), end.pointer - len(mark)
    if source[inner:stop] == text:
        return cut(source, inner, stop)
    if node.style in ("|", ">"):
        inner = max(source.find("\n", start, stop), start)  # its header may have a comment
    words = [word.start() for word in _WORD.finditer(text)]
    pattern = _ESCAPED_WORD if mark == '"' else _WORD
    written = [item for item in pattern.finditer(source, inner, stop) if not item.lastindex]
    if len(words) != len(written):
        return stamped(text, source, start + len(mark))
    placed: list[tuple[int, Place | None]] = [] if words[:1] == [0] else [(0, None)]
    for at, word in zip(words, written):
        for part in _PARTS.get(mark, _WORD).finditer(word[0]):
            placed.append((at, place(source, word.start() + part.start())))
            at += 1 if part.lastindex else len(part[0])
    return Placed(text, placed)


def assigned(node: yaml.Node | None) -> Iterator[tuple[str, str | None, yaml.Node]]:
    """Yield name, value or None, and node of the variables in a mapping, in `NAME=value` items, or
    in items with the keys `name` and `value`.
    """
    pairs = [entries(item) for item in items(node)]
    listed = {
        scalar_text(row["name"]): row["value"] for row in pairs if {"name", "value"} <= row.keys()
    }
    for name, value in (listed or entries(node)).items():
        yield name, None if has_type(value, "null") else scalar_text(value), value
    for item in () if listed else items(node):
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


def scalar(text: str, near: yaml.Node) -> yaml.ScalarNode:
    """Return a string as a node in the place of another one; its text has its own, or none."""
    return yaml.ScalarNode(f"{_TAGS}str", text, near.start_mark)


def mapping(values: Mapping[str, yaml.Node], near: yaml.Node) -> yaml.MappingNode:
    """Return a mapping as a node in the place of another one."""
    pairs = [(scalar(key, value), value) for key, value in values.items()]
    return yaml.MappingNode(f"{_TAGS}map", pairs, near.start_mark, near.end_mark)


def sequence(values: Iterable[yaml.Node], near: yaml.Node) -> yaml.SequenceNode:
    """Return a sequence as a node in the place of another one."""
    return yaml.SequenceNode(f"{_TAGS}seq", list(values), near.start_mark, near.end_mark)


def put(node: yaml.Node | None, key: str, value: yaml.Node | None) -> None:
    """Set a key of a mapping; None removes it."""
    if isinstance(node, yaml.MappingNode):
        node.value = [pair for pair in node.value if pair[0].value != key]
        if value is not None:
            node.value.append((scalar(key, value), value))


# What is written, as PyYAML's safe dumper does.


class Quoted(str):
    """A string written in double quotes, so that every YAML parser reads it as a string."""


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        # Lists are indented below their key, as in Kubernetes manifests.
        super().increase_indent(flow, False)


# PyYAML writes these unescaped in plain and single-quoted strings, where YAML 1.1 reads them as
# line breaks.
_BREAKS = frozenset("\x85\u2028\u2029")


def _written(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if _BREAKS.isdisjoint(text) and not isinstance(text, Quoted) else '"'
    return dumper.represent_scalar(f"{_TAGS}str", str(text), style=style)


_Dumper.add_representer(Quoted, _written)
_Dumper.add_representer(str, _written)


def dump(value: Any) -> str:
    """Return a value as YAML, with its order kept and no lines folded."""
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=True,
        width=10**9,
    )
    return text
