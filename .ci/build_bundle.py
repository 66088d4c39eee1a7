"""Compile what a container's entrypoint can import into one file, for the Python that runs this
(see translator/bundle.py).

    python .ci/build_bundle.py FOLDER    writes FOLDER/code.TAG.bin and prints its path

With PYTHONHASHSEED=0 the same sources and the same Python give the same bytes.
"""

from __future__ import annotations

import _imp
import ast
import importlib.util
import marshal
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STARTS = ("translator.cli.exec", "translator.cli.env_to_args")
# The commands for people at a shell. What only they import is left out.
OTHERS = ("translator.cli.app", "translator.authoring")
# These are imported before the bundle is there.
BEFORE = ("translator", "translator.bundle")


def main() -> int:
    """Compile, and print where the file is."""
    (folder,) = sys.argv[1:]
    source_of_bundle = (ROOT / "translator" / "bundle.py").read_text(encoding="utf-8")
    key = re.search(r"^HASH_KEY = (\d+)", source_of_bundle, re.MULTILINE)
    assert key is not None
    found: dict[str, Path] = {}
    for start in STARTS:
        follow(start, found)
    entries = {}
    for module, path in sorted(found.items()):
        source = path.read_bytes()
        tree = without_docstrings(ast.parse(source))
        name = path.relative_to(ROOT).as_posix()
        code = compile(tree, name, "exec", dont_inherit=True, optimize=0)
        package = path.name == "__init__.py"
        entries[module] = _imp.source_hash(int(key[1]), source), package, marshal.dumps(code)
    target = Path(folder) / f"code.{sys.implementation.cache_tag}.bin"
    target.write_bytes(marshal.dumps((importlib.util.MAGIC_NUMBER, entries)))
    print(target)
    return 0


def follow(module: str, found: dict[str, Path]) -> None:
    """Add a module to those found, and what it imports, lazily too."""
    place = ROOT.joinpath(*module.split("."))
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    if module in found or module.startswith(OTHERS) or not path.is_file():
        return
    if module not in BEFORE:
        found[module] = path
        follow(module.rpartition(".")[0], found)
        for imported in imports(ast.parse(path.read_bytes())):
            if imported.partition(".")[0] == "translator":
                follow(imported, found)


def imports(node: ast.AST) -> list[str]:
    """Return the names that are imported, and may be modules; without those for types only."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return []
    return [name for child in ast.iter_child_nodes(node) for name in imports(child)]


def without_docstrings(tree: ast.Module) -> ast.Module:
    """Take the docstrings out: a tenth of the file, and nothing that runs here reads them."""
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body[:1] = [] if node.body[1:] else [ast.copy_location(ast.Pass(), node.body[0])]
    return tree


if __name__ == "__main__":
    sys.exit(main())
