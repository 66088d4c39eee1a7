"""The expressions of relations.toml as core/settings/relations.py evaluates them: lists that begin
with an operator; flags, keys of flags, `model.NAME` and `env.NAME` for names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from translator.core.settings.relations import is_name, names_in
from translator.core.tables.catalog import flag_of
from translator.maintain.model.relations import Group, Relation, Relations
from translator.maintain.model.schema import unstructure

_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.In: "in", ast.NotIn: "not in",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Mod: "%", ast.FloorDiv: "//", ast.Mult: "*", ast.Add: "+",
}  # fmt: skip
_FUNCTIONS = ("set", "first", "max", "min", "len")

Entries = dict[str, Any]


def expression(text: str, derive: Mapping[str, str]) -> Any:
    """Return an expression, compiled; derived names are replaced by what they stand for.

    Raises:
        ValueError: it is none.
    """
    try:
        return _read(ast.parse(text, mode="eval").body, derive)
    except (SyntaxError, RecursionError):
        raise ValueError(f"is no expression: {text}") from None


def _read(node: ast.expr, derive: Mapping[str, str]) -> Any:
    def call(node: ast.AST, *parts: ast.expr) -> Any:
        return [_OPERATORS[type(node)], *(_read(part, derive) for part in parts)]

    match node:
        case ast.Constant(value=value) if not is_name(value):
            return value
        case ast.Name(id=name):
            return expression(derive[name], derive) if name in derive else flag_of(name)
        case ast.Attribute(value=ast.Name(id="model" | "env" as room), attr=name):
            return f"{room}.{name}"
        case ast.Attribute(value=value, attr=key):
            return f"{_read(value, derive)}.{key}"
        case ast.BoolOp(op=op, values=parts):
            return call(op, *parts)
        case ast.UnaryOp(op=ast.Not() as op, operand=operand):
            return call(op, operand)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
            return call(op, left, right)
        case ast.Compare(ops=[ast.In()], left=ast.Constant(value=str(part)), comparators=[text]):
            return ["contains", _read(text, derive), part]
        case ast.Compare(left=left, ops=[op], comparators=[ast.Tuple(elts=parts)]):
            return call(op, left, *parts)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
            return call(op, left, right)
        case ast.Call(func=ast.Name(id="set"), args=[argument]):
            return _given(_read(argument, derive))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
            return [name, *(_read(argument, derive) for argument in arguments)]
    raise ValueError(f"is not understood: {ast.unparse(node)}")


def _given(name: Any) -> Any:
    """Return what tells whether a name, or the first of several, is given."""
    return ["or", *map(_given, name[1:])] if type(name) is list else ["set", name]


def _parts(expression: Any) -> list[Any]:
    """Return what all must be true for an expression to be."""
    if type(expression) is list and expression[0] == "and":
        return [part for item in expression[1:] for part in _parts(item)]
    return [] if expression is True else [expression]


def _entry(relation: Relation, group: Group, derive: Mapping[str, str]) -> Entries:
    """Return a compiled relation; `by` says when it is tried, and the flags of which one must be
    given: those of its first condition, or of all that it demands.
    """
    when, must = (_parts(expression(text, derive)) for text in (relation.when, relation.must))
    unless = [expression(text, derive) for text in (group.unless, relation.unless) if text]
    is_of_line = all(name[:2] == "--" for name in names_in(*when, *must))
    stage = "line" if is_of_line else "model" if any(map(_is_of_model, (*when, *must))) else "start"
    flags = _flags(*when, *must)
    fields = {"when": when, "must": must, "unless": unless, "flags": flags}
    anywhere = {"anywhere": True} if group.anywhere else {}
    first = next(filter(None, map(_flags, when)), flags)
    return {**unstructure(relation), **anywhere, **fields, "by": [stage, first]}


def _flags(*expressions: Any) -> list[str]:
    names = (name.partition(".")[0] for name in names_in(*expressions) if name[:2] == "--")
    return list(dict.fromkeys(names))


def _is_of_model(expression: Any) -> bool:
    """Return whether an expression is tried with a model only: of that, or of a variable."""
    if type(expression) is not list:
        return str(expression).startswith(("model.", "env."))
    return (all if expression[0] == "first" else any)(map(_is_of_model, expression[1:]))


def compiled(table: Relations) -> Entries:
    """Return the relations by id; one that is switched off as None."""
    every = [(relation, group) for group in table.group for relation in group.relation]
    return {one.id: None if one.off else _entry(one, group, table.derive) for one, group in every}


def split(entries: Mapping[str, Any]) -> tuple[Entries, Entries]:
    """Return the relations that are not switched off; and when one is tried → the flag that must be
    given → the ids.
    """
    kept = {name: dict(fields) for name, fields in entries.items() if fields is not None}
    by: dict[str, dict[str, list[str]]] = {"line": {}, "start": {}, "model": {}}
    for name, fields in kept.items():
        stage, flags = fields["by"]
        for flag in flags:
            by[stage].setdefault(flag, []).append(name)
    return kept, by


def names_of(relation: Relation, derive: Mapping[str, str]) -> Iterator[str]:
    """Yield the names in a relation, in what it derives, too.

    Raises:
        ValueError: it holds what is no expression.
    """
    for text in filter(None, (relation.when, relation.must, relation.unless)):
        yield from names_in(expression(text, derive))
