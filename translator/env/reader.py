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
from translator.findings import Finding, finding
from translator.naming.scope import KEEP, Given
from translator.settings.setting import Reading, Setting
from translator.tables.entries import CHANGES, CONFIG, JSON_KINDS, flag_of
from translator.text.json_text import MAX_DEPTH
from translator.text.names import Patterns
from translator.text.quoting import expands, quoted_words
from translator.text.similar import distance, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.naming.scope import Scope


MOST_SUGGESTIONS = 20
_NOT_KNOWN: Any = object()
_LONGEST_NAME = 100
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
            done.findings.append(native.service_link(name, text))
            done.env.pop(name, None)
        else:
            _read_one(Given(name, text, role, scope), done)
    ranked.sort()
    done.settings = [item[3] for item in ranked]
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
        told = finding("bad-json", name, given=shown, limit=MAX_DEPTH)
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
        value = ranked[-1][3].value
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
        done.findings.append(finding("empty-variable", given.name, name=given.name))


def _native(given: Given, done: EnvReading) -> None:
    variable = given.role.variable
    assert variable is not None
    version = given.scope.catalog.version
    passed, told = native.check(variable, given.text, version)
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
                given=f"{given.name}={given.text}",
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


def misspelt(names: list[str], scope: Scope) -> list[Finding]:
    """Return a finding for every unread variable whose name is close to a known one
    (`TENSOR_PARALELL_SIZE`) or begins with the dialect's prefix.
    """
    rest = [name for name in names if name not in scope.like_nothing]
    if not rest:
        return []
    found: list[Finding] = []
    asked = 0
    own = Patterns(scope.dialect.own_names)
    for name, close in _nearest(rest, scope).items():
        base, keys, _ = name.partition("__")
        role = scope.role(base) if keys and base else None
        if role is not None and role.kind in ("flag", "absent"):
            is_plain = role.flag is not None and role.flag.kind not in JSON_KINDS
            case = "no-keys" if is_plain else "no-key-name"
            found.append(finding("misspelt-variable", name, case=case, name=name, write=base))
        elif own.match(name):
            found.append(finding("worker-only", name, name=name, reader=scope.reader))
        elif scope.prefix and name.startswith(scope.prefix) and not native.names_a_service(name):
            asked += close is None
            near = close or (_near(name, scope) if asked <= MOST_SUGGESTIONS else "")
            facts = {"name": name, "reader": scope.reader, "near": near}
            case = "passed" if scope.consumer.unknown == "passed" else "dialect"
            found.append(finding("unknown-variable", name, case=case, **facts))
        elif close is not None:
            found.append(finding("misspelt-variable", name, name=name, write=close))
        elif len(scope.like_nothing) < KEEP:
            scope.like_nothing.add(name)
    return found


def _near(name: str, scope: Scope) -> str:
    """Return the known variable with the dialect's prefix that is nearest; "" if none is near."""
    if len(name) > _LONGEST_NAME:
        return ""
    size = len(scope.prefix)
    known = [item[size:] for item in _known_names(scope) if item.startswith(scope.prefix)]
    return "".join(scope.prefix + item for item in nearest(name[size:].upper(), known, 1))


def _nearest(names: list[str], scope: Scope) -> dict[str, str | None]:
    """Return each name with the known name that differs in one word only, or None.

    Such a pair shares its first or last word. Only known names that share one of these words are
    compared, since splitting all of them costs the entrypoint half a millisecond.
    """
    asked = [name for name in names if "_" in name and name == name.upper()]
    asked = [name for name in asked if len(name) <= _LONGEST_NAME]
    ends = {end for name in asked for end in _ends(name)}
    by_end: dict[str, list[str]] = {}
    for known in _known_names(scope):
        for end in _ends(known):
            if end in ends:
                by_end.setdefault(end, []).append(known)
    found: dict[str, str | None] = dict.fromkeys(names)
    for name in asked:
        near = [known for end in _ends(name) for known in by_end.get(end, ())]
        if name not in near:
            found[name] = min((known for known in near if _is_slip(name, known)), default=None)
    return found


def _ends(name: str) -> tuple[str, str]:
    """Return the first and the last word of a name, each with the underscore beside it."""
    return name.partition("_")[0] + "_", "_" + name.rpartition("_")[2]


def _known_names(scope: Scope) -> list[str]:
    """Return every variable that this version and dialect read."""
    flags = "\n".join(["", *scope.catalog.flag_names()]).replace("-", "_").upper()
    names = flags.replace("\n__", "\n" + scope.prefix).split("\n")[1:]
    names += [*scope.catalog.variable_names(), *scope.dialect.names]
    reserved = set(scope.dialect.with_role("reserved"))  # nobody reads those either
    return [name for name in names if name not in reserved]


def _is_slip(name: str, known: str) -> bool:
    """Return whether two names differ in one word, by a one-letter typo, or by two letters in a
    long word (NODE_NAME is not a typo of MODEL_NAME); or only in how far their words are written
    out (MAX_MODEL_LENGTH, GPU_MEM_UTIL).
    """
    mine, theirs = name.split("_"), known.split("_")
    if len(mine) != len(theirs):
        return False
    differing = [(one, other) for one, other in zip(mine, theirs, strict=True) if one != other]
    if all(
        min(len(one), len(other)) > 2 and (one.startswith(other) or other.startswith(one))
        for one, other in differing
    ):
        return True
    one, other = differing[0]
    return (
        len(differing) == 1
        and len(other) > 3
        and abs(len(one) - len(other)) <= 2
        and distance(one, other) <= (2 if len(other) > 6 else 1)
    )
