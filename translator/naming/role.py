"""The meaning of a variable's name in a version and a dialect."""

from __future__ import annotations

from translator.naming.dialect import UNLISTED
from translator.tables.entries import CONFIG, flag_of, variable_of
from translator.tables.plugins import plugin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.dialect import Dialect, DialectVariable
    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Flag, Variable


# An environment has a few hundred names; a caller that generates names without end must not fill
# the memory.
KEEP = 20_000


MOST_KNOWN = 32  # values per variable


class Role:
    """The meaning of a variable's name.

    Attributes:
        kind: "flag", "absent" (a flag or key that the version lacks), "choice", "worker",
            "environment", "reserved", "extra-args", "config-file", "native", "native-absent",
            "plugin" (a plugin of vLLM reads it), "unknown-vllm", "no-flag" (the dialect's table
            names a flag that no version has).
        flag: the flag in the version, for "flag".
        path: the keys inside a JSON flag.
        name: the name of the flag (and key) for "absent" and "no-flag", of the variable for the
            native kinds.
        rank: precedence between two variables of the same flag: the higher wins.
        listed: the variable's entry in the dialect's table; `UNLISTED` if there is none.
        inverted: whether true in the variable is false in the flag.
        variable: vLLM's own variable, for "native".
        known: value → what it sets, as the reader ranks it, or None if it stays in the environment;
            only for values without findings.
    """

    __slots__ = (
        "flag",
        "inverted",
        "kind",
        "known",
        "listed",
        "name",
        "path",
        "rank",
        "variable",
    )

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

    def keep(self, text: str, read: Any) -> None:
        """Cache the result of reading a value."""
        if len(self.known) < MOST_KNOWN:
            self.known[text] = read


class Roles:
    """The roles of names, each looked up once.

    Attributes:
        found: the roles looked up so far.
    """

    __slots__ = ("_catalog", "_dialect", "_prefix", "_tables", "found")

    def __init__(self, catalog: Catalog, dialect: Dialect, prefix: str, tables: Tables) -> None:
        self._catalog, self._dialect, self._prefix, self._tables = catalog, dialect, prefix, tables
        self.found: dict[str, Role | None] = {}

    def role(self, name: str) -> Role | None:
        """Return the meaning of a variable name; None if the name is not known."""
        try:
            return self.found[name]
        except KeyError:
            role = self._find(name)
            return self.found.setdefault(name, role) if len(self.found) < KEEP else role

    def of_flag(
        self,
        name: str,
        rank: int,
        path: tuple[str, ...] = (),
        listed: DialectVariable = UNLISTED,
    ) -> Role | None:
        """Return the role of a variable that sets a flag of any version; None if no version has the
        flag.
        """
        flag = self._catalog.flag(name)
        if flag is not None and name == CONFIG and not path:
            # Also under a prefix: it accepts only files with certain names.
            return Role("config-file", rank=rank, listed=listed)
        if flag is not None:
            return Role("flag", flag=flag, path=path, rank=rank, listed=listed)
        if not self._tables.knowing(name):
            return None
        spelled = self._catalog.spellings().get(name)
        if spelled is None:
            full = ".".join((name, *path))
            return Role("absent", name=full, path=path, rank=rank, listed=listed)
        found = Role("flag", flag=spelled[0], path=path, rank=rank, listed=listed)
        if name in spelled[0].negations:
            # `DISABLE_X` where the version's flag is `--enable-x`, with that spelling for off
            found.inverted = not found.inverted
        return found

    def _find(self, name: str) -> Role | None:
        listed = self._dialect.variable(name)
        if listed is not None:
            return self._of_table(name, listed)
        if name and name == self._dialect.extra_args:
            return Role("extra-args")
        if name and name == self._dialect.config_file:
            return Role("config-file")
        variable = self._catalog.variable(name)
        if variable is not None:
            return Role("native", name=name, variable=variable)
        if name.startswith(self._prefix):
            found = self._of_capitals(name[len(self._prefix) :])
            if found is not None:
                return found
        is_own = name.startswith("VLLM_")
        plugin = plugin_of(name, self._tables) if is_own else None
        if plugin is not None and not plugin.prefix:
            return Role("plugin", name=name)
        if not name.startswith("-") and self._tables.knowing(name):
            return Role("native-absent", name=name)
        return Role("unknown-vllm" if plugin is None else "plugin", name=name) if is_own else None

    def _of_capitals(self, name: str) -> Role | None:
        """Return the role of a flag's name in capitals, or of a key: `FLAG__KEY__SUB`,
        `ALIAS__KEY`.
        """
        base, sign, keys = name.partition("__")
        # A part in capitals is a lowercase key; a part with lowercase letters is the exact key
        # (ropeScaling).
        path = (
            tuple(part.lower() if part == part.upper() else part for part in keys.split("__"))
            if sign
            else ()
        )
        if not base or not all(path) or base != base.upper():
            return None
        found = self.of_flag(flag_of(base), 0, path)
        if found is not None and (not path or _has_keys(found)):
            return found
        alias = self._prefix + base
        if not path or self._dialect.variable(alias) is None:
            return None
        outer = self.role(alias)
        if outer is None or outer.kind not in ("flag", "absent"):
            return None
        flag = outer.flag.flag if outer.flag is not None else outer.name
        found = self.of_flag(flag, outer.rank, outer.path + path, outer.listed)
        if found is None or not _has_keys(found):
            return None
        found.inverted = outer.inverted
        return found

    def _of_table(self, name: str, listed: DialectVariable) -> Role:
        if listed.role == "flag":
            rank = -listed.order - 1 if listed.fallback else listed.order + 1
            found = self.of_flag(listed.flag, rank, listed.path, listed)
            if found is None:
                return Role("no-flag", name=listed.flag, listed=listed)
            if self._prefix + variable_of(listed.flag) == name and not listed.path:
                found.rank = 0  # the flag's own name in capitals, listed for its documented default
            return found
        if listed.role == "choice":
            rank = -listed.order - 1 if listed.fallback else listed.order + 1
            return Role("choice", name=name, rank=rank, listed=listed)
        if listed.role == "environment":
            variable = self._catalog.variable(name)
            if variable is not None:
                return Role("native", name=name, variable=variable, listed=listed)
        return Role(listed.role, name=name, listed=listed)


def _has_keys(role: Role) -> bool:
    return role.flag is None or role.flag.kind in ("json", "json-or-str")
