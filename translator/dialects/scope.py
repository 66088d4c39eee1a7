"""What a name means: one version's catalog, one dialect, and the tables behind them, asked
together.
"""

from __future__ import annotations

from translator.findings import Finding, TranslationError, finding, has_errors
from translator.secrets.secrets import secrets_of
from translator.tables import versions
from translator.tables.catalog import Tables
from translator.tables.entries import CONFIG, flag_of, variable_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from translator.dialects.consumer import Consumer
    from translator.secrets.secrets import Secrets
    from translator.tables.catalog import Catalog
    from translator.tables.entries import Flag, Variable


# An environment has a few hundred names; a caller that makes up names without end must not fill the
# memory.
KEEP = 20_000


MOST_SCOPES = 64


MOST_EXTENDED = 8


MOST_KNOWN = 32  # texts of one variable


class Role:
    """What a variable's name means.

    Attributes:
        kind: "flag", "absent" (a flag or key that the version lacks), "choice", "worker",
            "environment", "reserved", "extra-args", "config-file", "native", "native-absent",
            "unknown-vllm", "no-flag" (the dialect's table names a flag that no version has).
        flag: the flag in the version, of a "flag".
        path: the keys inside a JSON flag.
        name: the flag's (and key's) name of an "absent" and a "no-flag", the variable's of the
            native kinds.
        rank: which of two variables of the same flag wins: the higher.
        fields: the dialect's record.
        known: text → what it sets, as the reader ranks it, or None if it stays in the environment;
            only of texts about which there is nothing to say.
    """

    __slots__ = ("fields", "flag", "kind", "known", "name", "path", "rank", "variable")

    def __init__(
        self,
        kind: str,
        *,
        flag: Flag | None = None,
        path: tuple[str, ...] = (),
        name: str = "",
        rank: int = 0,
        fields: Mapping[str, Any] | None = None,
        variable: Variable | None = None,
    ) -> None:
        self.kind, self.flag, self.path, self.name, self.rank, self.variable = (
            kind,
            flag,
            path,
            name,
            rank,
            variable,
        )
        self.fields: Mapping[str, Any] = fields or {}
        self.known: dict[str, Any] = {}

    def keep(self, text: str, read: Any) -> None:
        """Remember what a text came to."""
        if len(self.known) < MOST_KNOWN:
            self.known[text] = read


def records_of(name: str, tables: Tables, depth: int = 0) -> dict[str, dict[str, Any]]:
    """A dialect's own records, laid over those of the dialect that it extends; its variables count
    as later in the file.
    """
    own = tables.records(f"dialect.{name}.json")
    base = own.get("@dialect", {}).get("extends")
    if not base or depth > MOST_EXTENDED:
        return own
    replaced = "@consumer" in own  # its facts belong together
    found = {
        key: fields
        for key, fields in records_of(base, tables, depth + 1).items()
        if not (replaced and key.startswith("@consumer"))
    }
    after = len(found)
    for key, fields in own.items():
        found[key] = (
            {**found.get(key, {}), **fields}
            if key == "@dialect"
            else {**fields, "order": fields.get("order", 0) + after}
        )
    return found


def facts_of(name: str, tables: Tables) -> dict[str, Any]:
    """What a dialect says of itself, with what it leaves to the dialect that it extends; {} when
    there is none of that name.

    Args:
        name: with the prefix behind its colon, or without it.
    """
    return records_of(name.partition(":")[0], tables).get("@dialect", {})


def broken_base(name: str, tables: Tables) -> str:
    """What is wrong with what a dialect extends, and that in turn; "" when nothing is."""
    seen = [name]
    while base := tables.records(f"dialect.{seen[-1]}.json").get("@dialect", {}).get("extends"):
        if base in seen:
            return f"the dialect {name} extends itself: {' extends '.join((*seen, base))}"
        if not tables.records(f"dialect.{base}.json"):
            return f"the dialect {seen[-1]} extends {base}, and there is no dialect {base}"
        seen.append(base)
    return ""


class Scope:
    """A version and a dialect.

    Attributes:
        catalog: what the version accepts.
        dialect: the dialect's records by variable; "@dialect" holds its own facts.
    """

    def __init__(self, catalog: Catalog, dialect: str, tables: Tables) -> None:
        self.catalog = catalog
        self.tables = tables
        self.name = dialect
        dialect, _, chosen = dialect.partition(":")
        self.dialect = records_of(dialect, tables)
        facts = self.dialect.get("@dialect", {})
        self.facts: dict[str, Any] = facts
        self.adds = f"the dialect {self.name}"  # the origin of what its consumer sets of its own
        # What messages call the program that the dialect was made for.
        self.reader: str = facts.get("reader") or f"the program that reads `{dialect}`"
        self.prefix: str = chosen or facts.get("prefix", "")
        how = self.dialect.get("@consumer", {})
        self.closed: bool = how.get(
            "closed", False
        )  # the consumer passes on what its lists name, and nothing else
        self.any_text: list[str] = (
            self.dialect.get("@consumer.switch_flags", {}).get("switch_flags", [])
            if how.get("any_text")
            else []
        )
        self.plain: bool = how.get("plain", False)
        self.ignored: list[str] = self.dialect.get("@consumer.ignored", {}).get("ignored", [])
        self.calculates: list[str] = self.dialect.get("@consumer.calculates", {}).get(
            "calculates", []
        )
        self.unknown: str = how.get("unknown", "")
        # Whether a variable may say something to us that it does not say to the consumer; one that
        # is pinned to a vLLM has lists of that vLLM only.
        self.watched: bool = bool(how) and "vllm" not in facts
        self.consumer: Consumer | None = None
        if "true" in how:
            from translator.dialects.consumer import Consumer

            self.consumer = Consumer(
                how, self.dialect.get("@consumer.array_whole", {}).get("array_whole", [])
            )
        self.extra_args: str = facts.get("extra_args", "")
        self.config_file: str = facts.get("config_file", "")
        self.secrets: Secrets = secrets_of(tables)
        self.roles: dict[str, Role | None] = {}  # those asked for so far
        self.slots: dict[str, Any] = {}  # how the writer says each flag
        self.like_nothing: set[str] = (
            set()
        )  # names that nobody reads, and that are near to none that is read

    def role(self, name: str) -> Role | None:
        """What a variable of this name means; None: it is none of ours."""
        try:
            return self.roles[name]
        except KeyError:
            role = self._find(name)
            return self.roles.setdefault(name, role) if len(self.roles) < KEEP else role

    def _find(self, name: str) -> Role | None:
        fields = self.dialect.get(name)
        if fields is not None and not name.startswith("@"):
            return self._of_dialect(name, fields)
        if name == self.extra_args and name:
            return Role("extra-args")
        if name == self.config_file and name:
            return Role("config-file")
        variable = self.catalog.variable(name)
        if variable is not None:
            return Role("native", name=name, variable=variable)
        if name.startswith(self.prefix):
            base, sign, keys = name[len(self.prefix) :].partition("__")
            # A part in capitals is a key in small letters; one that holds small letters is the key
            # as it stands (ropeScaling).
            path = (
                tuple(part.lower() if part == part.upper() else part for part in keys.split("__"))
                if sign
                else ()
            )
            if base and all(path) and base == base.upper():
                found = self._of_flag(flag_of(base), path, 0, None)
                if found is not None and (not path or self._takes_keys(found)):
                    return found
                if path and f"{self.prefix}{base}" in self.dialect:
                    outer = self.role(f"{self.prefix}{base}")
                    if outer is not None and outer.kind in ("flag", "absent"):
                        found = self._of_flag(
                            outer.flag.flag if outer.flag else outer.name,
                            outer.path + path,
                            outer.rank,
                            outer.fields,
                        )
                        if found is not None and self._takes_keys(found):
                            return found
        if not name.startswith("-") and self.tables.knowing(name):
            return Role("native-absent", name=name)
        if name.startswith("VLLM_"):
            return Role("unknown-vllm", name=name)
        return None

    def _takes_keys(self, role: Role) -> bool:
        return role.flag is None or role.flag.kind in ("json", "json-or-str")

    def _of_dialect(self, name: str, fields: Mapping[str, Any]) -> Role:
        kind: str = fields["role"]
        if kind == "flag":
            key = fields.get("key", "")
            order: int = fields.get("order", 0) + 1
            found = self._of_flag(
                fields["flag"],
                tuple(key.split(".")) if key else (),
                -order if fields.get("fallback") else order,
                fields,
            )
            if self.prefix + variable_of(fields["flag"]) == name and found is not None and not key:
                found.rank = 0  # the flag's own name in capitals, listed for its documented default
            return found or Role("no-flag", name=fields["flag"], fields=fields)
        if kind == "choice":
            return Role(kind, name=name, rank=fields.get("order", 0) + 1, fields=fields)
        if kind == "environment":
            variable = self.catalog.variable(name)
            if variable is not None:
                return Role("native", name=name, variable=variable, fields=fields)
        return Role(kind, name=name, fields=fields)

    def _of_flag(
        self, name: str, path: tuple[str, ...], rank: int, fields: Mapping[str, Any] | None
    ) -> Role | None:
        flag = self.catalog.flag(name)
        if flag is not None and name == CONFIG and not path:
            return Role(
                "config-file", rank=rank, fields=fields
            )  # under a prefix: it takes files of some names only
        if flag is not None:
            return Role("flag", flag=flag, path=path, rank=rank, fields=fields)
        spelled = self.catalog.spellings().get(name) if self.tables.knowing(name) else None
        if spelled is not None and name in spelled[0].negations:
            # `DISABLE_X` where the version's flag is `--enable-x` with that spelling for off
            return Role(
                "flag",
                flag=spelled[0],
                path=path,
                rank=rank,
                fields={**(fields or {}), "inverted": not (fields or {}).get("inverted", False)},
            )
        if spelled is not None:
            return Role("flag", flag=spelled[0], path=path, rank=rank, fields=fields)
        if self.tables.knowing(name):
            return Role("absent", name=".".join((name, *path)), path=path, rank=rank, fields=fields)
        return None

    def of_flag(self, name: str, rank: int) -> Role | None:
        """The role of a variable that sets a flag of any version."""
        return self._of_flag(name, (), rank, None)

    def shown(self, name: str, text: str) -> str:
        """A variable's value as a message may show it."""
        from translator.findings import show
        from translator.secrets.masking import MASK

        if self.secrets.variable(name):
            return MASK
        return show(self.secrets.clean(text))


def _any_prefix(facts: Mapping[str, Any]) -> bool:
    """Whether the user chooses the prefix; not where a dialect that extends such a one has
    chosen.
    """
    return bool(facts.get("any_prefix")) and not facts.get("prefix")


def scope(
    vllm: str | None,
    dialect: str,
    env: Mapping[str, str],
    tables: Tables,
    *,
    look: Callable[[], str | None] | None = None,
) -> tuple[Scope, list[Finding]]:
    """The scope for a call.

    Args:
        vllm: the version asked for, or None.
        dialect: the dialect's name.
        env: where TRANSLATE_VLLM_VERSION may stand.
        look: finds the version of an installed vLLM; the library passes none, as it is pure.

    Raises:
        TranslationError: the version or the dialect is not known.
    """
    named: Scope | None = tables.kept.get(("scope", vllm, dialect)) if vllm is not None else None
    if named is not None:
        return named, []
    known = tables.versions()
    text = versions.wanted(vllm, env, known, look=look)
    kept: Scope | None = tables.kept.get(("scope", text, dialect))
    if kept is not None:
        return kept, []
    version, findings = versions.choose(
        text, known, "vllm" if vllm or not versions.requested(env) else versions.VARIABLE
    )
    findings += _about_dialect(dialect, tables)
    if version is None or has_errors(findings):
        masked = secrets_of(tables).masked_urls
        raise TranslationError(item.map(masked) for item in findings)
    found: Scope | None = tables.kept.get(("scope", version, dialect))
    if found is None:
        found = Scope(tables.catalog(version), dialect, tables)
        if (
            sum(key[0] == "scope" for key in list(tables.kept)) < MOST_SCOPES
        ):  # a list: another thread may add to it meanwhile
            tables.kept["scope", version, dialect] = found
    return found, findings


def _about_dialect(dialect: str, tables: Tables) -> list[Finding]:
    name, colon, prefix = dialect.partition(":")
    if not tables.records(f"dialect.{name}.json"):
        return [
            finding(
                "unknown-dialect",
                "dialect",
                f"there is no dialect {dialect!r}",
                "`translate tables list` names them",
            )
        ]
    if bool(colon) != _any_prefix(facts_of(name, tables)):
        hint = (
            f"write {name}" if colon else f"write {name}:MY_ for variables such as MY_MAX_MODEL_LEN"
        )
        return [
            finding(
                "unknown-dialect",
                "dialect",
                f"the dialect {name!r} takes {'no' if colon else 'a'} prefix",
                hint,
            )
        ]
    if colon and not (prefix.isascii() and prefix.isidentifier() and prefix == prefix.upper()):
        return [
            finding(
                "unknown-dialect",
                "dialect",
                f"{prefix!r} is no prefix of variables",
                "capitals, digits and underscores",
            )
        ]
    broken = broken_base(name, tables)
    if broken:
        return [
            finding(
                "unknown-dialect",
                "dialect",
                broken,
                "mend `extends` in its table; `translate tables lint` checks a folder of tables",
            )
        ]
    return []
