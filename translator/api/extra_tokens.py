"""Additional tokens that override the variables: VLLM_EXTRA_ARGS, and those of a caller."""

from __future__ import annotations

from translator.argv.options import unrecognised
from translator.argv.reader import read_line, settings_of_line
from translator.argv.rewriting import PART
from translator.env.vllm_variables import placed
from translator.findings import finding
from translator.settings.setting import Setting
from translator.tables.catalog import MODEL
from translator.text.quoting import quoted_words, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from translator.argv.parser import Line
    from translator.settings.scope import Scope
    from translator.settings.setting import Reading


def add_extra_tokens(
    reading: Reading, extra: Sequence[str], env: Mapping[str, str], scope: Scope
) -> None:
    """Apply the tokens of the dialect's variable, and then those of a caller, to a reading.

    The variable is split by the rules of a POSIX shell; no shell expands it. Where the platform's
    program leaves it to an unquoted expansion, it is split at blanks only.
    """
    if reading.extra is not None:
        name, text = reading.extra
        whole = scope.consumer.plain and not quoted_words(text)
        try:
            tokens = text.split() if whole else words(text)
        except ValueError:
            reading.findings.append(finding("bad-extra-args", name))
            return
        _override(reading, name, tokens, scope)
        if scope.consumer.compared:
            from translator.env.consumer import overrule

            reading.settings, told = overrule(env, scope, reading.settings)
            reading.findings += told
        elif scope.consumer.breaks:
            from translator.env.consumer import unworkable

            reading.findings += unworkable(reading, name, env, scope)
    if extra:
        _override(reading, "", extra, scope)


def _override(reading: Reading, origin: str, tokens: Sequence[str], scope: Scope) -> None:
    """Replace the settings that a part of a command line overrides.

    Args:
        reading: the variables, and any earlier token lists.
        origin: the variable that holds the tokens; "" for a caller's.
        tokens: the part of a command line.
        scope: the version and the dialect.
    """
    line = read_line(list(tokens), scope, PART)
    stray = _is_stray(line, tokens, reading, bool(origin))
    wrong = list(line.findings)
    # A token behind an unknown flag is most likely its value.
    if line.model is not None and stray and not any(item.code == "unknown-flag" for item in wrong):
        wrong.append(unrecognised(line.model, scope.catalog))
    read, remarks = settings_of_line(line, lambda token: _label(origin, token))
    reading.tokens += tokens
    reading.missing += line.missing
    reading.findings += [item.with_facts(inside=origin) if origin else item for item in wrong]
    reading.findings += remarks
    for item in read:
        flag = scope.catalog.flag(item.flag)
        if item.flag == MODEL or flag is None:
            reading.settings += [] if item.flag == MODEL and stray else [item]
            continue
        if scope.secrets.carriers.get(item.flag):
            item = Setting(item.flag, item.value, origin or item.flag)
            if _is_moved(item, origin, reading, scope):
                continue
        beaten = [other for other in reading.settings if other.flag == item.flag]
        if flag.kind == "append":
            before: list[Any] = beaten[-1].value if beaten else []
            item = Setting(item.flag, [*before, *item.value], item.origin)
        else:
            others = [other.origin for other in beaten if not _says(item.value, other)]
            _disagree(item, others, reading)
        _replace(item.flag, [item], reading)


def _is_moved(item: Setting, origin: str, reading: Reading, scope: Scope) -> bool:
    """Move a secret to the variable in which vLLM reads it. Return whether it is moved."""
    carrier = scope.secrets.carriers[item.flag]
    text, told = placed(item.value, item.flag, carrier, origin)
    reading.findings += told
    if text is None:
        return False
    if reading.env.get(carrier, text) != text:
        _disagree(item, [carrier], reading)
    reading.env[carrier] = text
    _replace(item.flag, [], reading)
    return True


def _replace(flag: str, settings: list[Setting], reading: Reading) -> None:
    others = [other for other in reading.settings if other.flag != flag]
    reading.settings = others + settings


def _disagree(item: Setting, others: Sequence[str], reading: Reading) -> None:
    if others:
        names, origin = tuple(dict.fromkeys(others)), item.origin
        told = finding("disagreement", origin, origin=origin, others=names, what=item.flag)
        reading.findings.append(told)


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


def _is_stray(line: Line, tokens: Sequence[str], reading: Reading, in_variable: bool) -> bool:
    """Tell whether the token that argparse reads as the model belongs to no flag.

    Examples: `--enforce-eager true`, `--no-such-flag='two words'`. A caller's first token may name
    another model. In a variable with additional tokens, the real parser has no use for a second
    model if the variables already name one.
    """
    model = line.model
    if not model:
        return False
    if model.startswith("-"):
        return True
    named = any(text.partition("=")[0] == MODEL for text in tokens)
    beside = in_variable or tokens[0] != model
    return beside and not named and any(item.flag == MODEL for item in reading.settings)
