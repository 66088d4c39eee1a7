"""Compile the running rooms into one file, for the Python that runs this (see
translator/bundle.py).

    python .ci/build_bundle.py FOLDER    writes FOLDER/code.TAG.bin and prints its path

With PYTHONHASHSEED=0 the same sources and the same Python give the same bytes.
"""

from __future__ import annotations

import _imp
import importlib.util
import marshal
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "translator"
# What `translate exec` and `env-to-args` can import. The other rooms serve people at a shell.
ROOMS = (
    "findings",
    "text",
    "tables",
    "secrets",
    "dialects",
    "values",
    "settings",
    "argv",
    "env",
    "api",
    "formats",
    "commands",
    "cli",
)


def main() -> int:
    """Compile, and print where the file is."""
    (folder,) = sys.argv[1:]
    source_of_bundle = (PACKAGE / "bundle.py").read_text(encoding="utf-8")
    key = re.search(r"^HASH_KEY = (\d+)", source_of_bundle, re.MULTILINE)
    assert key is not None
    entries = {}
    for path in sorted(path for room in ROOMS for path in (PACKAGE / room).glob("*.py")):
        source = path.read_bytes()
        name = path.relative_to(PACKAGE.parent).as_posix()
        module = name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        code = compile(source, name, "exec", dont_inherit=True, optimize=0)
        package = path.name == "__init__.py"
        entries[module] = _imp.source_hash(int(key[1]), source), package, marshal.dumps(code)
    target = Path(folder) / f"code.{sys.implementation.cache_tag}.bin"
    target.write_bytes(marshal.dumps((importlib.util.MAGIC_NUMBER, entries)))
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
