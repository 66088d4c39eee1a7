"""Read untrusted YAML into plain values with their lines, within size limits, and write YAML as
PyYAML's safe dumper does.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import yaml

from translator.text import expansion
from translator.text.placed import Placed, joined, place, whole
from translator.text.placed import split as split_placed
from translator.text.yaml_error import YamlError
from translator.text.yaml_tree import every, parts, scalar_text

MOST_VALUES = 100_000
"""Values of one text, aliases included: a node takes a kilobyte and 50 microseconds."""

DEEPEST = 200
"""Levels, as in JSON. PyYAML recurses, and looks at every open bracket for each token."""

_LONGEST_NUMBER = 4300
"""Characters: Python writes no longer integer, and adds up 1:59:59… in quadratic time."""

_TAGS = "tag:yaml.org,2002:"


_TOO_MUCH = f"it stands for more than {MOST_VALUES} values"
_TOO_DEEP = "it nests too deep"
_CONTAINS_ITSELF = "it contains itself"
_EXPANDS = f"its aliases add more than {expansion.MOST} characters"


class _Loader(yaml.SafeLoader):
    """PyYAML's loader with limits, and with one kind of error.

    PyYAML's constructors raise whatever comes: an IndexError for `!!int ""`, a KeyError for
    `!!bool x`, an AttributeError for `!!timestamp x`.
    """

    made = depth = 0

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.buffer = Placed(self.buffer, whole(text).parts)  # which the marks of nodes refer to

    def fetch_flow_collection_start(self, token: Any) -> None:
        if self.flow_level >= DEEPEST:
            raise YamlError(_TOO_DEEP)
        super().fetch_flow_collection_start(token)

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

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        number = node.tag in (f"{_TAGS}int", f"{_TAGS}float")
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
            if key.tag == f"{_TAGS}int" and len(key.value) > 18:  # thousands may have one hash
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is too long a number", key.start_mark
                )
        return super().construct_mapping(node, deep)


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
        found = [node for node in yaml.compose_all(text, Loader=_Loader) if node is not None]
        _limit(found, len(text))
        merging = _Loader("")
        for node in found:
            for part in every(node):
                if isinstance(part, yaml.MappingNode):
                    merging.flatten_mapping(part)
    except YamlError:
        raise
    except yaml.YAMLError as error:
        raise YamlError(_why(error)) from None
    except (ValueError, RecursionError) as error:
        raise YamlError(_TOO_DEEP if isinstance(error, RecursionError) else _said(error)) from None
    return found


def inside(node: yaml.Node | None) -> list[yaml.Node]:
    """Return the documents in a text of another document; [] for any other value, and for a text
    that is not YAML.
    """
    try:
        return documents(scalar_text(node))
    except YamlError:
        return []


class BadPart:
    """A document that is not YAML.

    Attributes:
        line: its first line.
        problem: the reason, in one line.
        text: the document.
    """

    __slots__ = ("line", "problem", "text")

    def __init__(self, line: int, problem: str, text: str) -> None:
        self.line, self.problem, self.text = line, problem, text


def good_documents(
    text: str, unfit: Callable[[str], bool]
) -> tuple[list[yaml.Node], list[BadPart]]:
    """Return the documents of a string that can be read, and those that cannot.

    Args:
        text: the string.
        unfit: returns whether a document may be a template, which is no YAML before it is filled
            in; it is one if it is no YAML, or has a place to fill in for a value.

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
        problem: str | None = None
        try:
            if any(map(_is_place, documents(part))) and unfit(part):
                problem = ""
        except YamlError as error:
            problem = "" if unfit(part) else str(error)
        if problem is not None:
            bad.append(BadPart(start + 1, problem, part))
            lines[start:end] = [""] * (end - start)
    return documents(joined(lines, "\n")), bad


def _is_place(document: yaml.Node) -> bool:
    """Return whether a document has a place to fill in, `{{ name }}` without quotes: a mapping that
    is the key of one.
    """
    return any(
        isinstance(key, yaml.MappingNode)
        for node in every(document)
        if isinstance(node, yaml.MappingNode)
        for key, _ in node.value
    )


def plain(node: yaml.Node) -> Any:
    """Return the value of a node, as yaml.safe_load does.

    Raises:
        YamlError: the node has no value.
    """
    try:
        return _Loader("").construct_document(node)
    except yaml.YAMLError as error:
        raise YamlError(_why(error)) from None
    except RecursionError:
        raise YamlError(_TOO_DEEP) from None


def load(text: str) -> Any:
    """Return the single document of a string, as yaml.safe_load does; None for an empty string.

    Raises:
        YamlError: the string is not valid YAML, or has more than one document.
    """
    found = documents(text)
    if len(found) > 1:
        raise YamlError("it holds more than one document")
    return plain(found[0]) if found else None


def _limit(found: list[yaml.Node], written: int) -> None:
    """Check what documents of some characters stand for, with every alias written out.

    Raises:
        YamlError: they contain themselves, or expand to too much.
    """
    known: dict[int, tuple[int, int] | None] = {}
    sizes = [_size(node, known) for node in found]
    if sum(values for values, _ in sizes) > MOST_VALUES:
        raise YamlError(_TOO_MUCH)
    if sum(characters for _, characters in sizes) > written + expansion.MOST:
        raise YamlError(_EXPANDS)


def _size(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Return how many values a node stands for, and how many characters they have.

    Args:
        node: the node.
        known: node → its size; None for nodes that this one is inside.
    """
    if isinstance(node, yaml.ScalarNode):
        return 1, len(node.value)
    if id(node) in known:
        size = known[id(node)]
        if size is None:
            raise YamlError(_CONTAINS_ITSELF)
        return size
    known[id(node)] = None
    values, characters = 1, 0
    for part in parts(node):
        more, longer = _size(part, known)
        values, characters = values + more, characters + longer
    known[id(node)] = (values, characters)
    return values, characters


def _why(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = _said(getattr(error, "problem", None) or str(error).partition("\n")[0])
    if mark is None:
        return said
    found = place(mark.buffer, mark.pointer)
    return f"line {found[1] if found else mark.line + 1}: {said}"


def _said(error: object) -> str:
    return _without_quotes(str(error))


def _without_quotes(text: str) -> str:
    """Return the error message of PyYAML, or of Python (`could not convert string to float: 'x'`),
    without its quotations from the file, which may be secret.

    Only punctuation and the names of PyYAML's own tokens are kept.
    """
    if (
        "escape character" in text or "expected escape" in text
    ):  # unknown or too short, depending on the letter after the backslash
        return "a backslash in double quotes begins none of YAML's escapes"
    marks = [at for at, char in enumerate(text) if char in "'\""]
    if not marks:
        return text
    quoted = text[marks[0] + 1 : marks[-1]]
    harmless = not any(char.isalnum() for char in quoted) or (
        quoted.startswith("<") and quoted.endswith(">") and "'" not in quoted
    )
    return (
        f"{text[: marks[0] + 1]}{quoted if harmless else '…'}{text[max(marks[-1], marks[0] + 1) :]}"
    )


class Quoted(str):
    """A string written in double quotes, so that every YAML parser reads it as a string."""


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        # Lists are indented below their key, as in Kubernetes manifests.
        super().increase_indent(flow, False)


def _quoted(dumper: yaml.SafeDumper, text: Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


# PyYAML writes these unescaped in plain and single-quoted strings, where YAML 1.1 reads them as
# line breaks.
_BREAKS = frozenset("\x85\u2028\u2029")


def _plain(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if _BREAKS.isdisjoint(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(Quoted, _quoted)
_Dumper.add_representer(str, _plain)


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
