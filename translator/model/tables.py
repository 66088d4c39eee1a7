"""All tables of one directory; releases and secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from attrs import field, frozen

from translator.model.catalog import Catalog
from translator.model.changes import Changes, Defaults, Requires
from translator.model.clusters import Cluster, ClusterFile, MachineFlags
from translator.model.dialects import Dialect
from translator.model.field_types import (
    Day,
    Distinct,
    FlagName,
    Line,
    Pattern,
    VariableName,
    VersionName,
    nonempty,
    once,
)
from translator.model.findings import Findings
from translator.model.programs import Charts, Images, Launchers, Plugins

CATALOGS, DIALECTS, CLUSTERS = "catalogs", "dialects", "clusters"
CHANGES, RELEASES = "changes.toml", "releases.toml"
MACHINES = f"{CLUSTERS}/_flags.toml"  # no cluster can be called so


def catalog_file(version: str) -> str:
    """Return the name of the file of a version's catalog."""
    return f"{CATALOGS}/{version}.json"


@frozen
class Releases:
    """releases.toml: the versions that have a catalog, oldest first, and the day on which each was
    published.
    """

    published: Annotated[Mapping[VersionName, Day], nonempty]


@frozen
class Secret:
    """A flag whose value is secret, a variable whose value is, or both: the variable then carries
    the flag's meaning.
    """

    flag: FlagName | None = None
    variable: VariableName | None = None

    def __attrs_post_init__(self) -> None:
        if self.flag is None and self.variable is None:
            raise ValueError("names neither 'flag' nor 'variable'")


@frozen
class Secrets:
    """secrets.toml.

    Attributes:
        secret: the flags and the variables that are secret by their own names.
        patterns: names of variables, flags and keys that are secret.
        public: names that fit a pattern and are no secret.
        beginnings: how secrets of well-known services begin.
    """

    secret: Annotated[tuple[Secret, ...], once("flag", "variable")] = ()
    patterns: Distinct[Pattern] = ()
    public: Distinct[Pattern] = ()
    beginnings: Distinct[Line] = ()


@frozen
class Tables:
    """The tables of one directory; a user's own hold only a part.

    Attributes:
        catalogs: oldest version first.
        dialects: file name → dialect, in the order of the names.
        clusters: file name → cluster.
        digest: of the files that they were read from.
    """

    catalogs: tuple[Catalog, ...] = ()
    dialects: Mapping[str, Dialect] = field(factory=dict)
    changes: Changes | None = None
    secrets: Secrets | None = None
    digest: str = ""
    clusters: Mapping[str, Cluster] = field(factory=dict)
    requires: Requires | None = None
    machines: MachineFlags | None = None
    releases: Releases | None = None
    plugins: Plugins | None = None
    defaults: Defaults | None = None
    images: Images | None = None
    charts: Charts | None = None
    launchers: Launchers | None = None
    findings: Findings | None = None

    def single(self) -> dict[str, Any]:
        """The tables of which there is one, by the name of the field; those that are here."""
        found = {field: getattr(self, field) for field, _ in SINGLE.values()}
        return {field: table for field, table in found.items() if table is not None}

    def files(self) -> dict[str, Any]:
        """All tables by the names of their files."""
        single = self.single()
        return {
            **{catalog_file(catalog.version): catalog for catalog in self.catalogs},
            **self.dialects,
            **self.clusters,
            **{file: single[field] for file, (field, _) in SINGLE.items() if field in single},
        }


# The tables of which there is one: file → the field of `Tables`, and what the file holds.
SINGLE: Mapping[str, tuple[str, type]] = {
    CHANGES: ("changes", Changes),
    "secrets.toml": ("secrets", Secrets),
    "requires.toml": ("requires", Requires),
    MACHINES: ("machines", MachineFlags),
    RELEASES: ("releases", Releases),
    "plugins.toml": ("plugins", Plugins),
    "defaults.toml": ("defaults", Defaults),
    "images.toml": ("images", Images),
    "charts.toml": ("charts", Charts),
    "launchers.toml": ("launchers", Launchers),
    "findings.toml": ("findings", Findings),
}

# The folders of tables: what a file there holds, and where that has the name of the file.
IN_FOLDERS: Mapping[str, tuple[type, str]] = {
    CATALOGS: (Catalog, "version"),
    DIALECTS: (Dialect, "dialect.name"),
    CLUSTERS: (ClusterFile, "cluster.name"),
}
