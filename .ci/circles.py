"""Tell whether modules import each other in a circle; lazy imports and those for types count.

    python .ci/circles.py

import-linter compares siblings, this every module with every other, so that a package and a module
inside of it are seen, too. Exit status: 0 without a circle, else 1 with one line for each.
"""

from __future__ import annotations

import sys
from graphlib import CycleError, TopologicalSorter

import grimp


def main() -> int:
    """Print a circle, if there is one."""
    graph = grimp.build_graph("translator", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        print(" <- ".join(error.args[1]))
        return 1
    print(f"{len(imports)} modules, {graph.count_imports()} imports, no circle")
    return 0


if __name__ == "__main__":
    sys.exit(main())
