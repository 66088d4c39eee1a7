"""Explain the effect of every variable and the origin of every token (`--explain`)."""

from __future__ import annotations

from translator.env.cluster import cluster_variables
from translator.env.vllm_variables import known_names, misspelt
from translator.findings import finding, one_line
from translator.tables.catalog import CONFIG, MODEL
from translator.text.words import MOST_HINTS, nearest, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from translator.api.translate import Translation
    from translator.findings import Finding
    from translator.settings.scope import Scope


# Another finding about the same variable says more.
_WEAK = ("disagreement", "repaired-json")

_MOST_UNREAD = 8  # names that one finding lists

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


def explained(
    env: Mapping[str, str], done: Translation, scope: Scope, places: Mapping[str, int] | None = None
) -> list[str]:
    """Return the origin of every token and the effect of every variable, as log lines; `places` are
    the line numbers of variables in the input file.
    """
    places = places or {}
    known = scope.secrets.known(env, done.argv)
    shown = iter(scope.secrets.shown_tokens(done.argv, known))
    rows = []
    used: dict[str, str] = {}
    for at, (key, group) in enumerate(done._groups):
        origins = done.origins.get(key, [])
        text = " ".join(quote(next(shown)) for _ in group)
        origin = scope.secrets.mask(", ".join(origins), known) or ("-" if at else "the command")
        rows.append((text, _placed(origin, places)))
        made = group[0].partition("=")[0] if at else "the model"
        for name in origins:
            used.setdefault(name.partition(" ")[0], made)
    about: dict[str, Finding] = {}
    for item in done.findings:
        names = item.facts["names"] if item.code == "service-link" else (item.subject,)
        for name in names if isinstance(names, tuple) else ():
            if name not in about or about[name].code in _WEAK:
                about[name] = item
    found = _aligned(rows)
    others = 0
    for name, text in env.items():
        flag, told = used.get(name), about.get(name)
        if flag is not None:
            what: str | None = f"sets {flag}" + (f": {told.message}" if told is not None else "")
        elif told is not None:
            ignored = "ignored: " if told.code in _IGNORED else ""
            what = ignored + told.message.removeprefix(f"{name} ")
        else:
            what = _silent(name, text, done, scope)
        if what is None:
            others += 1
        else:
            found.append(f"{_placed(name, places)}: {one_line(what)}")
    if others:
        one, many = ("", "it is") if others == 1 else ("s", "they are")
        found.append(f"{others} other variable{one}: nothing of vLLM's, left as {many}")
    return found


def _aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = min(max((len(text) for text, _ in rows), default=0), 60)
    return [f"{one_line(text):<{width}}  <- {one_line(origin)}" for text, origin in rows]


def _placed(names: str, places: Mapping[str, int]) -> str:
    """Return variables with their lines in the input."""
    return ", ".join(
        f"{name} (line {places[name]})" if name in places else name for name in names.split(", ")
    )


def _silent(name: str, text: str, done: Translation, scope: Scope) -> str | None:
    """Return the effect of a variable that sets nothing and has no finding, if it has any."""
    role = scope.role(name)
    if role is None:
        return None
    if text.strip() in ("", "None"):
        return "empty: sets nothing"
    if role.kind == "extra-args":
        return "its tokens are on the command line"
    if role.kind == "native":
        return "vLLM's own: stays in the environment"
    if role.kind not in ("flag", "absent"):
        return "stays in the environment" if name in done.env else "taken out of the environment"
    if name in done.env:
        return "stays in the environment, where vLLM reads it"
    flag = role.flag
    winners = done.origins.get(flag.flag) if flag is not None else None
    if winners:
        return f"overridden by {scope.secrets.mask(', '.join(winners))}"
    if flag is not None and flag.kind == "switch":
        return f"sets nothing: {flag.flag} is off unless it is given"
    return "sets nothing: its value means that nothing is set"


def unread(names: Iterable[str], scope: Scope, cluster: str | None = None) -> list[Finding]:
    """Return notes about the variables of a file for vLLM that nothing reads."""
    own = cluster_variables(cluster, scope.tables) if cluster else ()
    left = [name for name in names if not (scope.role(name) or name in own)]
    left = [name for name in left if not name.startswith("TRANSLATE_")]
    told = {item.subject for item in misspelt(left, scope)}
    version = scope.catalog.version
    facts = {"reader": scope.reader, "version": version}
    known, found, others = known_names(scope), [], []
    for at, name in enumerate(name for name in left if name not in told):
        near = "".join(nearest(name.upper(), known, 1)) if at < MOST_HINTS else ""
        if near:
            found.append(finding("unread-variable", name, name=name, near=near, **facts))
        else:
            others.append(name)
    if others:
        shown, more = tuple(others[:_MOST_UNREAD]), len(others[_MOST_UNREAD:]) or ""
        subject = ", ".join(shown)
        about = finding(
            "unread-variable", subject, case="several", names=shown, more=more, version=version
        )
        found.append(about)
    return found


def explained_variables(
    env: Mapping[str, str], origins: Mapping[str, list[str]], scope: Scope
) -> list[str]:
    """Return for each variable written the tokens that set it, as log lines."""
    flags = {name: _flags_of(name, scope) for name in env}
    said = {flag for mine in flags.values() for flag in mine}
    flags[scope.extra_args] = [flag for flag in origins if flag not in said]
    rows = []
    for name in env:
        # Of a model and of a secret only the name is told.
        hidden = [flag for flag in flags[name] if flag == MODEL or flag in scope.secrets.carriers]
        if hidden and name != scope.extra_args:
            told = "the model" if hidden[0] == MODEL else hidden[0]
        else:
            tokens = [token for flag in flags[name] for token in origins.get(flag, ())]
            told = ", ".join(dict.fromkeys(map(_without_value, tokens)))
        rows.append((name, told or "a variable in front of the command"))
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
    carried = [flag for flag, carrier in scope.secrets.carriers.items() if carrier == name]
    role = scope.role(name)
    return carried or ([role.flag.flag] if role is not None and role.flag is not None else [])
