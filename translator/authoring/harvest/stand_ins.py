"""What old releases of vLLM import, and what is beside them today no longer has.

A parser needs none of it; it only has to be there. Releases up to 0.7 need it, so that newer ones
never see a stand-in and take an optional module for installed.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Iterator
from typing import Any

# Functions that left a module: 0.5.4 to 0.6.4 import them.
_FUNCTIONS = {
    "triton.runtime.cache": ("default_cache_dir", "default_dump_dir", "default_override_dir")
}

# Modules, each with those inside: 0.5.4 and 0.5.5 import parts of an old outlines, 0.5.5 those that
# read sound.
_MODULES = (
    "outlines",
    "outlines.caching",
    "outlines.fsm",
    "outlines.fsm.guide",
    "outlines.fsm.json_schema",
    "outlines.grammars",
    "librosa",
    "soundfile",
    "soxr",
)


class _Nothing:
    """Whatever is asked of a stand-in: it can be called, be a base class or a decorator, and holds
    nothing (mistral_common lists the formats of soundfile at its import).
    """

    def __init__(self, *given: object, **named: object) -> None:
        pass

    def __call__(self, *given: object, **named: object) -> object:
        return given[0] if len(given) == 1 and callable(given[0]) and not named else self

    def __iter__(self) -> Iterator[object]:
        return iter(())


class _StandIn(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing


def is_old() -> bool:
    """Whether the vLLM that can be imported here is one that the stand-ins are for."""
    spec = importlib.util.find_spec("vllm")
    folders = spec.submodule_search_locations if spec is not None else None
    return not any(
        os.path.exists(os.path.join(folder, "entrypoints", "cli")) for folder in folders or ()
    )


def put_back() -> None:
    """Put in what is missing; what is there stays."""
    for module, names in _FUNCTIONS.items():
        try:
            found = importlib.import_module(module)
        except ImportError:
            continue
        for name in names:
            if not hasattr(found, name):
                setattr(found, name, _Nothing)
    missing = {name.partition(".")[0] for name in _MODULES if not _there(name)}
    for name in _MODULES:
        if name.partition(".")[0] in missing:
            made = _StandIn(name)
            made.__path__ = []
            made.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
            sys.modules[name] = made


def _there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:  # what it is inside of is not there
        return False
