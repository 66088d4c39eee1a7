"""The writer of a container's variables, in a dialect: for ourselves, and for the dialect's own consumer at the same time.

What the consumer cannot carry in a variable of its own goes into the dialect's variable for further tokens. Every text is read back before it is
trusted: a variable is used only when reading it gives the value that was to be said.
"""

from __future__ import annotations

from translator import jsontext
from translator.argv import CONFIG
from translator.argv import stands as argv_stands
from translator.catalog import variable_of
from translator.environ import NOTHING
from translator.findings import Finding, finding
from translator.values import BadValue, Unset, from_token, from_variable, survives_alone, text_of, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.assemble import Assembled
    from translator.catalog import Flag
    from translator.scope import Scope


def write(done: Assembled, scope: Scope) -> tuple[dict[str, str], list[Finding]]:
    """The variables that say what is set.

    Args:
        done: what is set.
        scope: the version and the dialect.

    Returns:
        The variables, in the order of the flags' names, and what to tell about them.
    """
    env: dict[str, str] = {}
    findings: list[Finding] = []
    extra: list[str] = []
    for name in sorted(done.values):
        value = done.values[name]
        flag = scope.catalog.flag(name)
        assert flag is not None
        origin = done.origins[name][0]
        carrier = scope.secrets.carriers.get(name)
        if carrier:
            if _to_secret(flag, value, carrier, env, origin, findings):
                continue
        elif value is False and not flag.off and flag.kind == "switch":
            continue
        else:
            variable = variable_for(flag, scope)
            text = variable_text(flag, value)
            if variable and text is not None and _reads_back(variable, text, flag, value, scope) and consumer_carries(flag, text, value, scope):
                env[variable] = text
                continue
        extra += _in_extra(flag, value, origin, scope, findings, secret=bool(carrier))
    if extra:
        env[scope.extra_args] = " ".join(quote(item) for item in extra)
    for name, text in done.variables.items():
        env.setdefault(name, text)
    return env, findings


def _to_secret(flag: Flag, value: Any, carrier: str, env: dict[str, str], origin: str, findings: list[Finding]) -> bool:
    """A secret flag's value into the variable that vLLM reads the same from; False when that cannot say it."""
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    if value is None:
        return True
    if not isinstance(one, str) or one.strip() in NOTHING:
        return False
    env[carrier] = one
    return True


def _in_extra(flag: Flag, value: Any, origin: str, scope: Scope, findings: list[Finding], *, secret: bool) -> list[str]:
    version = scope.catalog.version
    try:
        made = tokens(flag, value, lambda text: argv_stands(text, scope.catalog))
    except BadValue as error:
        findings.append(finding(error.code, origin.partition("=")[0], f"{flag.flag} of vLLM {version} needs {error.expected}", error.hint))
        return []
    if not scope.extra_args:
        findings.append(finding("cannot-be-said", flag.flag, f"{flag.flag} cannot be said in the dialect {scope.name}"))
        return []
    if secret and value is not True:
        message = f"{flag.flag} holds more than one secret: vLLM takes that only on its command line, so they stand in {scope.extra_args}"
        findings.append(finding("secret-on-argv", flag.flag, message, f"keep one, in {scope.secrets.carriers[flag.flag]}"))
    return [flag.flag, str(value)] if flag.flag == CONFIG else made


def variable_for(flag: Flag, scope: Scope) -> str | None:
    """The variable of the dialect that sets a flag: its name in capitals, or an alias where that name means something else."""
    key = ("variable", scope.catalog.version, scope.name, flag.flag)
    kept = scope.tables.kept
    if key in kept:
        return kept[key]  # type: ignore[no-any-return]
    found: str | None = None
    if flag.flag == CONFIG:
        found = scope.config_file or None
    else:
        aliases = [name for name, fields in scope.dialect.items() if fields.get("flag") == flag.flag and not fields.get("key") and not fields.get("inverted")]
        for name in (scope.prefix + variable_of(flag.flag), *aliases):
            role = scope.role(name)
            if role is not None and role.kind == "flag" and role.flag is flag and not role.path and not role.fields.get("inverted"):
                found = name
                break
    kept[key] = found
    return found


def variable_text(flag: Flag, value: Any) -> str | None:
    """A value as a variable's text; None when no text says it."""
    if value is None:
        return None
    if flag.kind == "json":
        return text_of(flag, value) if flag.syntax is None else jsontext.dumps(value)
    if isinstance(value, bool) and flag.kind != "optional-str":
        return "true" if value else "false"
    if flag.kind in ("list", "append"):
        if len(value) == 1 and isinstance(value[0], dict):
            return jsontext.dumps(value[0])
        texts = [item if isinstance(item, str) else text_of(flag, item) for item in value if not isinstance(item, dict)]
        if len(texts) == len(value) and all(text and text.strip() == text and "," not in text and text[0] not in "[{'\"" for text in texts):
            return ",".join(texts)
        return jsontext.dumps(value)
    if isinstance(value, (dict, list)):
        return jsontext.dumps(value)
    return text_of(flag, value) if value is not True else None


def _reads_back(variable: str, text: str, flag: Flag, value: Any, scope: Scope) -> bool:
    """Whether our own reader makes the same value of the text."""
    if text.strip() in NOTHING or "\0" in text:
        return False
    if flag.flag == CONFIG:
        return True
    role = scope.role(variable)
    if role is None or text.strip() in role.fields.get("unset", ()):
        return False
    try:
        found, repaired = from_variable(flag, text)
    except (BadValue, Unset):
        return False
    return same(found, value) and repaired in ("", "pairs")


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1 from True and 1.0, and takes nan for equal to itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(same(mine, theirs) for mine, theirs in zip(one, other, strict=True))
    return bool(one == other) or one != one and other != other  # noqa: PLR0124  # nan


def consumer_carries(flag: Flag, text: str, value: Any, scope: Scope) -> bool:
    """Whether the dialect's consumer makes the same of the text: one token for a value, a bare flag for a boolean.

    A flag that the consumer's own vLLM does not have is none of its business.
    """
    facts = scope.dialect.get("@dialect", {})
    version = facts.get("vllm")
    if not version:
        return True
    theirs = scope.tables.catalog(version).flag(flag.flag)
    if theirs is None or flag.flag == CONFIG:
        return True

    def listed(part: str) -> bool:
        found: list[str] = scope.dialect.get(f"@consumer.{part}", {}).get(part, [])
        return flag.flag in found

    if listed("pair_flags"):
        return isinstance(value, bool)
    if listed("switch_flags"):
        return value is True
    if not listed("value_flags") and variable_of(flag.flag) in scope.dialect and scope.dialect[variable_of(flag.flag)].get("role") != "reserved":
        return False
    if not listed("value_flags") and not _aliased(flag, scope):
        return False
    if text.strip() != text or not survives_alone(text) or listed("zero_unset") and text == "0":
        return False
    try:
        found = from_token(theirs, text, json_sizes=True)
    except BadValue:
        return False
    return same([found] if theirs.kind in ("list", "append") else found, value)


def _aliased(flag: Flag, scope: Scope) -> bool:
    """Whether the consumer reads the flag under another name only (its model, its config file)."""
    return variable_for(flag, scope) != scope.prefix + variable_of(flag.flag)


_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quote(text: str) -> str:
    """A token as a POSIX shell (and shlex) reads it back."""
    if text and _SAFE.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
