"""What a platform's own program does with variables: what it reads differently from this
translator, and what it adds to the command line itself.
"""

from __future__ import annotations

from translator.core.argv.parser import parse
from translator.core.argv.parser import stands as argv_stands
from translator.core.argv.rewriting import MODULE_PART
from translator.core.findings import Finding, finding
from translator.core.settings import Setting, same
from translator.core.tables.catalog import MODEL, flag_of, variable_of
from translator.core.tables.versions import Version
from translator.core.text.json_text import JsonError, loads
from translator.core.values import BadValue, from_token, survives_alone
from translator.core.values.variables import from_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from translator.core.settings import Reading
    from translator.core.settings.scope import Role, Scope
    from translator.core.tables.catalog import Catalog, Flag
    from translator.core.tables.entries import Relay

    Arguments = dict[str, tuple[Any, str]]  # flag → its value, and how it is written


# What the program reads, and how to write it, by how it reads a value.
_FORMS = {
    "word": {"true": "true"},
    "json": {"form": "JSON, or one string", "like": "a list as a JSON array"},
    "pairs": {"form": "`key=number` pairs separated by commas", "like": "such pairs"},
}


def differences(name: str, text: str, role: Role, scope: Scope) -> list[Finding]:
    """Return the finding about a flag's variable that the program does not apply as this translator
    does.
    """
    flag, listed, consumer = role.flag, role.listed, scope.consumer
    assert flag is not None
    spelled = flag_of(name[len(scope.prefix) :])  # the flag as the variable's name spells it
    # Such as `PREFIX_NO_SOME_FLAG`, or an alias.
    is_other = not listed.flag and spelled != flag.flag and spelled not in consumer.how
    facts, case = dict[str, str](), ""
    if note := consumer.partly.get(flag.flag):
        facts = {"note": note}
    elif flag.flag in consumer.ignored:
        case = "not-passed-on"
    elif role.path and not listed.path:
        passed = spelled if consumer.passes else ""
        facts = {"base": name.partition("__")[0], "passed": passed}
    elif is_other and (consumer.own_spelling or flag.flag in consumer.how):
        facts = {"own": scope.prefix + variable_of(flag.flag)}
    elif consumer.closed and spelled not in consumer.how and listed.flag in ("", spelled):
        # A flag's own name may be listed for its default, which says nothing about who reads it.
        facts, case = {"extra_args": scope.extra_args}, "not-passed-on"
    elif consumer.closed and (how := _read_otherwise(text, flag, scope)):
        facts = {"given": scope.shown(name, text), **_FORMS.get(how, {})}
        case = "" if how in _FORMS else how
    else:
        return []
    return [scope.differs(name, case, flag=flag.flag, **facts)]


def about_reads(reading: Reading, env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the findings about an environment, and those about variables of which the program's
    own code makes something else than this translator. These replace what its flags say of them.
    """
    values = {str(item.origin): str(item.value) for item in reading.settings}
    seen = {item.subject for item in reading.findings if item.severity == "error"}
    found = {}
    for rule in scope.dialect.reads:
        needs, beside = rule.get("needs", ""), tuple(rule.get("beside", ()))
        for name in rule["names"]:
            text = env.get(name)
            if text is None or name in seen or text not in rule.get("texts", (text,)):
                continue
            seen.add(name)
            fine = text in rule.get("fine", ()) or any(env.get(other) for other in beside)
            if fine or not rule["does"] or (needs and _is_whole(text)):
                continue
            instead = values.get(name, "")
            found[name] = scope.differs(
                name,
                "reads",
                does=rule["does"],
                given=f"{name}={scope.shown(name, text)}",
                means=rule.get("means", ""),
                needs=needs,
                beside=beside,
                instead=f"{name}={instead}" if needs and _is_whole(instead) else "",
            )
    kept = [
        item
        for item in reading.findings
        if item.code != "platform-differs" or item.subject not in found
    ]
    return [*kept, *found.values()]


def _is_whole(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


def _read_otherwise(text: str, flag: Flag, scope: Scope) -> str:
    """Return how the program, and then vLLM, read a value differently from this translator: a case
    of `platform-differs`; "" if they read the same.
    """
    consumer, word = scope.consumer, text.strip()
    how = consumer.how.get(flag.flag, "")
    if not word or not how:
        return ""
    if word in consumer.unset:
        return "word" if how == "true" else "sets-nothing"
    try:
        mine, _ = from_variable(flag, text)
    except BadValue:
        return ""  # reported as a separate finding
    if how == "switch":
        # The program drops false; if any value sets a switch, the reader reports that.
        return "" if mine is True or not flag.off or consumer.any_text else "text"
    if agrees(how, flag, mine, word if how == "pairs" else text, scope.catalog):
        return ""
    return {"true": "word", "json": "json", "pairs": "pairs"}.get(how, "text")


def agrees(how: str, flag: Flag, value: Any, text: str, catalog: Catalog) -> bool:
    """Return whether the program, and then vLLM, read a variable's text as a value.

    Args:
        how: how the program reads the variable: see `Consumer.how`.
        flag: the flag in the version that the program runs.
        value, text: the value, and the text as vLLM names it.
        catalog: of the version that is set.
    """
    if how in ("pair", "switch"):
        return value is True or (value is False and how == "pair")
    if how == "true":
        return value is (text.strip().lower() == "true")
    if how == "json":
        items = value if isinstance(value, list) else [value]
        if flag.element.startswith("named-path") and any(type(item) is not dict for item in items):
            return False
        try:
            return same(loads(text), value)
        except JsonError:  # kept as it is
            return bool(text == value)
    if how == "pairs":
        return text == pairs_text(value)
    # The model is moved to the front, where more is valid.
    alone = argv_stands(text, catalog) if flag.flag == MODEL else survives_alone(text)
    if not alone:
        return False
    if flag.kind == "str" and not (flag.choices or flag.nullable or flag.empty):
        return bool(text == value)
    try:
        found = from_token(flag, text, json_sizes=True)
    except BadValue:
        return False
    return same([found] if flag.kind in ("list", "append") else found, value)


def pairs_text(value: Any) -> str | None:
    """Return an object of integers as `key=number,key=number`; None if it is something else."""
    if not isinstance(value, dict) or not value:
        return None
    found = [f"{key}={number}" for key, number in value.items() if type(number) is int]
    text = ",".join(found)
    return text if len(found) == len(value) == text.count("=") == text.count(",") + 1 else None


def relayed(
    texts: Mapping[str, str], env: Mapping[str, str], relay: Relay, scope: Scope
) -> list[str]:
    """Return the variables of a command line whose values (`texts`) do not arrive unchanged, where
    another program hands it on to vLLM.
    """
    name, _, text = relay["assignment"].partition("=")
    if env.get(name, "").strip().lower() == text:
        return []
    breaks = relay.get("breaks", ())
    joined = "until" in relay and not Version(scope.catalog.version) > Version(relay["until"])
    if joined:  # by blanks, without quotes: a comment may begin with the value
        breaks = [*breaks, *relay.get("older", ())]
    return [
        name
        for name, text in texts.items()
        if any(part in text for part in breaks) or (joined and text.startswith(("#", ";")))
    ]


def about_relay(
    origins: Collection[str], env: Mapping[str, str], relay: Relay, scope: Scope
) -> Iterator[Finding]:
    """Yield findings for variables that set something (`origins`), and whose values another program
    changes on the way to vLLM.
    """
    texts = {origin: env[origin] for origin in sorted(origins) if origin in env}
    for variable in relayed(texts, env, relay, scope):
        facts = {"program": relay["name"], "assignment": relay["assignment"]}
        yield finding("platform-differs", variable, variable=variable, **facts)


def arguments_of(scope: Scope) -> Arguments:
    """Return the program's default arguments that change anything in this version."""
    found: Arguments = {}
    if not scope.dialect.arguments:
        return found
    line = parse(list(scope.dialect.arguments), scope.catalog, MODULE_PART)
    for name, (value, origin) in line.settings().items():
        flag = scope.catalog.flag(name)
        if flag is not None and not same(value, flag.default):
            found[name] = value, f"{origin}" if isinstance(value, bool) else f"{origin} {value}"
    return found


def platform_arguments(
    scope: Scope, settings: Sequence[Setting], env: Mapping[str, str]
) -> tuple[list[Setting], list[Finding]]:
    """Return the settings that the program adds for flags that are not set, and the findings."""
    given = {item.flag: item.origin for item in settings}
    needs = scope.dialect.arguments_with
    adds = {
        name: added
        for name, added in arguments_of(scope).items()
        if name not in given
        and all(
            env.get(item.partition("=")[0], "") in ("", item.partition("=")[2])
            for item in needs.get(name, ())
        )
    }
    made = [Setting(name, value, scope.adds) for name, (value, _) in adds.items()]
    return made, about_added("added", adds, given, scope)


def about_added(case: str, adds: Arguments, given: Collection[str], scope: Scope) -> list[Finding]:
    """Return findings about arguments that the program adds, and about flags that it calculates
    when they are not set, or whatever is set.

    Args:
        case: "added" or "will-add".
        adds: as from `arguments_of`.
        given: the flags that are set.
    """
    consumer, knows, reader = scope.consumer, scope.catalog.knows, scope.reader
    own = consumer.calculates
    cases = {
        "calculated": tuple(name for name in own if name not in given and knows(name)),
        "overruled": tuple(name for name in consumer.overrules if name in given and knows(name)),
    }
    findings = [
        finding("platform-default", ", ".join(names), case=case, flags=names, reader=reader)
        for case, names in cases.items()
        if names
    ]
    if adds:
        subject, texts = ", ".join(adds), tuple(text for _, text in adds.values())
        facts: dict[str, Any] = {"arguments": texts}
        if len(texts) == 1:
            facts = {"argument": texts[0], "flag": subject}
        findings.append(finding("platform-default", subject, case=case, reader=reader, **facts))
    return findings
