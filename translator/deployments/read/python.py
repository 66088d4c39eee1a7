"""Programs in Python, by their syntax trees: lists of words that start vLLM, texts that a shell
runs, and calls of vLLM's engine. Nothing is run: what is no literal is a hole.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

from translator.core.tables.images import image_of
from translator.core.text.json_text import PARSER
from translator.core.text.words import Place, joined, place, placed_at
from translator.deployments.read import Container, Context
from translator.deployments.read.engine_args import container_of
from translator.deployments.read.pins import Pin, of_image
from translator.deployments.read.programs import first_known, installed, serves
from translator.deployments.text.shell import split as commands_in
from translator.formats.classes import evolve
from translator.formats.places import beginning, split
from translator.formats.references import has_hole, hole

# A word of every program that starts vLLM: most of those that mention it do not.
_STARTS = re.compile(r"serve|vllm\.entrypoints|docker|\b(?:LLM|EngineArgs|AsyncEngineArgs)\b")
_ENGINES = ("LLM", "EngineArgs", "AsyncEngineArgs")
# Functions of `subprocess`, `os` and `asyncio` that run a text.
_RUNS = frozenset(
    ("run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput")
    + ("system", "popen", "create_subprocess_shell")
)


def read_program(text: str, context: Context) -> list[Container] | None:
    """Read what a program starts; None for another text."""
    if not _STARTS.search(text):
        return None
    try:
        with PARSER, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its strings
            tree = ast.parse(text)
        return _Program(tree, text, context).containers()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Program:
    """A program: what is imported from vLLM, the names that more is done with than to pass them on,
    such as to add to their lists, and what those are that are set once.
    """

    def __init__(self, tree: ast.Module, text: str, context: Context) -> None:
        self._tree, self._lines, self._context = tree, split(text, "\n"), context
        self._imports: dict[str, str] = {}
        self._open: set[str] = set()
        passed: set[ast.AST] = set()
        values: dict[str, ast.expr] = {}
        times: Counter[str] = Counter()
        for node in ast.walk(tree):  # a call before what it passes on
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vllm"):
                self._imports.update({item.asname or item.name: item.name for item in node.names})
            elif isinstance(node, ast.Call):
                passed.update(node.args, (item.value for item in node.keywords))
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self._open.add(node.target.id)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._open.update([node.id] if node not in passed else [])
            elif isinstance(node, (ast.Name, ast.arg)):  # a parameter is set elsewhere
                times[node.id if isinstance(node, ast.Name) else node.arg] += 1
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                values.update({at.id: node.value for at in targets if isinstance(at, ast.Name)})
        self._values = {name: value for name, value in values.items() if times[name] == 1}

    def containers(self) -> list[Container]:
        """Return what it starts, with the vLLM that it installs, or that is in its image."""
        containers = list(self._started())
        nodes = (node for node in ast.walk(self._tree) if _mentions(node))
        texts = [_text(self._value(node)) for node in nodes if isinstance(node, ast.expr)]
        pins = [installed(command) for text in texts for command in commands_in(text)]
        images = (text for text in texts if ":" in text and not {" ", "\n"}.intersection(text))
        pins += [of_image(image, image_of(image, self._context.tables)) for image in images]
        known = {pin.vllm: pin for pin in pins if pin is not None and (pin.vllm or not pin.image)}
        several = Pin(f"vllm=={' or '.join(sorted(known))}", is_release=False)
        pin = several if len(known) > 1 else next(iter(known.values()), None)
        return [evolve(item, pin=pin) for item in containers]

    def _started(self) -> Iterator[Container]:
        """Yield what it starts. What stands in a command is a part of it."""
        stack: list[tuple[ast.AST, str]] = [(self._tree, "")]
        while stack:
            node, more = stack.pop()
            container: Container | None = None
            if isinstance(node, (ast.List, ast.Tuple)):
                container = self._command(node, more)
            elif isinstance(node, ast.Call):
                container = self._called(node)
            if container is not None:
                yield container
            elif not str(getattr(node, "name", "")).startswith("test"):
                # A list that a value is compared with starts nothing.
                lists = (ast.List, ast.Tuple) if isinstance(node, ast.Compare) else ()
                children = [it for it in ast.iter_child_nodes(node) if not isinstance(it, lists)]
                stack += [(child, self._more(node)) for child in reversed(children)]

    def _more(self, node: ast.AST) -> str:
        """Return what is shown for the words that a program may add to a list in a part of it."""
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [item.id for item in targets if isinstance(item, ast.Name)]
        open_names = [f"{{*{name}}}" for name in names if name in self._open]
        return "{…}" if isinstance(node, (ast.BinOp, ast.Starred)) else "".join(open_names[:1])

    def _command(self, node: ast.List | ast.Tuple, more: str) -> Container | None:
        """Return the command that a list holds; None if it starts no vLLM."""
        if not any(map(_mentions, node.elts)):
            return None
        # Only of a command, what is no literal is written out: of lists in lists, all the others.
        literal = (ast.Constant, ast.JoinedStr)
        words = [
            _text(self._value(item)) if isinstance(item, literal) else hole("")
            for item in node.elts
        ]
        first = next((at for at, word in enumerate(words) if not has_hole(word)), len(words))
        program, known = _text(self._value(node.elts[first - 1])) if first else "", words[first:]
        front: list[str] = []
        # What is not known in front of it may be the program: [VLLM, "serve", …].
        if known[:1] == ["serve"] and "vllm" in program.lower():
            front = ["vllm"]
        elif known[:1] == ["-m"] or (known and known[0].startswith("vllm.entrypoints.")):
            front = ["python3", *(["-m"] if known[0] != "-m" else [])]
        known = [*front, *known]
        if len(known) <= 2 or first_known(known, 0) != 0 or not serves(known):
            return None
        values = [_text(self._value(item)) for item in node.elts[first:]]
        command = [*front, *values, *([hole(more)] if more else [])]
        return Container("", self._place(node), command=command)

    def _called(self, node: ast.Call) -> Container | None:
        """Return what a call starts: vLLM's engine, or the text that a shell runs."""
        names: list[str] = []
        func: ast.AST = node.func
        while isinstance(func, ast.Attribute):
            names.append(func.attr)
            func = func.value
        root = func.id if isinstance(func, ast.Name) else ""
        name = names[0] if names else self._imports.get(root, root)
        if name in _ENGINES and root in ("vllm" if names else "", *self._imports):
            return self._engine(name, node)
        given = [*node.args[:1], *(item.value for item in node.keywords if item.arg == "args")]
        given = [self._values.get(getattr(item, "id", ""), item) for item in given]
        if name not in _RUNS or not given or not _mentions(given[0]):
            return None
        text = _text(self._value(given[0]))
        command = ["/bin/sh", "-c", text]
        starts = any(map(serves, commands_in(text)))
        return Container("", self._place(given[0]), command=command) if starts else None

    def _engine(self, name: str, call: ast.Call) -> Container:
        """Return the command that makes the same arguments as a call."""
        arguments: dict[str, Any] = {}
        places: dict[str, Place] = {}
        for item in (*(ast.keyword("model", node) for node in call.args[:1]), *call.keywords):
            value = self._value(item.value)
            key = item.arg or f"**{_text(value)}"
            arguments[key], places[key] = value, self._place(item.value)
        return container_of(f"{name}(…)", arguments, self._place(call), places)

    def _value(self, node: ast.expr) -> Any:
        """Return a value, with a hole for what is no literal."""
        if isinstance(node, (ast.Constant, ast.UnaryOp)):
            try:
                value = ast.literal_eval(node)
            except ValueError:
                value = ...
            if isinstance(value, str):
                return placed_at(value, self._place(node))
            if value is None or isinstance(value, (int, float)):
                return value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self._value(item) for item in node.elts]
        if isinstance(node, ast.Dict) and None not in node.keys:
            keys = [_text(self._value(key)) for key in node.keys if key is not None]
            return dict(zip(keys, map(self._value, node.values)))
        if isinstance(node, ast.JoinedStr):
            text = "".join([_text(self._value(item)) for item in node.values])
            return placed_at(text, self._place(node))
        if isinstance(node, (ast.Starred, ast.FormattedValue)):
            return self._value(node.value)
        shown = ast.unparse(node).replace("'", '"')  # messages quote it with the other sign
        return placed_at(hole(f"{{{shown}}}"), self._place(node))

    def _place(self, node: ast.expr) -> Place:
        line = self._lines[min(node.lineno, len(self._lines)) - 1]
        column = node.col_offset if line.isascii() else 0  # counted in bytes
        return place(line, column) or (*beginning(line)[:2], 0)


def _text(value: Any) -> str:
    """Return a value as a word of a command."""
    return hole("…") if isinstance(value, (list, dict)) or value is None else joined([str(value)])


def _mentions(node: ast.AST) -> bool:
    """Return whether a literal may be a part of a command that starts vLLM, or name its version."""
    if isinstance(node, ast.JoinedStr):
        return any(map(_mentions, node.values))
    text = node.value if isinstance(node, ast.Constant) else ""
    return isinstance(text, str) and ("vllm" in text or text == "serve")
