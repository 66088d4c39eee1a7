"""Variables for flags: parse their values for one version by the rules of the dialect and of its
platform's program.
"""

from __future__ import annotations

from translator.env.reading import Given
from translator.findings import Finding, finding, show
from translator.secrets.masking import MASK
from translator.settings.setting import NOTHING, Setting
from translator.tables.entries import CHANGES, flag_of, variable_of
from translator.values.errors import BadValue, assignment, bad_value
from translator.values.variables import REPAIRS, from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.env.reading import EnvReading
    from translator.naming.scope import Scope
    from translator.tables.entries import Flag


_NOTHING, _OURS = (
    object(),
    object(),
)  # a value that sets nothing; a value that only our own rules can parse


_LITERALS = {"True": True, "False": False}


_LISTS = ("list", "append")


def _consumed(given: Given, done: EnvReading) -> Any:
    """Parse a value as the dialect's program and then vLLM do; `_NOTHING` if it sets nothing,
    `_OURS` if they reject it and our own rules parse it.
    """
    from translator.argv.reader import Misread, value_of

    name, text, role, scope = given.name, given.text, given.role, given.scope
    flag, consumer = role.flag, scope.consumer
    assert flag is not None
    spelled = flag.flag if role.listed.flag else flag_of(name[len(scope.prefix) :])
    shown = MASK if flag.flag in scope.secrets.carriers else scope.shown(name, text)
    if not consumer.arrives(text):
        done.findings.append(_differs("line-break", name, scope))
    tokens = consumer.tokens(spelled, text)
    bare = "true" if consumer.true_is_bare else ""
    if tokens is None:
        if text.strip().lower() == "false" and flag.off and flag.default is not False:
            instead = f"{scope.prefix}{variable_of(flag.off)}={bare}"
            done.findings.append(
                _differs("left-out", name, scope, given=shown, flag=flag.flag, instead=instead)
            )
        return _NOTHING
    try:
        return value_of(tokens, flag, scope.catalog)
    except Misread:
        done.findings.append(
            _differs(
                "refused",
                name,
                scope,
                given=shown,
                version=scope.catalog.version,
                needs=name if not text else "",
                instead="" if not text or flag.takes_value else f"{name}={bare}",
            )
        )
        return _OURS if text else _NOTHING


def _differs(case: str, name: str, scope: Scope, **facts: str | tuple[str, ...]) -> Finding:
    """Return the finding for a variable that the platform's program reads differently."""
    return finding("consumer-differs", name, case=case, variable=name, reader=scope.reader, **facts)


def choice_variable(given: Given, done: EnvReading) -> None:
    """Read a variable whose values each set several flags."""
    name, text, role, scope = given.name, given.text, given.role, given.scope
    done.env.pop(name, None)
    if text.strip() in NOTHING:
        return
    sets = role.listed.sets
    value = role.listed.choice(text)
    if value is None:
        otherwise = role.listed.otherwise
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
        done.findings.append(
            _differs(
                "choice",
                name,
                scope,
                given=scope.shown(name, text),
                meant=otherwise,
                choices=tuple(sets),
            )
        )
        value = otherwise
    for flag, word in sets[value].items():
        found = scope.of_flag(flag, role.rank)
        if (
            found is not None and found.flag is not None
        ):  # already vLLM's spelling: the program's rules apply to the variable's value
            done.ranked.append(
                (
                    role.rank,
                    name,
                    Setting(found.flag.flag, from_variable(found.flag, word)[0], name),
                )
            )
        elif found is not None:
            absent_variable(Given(name, word, found, scope), done)
        else:
            done.findings.append(no_such_flag(name, flag))


def flag_variable(given: Given, done: EnvReading) -> None:
    name, text, role, scope = given.name, given.text, given.role, given.scope
    flag = role.flag
    assert flag is not None
    listed, consumer = role.listed, scope.consumer
    done.env.pop(name, None)
    if not _fits(given, done):
        return
    text = listed.to_vllm(text)
    stripped = text.strip()
    by_value = consumer.by_value and not role.path
    if (
        consumer.vllm
        and stripped
        and (stripped in listed.unset or (flag.kind in _LISTS and not {",", "["}.isdisjoint(text)))
    ):
        from translator.env.divergence import unlike  # few variables have such values

        done.findings += unlike(name, text, flag, scope)
    if (stripped in NOTHING and not (by_value and not text)) or stripped in listed.unset:
        return
    if consumer.compared:
        from translator.env.divergence import differences  # few dialects have such a program

        done.findings += differences(name, text, role, scope)
    secret = flag.flag in scope.secrets.carriers and not role.path
    if by_value and not (role.inverted and listed.flag):
        value = _consumed(Given(name, text, role, scope), done)
        if value is not _OURS:
            if value is not _NOTHING and not (secret and _carried(name, value, flag, scope, done)):
                done.ranked.append((role.rank, name, Setting(flag.flag, value, name)))
            return
    if not stripped:
        return
    if secret:
        _secret(Given(name, text, role, scope), flag, done)
        return
    if role.path:
        from translator.settings.fit import key_shape, key_value

        value = key_value(text, key_shape(scope.catalog, flag, role.path))
        if (
            isinstance(value, str) and value.strip() in _LITERALS
        ):  # repaired as inside a whole value; vLLM would read it as a string
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
        done.ranked.append(
            (role.rank, name, Setting(flag.flag, value, name, _cased(role.path, scope, flag)))
        )
        return
    try:
        value, repaired = from_variable(flag, text)
    except BadValue as error:
        from translator.settings.changes import renamed_value

        renamed = renamed_value(flag, text, scope.tables) if error.code == "bad-choice" else None
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
                old=scope.shown(name, text.strip()),
                new=renamed,
                write=f"{name}={renamed}",
            )
        )
        value, repaired = renamed, ""
    if repaired in REPAIRS and not (repaired == "pairs" and flag.flag in consumer.pairs_flags):
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
        and consumer.any_text
        and (spelled := listed.flag or flag_of(name[len(scope.prefix) :])) in consumer.switch_flags
    ):
        shown = scope.shown(name, text)
        done.findings.append(_differs("any-text", name, scope, given=shown, flag=spelled))
    if role.inverted and isinstance(value, bool):
        value = not value
    done.ranked.append((role.rank, name, Setting(flag.flag, value, name)))


def _without_empty(text: str, scope: Scope, name: str) -> str:
    return scope.shown(name, ",".join(item for item in text.split(",") if item.strip()))


def _fits(given: Given, done: EnvReading) -> bool:
    """Return whether the platform resolves this value to one of vLLM's, as far as the dialect's
    table specifies; add a finding if the platform reads it differently.
    """
    listed = given.role.listed
    if given.sets_nothing:
        return True
    if listed.known and given.text.strip() not in listed.known:
        done.findings.append(
            _differs("unknown-value", given.name, given.scope, given=given.shown, note=listed.note)
        )
    if listed.accepts(given.text):
        return True
    done.findings.append(
        _differs(
            "value",
            given.name,
            given.scope,
            given=given.shown,
            note=listed.note,
            only=tuple(listed.only),
            least="" if listed.least is None else str(listed.least),
            most="" if listed.most is None else str(listed.most),
        )
    )
    return not listed.unread.match(given.text.strip())


def _json_shown(value: object, scope: Scope) -> str:
    from translator.text.json_text import dumps

    return show(dumps(scope.secrets.showing.json(value)), 400)


def _cased(path: tuple[str, ...], scope: Scope, flag: Flag) -> tuple[str, ...]:
    """Return the keys as the version's class spells them, ignoring case in the variable's name."""
    shape = scope.catalog.shape(flag.flag) if flag.shaped or flag.started else None
    found = []
    for part in path:
        keys = (shape or {}).get("keys", {})
        found.append(next((key for key in keys if key.lower() == part.lower()), part))
        shape = keys.get(found[-1])
    return tuple(found)


def _secret(given: Given, flag: Flag, done: EnvReading) -> None:
    """Read a secret flag's variable where no platform program changes its value."""
    from translator.env.secret_flags import from_text

    name, text, scope = given.name, given.text, given.scope
    if name == scope.secrets.carriers[flag.flag]:
        done.env[name] = text  # its reader there uses it unchanged
        return
    try:
        value = from_text(flag, text)
    except BadValue as error:
        done.findings.append(bad_value(name, MASK, flag, error, scope.catalog))
        return
    if not _carried(name, value, flag, scope, done):
        done.ranked.append((given.role.rank, name, Setting(flag.flag, value, name)))


def _carried(name: str, value: Any, flag: Flag, scope: Scope, done: EnvReading) -> bool:
    """Return whether a secret flag's value was moved to the variable in which vLLM reads it;
    otherwise it must stay in argv.
    """
    from translator.env.secret_flags import CARRIED, about_secret, placed

    carrier = scope.secrets.carriers[flag.flag]
    where, text = placed(value)
    if where == CARRIED:
        done.env.setdefault(carrier, text)
    done.findings += about_secret(where, name, carrier)
    return where == CARRIED


def absent_variable(given: Given, done: EnvReading) -> None:
    name, text, role, scope = given.name, given.text, given.role, given.scope
    done.env.pop(name, None)
    if text.strip() in NOTHING or text.strip() in role.listed.unset or not _fits(given, done):
        return
    text = role.listed.to_vllm(text)
    if scope.consumer.by_value and scope.consumer.tokens("--x", text) is None:
        return  # the program drops it
    flag_name, *path = role.name.split(".")
    from translator.settings.fit import flag_elsewhere, key_value

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
    if role.inverted and isinstance(value, bool):
        value = not value
    negation = flag_name in was.negations
    if value is False and not negation and was.kind == "switch" and not _carries(flag_name, scope):
        return  # a plain switch that is off sets nothing
    done.missing.append(Setting(flag_name, value, name, was=was))


def _carries(name: str, scope: Scope) -> bool:
    """Return whether something replaces a flag, so that false may have a meaning."""
    return scope.tables.records(CHANGES).get(name, {}).get("kind") == "same"


def no_such_flag(name: str, flag: str) -> Finding:
    """Return the finding for a variable that its dialect maps to a flag no vLLM has."""
    return finding("unknown-flag", name, case="table", name=name, flag=flag)
