"""The committed catalogs are what a fresh harvest finds: facts are never edited by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve
from support.catalogs import catalog

from translator.authoring.compile import catalog_of
from translator.authoring.harvest import from_python
from translator.tables.catalog import Tables

from .conftest import wanted
from .install import BASE, CHECKOUT, Installed
from .laws import Tally


def test_catalog_is_what_the_harvest_finds(
    version: str, installed: Installed, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    """Every flag, every variable and the grammar of the committed catalog, as harvested now by
    another Python.
    """
    sources = installed.sources(version)
    if sources is not None:
        monkeypatch.setenv("PYTHONPATH", str(sources))
    recorded = catalog(version)
    fresh = from_python(str(installed.python), version, release=True)
    for part, key in (("flags", "flag"), ("env", "name")):
        old, new = ({row[key]: row for row in found[part]} for found in (recorded, fresh))
        tally.asked += len(old.keys() | new.keys())
        tally.accepted += len(new)
        for name in sorted(old.keys() | new.keys()):
            before, after = old.get(name, {}), new.get(name, {})
            if before == after:
                continue
            fields = sorted(
                key for key in before.keys() | after.keys() if before.get(key) != after.get(key)
            )
            shown = [
                f"  {field}: committed {json.dumps(before.get(field))}, harvested"
                f" {json.dumps(after.get(field))}"
                for field in fields
            ]
            only = f"  only {'harvested' if after else 'committed'}"
            tally.add("differs", name, "\n".join(shown) if before and after else only)
    if recorded["grammar"] != fresh["grammar"]:
        detail = f"  committed {recorded['grammar']}\n  harvested {fresh['grammar']}"
        tally.add("differs", "grammar", detail)
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
