"""Dialects: what a platform's variables mean, and how the platform's own program reads them.

The fields are those of the model (maintain/model/dialects.py); mappings/README.md describes them.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.tables import records
from translator.core.tables.catalog import FileOf
from translator.core.tables.versions import LATEST, Version
from translator.core.text.words import Patterns, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.core.tables import entries
    from translator.core.tables.catalog import Tables

    Records = dict[str, Any]
    # The first release of a program, the oldest vLLM that it ran, and the name of its dialect.
    Generation = tuple[tuple[int, ...], Version, str]

GENERATIONS: FileOf[entries.Generation] = FileOf("generations.json")  # by their dialects

# Values of a variable that set nothing, in any dialect.
NOTHING = ("", "None")

_MOST_DIGITS = 20  # of a release


class Consumer(records.Consumer):
    """The program that a dialect was made for, and how it reads a variable.

    Reader and writer share this object, so that the program reads exactly what is written. A
    dialect that only translate reads has the same class without rules: `exists` is false.

    Attributes:
        compared: whether its reading is compared with ours. Not if its lists are those of one vLLM
            version: then they restrict what is written, and every variable is read.
        closed: whether it passes on only what its lists name.
        by_value: whether it looks only at a variable's value and has no lists: our own reading asks
            its function for the tokens.
        passes: whether it passes a name on that is no flag's, so that vLLM refuses it.
        how: flag of its lists → how it reads the variable: "value" (passed as one token), "pair"
            (true is --flag, and false is --no-flag), "switch" (true is --flag, and false is
            nothing), "true" (only the word true switches it on), "json" (kept as a string if it is
            not JSON) or "pairs" (`key=number,key=number`).
    """

    def __init__(self, record: Mapping[str, Any] | None) -> None:
        super().__init__(record or {})
        self.exists = bool(record)
        self.compared = self.exists and not self.vllm
        lists = {
            "value": self.value_flags,
            "pair": self.pair_flags,
            "switch": self.switch_flags,
            "true": self.true_flags,
            "json": self.json_flags,
            "pairs": self.pairs_flags,
        }
        self.how = {flag: how for how, flags in lists.items() for flag in flags}
        self.closed = self.closed or bool(self.how)
        self.by_value = bool(self.program) and not self.closed
        self.passes = self.by_value and not self.own_spelling

    def breaking(self, settings: Mapping[str, Any], reader: str) -> list[Finding]:
        """Return findings about the flags, each with its value, that it does not work with; the
        `reader` is its name in messages.
        """
        findings = []
        for name, about in self.breaks.items():
            value = settings.get(name)
            fine = about.get("unless", ())
            if any(value if isinstance(value, list) else [value]) and str(value) not in fine:
                facts = {"flag": name, "note": about["note"], "reader": reader}
                findings.append(finding("platform-breaks", name, **facts))
        return findings


class DialectVariable(records.DialectVariable):
    """One `[[variable]]` of a dialect's table.

    Attributes:
        flag, path: the flag that it sets, and the keys inside, outermost first.
        rank: its precedence among the variables of one flag: later ones win, fallbacks lose.
    """

    def __init__(self, record: Mapping[str, Any], order: int = 0) -> None:
        super().__init__(record)
        self.flag, *path = self.target.split(".")
        self.path = tuple(path)
        self.rank = -order - 1 if self.fallback else order + 1

    def leaves(self, text: str) -> bool:
        """Return whether only the platform can resolve a value."""
        return bool(self.unread) and Patterns(self.unread).match(text)

    def accepts(self, text: str) -> bool:
        """Return whether the platform accepts a value, as far as the table specifies."""
        text = text.strip()
        if (self.only and text not in self.only) or (self.unread and self.leaves(text)):
            return False
        if self.least is None:
            return True
        if not text.isascii() or not text.isdecimal() or len(text) > 19:
            return False
        return int(text) >= self.least

    def to_vllm(self, text: str) -> str:
        """Return vLLM's name for a value, without the platform's scheme."""
        if self.values:
            text = str(self.values.get(text.strip(), text))
        return text.removeprefix(self.scheme)

    def to_platform(self, text: str) -> str | None:
        """Return the platform's name for a value, which `to_vllm` turns back; or None."""
        if not self.values and not self.scheme:
            return text if self.accepts(text) else None
        is_name = not text.startswith(("/", ".")) and "://" not in text
        full = self.scheme + text if is_name else text
        for name in (full, *(own for own, value in self.values.items() if value == text)):
            if self.to_vllm(name) == text and self.accepts(name):
                return name
        return None


# Used when no table lists a flag's name in capitals.
UNLISTED = DialectVariable({"name": "", "role": ""})
MOST_EXTENDED = 8


class Dialect(records.DialectHead):
    """The tables' description of a platform's variables.

    Attributes:
        consumer: how the platform's program reads a variable.
        instead: what to use where this generation of the program cannot express something.
        properties: the record of its file of settings; {} if there is none.
    """

    def __init__(self, name: str, table: Records) -> None:
        super().__init__({"name": name, **table.get("@dialect", {})})
        self.reader = self.reader or f"the program that reads `{name}`"
        self.consumer = Consumer(table.get("@consumer"))
        # A dialect may fix the prefix of a base dialect whose prefix the user chooses.
        self.any_prefix = self.any_prefix and not self.prefix
        self.instead: str = table.get("@generation", {}).get("instead", "")
        self.properties: entries.Properties = table.get("@properties", {})
        self._table = {key: fields for key, fields in table.items() if key[0] != "@"}
        self._variables: dict[str, DialectVariable] = {}  # filled on demand
        self.names = tuple(self._table)
        self._setting: dict[str, list[str]] = {}  # flag → the variables with it

    def variable(self, name: str) -> DialectVariable | None:
        """Return a variable that the table lists, or None."""
        variable = self._variables.get(name)
        record = self._table.get(name) if variable is None else None
        if record is not None:
            order = record.get("order", self.names.index(name))
            variable = self._variables[name] = DialectVariable({"name": name, **record}, order)
        return variable

    def listed(self, name: str) -> DialectVariable:
        """Return what the table says about a variable; `UNLISTED` if nothing."""
        return self.variable(name) or UNLISTED

    def variables(self) -> list[DialectVariable]:
        """Return the variables that the table lists, in the table's order."""
        return [self.listed(name) for name in self.names]

    def setting(self, flag: str) -> list[DialectVariable]:
        """Return the variables that set a whole flag in the table, those with the role "flag"."""
        if not self._setting:
            setting: dict[str, list[str]] = {}
            for name, fields in self._table.items():
                setting.setdefault(fields.get("flag", ""), []).append(name)
            self._setting = setting  # when it is whole, for other threads
        return [self.listed(name) for name in self._setting.get(flag, ())]

    def with_role(self, role: str) -> list[str]:
        """Return the names of the variables with a role other than the usual one, "flag"."""
        return [name for name in self.names if self._table[name].get("role") == role]


def find_dialect(name: str, tables: Tables) -> Dialect | None:
    """Return a dialect, whose name may have a prefix after a colon; None if it has no table."""
    name = name.partition(":")[0]
    dialect: Dialect | None = tables.read_dialects.get(name)
    if dialect is None and (records := _records(name, tables)):
        dialect = tables.read_dialects[name] = Dialect(name, records)
    if dialect is not None or "@" not in name:
        return dialect
    older = of_release(name, tables)
    return None if older is None else find_dialect(older, tables)


def _records(name: str, tables: Tables, depth: int = 0) -> Records:
    """Return a dialect's records over those of the dialect that it extends; its own come later."""
    own: Records = tables.records(FileOf(f"dialect.{name}.json"))
    base = own.get("@dialect", {}).get("extends")
    if not base or depth > MOST_EXTENDED:
        return own
    records = dict(_records(base, tables, depth + 1))
    # The facts about a program belong together, unless it is an older release of the same program.
    if "@consumer" in own and not own["@consumer"].get("extends"):
        records.pop("@consumer", None)
    for order, (key, fields) in enumerate(own.items(), len(records)):
        merged, before = key in ("@dialect", "@consumer"), records.get(key, {})
        # An older release of a program has the lists of the newer one, and more.
        lists = [*fields] if key == "@consumer" else [*({"reads"} & fields.keys())]
        lists = [field for field in lists if type(before.get(field)) is list]
        joined = {field: fields[field] + before[field] for field in lists}
        records[key] = {**before, **fields, **joined} if merged else {**fields, "order": order}
    return records


def name_problems(dialect: str, tables: Tables) -> list[Finding]:
    """Return findings for an invalid dialect name from a caller."""
    name, colon, prefix = dialect.partition(":")
    known_dialect = find_dialect(name, tables)
    if known_dialect is None:
        known = tables.dialects()
        newest = name.partition("@")[0]
        near = newest if newest in known else "".join(nearest(name, known, 1))
        return [_unknown("", dialect=name or '""', known=tuple(known), near=near)]
    if bool(colon) != known_dialect.any_prefix:
        return [_unknown("no-prefix" if colon else "prefix", dialect=name)]
    if colon and not (prefix.isascii() and prefix.isidentifier() and prefix == prefix.upper()):
        return [_unknown("prefix", dialect=name, prefix=prefix)]
    seen = [known_dialect.name]
    while base := tables.head(seen[-1]).get("extends"):
        if base in seen:
            return [_unknown("extends", dialect=base, chain=" → ".join((*seen, base)))]
        if not tables.head(base):
            return [_unknown("extends", dialect=seen[-1], base=base)]
        seen.append(base)
    return []


def _unknown(case: str, **facts: str | tuple[str, ...]) -> Finding:
    return finding("unknown-dialect", "dialect", case=case, **facts)


def generations(of: str, tables: Tables) -> list[Generation]:
    """Return the generations of a platform's program, oldest first; [] if there is only one."""
    heads = tables.records(GENERATIONS).items()
    return sorted(
        (_numbers(head["release"]), Version(head["vllm"]), name)
        for name, head in heads
        if head["of"] == of
    )


def of_release(name: str, tables: Tables) -> str | None:
    """Return the dialect of the generation that a release belongs to, such as "NAME@1.9". 2.18
    names every release that begins so, and the newest of them counts; `latest` names the newest.
    """
    of, _, text = name.partition("@")
    if text == LATEST:
        return next((newest for *_, newest in generations(of, tables)[-1:]), None)
    digits = text.replace(".", "")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        return None
    release = _numbers(text)
    if any(release[:1] > first[:1] for first, _, _ in generations(of, tables)[-1:]):
        return None
    able = [
        older for first, _, older in generations(of, tables) if first[: len(release)] <= release
    ]
    return able[-1] if able else None


def of_version(of: str, vllm: str, tables: Tables) -> str | None:
    """Return the generation whose program runs a vLLM version; None for the dialect itself."""
    programs = generations(of, tables)
    here = Version(vllm)
    able = [name for _, first, name in programs if first <= here]
    name = able[-1] if able else programs[0][2] if programs else of
    return None if name == of else name


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part)
