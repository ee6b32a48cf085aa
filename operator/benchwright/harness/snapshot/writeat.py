"""Writing below a directory, never through a symlink: for trees that hold an agent's files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class RefusedError(Exception):
    """The path cannot be written without going through a link or removing what was not to go."""


class Tree:
    """A directory to write to. Use as a context manager. Paths are checked ones (see
    `changes.paths.problem`); RefusedError where the tree itself is in the way."""

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def write(self, path: bytes, data: bytes, mode: int) -> None:
        """A regular file with exactly these permission bits, in place of a file or symlink."""
        with self._place(path) as (directory, name):
            fd = os.open(name, _NEW, mode, dir_fd=directory)
            with open(fd, "wb") as file:  # noqa: PTH123 (a descriptor)
                os.fchmod(fd, mode & 0o777)
                file.write(data)

    def link(self, path: bytes, target: bytes) -> None:
        """A symlink, in place of a file or symlink. The target is not looked at."""
        with self._place(path) as (directory, name):
            os.symlink(target, name, dir_fd=directory)

    def remove(self, path: bytes) -> None:
        """Delete a file or symlink, and the directories above it that this leaves empty. Nothing
        where there is none."""
        with suppress(FileNotFoundError), self._above(path, make=False) as (directory, name):
            if _is_directory(directory, name):
                raise RefusedError("a directory is in its place")
            os.unlink(name, dir_fd=directory)
        self._prune(path)

    def _prune(self, path: bytes) -> None:
        while b"/" in path:
            path = path.rpartition(b"/")[0]
            try:
                with self._above(path, make=False) as (directory, name):
                    os.rmdir(name, dir_fd=directory)
            except (OSError, RefusedError):
                return  # not empty, or not there

    @contextmanager
    def _place(self, path: bytes) -> Iterator[tuple[int, bytes]]:
        """The open parent (made where absent) and the name in it, which is free then."""
        with self._above(path, make=True) as (directory, name):
            if _is_directory(directory, name):
                try:
                    os.rmdir(name, dir_fd=directory)
                except OSError:
                    raise RefusedError("a directory is in its place") from None
            else:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=directory)
            yield directory, name

    @contextmanager
    def _above(self, path: bytes, *, make: bool) -> Iterator[tuple[int, bytes]]:
        *parents, name = path.split(b"/")
        fd = os.dup(self._root)
        try:
            for parent in parents:
                below = _enter(fd, parent, make=make)
                os.close(fd)
                fd = below
            yield fd, name
        finally:
            os.close(fd)


def _enter(directory: int, name: bytes, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=directory)
    try:
        return os.open(name, _DIRECTORY, dir_fd=directory)
    except NotADirectoryError:  # what O_NOFOLLOW with O_DIRECTORY says of a symlink, too
        raise RefusedError("a parent is a symlink or a file") from None


def _is_directory(directory: int, name: bytes) -> bool:
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(status.st_mode)
