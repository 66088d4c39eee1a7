"""Everything that is known about one name: a flag, a key of a JSON flag, a variable of a dialect or
of vLLM's, the code of a finding; and what is in no table of vLLM: our own variables, those of
schedulers and of Kubernetes, and the short flag of an optimization level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from translator.core.env.vllm_variables import names_a_service
from translator.core.findings import codes, texts_of
from translator.core.settings.changes import VALUES
from translator.core.settings.scope import Role, Scope
from translator.core.tables.catalog import (
    CHANGES,
    JSON_KINDS,
    LEVEL,
    Flag,
    Plugin,
    Tables,
    variable_of,
)
from translator.core.tables.dialects import UNLISTED
from translator.core.tables.shapes import problems
from translator.core.tables.versions import VARIABLE, span
from translator.core.text.json_text import dumps
from translator.core.text.words import nearest, quote
from translator.core.values import BadValue, tokens
from translator.core.values.variables import from_variable
from translator.reference.accepted import (
    MANY,
    Accepted,
    Period,
    accepted,
    find_flag,
    lines,
    periods,
    shape_of,
    shape_text,
    where,
)
from translator.reference.markdown import (
    DESCRIPTIONS,
    description,
    effect,
    flag_variables,
    target,
    what_for,
)

if TYPE_CHECKING:
    from translator.core.env.cluster import Part
    from translator.core.tables.entries import Change
    from translator.documents import PageJson

Section = tuple[str, Sequence[str]]  # a heading, which may be empty, and its lines
NOTHING: Section = ("", ())


def filled(sections: Iterable[Section]) -> list[Section]:
    """Return sections without empty lines, and without empty ones."""
    kept = [(heading, [line for line in lines if line]) for heading, lines in sections]
    return [(heading, lines) for heading, lines in kept if lines]


class Page(NamedTuple):
    """What is known about something.

    Attributes:
        title: its name, and what it is.
        about: what it does.
        vllm: which versions of vLLM have it, in words.
        changes: what became of it.
        accepted: of a flag, a key or a variable of vLLM's, what each run of versions accepts.
        description: what it is for, in a line.
    """

    title: str
    about: Sequence[Section] = ()
    vllm: Section = NOTHING
    changes: Sequence[Section] = ()
    accepted: Sequence[Period[Accepted]] = ()
    description: str = ""

    @property
    def sections(self) -> list[Section]:
        """All of it, in order."""
        return [*filled([self.vllm]), *self.about, *self.changes]

    def __str__(self) -> str:
        """Return the page as lines of plain text."""
        lines = [self.title, *([f"  {self.description}"] if self.description else [])]
        for heading, content in self.sections:
            lines += [f"{heading}:"] if heading else []
            lines += [f"  {line}" for line in content]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the page as Markdown."""
        lines = [f"# {self.title}", *(["", self.description] if self.description else [])]
        for heading, content in self.sections:
            lines += ["", f"## {capital(heading)}", "", *(f"- {line}" for line in content)]
        return "\n".join(lines) + "\n"

    def json(self) -> PageJson:
        """Return the page as JSON."""
        return {
            "title": self.title,
            "description": self.description,
            "accepted": [
                {"since": first, "until": last, **accepted._asdict()}  # type: ignore[typeddict-item]
                for first, last, accepted in self.accepted
            ],
            "sections": [{"heading": heading, "lines": lines} for heading, lines in self.sections],
        }


def capital(text: str) -> str:
    """Return a text with a capital at its start."""
    return text[:1].upper() + text[1:]


# Our own variables: what each is for, and the option for the same, if there is one.
OWN = {
    VARIABLE: ("vLLM version (default: the installed one, else the newest known)", "--vllm"),
    "TRANSLATE_TABLES": ("a directory of your own tables, added to the built-in ones", "--tables"),
    "TRANSLATE_DEBUG": (
        "if not empty, an internal error shows where in the code it happened, without values",
        "",
    ),
}
# The parts of a cluster's table that name variables, and what their values are.
_PLACES: dict[Part, str] = {
    "nodes": "number of machines",
    "rank": "rank of this machine",
    "address": "address of the first machine",
    "port": "port of the first machine",
    "host_list": "names of all machines",
    "per_node": "processes of each machine",
}
# Kind of a flag → a value to show.
_EXAMPLES = {"toggle": "false", "bool-value": "false", "switch": "true", "float": "0.9"}
_EXAMPLES |= {"int": "8", "size": "8k", "size-or-auto": "8k", "list": "a,b", "append": "a,b"}
_CHANGED = {"gone": "removed", "same": "other names"}  # else "replaced by"


def look_up(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    """Return the page of a name, as a person would type it; None when nothing is called so. The
    scope gives the dialect, and the version that is shown where one has to be.
    """
    name = name.strip()
    if name in codes():
        texts = texts_of(name)
        title = f"{name}: {texts.title} ({texts.severity})"
        return Page(title, [("", [texts.explanation]), ("example", texts.example.split("\n"))])
    plain = name.partition("=")[0]
    page = None if plain.startswith("-") else variable_page(plain, scope, versions)
    page = page or _other_page(name, scope.tables, versions)
    if page is not None:
        return page
    flag, *path = (plain if plain.startswith("-") else f"--{plain}").split(".")
    return flag_page(flag.replace("_", "-"), tuple(path), scope, versions)


def similar(name: str, scope: Scope) -> list[str]:
    """Return the names that a person may have meant."""
    keys = _near_keys(name, scope)
    if keys:
        return keys
    known = [*scope.tables.names(), *codes(), *scope.dialect.names]
    known += [variable_of(item) for item in scope.tables.names() if item.startswith("--")]
    tries = [
        name,
        name.upper().replace("-", "_"),
        f"--{name.lstrip('-').lower().replace('_', '-')}",
        name.lower().replace("_", "-"),
    ]
    shapes = {flag: scope.catalog.shape(flag) or {} for flag in scope.catalog.flag_names()}
    names = [f"{flag}.{name}" for flag, shape in shapes.items() if name in shape.get("keys", {})]
    names += [close for item in tries for close in nearest(item, known, 3)]
    return list(dict.fromkeys(names))[:5]


def _near_keys(name: str, scope: Scope) -> list[str]:
    """Return what the key of a JSON flag may have meant, `--flag.key` or `FLAG__KEY` as it was."""
    role = scope.role(name)
    spelled, *keys = name.split(".")
    flag = role.flag if role is not None else find_flag(spelled, scope.catalog)
    path = [*role.path] if role is not None else keys
    shape = (shape_of(flag, scope.catalog) if flag is not None and path else None) or {}
    for part in path[:-1]:
        shape = shape.get("keys", {}).get(part, {})
    near = nearest(path[-1], shape.get("keys", ()), 3) if path else []
    return [name[: -len(path[-1])] + (key.upper() if name.isupper() else key) for key in near]


# --- flags and their keys -------------------------------------------------------------------------


def flag_page(
    spelling: str, path: tuple[str, ...], scope: Scope, versions: Sequence[str]
) -> Page | None:
    """Return the page of a flag or a key, as any version spells it; None when vLLM never had it."""
    tables = scope.tables
    name = tables.names().get(spelling)
    if name is None:
        return None
    full = ".".join((name, *path))
    ranges = accepted_in(spelling, path, tables, versions)
    if path and not ranges and full not in tables.records(CHANGES):
        return None
    title = f"{full}: {'a key of a flag' if path else 'a flag'} of `vllm serve`"
    title += f" ({spelling} is a spelling of it)" if name != spelling else ""
    about = [_all_choices(ranges)]
    flag = find_flag(spelling, scope.catalog)
    if flag is not None and not path:
        about.append((f"variable of {scope.name}", flag_variables(flag, scope)))
        if flag.kind in JSON_KINDS:
            about.append(("example", [" ".join(map(quote, example(flag, scope)[1]))]))
        about.append(_keys(flag, scope))
    in_vllm = _in_vllm("vLLM", spelling, path, tables, versions)
    text = "" if path else description(name, tables)
    changes = filled(change_sections(full, tables))
    return Page(title, filled(about), in_vllm, changes, ranges, text)


def _all_choices(ranges: Sequence[Period[Accepted]]) -> Section:
    """Return the choices of the newest version, where there are more than a line lists."""
    if not ranges or len(ranges[-1][2].choices) <= MANY:
        return NOTHING
    last, choices = ranges[-1][1], ranges[-1][2].choices
    return f"all {len(choices)} choices in vLLM {last}", [", ".join(choices)]


def _keys(flag: Flag, scope: Scope) -> Section:
    """Return the keys of a JSON flag, and what each takes."""
    when = ", checked by the engine at its start" if flag.start else ""
    keys = (shape_of(flag, scope.catalog) or {}).get("keys", {})
    heading = f"keys in vLLM {scope.catalog.version}{when}"
    return heading, [f".{key}: {shape_text(inner)}" for key, inner in keys.items()]


def accepted_in(
    name: str, path: Sequence[str], tables: Tables, versions: Sequence[str]
) -> list[Period[Accepted]]:
    """Return what a flag, a key of one or a variable accepts in each run of versions."""
    return periods(versions, lambda version: accepted(name, tables.catalog(version), path))


def _in_vllm(
    heading: str, name: str, path: Sequence[str], tables: Tables, versions: Sequence[str]
) -> Section:
    """Return the same in words, or which other versions have the name: of many choices, what each
    release added.
    """

    newest = accepted(name, tables.catalog(versions[-1]), path) if path else None
    is_long = newest is not None and len(newest.choices) > MANY

    def fact(version: str) -> str | tuple[str, ...] | None:
        takes = accepted(name, tables.catalog(version), path)
        if takes and is_long and takes.choices:
            return tuple(sorted(takes.choices))
        return (str(takes) if name.startswith("-") else takes.value) if takes else None

    lines: list[str] = []
    before: Sequence[str] = ()
    for first, last, here in periods(versions, fact):
        text = here if isinstance(here, str) else f"one of {', '.join(here)}"
        if before and not isinstance(here, str):
            gone = ", ".join(choice for choice in before if choice not in here)
            added = ", ".join(choice for choice in here if choice not in before)
            text = "; ".join([f"also {added}"] * bool(added) + [f"no longer {gone}"] * bool(gone))
        lines.append(f"{span(first, last)}: {text}")
        before = () if isinstance(here, str) else here
    return heading, lines or [f"not in {', '.join(versions)}; {where(name, tables)}"]


def change_sections(name: str, tables: Tables) -> list[Section]:
    """Return what replaced a flag, a key or a variable, and its renamed values."""
    renamed = [
        " → ".join(fields["values"])
        for key, fields in tables.records(VALUES).items()
        if key.startswith(f"{name}=")
    ]
    sections: list[Section] = [("renamed values", list(dict.fromkeys(renamed)))]
    record = tables.records(CHANGES).get(name)
    if record is None:
        return sections
    kind = record["kind"]
    if kind == "same":
        lines = [_other(one, name, record, tables) for one in record["carriers"] if one != name]
    elif kind == "split":
        lines = [
            f"{name}={value}: {_assignments(parts) or 'nothing'}"
            for value, parts in record["values"].items()
        ]
    else:
        lines = [record.get("why", "")]
    lines = [text for text in (*lines, record.get("note"), record.get("source")) if text]
    return [(_CHANGED.get(kind, "replaced by"), lines), *sections]


def _other(other: str, name: str, record: Change, tables: Tables) -> str:
    """Return where another name of the same thing is read."""
    inverted = record.get("inverted", ())
    since, until = record.get("since", {}).get(other, ""), record.get("until", {}).get(other, "")
    opposite = "opposite flag, " if (other in inverted) != (name in inverted) else ""
    return f"{other}: {opposite}{where(other.partition('.')[0], tables, since, until)}"


def _assignments(parts: Mapping[str, object]) -> str:
    return " ".join(
        f"{target}={text if isinstance(text, str) else dumps(text)}"
        for target, text in parts.items()
    )


# --- variables ------------------------------------------------------------------------------------


def variable_page(name: str, scope: Scope, versions: Sequence[str]) -> Page | None:
    """Return the page of a variable; None when neither the dialect nor vLLM reads it."""
    tables = scope.tables
    listed, role = scope.dialect.listed(name), scope.role(name)
    known = tables.knowing(name)
    is_read = role is not None and role.kind != "unknown-vllm"
    is_meant = name == name.upper() and (is_read or name in tables.records(CHANGES))
    if listed is UNLISTED and not known and not is_meant:
        return None
    if role is not None and role.path and listed is UNLISTED:
        flag = target(role).partition(".")[0]
        if flag_page(flag, role.path, scope, tables.versions()) is None:
            return None
    default = f"default {listed.default}" if listed.default else ""
    about = [*_meaning(name, role, scope), (f"in {scope.name}", [default, listed.source])]
    plugin = tables.plugin(name) if role is None or role.kind != "native" else None
    if plugin is not None:
        about.append(("plugin", _about_plugin(plugin)))
    if scope.secrets.named(name):
        secret = "its value never appears on a command line, in a log or in a finding"
        about.append(("secret", [secret]))
    about.append(("with --cluster", _cluster_lines(name, tables)))
    changes = change_sections(name, tables)
    if role is not None and role.kind in ("flag", "absent"):
        changes += change_sections(target(role), tables)
    if role is not None and role.flag is not None and not role.path:
        flag = role.flag.flag
        about += [_in_vllm(f"{flag} in vLLM", flag, (), tables, versions), _keys(role.flag, scope)]
    read = _in_vllm("vLLM reads it in", name, (), tables, versions) if known else NOTHING
    ranges = accepted_in(name, (), tables, versions)
    about.append(_all_choices(ranges))
    title, text = f"{name}: a variable", what_for(name, scope)
    return Page(title, filled(about), read, filled(changes), ranges, text)


def _about_plugin(plugin: Plugin) -> list[str]:
    """Which plugin reads a variable, and where that is seen."""
    if plugin.prefix:
        known = f"{plugin.prefix} is a prefix of {plugin.name}; no variable of this name is known"
        return [f"{known} ({plugin.hardware})", *plugin.sources]
    return [f"read by {plugin.name} ({plugin.hardware}), not by vLLM itself", *plugin.sources]


def _meaning(name: str, role: Role | None, scope: Scope) -> list[Section]:
    """What a variable does, by its role in the dialect."""
    if role is None:
        return []
    facts = effect(role, scope)
    if role.kind == "choice":
        sets = [
            f"{value}: {_assignments(parts) or 'nothing'}"
            for value, parts in role.listed.sets.items()
        ]
        other = f"counts as {role.listed.otherwise}" if role.listed.otherwise else ""
        about = [("sets", sets), ("any other value", [other])]
    else:
        about = [("sets", [facts.sets]), ("value", [facts.value])]
        if role.flag is not None and facts.value:
            text, line = ("…", [target(role)]) if role.path else example(role.flag, scope)
            about.append(("example", [f"{name}={text}: {' '.join(line) or 'nothing'}"]))
        elif role.kind == "extra-args":
            about.append(("example", [f"{name}=--port=8080 --served-model-name 'my model'"]))
    about.append(("note", list(facts.notes)))
    return [(heading, [line.replace("`", "") for line in texts]) for heading, texts in about]


def example(flag: Flag, scope: Scope) -> tuple[str, list[str]]:
    """Return a value of a flag's variable, and the tokens for it; "…" where none is known."""
    listed = scope.tables.records(DESCRIPTIONS).get(flag.flag, {}).get("example")
    text = str(listed or (flag.choices or [_EXAMPLES.get(flag.kind, "text")])[0])
    try:
        value, _ = from_variable(flag, text)
        shape = shape_of(flag, scope.catalog)
        if shape is None or not any(problems(value, shape)):
            return text, tokens(flag, value)
    except BadValue:
        pass
    return "…", [f"{flag.flag}=…"]


# --- names that are neither vLLM's nor the dialect's ----------------------------------------------


def _other_page(name: str, tables: Tables, versions: Sequence[str]) -> Page | None:
    plain, _, value = name.partition("=")
    if plain.startswith(LEVEL) and (plain[len(LEVEL) :] or value or "3").isdecimal():
        return _level_page(plain[len(LEVEL) :] or value, tables, versions)
    if plain in OWN:
        what, option = OWN[plain]
        about = filled([("value", [what]), ("option", [option])])
        return Page(f"{plain}: a variable of this program", about)
    clusters = _cluster_lines(plain, tables)
    if clusters:
        return Page(f"{plain}: a variable of a scheduler", [("with --cluster", clusters)])
    if plain.startswith("VLLM_") and names_a_service(plain):
        value = "address of a service whose name begins with vllm; it is removed before vLLM starts"
        remedy = "enableServiceLinks: false in the pod's spec, or another name for the service"
        title = f"{plain}: a service link of Kubernetes (see service-link)"
        return Page(title, [("value", [value]), ("to avoid it", [remedy])])
    return None


def _cluster_lines(name: str, tables: Tables) -> list[str]:
    """Return what a variable means with each cluster that has it."""
    clusters = {each: tables.cluster(each) for each in tables.clusters()}
    return [
        f"{cluster}: {what}"
        for cluster, parts in clusters.items()
        for part, what in _PLACES.items()
        if name in parts.get(part, ())
    ]


def _level_page(number: str, tables: Tables, versions: Sequence[str]) -> Page:
    """Return the page of the short flag that is a level in every version, and JSON in some."""
    whole = tables.names()[LEVEL]
    level = number or "3"

    def fact(version: str) -> str | None:
        catalog = tables.catalog(version)
        target = catalog.grammar.level
        if target is None:
            return None
        full = f"--{target}" if catalog.flag(f"--{target}") is not None else f"{whole}.{target}"
        with_json = f"; {LEVEL} with JSON is {whole}" if LEVEL in catalog.spellings() else ""
        return f"{LEVEL}{level} is {full}={level}{with_json}"

    known = tables.versions()
    missing = f"not in {', '.join(versions)}; it is in {span(known[0], known[-1])}"
    title = f"{LEVEL}{number}: an optimization level of `vllm serve`"
    return Page(title, vllm=("vLLM", lines(versions, fact) or [missing]))
