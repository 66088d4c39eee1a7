"""Programs in Python and notebooks, by their syntax trees: the commands in lists and strings, and
calls of vLLM's engine. Nothing is run: what is not written out is a hole.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve

from translator.files import Container, Context
from translator.files.engine_args import container_of
from translator.files.programs import first_known, installed, serves
from translator.tables.builds import image_of
from translator.text.json_text import JsonError, dumps, loads
from translator.text.references import has_hole, hole
from translator.text.shell import split as commands_in
from translator.text.words import (
    Place,
    beginning,
    cut,
    joined,
    place,
    placed_at,
    replaced,
    split,
    stamped,
)

# What a name gets: a value, or None for one that is not written out; whether it is added to the
# value before; and the block of statements that this stands in.
_Given = tuple[ast.expr | None, bool, object]

# A word of every program that starts vLLM: most of those that mention it do not.
_STARTS = re.compile(r"serve|vllm\.entrypoints|docker|\b(?:LLM|EngineArgs|AsyncEngineArgs)\b")
_ENGINES = ("LLM", "EngineArgs", "AsyncEngineArgs")
# Calls that run a command, and their keywords for it.
_RUNS = re.compile(
    r"(?:run|exec|spawn|launch|start)(?:_?[a-z]*cmd|_?[a-z]*command|vpe?|ute)?|\w*popen|system|task"
    r"|(?:check_)?(?:call|output)|get\w*output|create_subprocess_shell",
    re.IGNORECASE,
)
_KEYWORDS = ("args", "cmd", "command", "bash_command", "run")
# Calls that return their argument in another form.
_SAME = frozenset(
    ("str", "int", "float", "list", "tuple", "pathlib.Path", "shlex.quote", "shlex.split")
    + ("shlex.join",)
)
_COST = 16  # of a name and of an element, for the budget
# Lines of a notebook that are no Python, cells of a shell, and names of Python in their lines.
_MAGIC = re.compile(
    r"^[ \t]*(?:[\w, ]+=[ \t]*)?(?:!|%(?=[%a-z]))((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE
)
_SHELL = re.compile(r"\s*%%(?:bash|sh|script[^\n]*)\b[^\n]*\n")
_NAME = re.compile(r"\{[A-Za-z_]\w*\}", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def read_program(text: str, context: Context) -> list[Container] | None:
    """Read what a program or a notebook starts, also a program with lines for a notebook; None for
    another text.
    """
    if not _STARTS.search(text):
        return None
    cells = [text]
    if text.lstrip()[:1] == "{":
        try:
            cells = list(_cells(loads(text), text))
        except JsonError:
            return None
    return _read(cells, context)


def _cells(notebook: Any, text: str) -> Iterator[str]:
    """Yield the code in the cells of a notebook, with the places of its lines in the text."""
    at = 0
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    cells = [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []
    for cell in filter(lambda cell: cell.get("source"), cells):
        at = text.find('"source"', at) + len('"source"')
        lines: list[str] = []
        for _ in cell["source"] if isinstance(cell["source"], list) else [""]:
            if (written := _STRING.search(text, at)) is not None:
                start, at = written.start() + 1, written.end()
                plain = len(written[0][1:-1].partition("\\")[0])
                behind = stamped(loads(written[0])[plain:], text, start + plain)
                lines += (cut(text, start, start + plain), behind)
        if cell.get("cell_type") == "code":
            yield joined(lines)


def _read(cells: Sequence[str], context: Context) -> list[Container] | None:
    """Read the code of cells, some of them of a shell; None if nothing in them is Python."""
    code: list[str] = []
    scripts: list[str] = []
    tree: ast.Module | None = None
    for cell in cells:
        if found := _SHELL.match(cell):
            scripts.append(cut(cell, found.end()))
        elif (tree := _tree(cell)) is not None:
            code.append(cell)
        elif (tree := _tree(bare := replaced(cell, _MAGIC, _passed))) is not None:
            code.append(bare)
            scripts += [cut(cell, *line.span(1)) for line in _MAGIC.finditer(cell)]
    text = joined(code, "\n")
    if len(cells) > 1 or not code:
        tree = _tree(text)
    if tree is None or not (code or scripts):
        return None
    try:
        return _Program(tree, text, context).containers(scripts)
    except (RecursionError, ValueError):  # an f-string that ast cannot write, up to 3.11
        return None


def _passed(line: str) -> str:
    """Return Python that does nothing, in as many lines."""
    return line[: len(line) - len(line.lstrip())] + "pass" + "\n" * line.count("\n")


def _tree(text: str) -> ast.Module | None:
    """Return the syntax tree of a program; None for any other text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its strings
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Program:
    """A program: its names, its calls and its lists."""

    def __init__(self, tree: ast.Module, text: str, context: Context) -> None:
        self._context, self._lines = context, split(text, "\n")
        self._imports: dict[str, str] = {}
        self._calls: list[ast.Call] = []
        self._lists: list[ast.expr] = []
        self._texts: list[ast.expr] = []  # those that mention vLLM
        self._given: dict[str, list[_Given]] = {}
        self._named: dict[ast.AST, tuple[str, object]] = {}  # a value -> its name, and its block
        self._sums: dict[ast.AST, ast.expr] = {}  # a part of a sum -> the whole sum
        self._used: set[ast.AST] = set()  # the values of names that stand in other values
        self._open: set[ast.AST] = set()  # the values of names that are looked up
        stack: list[tuple[ast.AST, object, bool]] = [(tree, None, False)]
        while stack:
            node, block, is_test = stack.pop()
            is_test = is_test or str(getattr(node, "name", "")).startswith("test")
            found: list[tuple[ast.AST, object, bool]] = []
            for child in self._parts(node, block, is_test):
                for part in child if isinstance(child, list) else [child]:
                    if isinstance(part, ast.AST) and not isinstance(part, ast.expr_context):
                        inner = child if isinstance(part, ast.stmt) else block
                        found.append((part, inner, is_test))
            stack += reversed(found)

    def _parts(self, node: ast.AST, block: object, is_test: bool) -> list[Any]:
        """Take note of a part of the program, and return what is in it."""
        if isinstance(node, ast.Call):
            self._calls.append(node)
        elif isinstance(node, (ast.List, ast.Tuple)) and any(map(_mentions, node.elts)):
            self._lists += [node] * (not is_test)
        elif isinstance(node, ast.Compare):  # a list that something is compared with starts nothing
            sides = [node.left, *node.comparators]
            return [side for side in sides if not isinstance(side, (ast.List, ast.Tuple))]
        elif isinstance(node, ast.BinOp):
            self._sums[node.left] = self._sums[node.right] = self._sums.get(node, node)
        elif isinstance(node, (ast.Constant, ast.JoinedStr)):
            self._texts += [node] * _mentions(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            source = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            self._imports.update({it.asname or it.name: source + it.name for it in node.names})
        name, value, more = _assignment(node)
        if name:
            self._given.setdefault(name, []).append((value, more, block))
        if value is None:
            return [part for _, part in ast.iter_fields(node)]
        self._named.update({} if more else {value: (name, block)})
        return [value]

    def containers(self, scripts: Sequence[str]) -> list[Container]:
        """Return what it starts, and what the lines for a shell do that stand in it."""
        found: list[tuple[ast.AST | None, Container | None]] = []
        for call in self._calls:
            source, _, name = self._name(call.func).rpartition(".")
            if name in _ENGINES and source.partition(".")[0] == "vllm":
                found.append((None, self._engine(name, call)))
            elif _RUNS.fullmatch(name):
                given = [item.value for item in call.keywords if item.arg in _KEYWORDS]
                for node in (*call.args[:1], *given):
                    made = _started(self._value(node), self._place(call))
                    found.append((None, made))
        for root, part in {self._sums.get(node, node): node for node in self._lists}.items():
            found.append((root, _started(self._added(root), self._place(part))))
        for script in scripts:
            found.append((None, _started(replaced(script, _NAME, hole), beginning(script))))
        started = [item for root, item in found if item is not None and root not in self._used]
        started.sort(key=lambda item: item.place[1])
        texts = (_text(self._value(node)) for node in self._texts)
        versions = self._versions([*texts, *scripts])
        vllm = hole(" or ".join(versions)) if versions[1:] else "".join(versions)
        return [evolve(item, vllm=vllm) for item in started]

    def _engine(self, name: str, call: ast.Call) -> Container:
        """Return the command that makes the same arguments as a call."""
        arguments: dict[str, Any] = {}
        places: dict[str, Place] = {}
        given = [ast.keyword("model", node) for node in call.args[:1]]
        for item in (*given, *call.keywords):
            inner = self._given_by(item)
            arguments.update(inner)
            places.update(dict.fromkeys(inner, self._place(item.value)))
        return container_of(f"{name}(…)", arguments, self._place(call), places)

    def _given_by(self, item: ast.keyword) -> dict[str, Any]:
        """Return the arguments that one of a call gives: itself, or several with `**`."""
        value = self._value(item.value)
        found: dict[str, Any] = {item.arg: value} if item.arg else _sum([{}, value])
        return found

    def _versions(self, texts: Sequence[str]) -> list[str]:
        """Return the versions of vLLM that are installed, or in an image, by texts."""
        found = {installed(command) for text in texts for command in commands_in(text)}
        images = (text for text in texts if ":" in text and not {" ", "\n"}.intersection(text))
        found.update(image_of(it, self._context.tables).version for it in images)
        return sorted(found - {""})

    # --- values: texts with holes, numbers, lists and mappings

    def _value(self, node: ast.expr) -> Any:
        """Return a value, with a hole for what is not written out."""
        value: Any = None
        if isinstance(node, ast.Constant):
            value = node.value
            return placed_at(value, self._place(node)) if isinstance(value, str) else value
        if isinstance(node, (ast.List, ast.Tuple)):
            found = ((self._value(item), isinstance(item, ast.Starred)) for item in node.elts)
            return _sum([[], *(part if is_starred else [part] for part, is_starred in found)])
        if isinstance(node, ast.Dict) and None not in node.keys:
            keys = [_text(self._value(key)) for key in node.keys if key is not None]
            return dict(zip(keys, [self._value(item) for item in node.values]))
        if isinstance(node, ast.JoinedStr):
            parts = [self._value(item) for item in node.values]
            value = placed_at("".join(map(_text, parts)), self._place(node))
        elif isinstance(node, ast.Starred):
            value = self._value(node.value)
        elif isinstance(node, ast.FormattedValue):
            value = self._value(node.value) if node.format_spec is None else None
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            value = _sum([self._value(part) for part in (node.left, node.right)])
        elif isinstance(node, ast.Name):
            value = self._of_name(node.id)
        elif isinstance(node, ast.Call):
            value = self._called(node)
        elif self._name(node) == "sys.executable":
            value = "python3"
        if value is not None:
            return value
        shown = ast.unparse(node).replace("'", '"')  # messages quote it with the other sign
        return placed_at(hole(f"{{{shown}}}"), self._place(node))

    def _of_name(self, name: str) -> Any:
        """Return the value of a name that is given once, with what is added to it; or None."""
        given = self._given.get(name, ())
        first = next((value for value, more, _ in given if not more), None)
        once = sum(not more for _, more, _ in given) == 1
        if first is None or not once or first in self._open:
            return None
        self._used.add(first)
        value = self._added(first) if self._context.budget.spend(_COST * len(given)) else None
        cost = len(value) if isinstance(value, str) else 0
        cost += _COST * len(value) if isinstance(value, (list, dict)) else 0
        return value if self._context.budget.spend(cost) else None

    def _added(self, first: ast.expr) -> Any:
        """Return a value with what is added to it, if a name gets it."""
        name, block = self._named.get(first, ("", None))
        added = [(value, at) for value, more, at in self._given.get(name, ()) if more]
        sure = [value for value, at in added if value is not None and at is block]
        self._open.add(first)
        values = [self._value(node) for node in (first, *sure)]
        self._open.discard(first)
        if len(sure) < len(added):  # in branches, and by what is not written out
            blank = "" if isinstance(values[0], (list, dict)) else " "
            values.append(hole(f"{blank}{{*{name}}}"))
        return _sum(values) if values[1:] else values[0]

    def _called(self, node: ast.Call) -> Any:
        """Return what a call makes that only puts values together; None for any other."""
        name, args = self._name(node.func), [self._value(item) for item in node.args]
        if name == "dict" and not args:
            return _sum([{}, *map(self._given_by, node.keywords)])
        if name in ("os.environ.get", "os.getenv") and len(args) == 2:
            return args[1]  # what is meant where nothing is set
        if name == "json.dumps" and args:
            return dumps(args[0])
        if name in _SAME and len(args) == 1:
            return args[0]
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "split"):
            text = self._value(node.func.value)
            if not args and node.func.attr == "split":
                return text  # which a shell splits, too
            if isinstance(text, str) and len(args) == 1 and isinstance(args[0], list):
                return joined(map(_text, args[0]), text)
        return None

    def _name(self, node: ast.AST) -> str:
        """Return the name of what is called, with the module that it is imported from."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        parts.append(self._imports.get(node.id, node.id) if isinstance(node, ast.Name) else "")
        return ".".join(parts[::-1])

    def _place(self, node: ast.expr) -> Place:
        line = self._lines[min(node.lineno, len(self._lines)) - 1]
        column = node.col_offset if line.isascii() else 0  # counted in bytes
        return place(line, column) or (*beginning(line)[:2], 0)


def _assignment(node: ast.AST) -> tuple[str, ast.expr | None, bool]:
    """Return the name that a part of a program gives a value, the value if it is written out, and
    whether it is added to the one before; "" for any other part.
    """
    target: ast.AST | None = None
    value: ast.expr | None = None
    more = False
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        target, value = node.target, node.value
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        target, value, more = node.target, node.value, True
    elif isinstance(node, ast.arg):
        return node.arg, None, False
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        target = node
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method, target, more = node.func.attr, node.func.value, True
        if method in ("append", "extend") and len(node.args) == 1:
            value = node.args[0]
            if method == "append":
                value = ast.copy_location(ast.List([value], ast.Load()), value)
        elif method not in ("insert", "remove", "pop", "update"):
            target = None
    if isinstance(target, ast.Subscript):  # what is set in a list or a mapping
        target, value, more = target.value, None, True
    return (target.id, value, more) if isinstance(target, ast.Name) else ("", None, False)


def _sum(values: Sequence[Any]) -> Any:
    """Return lists, mappings or texts together; None for anything else."""
    if isinstance(values[0], dict):
        merged = (item if isinstance(item, dict) else {f"**{_text(item)}": item} for item in values)
        return {key: value for item in merged for key, value in item.items()}
    if any(isinstance(item, list) for item in values):
        return [it for item in values for it in (item if isinstance(item, list) else [item])]
    is_text = all(isinstance(item, str) for item in values)
    # What is not known may be numbers.
    return joined(values) if is_text and not all(has_hole(item[:1]) for item in values) else None


def _text(value: Any) -> str:
    """Return a value as a word of a command."""
    return hole("…") if isinstance(value, (list, dict)) or value is None else joined([str(value)])


def _mentions(node: ast.AST) -> bool:
    """Return whether an element of a list may be a part of a command that starts vLLM."""
    if isinstance(node, ast.JoinedStr):
        return any(map(_mentions, node.values))
    text = node.value if isinstance(node, ast.Constant) else ""
    return isinstance(text, str) and ("vllm" in text or text == "serve")


def _started(value: Any, at: Place) -> Container | None:
    """Return a command as a container; None for anything else."""
    tokens: list[str] = []
    if isinstance(value, str) and "vllm" in value and any(map(serves, commands_in(value))):
        tokens = ["/bin/sh", "-c", value]
    elif isinstance(value, list):
        words = [item if isinstance(item, str) else _text(item) for item in value]
        first = next((at for at, word in enumerate(words) if not has_hole(word)), len(words))
        words, before = words[first:], words[:first]
        # What is not known in front of it may be the program: [VLLM, "serve", …].
        if words[:1] == ["serve"] and "vllm" in "".join(before[-1:]).lower():
            words = ["vllm", *words]
        elif words[:1] == ["-m"] or (words[0:1] and words[0].startswith("vllm.entrypoints.")):
            words = ["python3", *(["-m"] if words[0] != "-m" else []), *words]
        is_command = len(words) > 2 and first_known(words, 0) == 0 and serves(words)
        tokens = words if is_command else tokens
    return Container("", at, command=tokens) if tokens else None
