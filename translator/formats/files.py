"""Read the files that an input names, and write them. All of them are read here."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 16 * 2**20
"""Bytes: no configuration is this long; such a file is the wrong file."""

PATIENCE = 30
"""Seconds to wait for a pipe in which nothing is, such as `--env-file <(vault read …)`."""


def read(path: str, *, longest: int = LONGEST, only_regular: bool = False) -> bytes:
    """Return the content of a file.

    A pipe (`<(…)`, /dev/stdin, a FIFO), a socket or a device is read to its end as well, unless
    only a regular file may be; it is given up when nothing has come for PATIENCE seconds. A
    terminal is waited for.

    Raises:
        OSError: it cannot be read, or has more bytes than `longest`; `strerror` says why.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a NUL or a lone surrogate in the path
        raise OSError(None, str(error)) from None
    try:
        is_regular = _is_regular(os.fstat(descriptor))
        if only_regular and not is_regular:
            raise OSError(None, "not a regular file")
        parts: list[bytes] = []
        left = longest
        while left >= 0:
            if not is_regular:
                _wait(descriptor)  # a FIFO is empty before its first writer opens it
            part = os.read(descriptor, min(left + 1, 1 << 20))
            if not part:
                return b"".join(parts)
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    raise too_long(longest)


def too_long(longest: int) -> OSError:
    """Return the error about a file that is longer than so many bytes."""
    return OSError(None, f"longer than {longest // 2**20} MiB: no configuration is")


def _is_regular(status: os.stat_result) -> bool:
    return status.st_mode & 0o170000 == 0o100000  # stat.S_ISREG, without importing it


def _wait(descriptor: int) -> None:
    """Wait until something can be read; raise an OSError if nobody writes."""
    import select

    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    if not waiting.poll(None if os.isatty(descriptor) else PATIENCE * 1000):
        raise OSError(None, f"nobody has written to it for {PATIENCE} seconds")


def write(contents: Mapping[str, bytes], folder: str = "") -> None:
    """Replace files at once, or make them: whoever reads one sees the old content or the new one.
    The first is replaced when all new contents stand beside their files. Owner, mode, ACL and
    extended attributes stay. No link is followed.

    Args:
        contents: path → content of each file, below `folder`.
        folder: where links end: the folder itself, and those above it, may be reached through some.

    Raises:
        OSError: one cannot be written; it is no regular file, or has a link below its folder.
    """
    beside: dict[str, str] = {}
    target = folder
    try:
        for path, content in contents.items():
            target = os.path.normpath(os.path.join(os.path.realpath(folder), path))
            beside[target] = _written_beside(target, content)
        for target in [*beside]:
            os.replace(beside[target], target)
            del beside[target]
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from None
    finally:
        for new in beside.values():
            os.unlink(new)


def _written_beside(target: str, content: bytes) -> str:
    """Write what is to take the place of a file beside it, and return its path."""
    import shutil  # lazy: few commands write a file

    if os.path.realpath(target) != target:
        raise OSError(None, "it is a link, or is reached through one")
    status = os.stat(target) if os.path.exists(target) else None
    if status is None:
        os.makedirs(os.path.dirname(target), exist_ok=True)
    elif not _is_regular(status):
        raise OSError(None, "not a regular file")
    elif not os.access(target, os.W_OK):  # its folder may be writable all the same
        raise OSError(None, "read-only")
    new = f"{target}.{os.getpid()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(new, flags, 0o666 if status is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if status is not None:
                if (os.geteuid(), os.getegid()) != (status.st_uid, status.st_gid):
                    os.fchown(descriptor, status.st_uid, status.st_gid)
                shutil.copystat(target, new)
                os.utime(new)
                os.fsync(descriptor)
    except BaseException:
        os.unlink(new)
        raise
    return new
