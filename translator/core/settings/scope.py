"""One version's catalog, one dialect, and the tables that they come from."""

from __future__ import annotations

from translator.core.findings import Finding, TranslationError, finding, has_errors
from translator.core.secrets import MASK, secrets_of
from translator.core.tables import versions
from translator.core.tables.catalog import CONFIG, JSON_KINDS, flag_of, variable_of
from translator.core.tables.dialects import (
    UNLISTED,
    Dialect,
    find_dialect,
    name_problems,
    of_version,
)
from translator.core.text.words import DEFAULT, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.core.findings import Fact
    from translator.core.secrets import Secrets
    from translator.core.settings import ModelConfig
    from translator.core.tables.catalog import Catalog, Flag, Tables, Variable
    from translator.core.tables.dialects import DialectVariable


MOST_SCOPES = 64

# An environment has a few hundred names; a caller that generates names without end must not fill
# the memory.
KEEP = 20_000


class Role:
    """The meaning of a variable's name.

    Attributes:
        kind: "flag", "absent" (a flag or key that the version lacks), "choice", "worker",
            "environment", "reserved", "extra-args", "config-file", "native", "native-absent",
            "plugin" (a plugin of vLLM reads it), "unknown-vllm", "no-flag" (the dialect's table
            names a flag that no version has).
        flag: the flag in the version, for "flag".
        path: the keys inside a JSON flag.
        name: the name of the flag (and key) for "absent" and "no-flag".
        rank: precedence between two variables of the same flag: the higher wins.
        listed: the variable's entry in the dialect's table; `UNLISTED` if there is none.
        inverted: whether true in the variable is false in the flag.
        variable: vLLM's own variable, for "native".
        known: value → what it sets, as the reader ranks it, or None if it stays in the environment;
            only for values without findings. The reader keeps it from call to call.
    """

    __slots__ = ("flag", "inverted", "kind", "known", "listed", "name", "path", "rank", "variable")

    def __init__(
        self,
        kind: str,
        *,
        flag: Flag | None = None,
        path: tuple[str, ...] = (),
        name: str = "",
        rank: int = 0,
        listed: DialectVariable = UNLISTED,
        variable: Variable | None = None,
    ) -> None:
        self.kind, self.flag, self.path, self.name = kind, flag, path, name
        self.rank, self.listed, self.variable = rank, listed, variable
        self.inverted = listed.inverted
        self.known: dict[str, Any] = {}

    @property
    def takes_keys(self) -> bool:
        """Whether the flag is JSON, or one of another version, which may be."""
        return self.flag is None or self.flag.kind in JSON_KINDS


class Scope:
    """A version and a dialect.

    Attributes:
        catalog: what the version accepts.
        tables: the source of all data.
        name: the dialect as the caller names it, with the prefix after its colon.
        dialect: the dialect's table.
        older: the name of the older program that runs the version, if it reads the variables by
            rules of its own; else "".
        consumer: the program that the dialect was made for.
        reader: how messages call that program.
        prefix: the prefix of a flag's name in capitals.
        extra_args: the variable for extra tokens; "" if there is none.
        config_file: the variable for --config; "" if there is none.
        adds: the origin of the settings that the program adds itself.
        secrets: what must not be shown.
        roles: name → role, of the names looked up so far.
        slots: flag → its variable, of the flags written so far (env/writer.py).
        like_nothing: unread names that resemble no known name.
        model: the config.json of the model, if one is given.
    """

    model: ModelConfig | None = None

    def __init__(self, catalog: Catalog, dialect: str, tables: Tables) -> None:
        self.catalog = catalog
        self.tables = tables
        self.name = dialect
        self.dialect = find_dialect(dialect, tables) or Dialect(dialect, {})
        self.older = of_version(dialect, catalog.version, tables) or ""
        before = find_dialect(self.older, tables) if self.older else None
        if before is not None and not before.instead:
            self.dialect = before  # it reads all that is written for the version
            self.older = ""
        self.consumer = self.dialect.consumer
        self.reader = self.dialect.reader
        self.prefix = dialect.partition(":")[2] or self.dialect.prefix
        self.extra_args = self.dialect.extra_args or ""
        self.config_file = self.dialect.config_file or ""
        self.adds = Origin(DEFAULT, f"the dialect {dialect}")
        self.secrets: Secrets = secrets_of(tables)
        self.roles: dict[str, Role | None] = {}
        self.slots: dict[str, Any] = {}
        self.like_nothing: set[str] = set()

    def of_model(self, model: ModelConfig | None) -> Scope:
        """Return a scope that knows a model's config.json, too."""
        if model is None:
            return self
        from copy import copy  # no start of vLLM has one

        scope = copy(self)
        scope.model = model
        return scope

    def equals(self, other: Scope) -> bool:
        """Return whether another scope has the same version, dialect and tables: only the first
        MOST_SCOPES are kept, so that two calls may get two objects.
        """
        here, there = (self.catalog.version, self.name), (other.catalog.version, other.name)
        return here == there and self.tables is other.tables

    def role(self, name: str) -> Role | None:
        """Return the meaning of a variable name; None if the name is not known."""
        try:
            return self.roles[name]
        except KeyError:
            role = self._find(name)
            return self.roles.setdefault(name, role) if len(self.roles) < KEEP else role

    def own_variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return those of the variables that vLLM or its plugins read, whatever the dialect."""
        kinds = ("native", "native-absent", "plugin", "unknown-vllm")
        roles = ((name, self.role(name)) for name in env)
        return {name: env[name] for name, role in roles if role is not None and role.kind in kinds}

    def of_flag(
        self, name: str, rank: int, path: tuple[str, ...] = (), listed: DialectVariable = UNLISTED
    ) -> Role | None:
        """Return the role of a variable that sets a flag of any version; None if no version has the
        flag.
        """
        flag = self.catalog.flag(name)
        if flag is None:
            if not self.tables.knows(name):
                return None
            spelled = self.catalog.spelled(name)
            if spelled is None:
                full = ".".join((name, *path))
                return Role("absent", name=full, path=path, rank=rank, listed=listed)
            flag = spelled[0]
        if name == CONFIG and not path:
            # Also under a prefix: it accepts only files with certain names.
            return Role("config-file", rank=rank, listed=listed)
        role = Role("flag", flag=flag, path=path, rank=rank, listed=listed)
        if name in flag.negations:
            # `DISABLE_X` where the version's flag is `--enable-x`, with that spelling for off
            role.inverted = not role.inverted
        return role

    def differs(self, name: str, case: str = "", **facts: Fact) -> Finding:
        """Return the finding about a variable that the platform's program reads differently."""
        reader = self.reader
        return finding("platform-differs", name, case=case, variable=name, reader=reader, **facts)

    def shown(self, name: str, text: str) -> str:
        """Return the value of a variable as findings may show it."""
        role, secrets = self.role(name), self.secrets
        flag = role.flag.flag if role is not None and role.flag is not None else ""
        return MASK if flag in secrets.variables or secrets.named(name) else text

    def _find(self, name: str) -> Role | None:
        listed = self.dialect.variable(name)
        if listed is not None:
            return self._of_table(name, listed)
        if name and name == self.extra_args:
            return Role("extra-args")
        if name and name == self.config_file:
            return Role("config-file")
        variable = self.catalog.variable(name)
        if variable is not None:
            return Role("native", variable=variable)
        if name.startswith(self.prefix):
            role = self._of_capitals(name[len(self.prefix) :])
            if role is not None:
                return role
        is_own = name.startswith("VLLM_")
        plugin = self.tables.plugin(name) if is_own else None
        if plugin is not None and not plugin.prefix:
            return Role("plugin")
        if not name.startswith("-") and self.tables.knows(name):
            return Role("native-absent")
        return Role("unknown-vllm" if plugin is None else "plugin") if is_own else None

    def _of_capitals(self, name: str) -> Role | None:
        """Return the role of a flag's name in capitals, or of a key: `FLAG__KEY__SUB`."""
        base, *keys = name.split("__")
        # A part in capitals is a lowercase key; a part with lowercase letters is the exact key
        # (ropeScaling).
        path = tuple(part.lower() if part == part.upper() else part for part in keys)
        if not base or not all(path) or base != base.upper() or "." in base or "-" in base:
            return None
        role = self.of_flag(flag_of(base), 0, path)
        return role if role is not None and (not path or role.takes_keys) else None

    def _of_table(self, name: str, listed: DialectVariable) -> Role:
        role, rank = listed.role, listed.rank
        if role == "flag":
            if self.prefix + variable_of(listed.flag) == name and not listed.path:
                rank = 0  # the flag's own name in capitals, listed for its documented default
            sets = self.of_flag(listed.flag, rank, listed.path, listed)
            return sets or Role("no-flag", name=listed.flag, listed=listed)
        variable = self.catalog.variable(name) if role == "environment" else None
        kind = role if variable is None else "native"
        return Role(kind, rank=rank, listed=listed, variable=variable)


def variable_for(flag: str, scope: Scope) -> str | None:
    """Return the dialect's variable for a flag: its name in capitals, or an alias if that name has
    another meaning.
    """
    if flag == CONFIG:
        return scope.config_file or None
    names = names_for(flag, scope)
    consumer, dialect = scope.consumer, scope.dialect
    if consumer.closed and not consumer.vllm:
        # Only the table is certain: its names come before the flag's own name, which is known only
        # if a list contains the flag.
        passed = flag in consumer.how
        names = [name for name in names if passed or dialect.listed(name).flag == flag]
        names.sort(key=lambda name: (dialect.listed(name).fallback, name not in dialect.names))
    return names[0] if names else None


def names_for(flag: str, scope: Scope) -> list[str]:
    """Return the variables that set a flag, best first: its name in capitals, then the table's
    aliases.
    """
    written = [item for item in scope.dialect.setting(flag) if not item.read_only]
    written.sort(key=lambda item: item.fallback)
    names = dict.fromkeys((scope.prefix + variable_of(flag), *(item.name for item in written)))
    return [name for name in names if sets(name, flag, scope, inverted=False)]


def sets(name: str, flag: str, scope: Scope, *, inverted: bool = True) -> bool:
    """Return whether a variable sets a whole flag."""
    role = scope.role(name)
    if role is None or role.kind != "flag" or role.flag is None or role.path:
        return False
    return role.flag.flag == flag and (inverted or not role.inverted)


def scope(
    vllm: str | None, dialect: str, env: Mapping[str, str], tables: Tables
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
    text = vllm or versions.requested(env)
    if not text and "@" in dialect:
        from translator.core.tables.images import vllm_of

        text = vllm_of(dialect, tables)
    text = text or tables.versions()[-1]
    kept: Scope | None = tables.scopes.get((text, dialect))
    if kept is not None:
        return kept, []
    subject = "vllm" if vllm or not versions.requested(env) else versions.VARIABLE
    version, findings = versions.choose(text, tables.versions(), subject)
    findings += name_problems(dialect, tables)
    if version is None or has_errors(findings):
        raise TranslationError(findings)
    scope: Scope | None = tables.scopes.get((version, dialect))
    if scope is None:
        scope = Scope(tables.catalog(version), dialect, tables)
        if len(tables.scopes) < MOST_SCOPES:
            tables.scopes[version, dialect] = scope
    return scope, findings


def older_generation(here: Scope) -> Scope | None:
    """Return the scope of the older program that runs a scope's version, where it reads the
    variables by rules of its own; None if the scope's dialect is that program's, too.
    """
    return scope(here.catalog.version, here.older, {}, here.tables)[0] if here.older else None
