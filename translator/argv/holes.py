"""Command lines with values that only the machine knows where they run: `--port $PORT`.

Such a value may be anything that its flag takes. It is replaced by one that the flag takes, so that
everything around it is checked as it is.
"""

from __future__ import annotations

from translator.argv.reader import strip_command
from translator.argv.rewriting import Rewritten, options_of, with_dashes
from translator.tables.catalog import MODEL
from translator.text.references import has_hole, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from translator.tables.catalog import Catalog, Flag

# A value of each kind; of a text, what is written is one.
_VALUES = {
    "bool-value": "true",
    "float": "0.5",
    "int": "1",
    "json": "{}",
    "size": "1",
    "size-or-auto": "1",
}


class Filled:
    """A command line without holes.

    Attributes:
        tokens: the tokens.
        flags: the flags whose values are stand-ins.
        dropped: whether something was left out that may be any number of tokens.
    """

    __slots__ = ("dropped", "flags", "tokens")

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.flags: dict[str, None] = {}
        self.dropped = False


def filled(tokens: Sequence[str], catalog: Catalog) -> Filled:
    """Return a command line with a fitting value in each hole.

    Args:
        tokens: the command line, its holes marked.
        catalog: the version's catalog.
    """
    done = Filled()
    if not any(has_hole(token) for token in tokens):
        done.tokens = list(tokens)
        return done
    start = len(tokens) - len(strip_command(list(tokens))[0])
    done.tokens = [visible(token) for token in tokens[:start]]
    taker: Flag | None = None  # the flag that takes the next value
    other = has_model = False  # whether the next value is that of an option that is not known
    for token in tokens[start:]:
        name, sign, value = token.partition("=")
        if has_hole(name) and _is_option(token):
            taker, other, done.dropped = None, True, True
        elif _is_option(token):
            flag, rest = named_flag(name, catalog)
            taker = flag if flag is not None and flag.takes_value and not (sign or rest) else None
            other = flag is None
            has_model = has_model or (flag is not None and flag.flag == MODEL)
            if not has_hole(value):
                done.tokens.append(token)
            elif flag is None:
                done.tokens.append(visible(token))
            else:
                done.flags[flag.flag] = None
                done.tokens.append(Rewritten(f"{name}={_value(flag, value)}", visible(token)))
        elif not has_hole(token):
            done.tokens.append(token)
            has_model = has_model or (taker is None and not other)
            taker = taker if taker is not None and taker.kind == "list" else None
        elif taker is not None:
            done.flags[taker.flag] = None
            done.tokens.append(Rewritten(_value(taker, token), visible(token)))
            taker = taker if taker.kind == "list" else None
        elif other or not has_model:
            has_model, other = has_model or not other, False
            done.tokens.append(visible(token))
        else:
            done.dropped = True
    return done


def _is_option(token: str) -> bool:
    return token.startswith("-") and len(token) > 1


def named_flag(token: str, catalog: Catalog) -> tuple[Flag | None, bool]:
    """Return the flag that a token names, and whether its value is in the token."""
    found = options_of(with_dashes(token, catalog.grammar), catalog)
    return (found[0][0], bool(found[0][2])) if len(found) == 1 else (None, False)


def _value(flag: Flag, written: str) -> str:
    """Return a value that a flag takes; of a choice its default, if it is one."""
    if flag.choices:
        choices = [str(item) for item in flag.choices]
        return str(flag.default) if str(flag.default) in choices else choices[0]
    kind = flag.kind if flag.kind not in ("list", "append") else flag.element
    return _VALUES.get(kind) or visible(written)
