"""The two translations, pure: they read no environment, no file and no clock."""

from __future__ import annotations

from translator.api.extra_tokens import _add_tokens, _further, unread_config
from translator.api.redaction import guarded, secret_values
from translator.api.results import Translation, Variables
from translator.argv import writer as argv_writer
from translator.argv.parsed import model_token
from translator.dialects.scope import scope as scope_of
from translator.env import reader as environ
from translator.env.unread import misspelt
from translator.findings import Finding, TranslationError, finding, has_errors
from translator.secrets.secrets import hidden_values
from translator.settings.assemble import assemble
from translator.settings.setting import Assembled, Setting
from translator.tables.catalog import shipped
from translator.tables.entries import CONFIG, MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.argv.parsed import Config
    from translator.dialects.scope import Scope
    from translator.tables.catalog import Tables
    from translator.tables.entries import Flag


_TEXT = frozenset((str,))


def env_to_args(
    env: Mapping[str, str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    extra: Sequence[str] = (),
    json_style: str = "compact",
    worker_defaults: bool = False,
    cluster: str | None = None,
    tables: Tables | None = None,
) -> Translation:
    """A container's variables as the command line of `vllm serve`.

    Args:
        env: the variables.
        vllm: the version to write for; else TRANSLATE_VLLM_VERSION in `env`, else the newest known.
        dialect: which table gives the variables their meaning.
        extra: tokens that win over the variables.
        json_style: "compact", or "dotted" for `--flag.key=value` where the version knows it and the
            value survives.
        worker_defaults: add the defaults that the dialect's table documents.
        cluster: which table gives the variables their meaning by which a scheduler tells each of
            several machines its place.
        tables: other tables than the shipped ones.

    Raises:
        TranslationError: the input has mistakes; all of them are in its `findings`.
    """
    told: list[Finding] = []
    if type(env) is not dict or not _are_texts(env):
        from translator.api import inputs as texts

        env, told = texts.environment(env)
    if extra:
        extra = _tokens(extra)
    _named(vllm, dialect)
    scope, about_version = scope_of(vllm, dialect, env, tables or shipped())
    return translate_env(
        env, scope, [*about_version, *told], extra, json_style, worker_defaults, cluster
    )


def _named(vllm: str | None, dialect: str) -> None:
    """The version and the dialect that a caller names are texts.

    Raises:
        TranslationError: they are not.
    """
    if type(dialect) is not str or (vllm is not None and type(vllm) is not str):
        from translator.api import inputs as texts

        texts.choice("" if vllm is None else vllm, "bad-version", "vllm")
        texts.choice(dialect, "unknown-dialect", "dialect")


def _are_texts(env: Mapping[str, str]) -> bool:
    try:
        "".join(env)
        "".join(env.values())  # the quickest way to ask: 1 µs for 58 variables
    except TypeError:
        return False
    return True


def _tokens(argv: Sequence[str]) -> list[str]:
    """The tokens of a command line.

    Raises:
        TranslationError: they are no texts.
    """
    if type(argv) is not list or not _TEXT.issuperset(map(type, argv)):
        from translator.api import inputs as texts

        return texts.tokens(argv)
    return argv


def translate_env(
    env: Mapping[str, str],
    scope: Scope,
    findings: list[Finding],
    extra: Sequence[str],
    json_style: str,
    worker_defaults: bool,
    cluster: str | None = None,
) -> Translation:
    """`env_to_args`, with the scope at hand."""
    reading = environ.read(env, scope)
    findings += reading.findings
    settings = list(reading.settings)
    missing = list(reading.missing)
    further: list[str] = []
    for origin, tokens in (
        _further(reading.extra, extra, findings) if reading.extra or extra else ()
    ):
        further += tokens
        _add_tokens(origin, tokens, scope, settings, missing, reading.env, findings)
        if origin and scope.watched:
            from translator.env.divergence import overrule

            findings += overrule(origin, env, scope, settings)
    if "arguments" in scope.facts or scope.calculates:
        settings[:0] = environ.arguments(scope, {item.flag for item in settings}, findings)
    if cluster:
        from translator.env.cluster import cluster_settings, cluster_variables

        settings, about_cluster = cluster_settings(env, cluster, scope, settings)
        own = cluster_variables(cluster, scope.tables)
        findings = [
            item for item in findings if item.code != "reserved-name" or item.subject not in own
        ] + about_cluster
    done = assemble(settings, missing, scope)
    if worker_defaults:
        add_defaults(done, scope)
    findings += done.findings
    reading.env.update(done.variables)
    if reading.unread:
        findings += misspelt(reading.unread, scope)
    directory = scope.facts.get("model_directory")
    if directory and MODEL not in done.values and CONFIG not in done.values:
        done.values[MODEL], done.origins[MODEL] = directory, [scope.adds]
        findings.append(
            finding(
                "consumer-default",
                MODEL,
                f"no variable names a model: it is taken from {directory}, where the dialect"
                f" {scope.name} has it",
            )
        )
    groups, said, fresh = argv_writer.write(done, scope.catalog, json_style=json_style)
    findings += said
    if MODEL not in done.values and (
        CONFIG not in done.values or scope.catalog.grammar.get("model_required")
    ):
        findings.append(argv_writer.missing_model(done, scope.catalog, _model_variable(scope)))
    if fresh:
        findings += argv_writer.secrets_on(done, scope.catalog, scope.secrets, fresh)
    if findings:
        findings = guarded(
            findings,
            [
                *hidden_values(env, scope.secrets),
                *secret_values(done, scope),
                *scope.secrets.in_tokens(further),
            ],
        )
        if has_errors(findings):
            raise TranslationError(findings)
    return Translation(groups, reading.env, tuple(findings), done, scope.catalog)


def _model_variable(scope: Scope) -> str:
    from translator.env.slots import variable_for

    flag = scope.catalog.flag(MODEL)
    return (variable_for(flag, scope) if flag is not None else None) or "the model"


def add_defaults(done: Assembled, scope: Scope) -> None:
    """The defaults that the dialect's table documents, where nothing is set."""
    from translator.values.errors import BadValue
    from translator.values.variables import from_variable

    for name, fields in scope.dialect.items():
        default = fields.get("default")
        if default is None or fields.get("role") != "flag" or fields.get("key"):
            continue
        role = scope.role(name)
        if (
            role is None
            or role.kind != "flag"
            or role.flag is None
            or role.flag.flag in done.values
            or role.flag.flag == MODEL
        ):
            continue
        try:
            value, _ = from_variable(role.flag, default)
        except BadValue:
            continue  # a default of another time that this version does not take
        if fields.get("inverted") and isinstance(value, bool):
            value = not value
        if value is False and role.flag.kind == "switch":
            continue
        done.values[role.flag.flag] = value
        done.origins[role.flag.flag] = [f"{name} (the worker's default)"]
        done.findings.append(
            finding(
                "worker-default",
                name,
                f"{name}={default}: the default that the dialect's table documents",
                f"set {name} to say something else",
            )
        )


def args_to_env(
    argv: Sequence[str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    config: Config | None = None,
    env: Mapping[str, str] | None = None,
    tables: Tables | None = None,
) -> Variables:
    """A command line of `vllm serve` as a container's variables.

    Args:
        argv: the tokens, with or without the leading `vllm serve` or `python -m
            vllm.entrypoints.openai.api_server`.
        vllm: the version that it is read for; else the newest known.
        dialect: which table names the variables.
        config: gives the tokens of a file for --config (see `translator.configfile`); without it
            the file stays a file.
        env: the variables that stood in front of the command.
        tables: other tables than the shipped ones.

    Raises:
        TranslationError: the real parser of the version refuses it, or the dialect cannot say it.
    """
    from translator.argv.program import strip_command
    from translator.env import writer as envwriter

    tables = tables or shipped()
    argv = _tokens(argv)
    told: list[Finding] = []
    if env:
        from translator.api import inputs as texts

        env, told = texts.environment(env)
    _named(vllm, dialect)
    scope, about_version = scope_of(vllm, dialect, env or {}, tables)
    stripped = strip_command(argv)
    findings = [*about_version, *told, *stripped.findings]
    done = assemble_argv(stripped.tokens, scope, findings, config, module=stripped.module)
    findings += done.findings
    findings += argv_writer.secrets_on(done, scope.catalog, scope.secrets)
    written, told = envwriter.write(done, scope)
    findings += told
    if env:
        from translator.env.secret_flags import unused

        for name, text in env.items():
            findings += unused(name, scope)
            written.setdefault(name, text)
    if findings:
        hidden = scope.secrets.in_tokens(argv)
        if hidden and type(argv[0]) is str:
            # Once more, with tokens that show nothing secret where they come from: there is
            # something to tell.
            return args_to_env(
                scope.secrets.clean_tokens(argv),
                vllm,
                dialect,
                config=config,
                env=env,
                tables=tables,
            )
        findings = guarded(
            findings,
            [*secret_values(done, scope), *hidden_values(env or {}, scope.secrets), *hidden],
        )
        if has_errors(findings):
            raise TranslationError(findings)
    return Variables(written, tuple(findings), done.origins, scope.catalog.version)


def assemble_argv(
    tokens: list[str],
    scope: Scope,
    findings: list[Finding],
    config: Config | None,
    *,
    module: bool = False,
) -> Assembled:
    """A token list, read and assembled for the scope's version; findings of the reading are added
    to `findings`.
    """
    from translator.argv.parsed import no_files
    from translator.argv.reader import all_mistakes, parse, repeated, settings_of

    parsed = parse(tokens, scope.catalog, config or no_files, module=module)
    missing: list[tuple[Setting, Flag | None]] = []
    if parsed.findings:
        from translator.argv.other_versions import written_for

        found = written_for(parsed, tokens, scope, config=config or no_files, module=module)
        if found is not None:
            parsed, missing = found.parsed, found.missing
            findings += found.findings
        else:
            findings += all_mistakes(
                parsed, tokens, scope.catalog, config or no_files, module=module
            )
    settings: list[Setting] = []
    uses = settings_of(parsed.occurrences)
    findings += repeated(parsed.occurrences)
    model = parsed.model
    if model is not None:
        uses.pop(MODEL, None)
        settings.append(Setting(MODEL, model, model_token(parsed)))
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, f"{CONFIG} {parsed.config}"))
    for name, (value, used) in uses.items():
        if name == CONFIG:
            findings.append(unread_config(used[-1], scope.catalog.version))
            continue
        settings.append(Setting(name, value, used[-1]))
    return assemble(settings, missing, scope, quiet=True)
