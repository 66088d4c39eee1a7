"""What was written for one vLLM (or one dialect), as another one says it.

It is read as the first reads it, so that a mistake there is a mistake; what the second does not
have is carried over, with a finding for each change.
"""

from __future__ import annotations

from translator.api.redaction import guarded, secret_values
from translator.argv import writer as argv_writer
from translator.argv.parsed import model_token, no_files
from translator.argv.program import strip_command
from translator.argv.reader import all_mistakes, parse, settings_of
from translator.env import reader as environ
from translator.env import writer as envwriter
from translator.env.secret_flags import CARRIED, NONE, placed, told
from translator.findings import Finding, TranslationError, finding, has_errors, show
from translator.secrets.masking import MASK
from translator.secrets.secrets import hidden_values
from translator.settings import changes
from translator.settings.assemble import assemble
from translator.settings.setting import Setting
from translator.tables.entries import CONFIG, MODEL
from translator.tables.versions import VARIABLE
from translator.values.errors import BadValue, assignment, bad_value
from translator.values.tokens import text_of
from translator.values.variables import from_variable, variable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.argv.parsed import Config
    from translator.dialects.scope import Scope
    from translator.settings.setting import Assembled
    from translator.tables.entries import Flag


# What is said about the version that is being left.
_PAST = frozenset(("no-model", "deprecated-flag", "kept-in-extra-args", "secret-on-argv"))


class Converted:
    """What the second scope says.

    Attributes:
        argv: a command line for it, if a command line was given.
        env: the variables for it: the whole environment, if variables were given; else those that
            stood with the command.
    """

    __slots__ = ("argv", "done", "env", "findings")

    def __init__(
        self, done: Assembled, argv: list[str], env: dict[str, str], findings: list[Finding]
    ) -> None:
        self.done, self.argv, self.env, self.findings = done, argv, env, findings


def moved(done: Assembled, source: Scope, target: Scope, findings: list[Finding]) -> Assembled:
    """What is set in one version, set in another.

    Args:
        done: of the source.
        findings: those of values that the target does not take are added here, and those of every
            change.
    """
    here: list[Setting] = []
    missing: list[tuple[Setting, Flag | None]] = []
    for name, value in done.values.items():
        was = source.catalog.flag(name)
        assert was is not None
        origin = done.origins[name][0] if done.origins.get(name) else name
        now, negated = (
            target.catalog.spellings().get(name, (None, False))
            if target.catalog.flag(name) is None
            else (target.catalog.flag(name), False)
        )
        if now is None:
            missing.append((Setting(name, value, origin), was))
            continue
        fitted = _fitted(was, now, value, origin, target, findings)
        if fitted:
            found = fitted[0]
            here.append(
                Setting(
                    now.flag, not found if negated and isinstance(found, bool) else found, origin
                )
            )
    after = assemble(here, missing, target, quiet=True)
    for name, text in done.variables.items():
        after.variables.setdefault(name, text)
    return after


def _fitted(
    was: Flag, now: Flag, value: Any, origin: str, target: Scope, findings: list[Finding]
) -> list[Any]:
    """The value as the target's flag takes it, in a list; [] when it does not, which is a
    finding.
    """
    switches = ("switch", "toggle", "bool-value")
    if (
        value is None
        or (isinstance(value, bool) and now.kind in switches)
        or isinstance(value, dict)
    ):
        return [value]
    if was.kind == now.kind and was.choices == now.choices and was.element == now.element:
        return [value]
    if was.flag in target.secrets.carriers:
        return _fitted_secret(now, value, origin, target, findings)
    try:
        text = value if isinstance(value, str) else variable_text(was, value)
        found, _ = from_variable(now, text if text is not None else text_of(was, value))
        return [found]
    except BadValue as error:
        shown = target.shown(origin, str(value))
        renamed = (
            changes.renamed_value(now, str(value), target.tables)
            if error.code == "bad-choice"
            else None
        )
        if renamed is not None:
            findings.append(
                finding(
                    "carried-value",
                    origin,
                    flag=now.flag,
                    version=target.catalog.version,
                    old=shown,
                    new=renamed,
                    write=assignment(origin.partition("=")[0], renamed),
                )
            )
            return [renamed]
        findings.append(bad_value(origin.partition("=")[0], shown, now, error, target.catalog))
        return []


def _fitted_secret(
    now: Flag, value: Any, origin: str, target: Scope, findings: list[Finding]
) -> list[Any]:
    """`_fitted` of a secret flag, which took one text in the older versions and takes several in
    the newer ones; no secret is split at commas.
    """
    items = value if isinstance(value, list) else [value]
    if now.kind == "list":
        return [items]
    if len(items) == 1:
        return items
    error = BadValue("bad-list", "one")
    findings.append(bad_value(origin.partition("=")[0], MASK, now, error, target.catalog))
    return []


def convert_argv(
    tokens: Sequence[str],
    env: Mapping[str, str],
    source: Scope,
    target: Scope,
    config: Config | None = None,
    *,
    json_style: str = "compact",
) -> Converted:
    """A command line for the source's version as the target's says it.

    Args:
        tokens: the command line.
        env: the variables that stood with it.
        config: as of `grammar.parse`.

    Raises:
        TranslationError: the source's parser refuses it, or nothing in the target can say it.
    """
    after, hidden, findings = _converted_argv(tokens, source, target, config)
    kept = _own_variables(env, target, after, findings)
    _hide_secrets(after, kept, target, findings)
    groups, said, _ = argv_writer.write(after, target.catalog, json_style=json_style)
    findings += said
    if MODEL not in after.values and CONFIG not in after.values:
        findings.append(argv_writer.missing_model(after, target.catalog, "the model"))
    for name, text in after.variables.items():
        kept.setdefault(name, text)
    return _finished(
        after,
        [token for group in groups for token in group],
        kept,
        findings,
        [*hidden, *hidden_values(env, target.secrets)],
        target,
    )


def _hide_secrets(
    after: Assembled, env: dict[str, str], target: Scope, findings: list[Finding]
) -> None:
    """What is secret goes from the command line to the variable that vLLM reads the same from."""
    for name, carrier in target.secrets.carriers.items():
        where, text = placed(after.values.get(name)) if carrier else (NONE, "")
        findings += told(where, name, carrier)
        if where == CARRIED:
            del after.values[name]
            env[carrier] = text


def argv_to_env(
    tokens: Sequence[str],
    env: Mapping[str, str],
    source: Scope,
    target: Scope,
    config: Config | None = None,
) -> Converted:
    """A command line for the source's version as variables for the target.

    Raises:
        TranslationError: as of `convert_argv`.
    """
    after, hidden, findings = _converted_argv(tokens, source, target, config)
    kept = _own_variables(env, target, after, findings)
    written, told = envwriter.write(after, target)
    findings += told
    for name, text in kept.items():
        written.setdefault(name, text)
    return _finished(
        after, [], written, findings, [*hidden, *hidden_values(env, target.secrets)], target
    )


def _converted_argv(
    tokens: Sequence[str], source: Scope, target: Scope, config: Config | None
) -> tuple[Assembled, list[str], list[Finding]]:
    tokens = source.secrets.clean_tokens(tokens)
    stripped = strip_command(list(tokens))
    findings = list(stripped.findings)
    parsed = parse(stripped.tokens, source.catalog, config or no_files, module=stripped.module)
    findings += all_mistakes(
        parsed, stripped.tokens, source.catalog, config or no_files, module=stripped.module
    )
    settings = [] if parsed.model is None else [Setting(MODEL, parsed.model, model_token(parsed))]
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, f"{CONFIG} {parsed.config}"))
    for name, (value, used) in settings_of(parsed.occurrences).items():
        if name != CONFIG and not (name == MODEL and parsed.model is not None):
            settings.append(Setting(name, value, used[-1]))
    before = assemble(settings, [], source, quiet=True)
    findings += [item for item in before.findings if item.code not in _PAST]
    if has_errors(findings):
        raise TranslationError(
            guarded(findings, [*secret_values(before, source), *source.secrets.in_tokens(tokens)])
        )
    after = moved(before, source, target, findings)
    findings += after.findings
    return after, [*secret_values(before, source), *source.secrets.in_tokens(tokens)], findings


def convert_env(
    env: Mapping[str, str], source: Scope, target: Scope, cluster: str | None = None
) -> Converted:
    """Variables for the source's version and dialect as the target's say it.

    Args:
        env: the variables.
        source, target: the versions and the dialects.
        cluster: whose variables tell a place among several machines: it becomes settings of the
            target, for this machine.

    Raises:
        TranslationError: they are mistaken for the source, or nothing in the target can say them.
    """
    from translator.api.translate import translate_env

    before = translate_env(env, source, [], (), "compact", False, cluster)
    findings = [
        item
        for item in before.findings
        if item.code not in _PAST and item.code != "consumer-default"
    ]
    for name in [
        name for name, origins in before._done.origins.items() if origins == [source.adds]
    ]:
        del before._done.values[name]  # the source's container adds it, not its user
    after = moved(before._done, source, target, findings)
    findings += after.findings
    rest = {
        name: text
        for name, text in before.env.items()
        if name not in before._done.variables and not _theirs_only(name, source, target)
    }
    worker = {
        name: env[name]
        for name in env
        if name not in rest and (role := target.role(name)) is not None and role.kind == "worker"
    }
    kept = _own_variables(rest, target, after, findings)
    written, told = envwriter.write(after, target)
    findings += told
    for name, text in {**kept, **worker}.items():
        written.setdefault(name, text)
    return _finished(
        after,
        [],
        written,
        findings,
        [*hidden_values(env, source.secrets), *secret_values(after, target)],
        target,
    )


def _theirs_only(name: str, source: Scope, target: Scope) -> bool:
    """Whether only the source's consumer reads a variable."""
    role = source.role(name)
    if role is None:
        return bool(source.unknown) and name.startswith(source.prefix) and target.role(name) is None
    return role.kind in ("worker", "reserved") and target.role(name) is None


def _own_variables(
    env: Mapping[str, str], target: Scope, after: Assembled, findings: list[Finding]
) -> dict[str, str]:
    """vLLM's own variables as the target reads them; what only flags say there is added to
    `after`.
    """
    native = {
        name: text
        for name, text in env.items()
        if (role := target.role(name)) is not None
        and role.kind in ("native", "native-absent", "unknown-vllm")
    }
    reading = environ.read(native, target)
    findings += reading.findings
    more = assemble([], reading.missing, target, quiet=True)
    findings += more.findings
    for name, value in more.values.items():
        if name not in after.values:
            after.values[name] = value
            after.origins[name] = more.origins[name]
    found = {name: text for name, text in env.items() if name not in native}
    found.update(reading.env)
    found.update(more.variables)
    return found


def pinned(env: dict[str, str], version: str) -> list[Finding]:
    """Set the variable that says which vLLM the others are for, where it is among them: it would
    have the result read as what it was made from.

    Args:
        env: what was converted, which is changed.
        version: the one that it is written for now.

    Returns:
        What to tell.
    """
    before = env.get(VARIABLE)
    if before is None or before.strip() == version:
        return []
    env[VARIABLE] = version
    message = (
        f"{VARIABLE} was {show(before)!r}: what is written here is for vLLM {version}, and the"
        " variable says so now"
    )
    return [finding("repaired-variable", VARIABLE, message)]


def _finished(
    after: Assembled,
    argv: list[str],
    env: dict[str, str],
    findings: list[Finding],
    hidden: list[str],
    target: Scope,
) -> Converted:
    findings = guarded(
        [
            *findings,
            *(
                item
                for item in argv_writer.secrets_on(after, target.catalog, target.secrets)
                if item not in findings
            ),
        ],
        hidden,
    )
    if has_errors(findings):
        raise TranslationError(findings)
    return Converted(after, argv, env, findings)
