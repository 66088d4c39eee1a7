"""Variables that nobody reads, but whose names resemble known names or begin with the dialect's
prefix.
"""

from __future__ import annotations

from translator.env.vllm_variables import names_a_service
from translator.findings import Finding, finding
from translator.naming.scope import KEEP
from translator.tables.entries import JSON_KINDS
from translator.text.names import Patterns
from translator.text.similar import distance, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from translator.naming.scope import Scope


_LONGEST_NAME = 100


MOST_SUGGESTIONS = 20


def misspelt(names: list[str], scope: Scope) -> list[Finding]:
    """Return a finding for every unread variable whose name is close to a known one
    (`TENSOR_PARALELL_SIZE`) or begins with the dialect's prefix.
    """
    rest = [name for name in names if name not in scope.like_nothing]
    if not rest:
        return []
    found: list[Finding] = []
    near: _Near | None = None
    own = Patterns(scope.dialect.own_names)
    for name, close in _nearest(rest, scope).items():
        base, keys, _ = name.partition("__")
        role = scope.role(base) if keys and base else None
        if role is not None and role.kind in ("flag", "absent"):
            case = (
                "no-keys"
                if role.flag is not None and role.flag.kind not in JSON_KINDS
                else "no-key-name"
            )
            found.append(finding("misspelt-variable", name, case=case, name=name, write=base))
        elif own.match(name):
            found.append(finding("worker-only", name, case="own", name=name, reader=scope.reader))
        elif scope.prefix and name.startswith(scope.prefix) and not names_a_service(name):
            near = near or _Near(scope)
            found.append(
                finding(
                    "unknown-variable",
                    name,
                    case=scope.consumer.unknown or "dialect",
                    name=name,
                    reader=scope.reader,
                    near=close or near.name(name),
                )
            )
        elif close is not None:
            found.append(finding("misspelt-variable", name, name=name, write=close))
        elif len(scope.like_nothing) < KEEP:
            scope.like_nothing.add(name)
    return found


class _Near:
    """Suggestions for names after the dialect's prefix; only for the first few, at 4 ms each."""

    def __init__(self, scope: Scope) -> None:
        self._prefix = scope.prefix
        self._known = [
            name[len(scope.prefix) :]
            for name in _known_names(scope)
            if name.startswith(scope.prefix)
        ]
        self._left = MOST_SUGGESTIONS

    def name(self, name: str) -> str:
        """Return the nearest known variable; "" if none is near."""
        self._left -= 1
        close = (
            nearest(name[len(self._prefix) :].upper(), self._known, 1)
            if self._left >= 0 and len(name) <= _LONGEST_NAME
            else []
        )
        return self._prefix + close[0] if close else ""


def _nearest(names: list[str], scope: Scope) -> dict[str, str | None]:
    """Return each name with the known name that differs in one word only, or None.

    Such a pair shares its first or last word. Only known names that share one of these words are
    compared, since splitting all of them costs the entrypoint half a millisecond.
    """
    asked = [
        name
        for name in names
        if "_" in name and name == name.upper() and len(name) <= _LONGEST_NAME
    ]
    first_words = {name.partition("_")[0] for name in asked}
    last_words = {name.rpartition("_")[2] for name in asked}
    by_first: dict[str, list[str]] = {}
    by_last: dict[str, list[str]] = {}
    for known in _known_names(scope):
        first, last = known.partition("_")[0], known.rpartition("_")[2]
        if first in first_words:
            by_first.setdefault(first, []).append(known)
        if last in last_words:
            by_last.setdefault(last, []).append(known)
    found: dict[str, str | None] = dict.fromkeys(names)
    for name in asked:
        candidates = (
            *by_first.get(name.partition("_")[0], ()),
            *by_last.get(name.rpartition("_")[2], ()),
        )
        if candidates and name not in candidates:
            found[name] = min(
                (known for known in candidates if _is_slip(name, known)), default=None
            )
    return found


def _known_names(scope: Scope) -> list[str]:
    """Return every variable that this version and dialect read."""
    dialect = scope.dialect
    flags = (
        "\n".join(["", *scope.catalog.flag_names()])
        .replace("-", "_")
        .upper()
        .replace("\n__", "\n" + scope.prefix)
    )
    names = [
        *flags.split("\n")[1:],
        *scope.catalog.variable_names(),
        *dialect.names,
    ]
    reserved = set(dialect.with_role("reserved"))  # nobody reads those either
    return [name for name in names if name not in reserved]


def _is_slip(name: str, known: str) -> bool:
    """Return whether two names differ in one word, by a one-letter typo, or by two letters in a
    long word (NODE_NAME is not a typo of MODEL_NAME); or only in how far their words are written
    out (MAX_MODEL_LENGTH, GPU_MEM_UTIL).
    """
    mine, theirs = name.split("_"), known.split("_")
    if len(mine) != len(theirs):
        return False
    differing = [(one, other) for one, other in zip(mine, theirs, strict=True) if one != other]
    if all(
        min(len(one), len(other)) > 2 and (one.startswith(other) or other.startswith(one))
        for one, other in differing
    ):
        return True
    one, other = differing[0]
    return (
        len(differing) == 1
        and len(other) > 3
        and abs(len(one) - len(other)) <= 2
        and distance(one, other) <= (2 if len(other) > 6 else 1)
    )
