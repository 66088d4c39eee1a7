"""The committed catalogs are what a fresh harvest finds: facts are never edited by hand."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from support.tables import committed

from translator.core.tables.catalog import Tables
from translator.maintain import history
from translator.maintain.compile import catalog_of
from translator.maintain.harvest import from_python
from translator.maintain.model.catalog import Catalog
from translator.maintain.model.schema import structure

from .conftest import wanted
from .install import BASE, CHECKOUT, Installed
from .laws import Tally


def facts(raw: dict[str, Any]) -> dict[str, str]:
    """What a catalog says of each name."""
    return history.facts(structure(raw, Catalog))


def test_catalog_is_what_the_harvest_finds(
    version: str, installed: Installed, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    """Every flag, key, variable and field of the grammar, as harvested now by another Python."""
    sources = installed.sources(version)
    if sources is not None:
        monkeypatch.setenv("PYTHONPATH", str(sources))
    recorded = facts(committed(version))
    fresh = history.facts(from_python(str(installed.python), version, release=True))
    tally.asked += len(recorded.keys() | fresh.keys())
    tally.accepted += len(fresh)
    for name in sorted(recorded.keys() | fresh.keys()):
        if recorded.get(name) != fresh.get(name):
            shown = f"  committed {recorded.get(name)}\n  harvested {fresh.get(name)}"
            tally.add("differs", name, shown)
    tally.settle()


@pytest.mark.skipif(BASE not in wanted(), reason=f"the vLLM that is installed is {BASE}")
def test_an_installed_build_without_a_number_is_asked(installed: Installed, tmp_path: Path) -> None:
    """`translate exec` of a real vLLM whose version says nothing: it finds out what it is, and has
    the same facts as the committed catalog.
    """
    (found,) = installed.modules(BASE).glob(f"vllm-{BASE}*.dist-info")
    text = "0.1.dev1+g51f799c.precompiled"
    shutil.copytree(found, tmp_path / f"vllm-{text}.dist-info")
    done = subprocess.run(
        [sys.executable, "-m", "translator", "exec", "--dry-run"],
        env={
            "PATH": f"{installed.python.parent}:{os.defpath}",
            "PYTHONPATH": f"{CHECKOUT}:{tmp_path}",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "MODEL_NAME": "m",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    version = f"{BASE}+g51f799c.precompiled"
    assert f"translate: vLLM {version} (installed, asked)\n" in done.stderr
    (kept,) = (tmp_path / "cache").rglob("*.json")
    answer = Tables(json.loads(kept.read_text())["files"])
    assert evolve(catalog_of(version, answer), version=BASE) == catalog_of(BASE)
