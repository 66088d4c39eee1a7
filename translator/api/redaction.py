"""The last check before output: no secret appears in a finding, a log or an error."""

from __future__ import annotations

from translator.findings import Finding, TranslationError, has_errors
from translator.secrets.masking import (
    MASK,
    TOO_SHORT,
    escaped,
    masked,
    masker,
    may_hold_a_secret,
)
from translator.secrets.secrets import hidden_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from translator.api.results import Translation
    from translator.naming.scope import Scope
    from translator.secrets.secrets import Secrets
    from translator.settings.setting import Assembled


def guarded(
    findings: Iterable[Finding], hidden: Iterable[str], env: Mapping[str, str], scope: Scope
) -> list[Finding]:
    """Return the findings without duplicates, with every secret masked, and without names of
    variables that may be one.
    """
    found = _named(list(dict.fromkeys(findings)), env, scope)
    return masked(found, [item for item in hidden if len(item) > TOO_SHORT])


def _named(findings: list[Finding], env: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return the findings with what stands for names of variables that nobody knows."""
    odd: dict[str, str] = {}
    for name in {text for item in findings for text in _texts(item) if text in env}:
        role = scope.role(name)
        if role is None or role.path or role.kind in _OF_ANY_NAME:
            shown = scope.secrets.showing.variable(name)
            if shown != name:
                odd[name] = shown
    if not odd:
        return findings
    found = []
    for item in findings:
        own = [text for text in _texts(item) if text in odd]

        def change(text: str, own: Iterable[str] = own) -> str:
            for name in own:
                text = text.replace(name, odd[name])
            return text

        found.append(item.map(change) if own else item)
    return found


_OF_ANY_NAME = ("plugin", "unknown-vllm")


def _texts(item: Finding) -> list[str]:
    """Return the subject of a finding and its facts."""
    parts = [item.subject]
    for fact in item.facts.values():
        parts += fact if isinstance(fact, tuple) else [str(fact)]
    return parts


def refuse_errors(
    findings: Iterable[Finding], hidden: Iterable[str], env: Mapping[str, str], scope: Scope
) -> tuple[Finding, ...]:
    """Return the findings, guarded.

    Raises:
        TranslationError: they include errors.
    """
    found = guarded(findings, hidden, env, scope)
    if has_errors(found):
        raise TranslationError(found)
    return tuple(found)


def hidden_of(done: Assembled, env: Mapping[str, str], scope: Scope) -> list[str]:
    """Return the secrets of a translation: in its variables, its tokens and its values."""
    return [
        *hidden_values(env, scope.secrets),
        *scope.secrets.in_tokens(done.tokens),
        *secret_values(done, scope),
    ]


def secret_values(done: Assembled, scope: Scope) -> list[str]:
    """Return the secrets among the values that are set."""
    found: list[str] = []
    for name, value in done.values.items():
        if name in scope.secrets.carriers:
            found += [
                item
                for item in (value if isinstance(value, list) else [value])
                if isinstance(item, str)
            ]
        elif may_hold_a_secret(value):
            found += scope.secrets.in_value(value)
    return found


def hidden_on(translation: Translation, scope: Scope, env: Mapping[str, str]) -> list[str]:
    """Return the secrets that a log of the command line must not show.

    They come from the environment and from the values on the command line.
    """
    hidden = hidden_values(env, scope.secrets)
    for item in secret_values(translation.done, scope):
        hidden += escaped(item)
    for token in translation.argv:
        if "://" in token:
            hidden += scope.secrets.in_urls(token)
    return [item for item in hidden if len(item) > TOO_SHORT]


def shown_argv(translation: Translation, secrets: Secrets, hidden: Sequence[str]) -> list[str]:
    """Return the command line with every secret masked.

    Args:
        translation: the command line in its groups.
        secrets: which flags and keys are secret.
        hidden: the secrets from `hidden_on`.
    """
    found: list[str] = []
    mask = masker(hidden)
    showing = secrets.showing
    for number, (group, _) in enumerate(translation.groups):
        name = group[0].partition("=")[0]
        flag, _, path = name.partition(".")
        if flag in secrets.carriers:
            found += [f"{flag}={MASK}"] if "=" in group[0] else [flag, *(MASK for _ in group[1:])]
        elif not number:
            found += [mask(showing.path(token)) for token in group]  # the model
        elif path:
            found += [mask(_shown_dotted(token, secrets)) for token in group]
        else:
            found += [mask(_shown_token(token, secrets)) for token in group]
    return found


def _shown_token(token: str, secrets: Secrets) -> str:
    name, sign, text = token.partition("=") if token.startswith("-") else ("", "", token)
    return name + sign + secrets.showing.logged(text)


def _shown_dotted(token: str, secrets: Secrets) -> str:
    name, sign, text = token.partition("=")
    if not sign:
        return token
    flag, _, path = name.partition(".")
    keys = path.split(".")
    if any(secrets.named(key.rstrip("+")) for key in keys):
        return f"{name}={MASK}"
    known = keys[-1].rstrip("+") in secrets.showing.keys
    shown = secrets.showing.logged(text) if known else secrets.showing.value(text)
    return f"{flag}.{secrets.showing.key(path)}={shown}"
