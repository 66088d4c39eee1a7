"""Makefiles: the lines of their recipes that start vLLM.

https://www.gnu.org/software/make/manual/make.html
"""

from __future__ import annotations

import re

from translator.commands.command import Command, Context, exceeded
from translator.commands.programs import serves
from translator.commands.unwrap import Unwrapper, distinct
from translator.text.expansion import Budget
from translator.text.lines import continued
from translator.text.placed import beginning, cut, joined, replaced, stamped, stripped, whole
from translator.text.placed import split as split_placed
from translator.text.references import references
from translator.text.shell import split

_DEEPEST = 20
# A line that sets a variable: its name, how it is set, and the value.
_SET = re.compile(r"(?:(?:export|override) +)*([A-Za-z_][\w.-]*)[ \t]*(:{0,3}=|\?=|\+=)[ \t]*(.*)")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
# What make leaves out of a line that is no recipe's: a comment; and a sign that begins none.
_COMMENT = re.compile(r"\\#|#.*", re.DOTALL)


def read_makefile(text: str, context: Context) -> list[Command]:
    """Read the lines of recipes that start vLLM; make gives each a shell of its own."""
    parts: dict[str, list[str]] = {}
    recipes: list[str] = []
    for line in continued(split_placed(whole(text), "\n")):
        bare = stripped(line)
        if not bare or bare.startswith("#"):
            continue
        found = None if line.startswith("\t") else _SET.match(bare)
        if line.startswith("\t"):
            recipes.append(stripped(bare, "@-+", ""))
        elif found is not None:
            name, sign, _ = found.groups()
            value = replaced(cut(bare, found.start(3)), _COMMENT, _uncommented)
            if sign == "+=" and name in parts:
                parts[name].append(value)
            elif sign != "?=" or name not in parts:
                parts[name] = [value]
    variables = {name: joined(values, " ") for name, values in parts.items()}
    variables.update(context.env)
    budget = Budget()
    made: list[Command] = []
    for recipe in recipes:
        script = _expanded(recipe, variables, budget, beginning(recipe)[1])
        if "vllm" in script and any(map(serves, split(script))):
            made += distinct(Unwrapper(context).script(script))
    if made:
        made[-1].findings.extend(exceeded(budget))
    return made


def _uncommented(written: str) -> str:
    """Return `#` for `\\#`, and nothing for a comment."""
    return "#" if written == "\\#" else ""


def _expanded(
    text: str, variables: dict[str, str], budget: Budget, line: int, inside: tuple[str, ...] = ()
) -> str:
    """Return a text with `$(NAME)` and `${NAME}` replaced; `$$` is `$`. What make does not set is
    left to the shell, as is a function of make, whose value is not known.

    Args:
        text: the text.
        variables: those of make.
        budget: how much they may add.
        line: its line.
        inside: the variables whose values it is in.
    """
    found: list[str] = []
    for part, written in references(text, "()", "{}"):
        name, made = written.strip(), part
        if name in variables and name not in inside and len(inside) < _DEEPEST:
            value = budget.take(variables[name], line)
            made = _expanded(value, variables, budget, line, (*inside, name))
        elif written:
            made = f"${{{name}}}" if _NAME.fullmatch(name) else "${MAKE}"
        found.append(stamped(made, part))
    return joined(found)
