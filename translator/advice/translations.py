"""What a translation refuses, told with remedies that hold."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.core.findings import Finding
    from translator.core.settings.scope import Scope


def remedied(
    findings: Sequence[Finding],
    env: Mapping[str, str],
    tokens: Sequence[str],
    scope: Scope | None,
    *,
    is_line: bool = False,
    cluster: str | None = None,
) -> list[Finding]:
    """Return the findings about an input of a translation with remedies.

    Args:
        env, tokens: the variables; the command line, or the tokens that override variables.
        scope: the version and the dialect; None if one of these is what is wrong.
        is_line: whether a command line is translated.
        cluster: the scheduler whose rank variables are read.
    """
    if scope is None:
        return list(findings)
    from translator.advice.check import check_argv, check_env
    from translator.advice.hints import differences
    from translator.advice.remedies import Input, advised
    from translator.advice.typed import as_typed, as_typed_in

    def check(
        env: Mapping[str, str], tokens: Sequence[str], entries: Sequence[str]
    ) -> list[Finding]:
        if is_line:
            return check_argv(tokens, env, scope)
        found = check_env(env, scope, extra=tokens, cluster=cluster)
        return found + differences(env, scope)

    checked = check(env, tokens, ())
    findings = as_typed_in(env, findings, scope)
    if is_line:
        findings = as_typed(findings, tokens, scope.catalog)
        # A conversion refuses a flag of another version as that parser does, which knows none.
        flags = {item.origin.at: item for item in checked if item.origin is not None}
        findings = [
            flags.get(item.origin.at, item).with_severity("error")
            if item.origin is not None and item.has_trait("unrecognized")
            else item
            for item in findings
        ]
    # Of what only the target of a conversion refuses, nothing can be tried.
    known = {(item.code, item.message) for item in checked}
    here = [item for item in findings if (item.code, item.message) in known]
    advice = advised(here, Input(env, tokens, scope, check, is_line=is_line))
    shown = [advice.get(item, item) for item in findings]
    return scope.secrets.finished(shown, scope.secrets.known(env, tokens))
