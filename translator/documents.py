"""What the commands print with `--format json`: types for mypy, from which `translate tables docs`
writes docs/schemas; a text behind a type is the description there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict, Union, final


class FindingJson(TypedDict):
    code: Annotated[str, "stable; `translate explain CODE` describes it"]
    severity: Literal["error", "warning", "info"]
    subject: Annotated[str, "the variable, flag or token that it is about"]
    message: Annotated[str, "what was found, for which vLLM, and why it matters; may change"]
    hint: Annotated[str, "what to write instead; may be empty"]


class VariablesJson(TypedDict):
    env: Annotated[Mapping[str, str], "the variables"]
    findings: Sequence[FindingJson]


class TranslationJson(VariablesJson):
    argv: Annotated[Sequence[str], "the command line; `env` is what vLLM itself reads"]


class PlacedJson(FindingJson):
    vllm: Annotated[str | None, "the release that it is about"]
    file: str | None
    line: Annotated[int | None, "from 1"]
    column: Annotated[int | None, "from 1"]


class RegionJson(TypedDict):
    startLine: int
    startColumn: int
    endLine: int
    endColumn: Annotated[int, "of the first character behind it"]
    text: Annotated[str, "what takes the place of it"]


class EditJson(RegionJson, total=False):
    file: Annotated[str, "if it is another one than the finding's"]


class CheckedFindingJson(PlacedJson):
    target: Annotated[str, "the start that it is about, as in `checked`"]
    edits: Annotated[Sequence[EditJson], "what `--fix` would write"]


class CheckedJson(TypedDict):
    target: str
    vllm: str
    reader: Annotated[str | None, "the platform whose program reads the variables"]
    errors: Annotated[int, "how many of its findings are errors"]


class CheckJson(TypedDict):
    checked: Annotated[Sequence[CheckedJson], "every start in every version"]
    findings: Sequence[CheckedFindingJson]


class UpgradedJson(TypedDict):
    file: str
    changed: Annotated[bool, "whether it is moved, or would be"]
    left: Annotated[bool, "whether it, or a part of it, stays as it is"]
    difference: Annotated[str, "a unified diff; what is secret in it is masked"]
    lost: Annotated[Sequence[str], "settings that the new version ignores"]
    problems: Annotated[Sequence[str], "edits that are not made, and why"]
    findings: Sequence[PlacedJson]


class UpgradeJson(TypedDict):
    vllm: Annotated[str, "the release to move to"]
    written: Annotated[bool, "whether the files are written: `--write`"]
    files: Sequence[UpgradedJson]


class AcceptedJson(TypedDict):
    since: Annotated[str, "the first release of a run that accepts this"]
    until: Annotated[str, "the last one"]
    value: Annotated[str, "in words: integer ≥ 1"]
    choices: Annotated[Sequence[str], "all values there are; empty if any"]
    nullable: Annotated[bool, "`None` is one, too"]
    also: Annotated[Sequence[str], "other spellings"]
    off: Annotated[Sequence[str], "spellings that switch it off"]
    default: Annotated[str, "as JSON; null where the parser has none"]
    deprecated: bool


class SectionJson(TypedDict):
    heading: str
    lines: Sequence[str]


class PageJson(TypedDict):
    title: str
    description: Annotated[str, "what it is for, in a line; may be empty"]
    accepted: Sequence[AcceptedJson]
    sections: Sequence[SectionJson]


class NamedPageJson(PageJson):
    name: Annotated[str, "as it was asked for"]


ExplainJson = Union[Sequence[NamedPageJson], Sequence[PlacedJson]]  # noqa: UP007  # for Python 3.10


@final
class DefaultJson(TypedDict):
    name: str
    before: Annotated[str, "none where vLLM decides at its start"]
    after: str
    effect: Annotated[str, "may be empty"]


@final
class RemovedJson(TypedDict):
    name: str
    why: Annotated[str, "may be empty"]


@final
class RenamedJson(TypedDict):
    name: str
    to: Annotated[Sequence[str], "what is written instead"]


@final
class ChangedJson(TypedDict, total=False):
    name: str
    kind: Annotated[Mapping[Literal["before", "after"], Any], "in both releases"]
    choices: Mapping[Literal["before", "after"], Any]
    deprecated: Mapping[Literal["before", "after"], Any]


@final
class AddedJson(TypedDict):
    name: str
    kind: str
    choices: Sequence[Any] | None
    default: Any


RowJson = DefaultJson | RemovedJson | RenamedJson | ChangedJson | AddedJson


class KeyJson(TypedDict):
    kind: str
    choices: Sequence[Any] | None
    keys: Mapping[str, KeyJson] | None


class _FlagJson(TypedDict):
    flag: str
    aliases: Annotated[Sequence[str], "every other accepted spelling"]
    negations: Annotated[Sequence[str], "spellings that switch it off"]
    kind: str
    choices: Sequence[Any] | None
    nullable: Annotated[bool, "`None` is a value, too"]
    default: Annotated[Any, "null where vLLM decides at its start"]
    deprecated: bool


class FlagJson(_FlagJson, total=False):
    keys: Annotated[Mapping[str, KeyJson], "of a JSON flag with a fixed shape"]


class VariableJson(TypedDict):
    name: str
    kind: str
    choices: Sequence[Any] | None
    default: Any


class CatalogJson(TypedDict):
    version: str
    flags: Sequence[FlagJson]
    env: Annotated[Sequence[VariableJson], "the variables that vLLM itself reads"]


class DifferencesJson(TypedDict):
    defaults: Annotated[Sequence[DefaultJson], "those that matter most first"]
    removed: Sequence[RemovedJson]
    renamed: Sequence[RenamedJson]
    changed: Sequence[ChangedJson]
    added: Sequence[AddedJson]


DiffJson = TypedDict(
    "DiffJson",
    {"from": str, "to": str, "flags": DifferencesJson, "variables": DifferencesJson},
)
