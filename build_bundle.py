"""Compile the entrypoint's modules into one file, for the Python that runs this (see translator/bundle.py).

    python build_bundle.py FOLDER    writes FOLDER/code.TAG.bin, and prints its path

With PYTHONHASHSEED=0 the same sources and the same Python give the same bytes.
"""

from __future__ import annotations

import _imp
import importlib.util
import marshal
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "translator"
# What `translate exec` and `env-to-args` import for an environment of any shape, less what they import only to say what is wrong with it.
MODULES = (
    "aliases",
    "api",
    "argparser",
    "argv",
    "assemble",
    "catalog",
    "changes",
    "cli/__init__",
    "cli/common",
    "cli/env_to_args",
    "cli/guard",
    "cli/quick",
    "cluster",
    "command",
    "compact",
    "consumed",
    "consumer",
    "dotted",
    "entrypoint",
    "environ",
    "envwriter",
    "findings",
    "flagvariables",
    "grammar",
    "jsontext",
    "misspelt",
    "native",
    "outcomes",
    "requires",
    "scope",
    "secretflags",
    "secrets",
    "settings",
    "shapes",
    "tokens",
    "values",
    "version",
)


def main() -> int:
    """Compile, and say where the file is."""
    (folder,) = sys.argv[1:]
    key = re.search(r"^HASH_KEY = (\d+)", (PACKAGE / "bundle.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert key is not None
    entries = {}
    for name in MODULES:
        source = (PACKAGE / f"{name}.py").read_bytes()
        package = name.endswith("/__init__")
        code = compile(source, f"translator/{name}.py", "exec", dont_inherit=True, optimize=0)
        module = "translator." + name.removesuffix("/__init__").replace("/", ".")
        entries[module] = _imp.source_hash(int(key[1]), source), package, marshal.dumps(code)
    target = Path(folder) / f"code.{sys.implementation.cache_tag}.bin"
    target.write_bytes(marshal.dumps((importlib.util.MAGIC_NUMBER, entries)))
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
