"""Variables beside the dialect's: vLLM's own (`VLLM_*` and the others in its table), and those that
nothing reads.

Of vLLM's own: whether this version accepts a value, and reads it as intended. Of the others:
service links, plugins, misspelt names.
"""

from __future__ import annotations

from translator.core.findings import Finding, finding
from translator.core.settings.scope import KEEP, variable_for
from translator.core.tables.catalog import SECRETS, flag_of
from translator.core.text import json_text as jsontext
from translator.core.text.json_text import JsonError, integer, repair, size
from translator.core.text.words import Patterns, distance, nearest
from translator.core.values import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from translator.core.settings.scope import Role, Scope
    from translator.core.tables.catalog import Catalog, Variable


OWN = "VLLM_"


def is_read(name: str, argv: Sequence[str], catalog: Catalog) -> bool:
    """Return whether a variable is vLLM's own, or a secret that a library in its process reads; the
    command line may name an address that needs it.
    """
    address = catalog.tables.records(SECRETS).get(name, {}).get("address")
    if address is not None:
        return any(address in token for token in argv)
    return catalog.variable(name) is not None


def accepts(variable: Variable, text: str) -> bool:
    """Return whether the version's real table parses the value without a crash."""
    if text in variable.also:
        return True
    if text in variable.refused:
        return False
    if variable.choices is not None:
        items = [text]
        if variable.kind == "list":
            items = [item.strip() for item in text.split(",") if item.strip()]
        if variable.fold:
            return {item.lower() for item in items} <= {item.lower() for item in variable.choices}
        return set(items) <= set(variable.choices)
    try:
        if variable.kind in ("int", "bool-int"):
            integer(text)
        elif variable.kind == "float":
            float(text)
        elif variable.kind == "json":
            jsontext.loads(text)
    except ValueError:
        return False
    return True


def _repaired(variable: Variable, text: str) -> str | None:
    """Return the value that the user most likely meant, which the version accepts; None if there
    is none.
    """
    stripped = text.strip()
    word = stripped.lower()
    found = [stripped]
    if variable.kind in ("bool-int", "int"):
        found += ["1"] if word in TRUE_WORDS else ["0"] if word in FALSE_WORDS else []
    known = {choice.lower(): choice for choice in (variable.choices or ())[::-1]}
    found += [known[name] for name in (word, word.replace("-", "_")) if name in known]
    try:
        if variable.kind in ("bool-int", "int"):
            found.append(str(size(stripped)))
        elif variable.kind == "json":
            found.append(jsontext.dumps(repair(text)[0]))
    except JsonError:
        pass
    return next((item for item in found if accepts(variable, item)), None)


def _unlike(variable: Variable, text: str) -> str | None:
    """Return the word to use for a variable that recognises only some words as true, if the given
    word is read as its opposite.
    """
    word, true = text.strip().lower(), variable.true
    if variable.kind != "bool" or not true:
        return None
    if word in TRUE_WORDS and text not in true:
        return next((item for item in ("1", "true", "True") if item in true), None)
    if word in FALSE_WORDS and text in true:
        return next((item for item in ("0", "false") if item not in true), None)
    return None


def expectation(variable: Variable) -> str:
    """Return what values a variable takes, for people."""
    if variable.choices is not None:
        several = " (several with commas)" if variable.kind == "list" else ""
        return f"one of {', '.join(variable.choices)}{several}"
    kinds = {"int": "an integer", "bool-int": "0 or 1", "float": "a number", "json": "JSON"}
    return kinds.get(variable.kind, "another text")


def check(
    name: str, variable: Variable | None, text: str, version: str
) -> tuple[str | None, Finding | None]:
    """Return the value to pass to vLLM (None: drop the variable) and the finding, if any.

    Args:
        name, text: the variable and its value.
        variable: what the version reads in it; None if another program reads it.
        version: the version, for the message.
    """
    if text.strip() == "None" and (variable is None or accepts(variable, text)):
        return None, finding("empty-variable", name, case="none", name=name)
    if text.strip() == "None":
        facts = {"version": version, "given": f"{name}={text}", "removed": f"{name}={text}"}
        return None, finding("empty-variable", name, case="word", **facts)
    if variable is None:
        return text, None
    if variable.kind == "unread":
        facts = {"given": f"{name}={text}", "version": version}
        return None, finding("variable-not-in-version", name, case="unread", **facts)
    if not text.strip():
        if variable.kind in ("str", "list", "bool") and accepts(variable, text):
            return text, None
        return None, finding("empty-variable", name, name=name, version=version, removed=name)
    opposite = _unlike(variable, text)
    if opposite is None and accepts(variable, text):
        return text, None
    facts = {"given": f"{name}={text}", "version": version}
    better = opposite or _repaired(variable, text)
    if better is not None:
        case = "opposite" if opposite else ""
        facts |= dict.fromkeys(("used", "write"), f"{name}={better}")
        return better, finding("repaired-variable", name, case=case, **facts)
    return text, finding("bad-variable", name, **facts, expected=expectation(variable))


# --- variables that nothing reads

# A suggestion for one name takes 0.6 ms; an environment with very many unknown names is not a
# matter of misspelling.
MOST_SUGGESTIONS = 20
_LONGEST_NAME = 100


def names_a_service(name: str, text: str = "") -> bool:
    """Return whether a variable has the form of a service link, which Kubernetes (or docker's
    --link) creates.

    A service `vllm` gives VLLM_SERVICE_HOST, VLLM_SERVICE_PORT[_NAME], VLLM_PORT=tcp://… and
    VLLM_PORT_8000_TCP[_PROTO|_PORT|_ADDR].
    """
    parts = name.split("_")
    if "SERVICE" in parts[1:]:
        after = parts[len(parts) - parts[::-1].index("SERVICE") :]
        return after[:1] in (["HOST"], ["PORT"])
    if "PORT" not in parts[1:]:
        return False
    after = parts[parts.index("PORT", 1) + 1 :]
    if not after:
        return text.startswith(("tcp://", "udp://", "sctp://"))
    return after[0].isdecimal() and len(after) > 1 and after[1] in ("TCP", "UDP", "SCTP")


def service_links(links: Mapping[str, str], scope: Scope) -> list[Finding]:
    """Return a finding for each Service of which Kubernetes set variables; it names one that this
    vLLM would read.
    """
    services: dict[str, list[str]] = {}
    for name in sorted(links, key=lambda name: scope.catalog.variable(name) is None):
        own = name.partition("_PORT")[0].partition("_SERVICE")[0]
        services.setdefault(own.lower().replace("_", "-"), []).append(name)
    found = []
    for service, names in services.items():
        count, given = len(names) if len(names) > 1 else "", f"{names[0]}={links[names[0]]}"
        facts = {"given": given, "removed": given, "service": service}
        found.append(finding("service-link", names[0], names=tuple(names), count=count, **facts))
    return found


def own_name(name: str, role: Role, scope: Scope, suggest: bool) -> Finding:
    """Return the finding about a variable that begins as vLLM's own do: a plugin's, or one that no
    version knows; with `suggest`, it names the nearest known one.
    """
    if role.kind == "plugin":
        plugin = scope.tables.plugin(name)
        assert plugin is not None
        facts = {"plugin": plugin.name, "hardware": plugin.hardware, "prefix": plugin.prefix}
        known = plugin.variables if plugin.prefix and suggest else ()
        near = "".join(nearest(name, known, 1))
        return finding("plugin-variable", name, name=name, near=near, **facts)
    # Without what all of them begin with: it makes any two short names alike.
    bare = name.removeprefix(OWN)
    write = useless = ""
    other = scope.role(scope.prefix + bare)
    if other is not None and other.kind in ("flag", "absent"):
        write = scope.prefix + bare
    elif scope.catalog.flag(flag_of(bare)) is not None:  # VLLM_MODEL
        write = variable_for(flag_of(bare), scope) or ""
    elif suggest:
        for near in scope.tables.similar(bare, OWN)[:1]:
            if scope.catalog.variable(OWN + near) is not None:
                write = OWN + near
            else:
                useless = OWN + near
    facts = {"version": scope.catalog.version, "write": write, "useless": useless}
    return finding("unknown-variable", name, case="useless" * bool(useless), name=name, **facts)


def misspelt(names: list[str], scope: Scope) -> list[Finding]:
    """Return a finding for every unread variable whose name is close to a known one
    (`TENSOR_PARALELL_SIZE`) or begins with the dialect's prefix.
    """
    rest = [name for name in names if name not in scope.like_nothing]
    if not rest:
        return []
    findings: list[Finding] = []
    asked = 0
    own = Patterns(scope.dialect.own_names)
    for name, close in _nearest(rest, scope).items():
        base, keys, _ = name.partition("__")
        role = scope.role(base) if keys and base else None
        if role is not None and role.kind in ("flag", "absent"):
            case = "no-key-name" if role.takes_keys else "no-keys"
            findings.append(finding("misspelt-variable", name, case=case, name=name, write=base))
        elif own.match(name):
            findings.append(finding("worker-only", name, name=name, reader=scope.reader))
        elif scope.prefix and name.startswith(scope.prefix) and not names_a_service(name):
            asked += close is None
            near = close or (_near(name, scope) if asked <= MOST_SUGGESTIONS else "")
            facts = {"name": name, "reader": scope.reader, "near": near}
            case = "passed" if scope.consumer.passes else "dialect"
            findings.append(finding("unknown-variable", name, case=case, **facts))
        elif close is not None:
            findings.append(finding("misspelt-variable", name, name=name, write=close))
        elif len(scope.like_nothing) < KEEP:
            scope.like_nothing.add(name)
    return findings


def _near(name: str, scope: Scope) -> str:
    """Return the known variable with the dialect's prefix that is nearest; "" if none is near."""
    if len(name) > _LONGEST_NAME:
        return ""
    prefix = scope.prefix
    known = [item[len(prefix) :] for item in known_names(scope) if item.startswith(prefix)]
    return "".join(prefix + item for item in nearest(name[len(prefix) :].upper(), known, 1))


def _nearest(names: list[str], scope: Scope) -> dict[str, str | None]:
    """Return each name with the known name that differs in one word only, or None.

    Such a pair shares its first or last word. Only known names that share one of these words are
    compared, since splitting all of them costs the entrypoint half a millisecond.
    """
    asked = [name for name in names if "_" in name and name == name.upper()]
    asked = [name for name in asked if len(name) <= _LONGEST_NAME]
    firsts, lasts = (tuple({ends(name)[at] for name in asked}) for at in (0, 1))
    near = [
        known for known in known_names(scope) if known.startswith(firsts) or known.endswith(lasts)
    ]
    found: dict[str, str | None] = {name: _alike(name, scope) for name in names}
    for name in asked:
        first, last = ends(name)
        close = [known for known in near if known.startswith(first) or known.endswith(last)]
        if name not in close:
            found[name] = min((known for known in close if _is_slip(name, known)), default=None)
    return found


def _alike(name: str, scope: Scope) -> str | None:
    """Return the variable of which a name differs only in case, dots, dashes or quotes, or None."""
    plain = name.strip("'\"").replace("-", "_").upper()
    for text in (plain.replace(".", "__"), plain.replace(".", "_")):
        role = scope.role(text) if text != name else None
        if role is not None and role.kind in ("flag", "absent", "choice", "native"):
            return text
    return None


def ends(name: str) -> tuple[str, str]:
    """Return the first and the last word of a name, each with the underscore beside it."""
    return name.partition("_")[0] + "_", "_" + name.rpartition("_")[2]


def known_names(scope: Scope) -> list[str]:
    """Return every variable that this version and dialect read."""
    flags = "\n".join(["", *scope.catalog.flag_names()]).replace("-", "_").upper()
    names = flags.replace("\n__", "\n" + scope.prefix).split("\n")[1:]
    names += [*scope.catalog.variable_names(), *scope.dialect.names]
    reserved = set(scope.dialect.with_role("reserved"))  # nobody reads those either
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
        min(len(one), len(other)) > 2 and (one[:6].startswith(other) or other.startswith(one))
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
