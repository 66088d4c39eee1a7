"""Files that an input names: regular ones, pipes, devices."""

import os
import re
import resource
import signal
import struct
import threading
import time
from pathlib import Path

import pytest
from support.program import translate

from translator.formats import files
from translator.formats.env_files import bake


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


@pytest.mark.parametrize("name", ["page.md", "below/page.md"])
def test_nothing_is_written_through_a_link(name: str, tmp_path: Path) -> None:
    """Neither the file nor a folder below the one that is named, which may be a link itself."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    (tmp_path / "real").mkdir()
    folder.symlink_to(tmp_path / "real")
    files.write({"other/page.md": b"new"}, str(folder))
    assert (tmp_path / "real/other/page.md").read_bytes() == b"new"
    (outside / "page.md").write_bytes(b"old")
    link = folder / name.partition("/")[0]
    link.symlink_to(outside if "/" in name else outside / name)
    with pytest.raises(OSError, match="link"):
        files.write({name: b"new"}, str(folder))
    assert (outside / "page.md").read_bytes() == b"old"


def test_what_cannot_be_written_whole_stays_as_it_was(tmp_path: Path) -> None:
    """On a full disk, for which a limit on the size of files stands."""
    path = tmp_path / "page.md"
    path.write_bytes(b"old")
    limits = resource.prlimit(0, resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.prlimit(0, resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            files.write({"page.md": b"x" * 2000}, str(tmp_path))
    finally:
        resource.prlimit(0, resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert [(item.name, item.read_bytes()) for item in tmp_path.iterdir()] == [("page.md", b"old")]


def test_attributes_of_a_file_stay(tmp_path: Path) -> None:
    """Its mode and extended attributes, of which an ACL is one; not the time of its last change."""
    path = tmp_path / "a.sh"
    path.write_bytes(b"old")
    path.chmod(0o640)
    os.utime(path, (1, 1))
    acl = b"\x02\0\0\0" + b"".join(  # u::rw-, u:4242:r--, g::r--, mask::r--, o::---
        struct.pack("<HHi", *entry)
        for entry in ((1, 6, -1), (2, 4, 4242), (4, 4, -1), (16, 4, -1), (32, 0, -1))
    )
    given = {}
    for name, value in (("user.note", b"x"), ("system.posix_acl_access", acl)):
        try:
            os.setxattr(path, name, value)
            given[name] = value
        except OSError:  # this file system has none
            pass
    files.write({str(path): b"new"})
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert {name: os.getxattr(path, name) for name in given} == given
    assert path.stat().st_mtime > 1


def test_everything_is_written_there() -> None:
    """Beside what a harvest hands on in a temporary folder."""
    package = Path(files.__file__).parent.parent
    calls = re.compile(r"\.write_(?:text|bytes)\(|\bopen\([^)\n]*, ?\"w")
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if calls.search(path.read_text())
    }
    allowed = {"formats/files.py", "cli/process.py"}  # the latter: /dev/null
    assert {name for name in found if not name.startswith("maintain/harvest/")} == allowed


@pytest.mark.parametrize(
    ("command", "name"), [("docs --write", "findings.md"), ("site --output", "index.html")]
)
def test_generated_files_go_through_no_link(command: str, name: str, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.write_text("old")
    folder.mkdir()
    (folder / name).symlink_to(outside)
    ran = translate("tables", *command.split(), str(folder))
    assert (ran.status, outside.read_text()) == (2, "old")
    assert f"{folder / name}: it is a link" in ran.err


def test_none_is_replaced_where_one_cannot_be(tmp_path: Path) -> None:
    """Nor is anything left beside them."""
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        files.write({"a": b"new", "b": b"new"}, str(tmp_path))
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
