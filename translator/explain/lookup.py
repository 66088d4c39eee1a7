"""Everything that is known about one name: a flag, a key of a JSON flag, a variable, or a finding's
code.
"""

from __future__ import annotations

from translator.env.slots import variable_for
from translator.explain.page import KINDS, Page, _some, spans
from translator.findings.registry import CODES
from translator.settings import changes
from translator.tables.entries import variable_of
from translator.tables.versions import ranges
from translator.text.json_text import dumps, loads
from translator.text.similar import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from translator.dialects.scope import Scope
    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Flag


ANY_KEY = "the parser takes any key here; what it means is seen when vLLM starts"


def look_up(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    """The page of a name; None when nothing is called so.

    Args:
        name: as a person would type it.
        scope: the version that is shown where one has to be, and the dialect.
        versions: the versions that matter.
    """
    name = name.strip()
    if name in CODES:
        return _code(name)
    from translator.explain.other_names import page_of, told_by_clusters

    plain = name.partition("=")[0]
    if not plain.startswith("-") and (page := _variable(plain, scope, versions)) is not None:
        page.add("with --cluster", told_by_clusters(plain, scope.tables))
        return page
    if (page := page_of(name, scope, versions)) is not None:
        return page
    flag, *path = (plain if plain.startswith("-") else f"--{plain}").split(".")
    return _flag(flag.replace("_", "-"), tuple(path), scope, versions)


def similar(name: str, scope: Scope) -> list[str]:
    """The names that a person may have meant."""
    known = [
        *scope.tables.index(),
        *CODES,
        *(item for item in scope.dialect if not item.startswith("@")),
    ]
    known += [variable_of(item) for item in scope.tables.index() if item.startswith("--")]
    tries = [
        name,
        name.upper().replace("-", "_"),
        f"--{name.lstrip('-').lower().replace('_', '-')}",
        name.lower().replace("_", "-"),
    ]
    found: list[str] = []
    for item in tries:
        found += nearest(item, known, 3)
    return list(dict.fromkeys(found))[:5]


def _code(name: str) -> Page:
    code = CODES[name]
    before, after = code.example
    page = Page(f"{name}: {code.title} ({code.severity})")
    page.add("", [code.explanation])
    page.add("example", [f"before: {before}", f"after:  {after or '(leave it out)'}"])
    return page


def _flag(
    spelling: str, path: tuple[str, ...], scope: Scope, versions: Sequence[str]
) -> Page | None:
    tables = scope.tables
    known = tables.index().get(spelling)
    if known is None:
        return None
    name = known.get("of", spelling)
    full = ".".join((name, *path))
    page = Page(
        f"{full}: {'a key of a flag' if path else 'a flag'} of vllm serve"
        + (f" ({spelling} is a spelling of it)" if name != spelling else "")
    )

    def found(version: str) -> Flag | None:
        spelled = tables.catalog(version).spellings().get(spelling)
        return spelled[0] if spelled is not None else None

    def fact(version: str) -> str | None:
        flag = found(version)
        if flag is None:
            return None
        return (
            _about_key(flag, path, tables.catalog(version))
            if path
            else _about(flag, tables.catalog(version))
        )

    lines = spans(versions, fact)
    if path and not lines and full not in tables.records(changes.FILE):
        return None
    page.add(
        "in vLLM",
        [f"{where}: {text}" for where, text in lines]
        or [f"none of {', '.join(versions)}; {_where(name, tables)}"],
    )
    flag = found(scope.catalog.version)
    if flag is not None and not path:
        variable = variable_for(flag, scope)
        carrier = scope.secrets.carriers.get(flag.flag)
        aliases = [
            item
            for item, fields in scope.dialect.items()
            if fields.get("flag") == flag.flag and not fields.get("key") and item != variable
        ]
        written = (
            f"{variable}=…: {KINDS[flag.kind]}"
            if variable
            else f"none of its own: {scope.extra_args}={flag.flag}=…"
        )
        page.add(
            f"variable of the dialect {scope.name}",
            [
                carrier + " (it holds a secret)" if carrier else written,
                *(f"also {item}" for item in aliases),
            ],
        )
        shape = _shape(flag, scope.catalog)
        if shape is not None:
            when = ", which the engine checks when it starts" if flag.started else ""
            page.add(
                f"keys in {scope.catalog.version}{when}",
                [f".{key}: {_kind(inner)}" for key, inner in shape.get("keys", {}).items()],
            )
    _add_changes(page, full, tables)
    return page


def _where(name: str, tables: Tables) -> str:
    return (
        f"it is in {ranges(tables.knowing(name))}" if tables.knowing(name) else "no version has it"
    )


def _shape(flag: Flag, catalog: Catalog) -> dict[str, Any] | None:
    return catalog.shape(flag.flag) if flag.shaped or flag.started else None


def _about(flag: Flag, catalog: Catalog) -> str:
    parts = [flag.kind]
    if flag.flag in catalog.bounded:
        parts.append(f"starts with {_kind(catalog.bounded[flag.flag].shape)}")
    if flag.choices:
        parts.append(f"one of {_some([str(item) for item in flag.choices])}")
    if flag.aliases:
        parts.append(f"also {' '.join(flag.aliases)}")
    if flag.negations:
        parts.append(f"off by {' '.join(flag.negations)}")
    if flag.nullable:
        parts.append("takes None")
    if (
        flag.default is not None
        and flag.default not in ("{}", "[]", '""')
        and len(flag.default) < 60
    ):
        parts.append(f"default {flag.default}")
    if flag.deprecated:
        parts.append("deprecated")
    return "; ".join(parts)


def _about_key(flag: Flag, path: tuple[str, ...], catalog: Catalog) -> str | None:
    shape = _shape(flag, catalog)
    if shape is None and flag.kind in ("json", "json-or-str"):
        return ANY_KEY
    for part in path:
        if shape is None or part not in shape.get("keys", {}):
            return None
        shape = shape["keys"][part]
    return _kind(shape) if shape is not None else None


def _kind(shape: dict[str, Any]) -> str:
    from translator.tables.shapes import expectation

    return expectation(shape)


def _add_changes(page: Page, name: str, tables: Tables) -> None:
    """What carries the name's meaning in the versions without it."""
    records = tables.records(changes.FILE)
    record = records.get(name)
    if record is not None:
        lines = []
        if record["kind"] == "same":
            for other in record["carriers"]:
                if other != name:
                    inverted = (other in record.get("inverted", ())) != (
                        name in record.get("inverted", ())
                    )
                    lines.append(
                        f"{other}{' (the opposite)' if inverted else ''}:"
                        f" {_where(other.partition('.')[0], tables)}"
                    )
        elif record["kind"] == "split":
            for value, parts in loads(record["values"]).items():
                lines.append(
                    f"{name}={value}: "
                    + (
                        " ".join(
                            f"{target}={text if isinstance(text, str) else dumps(text)}"
                            for target, text in parts.items()
                        )
                        or "nothing"
                    )
                )
        else:
            lines.append(record.get("why", ""))
        lines += [text for text in (record.get("note"), record.get("source")) if text]
        page.add(
            (
                "without it"
                if record["kind"] == "gone"
                else (
                    "the same under other names"
                    if record["kind"] == "same"
                    else "what its values have become"
                )
            ),
            lines,
        )
    renamed = [
        " → ".join(fields["values"])
        for key, fields in records.items()
        if key.startswith(f"{name}=") and fields["kind"] == "value"
    ]
    page.add("renamed values", list(dict.fromkeys(renamed)))


def _variable(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    tables = scope.tables
    fields = scope.dialect.get(name, {}) if not name.startswith("@") else {}
    role = scope.role(name)
    known = tables.knowing(name)
    if name != name.upper() and not known and not fields:
        return None
    if (
        not fields
        and not known
        and (role is None or role.kind == "unknown-vllm")
        and name not in tables.records(changes.FILE)
    ):
        return None
    page = Page(f"{name}: a variable")
    if role is not None and role.kind in ("flag", "absent"):
        target = role.flag.flag if role.flag is not None else role.name.partition(".")[0]
        full = ".".join((target, *role.path)) if role.flag is not None else role.name
        carrier = scope.secrets.carriers.get(target)
        if role.flag is None:
            page.add(
                "sets",
                [
                    f"{full}, which vLLM {scope.catalog.version} does not have;"
                    f" {_where(target, tables)}"
                ],
            )
        elif carrier:
            page.add("sets", [f"{full}, whose value is secret: it is handed over as {carrier}"])
        else:
            page.add(
                "sets",
                [
                    full
                    + (
                        " (inverted: true here is false there)"
                        if role.fields.get("inverted")
                        else ""
                    )
                ],
            )
            page.add(
                "written as", [KINDS[role.flag.kind] if not role.path else "JSON, a size or a text"]
            )
            page.add("example", [_example(name, role.flag, role.path)])
    elif role is not None and role.kind in ("worker", "reserved"):
        page.add("sets", ["nothing in vLLM"])
    elif role is not None and role.kind == "no-flag":
        page.add(
            "sets",
            [
                f"nothing: {role.name}, to which the table of the dialect {scope.name} gives it, is"
                " in no vLLM"
            ],
        )
    elif role is not None and role.kind == "choice":
        sets = loads(fields["sets"])
        page.add(
            "sets",
            [
                f"{value}:"
                f" {' '.join(f'{flag}={text}' for flag, text in parts.items()) or 'nothing'}"
                for value, parts in sets.items()
            ],
        )
        if fields.get("otherwise"):
            page.add(
                "any other value",
                [
                    f"is taken for {fields['otherwise']} by the program that reads the dialect"
                    f" {scope.name}"
                ],
            )
    elif name == scope.extra_args:
        page.add(
            "holds",
            [
                "further tokens of the command line, split as a POSIX shell splits them; they win"
                " over other variables"
            ],
        )
        page.add("example", [f"{name}=--port=8080 --served-model-name 'my model'"])
    elif name == scope.config_file:
        page.add("holds", ["the path of a file for --config"])
    pitfalls = [
        text
        for text in (
            fields.get("note"),
            f"{' and '.join(fields['unset'])} set nothing" if fields.get("unset") else None,
        )
        if text
    ]
    if role is not None and role.flag is not None and role.flag.kind == "switch":
        pitfalls.append("false is the same as leaving it out")
    page.add("mind", pitfalls)
    if fields:
        page.add(
            f"in the dialect {scope.name}",
            [
                text
                for text in (
                    f"default {fields['default']}" if fields.get("default") else None,
                    fields.get("source"),
                )
                if text
            ],
        )
    if known:
        page.add(
            "vLLM's own variable in",
            [
                f"{where}: {text}"
                for where, text in spans(
                    versions, lambda version: _about_variable(name, tables.catalog(version))
                )
            ]
            or [_where(name, tables)],
        )
    if scope.secrets.variable(name):
        page.add("secret", ["its value never appears on a command line, in a log or in a finding"])
    _add_changes(page, name, tables)
    if role is not None and role.kind in ("flag", "absent"):
        _add_changes(
            page,
            ".".join((role.flag.flag, *role.path)) if role.flag is not None else role.name,
            tables,
        )
    if role is not None and role.flag is not None and not role.path:
        other = _flag(role.flag.flag, (), scope, versions)
        page.add(
            "the flag",
            (
                []
                if other is None
                else [
                    line
                    for heading, lines in other.sections
                    if heading == "in vLLM"
                    for line in lines
                ]
            ),
        )
    return page


def _about_variable(name: str, catalog: Catalog) -> str | None:
    variable = catalog.variable(name)
    if variable is None:
        return None
    text = {
        "bool-int": "0 or 1 (true would crash it)",
        "int": "an integer",
        "str": "a text",
        "float": "a number",
        "json": "JSON",
        "list": "a list with commas",
        "bool": "true or false",
    }.get(variable.kind, variable.kind)
    if variable.kind == "bool" and variable.true:
        text += f", true being {', '.join(variable.true)}"
    return text + (f"; one of {_some(variable.choices)}" if variable.choices else "")


def _example(name: str, flag: Flag, path: tuple[str, ...]) -> str:
    from translator.values.errors import BadValue
    from translator.values.tokens import tokens
    from translator.values.variables import from_variable

    if path:
        return f"{name}=…: {'.'.join((flag.flag, *path))}"
    texts = {
        "switch": "true",
        "toggle": "false",
        "bool-value": "false",
        "int": "8",
        "size": "8k",
        "size-or-auto": "8k",
        "float": "0.9",
        "json": '{"key": 1}',
        "json-or-str": '{"key": 1}',
        "list": "a,b",
        "append": "a,b",
    }
    text = str(flag.choices[0]) if flag.choices else texts.get(flag.kind, "text")
    try:
        value, _ = from_variable(flag, text)
        return f"{name}={text}: {' '.join(tokens(flag, value)) or 'nothing'}"
    except BadValue:
        return f"{name}=…: {flag.flag}=…"
