"""The two translations for callers: what they refuse is told with remedies that hold."""

from __future__ import annotations

from translator.core import convert, inputs, translate
from translator.core.findings import TranslationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ParamSpec, TypeVar

    from translator.core.findings import Finding
    from translator.core.settings.scope import Scope

    P = ParamSpec("P")
    T = TypeVar("T")


def _advising(function: Callable[P, T], given: str, *, is_line: bool) -> Callable[P, T]:
    """Return a translation whose exceptions have remedies; `given` names its first argument."""

    def call(*args: P.args, **options: P.kwargs) -> T:
        try:
            return function(*args, **options)
        except TranslationError as error:
            named = {**dict(zip((given, "vllm", "dialect"), args)), **options}
            raise _refused(error, named, named.get(given), is_line=is_line) from None

    for name in ("__doc__", "__name__", "__qualname__", "__annotations__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function  # type: ignore[attr-defined]  # functools would be one module more
    return call


def _refused(
    error: TranslationError, named: Mapping[str, Any], given: Any, *, is_line: bool
) -> TranslationError:
    """Return the exception of a translation with remedies; `named` are its arguments."""
    env = (named.get("env") or {}) if is_line else given
    tokens = given if is_line else named.get("extra", ())
    try:
        vllm, dialect = named.get("vllm"), named.get("dialect", "runpod")
        scope = translate.named_scope(vllm, dialect, dict(env), named.get("tables"))[0]
    except (TranslationError, TypeError, ValueError):  # that is what is wrong, or it is no input
        return error
    return refused(error, env, tokens, scope, is_line=is_line, cluster=named.get("cluster"))


env_to_args = _advising(translate.env_to_args, "env", is_line=False)
args_to_env = _advising(convert.args_to_env, "argv", is_line=True)


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
