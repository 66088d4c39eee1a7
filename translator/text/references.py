"""References in brackets that are replaced wherever they stand: those of Kubernetes and systemd.
Shells and compose have more: see parameter_expansion.py.
"""

from __future__ import annotations

from translator.text.placed import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def kubernetes_escape(text: str) -> str:
    """Return a string that Kubernetes, which replaces `$(NAME)` and reads `$$` as `$`, turns into
    the given one.
    """
    found = []
    for at, char in enumerate(text):
        found.append("$$" if char == "$" and text[at + 1 : at + 2] in ("$", "(") else char)
    return "".join(found)


def references(text: str, brackets: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text: each as written, with the name that it refers to or "".

    Args:
        text: the text; `$$` in it is `$`.
        brackets: what stands around a name, such as "()".
    """
    mark, closing = brackets[0], brackets[1]
    last = text.rfind(closing)
    at = 0
    while (dollar := text.find("$", at)) >= 0:
        yield cut(text, at, dollar), ""
        behind = text[dollar + 1 : dollar + 2]
        if behind == mark and dollar < last:
            end = text.find(closing, dollar)
            at = end + 1
            yield cut(text, dollar, at), text[dollar + 2 : end]
        else:
            at = dollar + (2 if behind == "$" else 1)
            yield cut(text, dollar, dollar + 1), ""
    yield cut(text, at), ""
