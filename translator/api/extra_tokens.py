"""Additional tokens that override the variables: VLLM_EXTRA_ARGS, and those of a caller."""

from __future__ import annotations

from translator.argv.options import unrecognised
from translator.argv.reader import read_line, settings_of_line
from translator.argv.rewriting import PART
from translator.env.vllm_variables import placed
from translator.findings import Finding, finding
from translator.settings.setting import Setting
from translator.tables.entries import MODEL
from translator.text.quoting import quoted_words, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from translator.argv.parser import Line
    from translator.naming.scope import Scope
    from translator.settings.setting import Reading


def with_extra_tokens(
    reading: Reading, extra: Sequence[str], env: Mapping[str, str], scope: Scope
) -> Reading:
    """Apply the tokens of the dialect's variable, and then those of a caller, to a reading.

    The variable is split by the rules of a POSIX shell; no shell expands it. Where the platform's
    program leaves it to an unquoted expansion, it is split at blanks only.
    """
    if reading.extra is not None:
        name, text = reading.extra
        try:
            whole = scope.consumer.plain and not quoted_words(text)
            reading = overlay(reading, name, text.split() if whole else words(text), scope)
        except ValueError:
            return reading.extended(findings=[finding("bad-extra-args", name)])
        if scope.consumer.compared:
            from translator.env.consumer import overrule

            settings, told = overrule(env, scope, reading.settings)
            reading = reading.extended(settings, findings=told)
        elif scope.consumer.breaks:
            from translator.env.consumer import unworkable

            reading = reading.extended(findings=unworkable(reading, name, env, scope))
    return overlay(reading, "", extra, scope) if extra else reading


def overlay(reading: Reading, origin: str, tokens: Sequence[str], scope: Scope) -> Reading:
    """Return a reading in which a token list replaces the settings that it overrides.

    Args:
        reading: the variables, and any earlier token lists.
        origin: the variable that holds the tokens; "" for a caller's.
        tokens: a part of a command line.
        scope: the version and the dialect.
    """
    line = read_line(list(tokens), scope, PART)
    stray = _stray_model(line, tokens, reading, told_by_variable=bool(origin))
    read, remarks = settings_of_line(line, lambda token: _label(origin, token))
    wrong = [*line.findings, *_about_stray(stray, line, scope)]
    findings = [*(item.with_facts(inside=origin) if origin else item for item in wrong), *remarks]
    settings, env = list(reading.settings), dict(reading.env)
    for item in read:
        flag = scope.catalog.flag(item.flag)
        if item.flag == MODEL or flag is None:
            settings += [] if item.flag == MODEL and stray else [item]
            continue
        beaten = [other for other in settings if other.flag == item.flag]
        carrier = scope.secrets.carriers.get(item.flag)
        if carrier:
            item = Setting(item.flag, item.value, origin or item.flag)
            text, told = placed(item.value, item.flag, carrier, origin)
            findings += told
            if text is not None:
                if env.get(carrier, text) != text:
                    findings.append(_overridden(item, [carrier]))
                env[carrier] = text
                settings = [other for other in settings if other.flag != item.flag]
                continue
        if flag.kind == "append":
            before: list[Any] = beaten[-1].value if beaten else []
            item = Setting(item.flag, [*before, *item.value], item.origin)
        else:
            others = dict.fromkeys(other.origin for other in beaten if not _says(item.value, other))
            findings += [_overridden(item, others)] if others else []
        settings = [*(other for other in settings if other.flag != item.flag), item]
    made = reading.extended(settings, line.missing, env, findings)
    made.tokens = [*made.tokens, *tokens]
    return made


def _about_stray(stray: str | None, line: Line, scope: Scope) -> list[Finding]:
    """Return the finding about a token that belongs to no flag, unless it is most likely the value
    of an unknown one.
    """
    if not stray or any(item.code == "unknown-flag" for item in line.findings):
        return []
    return [unrecognised(stray, scope.catalog)]


def _label(origin: str, token: str) -> str:
    """Return the origin of a setting: the variable that contains the token, and the token."""
    if not origin:
        return token
    return f"{origin} ({token})" if token.startswith("-") else origin


def _says(value: Any, item: Setting) -> bool:
    """Tell whether a flag's value includes a setting with the same value."""
    for key in item.path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return bool(value == item.value)


def _overridden(item: Setting, others: Iterable[str]) -> Finding:
    return finding(
        "disagreement",
        item.origin,
        origin=item.origin,
        others=tuple(others),
        what=item.flag,
    )


def _stray_model(
    line: Line, tokens: Sequence[str], reading: Reading, *, told_by_variable: bool
) -> str | None:
    """Return a token that argparse reads as the model but that belongs to no flag, if there is one.

    Examples: `--enforce-eager true`, `--no-such-flag='two words'`. A caller's first token may name
    another model. In a variable with additional tokens, the real parser has no use for a second
    model if the variables already name one.
    """
    model = line.model
    if model is None:
        return None
    named = any(text.partition("=")[0] == MODEL for text in tokens)
    if model.startswith("-") or (
        (told_by_variable or tokens[0] != model)
        and not named
        and any(item.flag == MODEL for item in reading.settings)
    ):
        return model
    return None
