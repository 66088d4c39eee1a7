"""Compile what a container's entrypoint can import into one file, for the Python that runs this
(see translator/bundle.py).

    python .ci/build_bundle.py FOLDER    writes FOLDER/code.TAG.bin and prints its path

With PYTHONHASHSEED=0 the same sources and the same Python give the same bytes.
"""

from __future__ import annotations
import __future__

import _imp
import ast
import importlib.util
import marshal
import sys
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parents[1]
HASH_KEY = 20  # as in translator/bundle.py: any number, since the hash detects accidents only
# What every process needs: its code is read at once. bundle.py starts the rest.
ALWAYS = ("translator.bundle", "translator.cli.exec", "translator.cli.guard")
# What is for people at a shell, reads their files, writes variables, or asks vLLM itself, which
# takes seconds; and what is for a start on several machines, which wait for one another. What only
# these import is left out.
OTHERS = (
    "translator.api.provenance",
    "translator.cli.app",
    "translator.cli.ask",
    "translator.cli.command_input",
    "translator.cli.terminal",
    "translator.env.cluster",
    "translator.env.place",
    "translator.env.writer",
    "translator.authoring",
)


def main() -> int:
    """Compile, and print where the file is."""
    (folder,) = sys.argv[1:]
    always: dict[str, Path] = {}
    found: dict[str, Path] = {}
    for start in ALWAYS:
        follow(start, always, lazily=False)
    for start in ALWAYS:
        follow(start, found, lazily=True)
    index, rest = {}, b""
    for module, path in sorted(found.items()):
        source = path.read_bytes()
        code: object = compiled(path)
        if module not in always:
            packed = marshal.dumps(code)
            code = len(rest), len(packed), hash_of(packed)
            rest += packed
        index[module] = hash_of(source), len(source), path.name == "__init__.py", code
    block = marshal.dumps(index)
    head = importlib.util.MAGIC_NUMBER + len(block).to_bytes(4, "little")
    target = Path(folder) / f"code.{sys.implementation.cache_tag}.bin"
    target.write_bytes(head + hash_of(head + block) + block + rest)
    print(target)
    return 0


def hash_of(content: bytes) -> bytes:
    """Return the hash that a hash-based .pyc has of its source."""
    return _imp.source_hash(HASH_KEY, content)


def follow(module: str, found: dict[str, Path], *, lazily: bool) -> None:
    """Add a module to those found, and what it imports: when it is imported, or also later."""
    place = ROOT.joinpath(*module.split("."))
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    if module in found or module.startswith(OTHERS) or not path.is_file():
        return
    found[module] = path
    follow(module.rpartition(".")[0], found, lazily=lazily)
    for imported in imports(ast.parse(path.read_bytes()), lazily):
        if imported.partition(".")[0] == "translator":
            follow(imported, found, lazily=lazily)


def imports(node: ast.AST, lazily: bool) -> list[str]:
    """Return the names that are imported, and may be modules; without those for types only."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    if for_types(node) or (isinstance(node, ast.FunctionDef) and not lazily):
        return []
    return [name for child in ast.iter_child_nodes(node) for name in imports(child, lazily)]


def for_types(node: ast.AST) -> bool:
    """Return whether a statement is for type checkers only."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def compiled(path: Path) -> CodeType:
    """Return a module's code without what nothing that runs here reads."""
    tree = Bare().visit(ast.parse(path.read_bytes()))
    name = path.relative_to(ROOT).as_posix()
    flags = __future__.annotations.compiler_flag
    return compile(ast.fix_missing_locations(tree), name, "exec", flags, True, optimize=0)


class Bare(ast.NodeTransformer):
    """Takes docstrings, functions' annotations, imports for types and `from __future__` out of a
    module.
    """

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body[:1] = [] if node.body[1:] else [ast.copy_location(ast.Pass(), node.body[0])]
        return super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.AST]:
        if for_types(node):
            return [self.visit(child) for child in node.orelse]
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node


if __name__ == "__main__":
    sys.exit(main())
