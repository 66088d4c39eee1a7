"""Further tokens, laid over the settings of the variables."""

from __future__ import annotations

from translator.argv.parsed import model_token
from translator.findings import Finding, finding, show
from translator.settings.setting import Setting
from translator.tables.entries import CONFIG, MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from translator.argv.parsed import Parsed
    from translator.dialects.scope import Scope
    from translator.tables.entries import Flag


def _further(
    variable: tuple[str, str] | None, extra: Sequence[str], findings: list[Finding]
) -> list[tuple[str, list[str]]]:
    """The token lists that are added: the dialect's variable, split as a POSIX shell would (no
    shell sees it), then the caller's.
    """
    found: list[tuple[str, list[str]]] = []
    if variable is not None:
        import shlex

        try:
            found.append((variable[0], shlex.split(variable[1])))
        except ValueError as error:
            findings.append(
                finding(
                    "bad-extra-args",
                    variable[0],
                    f"{variable[0]} cannot be split into tokens: {str(error).lower()}",
                    "close the quote",
                )
            )
    if extra:
        found.append(("", list(extra)))
    return found


def _add_tokens(
    origin: str,
    tokens: list[str],
    scope: Scope,
    settings: list[Setting],
    missing: list[tuple[Setting, Flag | None]],
    env: dict[str, str],
    findings: list[Finding],
) -> None:
    """Lay the settings of a token list over those of the variables."""
    from translator.argv.argparse_rules import unrecognised
    from translator.argv.reader import parse, repeated, settings_of

    tokens = list(scope.secrets.clean_tokens(tokens))
    parsed = parse(tokens, scope.catalog, partial=True)
    parsed, told = _of_another_version(parsed, tokens, scope, missing)
    findings += _from(origin, told)
    findings += repeated(parsed.occurrences)
    if parsed.model is not None and _is_stray(
        parsed.model, tokens, settings, told_by_variable=bool(origin)
    ):
        if not any(item.code == "unknown-flag" for item in told):  # whose value it most likely is
            findings += _from(origin, [unrecognised([model_token(parsed)], scope.catalog)])
    elif parsed.model is not None:
        settings.append(Setting(MODEL, parsed.model, origin or model_token(parsed)))
    if parsed.config is not None:
        settings.append(Setting(CONFIG, parsed.config, origin or CONFIG))
    for name, (value, used) in settings_of(parsed.occurrences).items():
        flag = scope.catalog.flag(name)
        assert flag is not None
        if name == CONFIG:
            findings.append(unread_config(used[-1], scope.catalog.version))
        if (name == MODEL and parsed.model is not None) or name == CONFIG:
            continue
        label = f"{origin} ({used[-1]})" if origin else used[-1]
        carrier = scope.secrets.carriers.get(name)
        if carrier:
            from translator.env import secret_flags as secretflags

            where, text = secretflags.placed(value)
            findings += secretflags.told(where, name, carrier, origin)
            if where == secretflags.CARRIED:
                if env.get(carrier, text) != text:
                    findings.append(_overridden(origin or name, name, [carrier]))
                env[carrier] = text
                settings[:] = [
                    item for item in settings if item.flag != name
                ]  # several, of a variable that these tokens win over
                continue
            label = origin or name
        if flag.kind == "append":
            before: list[Any] = next(
                (item.value for item in reversed(settings) if item.flag == name), []
            )
            value = [*before, *value]
        beaten = [item for item in settings if item.flag == name]
        others = list(
            dict.fromkeys(
                item.origin for item in beaten if flag.kind != "append" and not _says(value, item)
            )
        )
        if others:
            findings.append(_overridden(label, name, others))
        settings[:] = [item for item in settings if item.flag != name]
        settings.append(Setting(name, value, label))


def _from(origin: str, told: list[Finding]) -> list[Finding]:
    """Findings about tokens, which say in which variable they stand."""
    return told if not origin else [item.with_facts(inside=origin) for item in told]


def _says(value: Any, item: Setting) -> bool:
    """Whether a flag's value says what a setting said."""
    for key in item.path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return bool(value == item.value)


def _overridden(origin: str, name: str, others: list[str]) -> Finding:
    message = (
        f"{origin} and {', '.join(others)} set {name} to different values: {origin} wins, and"
        " nothing of the other is kept"
    )
    return finding("disagreement", origin, message, f"set {name} once")


def unread_config(token: str, version: str) -> Finding:
    """vLLM replaces `--config` by what its file says only where the file is a token of its own;
    argparse then reads the joined form, which nobody asks for.
    """
    file = token.partition("=")[2]
    return finding(
        "config-not-read",
        CONFIG,
        f"{show(token)}: vLLM {version} reads no file for {CONFIG} when it is joined by =",
        f"write {CONFIG} {show(file)}",
    )


def _is_stray(
    model: str, tokens: list[str], settings: list[Setting], *, told_by_variable: bool
) -> bool:
    """Whether what argparse would take for the model belongs to no flag: `--enforce-eager true`, or
    `--no-such-flag='two words'`.

    A caller's first token may be another model; in a variable for further tokens, behind the model
    of the others, the real parser has no use for it.
    """
    if model.startswith("-"):
        return True
    named = any(text.partition("=")[0] == MODEL for text in tokens)
    return (
        (told_by_variable or tokens[0] != model)
        and not named
        and any(item.flag == MODEL for item in settings)
    )


def _of_another_version(
    parsed: Parsed, tokens: list[str], scope: Scope, missing: list[tuple[Setting, Flag | None]]
) -> tuple[Parsed, list[Finding]]:
    """A token list that this version refuses only for flags that another one has: read as that one
    does, to be carried over.
    """
    if not parsed.findings:
        return parsed, []
    from translator.argv.other_versions import written_for
    from translator.argv.reader import all_mistakes

    found = written_for(parsed, tokens, scope, partial=True)
    if found is None:
        return parsed, all_mistakes(parsed, tokens, scope.catalog, partial=True)
    missing += found.missing
    return found.parsed, found.findings
