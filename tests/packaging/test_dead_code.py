"""Nothing in the package is there for nobody."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import translator

PACKAGE = Path(translator.__file__).parent
SOURCES = [path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))]
SCRIPT = (PACKAGE / "cli" / "translate").read_text(encoding="utf-8")


def defined(source: str) -> Iterator[str]:
    """The names of the functions, methods, classes and constants of a module, without those that
    Python itself looks for.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("__"):
            yield node.name
        elif isinstance(node, ast.Module):
            for item in node.body:
                targets = (
                    item.targets
                    if isinstance(item, ast.Assign)
                    else [item.target]
                    if isinstance(item, ast.AnnAssign)
                    else []
                )
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_every_name_is_used() -> None:
    words = Counter(word for source in (*SOURCES, SCRIPT) for word in re.findall(r"\w+", source))
    unused = {
        "create_module",
        "_print_message",
    }  # of an import loader and of a parser: Python and argparse ask for them
    assert [
        name
        for source in SOURCES
        for name in defined(source)
        if words[name] == 1 and name not in unused
    ] == []
