"""Whether what lies at a base path is still the base's file: by size, then by git's blob id.

Ids are computed here, so that no git process and no cached stat data (which an agent can forge
with touch) has a say.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass

from benchwright.changes.modes import EXECUTABLE, FILE, SYMLINK

from . import openat
from .baserepo import BaseFile

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """A file or symlink of the agent's tree. `mode` is git's; `size` bytes."""

    path: bytes
    mode: int
    size: int
    setuid: bool = False
    base_ignored: bool = False


def found(path: bytes, status: os.stat_result, *, base_ignored: bool = False) -> Found | None:
    """A `Found` for a regular file or symlink, None for anything else. git's executable bit is the
    owner's."""
    mode = status.st_mode
    special = bool(mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX))
    if stat.S_ISREG(mode):
        kind = EXECUTABLE if mode & stat.S_IXUSR else FILE
        return Found(path, kind, status.st_size, special, base_ignored)
    if stat.S_ISLNK(mode):
        return Found(path, SYMLINK, status.st_size, False, base_ignored)
    return None


def same_content(directory: int, name: bytes, there: Found, base: BaseFile) -> bool:
    """Whether `there`, called `name` in the open `directory`, has the bytes of `base`. OSError
    where it cannot be read. Files of another size are not opened."""
    if (there.mode == SYMLINK) != (base.mode == SYMLINK):
        return False
    if there.mode == SYMLINK:
        return _blob_id(os.fsencode(os.readlink(name, dir_fd=directory))) == base.id
    return there.size == base.size and _file_id(directory, name, there.size) == base.id


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _file_id(directory: int, name: bytes, size: int) -> str:
    if size <= _CHUNK:
        return _blob_id(openat.read_file(directory, name, size))
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with open(openat.open_file(directory, name), "rb", buffering=0) as file:  # noqa: PTH123
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
