"""The files that the page for pasting loads."""

from __future__ import annotations

import io
import zipfile

import pytest

import translator
from translator.pages.site import package


def test_the_package_holds_this_one_however_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """An importer of its own, as the installed program had, need not offer a package's files."""
    assert translator.__spec__ is not None
    monkeypatch.setattr(translator.__spec__, "loader", object())
    names = zipfile.ZipFile(io.BytesIO(package())).namelist()
    assert {"translator/__init__.py", "translator/cli/paste.py", "yaml/__init__.py"} <= {*names}
    assert any(name.startswith("translator/_compiled/") for name in names)
