"""Secret flags (mappings/secrets.toml): how a variable's text is read, and where the value goes.

vLLM reads one value from a variable of its own, the flag's carrier. Several it accepts on its
command line only: it makes one key of all that VLLM_API_KEY holds, in every version.
"""

from __future__ import annotations

from translator.findings import Finding, finding
from translator.text.json_text import JsonError, repair
from translator.values.errors import BadValue
from translator.values.tokens import element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.scope import Scope
    from translator.tables.entries import Flag


CARRIED, SEVERAL, UNSAID, NONE = "carried", "several", "unsaid", "none"


def from_text(flag: Flag, text: str) -> Any:
    """Return the value of a variable's text: of a JSON array its elements, of anything else one
    secret, unchanged, since a key may hold commas.

    Raises:
        BadValue: it looks like an array, and is none of texts; or the version takes one only.
    """
    is_list = flag.kind == "list"
    inner = (
        text.strip().strip("'\"").strip()
    )  # docker's --env-file keeps the quotes that a shell would take away
    if not inner.startswith(('["', "['")) and (inner[:1] != "[" or inner[-1:] != "]"):
        return [text] if is_list else text
    try:
        items = repair(text)[0]
    except JsonError:
        items = None
    if not items or not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise BadValue("bad-list", "strings")
    if not is_list and len(items) > 1:
        raise BadValue("bad-list", "one")
    return [element(flag, item) for item in items] if is_list else items[0]


def placed(value: Any) -> tuple[str, str]:
    """Return where the value of a secret flag goes.

    Returns:
        CARRIED and the carrier's text; else "" beside SEVERAL; UNSAID, when a variable with this
        text would set nothing; or NONE, when it holds no secret, as a bare `--hf-token` and
        `--api-key ''` do not. All but the first stand on vLLM's command line.
    """
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(one, str) and one:
        return (UNSAID, "") if one.strip() in ("", "None") else (CARRIED, one)
    several = isinstance(one, list) and any(isinstance(item, str) and item for item in one)
    return (SEVERAL if several else NONE), ""


def about_secret(where: str, what: str, carrier: str, subject: str = "") -> list[Finding]:
    """Return the finding about where a secret goes.

    Args:
        where: the first of what `placed` returned.
        what: the flag or the variable that holds the value.
        carrier: the variable that vLLM reads the same from.
        subject: of the finding, where that is not `what`.
    """
    if where == NONE:
        return []
    code, case = ("secret-moved", "") if where == CARRIED else ("secret-on-argv", where)
    return [finding(code, subject or what, case=case, origin=what, variable=carrier)]


def about_unused(name: str, scope: Scope) -> list[Finding]:
    """Return the finding about a secret's variable whose flag the platform's program ignores, since
    it runs no server of vLLM's: whoever set it relies on it.
    """
    flag = next(
        (
            flag
            for flag, carrier in scope.secrets.carriers.items()
            if carrier == name and flag in scope.consumer.ignored
        ),
        "",
    )
    if not flag:
        return []
    return [
        finding(
            "consumer-differs",
            name,
            case="unused-secret",
            variable=name,
            flag=flag,
            reader=scope.reader,
        )
    ]
