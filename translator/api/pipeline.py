"""The pipeline of every translation: read → adapt to the version → merge → check → write.

A reader returns a `Reading`; `assemble` adapts it to the version, merges and checks it; a writer
writes the result. Translating, converting and checking consist of these steps.
"""

from __future__ import annotations

from translator.argv.writer import missing_model, secrets_on, write_argv
from translator.env.reader import misspelt, read_env
from translator.findings import TranslationError, has_errors
from translator.settings.assemble import assemble
from translator.settings.setting import Reading
from translator.tables.entries import CONFIG, MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from translator.argv.argparse_rules import Config, LineRules
    from translator.argv.reader import Stripped
    from translator.argv.writer import Group
    from translator.findings import Finding
    from translator.naming.scope import Scope
    from translator.settings.setting import Assembled


class Options:
    """How to translate an environment.

    Attributes:
        extra: tokens that override the variables.
        json_style: "compact", or "dotted" for dotted keys where the version supports them.
        worker_defaults: whether to add the dialect's documented defaults.
        cluster: the scheduler whose rank variables to read, or None.
    """

    __slots__ = ("cluster", "extra", "json_style", "worker_defaults")

    def __init__(
        self,
        extra: Sequence[str] = (),
        json_style: str = "compact",
        worker_defaults: bool = False,
        cluster: str | None = None,
    ) -> None:
        self.extra, self.json_style = extra, json_style
        self.worker_defaults, self.cluster = worker_defaults, cluster


PLAIN = Options()


def settle_env(env: Mapping[str, str], scope: Scope, options: Options = PLAIN) -> Assembled:
    """Return the settings that a container's variables make in a version."""
    reading = read_env(env, scope)
    if reading.extra is not None or options.extra:
        from translator.api.extra_tokens import with_extra_tokens

        reading = with_extra_tokens(reading, options.extra, env, scope)
    consumer = scope.consumer
    if consumer.relay:
        from translator.env.consumer import about_relay

        origins = {item.origin for item in reading.settings}
        reading = reading.extended(findings=list(about_relay(origins, env, scope)))
    if scope.dialect.arguments or consumer.calculates or consumer.overrules or consumer.appends:
        from translator.env.consumer import platform_arguments

        settings, findings = platform_arguments(scope, reading.settings, env)
        reading = reading.extended([*settings, *reading.settings], findings=findings)
    if options.cluster:
        reading = _with_place(reading, options.cluster, env, scope)
    done = assemble(reading, scope)
    if options.worker_defaults:
        from translator.api.defaults import with_defaults

        done = with_defaults(done, scope)
    if reading.unread:
        done.findings += misspelt(reading.unread, scope)
    if scope.dialect.model_directory:
        from translator.api.defaults import with_model_directory

        done = with_model_directory(done, scope)
    return done


def _with_place(reading: Reading, cluster: str, env: Mapping[str, str], scope: Scope) -> Reading:
    """Add the flags for this machine's rank among several machines."""
    from translator.env.cluster import cluster_settings, cluster_variables

    settings, findings = cluster_settings(env, cluster, scope, reading.settings)
    made = reading.extended(settings, findings=findings)
    own = cluster_variables(cluster, scope.tables)
    made.findings = [
        item for item in made.findings if item.code != "reserved-name" or item.subject not in own
    ]
    made.unread = [name for name in made.unread if name not in own]
    return made


def settle_argv(
    argv: Sequence[str], scope: Scope, config: Config | None = None, *, strict: bool = False
) -> Assembled:
    """Return the settings that a command line makes in a version.

    Args:
        argv: the tokens, with or without the program name.
        scope: the version and the dialect.
        config: returns the tokens of a file for --config; without it, --config stays as it is.
        strict: whether a flag of another version is a mistake.
    """
    from translator.argv.reader import read_argv

    stripped, rules = _line(argv, scope, config)
    if stripped.findings:
        reading = Reading(findings=stripped.findings)
    else:
        reading = read_argv(stripped.tokens, scope, rules, strict=strict)
    reading.tokens = list(argv)
    return assemble(reading, scope, quiet=True)


def own_mistakes(argv: Sequence[str], scope: Scope, config: Config | None) -> list[Finding]:
    """Return the mistakes of a command line by the version's own parser, although it was written
    for another version. The arguments are those of `settle_argv`.
    """
    from translator.argv.parser import parse, whole

    stripped, rules = _line(argv, scope, config)
    parsed = parse(stripped.tokens, scope.catalog, rules)
    return whole(parsed, stripped.tokens, scope.catalog, rules).findings


def _line(argv: Sequence[str], scope: Scope, config: Config | None) -> tuple[Stripped, LineRules]:
    """Return the arguments of a command line, and how to parse them."""
    from translator.argv.argparse_rules import LineRules, no_files
    from translator.argv.reader import strip_command

    stripped = strip_command(list(argv))
    return stripped, LineRules(config or no_files, module=stripped.module)


def own_variables(env: Mapping[str, str], scope: Scope) -> dict[str, str]:
    """Return those of the variables that vLLM or its plugins read, whatever the dialect."""
    kinds = ("native", "native-absent", "plugin", "unknown-vllm")
    roles = ((name, scope.role(name)) for name in env)
    return {name: env[name] for name, role in roles if role is not None and role.kind in kinds}


def write_line(
    done: Assembled, scope: Scope, model: str, json_style: str = "compact"
) -> tuple[list[Group], list[Finding]]:
    """Write settings as a command line; return it and the findings about it.

    Args:
        done: the settings.
        scope: the version and the dialect.
        model: how the input names the model, such as "--model"; "" for the dialect's variable.
        json_style: see `Options`.
    """
    groups, findings = write_argv(done, scope.catalog, json_style=json_style)
    if MODEL not in done.values and (
        CONFIG not in done.values or scope.catalog.grammar.model_required
    ):
        findings.append(missing_model(done, scope.catalog, model or model_variable(scope)))
    return groups, findings


def write_variables(done: Assembled, scope: Scope) -> tuple[dict[str, str], list[Finding]]:
    """Write settings as the variables of a dialect; return them and the findings about them."""
    from translator.env.writer import write_env

    written, findings = write_env(done, scope)
    return written, [*secrets_on(done, scope.catalog, done.values), *findings]


def model_variable(scope: Scope) -> str:
    """Return the variable that names the model in a dialect."""
    from translator.naming.scope import variable_for

    flag = scope.catalog.flag(MODEL)
    return (variable_for(flag, scope) if flag is not None else None) or MODEL


def refuse_errors(
    findings: Iterable[Finding], scope: Scope, env: Mapping[str, str], tokens: Sequence[str]
) -> tuple[Finding, ...]:
    """Return the findings as they leave, with every secret of the input masked.

    Raises:
        TranslationError: they include errors.
    """
    secrets = scope.secrets
    found = tuple(secrets.finished(findings, secrets.known(env, tokens)))
    if has_errors(found):
        raise TranslationError(found)
    return found
