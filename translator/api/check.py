"""Check an environment or a command line for one version; return findings only."""

from __future__ import annotations

from translator.api.old_defaults import old_defaults
from translator.api.pipeline import PLAIN, Options, settle_argv, write_variables
from translator.api.redaction import guarded, hidden_of
from translator.api.translate import translate_env
from translator.argv.writer import missing_model
from translator.env.reader import read_env
from translator.findings import Finding, TranslationError, finding, has_errors
from translator.settings.assemble import assemble
from translator.settings.setting import Reading
from translator.settings.start_rules import at_start
from translator.tables.entries import CONFIG, MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.argv.parsed import Config
    from translator.naming.scope import Scope
    from translator.settings.setting import Assembled


def check_env(
    env: Mapping[str, str],
    scope: Scope,
    options: Options = PLAIN,
    before: Scope | None = None,
) -> list[Finding]:
    """Return the findings about an environment before vLLM starts with it.

    Args:
        env: the variables.
        scope: the version and the dialect.
        options: tokens that override the variables, and the scheduler whose rank variables to read;
            if none of those is set, the environment is checked as that of two machines.
        before: the version that vLLM comes from, if it is moved from one to another.
    """
    cluster = options.cluster
    if cluster and scope.tables.records(f"cluster.{cluster}.json"):
        from translator.env.cluster import is_unplaced, stand_ins

        if is_unplaced(env, cluster, scope.tables):
            found = [finding("place-made-up", "cluster", cluster=cluster)]
            for place in stand_ins(cluster, scope.tables):
                found += _checked({**env, **place}, scope, options, before)
            return list(dict.fromkeys(found))
    return _checked(env, scope, options, before)


def _checked(
    env: Mapping[str, str], scope: Scope, options: Options, before: Scope | None
) -> list[Finding]:
    try:
        made = translate_env(env, scope, options)
        return at_start([*made.findings, *_moved(made.done, before, scope, in_variables=True)])
    except TranslationError as error:
        return at_start(error.findings)


def check_argv(
    argv: Sequence[str],
    env: Mapping[str, str],
    scope: Scope,
    config: Config | None = None,
    before: Scope | None = None,
) -> list[Finding]:
    """Return the findings about a command line and vLLM's own variables given with it.

    They cover everything that `args_to_env` reports.

    Args:
        argv: the tokens.
        env: the variables.
        scope: the version, and the dialect whose variable names messages use.
        config: returns the tokens of a file for --config.
        before: the version that vLLM comes from, if it is moved from one to another.
    """
    done = settle_argv(argv, scope, config)
    findings = list(done.findings)
    if not any(item.code == "not-vllm-serve" for item in findings):
        for name, carrier in scope.secrets.carriers.items():
            if done.values.get(name) is not None:
                findings.append(
                    finding("secret-on-argv", name, case="seen", flag=name, variable=carrier)
                )
        if not has_errors(findings) and MODEL not in done.values and CONFIG not in done.values:
            findings.append(missing_model(done, scope.catalog, MODEL))
        # A check moves nothing: the finding above already names the variable to use.
        _, told = write_variables(done, scope)
        findings += [item for item in told if item.code != "secret-moved"]
    findings += check_own(env, scope)
    if not has_errors(findings):
        done.env = {**done.env, **env}
        findings += _moved(done, before, scope, in_variables=False)
    return at_start(guarded(findings, hidden_of(done, env, scope)))


def _moved(
    done: Assembled, before: Scope | None, scope: Scope, *, in_variables: bool
) -> list[Finding]:
    """Return the findings about defaults that differ from those of the version before."""
    if before is None or before is scope:
        return []
    return old_defaults(done, before, scope, in_variables=in_variables).findings


def check_own(env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the findings about those of the variables that are vLLM's own."""
    own = {}
    for name, text in env.items():
        role = scope.role(name)
        if (
            name.startswith("VLLM_")
            if role is None
            else role.kind in ("native", "native-absent", "plugin", "unknown-vllm")
        ):
            own[name] = text
    reading = read_env(own, scope)
    return assemble(Reading(missing=reading.missing, findings=reading.findings), scope).findings
