"""YAML that may come from anywhere, read into plain values with their lines and without blowing up;
and YAML as PyYAML's safe dumper writes it.
"""

from __future__ import annotations

from typing import Any

import yaml

from translator.findings import one_line


def scalar_text(node: yaml.Node) -> str:
    """Return a scalar as the text that it was written as: Kubernetes and compose take `8000` for
    "8000".
    """
    if not isinstance(node.value, str):
        return ""
    if node.value.isascii():
        return node.value
    # JSON writes a character as two escapes, which PyYAML leaves apart; of half a one, Go makes a
    # sign of replacement.
    return node.value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# Aliases let a short text stand for billions of values.
MOST_VALUES = 100_000


class YamlError(ValueError):
    """A text is no YAML that is read here; one line says why."""


class _Loader(yaml.SafeLoader):
    """PyYAML's, which stops at what is too much: a node takes a kilobyte and 50 microseconds."""

    made = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.made += 1
        if self.made > MOST_VALUES:
            raise YamlError(_TOO_MUCH)
        return super().compose_node(parent, index)


_TOO_MUCH = f"it stands for more than {MOST_VALUES} values"


def documents(text: str) -> list[yaml.Node]:
    """The documents of a text; JSON is one.

    Raises:
        YamlError: it is no YAML, or stands for too much.
    """
    if text.lstrip()[:1] in ("{", "[") and "\t" in text:
        text = text.replace(
            "\t", " "
        )  # JSON has them between its values only, where PyYAML takes none
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
    """The value of a node, as yaml.safe_load gives it.

    Raises:
        YamlError: it has none.
    """
    try:
        return yaml.constructor.SafeConstructor().construct_document(node)
    except yaml.YAMLError as error:
        raise YamlError(_why(error)) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise YamlError(_said(error)) from None


def load(text: str) -> Any:
    """The one document of a text, as yaml.safe_load gives it; None of an empty text.

    Raises:
        YamlError: it is no YAML, or more than one document.
    """
    found = documents(text)
    if len(found) > 1:
        raise YamlError("it holds more than one document")
    return plain(found[0]) if found else None


def entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """The values of a mapping by key, merges (`<<`) resolved; {} of anything else."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    try:
        yaml.constructor.SafeConstructor().flatten_mapping(node)
    except yaml.YAMLError:
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """The elements of a sequence; [] of anything else."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def line_of(node: yaml.Node) -> int:
    line: int = node.start_mark.line
    return line + 1


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = MOST_VALUES + 1  # of a node that contains itself
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
    """What PyYAML, or Python (`could not convert string to float: 'x'`), says of a mistake, without
    what it quotes of the file, which may be secret.

    Only punctuation and the names of PyYAML's own tokens stay.
    """
    if (
        "escape character" in text or "expected escape" in text
    ):  # whether it is unknown, or too short, depends on the letter behind the backslash
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
    """A string that is written in double quotes, so that it is one in every YAML."""


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        # Lists are indented below their key, as Kubernetes manifests have them.
        super().increase_indent(flow, False)


def _quoted(dumper: yaml.SafeDumper, text: Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


_Dumper.add_representer(Quoted, _quoted)


def dump(value: Any) -> str:
    """Return a value as YAML, in its order and without folded lines."""
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=True,
        width=10**9,
    )
    return text
