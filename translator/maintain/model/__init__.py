"""The schema of the tables, as classes.

The prose is in mappings/README.md. What one entry can say alone is checked here: what a field may
hold by its type (`schema`), what fields are together by the class. What takes several entries is
checked in `lint`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from string import Formatter
from typing import Annotated, Any, Literal

from attrs import field, frozen

from translator.maintain.model.catalog import Catalog
from translator.maintain.model.changes import Changes, Defaults, Messages
from translator.maintain.model.platforms import ClusterFile, Dialect, MachineFlags
from translator.maintain.model.programs import Charts, Containers, Images, Plugins, Servers
from translator.maintain.model.relations import Registry, Relations
from translator.maintain.model.schema import (
    Day,
    Distinct,
    FlagName,
    Line,
    Pattern,
    VariableName,
    VersionName,
    matching,
    nonempty,
    once,
)

FACTS, CATALOGS, DIALECTS, CLUSTERS = "vllm", "catalogs", "dialects", "clusters"
CHANGES, RELEASES = "changes.toml", "releases.toml"
RELATIONS = "relations.toml"
MACHINES = f"{CLUSTERS}/_flags.toml"  # no cluster can be called so


# --- releases and secrets -------------------------------------------------------------------------


@frozen
class Releases:
    """releases.toml: the versions that have a catalog, oldest first, and the day of each."""

    published: Annotated[Mapping[VersionName, Day], nonempty]


@frozen
class Secret:
    """A flag whose value is secret, a variable whose value is, or both: the variable then carries
    the flag's meaning. `address`: how the addresses begin that a library reads it for.
    """

    flag: FlagName | None = None
    variable: VariableName | None = None
    address: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.flag is None and self.variable is None:
            raise ValueError("names neither 'flag' nor 'variable'")


@frozen
class Secrets:
    """secrets.toml."""

    secret: Annotated[tuple[Secret, ...], once("flag", "variable")] = ()
    patterns: Distinct[Pattern] = ()
    public: Distinct[Pattern] = ()
    beginnings: Distinct[Line] = ()


# --- descriptions: what each name is for ----------------------------------------------------------


def _sentences(text: str) -> None:
    if not text.endswith((".", ")")):
        raise ValueError("does not end with a full stop")


def _short(text: str) -> None:
    if len(text) > 120:
        raise ValueError(f"is longer than 120 characters ({len(text)})")


Description = Annotated[Line, _sentences, _short]


@frozen
class Descriptions:
    """descriptions.toml."""

    complete: Distinct[str] = ()
    flag: Mapping[FlagName, Description] = field(factory=dict)
    variable: Mapping[VariableName, Description] = field(factory=dict)
    example: Mapping[FlagName, Line] = field(factory=dict)


# --- findings: what users read about each ---------------------------------------------------------


def _template(text: str) -> None:
    """It is one, with the names of facts in its braces."""
    for _, name, spec, conversion in Formatter().parse(text):
        if name is not None and (not name.isidentifier() or spec or conversion):
            raise ValueError(f"{{{name}}} is not the name of a fact")
    if len(text) > 300:
        raise ValueError(f"is longer than 300 characters ({len(text)})")


def _title(text: str) -> None:
    if len(text.split()) > 8:
        raise ValueError("has more than eight words")


CodeName = Annotated[str, matching(r"[a-z]+(-[a-z]+)*", "a code (small letters and dashes)")]
CaseName = Annotated[str, matching(r"[a-z0-9]+(-[a-z0-9]+)*", "a case (small letters and dashes)")]
Template = Annotated[str, _template]
Fix = Literal["", "replace", "replace-unsafe", "remove", "remove-unsafe", "quote"]


Severity = Literal["error", "warning", "info"]
# What is certain about a start, and about a finding; README.md says what each means.
_FACTS = (
    ("check", "vllm", "program", "foreign", "engine", "own", "latest", "assumed", "named")
    + ("part", "guess", "given", "open", "model")
    + ("token", "variable", "hole", "slip", "newer", "choice", "switch")
)  # fmt: skip


def _facts(text: str) -> None:
    """Each word is a fact."""
    if not set(_FACTS).issuperset(text.split(" ")):
        raise ValueError(f"is not one or several of {', '.join(_FACTS)}")


In = Mapping[Annotated[str, _facts], Literal["error", "warning", "info", "drop"]]
# What the program asks of findings, whatever their code; README.md says what each means.
Trait = Literal[
    "corrected",
    "hole",
    "idle",
    "machines",
    "model",
    "no-server",
    "others",
    "past",
    "program",
    "release",
    "unread",
    "unrecognized",
    "usage",
    "whole",
]


@frozen
class Case:
    """One of several messages of a code; the first template whose facts are all given is used."""

    message: tuple[Template, ...] = ()
    remedy: tuple[Template, ...] = ()
    fix: Fix = ""
    severity: Severity | None = None
    in_: In | None = field(default=None, metadata={"file": "in"})
    stops: bool | None = None
    traits: tuple[Trait, ...] | None = None


@frozen
class Code(Case):
    """A code: its usual case, what is common to all of them, and further cases by name."""

    severity: Severity = field(kw_only=True)
    title: Annotated[str, _title] = field(kw_only=True)
    explanation: Annotated[Line, _sentences] = field(kw_only=True)
    before: str = field(kw_only=True)
    after: str = field(kw_only=True, default="")
    case: Mapping[CaseName, Case] = field(kw_only=True, factory=dict)

    def __attrs_post_init__(self) -> None:
        if not self.message and not all(case.message for case in self.case.values()):
            raise ValueError("a case has no message")
        if not self.message and (not self.case or self.remedy or self.fix):
            raise ValueError("no message")


@frozen
class Findings:
    """findings.toml."""

    finding: Annotated[Mapping[CodeName, Code], nonempty]
    in_: In = field(factory=dict, metadata={"file": "in"})  # of every code
    remedy: tuple[Template, ...] = ()  # of every code


# --- all of them ----------------------------------------------------------------------------------


@frozen
class Tables:
    """The tables of one directory, by the names of their files (the table of all releases by that
    of its folder); a user's own are only a part.
    """

    files: Mapping[str, Any] = field(factory=dict)

    @cached_property
    def catalogs(self) -> tuple[Catalog, ...]:
        """What each version accepts; of one version, a user's own."""
        facts = self.files.get(FACTS)
        own = [table for table in self.files.values() if isinstance(table, Catalog)]
        catalogs = [*(facts.catalogs if facts else ()), *own]
        return tuple({catalog.version: catalog for catalog in catalogs}.values())

    @cached_property
    def dialects(self) -> tuple[Dialect, ...]:
        return tuple(table for table in self.files.values() if isinstance(table, Dialect))


# The tables of which there is one.
SINGLE: Mapping[str, type] = {
    CHANGES: Changes,
    "secrets.toml": Secrets,
    RELATIONS: Relations,
    "architectures.toml": Registry,
    "messages.toml": Messages,
    MACHINES: MachineFlags,
    RELEASES: Releases,
    "plugins.toml": Plugins,
    "defaults.toml": Defaults,
    "images.toml": Images,
    "servers.toml": Servers,
    "charts.toml": Charts,
    "containers.toml": Containers,
    "findings.toml": Findings,
    "descriptions.toml": Descriptions,
}

# The folders of tables: what a file there holds, and where that has the name of the file.
IN_FOLDERS: Mapping[str, tuple[type, str]] = {
    CATALOGS: (Catalog, "version"),
    DIALECTS: (Dialect, "dialect.name"),
    CLUSTERS: (ClusterFile, "cluster.name"),
}
