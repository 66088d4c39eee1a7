"""Variables that stand for flags: what a text says to the flag of the version, by the dialect's
rules and its consumer's.
"""

from __future__ import annotations

from translator.findings import Finding, finding, show
from translator.secrets.masking import MASK
from translator.settings import changes
from translator.settings.fit import flag_elsewhere, key_shape, key_value
from translator.settings.setting import NOTHING, Setting
from translator.tables.entries import flag_of, variable_of
from translator.values.errors import BadValue, assignment, bad_value
from translator.values.variables import REPAIRS, from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.dialects.scope import Role, Scope
    from translator.env.reading import EnvReading, Ranked
    from translator.tables.entries import Flag


_BOUNDS = frozenset(
    ("only", "unread", "least", "most")
)  # fields of a variable that say which values its consumer takes


_NOTHING, _OURS = (
    object(),
    object(),
)  # of a value that sets nothing, and of one that our own rules read


_LITERALS = {"True": True, "False": False}


def _consumed(name: str, text: str, role: Role, scope: Scope, done: EnvReading) -> Any:
    """What the dialect's consumer and then vLLM make of a text; `_NOTHING` when nothing, `_OURS`
    when they refuse it and we read it ourselves.
    """
    from translator.argv.reader import Misread, value_of

    flag = role.flag
    assert flag is not None
    assert scope.consumer is not None
    spelled = flag.flag if role.fields.get("flag") else flag_of(name[len(scope.prefix) :])
    shown = MASK if flag.flag in scope.secrets.carriers else scope.shown(name, text)
    if not scope.consumer.arrives(text):
        message = (
            f"{name}: the program that reads the dialect {scope.name} reads line by line: what is"
            " behind a line break, or a single = at the end, is lost"
        )
        done.findings.append(finding("consumer-differs", name, message))
    tokens = scope.consumer.tokens(spelled, text)
    if tokens is None:
        if text.strip().lower() == "false" and flag.off and flag.default is not False:
            instead = (
                scope.prefix
                + variable_of(flag.off)
                + "="
                + ("true" if scope.consumer.true == "bare" else "")
            )
            message = (
                f"{name}={shown}: the program that reads the dialect {scope.name} leaves it out, so"
                f" {flag.flag} keeps its default"
            )
            done.findings.append(finding("consumer-differs", name, message, f"write {instead}"))
        return _NOTHING
    try:
        return value_of(tokens, flag, scope.catalog)
    except Misread:
        message = (
            f"{name}={shown}: vLLM {scope.catalog.version} refuses what the program that reads the"
            f" dialect {scope.name} makes of it"
        )
        bare = "true" if scope.consumer.true == "bare" else ""
        hint = (
            f"give {name} a value"
            if not text
            else ""
            if flag.takes_value
            else f"write {name}={bare}"
        )
        done.findings.append(finding("consumer-differs", name, message, hint))
        return _OURS if text else _NOTHING


def choice_variable(
    name: str, text: str, role: Role, scope: Scope, done: EnvReading, ranked: list[Ranked]
) -> None:
    """A variable whose values each set several flags."""
    from translator.dialects.value_names import chosen

    done.env.pop(name, None)
    if text.strip() in NOTHING:
        return
    sets = role.fields["sets"]
    value = chosen(role.fields, sets, text)
    if value is None:
        otherwise = role.fields.get("otherwise")
        if otherwise is None:
            done.findings.append(
                finding(
                    "bad-choice",
                    name,
                    case="reader",
                    given=assignment(name, scope.shown(name, text)),
                    reader=scope.reader,
                    choices=tuple(sets),
                )
            )
            return
        message = (
            f"{name}={scope.shown(name, text)}: the program that reads the dialect {scope.name}"
            f" takes it for {otherwise}"
        )
        done.findings.append(
            finding("consumer-differs", name, message, f"write one of {', '.join(sets)}")
        )
        value = otherwise
    for flag, word in sets[value].items():
        found = scope.of_flag(flag, role.rank)
        if (
            found is not None and found.flag is not None
        ):  # these are vLLM's own words: the consumer's rules are for the variable's text
            ranked.append(
                (
                    role.rank,
                    name,
                    Setting(found.flag.flag, from_variable(found.flag, word)[0], name),
                )
            )
        elif found is not None:
            absent_variable(name, word, found, scope, done, ranked)
        else:
            done.findings.append(no_such_flag(name, flag, scope))


def flag_variable(
    name: str, text: str, role: Role, scope: Scope, done: EnvReading, ranked: list[Ranked]
) -> None:
    flag = role.flag
    assert flag is not None
    fields = role.fields
    done.env.pop(name, None)
    if fields and not _fits(name, text, role, scope, done):
        return
    if "values" in fields or "scheme" in fields:
        text = _inward(fields, text)
    stripped = text.strip()
    by_value = scope.consumer is not None and not role.path
    if (stripped in NOTHING and not (by_value and not text)) or stripped in fields.get("unset", ()):
        return
    if scope.watched:
        _passed_on(name, text, flag, role, scope, done)
    secret = flag.flag in scope.secrets.carriers and not role.path
    if by_value and not (fields.get("inverted") and fields.get("flag")):
        value = _consumed(name, text, role, scope, done)
        if value is not _OURS:
            if value is not _NOTHING and not (secret and _carried(name, value, flag, scope, done)):
                ranked.append((role.rank, name, Setting(flag.flag, value, name)))
            return
    if not stripped:
        return
    if secret:
        _secret(name, text, flag, role, scope, done, ranked)
        return
    if role.path:
        value = key_value(text, key_shape(scope.catalog, flag, role.path))
        if (
            isinstance(value, str) and value.strip() in _LITERALS
        ):  # as in a whole value, where it is repaired; vLLM takes it for a text
            value = _LITERALS[value.strip()]
            done.findings.append(
                finding(
                    "repaired-json",
                    name,
                    case="literal",
                    name=name,
                    write=f"{name}={'true' if value else 'false'}",
                )
            )
        done.keyed = True
        ranked.append(
            (role.rank, name, Setting(flag.flag, value, name, _cased(role.path, scope, flag)))
        )
        return
    try:
        value, repaired = from_variable(flag, text)
    except BadValue as error:
        renamed = (
            changes.renamed_value(flag, text, scope.tables) if error.code == "bad-choice" else None
        )
        if renamed is None:
            done.findings.append(
                bad_value(name, scope.shown(name, text), flag, error, scope.catalog)
            )
            return
        done.findings.append(
            finding(
                "carried-value",
                name,
                flag=flag.flag,
                version=scope.catalog.version,
                old=text.strip(),
                new=renamed,
                write=f"{name}={renamed}",
            )
        )
        value, repaired = renamed, ""
    if repaired in REPAIRS:
        done.findings.append(
            finding(
                "repaired-json",
                name,
                case=repaired,
                name=name,
                write=f"{name}={_json_shown(value, scope)}",
            )
        )
    if isinstance(value, list) and not all(item or item == 0 for item in value):
        done.findings.append(
            finding(
                "empty-element",
                name,
                name=name,
                flag=flag.flag,
                version=scope.catalog.version,
                write=f"{name}={_without_empty(text, scope, name)}" if "," in text else "",
            )
        )
    if (
        value is False
        and scope.any_text
        and (spelled := fields.get("flag") or flag_of(name[len(scope.prefix) :])) in scope.any_text
    ):
        message = (
            f"{name}={scope.shown(name, text)}: the program that reads the dialect {scope.name}"
            f" sets {spelled} for every text"
        )
        done.findings.append(finding("consumer-differs", name, message, f"leave {name} out"))
    if fields.get("inverted") and isinstance(value, bool):
        value = not value
    ranked.append((role.rank, name, Setting(flag.flag, value, name)))


def _without_empty(text: str, scope: Scope, name: str) -> str:
    return scope.shown(name, ",".join(item for item in text.split(",") if item.strip()))


def _inward(fields: Mapping[str, Any], text: str) -> str:
    from translator.dialects.value_names import inward  # few dialects have aliases of values

    return inward(fields, text)


def _taken(fields: Mapping[str, Any], text: str) -> bool:
    from translator.dialects.value_names import taken

    return taken(fields, text)


def _passed_on(
    name: str, text: str, flag: Flag, role: Role, scope: Scope, done: EnvReading
) -> None:
    from translator.env.divergence import differences  # few dialects have a consumer of their own

    done.findings += differences(name, text, flag, role, scope)


def _fits(name: str, text: str, role: Role, scope: Scope, done: EnvReading) -> bool:
    """Whether the consumer takes this value, as far as the dialect's table says; a finding when it
    does not.
    """
    if _BOUNDS.isdisjoint(role.fields) or text.strip() in NOTHING or _taken(role.fields, text):
        return True
    why = role.fields.get("note") or _bounds(role.fields)
    message = (
        f"{name}={scope.shown(name, text)}: the program that reads the dialect {scope.name} reads"
        f" it differently: {why}"
    )
    done.findings.append(finding("consumer-differs", name, message))
    return text.strip() not in role.fields.get("unread", ())


def _bounds(fields: Mapping[str, Any]) -> str:
    only = fields.get("only")
    least, most = fields.get("least", ""), fields.get("most", "")
    return (
        f"it takes {', '.join(only)}"
        if only
        else f"it takes whole numbers from {least}" + (f" to {most}" if most else " on")
    )


def _json_shown(value: object, scope: Scope) -> str:
    from translator.text.json_text import dumps

    return show(dumps(scope.secrets.masked(value)), 400)


def _cased(path: tuple[str, ...], scope: Scope, flag: Flag) -> tuple[str, ...]:
    """The keys as the version's class writes them, whatever the case of the variable's name."""
    shape = scope.catalog.shape(flag.flag) if flag.shaped or flag.started else None
    found = []
    for part in path:
        keys = (shape or {}).get("keys", {})
        found.append(next((key for key in keys if key.lower() == part.lower()), part))
        shape = keys.get(found[-1])
    return tuple(found)


def _secret(
    name: str,
    text: str,
    flag: Flag,
    role: Role,
    scope: Scope,
    done: EnvReading,
    ranked: list[Ranked],
) -> None:
    """A secret flag's variable, as it is read where no consumer makes something else of it."""
    from translator.env.secret_flags import from_text

    if name == scope.secrets.carriers[flag.flag]:
        done.env[name] = text  # what reads it there takes it as it stands
        return
    try:
        value = from_text(flag, text)
    except BadValue as error:
        done.findings.append(bad_value(name, MASK, flag, error, scope.catalog))
        return
    if not _carried(name, value, flag, scope, done):
        ranked.append((role.rank, name, Setting(flag.flag, value, name)))


def _carried(name: str, value: Any, flag: Flag, scope: Scope, done: EnvReading) -> bool:
    """Whether a secret flag's value went to the variable that vLLM reads the same from; else it has
    to stand in argv.
    """
    from translator.env.secret_flags import CARRIED, placed, told

    carrier = scope.secrets.carriers[flag.flag]
    where, text = placed(value)
    if where == CARRIED:
        done.env.setdefault(carrier, text)
    done.findings += told(where, name, carrier)
    return where == CARRIED


def absent_variable(
    name: str, text: str, role: Role, scope: Scope, done: EnvReading, ranked: list[Ranked]
) -> None:
    done.env.pop(name, None)
    if (
        text.strip() in NOTHING
        or text.strip() in role.fields.get("unset", ())
        or (role.fields and not _fits(name, text, role, scope, done))
    ):
        return
    if "values" in role.fields or "scheme" in role.fields:
        text = _inward(role.fields, text)
    if scope.consumer is not None and scope.consumer.tokens("--x", text) is None:
        return  # the consumer leaves it out
    flag_name, *path = role.name.split(".")
    was = flag_elsewhere(flag_name, scope.tables)
    assert was is not None
    if path:
        done.missing.append(Setting(flag_name, key_value(text, None), name, tuple(path)))
        return
    try:
        value, _ = from_variable(was, text)
    except BadValue as error:
        if scope.catalog.flag(was.flag) is None and error.code != "bad-choice":
            done.findings.append(
                bad_value(name, scope.shown(name, text), was, error, scope.catalog)
            )
            return
        value = text
    if role.fields.get("inverted") and isinstance(value, bool):
        value = not value
    negation = flag_name in was.negations
    if value is False and not negation and was.kind == "switch" and not _carries(flag_name, scope):
        return  # a plain switch that is not set: nothing was asked for
    done.missing.append(Setting(flag_name, value, name, was=was))


def _carries(name: str, scope: Scope) -> bool:
    """Whether something takes the place of a flag, so that false may mean something."""
    return scope.tables.records(changes.FILE).get(name, {}).get("kind") == "same"


def no_such_flag(name: str, flag: str, scope: Scope) -> Finding:
    message = (
        f"{name} sets nothing: the table of the dialect {scope.name} gives it to {flag}, which no"
        " vLLM has"
    )
    return finding(
        "unknown-flag", name, message, "mend the table: `translate tables lint` checks it"
    )
