"""Check an environment or a command line for one version; return findings only."""

from __future__ import annotations

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


def check_env(env: Mapping[str, str], scope: Scope, options: Options = PLAIN) -> list[Finding]:
    """Return the findings about an environment before vLLM starts with it.

    Args:
        env: the variables.
        scope: the version and the dialect.
        options: tokens that override the variables, and the scheduler whose rank variables to read;
            if none of those is set, the environment is checked as that of two machines.
    """
    cluster = options.cluster
    if cluster and scope.tables.records(f"cluster.{cluster}.json"):
        from translator.env.cluster import is_unplaced, stand_ins

        if is_unplaced(env, cluster, scope.tables):
            found = [finding("place-made-up", "cluster", cluster=cluster)]
            for place in stand_ins(cluster, scope.tables):
                found += _checked({**env, **place}, scope, options)
            return list(dict.fromkeys(found))
    return _checked(env, scope, options)


def _checked(env: Mapping[str, str], scope: Scope, options: Options) -> list[Finding]:
    try:
        return at_start(translate_env(env, scope, options).findings)
    except TranslationError as error:
        return at_start(error.findings)


def check_argv(
    argv: Sequence[str], env: Mapping[str, str], scope: Scope, config: Config | None = None
) -> list[Finding]:
    """Return the findings about a command line and vLLM's own variables given with it.

    They cover everything that `args_to_env` reports.

    Args:
        argv: the tokens.
        env: the variables.
        scope: the version, and the dialect whose variable names messages use.
        config: returns the tokens of a file for --config.
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
    return at_start(guarded(findings, hidden_of(done, env, scope)))


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
