"""A user's tables that are none: one error with the file's name. What time it takes: tests/growth."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from translator.cli.options import tables_from
from translator.core.findings import UsageError
from translator.maintain.load import TablesError, load

_DIALECT = '[dialect]\nname = "x"\nsources = ["https://example.org"]\n'
FILES: dict[str, tuple[str, str | Callable[[Path], object], str]] = {
    # title: name, content or how to make it, what is said
    "deep lists": ("dialects/x.toml", _DIALECT + "a = " + "[" * 100_000, "deeper than 200"),
    "deep inline tables": ("dialects/x.toml", "a = " + "{a = " * 100_000, "deeper than 200"),
    "a header of many parts": ("dialects/x.toml", "[" + "a." * 100_000 + "a]\n", "line 1 has more than 400 dots"),
    "a header of quoted parts": ("dialects/x.toml", "\n[" + '"a".' * 100_000 + "a]\n", "line 2 has more than 400 dots"),
    "a header of 300 parts": ("changes.toml", "[" + "a." * 300 + "a]\n", "deeper than 200"),
    "a key of many parts": ("secrets.toml", "a." * 100_000 + "a = 1\n", "more than 400 dots"),
    "deep JSON": ("catalogs/1.2.3.json", "[" * 100_000, "deeper than 200"),
    "deep JSON objects": ("catalogs/1.2.3.json", '{"a":' * 500 + "1" + "}" * 500, "deeper than 200"),
    "a FIFO": ("dialects/x.toml", os.mkfifo, "not a regular file"),
    "a device": ("secrets.toml", lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "a folder": ("changes.toml", Path.mkdir, "not a regular file"),
    "a long file": ("secrets.toml", "# a comment\n" * 200_000, "longer than 2 MiB"),
    "many unknown fields": ("secrets.toml", "".join(f"unknown{at} = 1\n" for at in range(20_000)), "unknown field"),
    "many equal texts": ("secrets.toml", "patterns = [" + ", ".join(f'"A{at}*"' for at in range(20_000)) + ', "A1*"]\n', "twice"),
    "a long integer": ("secrets.toml", "a = " + "9" * 5000, "(4300"),
    "NUL": ("secrets.toml", "\0", "Invalid statement"),
}  # fmt: skip


@pytest.mark.parametrize("title", FILES)
def test_tables_that_are_none_are_one_error(title: str, tmp_path: Path) -> None:
    """With the name of the file, and short."""
    name, made, said = FILES[title]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if isinstance(made, str):
        path.write_text(made)
    else:
        made(path)
    with pytest.raises(TablesError) as caught:
        load(tmp_path)
    assert name in str(caught.value)
    assert said in str(caught.value)
    with pytest.raises(UsageError) as shown:
        tables_from(str(tmp_path))
    assert len(str(shown.value)) < 8000
