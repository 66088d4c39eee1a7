"""Read a container's variables under a dialect."""

from __future__ import annotations

from translator.env import vllm_variables as native
from translator.env.flag_variables import (
    EnvReading,
    absent_variable,
    choice_variable,
    flag_variable,
    no_such_flag,
    unused_secret,
)
from translator.findings import finding
from translator.naming.scope import Given
from translator.settings.setting import Reading, Setting
from translator.tables.entries import CHANGES, CONFIG, flag_of
from translator.text.json_text import MAX_DEPTH
from translator.text.quoting import expands, quoted_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.naming.scope import Scope


MOST_SUGGESTIONS = 20
_NOT_KNOWN: Any = object()
_LONG, _MOST_KNOWN = 200, 32  # longer values are not cached, nor more of a variable


def read_env(env: Mapping[str, str], scope: Scope) -> Reading:
    """Read every variable of an environment.

    Args:
        env: the variables.
        scope: the version and the dialect.
    """
    done = EnvReading(env)
    ranked = done.ranked
    roles, left, unread = scope.roles, done.env, done.unread
    for name, text in env.items():
        try:
            role = roles[name]
        except KeyError:
            role = scope.role(name)
        if role is None:
            unread.append(name)
            continue
        known = role.known.get(text, _NOT_KNOWN)
        if known is None:
            continue
        if known is not _NOT_KNOWN:
            del left[name]
            ranked.append(known)
        elif (
            name.startswith("VLLM_")
            and role.kind != "extra-args"
            and native.is_service_link(name, text)
        ):
            done.findings.append(native.service_link(name, scope.shown(name, text)))
            done.env.pop(name, None)
        else:
            _read_one(Given(name, text, role, scope), done)
    ranked.sort()  # settings from one variable are ordered by flag
    done.settings = [setting for _, _, setting in ranked]
    if done.keyed:
        _match_case(done.settings)
    if len(done.missing) > 1:
        done.missing.sort(key=lambda item: item.origin)  # an environment has no order
    return done


def _read_one(given: Given, done: EnvReading) -> None:
    """Read a variable, and cache the result if it has no findings.

    Deployment tools translate nearly the same environment repeatedly: 0.2 µs for a cached value,
    7 µs for a new one.
    """
    name, text, role, ranked = given.name, given.text, given.role, done.ranked
    if len(role.path) > MAX_DEPTH:
        shown = name.partition("__")[0] + "__…"
        told = finding("bad-json", name, case="too-deep", given=shown, limit=MAX_DEPTH)
        done.findings.append(told)
        return
    before = len(ranked), len(done.findings), len(done.missing)
    if role.kind in _TAKEN_OUT:
        done.env.pop(name, None)
    if role.kind in _READ_EMPTY or not given.sets_nothing:
        _READERS[role.kind](given, done)
    if role.kind not in _KEPT or role.path or len(text) > _LONG or len(role.known) == _MOST_KNOWN:
        return
    settings, findings, missing = before
    if len(done.findings) > findings or len(done.missing) > missing:
        return
    if len(ranked) > settings:
        value = ranked[-1][2].value
        if name in done.env or isinstance(value, dict):
            return
        if not isinstance(value, str) or not given.scope.secrets.named(name):
            role.known[text] = ranked[-1]
    elif done.env.get(name) == text and not given.scope.secrets.named(name):
        role.known[text] = None


def _match_case(settings: list[Setting]) -> None:
    """Replace keys by their spelling in the flag's whole value: variable names are uppercase, but
    keys need not be lowercase.
    """
    whole = {item.flag: item.value for item in settings if not item.path}
    for item in settings:
        value = whole.get(item.flag) if item.path else None
        path = []
        for part in item.path:
            spelled = part
            if isinstance(value, dict) and part not in value:
                spelled = next((key for key in value if key.lower() == part), part)
            value = value.get(spelled) if isinstance(value, dict) else None
            path.append(spelled)
        item.path = tuple(path)


def _worker(given: Given, done: EnvReading) -> None:
    if given.name.startswith("VLLM_"):
        done.env.pop(given.name, None)  # newer versions warn about unknown variables
    if not given.sets_nothing:
        note = given.role.listed.note
        done.findings.append(finding("worker-only", given.name, name=given.name, note=note))


def _reserved(given: Given, done: EnvReading) -> None:
    note = given.role.listed.note
    done.findings.append(finding("reserved-name", given.name, name=given.name, note=note))


def _no_flag(given: Given, done: EnvReading) -> None:
    done.findings.append(no_such_flag(given.name, given.role.name))


def _environment(given: Given, done: EnvReading) -> None:
    """Leave the variable in the environment unless it sets nothing; nobody accepts a token called
    None.
    """
    if given.text.strip() == "None":
        done.env.pop(given.name, None)
        done.findings.append(finding("empty-variable", given.name, case="none", name=given.name))


def _native(given: Given, done: EnvReading) -> None:
    variable = given.role.variable
    assert variable is not None
    version = given.scope.catalog.version
    passed, told = native.check(variable, given.text, version, given.shown)
    if told is not None:
        done.findings.append(told)
    if passed is None:
        done.env.pop(given.name, None)
    else:
        done.env[given.name] = passed
        listed = given.role.listed
        if listed.meant and not given.sets_nothing:
            done.findings.append(
                finding(
                    "not-the-server-address",
                    given.name,
                    name=given.name,
                    note=listed.note,
                    meant=listed.meant,
                    variable=given.scope.extra_args,
                )
            )
        if given.scope.consumer.ignored and not given.sets_nothing:
            done.findings += unused_secret(given.name, given.scope)


def _native_absent(given: Given, done: EnvReading) -> None:
    """Read a variable that only other versions read: replace it, or explain it."""
    known = given.name in given.scope.tables.records(CHANGES)
    if not known and not given.name.startswith("VLLM_"):
        return  # LD_LIBRARY_PATH and the like have the same meaning without vLLM's table
    if given.name.startswith("VLLM_"):
        # No effect in this version, and --fail-on-environ-validation rejects it.
        done.env.pop(given.name, None)
    done.missing.append(Setting(given.name, given.text, given.name))


def _unknown(given: Given, done: EnvReading) -> None:
    # A suggestion for one name takes 0.6 ms; an environment with very many unknown names is not a
    # matter of misspelling.
    done.unknown += 1
    everywhere: list[str] = []
    bare = given.name.removeprefix(native.OWN)
    if done.unknown <= MOST_SUGGESTIONS:
        everywhere = [item for item in given.scope.tables.index() if item.startswith(native.OWN)]
    other = given.scope.role(given.scope.prefix + bare)
    meant: str | None = None
    if other is not None and other.kind in ("flag", "absent"):
        meant = given.scope.prefix + bare
    elif given.scope.catalog.flag(flag_of(bare)) is not None:
        meant = ""
    told = native.unknown(given.name, given.scope.catalog, everywhere, meant)
    done.findings.append(told)  # stays in the environment: a vLLM plugin may read it


def _plugin(given: Given, done: EnvReading) -> None:
    done.unknown += 1
    suggest = done.unknown <= MOST_SUGGESTIONS
    done.findings.append(native.of_plugin(given.name, given.scope.tables, suggest))


def _config_file(given: Given, done: EnvReading) -> None:
    if not given.text.endswith((".yaml", ".yml")):
        done.findings.append(
            finding(
                "config-file",
                given.name,
                case="suffix",
                given=f"{given.name}={given.shown}",
                version=given.scope.catalog.version,
            )
        )
        return
    if given.scope.catalog.knows(CONFIG):
        done.put(given, CONFIG, given.text)
    else:
        done.missing.append(Setting(CONFIG, given.text, given.name))


def _extra_args(given: Given, done: EnvReading) -> None:
    done.extra = (given.name, given.text)
    consumer = given.scope.consumer
    wild = not {"*", "?", "["}.isdisjoint(given.text)
    if consumer.plain and (wild or quoted_words(given.text)):
        done.findings.append(given.differs("quotes"))
    elif consumer.evaluated and not consumer.plain and expands(given.text):
        done.findings.append(given.differs("evaluated"))


# Kinds whose variables do not stay in the environment.
_TAKEN_OUT = frozenset(("flag", "absent", "choice", "config-file", "extra-args"))

# Kinds whose variables mean something even if they set nothing.
_READ_EMPTY = frozenset(("flag", "native", "environment", "worker", "unknown-vllm"))

# Kinds whose values are cached.
_KEPT = frozenset(("flag", "native", "environment"))

_READERS = {
    "flag": flag_variable,
    "absent": absent_variable,
    "choice": choice_variable,
    "worker": _worker,
    "reserved": _reserved,
    "no-flag": _no_flag,
    "environment": _environment,
    "native": _native,
    "native-absent": _native_absent,
    "plugin": _plugin,
    "unknown-vllm": _unknown,
    "config-file": _config_file,
    "extra-args": _extra_args,
}
