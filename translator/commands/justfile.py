"""Justfiles: the recipes that start vLLM.

https://just.systems/man/en/
"""

from __future__ import annotations

import re
from functools import partial

from translator.commands.command import Command, Context, exceeded
from translator.commands.programs import serves
from translator.commands.unwrap import Unwrapper, distinct
from translator.text.expansion import Budget
from translator.text.placed import cut, joined, replaced, stripped, whole
from translator.text.placed import split as split_placed
from translator.text.shell import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SET = re.compile(r"(?:export +)?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*(.*)")
_PARAMETER = re.compile(r"(?<![\w-])([A-Za-z_][\w-]*)=(\"[^\"]*\"|'[^']*'|[^\s:]+)")
_REFERENCE = re.compile(r"\{\{\{\{|\{\{([^{}]*)\}\}")
_TEXT = re.compile(r"(?:\"([^\"]*)\"|'([^']*)')[ \t]*(?:#.*)?")
_NAME = re.compile(r"([A-Za-z_][\w-]*)[ \t]*(?:#.*)?")
# A variable of the environment, and what is used if it is not set.
_ENV = re.compile(
    r"env(?:_var_or_default|_var)?\(\s*[\"']([^\"']*)[\"']\s*(?:,\s*[\"']([^\"']*)[\"']\s*)?\)"
    r"[ \t]*(?:#.*)?"
)


def read_justfile(text: str, context: Context) -> list[Command]:
    """Read the recipes that start vLLM, with the defaults of their parameters."""
    variables: dict[str, str] = {}
    recipes: list[tuple[dict[str, str], list[str]]] = []
    for line in split_placed(whole(text), "\n"):
        if line[:1] in (" ", "\t"):
            if recipes:
                recipes[-1][1].append(stripped(line, " \t@", ""))
        elif (found := _SET.match(line)) is not None:
            variables[found[1]] = _value(cut(line, found.start(2)), variables, context.env)
        elif line and not line.startswith(("#", "[")):
            given = {
                item[1]: _value(cut(line, *item.span(2)), variables, context.env)
                for item in _PARAMETER.finditer(line)
            }
            recipes.append((given, []))
    budget = Budget()
    made: list[Command] = []
    for given, lines in recipes:
        known = {**variables, **given}
        filled_in = partial(_filled_in, known=known, env=context.env, budget=budget)
        script = replaced(joined(lines, "\n"), _REFERENCE, filled_in)
        if "vllm" in script and any(map(serves, split(script))):
            made += distinct(Unwrapper(context).script(script))
    if made:
        made[-1].findings.extend(exceeded(budget))
    return made


def _filled_in(
    written: str, known: Mapping[str, str], env: Mapping[str, str], budget: Budget
) -> str:
    """Return what stands for `{{…}}`; `{{{{` is two braces."""
    if written == "{{{{":
        return "{{"
    return budget.take(_value(stripped(cut(written, 2, -2)), known, env))


def _value(written: str, known: Mapping[str, str], env: Mapping[str, str]) -> str:
    """Return the value of an expression; what is not known, as a reference of the shell."""
    if (found := _TEXT.fullmatch(written)) is not None:
        return cut(written, *found.span(found.lastindex or 1))
    if (found := _ENV.fullmatch(written)) is not None:
        name = found[1]
        default = cut(written, *found.span(2)) if found[2] is not None else f"${{{name}}}"
        return env.get(name, default)
    if (found := _NAME.fullmatch(written)) is None:
        return "${JUST}"
    return known.get(found[1], f"${{{found[1].replace('-', '_')}}}")
