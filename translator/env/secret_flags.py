"""Secret flags (mappings/secrets.toml): how a variable's value is read, and where it goes.

vLLM reads a single value from a variable of its own, the flag's carrier. Several values work only
on its command line: in every version, the whole content of VLLM_API_KEY is one key.
"""

from __future__ import annotations

from translator.env.reading import differs
from translator.findings import Finding, finding
from translator.settings.setting import NOTHING
from translator.text.json_text import JsonError, repair
from translator.values.errors import BadValue
from translator.values.tokens import element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from translator.naming.scope import Scope
    from translator.tables.entries import Flag


def from_text(flag: Flag, text: str) -> Any:
    """Parse a variable's value: the elements of a JSON array, or else one unchanged secret, since a
    key may contain commas.

    Raises:
        BadValue: the value looks like an array but is not an array of strings, or the version
            accepts only one secret.
    """
    is_list = flag.kind == "list"
    inner = (
        text.strip().strip("'\"").strip()
    )  # docker's --env-file keeps quotes that a shell would remove
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


def placed(
    value: Any, what: str, carrier: str, subject: str = ""
) -> tuple[str | None, list[Finding]]:
    """Return where the value of a secret flag goes.

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
    if isinstance(one, str) and one:
        if one.strip() not in NOTHING:
            return one, [finding("secret-moved", subject or what, **facts)]
        return None, [finding("secret-on-argv", subject or what, case="unsaid", **facts)]
    if isinstance(one, list) and any(isinstance(item, str) and item for item in one):
        return None, [finding("secret-on-argv", subject or what, case="several", **facts)]
    return None, []


def about_unused(name: str, scope: Scope) -> list[Finding]:
    """Return the finding for a secret variable whose flag the platform's program ignores because it
    does not run vLLM's server: users may rely on that secret.
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
    return [differs("unused-secret", name, scope, flag=flag)]
