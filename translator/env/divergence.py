"""Variables and values that a platform's program reads differently from this translator."""

from __future__ import annotations

from translator.env.additions import behind
from translator.findings import Finding, finding
from translator.naming.scope import older_generation
from translator.settings.setting import same
from translator.tables.entries import flag_of, variable_of
from translator.tables.versions import Version
from translator.text.quoting import _SAFE
from translator.values.errors import BadValue
from translator.values.variables import from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from translator.env.reading import Given
    from translator.naming.scope import Scope
    from translator.settings.setting import Reading
    from translator.tables.entries import Flag


_SPLIT = frozenset(" \t\n*?[")  # an unquoted shell expansion splits at or expands these


def differences(given: Given) -> list[Finding]:
    """Return the finding about a flag's variable that the program does not apply as this translator
    does.
    """
    name, text, role, scope = given.name, given.text, given.role, given.scope
    flag, listed, consumer = given.flag, role.listed, scope.consumer
    facts = {"flag": flag.flag}
    if flag.flag in consumer.partly:
        case = "partly"
        facts["note"] = consumer.partly[flag.flag]
    elif flag.flag in consumer.ignored:
        case = "not-passed-on"
    elif role.path and not listed.path:
        case = "key-refused" if consumer.unknown == "passed" else "key"
        facts["base"] = scope.prefix + name[len(scope.prefix) :].partition("__")[0]
    elif _is_other_spelling(given):
        case = "spelling"
        facts["own"] = scope.prefix + variable_of(flag.flag)
    elif consumer.closed and not _is_passed_on(given):
        case = "not-passed-on"
        facts["extra_args"] = scope.extra_args
    elif (consumer.plain or listed.plain) and (
        not _SAFE.issuperset(text) if consumer.evaluated else not _SPLIT.isdisjoint(text)
    ):
        case = "shell"
    elif consumer.closed and (case := _read_otherwise(text, flag, scope)):
        facts["given"] = given.shown
    else:
        return []
    return [given.differs(case, **facts)]


def unlike(given: Given) -> list[Finding]:
    """Return a finding if the program of another image, which reads the same variables, reads a
    value differently.
    """
    name, text, flag, scope = given.name, given.text, given.flag, given.scope
    consumer = scope.consumer
    if (
        consumer.how.get(flag.flag) != "value"
        or (text.strip() == "0" and flag.flag in consumer.zero_unset)
        or older_generation(scope) is not None
    ):
        return []
    unset = text.strip() in scope.dialect.listed(name).unset
    if not unset and not _read_otherwise(text, flag, scope):
        return []
    facts = {"given": given.shown, "variable": name, "flag": flag.flag, "reader": scope.reader}
    return [finding("platform-differs", name, case="unset" if unset else "text", **facts)]


def breaking(settings: Mapping[str, Any], scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield the flags with which the program does not work, each with a sentence about it.

    Args:
        settings: flag → value.
        scope: the version and the dialect.
    """
    for name, about in scope.consumer.breaks.items():
        value = settings.get(name)
        parts = value if isinstance(value, list) else [value]
        if any(parts) and str(value) not in about.unless:
            yield name, about.note


def unworkable(
    reading: Reading, origin: str, env: Mapping[str, str], scope: Scope
) -> list[Finding]:
    """Return findings for extra tokens with which the program of another image does not work.

    Args:
        reading: the variables and the tokens.
        origin: the variable of the tokens.
        env: the variables before a secret was moved there from the tokens.
        scope: the version and the dialect.
    """
    if older_generation(scope) is not None:
        return []  # the program of this version does not read the variable
    settings = {item.flag: item.value for item in reading.settings if origin in item.origin}
    for flag, carrier in scope.secrets.carriers.items():
        if reading.env.get(carrier) != env.get(carrier):
            settings[flag] = True
    return [
        finding(
            "platform-differs", origin, case="breaks", flag=flag, note=note, reader=scope.reader
        )
        for flag, note in breaking(settings, scope)
    ]


def _read_otherwise(text: str, flag: Flag, scope: Scope) -> str:
    """Return how vLLM reads the value, as one token, differently from this translator: a case of
    `consumer-differs`; "" if it reads the same. A switch is compared by whether it is on.
    """
    from translator.argv.parser import Misread, value_of

    consumer, word = scope.consumer, text.strip()
    how = consumer.how.get(flag.flag)
    if not word:
        return ""
    if word in consumer.unset:
        return "word" if how == "true" else "sets-nothing"
    try:
        mine, _ = from_variable(flag, text)
    except BadValue:
        return ""  # reported as a separate finding
    case, is_same = "text", True
    if how == "switch":
        # The program drops false; if any value sets a switch, the reader reports that.
        is_same = mine is True or not flag.off or consumer.any_text
    elif how == "true":
        case, is_same = "word", mine is (word.lower() == "true")
    elif how == "json":
        from translator.env.slots import read_as_json

        case, is_same = "json", read_as_json(flag, mine, text)
    elif how == "pairs":
        from translator.env.slots import pairs_text

        case, is_same = "pairs", word == pairs_text(mine)
    elif how == "value":
        try:
            is_same = same(value_of([flag.flag, text], flag, scope.catalog), mine)
        except Misread:
            is_same = False
    return "" if is_same else case


def _is_other_spelling(given: Given) -> bool:
    """Return whether the name is a spelling that the program does not pass on:
    `PREFIX_NO_SOME_FLAG`, or an alias.
    """
    if given.role.listed.flag:
        return False
    flag, spelled, consumer = given.flag.flag, _spelled(given), given.scope.consumer
    if consumer.closed:
        return spelled != flag and flag in consumer.how and spelled not in consumer.how
    return consumer.own_spelling and spelled != flag


def _is_passed_on(given: Given) -> bool:
    """Return whether a program with flag lists passes a variable on, by a list or by a name in the
    table.
    """
    spelled, scope, listed = _spelled(given), given.scope, given.role.listed
    # Listed under the flag's own name: for its default, which says nothing about who reads it.
    is_alias = bool(listed.flag) and listed.flag != spelled
    if is_alias or spelled in scope.consumer.how:
        return True
    return any(item.variable()[0] == given.name for item in behind(scope))


def _spelled(given: Given) -> str:
    """Return the flag as the variable's name spells it."""
    return flag_of(given.name[len(given.scope.prefix) :])


def relayed(texts: Mapping[str, str], scope: Scope) -> list[str]:
    """Return the variables whose values do not arrive unchanged where another program hands the
    command line on.

    Args:
        texts: variable → value, of what becomes a part of the command line.
        scope: the version and the dialect.
    """
    relay = scope.consumer.relay
    if relay is None:
        return []
    breaks = [*relay.breaks]
    if relay.until and not Version(scope.catalog.version) > Version(relay.until):
        breaks += relay.older
    return [name for name, text in texts.items() if any(part in text for part in breaks)]


def about_relay(
    origins: Collection[str], env: Mapping[str, str], scope: Scope
) -> Iterator[Finding]:
    """Yield findings for values that another program changes on the way to vLLM.

    Args:
        origins: the variables that set something.
        env: all variables.
        scope: the version and the dialect.
    """
    relay = scope.consumer.relay
    if relay is None:
        return
    name, _, text = relay.assignment.partition("=")
    if env.get(name, "").strip().lower() == text:
        return
    texts = {origin: env[origin] for origin in sorted(origins) if origin in env}
    for variable in relayed(texts, scope):
        facts = {"program": relay.name, "assignment": relay.assignment}
        yield finding("consumer-differs", variable, case="relay", variable=variable, **facts)
