"""Translate a command line to variables, and convert input for one vLLM version (or dialect) into
the equivalent for another.

The input is read by the rules of the source version, so a mistake there is an error. What the
target lacks is replaced where possible, with a finding for each change.
"""

from __future__ import annotations

from _collections_abc import Mapping, Sequence

from translator.core.argv.reader import settle_argv
from translator.core.argv.rewriting import Config
from translator.core.argv.writer import missing_model, moved_secret, secrets_on
from translator.core.env.reader import read_env, unused_secret
from translator.core.env.vllm_variables import OWN
from translator.core.env.writer import write_env
from translator.core.findings import Finding, finding, prevents
from translator.core.settings import Reading, Setting
from translator.core.settings.assemble import assemble
from translator.core.settings.changes import absent, fitted, now_needed, renamed_choice
from translator.core.tables.catalog import CHANGES, CONFIG, MODEL
from translator.core.text.words import DEFAULT, VARIABLE, Origin
from translator.core.translate import (
    Comparable,
    Translation,
    refuse_errors,
    translate_env,
    write_line,
)
from translator.core.values import BadValue
from translator.core.values.mistakes import bad_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.core.settings import Resolved
    from translator.core.settings.scope import Scope


class Variables(Comparable):
    """A container's variables. Equal to others with the same attributes; can be pickled.

    Attributes:
        env: the variables, in the dialect, as dict of str to str.
        findings: remarks and warnings, as tuple of `Finding`; no errors.
        origins: every flag that was set → the tokens that set it.
        version: the vLLM version whose rules were used to read the command line.
    """

    __slots__ = _compared = ("env", "findings", "origins", "version")

    def __init__(
        self,
        env: dict[str, str],
        findings: tuple[Finding, ...],
        origins: dict[str, list[str]],
        version: str,
    ) -> None:
        self.env, self.findings, self.origins, self.version = env, findings, origins, version

    def __repr__(self) -> str:
        """Show harmless names and counts only: values may be secret."""
        names = sorted(self.env)
        return f"Variables(vllm={self.version!r}, {names}, {len(self.findings)} findings)"


def line_to_env(
    argv: Sequence[str],
    scope: Scope,
    about: Sequence[Finding] = (),
    *,
    config: Config | None = None,
    env: Mapping[str, str] | None = None,
) -> Variables:
    """Translate a command line into variables in a given scope; findings `about` the version come
    first.
    """
    resolved = settle_argv(argv, scope, config)
    _name_default(resolved, scope)
    more: list[Finding] = []
    if env and scope.own_variables(env):  # vLLM's own may be gone, or flags, in this version
        more, resolved.findings = resolved.findings, []
        resolved = _carried(resolved, env, Move(scope, scope), in_variables=True)
        env = resolved.env
    written, remarks = _write_variables(resolved, scope)
    findings: tuple[Finding, ...] = (*about, *more, *resolved.findings, *remarks)
    if env:
        for name, text in env.items():
            findings += tuple(unused_secret(name, scope))
            written.setdefault(name, text)
    if findings:
        findings = refuse_errors(findings, scope, env or {}, resolved.tokens)
    return Variables(written, findings, resolved.shown_origins(), scope.catalog.version)


def _write_variables(resolved: Resolved, scope: Scope) -> tuple[dict[str, str], list[Finding]]:
    """Write settings as the variables of a dialect; return them and the findings about them."""
    written, findings = write_env(resolved, scope)
    return written, [*secrets_on(resolved, scope.catalog, resolved.values), *findings]


class Move:
    """From one version or dialect to another, with the source's defaults if they are to `pin`; if
    it is `strict`, a flag of another version than the source is a mistake.
    """

    __slots__ = ("pin", "source", "strict", "target")

    def __init__(
        self, source: Scope, target: Scope, pin: bool = False, strict: bool = True
    ) -> None:
        self.source, self.target, self.pin, self.strict = source, target, pin, strict


def convert_argv(
    tokens: Sequence[str], env: Mapping[str, str], move: Move, config: Config | None = None
) -> Translation:
    """Convert a command line for one version, and the variables given with it, for another;
    `config` returns the tokens of a file for --config.

    Raises:
        TranslationError: the source's parser refuses it, or the target cannot express it.
    """
    env, ignored = _meant(env, move)
    before = _settled(tokens, move, config)
    before.findings = [*ignored, *before.findings]
    after = _carried(before, env, move)
    for name, variable in move.target.secrets.variables.items():
        text, more = (
            moved_secret(after.values.get(name), name, variable) if variable else (None, [])
        )
        after.findings += more
        if text is not None:
            del after.values[name]
            after.env[variable] = text
    groups, remarks = write_line(after, move.target, MODEL)
    findings = (*after.findings, *remarks)
    findings = refuse_errors(findings, move.source, {**env, **after.env}, before.tokens)
    return Translation(groups, after, findings, move.target.catalog.version)


def argv_to_env(
    tokens: Sequence[str], env: Mapping[str, str], move: Move, config: Config | None = None
) -> Variables:
    """Convert a command line for one version into variables for another, like `convert_argv`."""
    env, ignored = _meant(env, move)
    before = _settled(tokens, move, config)
    before.findings = [*ignored, *before.findings]
    after = _carried(before, env, move, in_variables=True)
    return _variables(before, after, env, move)


def convert_env(env: Mapping[str, str], move: Move, cluster: str | None = None) -> Variables:
    """Convert variables for one version and dialect into the whole environment of another; those of
    a `cluster` become flags for this machine.

    Raises:
        TranslationError: the source refuses them, or the target cannot express them.
    """
    source, target = move.source, move.target
    env, ignored = _meant(env, move)
    translation = translate_env(env, source, cluster=cluster)
    before = translation._done
    before.findings = [*ignored, *translation.findings]
    for name in [name for name, origins in before.origins.items() if origins == [source.adds]]:
        del before.values[name]  # added by the source's container, not by its user
    rest = {
        name: text
        for name, text in before.env.items()
        if name not in before.variables and not _theirs_only(name, source, target)
    }
    after = _carried(before, rest, move, in_variables=True)
    for name in env:  # what only the target's program reads
        role = target.role(name) if name not in rest else None
        if role is not None and role.kind == "worker":
            after.env.setdefault(name, env[name])
    # In the same version and dialect, nothing is new to the platform's program.
    return _variables(before, after, env, move, is_same=source.equals(target))


def _variables(
    before: Resolved,
    after: Resolved,
    env: Mapping[str, str],
    move: Move,
    *,
    is_same: bool = False,
) -> Variables:
    """Write the settings of the target as variables, with the environment around them; where it
    `is_same` as the source, what the platform's program makes of them is no news.
    """
    written, remarks = _write_variables(after, move.target)
    remarks = [item for item in remarks if not (is_same and item.has_trait("program"))]
    findings = (*after.findings, *remarks)
    findings = refuse_errors(findings, move.source, {**env, **after.env}, before.tokens)
    for name, text in after.env.items():
        written.setdefault(name, text)
    return Variables(written, findings, after.shown_origins(), move.target.catalog.version)


def _settled(tokens: Sequence[str], move: Move, config: Config | None) -> Resolved:
    """Return the settings of a command line in its own version, which may refuse it."""
    before = settle_argv(tokens, move.source, config, strict=move.strict)
    refuse_errors(before.findings, move.source, {}, before.tokens)
    _name_default(before, move.source)
    return before


def _name_default(resolved: Resolved, scope: Scope) -> None:
    """Set the model of a line of the older module, which serves a default one, to that if
    `vllm serve` of the version requires a model.
    """
    flag = scope.catalog.flag(MODEL)
    if (
        flag is None
        or MODEL in resolved.values
        or CONFIG in resolved.values
        or prevents(resolved.findings)
    ):
        return
    if missing_model(resolved, scope.catalog, MODEL).stops:
        resolved.values[MODEL], resolved.origins[MODEL] = flag.default, [Origin(DEFAULT, MODEL)]
        facts = {"version": scope.catalog.version, "variable": ""}
        resolved.findings.append(finding("no-model", MODEL, **facts))


def _meant(env: Mapping[str, str], move: Move) -> tuple[Mapping[str, str], list[Finding]]:
    """Return the variables without those of other vLLMs, which the source ignores, if that is
    known, and the findings about these: nothing may bring them to life.
    """
    source, changes = move.source, move.source.tables.records(CHANGES)
    ignored = {
        name: absent(Setting(name, text, Origin(VARIABLE, name)), source)
        for name, text in (env if move.strict else {}).items()
        if (role := source.role(name)) is not None and role.kind == "native-absent"
        if text.strip() and (name.startswith(OWN) or name in changes)
    }
    left = {name: text for name, text in env.items() if name not in ignored}
    return left, list(ignored.values())


def _carried(
    before: Resolved, env: Mapping[str, str], move: Move, *, in_variables: bool = False
) -> Resolved:
    """Return the source's settings in the target, with the variables given with them: vLLM's own
    are read by the target's rules, and become settings if they are only flags there.
    """
    source, target = move.source, move.target
    own = target.own_variables(env)
    variables = read_env(own, target)
    reading = _moved(before, move)
    reading.missing[:0] = variables.missing
    reading.env = {name: text for name, text in env.items() if name not in own} | variables.env
    reading.findings[:0] = [item for item in before.findings if not item.has_trait("past")]
    reading.findings += variables.findings
    after = assemble(reading, target, quiet=True)
    for name, text in before.variables.items():
        after.variables.setdefault(name, text)
        after.env.setdefault(name, text)
    from translator.core.settings.defaults import old_defaults

    after.findings += old_defaults(after, source, target, in_variables=in_variables, pin=move.pin)
    return after


def _moved(resolved: Resolved, move: Move) -> Reading:
    """Return the settings of one version as a reading for another."""
    catalog, reading = move.target.catalog, Reading()
    for name, value in resolved.values.items():
        was = move.source.catalog.flag(name)
        assert was is not None
        origin = resolved.origins[name][0]
        now, negated = catalog.flag(name), False
        if now is None:
            now, negated = catalog.spelled(name) or (None, False)
        if now is None:
            reading.missing.append(Setting(name, value, origin, was=was))
            continue
        try:
            moved = fitted(now, value, was)
        except BadValue as error:
            renamed = renamed_choice(origin, str(value), now, error, move.target)
            if renamed is None:
                reading.findings.append(bad_value(error, origin.name, now, catalog, str(value)))
                continue
            moved, item = renamed
            reading.findings.append(item)
        if isinstance(moved, dict):
            needed = now_needed(now.flag, moved, move.target, move.source.catalog.version)
            moved = {**moved, **needed}
            for key, number in needed.items():
                write, other = f"{now.flag}.{key}={number}", move.source.catalog.version
                facts = {"other": other, "flag": now.flag, "write": write}
                item = finding("default-changed", str(origin), case="kept", **facts)
                reading.findings.append(item)
        if negated and isinstance(moved, bool):
            moved = not moved
        reading.settings.append(Setting(now.flag, moved, origin))
    return reading


def _theirs_only(name: str, source: Scope, target: Scope) -> bool:
    """Tell whether only the source's platform reads a variable."""
    role, is_prefixed = source.role(name), name.startswith(source.prefix)
    is_open = source.consumer.by_value and is_prefixed  # for any name
    is_read = is_open if role is None else role.kind in ("worker", "reserved")
    return is_read and target.role(name) is None
