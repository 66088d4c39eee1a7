"""Files that an input names: regular ones, pipes, devices."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from translator.formats.env_files import bake
from translator.text import files


def test_a_regular_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * (1 << 20))
    assert files.read(str(path), longest=1 << 20) == b"a" * (1 << 20)
    path.write_bytes(b"a" * ((1 << 20) + 1))
    with pytest.raises(OSError, match="longer than 1 MiB"):
        files.read(str(path), longest=1 << 20)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
def test_an_endless_device_is_too_long(path: str) -> None:
    with pytest.raises(OSError, match="longer than 16 MiB"):
        files.read(path)


def test_an_empty_device_is_empty() -> None:
    assert files.read("/dev/null") == b""


@pytest.mark.parametrize("path", ["a\0b", "a\ud800"])
def test_a_path_that_no_system_has_is_an_error(path: str) -> None:
    with pytest.raises(OSError):
        files.read(path)


@pytest.mark.parametrize("written", [b"", b"a", b"x" * 300_000])
def test_a_pipe_is_read_to_its_end(written: bytes) -> None:
    """As a shell's `<(…)` gives it: also one whose writer has ended."""
    reader, writer = os.pipe()

    def write() -> None:
        left = written
        while left:
            left = left[os.write(writer, left) :]
        time.sleep(0.1)
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert files.read(f"/dev/fd/{reader}") == written
    finally:
        thread.join()
        os.close(reader)


def test_a_fifo_whose_writer_comes_late_and_pauses_is_read(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)

    def write() -> None:
        time.sleep(0.2)
        with path.open("wb", buffering=0) as file:
            for part in (b"a", b"b"):
                file.write(part)
                time.sleep(0.1)

    writer = threading.Thread(target=write)
    writer.start()
    assert files.read(str(path)) == b"ab"
    writer.join()


def test_a_pipe_that_stays_silent_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a writer, and with one that has written something and keeps it open."""
    monkeypatch.setattr(files, "PATIENCE", 0.2)
    path = tmp_path / "fifo"
    os.mkfifo(path)
    with pytest.raises(OSError, match="nobody has written"):
        files.read(str(path))
    reader, writer = os.pipe()
    os.write(writer, b"a")
    try:
        with pytest.raises(OSError, match="nobody has written"):
            files.read(f"/dev/fd/{reader}")
    finally:
        os.close(reader)
        os.close(writer)
    assert bake({"A": "a"}, str(path))[1][0].code == "bad-baked-args"


def test_only_a_regular_file_may_be_asked_for(tmp_path: Path) -> None:
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(OSError, match="not a regular file"):
            files.read(str(path), only_regular=True)
