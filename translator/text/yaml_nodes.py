"""Read untrusted YAML into plain values with their lines, within size limits, and write YAML as
PyYAML's safe dumper does.
"""

from __future__ import annotations

from typing import Any

import yaml

from translator.findings import one_line


def scalar_text(node: yaml.Node) -> str:
    """Return a scalar as the string that it was written as: Kubernetes and compose read `8000` as
    "8000".
    """
    if not isinstance(node.value, str):
        return ""
    if node.value.isascii():
        return node.value
    # JSON writes some characters as two escapes, which PyYAML does not join; Go replaces a lone
    # half by the replacement character.
    return node.value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# With aliases, a short text can expand to billions of values.
MOST_VALUES = 100_000


class YamlError(ValueError):
    """A string is not YAML that is supported here; the message gives the reason in one line."""


class _Loader(yaml.SafeLoader):
    """PyYAML's loader with a size limit: a node takes a kilobyte and 50 microseconds."""

    made = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.made += 1
        if self.made > MOST_VALUES:
            raise YamlError(_TOO_MUCH)
        return super().compose_node(parent, index)


_TOO_MUCH = f"it stands for more than {MOST_VALUES} values"


def documents(text: str) -> list[yaml.Node]:
    """Return the documents of a string; JSON is one document.

    Raises:
        YamlError: the string is not valid YAML, or expands to too much.
    """
    if text.lstrip()[:1] in ("{", "[") and "\t" in text:
        text = text.replace(
            "\t", " "
        )  # JSON allows tabs only between its values, where PyYAML rejects them
    try:
        found = [node for node in yaml.compose_all(text, Loader=_Loader) if node is not None]
    except yaml.YAMLError as error:
        raise YamlError(_why(error)) from None
    except (ValueError, RecursionError) as error:
        raise YamlError(
            "it nests too deep" if isinstance(error, RecursionError) else _said(error)
        ) from None
    try:
        if sum(_size(node, {}) for node in found) > MOST_VALUES:
            raise YamlError(_TOO_MUCH)
    except RecursionError:
        raise YamlError("it nests too deep, or contains itself") from None
    return found


def plain(node: yaml.Node) -> Any:
    """Return the value of a node, as yaml.safe_load does.

    Raises:
        YamlError: the node has no value.
    """
    try:
        return yaml.constructor.SafeConstructor().construct_document(node)
    except yaml.YAMLError as error:
        raise YamlError(_why(error)) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise YamlError(_said(error)) from None


def load(text: str) -> Any:
    """Return the single document of a string, as yaml.safe_load does; None for an empty string.

    Raises:
        YamlError: the string is not valid YAML, or has more than one document.
    """
    found = documents(text)
    if len(found) > 1:
        raise YamlError("it holds more than one document")
    return plain(found[0]) if found else None


def entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by key, merges (`<<`) resolved; {} for anything else."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    try:
        yaml.constructor.SafeConstructor().flatten_mapping(node)
    except yaml.YAMLError:
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """Return the elements of a sequence; [] for anything else."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def line_of(node: yaml.Node) -> int:
    line: int = node.start_mark.line
    return line + 1


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = MOST_VALUES + 1  # for a node that contains itself
        parts = (
            [part for pair in node.value for part in pair]
            if isinstance(node, yaml.MappingNode)
            else node.value
        )
        known[id(node)] = min(1 + sum(_size(part, known) for part in parts), MOST_VALUES + 1)
    return known[id(node)]


def _why(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = _said(getattr(error, "problem", None) or str(error).partition("\n")[0])
    return f"line {mark.line + 1}: {said}" if mark is not None else said


def _said(error: object) -> str:
    return one_line(_without_quotes(str(error)))


def _without_quotes(text: str) -> str:
    """Return the error message of PyYAML, or of Python (`could not convert string to float: 'x'`),
    without its quotations from the file, which may be secret.

    Only punctuation and the names of PyYAML's own tokens are kept.
    """
    if (
        "escape character" in text or "expected escape" in text
    ):  # unknown or too short, depending on the letter after the backslash
        return "a backslash in double quotes begins none of YAML's escapes"
    before, sign, rest = text.partition("'")
    if not sign:
        return text
    quoted, _, after = rest.rpartition("'")
    harmless = not any(char.isalnum() for char in quoted) or (
        quoted.startswith("<") and quoted.endswith(">") and "'" not in quoted
    )
    return f"{before}'{quoted if harmless else '…'}'{after}"


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
