"""Import our own modules from one file of compiled code, for programs that must start fast.

Without `.pyc` files (as in a read-only image built without them), compiling the entrypoint's
modules takes four times as long as the bare interpreter; with them, looking up each module in the
file system takes a fifth of that time. A wheel therefore contains `_compiled/code.TAG.bin`, made by
`build_bundle.py` for the Pythons that it is built for: {module: (hash of its source, whether it is
a package, its marshalled code)}. As with a hash-based .pyc (PEP 552), code is used only if the
source next to it still has that hash. Without such a file, Python imports the modules normally.
"""

from __future__ import annotations

import _imp
import marshal
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

    Entry = tuple[bytes, bool, bytes]

HASH_KEY = 20  # any number: the hash only detects accidental changes
_FOLDER = __file__.removesuffix("bundle.py")


class Bundle:
    """An importer (PEP 451) for the modules in one file."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries
        self._code: dict[str, CodeType] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's spec; None if the module is not in the file, or its source has
        changed.
        """
        entry = self.entries.get(name)
        if entry is None:
            return None
        digest, package, code = entry
        place = (
            _FOLDER
            + name.partition(".")[2].replace(".", "/")
            + ("/__init__.py" if package else ".py")
        )
        try:
            with open(place, "rb", 0) as file:
                source = file.read()
        except OSError:
            return None
        if _imp.source_hash(HASH_KEY, source) != digest:
            return None
        self._code[name] = marshal.loads(code)
        _imp._fix_co_filename(self._code[name], place)  # type: ignore[attr-defined]  # for tracebacks, as for a .pyc
        spec = ModuleSpec(name, self, origin=place, is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [place.removesuffix("/__init__.py")]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None for Python's default module creation."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code.pop(module.__name__), module.__dict__)


def use() -> None:
    """Import our modules from the bundle from now on, if it exists for this Python."""
    if sys.flags.optimize:
        return
    try:
        with open(f"{_FOLDER}_compiled/code.{sys.implementation.cache_tag}.bin", "rb", 0) as file:
            magic, entries = marshal.loads(file.read())
    except (OSError, ValueError, EOFError, TypeError):
        return
    if magic == MAGIC_NUMBER:
        sys.meta_path.insert(0, Bundle(entries))
