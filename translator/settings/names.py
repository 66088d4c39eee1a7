"""The variables that set a flag in a dialect."""

from __future__ import annotations

from translator.tables.catalog import CONFIG, variable_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.settings.scope import Scope


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
