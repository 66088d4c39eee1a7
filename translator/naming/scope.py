"""One version's catalog, one dialect, and the tables that they come from."""

from __future__ import annotations

from translator.findings import Finding, TranslationError, has_errors, show
from translator.naming.dialect import Dialect, find_dialect, name_problems
from translator.naming.role import Roles
from translator.secrets.masking import MASK
from translator.secrets.secrets import secrets_of
from translator.tables import versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.naming.role import Role
    from translator.secrets.secrets import Secrets
    from translator.tables.catalog import Catalog, Tables


MOST_SCOPES = 64


class Scope:
    """A version and a dialect.

    Attributes:
        catalog: what the version accepts.
        tables: the source of all data.
        name: the dialect as the caller names it, with the prefix after its colon.
        dialect: the dialect's table.
        consumer: the program that the dialect was made for.
        reader: how messages call that program.
        prefix: the prefix of a flag's name in capitals.
        extra_args: the variable for extra tokens; "" if there is none.
        config_file: the variable for --config; "" if there is none.
        adds: the origin of the settings that the program adds itself.
        secrets: what must not be shown.
        roles: name → role, of the names looked up so far.
        slots: flag → how the writer writes it.
        like_nothing: unread names that resemble no known name.
    """

    def __init__(self, catalog: Catalog, dialect: str, tables: Tables) -> None:
        self.catalog = catalog
        self.tables = tables
        self.name = dialect
        self.dialect = find_dialect(dialect, tables) or Dialect(dialect, {})
        self.consumer = self.dialect.consumer
        self.reader = self.dialect.reader
        self.prefix = dialect.partition(":")[2] or self.dialect.prefix
        self.extra_args = self.dialect.extra_args
        self.config_file = self.dialect.config_file
        self.adds = f"the dialect {dialect}"
        self.secrets: Secrets = secrets_of(tables)
        self._roles = Roles(catalog, self.dialect, self.prefix, tables)
        self.roles = self._roles.found
        self.slots: dict[str, Any] = {}
        self.like_nothing: set[str] = set()

    def equals(self, other: Scope) -> bool:
        """Return whether another scope has the same version, dialect and tables: only the first
        MOST_SCOPES are kept, so that two calls may get two objects.
        """
        mine = (self.catalog.version, self.name)
        return mine == (other.catalog.version, other.name) and self.tables is other.tables

    def role(self, name: str) -> Role | None:
        """Return the meaning of a variable name; None if the name is not known."""
        return self._roles.role(name)

    def of_flag(self, name: str, rank: int) -> Role | None:
        """Return the role of a variable that sets a flag of any version."""
        return self._roles.of_flag(name, rank)

    def shown(self, name: str, text: str) -> str:
        """Return a variable's value as messages may show it."""
        return MASK if self.secrets.named(name) else show(self.secrets.showing.value(text))


def scope(
    vllm: str | None,
    dialect: str,
    env: Mapping[str, str],
    tables: Tables,
) -> tuple[Scope, list[Finding]]:
    """Return the scope for a call, and the findings about the version.

    Args:
        vllm: the version that the caller names, or None.
        dialect: the dialect's name.
        env: where TRANSLATE_VLLM_VERSION may be set.
        tables: where both are looked up.

    Raises:
        TranslationError: the version or the dialect is not known.
    """
    named: Scope | None = tables.kept.get(("scope", vllm, dialect)) if vllm is not None else None
    if named is not None:
        return named, []
    known = tables.versions()
    text = versions.wanted(vllm, env, known)
    kept: Scope | None = tables.kept.get(("scope", text, dialect))
    if kept is not None:
        return kept, []
    version, findings = versions.choose(
        text, known, "vllm" if vllm or not versions.requested(env) else versions.VARIABLE
    )
    findings += name_problems(dialect, tables)
    if version is None or has_errors(findings):
        raise TranslationError(findings)
    found: Scope | None = tables.kept.get(("scope", version, dialect))
    if found is None:
        found = Scope(tables.catalog(version), dialect, tables)
        # A copy, since another thread may add to it meanwhile.
        if sum(key[0] == "scope" for key in list(tables.kept)) < MOST_SCOPES:
            tables.kept["scope", version, dialect] = found
    return found, findings


def older_generation(here: Scope) -> Scope | None:
    """Return the scope of the older program that runs a scope's version, where it reads the
    variables by rules of its own; None if the scope's dialect is that program's, too.
    """
    from translator.naming.generation import of_version  # whoever only reads variables needs none

    name = of_version(here.name, here.catalog.version, here.tables)
    return None if name is None else scope(here.catalog.version, name, {}, here.tables)[0]
