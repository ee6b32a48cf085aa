"""Opening what an agent left, relative to a directory that is open already, never through a link.

Every component is opened by itself with O_NOFOLLOW below its parent's descriptor, so no path
leads out of the tree whatever it holds. Files are opened O_NONBLOCK and checked to be regular
before a byte is read: opening a fifo or a device must not block or act.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_COMMON = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = _COMMON | os.O_DIRECTORY
_FILE = _COMMON | os.O_NONBLOCK | os.O_NOCTTY


class ChangedError(OSError):
    """The file is not what the directory said, or grew while it was read."""


def open_root(root: Path) -> int:
    """The workspace itself. OSError where it is gone, a link or no directory: agents may replace
    it, since the directory above is theirs too."""
    return _open(os.fsencode(root), _DIRECTORY, None)


def open_directory(root: int, path: bytes) -> int:
    """The directory `path` below `root` (b"": root again), readable and searchable."""
    fd = os.dup(root)
    for name in path.split(b"/") if path else ():
        try:
            below = _open(name, _DIRECTORY, fd)
        finally:
            os.close(fd)
        fd = below
    return fd


def open_file(directory: int, name: bytes) -> int:
    """A regular file in `directory`."""
    fd = _open(name, _FILE, directory)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise ChangedError("no regular file any more")
    return fd


def read_file(directory: int, name: bytes, size: int) -> bytes:
    """All of a regular file that is `size` bytes long. ChangedError where it is not."""
    fd = open_file(directory, name)
    try:
        data = b"".join(_chunks(fd, size + 1))
    finally:
        os.close(fd)
    if len(data) != size:
        raise ChangedError(f"{len(data)} bytes, not {size}")
    return data


def _chunks(fd: int, limit: int) -> Iterator[bytes]:
    # os.read, not a file object: making one costs more than reading a small file.
    while limit and (chunk := os.read(fd, min(limit, 1 << 20))):
        limit -= len(chunk)
        yield chunk


def _open(name: bytes, flags: int, directory: int | None) -> int:
    try:
        fd = os.open(name, flags, dir_fd=directory)
    except PermissionError:
        _permit(name, directory)
        fd = os.open(name, flags, dir_fd=directory)
    if flags & os.O_DIRECTORY and os.fstat(fd).st_mode & 0o500 != 0o500:
        with contextlib.suppress(PermissionError):  # another's: looking things up in it will fail
            os.fchmod(fd, 0o700)
    return fd


def _permit(name: bytes, directory: int | None) -> None:
    """Give ourselves back what an agent of our uid took away (chmod 000).

    Through an O_PATH descriptor and its /proc link, so that what is changed is the thing looked
    at and never a link's target.
    """
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISLNK(mode):
            os.chmod(f"/proc/self/fd/{fd}", 0o700 if stat.S_ISDIR(mode) else 0o600)  # noqa: PTH101
    finally:
        os.close(fd)
