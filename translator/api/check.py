"""Findings only: of an environment, a command line, or a container, for one version."""

from __future__ import annotations

from translator.api.redaction import guarded, secret_values
from translator.api.translate import assemble_argv, translate_env
from translator.argv import writer as argv_writer
from translator.argv.program import strip_command
from translator.env import reader as environ
from translator.env import writer as envwriter
from translator.findings import Finding, TranslationError, finding
from translator.secrets.secrets import hidden_values
from translator.settings.assemble import assemble
from translator.settings.start_rules import at_start
from translator.tables.entries import CONFIG, MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.argv.parsed import Config
    from translator.dialects.scope import Scope


def check_env(
    env: Mapping[str, str], scope: Scope, extra: Sequence[str] = (), cluster: str | None = None
) -> list[Finding]:
    """What is worth knowing about an environment.

    Args:
        env: the variables.
        scope: the version and the dialect.
        extra: tokens that win over the variables.
        cluster: whose variables tell a place among several machines; where none of them is set, two
            machines are made up.
    """
    if cluster and scope.tables.records(f"cluster.{cluster}.json"):
        from translator.env.cluster import is_unplaced, stand_ins

        if is_unplaced(env, cluster, scope.tables):
            found = [finding("place-made-up", "cluster", cluster=cluster)]
            for place in stand_ins(cluster, scope.tables):
                found += _checked({**env, **place}, scope, extra, cluster)
            return list(dict.fromkeys(found))
    return _checked(env, scope, extra, cluster)


def _checked(
    env: Mapping[str, str], scope: Scope, extra: Sequence[str], cluster: str | None
) -> list[Finding]:
    try:
        return at_start(translate_env(env, scope, [], extra, "compact", False, cluster).findings)
    except TranslationError as error:
        return at_start(error.findings)


def check_argv(
    argv: Sequence[str], env: Mapping[str, str], scope: Scope, config: Config | None = None
) -> list[Finding]:
    """What is worth knowing about a command line, and about those of vLLM's own variables that
    stood with it.

    It is no less than what `args_to_env` has to tell of it, in the scope's dialect.
    """
    stripped = strip_command(list(scope.secrets.clean_tokens(argv)))
    findings = list(stripped.findings)
    hidden = hidden_values(env, scope.secrets) + scope.secrets.in_tokens(argv)
    if not findings:
        done = assemble_argv(stripped.tokens, scope, findings, config, module=stripped.module)
        findings += done.findings
        findings += argv_writer.secrets_on(done, scope.catalog, scope.secrets)
        hidden += secret_values(done, scope)
        for name, carrier in scope.secrets.carriers.items():
            if name in done.values and done.values[name] is not None:
                findings.append(_seen(name, carrier))
        refused = any(item.severity == "error" for item in findings)
        if not refused and MODEL not in done.values and CONFIG not in done.values:
            findings.append(argv_writer.missing_model(done, scope.catalog, "the model"))
        _, told = envwriter.write(done, scope)
        findings += [
            item for item in told if item.code != "secret-moved"
        ]  # nothing is moved here: `_seen` has said where it stands
    findings += check_own(env, scope)
    return at_start(guarded(findings, hidden))


def _seen(flag: str, carrier: str) -> Finding:
    message = (
        f"{flag} puts a secret on the command line, where every process on the machine can read it"
    )
    return finding(
        "secret-on-argv",
        flag,
        message,
        f"set {carrier} instead" if carrier else "give vLLM a file, or an environment variable",
    )


def check_own(env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """What is worth knowing about vLLM's own variables among some."""
    own = {
        name: text
        for name, text in env.items()
        if (role := scope.role(name)) is not None
        and role.kind in ("native", "native-absent", "unknown-vllm")
    }
    own |= {
        name: text
        for name, text in env.items()
        if name.startswith("VLLM_") and scope.role(name) is None
    }
    reading = environ.read(own, scope)
    return [*reading.findings, *assemble([], reading.missing, scope, quiet=True).findings]
