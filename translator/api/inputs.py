"""What a caller hands over, before anything reads it: names, values and tokens are texts, and what
is not is told of instead of crashing.
"""

from __future__ import annotations

from translator.findings import Finding, TranslationError, finding, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_ASKED = {
    "vllm": ("the version of vLLM", '"0.27.1"'),
    "dialect": ("the dialect", '"runpod"'),
}  # what a caller may ask for: in words, and as an example


def _kind(value: object) -> str:
    return type(value).__name__


def environment(env: Any) -> tuple[dict[str, str], list[Finding]]:
    """A mapping that may hold anything as an environment (None sets nothing), and what is wrong
    with it.

    Raises:
        TranslationError: it is no mapping.
    """
    try:
        items = list(env.items())
    except (AttributeError, TypeError):
        raise TranslationError(
            [
                finding(
                    "bad-text",
                    "env",
                    f"the environment is a {_kind(env)}: expected a mapping of names to texts",
                    "",
                )
            ]
        ) from None
    found: dict[str, str] = {}
    told: list[Finding] = []
    for name, value in items:
        if not isinstance(name, str):
            told.append(
                finding(
                    "bad-text",
                    "env",
                    f"the environment has a name that is no text, but of type {_kind(name)}",
                    "leave it out",
                )
            )
        elif isinstance(value, str):
            found[name] = value
        elif value is not None:
            hint = f'write "{value}"' if type(value) in (int, float, bool) else "write it as a text"
            told.append(
                finding(
                    "bad-text",
                    name,
                    f"{name} is of type {_kind(value)}: the value of a variable is a text",
                    hint,
                )
            )
    return found, told


def tokens(argv: Any) -> list[str]:
    """A sequence that may hold anything as the tokens of a command line.

    Raises:
        TranslationError: it is one text, no sequence, or holds tokens that are no texts.
    """
    if isinstance(argv, (str, bytes)):
        message = "the command line is one text: expected a list of tokens"
        raise TranslationError(
            [finding("bad-text", "argv", message, "split it as a shell does, with shlex.split")]
        )
    try:
        found = list(argv)
    except TypeError:
        raise TranslationError(
            [
                finding(
                    "bad-text",
                    "argv",
                    f"the command line is a {_kind(argv)}: expected a list of tokens",
                    "",
                )
            ]
        ) from None
    told = []
    for at, item in enumerate(found):
        if not isinstance(item, str):
            before = (
                f" behind {show(found[at - 1].partition('=')[0])}"
                if at and isinstance(found[at - 1], str) and found[at - 1].startswith("-")
                else ""
            )
            hint = (
                f'write "{item}"'
                if type(item) in (int, float)
                else "leave it out, or write it as a text"
            )
            told.append(
                finding(
                    "bad-text",
                    f"argv[{at}]",
                    f"token {at + 1}{before} is of type {_kind(item)}: expected a text",
                    hint,
                )
            )
    if told:
        raise TranslationError(told)
    return found


def choice(value: Any, code: str, subject: str) -> str:
    """A version or a dialect that a caller asks for.

    Raises:
        TranslationError: it is no text.
    """
    if not isinstance(value, str):
        raise TranslationError(
            [
                finding(
                    code,
                    subject,
                    f"{_ASKED[subject][0]} is of type {_kind(value)}: expected a text",
                    f"write {_ASKED[subject][1]}",
                )
            ]
        )
    return value


def json_style(value: Any) -> None:
    """Check how a caller wants JSON values written.

    Raises:
        TranslationError: it is no known style.
    """
    if value not in ("compact", "dotted"):
        shown = show(value) if isinstance(value, str) else _kind(value)
        raise TranslationError(
            [finding("bad-choice", "json_style", case="json-style", given=shown)]
        )
