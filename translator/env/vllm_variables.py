"""vLLM's own variables (`VLLM_*` and the others in its table): whether this version accepts a
value, and whether it reads it as intended.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, integer, repair, size
from translator.text.similar import alike_from_start, nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.tables.catalog import Catalog, Tables
    from translator.tables.entries import Variable


OWN = "VLLM_"
# Secrets that libraries in vLLM's process read -> how the addresses begin that they are for.
_OF_LIBRARIES = {
    "HF_TOKEN": "",
    "HUGGING_FACE_HUB_TOKEN": "",
    "MODELSCOPE_API_TOKEN": "",
    "AWS_ACCESS_KEY_ID": "s3://",
    "AWS_SECRET_ACCESS_KEY": "s3://",
    "AWS_SESSION_TOKEN": "s3://",
}


def is_read(name: str, argv: Sequence[str], catalog: Catalog) -> bool:
    """Return whether a variable is vLLM's own, or a secret that a library in its process reads.

    Args:
        name: the variable.
        argv: the command line, which may name an address.
        catalog: the catalog of the version.
    """
    if name in _OF_LIBRARIES:
        return any(_OF_LIBRARIES[name] in token for token in argv)
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


def _repairs(variable: Variable, text: str) -> list[str]:
    """Return the values that the user may have meant, best first."""
    stripped = text.strip()
    word = stripped.lower()
    found = [stripped]
    if variable.kind in ("bool-int", "int"):
        found += ["1"] if word in TRUE_WORDS else ["0"] if word in FALSE_WORDS else []
        try:
            found.append(str(size(stripped)))
        except JsonError:
            pass
    for choice in variable.choices or ():
        if choice.lower() == word or choice.lower() == word.replace("-", "_"):
            found.append(choice)
    if variable.kind == "json":
        try:
            found.append(jsontext.dumps(repair(text)[0]))
        except JsonError:
            pass
    return found


def _bool_spelling(variable: Variable, text: str) -> str | None:
    """Return the word to use for a variable that recognises only some words as true, if the given
    word is read as its opposite.
    """
    word = text.strip().lower()
    if variable.kind != "bool" or not variable.true:
        return None
    if word in TRUE_WORDS and text not in variable.true:
        return next((item for item in ("1", "true", "True") if item in variable.true), None)
    if word in FALSE_WORDS and text in variable.true:
        return next((item for item in ("0", "false") if item not in variable.true), None)
    return None


def expectation(variable: Variable) -> str:
    """Return what values a variable takes, for people."""
    if variable.choices is not None:
        several = " (several with commas)" if variable.kind == "list" else ""
        return f"one of {', '.join(variable.choices)}{several}"
    kinds = {"int": "an integer", "bool-int": "0 or 1", "float": "a number", "json": "JSON"}
    return kinds.get(variable.kind, "another text")


def check(variable: Variable, text: str, version: str) -> tuple[str | None, Finding | None]:
    """Return the value to pass to vLLM (None: drop the variable) and the finding, if any.

    Args:
        variable: the variable in the version.
        text: its value.
        version: the version, for the message.
    """
    name = variable.name
    if text.strip() == "None":
        return None, finding("empty-variable", name, name=name)
    if not text.strip():
        if accepts(variable, text) and variable.kind in ("str", "list", "bool"):
            return text, None
        return None, finding("empty-variable", name, name=name, version=version, removed=name)
    facts = {"given": f"{name}={text}", "version": version}
    better = _bool_spelling(variable, text)
    if better is not None:
        facts["used"] = facts["write"] = f"{name}={better}"
        return better, finding("repaired-variable", name, case="opposite", **facts)
    if accepts(variable, text):
        return text, None
    for candidate in _repairs(variable, text):
        if accepts(variable, candidate):
            facts["used"] = facts["write"] = f"{name}={candidate}"
            return candidate, finding("repaired-variable", name, **facts)
    near = nearest(text, variable.choices or (), 3)
    # `FLASH_ATTENTION` is rather `FLASH_ATTN` than `FLEX_ATTENTION`.
    near.sort(key=lambda choice: alike_from_start(text, choice), reverse=True)
    facts["expected"], facts["write"] = expectation(variable), f"{name}={near[0]}" if near else ""
    return text, finding("bad-variable", name, **facts)


def is_service_link(name: str, text: str) -> bool:
    """Return whether Kubernetes (or docker's --link) created this variable for a service named vllm
    or vllm-something.

    A service `vllm` gives VLLM_SERVICE_HOST, VLLM_SERVICE_PORT[_NAME], VLLM_PORT=tcp://… and
    VLLM_PORT_8000_TCP[_PROTO|_PORT|_ADDR].
    """
    return name.startswith("VLLM_") and names_a_service(name, text)


def names_a_service(name: str, text: str = "") -> bool:
    """Return whether a variable has the form of a service link, for a service of any name."""
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


def service_link(name: str, text: str) -> Finding:
    """Return the finding for a service link."""
    return finding("service-link", name, given=f"{name}={text}", removed=f"{name}={text}")


def of_plugin(name: str, tables: Tables, suggest: bool) -> Finding:
    """Return the finding for a variable of a plugin, with the nearest known one if asked for."""
    plugin = tables.plugin(name)
    assert plugin is not None
    near = nearest(name, plugin.variables, 1) if plugin.prefix and suggest else []
    return finding(
        "plugin-variable",
        name,
        name=name,
        plugin=plugin.name,
        hardware=plugin.hardware,
        prefix=plugin.prefix,
        near=near[0] if near else "",
    )


def unknown(
    name: str, catalog: Catalog, everywhere: list[str], meant: str | None = None
) -> Finding:
    """Return the finding for a VLLM_ variable that no version knows.

    Args:
        name: the variable.
        catalog: the version's catalog.
        everywhere: the variables that any version knows.
        meant: the dialect's variable of the same name without VLLM_; "" if there is none, but a
            flag of that name.
    """
    # Without what all of them begin with: it makes any two short names alike.
    rest = [known.removeprefix(OWN) for known in everywhere] if meant is None else []
    close = [OWN + near for near in nearest(name.removeprefix(OWN), rest, 1)]
    known = bool(close) and catalog.variable(close[0]) is not None
    return finding(
        "unknown-variable",
        name,
        name=name,
        version=catalog.version,
        write=meant or (close[0] if known else ""),
        useless=close[0] if close and not known else "",
    )
