"""Variables for flags: parse their values for one version by the rules of the dialect and of its
platform's program, and say where the value of a secret flag goes (mappings/secrets.toml).
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.naming.dialect import NOTHING, UNLISTED
from translator.settings.setting import Reading, Setting
from translator.tables.entries import CHANGES, flag_of, variable_of
from translator.text.json_text import JsonError, dumps, repair
from translator.values.errors import BadValue, assignment, bad_value
from translator.values.tokens import from_token
from translator.values.variables import REPAIRS, from_variable, key_shape, key_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.naming.scope import Given, Scope
    from translator.tables.entries import Flag

    # The higher rank wins; ties are broken by variable name, since an environment has no order.
    # One variable may set several flags.
    Ranked = tuple[int, str, str, Setting]


_LITERALS = {"True": True, "False": False}
_LISTS = ("list", "append")


class EnvReading(Reading):
    """The result so far.

    Attributes:
        ranked: the settings, not yet sorted.
        keyed: whether a variable sets a key of a JSON flag.
        unknown: number of variables that look like vLLM's own but are unknown.
    """

    __slots__ = ("keyed", "ranked", "unknown")

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(env=dict(env))
        self.ranked: list[Ranked] = []
        self.keyed = False
        self.unknown = 0

    def put(self, given: Given, flag: str, value: Any, path: tuple[str, ...] = ()) -> None:
        """Add what a variable sets."""
        setting = Setting(flag, value, given.name, path)
        self.ranked.append((given.role.rank, given.name, flag, setting))


def flag_variable(given: Given, done: EnvReading) -> None:
    """Read a variable that sets a flag, or a key of a JSON flag."""
    role, scope, flag = given.role, given.scope, given.role.flag
    assert flag is not None
    listed, consumer = role.listed, scope.consumer
    if listed is not UNLISTED:
        if not _fits(given, done):
            return
        if listed.values or listed.scheme:
            given = given.replaced(listed.to_vllm(given.text))
    text, stripped = given.text, given.text.strip()
    if consumer.vllm and (
        stripped in listed.unset or (flag.kind in _LISTS and ("," in text or "[" in text))
    ):
        from translator.env.consumer import unlike  # few variables have such values

        done.findings += unlike(given) if stripped else []
    by_value = consumer.by_value and not role.path
    if stripped in listed.unset or (stripped in NOTHING and not (by_value and not text)):
        return
    if consumer.compared:
        from translator.env.consumer import differences  # few dialects have such a program

        done.findings += differences(given)
    if by_value and not (role.inverted and listed.flag) and _as_consumed(given, done):
        return
    if not stripped:
        return
    if role.path:
        _key(given, done)
    elif flag.flag in scope.secrets.carriers:
        _secret(given, done)
    else:
        _value(given, flag, done)


def _fits(given: Given, done: EnvReading) -> bool:
    """Return whether the platform resolves this value to one of vLLM's, as far as the dialect's
    table specifies; add a finding if the platform reads it differently.
    """
    listed, text = given.role.listed, given.text.strip()
    if text in NOTHING:
        return True
    if listed.known and text not in listed.known:
        done.findings.append(given.differs(given=given.shown, stops=listed.note))
    if listed.accepts(text):
        return True
    done.findings.append(
        given.differs(
            given=given.shown,
            note=listed.note,
            only=tuple(listed.only),
            least="" if listed.least is None else str(listed.least),
            most="" if listed.most is None else str(listed.most),
        )
    )
    return not listed.leaves(text)


def _as_consumed(given: Given, done: EnvReading) -> bool:
    """Read a value as the dialect's program and then vLLM do. Return whether they do read it;
    otherwise our own rules parse it.
    """
    from translator.argv.parser import Misread, value_of

    name, text, flag, scope = given.name, given.text, given.flag, given.scope
    consumer = scope.consumer
    spelled = flag.flag if given.role.listed.flag else flag_of(name[len(scope.prefix) :])
    if not consumer.arrives(text):
        done.findings.append(given.differs("line-break"))
    tokens = consumer.tokens(spelled, text)
    bare = "true" if consumer.true_is_bare else ""
    if tokens is None:
        if text.strip().lower() == "false" and flag.off and flag.default is not False:
            instead = f"{scope.prefix}{variable_of(flag.off)}={bare}"
            facts = {"given": given.shown, "flag": flag.flag, "instead": instead}
            done.findings.append(given.differs(**facts))
        return True
    try:
        value = value_of(tokens, flag, scope.catalog)
    except Misread:
        done.findings.append(
            given.differs(
                given=given.shown,
                version=scope.catalog.version,
                needs=name if not text else "",
                instead="" if not text or flag.takes_value else f"{name}={bare}",
            )
        )
        return not text
    _put(given, value, done)
    return True


def _put(given: Given, value: Any, done: EnvReading) -> None:
    """Set a flag. A secret moves to the variable in which vLLM reads it, if it can."""
    flag = given.flag.flag
    carrier = given.scope.secrets.carriers.get(flag)
    if carrier is not None:
        text, findings = placed(value, given.name, carrier)
        done.findings += findings
        if text is not None:
            done.env.setdefault(carrier, text)
            return
    done.put(given, flag, value)


def _secret(given: Given, done: EnvReading) -> None:
    """Read a secret flag's variable where no platform program changes its value."""
    name, text, flag, scope = given.name, given.text, given.flag, given.scope
    if name == scope.secrets.carriers[flag.flag]:
        done.env[name] = text  # its reader there uses it unchanged
        return
    try:
        _put(given, _secret_value(flag, text), done)
    except BadValue as error:
        done.findings.append(bad_value(name, given.shown, flag, error, scope.catalog))


def _key(given: Given, done: EnvReading) -> None:
    """Read the variable of one key of a JSON flag."""
    name, flag, path = given.name, given.flag, given.role.path
    value = key_value(given.text, key_shape(given.scope.catalog, flag, path))
    word = value.strip() if isinstance(value, str) else ""
    if word in _LITERALS:  # repaired as inside a whole value; vLLM would read it as a string
        value = _LITERALS[word]
        write = f"{name}={'true' if value else 'false'}"
        facts = {"name": name, "form": REPAIRS["literal"], "write": write}
        done.findings.append(finding("repaired-json", name, **facts))
    done.keyed = True
    done.put(given, flag.flag, value, _cased(given))


def _cased(given: Given) -> tuple[str, ...]:
    """Return the keys as the version's class spells them, ignoring case in the variable's name."""
    flag = given.flag
    shape = given.scope.catalog.shape(flag.flag) if flag.shaped or flag.start else None
    found = []
    for part in given.role.path:
        keys = (shape or {}).get("keys", {})
        found.append(next((key for key in keys if key.lower() == part.lower()), part))
        shape = keys.get(found[-1])
    return tuple(found)


def _value(given: Given, flag: Flag, done: EnvReading) -> None:
    """Read the variable of a whole flag by our own rules."""
    try:
        value, repaired = from_variable(flag, given.text)
    except BadValue as error:
        from translator.settings.changes import renamed_choice

        renamed = renamed_choice(given.name, given.text, flag, error, given.scope)
        if renamed is None:
            catalog = given.scope.catalog
            done.findings.append(bad_value(given.name, given.text, flag, error, catalog))
            return
        value, about = renamed
        done.findings.append(about)
    else:
        if repaired or value is False or isinstance(value, list):
            done.findings += _remarks(given, value, repaired)
    if given.role.inverted and isinstance(value, bool):
        value = not value
    done.put(given, flag.flag, value)


def _remarks(given: Given, value: Any, repaired: str) -> list[Finding]:
    """Return the findings about a value that is valid, but for what it needed or may not mean."""
    name, flag, scope = given.name, given.flag, given.scope
    consumer = scope.consumer
    found = []
    if repaired in REPAIRS and not (repaired == "pairs" and consumer.how.get(flag.flag) == "pairs"):
        write = f"{name}={dumps(value)}"
        form = REPAIRS[repaired]
        found.append(finding("repaired-json", name, name=name, form=form, write=write))
    if isinstance(value, list) and not all(item or item == 0 for item in value):
        items = [item for item in given.text.split(",") if item.strip()]
        found.append(
            finding(
                "empty-element",
                name,
                name=name,
                flag=flag.flag,
                version=scope.catalog.version,
                write=f"{name}={','.join(items)}" if "," in given.text else "",
            )
        )
    if value is False and consumer.any_text:
        spelled = given.role.listed.flag or flag_of(name[len(scope.prefix) :])
        if consumer.how.get(spelled) == "switch":
            found.append(given.differs("any-text", given=given.shown, flag=spelled))
    return found


def choice_variable(given: Given, done: EnvReading) -> None:
    """Read a variable whose values each set several flags."""
    name, role, scope = given.name, given.role, given.scope
    listed = role.listed
    value, choices = listed.choice(given.text), tuple(listed.sets)
    if value is None and listed.otherwise is None:
        facts = {"given": assignment(name, given.text), "reader": scope.reader}
        done.findings.append(finding("bad-choice", name, choices=choices, **facts))
        return
    if value is None:
        value = listed.otherwise or ""
        facts = {"given": given.shown, "meant": value}
        done.findings.append(given.differs(choices=choices, **facts))
    for flag, word in listed.sets[value].items():
        found = scope.of_flag(flag, role.rank)
        if found is None:
            done.findings.append(no_such_flag(name, flag))
        elif found.flag is None:
            absent_variable(given.replaced(word, found), done)
        else:  # already vLLM's spelling: the program's rules apply to the variable's value
            done.put(given, found.flag.flag, from_variable(found.flag, word)[0])


def absent_variable(given: Given, done: EnvReading) -> None:
    """Read a variable for a flag, or for a key, that only other versions have."""
    name, role, scope = given.name, given.role, given.scope
    if given.sets_nothing or given.text.strip() in role.listed.unset or not _fits(given, done):
        return
    text = role.listed.to_vllm(given.text)
    if scope.consumer.by_value and scope.consumer.tokens("--x", text) is None:
        return  # the program drops it
    flag_name, *path = role.name.split(".")
    from translator.settings.changes import flag_elsewhere

    was = flag_elsewhere(flag_name, scope.tables)
    assert was is not None
    if path:
        done.missing.append(Setting(flag_name, key_value(text, None), name, tuple(path)))
        return
    value: Any
    try:
        value, _ = from_variable(was, text)
    except BadValue as error:
        if scope.catalog.flag(was.flag) is None and error.code != "bad-choice":
            done.findings.append(bad_value(name, text, was, error, scope.catalog))
            return
        value = text
    if role.inverted and isinstance(value, bool):
        value = not value
    is_switch = was.kind == "switch" and flag_name not in was.negations
    record = scope.tables.records(CHANGES).get(flag_name, {})
    if value is False and is_switch and record.get("kind") != "same":
        return  # a plain switch that is off sets nothing, unless something replaces it
    done.missing.append(Setting(flag_name, value, name, was=was))


def no_such_flag(name: str, flag: str) -> Finding:
    """Return the finding for a variable that its dialect maps to a flag no vLLM has."""
    return finding("unknown-flag", name, case="table", name=name, flag=flag)


def _secret_value(flag: Flag, text: str) -> Any:
    """Parse a variable's value: the elements of a JSON array, or else one unchanged secret, since a
    key may contain commas.

    Raises:
        BadValue: the value looks like an array but is not an array of strings, or the version
            accepts only one secret.
    """
    is_list = flag.kind == "list"
    inner = (
        text.strip().strip("'\"").strip()
    )  # docker's --env-file keeps quotes that a shell would remove
    if not inner.startswith(('["', "['")) and (inner[:1] != "[" or inner[-1:] != "]"):
        return [text] if is_list else text
    try:
        items = repair(text)[0]
    except JsonError:
        items = None
    if not items or not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise BadValue("bad-list", "strings")
    if not is_list and len(items) > 1:
        raise BadValue("bad-list", "one")
    return [from_token(flag, item) for item in items] if is_list else items[0]


def placed(
    value: Any, what: str, carrier: str, subject: str = ""
) -> tuple[str | None, list[Finding]]:
    """Return where the value of a secret flag goes.

    Args:
        value: the value.
        what: the flag or variable that holds it.
        carrier: the variable from which vLLM reads the same value.
        subject: the finding's subject, if it is not `what`.

    Returns:
        The carrier's text; None if the value goes on vLLM's command line. And the finding about a
        secret that moves, or that cannot: several of them, or one that would set nothing as a
        variable. A bare `--hf-token` and `--api-key ''` hold no secret.
    """
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    facts = {"origin": what, "variable": carrier}
    if isinstance(one, str) and one:
        if one.strip() not in NOTHING:
            return one, [finding("secret-moved", subject or what, **facts)]
        return None, [finding("secret-on-argv", subject or what, case="unsaid", **facts)]
    if isinstance(one, list) and any(isinstance(item, str) and item for item in one):
        return None, [finding("secret-on-argv", subject or what, case="several", **facts)]
    return None, []


def unused_secret(name: str, scope: Scope) -> list[Finding]:
    """Return the finding for a secret variable whose flag the platform's program ignores because it
    does not run vLLM's server: users may rely on that secret.
    """
    flag = next(
        (
            flag
            for flag, carrier in scope.secrets.carriers.items()
            if carrier == name and flag in scope.consumer.ignored
        ),
        "",
    )
    if not flag:
        return []
    return [scope.differs(name, "unused-secret", flag=flag)]
