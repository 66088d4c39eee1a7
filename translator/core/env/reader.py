"""Read a container's variables under a dialect, for one version, by the rules of the dialect and of
its platform's program.
"""

from __future__ import annotations

from translator.core.argv.writer import moved_secret
from translator.core.env import vllm_variables as native
from translator.core.findings import Finding, finding
from translator.core.settings import Reading, Setting
from translator.core.settings.scope import Role
from translator.core.tables.catalog import CHANGES, CONFIG, flag_of, variable_of
from translator.core.tables.dialects import NOTHING, UNLISTED
from translator.core.text.json_text import MAX_DEPTH, JsonError, dumps, repair
from translator.core.text.words import VARIABLE, Origin, expands
from translator.core.values import BadValue, assignment, from_token
from translator.core.values.variables import REPAIRS, from_variable, key_shape, key_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from translator.core.settings.scope import Scope
    from translator.core.tables.catalog import Flag

    # The higher rank wins; ties are broken by variable name, since an environment has no order.
    # One variable may set several flags.
    Ranked = tuple[int, str, str, Setting]


_NOT_KNOWN: Any = object()
_LONG, _MOST_KNOWN = 200, 32  # longer values are not cached, nor more of a variable
_LITERALS = {"True": True, "False": False}


def read_env(env: Mapping[str, str], scope: Scope) -> Reading:
    """Read every variable of an environment."""
    reader = _Reader(env, scope)
    reading, ranked, roles = reader.done, reader.ranked, scope.roles
    left, unread = reading.env, reading.unread
    for name, text in env.items():
        try:
            role = roles[name]
        except KeyError:
            role = scope.role(name)
        if role is None:
            unread.append(name)
            continue
        known = role.known.get(text, _NOT_KNOWN)
        if known is _NOT_KNOWN:
            reader.read(name, text, role)
        elif known is not None:
            del left[name]
            ranked.append(known)
    if reader.links:
        reading.findings += native.service_links(reader.links, scope)
    ranked.sort()
    reading.settings = [item[3] for item in ranked]
    if len(reading.missing) > 1:
        reading.missing.sort(key=lambda item: item.origin.text)  # an environment has no order
    return reading


class _Reader:
    """An environment that is read variable by variable.

    Attributes:
        done: the result so far, but for its settings.
        ranked: the settings, not yet sorted.
        links: the variables that Kubernetes set for a Service.
    """

    def __init__(self, env: Mapping[str, str], scope: Scope) -> None:
        self._scope = scope
        self.done = Reading(env=dict(env))
        self.ranked: list[Ranked] = []
        self.links: dict[str, str] = {}
        self._unknown = 0  # of the variables that look like vLLM's own

    def read(self, name: str, text: str, role: Role) -> None:
        """Read a variable, and cache the result if it has no findings.

        Deployment tools translate nearly the same environment repeatedly: 0.2 µs for a cached
        value, 7 µs for a new one.
        """
        reading, kind, settings = self.done, role.kind, len(self.ranked)
        before = len(reading.findings) + len(reading.missing)
        if name.startswith("VLLM_") and kind != "extra-args" and native.names_a_service(name, text):
            self.links[name] = text
            reading.env.pop(name)
            return
        if len(role.path) > MAX_DEPTH:
            shown = name.partition("__")[0] + "__…"
            reading.findings.append(finding("bad-json", name, given=shown, limit=MAX_DEPTH))
            return
        if kind in _TAKEN_OUT:
            reading.env.pop(name)
        if kind in _READ_EMPTY or text.strip() not in NOTHING:
            _READERS[kind](self, name, text, role)
        is_told = len(reading.findings) + len(reading.missing) > before
        if kind not in _KEPT or is_told or len(text) > _LONG:
            return
        known, value = None, reading.env.get(name)
        if len(self.ranked) > settings:
            known = self.ranked[-1]
            value = known[3].value
        elif value != text:
            return
        is_json, secrets = isinstance(value, dict), self._scope.secrets
        if secrets.inside(text) if is_json else isinstance(value, str) and secrets.named(name):
            return
        if len(role.known) >= _MOST_KNOWN:
            role.known.clear()
        role.known[text] = known

    # --- variables for flags

    def flag(self, name: str, text: str, role: Role) -> None:
        """Read a variable that sets a flag, or a key of a JSON flag."""
        scope, flag, listed = self._scope, role.flag, role.listed
        assert flag is not None
        consumer, findings = scope.consumer, self.done.findings
        if listed is not UNLISTED:
            if not self._fits(name, text, role):
                return
            text = listed.to_vllm(text)
        stripped = text.strip()
        unset = stripped in listed.unset
        nothing = unset or stripped in NOTHING
        by_value = consumer.by_value and not role.path
        if nothing and (unset or text or not by_value):
            return
        # A secret that a library reads is read whoever starts vLLM.
        if consumer.compared and name != scope.secrets.variables.get(flag.flag):
            from translator.core.env.consumer import differences

            findings += differences(name, text, role, scope)
        is_ours = role.inverted and bool(listed.flag)
        if by_value and not is_ours and self._by_value(name, text, role, flag):
            return
        if not stripped:
            return
        if role.path:
            self._key(name, text, role, flag)
        elif flag.flag in scope.secrets.variables:
            self._secret(name, text, role, flag)
        else:
            self._whole(name, text, role, flag)

    def _fits(self, name: str, text: str, role: Role) -> bool:
        """Return whether the platform resolves this value to one of vLLM's, as far as the dialect's
        table specifies; add a finding if the platform reads it differently.
        """
        listed, scope, word = role.listed, self._scope, text.strip()
        if word in NOTHING:
            return True
        if not listed.accepts(word):
            least = "" if listed.least is None else str(listed.least)
            facts: dict[str, Any] = {"note": listed.note, "only": tuple(listed.only)}
            facts |= {"given": scope.shown(name, text), "least": least}
            self.done.findings.append(scope.differs(name, **facts))
        return not listed.unread or not listed.leaves(word)

    def _by_value(self, name: str, text: str, role: Role, flag: Flag) -> bool:
        """Read a value as the dialect's program and then vLLM do. Return whether they do read it;
        otherwise our own rules parse it.
        """
        from translator.core.argv.parser import Misread, value_of
        from translator.core.platforms.programs import program_of

        scope, findings = self._scope, self.done.findings
        words = program_of(scope).words
        assert words is not None
        spelled = flag.flag if role.listed.flag else flag_of(name[len(scope.prefix) :])
        given, tokens = scope.shown(name, text), words(spelled, text)
        bare = "true" if words(spelled, "true") == [spelled] else ""
        if tokens is None:
            if text.strip().lower() == "false" and flag.off and flag.default is not False:
                instead = f"{scope.prefix}{variable_of(flag.off)}={bare}"
                findings.append(scope.differs(name, given=given, flag=flag.flag, instead=instead))
            return True
        if len(tokens) == 2 and tokens[1] != text and text.startswith(tokens[1]):
            findings.append(scope.differs(name, "line-break"))
        try:
            value = value_of(tokens, flag, scope.catalog)
            self._put(name, role, flag, value)
            if flag.kind == "list" and "," in text and value == [text]:
                findings.append(scope.differs(name, "one-element", given=given, flag=flag.flag))
        except Misread:
            if text and not _is_valid(text, flag):
                return False  # our own rules report it
            instead = "" if not text or flag.takes_value else f"{name}={bare}"
            needs, version = name if not text else "", scope.catalog.version
            facts = {"given": given, "version": version, "needs": needs, "instead": instead}
            findings.append(scope.differs(name, **facts))
            return not text
        return True

    def _put(self, name: str, role: Role, flag: Flag, value: Any) -> None:
        """Set a whole flag. A secret moves to the variable in which vLLM reads it, if it can."""
        variable = self._scope.secrets.variables.get(flag.flag)
        if variable is not None:
            text, findings = moved_secret(value, name, variable)
            self.done.findings += findings
            if text is not None:
                self.done.env.setdefault(variable, text)
                return
        self._set(name, role, value)

    def _set(self, name: str, role: Role, value: Any) -> None:
        """Set the flag of a variable, or the key."""
        assert role.flag is not None
        flag = role.flag.flag
        setting = Setting(flag, value, Origin(VARIABLE, name), role.path)
        self.ranked.append((role.rank, name, flag, setting))

    def _secret(self, name: str, text: str, role: Role, flag: Flag) -> None:
        """Read a secret flag's variable where no platform program changes its value."""
        scope = self._scope
        if name == scope.secrets.variables[flag.flag]:
            self.done.env[name] = text  # its reader there uses it unchanged
            return
        try:
            self._put(name, role, flag, _secret_value(flag, text))
        except BadValue as error:
            self._bad(error, name, scope.shown(name, text), flag)

    def _bad(self, error: BadValue, name: str, text: str, flag: Flag) -> None:
        from translator.core.values.mistakes import bad_value

        self.done.findings.append(bad_value(error, name, flag, self._scope.catalog, text))

    def _key(self, name: str, text: str, role: Role, flag: Flag) -> None:
        """Read the variable of one key of a JSON flag."""
        value = key_value(text, key_shape(self._scope.catalog, flag, role.path))
        word = value.strip() if isinstance(value, str) else ""
        if word in _LITERALS:  # repaired as inside a whole value; vLLM would read it as a string
            value = _LITERALS[word]
            write = f"{name}={'true' if value else 'false'}"
            facts = {"name": name, "form": REPAIRS["literal"], "write": write}
            self.done.findings.append(finding("repaired-json", name, **facts))
        self._set(name, role, value)

    def _whole(self, name: str, text: str, role: Role, flag: Flag) -> None:
        """Read the variable of a whole flag by our own rules."""
        try:
            value, repaired = from_variable(flag, text)
        except BadValue as error:
            from translator.core.settings.changes import renamed_choice

            scope = self._scope
            renamed = renamed_choice(Origin(VARIABLE, name), text, flag, error, scope)
            if renamed is None:
                self._bad(error, name, text, flag)
                return
            value, item = renamed
            self.done.findings.append(item)
        else:
            if repaired or value is False or isinstance(value, list):
                self._remark(name, text, role, flag, value, repaired)
        if role.inverted and isinstance(value, bool):
            value = not value
        self._set(name, role, value)

    def _remark(
        self, name: str, text: str, role: Role, flag: Flag, value: Any, repaired: str
    ) -> None:
        """Add the findings about a value that is valid, but for what it needed or may not mean."""
        scope, how, findings = self._scope, self._scope.consumer.how, self.done.findings
        if repaired in REPAIRS and not (repaired == "pairs" == how.get(flag.flag)):
            form, write = REPAIRS[repaired], f"{name}={dumps(value)}"
            findings.append(finding("repaired-json", name, name=name, form=form, write=write))
        if isinstance(value, list) and not all(item or item == 0 for item in value):
            items = ",".join(item for item in text.split(",") if item.strip())
            write = f"{name}={items}" if "," in text else ""
            facts = {"name": name, "flag": flag.flag, "version": scope.catalog.version}
            findings.append(finding("empty-element", name, **facts, write=write))
        if value is False and scope.consumer.any_text:
            spelled = role.listed.flag or flag_of(name[len(scope.prefix) :])
            if how.get(spelled) == "switch":
                shown = scope.shown(name, text)
                findings.append(scope.differs(name, "any-text", given=shown, flag=spelled))

    def choice(self, name: str, text: str, role: Role) -> None:
        """Read a variable whose values each set several flags."""
        scope, listed = self._scope, role.listed
        value = text.strip() if text.strip() in listed.sets else None
        choices = tuple(listed.sets)
        if value is None and listed.otherwise is None:
            facts = {"given": assignment(name, text), "reader": scope.reader}
            self.done.findings.append(finding("bad-choice", name, choices=choices, **facts))
            return
        if value is None:
            value = listed.otherwise or ""
            facts = {"given": scope.shown(name, text), "meant": value}
            self.done.findings.append(scope.differs(name, choices=choices, **facts))
        for flag_name, word in listed.sets[value].items():
            found = scope.of_flag(flag_name, role.rank) or Role("no-flag", name=flag_name)
            if found.flag is None:
                _READERS[found.kind](self, name, word, found)
            else:  # already vLLM's spelling: the program's rules apply to the variable's value
                self._set(name, found, from_variable(found.flag, word)[0])

    def absent(self, name: str, text: str, role: Role) -> None:
        """Read a variable for a flag, or for a key, that only other versions have."""
        scope, listed = self._scope, role.listed
        if text.strip() in listed.unset or not self._fits(name, text, role):
            return
        origin = Origin(VARIABLE, name)
        origin.given, text = text, listed.to_vllm(text)
        if scope.consumer.by_value:
            from translator.core.platforms.programs import program_of

            words = program_of(scope).words
            if words is not None and words("--x", text) is None:
                return  # the program drops it
        flag_name = role.name.partition(".")[0]
        if role.path:
            setting = Setting(flag_name, key_value(text, None), origin, role.path)
            self.done.missing.append(setting)
            return
        from translator.core.settings.changes import flag_elsewhere

        was = flag_elsewhere(flag_name, scope.tables)
        assert was is not None
        value: Any = text
        record = scope.tables.records(CHANGES).get(flag_name, {})
        counts = record.get("kind") != "gone" and scope.catalog.flag(was.flag) is None
        try:
            value, _ = from_variable(was, text)
        except BadValue as error:
            if counts and "choices" not in error.given:
                self._bad(error, name, text, was)
                return
        if role.inverted and isinstance(value, bool):
            value = not value
        is_switch = was.kind == "switch" and flag_name not in was.negations
        if value is False and is_switch and record.get("kind") != "same":
            return  # a plain switch that is off sets nothing, unless something replaces it
        self.done.missing.append(Setting(flag_name, value, origin, was=was))

    def no_flag(self, name: str, text: str, role: Role) -> None:
        """Tell of a variable that its dialect maps to a flag no vLLM has."""
        item = finding("unknown-flag", name, case="table", name=name, flag=role.name)
        self.done.findings.append(item)

    # --- what else a variable may mean

    def elsewhere(self, name: str, text: str, role: Role) -> None:
        """Tell of a variable that only the platform's program reads, or whose name means something
        else to the container.
        """
        if role.kind == "worker" and name.startswith(native.OWN):
            self.done.env.pop(name, None)  # newer versions warn about unknown variables
        if text.strip() not in NOTHING:
            code = "worker-only" if role.kind == "worker" else "reserved-name"
            item = finding(code, name, name=name, note=role.listed.note, reader=self._scope.reader)
            self.done.findings.append(item)

    def native(self, name: str, text: str, role: Role) -> None:
        """Check, and repair, a variable that this vLLM or a library in its process reads."""
        scope, reading, listed = self._scope, self.done, role.listed
        passed, item = native.check(name, role.variable, text, scope.catalog.version)
        if item is not None:
            reading.findings.append(item)
        if passed is None:
            reading.env.pop(name, None)
            return
        reading.env[name] = passed
        if role.variable is None or text.strip() in NOTHING:
            return
        if listed.meant and (not listed.meant_by or text.strip() in listed.meant_by):
            facts = {"note": listed.note, "meant": listed.meant, "variable": scope.extra_args}
            reading.findings.append(finding("not-the-server-address", name, name=name, **facts))
        if scope.consumer.ignored:
            reading.findings += unused_secret(name, scope)

    def native_absent(self, name: str, text: str, role: Role) -> None:
        """Read a variable that only other versions read: replace it, or explain it."""
        if name.startswith(native.OWN):
            # No effect in this version, and --fail-on-environ-validation rejects it.
            self.done.env.pop(name, None)
        elif name not in self._scope.tables.records(CHANGES):
            return  # LD_LIBRARY_PATH and the like have the same meaning without vLLM's table
        self.done.missing.append(Setting(name, text, Origin(VARIABLE, name)))

    def unknown(self, name: str, text: str, role: Role) -> None:
        """Tell of a variable that looks like vLLM's own. It stays in the environment: a plugin may
        read it.
        """
        self._unknown += 1
        suggest = self._unknown <= native.MOST_SUGGESTIONS
        self.done.findings.append(native.own_name(name, role, self._scope, suggest))

    def config_file(self, name: str, text: str, role: Role) -> None:
        """Read the variable of a file for --config."""
        catalog = self._scope.catalog
        setting = Setting(CONFIG, text, Origin(VARIABLE, name))
        if not text.endswith((".yaml", ".yml")):
            facts = {"given": f"{name}={text}", "version": catalog.version}
            self.done.findings.append(finding("config-file", name, case="suffix", **facts))
        elif catalog.knows(CONFIG):
            self.ranked.append((role.rank, name, CONFIG, setting))
        else:
            self.done.missing.append(setting)

    def extra_args(self, name: str, text: str, role: Role) -> None:
        """Keep further tokens for whoever splits them."""
        self.done.extra = (name, text)
        if self._scope.consumer.evaluated and expands(text):
            self.done.findings.append(self._scope.differs(name, "evaluated"))


# Kinds whose variables do not stay in the environment.
_TAKEN_OUT = frozenset(("flag", "absent", "choice", "config-file", "extra-args"))

# Kinds whose variables mean something even if they set nothing.
_READ_EMPTY = frozenset(("flag", "native", "environment", "worker", "unknown-vllm"))

# Kinds whose values are cached.
_KEPT = frozenset(("flag", "native", "environment"))

_READERS = {
    "flag": _Reader.flag,
    "absent": _Reader.absent,
    "choice": _Reader.choice,
    "worker": _Reader.elsewhere,
    "reserved": _Reader.elsewhere,
    "no-flag": _Reader.no_flag,
    "environment": _Reader.native,
    "native": _Reader.native,
    "native-absent": _Reader.native_absent,
    "plugin": _Reader.unknown,
    "unknown-vllm": _Reader.unknown,
    "config-file": _Reader.config_file,
    "extra-args": _Reader.extra_args,
}


def _is_valid(text: str, flag: Flag) -> bool:
    try:
        from_variable(flag, text)
    except BadValue:
        return False
    return True


def _secret_value(flag: Flag, text: str) -> Any:
    """Parse a variable's value: the elements of a JSON array, or else one unchanged secret, since a
    key may contain commas.

    Raises:
        BadValue: the value looks like an array but is not an array of strings, or the version
            accepts only one secret.
    """
    is_list = flag.kind == "list"
    # docker's --env-file keeps quotes that a shell would remove
    inner = text.strip().strip("'\"").strip()
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


def unused_secret(name: str, scope: Scope) -> list[Finding]:
    """Return the finding for a secret variable whose flag the platform's program ignores because it
    does not run vLLM's server: users may rely on that secret.
    """
    for flag, variable in scope.secrets.variables.items():
        if variable == name and flag in scope.consumer.ignored:
            return [scope.differs(name, "unused-secret", flag=flag)]
    return []
