"""vLLM's own variables (`VLLM_*` and the others in its table): whether this version accepts a
value, whether it reads it as intended, and which secrets of flags it reads in them.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.tables.dialects import NOTHING
from translator.text import json_text as jsontext
from translator.text.json_text import JsonError, integer, repair, size
from translator.text.names import nearest
from translator.values.errors import FALSE_WORDS, TRUE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from translator.tables.catalog import Catalog, Variable


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
        name: the variable.
        variable: what the version reads in it; None if another program reads it.
        text: its value.
        version: the version, for the message.
    """
    if text.strip() == "None":
        return None, finding("empty-variable", name, name=name)
    if variable is None:
        return text, None
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
        facts["used"] = facts["write"] = f"{name}={better}"
        return better, finding("repaired-variable", name, case=case, **facts)
    near = nearest(text, variable.choices or (), 3)
    # `FLASH_ATTENTION` is rather `FLASH_ATTN` than `FLEX_ATTENTION`.
    near.sort(key=lambda choice: choice[:3] != text[:3])
    facts["expected"], facts["write"] = expectation(variable), f"{name}={near[0]}" if near else ""
    return text, finding("bad-variable", name, **facts)


def placed(
    value: Any, what: str, carrier: str, subject: str = ""
) -> tuple[str | None, list[Finding]]:
    """Return where the value of a secret flag goes (mappings/secrets.toml).

    Args:
        value: the value.
        what: the flag or variable that holds it.
        carrier: the variable from which vLLM reads the same value.
        subject: the finding's subject, if it is not `what`.

    Returns:
        The carrier's text; None if the value goes on vLLM's command line. And the finding about a
        secret that moves, or that cannot: several of them, or one that would set nothing as a
        variable. A bare `--hf-token` and `--api-key ''` hold no secret.
    """
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    facts = {"origin": what, "variable": carrier}
    if isinstance(one, str) and one.strip() not in NOTHING:
        return one, [finding("secret-moved", subject or what, **facts)]
    items = one if isinstance(one, list) else [one]
    if not any(isinstance(item, str) and item for item in items):
        return None, []
    case = "several" if isinstance(one, list) else "unsaid"
    return None, [finding("secret-on-argv", subject or what, case=case, **facts)]
