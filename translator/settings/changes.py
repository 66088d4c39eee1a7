"""From one version to another: what carries the meaning of a name in a version that does not have
it.

The tables say it (mappings/changes.toml); nothing here knows a name.
"""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.settings.fit import _json, _key, _text, as_written, fitted, key_shape, key_value
from translator.settings.setting import Setting
from translator.tables.shapes import UNKNOWN_KEY
from translator.tables.versions import Version, ranges
from translator.values.errors import BadValue
from translator.values.tokens import boolean, text_of
from translator.values.variables import from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Flag


def movable(flag: str, path: str, expected: str, catalog: Catalog) -> bool:
    """Whether a key that does not fit is one of another version, which changes.toml can place."""
    return expected == UNKNOWN_KEY and f"{flag}.{path}" in catalog.tables.records(FILE)


FILE = "changes.json"


class Carried:
    """What became of one setting or variable that the version does not have.

    Attributes:
        settings: what is set instead.
        weak: what is set beside it, unless something else sets it.
        variables: vLLM's own variables that are set instead.
        findings: what to tell.
    """

    __slots__ = ("findings", "settings", "variables", "weak")

    def __init__(self) -> None:
        self.settings: list[Setting] = []
        self.weak: list[Setting] = []
        self.variables: dict[str, str] = {}
        self.findings: list[Finding] = []


def nearest_first(carriers: list[str], name: str) -> list[str]:
    """The other carriers of a meaning, the next newer first, then the older ones, each nearest
    first.
    """
    at = carriers.index(name)
    return carriers[at + 1 :] + carriers[:at][::-1]


def _canonical(name: str, value: Any, record: dict[str, Any]) -> Any:
    """A carrier's value in the spelling that carriers without a table of values use."""
    table = _values(record).get(name)
    return value if table is None else table.get(_key(value), value)


def _own(name: str, value: Any, record: dict[str, Any]) -> Any:
    """The inverse of `_canonical`."""
    for own, canonical in _values(record).get(name, {}).items():
        if canonical == value or _key(canonical) == _key(value):
            return int(own) if own.isdecimal() else own
    return value


def _values(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = record.get("values", {})
    return found


def carry(
    name: str,
    value: Any,
    origin: str,
    catalog: Catalog,
    tables: Tables,
    was: Flag | None,
    shown: str | None = None,
) -> Carried:
    """Carry a value of a name that the version does not have to what stands for it there.

    Args:
        name: `--flag`, `--flag.key` or `NAME`.
        value: typed, as the flag had it; the text, of a variable.
        origin: the variable or token, for messages.
        was: the flag as another version has it, for its value's text; None for a variable or a key.
        shown: the value for messages, when it must not be shown as it is.
    """
    done = Carried()
    _carry(name, value, origin, catalog, tables, was, shown, done, _CHAIN)
    return done


# A replacement may itself have been replaced: VLLM_USE_TRTLLM_FP4_GEMM, VLLM_NVFP4_GEMM_BACKEND,
# --linear-backend.
_CHAIN = 3


def _carry(
    name: str,
    value: Any,
    origin: str,
    catalog: Catalog,
    tables: Tables,
    was: Flag | None,
    shown: str | None,
    done: Carried,
    chain: int,
) -> None:
    record = tables.records(FILE).get(name)
    shown = (
        show(
            text_of(was, value)
            if was is not None
            else value
            if isinstance(value, str)
            else _json(value)
        )
        if shown is None
        else shown
    )
    where = _where(name, tables)
    if record is None and isinstance(value, dict) and _has_keys(name, tables):
        # a JSON flag of which other names carry the keys one by one
        if not value:
            done.findings.append(
                finding(
                    "now-default",
                    origin,
                    f"vLLM {catalog.version} has no {name}, and {shown} sets nothing in it",
                    "leave it out",
                )
            )
        for key, item in value.items():
            _carry(
                f"{name}.{key}",
                item,
                origin,
                catalog,
                tables,
                None,
                show(_json(item)) if shown != "***" else shown,
                done,
                chain,
            )
    elif record is None:
        done.findings.append(absent(name, origin, catalog.version, where))
    elif record["kind"] == "same":
        _same(name, value, origin, catalog, was, record, shown, done)
    elif record["kind"] == "split":
        _split(name, value, origin, catalog, tables, was, record, shown, done, chain)
    else:
        _gone(name, value, origin, catalog, record, shown, done, where)


def _has_keys(name: str, tables: Tables) -> bool:
    return any(other.startswith(name + ".") for other in tables.records(FILE))


def _where(name: str, tables: Tables) -> str:
    found = tables.knowing(name)
    return ranges(found) if found else ""


def absent(name: str, origin: str, version: str, where: str) -> Finding:
    """The finding for a name that the version lacks and nothing carries."""
    what = (
        f"{name} (from {show(origin)})" if origin != name and not origin.startswith(name) else name
    )
    if name.startswith("-") and "." in name:
        return finding("no-key", origin, f"{what} is no key in vLLM {version}")
    if not name.startswith("-"):
        return finding(
            "variable-not-in-version",
            name,
            f"{name} has no effect in vLLM {version}: only {where} read it",
            "leave it out",
        )
    return finding(
        "flag-not-in-version",
        origin,
        f"vLLM {version} has no {what}: only {where} have it",
        "leave it out, or choose one of those versions",
    )


def _same(
    name: str,
    value: Any,
    origin: str,
    catalog: Catalog,
    was: Flag | None,
    record: dict[str, Any],
    shown: str,
    done: Carried,
) -> None:
    inverted: list[str] = record.get("inverted", [])
    target = next(
        (
            item
            for item in nearest_first(record["carriers"], name)
            if _read_there(item, record, catalog)
        ),
        None,
    )
    note = record.get("note", "")
    if target is None:
        message = f"nothing in vLLM {catalog.version} stands for {name}={shown}" + (
            f": {note}" if note else ""
        )
        done.findings.append(finding("dropped", origin, message, "leave it out"))
        return
    value = _canonical(name, value, record)
    try:
        if (name in inverted) != (target in inverted):
            value = not (value if isinstance(value, bool) else boolean(str(value)))
        value = _own(target, value, record)
        renamed = record.get("rename_keys", {}).get(target)
        if renamed and isinstance(value, dict):
            value = {renamed.get(key, key): item for key, item in value.items()}
        for beside, text in record.get("beside", {}).get(target, {}).items():
            aside = Carried()
            _place(beside, text, origin, catalog, None, aside)
            done.weak += aside.settings
        placed = _place(target, value, origin, catalog, was, done)
    except BadValue as error:
        facts = {key: item for key, item in error.facts.items() if key != "instead"}
        about = {"given": f"{origin}={shown}", "flag": target, "version": catalog.version}
        done.findings.append(finding(error.code, origin, case=error.case, **about, **facts))
        return
    message = f"vLLM {catalog.version} has no {name}: {placed} carries it" + (
        f" ({note})" if note else ""
    )
    done.findings.append(finding("carried", origin, message, f"write {placed}"))


def _read_there(carrier: str, record: dict[str, Any], catalog: Catalog) -> bool:
    """Whether a carrier exists in the version; of a key that no catalog can tell of, the entry says
    since and until when it is read.
    """
    if not catalog.knows(carrier):
        return False
    here = Version(catalog.version)
    since = record.get("since", {}).get(carrier)
    until = record.get("until", {}).get(carrier)
    return (since is None or Version(since) <= here) and (until is None or here <= Version(until))


def _place(
    target: str, value: Any, origin: str, catalog: Catalog, was: Flag | None, done: Carried
) -> str:
    """Set the target to the value; returns how a person would write it."""
    if not target.startswith("-"):
        text = (
            ("1" if value else "0")
            if isinstance(value, bool)
            else text_of(was, value)
            if was is not None
            else str(value)
        )
        done.variables[target] = text
        return f"{target}={text}"
    name, _, key = target.partition(".")
    flag = catalog.flag(name)
    assert flag is not None
    if not key:
        plain = isinstance(value, (dict, list)) or (isinstance(value, bool) and flag.boolean)
        typed = fitted(flag, value) if plain else from_variable(flag, _text(was, value))[0]
        done.settings.append(Setting(name, typed, origin))
        return as_written(
            name, (), typed if isinstance(typed, (bool, list)) else text_of(flag, typed), origin
        )
    path = tuple(key.split("."))
    if isinstance(value, str):
        value = key_value(value, key_shape(catalog, flag, path))
    done.settings.append(Setting(name, value, origin, path))
    return as_written(name, path, value, origin)


def _split(
    name: str,
    value: Any,
    origin: str,
    catalog: Catalog,
    tables: Tables,
    was: Flag | None,
    record: dict[str, Any],
    shown: str,
    done: Carried,
    chain: int,
) -> None:
    parts = _values(record).get(text_of(was, value) if was is not None else _key(value))
    if parts is None or (not chain and not all(catalog.knows(item) for item in parts)):
        note = record.get("note", "")
        done.findings.append(
            finding(
                "dropped",
                origin,
                f"nothing in vLLM {catalog.version} stands for {name}={shown}"
                + (f": {note}" if note else ""),
                "leave it out",
            )
        )
        return
    placed = []
    for target, text in parts.items():
        if catalog.knows(target):
            placed.append(_place(target, text, origin, catalog, None, done))
        else:
            _carry(target, text, origin, catalog, tables, None, None, done, chain - 1)
    if placed:
        done.findings.append(
            finding(
                "carried",
                origin,
                f"vLLM {catalog.version} has no {name}: {' '.join(placed)} carries it",
                f"write {' '.join(placed)}",
            )
        )
    elif not parts:
        done.findings.append(
            finding(
                "now-default",
                origin,
                f"vLLM {catalog.version} has no {name}, and does what {shown} asked for without it",
                "leave it out",
            )
        )


def _gone(
    name: str,
    value: Any,
    origin: str,
    catalog: Catalog,
    record: dict[str, Any],
    shown: str,
    done: Carried,
    where: str,
) -> None:
    why = record.get("why", "")
    default_when = record.get("default_when")
    if default_when is not None and _key(value).lower() in (
        default_when.lower(),
        {"true": "1", "false": "0"}.get(default_when.lower(), default_when),
    ):
        done.findings.append(
            finding(
                "now-default",
                origin,
                f"vLLM {catalog.version} does what {name}={shown} asks for without it: {why}",
                "leave it out",
            )
        )
        return
    what = "reads" if not name.startswith("-") else "has"
    done.findings.append(
        finding(
            "dropped",
            origin,
            f"vLLM {catalog.version} no longer {what} {name}={shown}: {why}",
            _instead(where),
        )
    )


def _instead(where: str) -> str:
    return "leave it out" + (f" (vLLM {where} had it)" if where else "")


def join_splits(
    absent_settings: list[Setting], catalog: Catalog, tables: Tables
) -> tuple[list[Setting], list[Setting]]:
    """New-style settings for an old version: several that the version lacks as the one value that
    stood for them all.

    Returns:
        The settings made of them, and the absent ones that remain.
    """
    made: list[Setting] = []
    remaining = list(absent_settings)
    texts = {
        item.name: (item, item.value if isinstance(item.value, str) else _key(item.value))
        for item in absent_settings
    }
    for name, record in tables.records(FILE).items() if absent_settings else ():
        if record["kind"] != "split" or not catalog.knows(name):
            continue
        flag = catalog.flag(name)
        best: tuple[str, dict[str, Any]] | None = None
        for value, parts in _values(record).items():
            matching = parts and all(
                target in texts and texts[target][1] == _key(text) for target, text in parts.items()
            )
            if (
                matching
                and (best is None or len(parts) > len(best[1]))
                and (flag is None or flag.choices is None or value in flag.choices)
            ):
                best = (value, parts)
        if best is not None:
            used = [texts[target][0] for target in best[1]]
            value = (
                best[0]
                if name.startswith("-")
                else {"true": "1", "false": "0"}.get(best[0], best[0])
            )
            made.append(Setting(name, value, " ".join(item.origin for item in used)))
            remaining = [item for item in remaining if item not in used]
    return made, remaining


def renamed_value(flag: Flag, text: str, tables: Tables) -> str | None:
    """The value that a choice is called in this version, when the text is what it was (or will be)
    called in another.
    """
    record = tables.records(FILE).get(f"{flag.flag}={text.strip()}")
    if record is None or record["kind"] != "value" or not flag.choices:
        return None
    return next((item for item in record["values"] if item in flag.choices), None)
