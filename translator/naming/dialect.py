"""A dialect: its table, merged with the table of the dialect that it extends."""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.naming.consumer import Consumer
from translator.tables import records
from translator.text.names import Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from translator.tables.catalog import Tables

    Records = dict[str, dict[str, Any]]


class DialectVariable(records.DialectVariable):
    """One `[[variable]]` of a dialect's table.

    Attributes:
        name: the variable; "" if no table lists it.
        role: "flag", "choice", "worker", "environment" or "reserved".
        flag: the flag that it sets, for the role "flag".
        path: the keys inside that flag, outermost first.
        order: its position in the file; later ones win.
        fallback: whether it applies only if nothing else sets the flag.
        inverted: whether true in the variable is false in the flag.
        default: the default in the platform's documentation, as a string; None if there is none.
        note: a sentence about it.
        meant: the flag that is easily meant instead: then the note is a finding.
        source: where it is documented, if not with the others.
        unset: values that set nothing.
        values: the platform's name of a value → vLLM's.
        scheme: the scheme that the platform requires before a name, such as "hf://".
        only: the values that the platform accepts; () if any.
        unread: values that only the platform can resolve, with `*` at their ends for any text.
        known: the values that the platform knows, where it stops at any other; () if any.
        read_only: whether the variable is read, but never written.
        least, most: the smallest and largest integer that it accepts.
        plain: whether a shell splits its value.
        sets: for the role "choice": value → flag → what it sets.
        otherwise: the value that a "choice" uses for any other input.
        positive: the value that any integer above 0 stands for.
    """

    def __init__(self, record: Mapping[str, Any], order: int = 0) -> None:
        super().__init__(record)
        self.flag, _, path = self.target.partition(".")
        self.path = tuple(path.split(".")) if path else ()
        self.order = order

    def leaves(self, text: str) -> bool:
        """Return whether only the platform can resolve a value."""
        return bool(self.unread) and Patterns(self.unread).match(text)

    def accepts(self, text: str) -> bool:
        """Return whether the platform accepts a value, as far as the table specifies."""
        text = text.strip()
        if (self.only and text not in self.only) or self.leaves(text):
            return False
        least, most = self.least, self.most
        if least is None and most is None:
            return True
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None
        return (
            number is not None
            and (least is None or number >= least)
            and (most is None or number <= most)
        )

    def to_vllm(self, text: str) -> str:
        """Return vLLM's name for a value, without the platform's scheme."""
        if self.values:
            text = str(self.values.get(text.strip(), text))
        scheme = self.scheme
        return text[len(scheme) :] if scheme and text.startswith(scheme) else text

    def to_platform(self, text: str) -> str | None:
        """Return the platform's name for a value of vLLM's; None if the platform has none."""
        said = text
        if self.scheme and not text.startswith(("/", ".")) and "://" not in text:
            said = self.scheme + text
        own = [theirs for theirs, ours in self.values.items() if ours == text]
        for name in (said, *own):
            if self.to_vllm(name) == text and self.accepts(name):
                return name
        return None

    def choice(self, text: str) -> str | None:
        """Return the value of a "choice" that a string selects: itself, or the value that integers
        above 0 stand for; None if it selects none.
        """
        text = text.strip()
        if text in self.sets:
            return text
        number = text.isascii() and text.isdecimal() and text.strip("0")
        return self.positive if number else None


# Used when no table lists a flag's name in capitals.
UNLISTED = DialectVariable({"name": "", "role": ""})


MOST_EXTENDED = 8


class Dialect(records.DialectHead):
    """The tables' description of a platform's variables.

    Attributes:
        name: the name of its table.
        reader: how messages call the program that the dialect was made for.
        about: which program that is, with its versions.
        sources: where the variables are documented.
        consumer: how that program reads a variable.
        prefix: the prefix of a flag's name in capitals.
        any_prefix: whether the user chooses the prefix.
        extra_args: the variable for extra tokens; "" if there is none.
        config_file: the variable for --config; "" if there is none.
        arguments: tokens that the program adds itself.
        arguments_with: flag of these → assignments; a variable with another value prevents it.
        model_directory: where it looks for the model if no variable names one.
        own_names: patterns of names that it reserves for itself.
        limit_name, limit_value, limit_all: maximum size in bytes of a name, a value and all of
            them; 0 if unlimited.
        baked_args: the file of variables in images with a built-in model.
        properties: the record of its file of settings; {} if there is none.
        instead: what to use where this generation of the program cannot express something.
        names: the variables that its table lists.
    """

    def __init__(self, name: str, table: Records) -> None:
        super().__init__({"name": name, **table.get("@dialect", {})})
        self.reader = self.reader or f"the program that reads `{name}`"
        self.consumer = Consumer(table.get("@consumer"))
        # A dialect may fix the prefix of a base dialect whose prefix the user chooses.
        self.any_prefix = self.any_prefix and not self.prefix
        self.instead: str = table.get("@generation", {}).get("instead", "")
        self.properties: Mapping[str, Any] = table.get("@properties", {})
        self.names = tuple([name for name in table if not name.startswith("@")])
        self._table = table
        self._variables: dict[str, DialectVariable] = {}  # filled on demand

    def variable(self, name: str) -> DialectVariable | None:
        """Return a variable that the table lists, or None."""
        found = self._variables.get(name)
        if found is None and not name.startswith("@"):
            record = self._table.get(name)
            if record is not None:
                found = self._variables[name] = DialectVariable(
                    {"name": name, **record}, record.get("order", self.names.index(name))
                )
        return found

    def listed(self, name: str) -> DialectVariable:
        """Return what the table says about a variable; `UNLISTED` if nothing."""
        return self.variable(name) or UNLISTED

    def variables(self) -> Iterator[DialectVariable]:
        """Return the variables that the table lists, in the table's order."""
        for name in self.names:
            found = self.variable(name)
            assert found is not None
            yield found

    def setting(self, flag: str) -> list[DialectVariable]:
        """Return the variables that set a whole flag in the table, those with the role "flag"."""
        return [
            item
            for name in self.names
            if self._table[name].get("flag") == flag and (item := self.variable(name)) is not None
        ]

    def with_role(self, role: str) -> list[str]:
        """Return the names of the variables with a role."""
        return [name for name in self.names if self._table[name].get("role") == role]


def find_dialect(name: str, tables: Tables) -> Dialect | None:
    """Return a dialect, or None if it has no table.

    Args:
        name: with or without a prefix after a colon.
        tables: where to look.
    """
    name = name.partition(":")[0]
    found: Dialect | None = tables.kept.get(("dialect", name))
    if found is None:
        records = _records(name, tables)
        if not records and "@" in name:
            from translator.naming.generation import of_release  # few callers name a release

            older = of_release(name, tables)
            return None if older is None else find_dialect(older, tables)
        if not records:
            return None
        found = tables.kept["dialect", name] = Dialect(name, records)
    return found


def _records(name: str, tables: Tables, depth: int = 0) -> Records:
    """Return a dialect's records merged over those of the dialect that it extends; its own
    variables count as later in the file.
    """
    own: Records = tables.records(f"dialect.{name}.json")
    base = own.get("@dialect", {}).get("extends")
    if not base or depth > MOST_EXTENDED:
        return own
    # The facts about a program belong together, unless it is an older release of the same program.
    replaced = "@consumer" in own and not own["@consumer"].get("extends")
    found = dict(_records(base, tables, depth + 1))
    if replaced:
        found.pop("@consumer", None)
    for order, (key, fields) in enumerate(own.items(), len(found)):
        if key in ("@dialect", "@consumer"):
            found[key] = {**found.get(key, {}), **fields}
        else:
            found[key] = {**fields, "order": order}
    return found


def name_problems(dialect: str, tables: Tables) -> list[Finding]:
    """Return findings for an invalid dialect name from a caller."""
    name, colon, prefix = dialect.partition(":")
    found = find_dialect(name, tables)
    if found is None:
        shown = name or '""'
        return [_unknown("", dialect=shown, known=tuple(tables.dialects()))]
    if bool(colon) != found.any_prefix:
        return [_unknown("no-prefix" if colon else "prefix", dialect=name)]
    if colon and not (prefix.isascii() and prefix.isidentifier() and prefix == prefix.upper()):
        shown = prefix
        return [_unknown("bad-prefix", dialect=name, prefix=shown)]
    seen = [found.name]
    while base := tables.records(f"dialect.{seen[-1]}.json").get("@dialect", {}).get("extends"):
        if base in seen:
            return [_unknown("circle", dialect=base, chain=" → ".join((*seen, base)))]
        if not tables.records(f"dialect.{base}.json"):
            return [_unknown("base", dialect=seen[-1], base=base)]
        seen.append(base)
    return []


def _unknown(case: str, **facts: str | tuple[str, ...]) -> Finding:
    return finding("unknown-dialect", "dialect", case=case, **facts)
