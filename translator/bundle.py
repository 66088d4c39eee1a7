"""Import our modules from one file of compiled code, for a program that must start fast.

Without `.pyc` files (as in a read-only image built without them), compiling the entrypoint's
modules takes four times as long as the bare interpreter; with them, looking up each module in the
file system takes a fifth of that time. A wheel therefore contains `_compiled/code.TAG.bin`, made by
`build_bundle.py` for the Pythons that it is built for. As with a hash-based .pyc (PEP 552), code is
used only if the source next to it still has the hash that it was compiled from. Without such a
file, or if it is damaged, Python imports the modules normally.

The file:

- 8 bytes: Python's magic number, the length of the block, a zero byte;
- 8 bytes: the hash of these and the block;
- the block: name → (hash and size of the source, whether it is a package, code);
- the code of modules that few processes need: of it, the block has place, size and hash.

`__main__.py` checks the block, takes this module from it, and calls `use`.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import FileIO
    from types import CodeType, ModuleType

    Place = tuple[int, int, bytes]
    Entry = tuple[bytes, int, bool, CodeType | Place]


class Bundle:
    """An importer (PEP 451) for the modules in one file.

    Args:
        home: the folder of the package.
        file: the file, read up to the end of the block; it stays open for what is behind.
        index: the names and entries of its modules.
    """

    def __init__(self, home: str, file: FileIO, index: dict[str, Entry]) -> None:
        self._home, self._file, self._index = home, file, index
        self._behind = file.tell()
        self._code: dict[str, CodeType] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's spec; None if the module is not in the file, its source has changed,
        or its code is damaged.
        """
        entry = self._index.get(name)
        if entry is None:
            return None
        digest, size, package, code = entry
        folder = self._home + name[len("translator") :].replace(".", "/")
        place = folder + ("/__init__.py" if package else ".py")
        try:
            number = os.open(place, os.O_RDONLY)
            try:
                source = os.read(number, size + 1)
            finally:
                os.close(number)
            if isinstance(code, tuple):
                start, size, wanted = code
                packed = os.pread(self._file.fileno(), size, self._behind + start)
                if _imp.source_hash(20, packed) != wanted:
                    return None
                code = marshal.loads(packed)
        except OSError:
            return None
        if _imp.source_hash(20, source) != digest:
            return None
        _imp._fix_co_filename(code, place)  # type: ignore[attr-defined]  # for tracebacks, as for a .pyc
        self._code[name] = code
        spec = ModuleSpec(name, self, origin=place, is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [folder]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None for Python's default module creation."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code.pop(module.__name__), module.__dict__)


def use(home: str, file: FileIO, index: dict[str, Entry]) -> None:
    """Import our modules from the file from now on, unless this one was changed."""
    bundle = Bundle(home, file, index)
    if bundle.find_spec("translator.bundle") is not None:
        sys.meta_path.insert(0, bundle)
