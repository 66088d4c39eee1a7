"""The two translations for callers: what they refuse is told with remedies that hold."""

from __future__ import annotations

# At run time, for `typing.get_type_hints`.
from _collections_abc import Mapping, Sequence

from translator.core import convert, inputs, translate
from translator.core.argv.rewriting import Config
from translator.core.convert import Variables
from translator.core.findings import Finding, TranslationError
from translator.core.tables.catalog import Tables
from translator.core.translate import Translation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.core.settings.scope import Scope


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
    try:
        return translate.env_to_args(
            env,
            vllm,
            dialect,
            extra=extra,
            json_style=json_style,
            worker_defaults=worker_defaults,
            cluster=cluster,
            tables=tables,
        )
    except TranslationError as error:
        scope = _scope(vllm, dialect, env, tables)
        raise refused(error, env, extra, scope, cluster=cluster) from None


def args_to_env(
    argv: Sequence[str],
    vllm: str | None = None,
    dialect: str = "runpod",
    *,
    config: Config | None = None,
    env: Mapping[str, str] | None = None,
    tables: Tables | None = None,
) -> Variables:
    try:
        return convert.args_to_env(argv, vllm, dialect, config=config, env=env, tables=tables)
    except TranslationError as error:
        scope = _scope(vllm, dialect, env or {}, tables)
        raise refused(error, env or {}, argv, scope, is_line=True) from None


env_to_args.__doc__ = translate.env_to_args.__doc__
args_to_env.__doc__ = convert.args_to_env.__doc__


def _scope(
    vllm: str | None, dialect: str, env: Mapping[str, str], tables: Tables | None
) -> Scope | None:
    """Return what the input was read for; None if that is what was wrong, or the input is none."""
    try:
        return translate.named_scope(vllm, dialect, dict(env), tables)[0]
    except (TranslationError, TypeError, ValueError):
        return None


def refused(
    error: TranslationError,
    env: Mapping[str, str],
    tokens: Sequence[str],
    scope: Scope | None,
    *,
    is_line: bool = False,
    cluster: str | None = None,
) -> TranslationError:
    """Return the exception for an input that is refused, with remedies; the arguments are those of
    `remedied`, but `scope` is None if the version or the dialect is what was wrong.
    """
    try:
        env, tokens = inputs.environment(env)[0], translate.listed(tokens)
    except TranslationError:  # they are none
        return error
    if scope is None:
        return error
    findings = remedied(error.findings, env, tokens, scope, is_line=is_line, cluster=cluster)
    return TranslationError(findings)


def remedied(
    findings: Sequence[Finding],
    env: Mapping[str, str],
    tokens: Sequence[str],
    scope: Scope,
    *,
    is_line: bool = False,
    cluster: str | None = None,
) -> list[Finding]:
    """Return the findings about an input of a translation with remedies.

    Args:
        env, tokens: the variables; the command line, or the tokens that override variables.
        scope: the version and the dialect.
        is_line: whether a command line is translated.
        cluster: the scheduler whose rank variables are read.
    """
    from translator.advice.check import check_argv, check_env
    from translator.advice.hints import differences
    from translator.advice.remedies import Input, advised

    def check(
        env: Mapping[str, str], tokens: Sequence[str], entries: Sequence[str]
    ) -> list[Finding]:
        if is_line:
            return check_argv(tokens, env, scope)
        found = check_env(env, scope, extra=tokens, cluster=cluster)
        return found + differences(env, scope)

    if is_line:
        from translator.advice.typed import as_typed

        findings = as_typed(findings, tokens, scope.catalog.version)
    # Of what only the target of a conversion refuses, nothing can be tried.
    known = {(item.code, item.message) for item in check(env, tokens, ())}
    here = [item for item in findings if (item.code, item.message) in known]
    advice = advised(here, Input(env, tokens, scope, check, is_line=is_line))
    shown = [advice.get(item, item) for item in findings]
    return scope.secrets.finished(shown, scope.secrets.known(env, tokens))
