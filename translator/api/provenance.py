"""Explain the effect of every variable and the origin of every token (`--explain`)."""

from __future__ import annotations

from translator.findings import one_line
from translator.tables.entries import CONFIG, MODEL
from translator.text.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.api.translate import Translation
    from translator.findings import Finding
    from translator.naming.scope import Role, Scope


def explained(
    env: Mapping[str, str],
    done: Translation,
    scope: Scope,
    places: Mapping[str, int] | None = None,
) -> list[str]:
    """Return the origin of every token and the effect of every variable, as log lines.

    Args:
        env: the variables.
        done: their translation.
        scope: the version and the dialect.
        places: variable → its line number in the input file.
    """
    known = scope.secrets.known(env, done.argv)
    shown = iter(scope.secrets.shown_tokens(done.argv, known))
    tokens = []
    used: dict[str, str] = {}
    for at, (group, origins) in enumerate(done.groups):
        text = " ".join(quote(next(shown)) for _ in group)
        origin = scope.secrets.mask(", ".join(origins), known)
        tokens.append((text, origin or ("-" if at else "the command")))
        for name in origins:
            used.setdefault(
                name.partition(" ")[0], group[0].partition("=")[0] if at else "the model"
            )
    about: dict[str, Finding] = {}
    for item in done.findings:
        if item.subject not in about or about[item.subject].code in _WEAK:
            about[item.subject] = item
    places = places or {}
    found = _aligned([(text, _placed(origin, places)) for text, origin in tokens])
    others = 0
    for name, text in env.items():
        what = _told(name, used.get(name), about.get(name)) or _silent(name, text, done, scope)
        if what is None:
            others += 1
        else:
            found.append(f"{_placed(name, places)}: {one_line(what)}")
    if others:
        found.append(
            f"{others} other variable{'s' if others > 1 else ''}: nothing of vLLM's,"
            f" left as {'they are' if others > 1 else 'it is'}"
        )
    return found


_WEAK = ("disagreement", "repaired-json")  # another finding about the same variable says more


def _aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = min(max((len(text) for text, _ in rows), default=0), 60)
    return [f"{one_line(text):<{width}}  <- {one_line(origin)}" for text, origin in rows]


def _placed(name: str, places: Mapping[str, int]) -> str:
    parts = [
        f"{part} (line {places[part]})" if part in places else part for part in name.split(", ")
    ]
    return ", ".join(parts)


def _told(name: str, flag: str | None, found: Finding | None) -> str:
    """Return the effect of a variable that sets a flag, or has a finding; "" of any other."""
    if flag is not None:
        return f"sets {flag}" if found is None else f"sets {flag}: {found.message}"
    if found is None:
        return ""
    message = found.message.removeprefix(f"{name} ")
    return f"ignored: {message}" if found.code in _IGNORED else message


def _silent(name: str, text: str, done: Translation, scope: Scope) -> str | None:
    """Return the effect of a variable that sets nothing and has no finding; None if it is not
    vLLM's or the dialect's.
    """
    role = scope.role(name)
    if role is None:
        return None
    if text.strip() in ("", "None"):
        return "empty: sets nothing"
    if role.kind in ("flag", "absent"):
        if name in done.env:
            return "stays in the environment, where vLLM reads it"
        winners = done.origins.get(role.flag.flag) if role.flag is not None else None
        if winners:
            return f"overridden by {scope.secrets.mask(', '.join(winners))}"
        return f"sets nothing: {_why_nothing(role)}"
    if role.kind == "extra-args":
        return "its tokens are on the command line"
    if role.kind == "native":
        return "vLLM's own: stays in the environment"
    return "stays in the environment" if name in done.env else "taken out of the environment"


_IGNORED = frozenset(
    (
        "worker-only",
        "reserved-name",
        "dropped",
        "service-link",
        "variable-not-in-version",
        "empty-variable",
    )
)


def _why_nothing(role: Role) -> str:
    if role.flag is not None and role.flag.kind == "switch":
        return f"{role.flag.flag} is off unless it is given"
    return "its value means that nothing is set"


def explained_variables(
    env: Mapping[str, str], origins: Mapping[str, list[str]], scope: Scope
) -> list[str]:
    """Return for each variable the tokens that set it, as log lines.

    Args:
        env: the variables written.
        origins: flag → the tokens that set it.
        scope: the version and dialect of the variables.
    """
    flags = {name: _flags_of(name, scope) for name in env}
    said = {flag for mine in flags.values() for flag in mine}
    flags[scope.extra_args] = [flag for flag in origins if flag not in said]
    tokens = []
    for name in env:
        # Of a model and of a secret only the name is told.
        told = [
            "the model" if flag == MODEL else flag
            for flag in flags[name]
            if flag == MODEL or flag in scope.secrets.carriers
        ]
        if not told or name == scope.extra_args:
            mine = [item for flag in flags[name] for item in origins.get(flag, ())]
            told = [", ".join(dict.fromkeys(map(_without_value, mine)))]
        tokens.append((name, told[0] or "a variable in front of the command"))
    return _aligned(tokens)


def _without_value(origin: str) -> str:
    """Remove the value, which may be secret, from an origin.

    `--flag=value` becomes `--flag`; a token of a config file becomes `file: --flag`.
    """
    file, sign, token = (
        origin.rpartition(": ") if ": -" in origin.partition("=")[0] else ("", "", origin)
    )
    return file + sign + token.partition("=")[0].partition(" ")[0]


def _flags_of(name: str, scope: Scope) -> list[str]:
    if name == scope.config_file:
        return [CONFIG]
    carried = [flag for flag, carrier in scope.secrets.carriers.items() if carrier == name]
    role = scope.role(name)
    return carried or ([role.flag.flag] if role is not None and role.flag is not None else [])
