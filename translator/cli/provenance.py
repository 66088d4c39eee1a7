"""The origin of every token, or of every variable, that a translation gives (`--explain`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from translator.core.findings import one_line
from translator.core.settings.scope import Scope
from translator.core.tables.catalog import CONFIG, MODEL
from translator.core.text.words import quote
from translator.core.translate import Translation


def explained_tokens(env: Mapping[str, str], translation: Translation, scope: Scope) -> list[str]:
    """Return for each flag of a command line the variables, tokens or defaults that set it, as log
    lines.
    """
    known = scope.secrets.known(env, translation.argv)
    shown = iter(scope.secrets.shown_tokens(translation.argv, known))
    rows = []
    for flag, tokens in translation._groups:
        origins = translation.origins.get(flag, ("the command",))  # a command without a model
        text = " ".join(quote(next(shown)) for _ in tokens)
        rows.append((text, scope.secrets.mask(", ".join(origins), known)))
    return _aligned(rows)


def explained_variables(
    env: Mapping[str, str], origins: Mapping[str, list[str]], scope: Scope
) -> list[str]:
    """Return for each variable written the tokens that set it, as log lines."""
    flags = {name: _flags_of(name, scope) for name in env}
    named = {flag for own in flags.values() for flag in own}
    flags[scope.extra_args] = [flag for flag in origins if flag not in named]
    rows = []
    for name in env:
        # Of a model and of a secret only the name is told.
        hidden = [flag for flag in flags[name] if flag == MODEL or flag in scope.secrets.variables]
        if hidden and name != scope.extra_args:
            shown = "the model" if hidden[0] == MODEL else hidden[0]
        else:
            tokens = [token for flag in flags[name] for token in origins.get(flag, ())]
            shown = ", ".join(dict.fromkeys(map(_without_value, tokens)))
        rows.append((name, shown or "a variable in front of the command"))
    return _aligned(rows)


def _without_value(origin: str) -> str:
    """Remove the value, which may be secret, from `--flag=value` and `file: --flag=value`."""
    file, sign = "", ""
    if ": -" in origin.partition("=")[0]:
        file, sign, origin = origin.rpartition(": ")
    return file + sign + origin.partition("=")[0].partition(" ")[0]


def _flags_of(name: str, scope: Scope) -> list[str]:
    if name == scope.config_file:
        return [CONFIG]
    carried = [flag for flag, variable in scope.secrets.variables.items() if variable == name]
    role = scope.role(name)
    return carried or ([role.flag.flag] if role is not None and role.flag is not None else [])


def _aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = min(max((len(text) for text, _ in rows), default=0), 60)
    return [f"{one_line(text):<{width}}  <- {one_line(origin)}" for text, origin in rows]
