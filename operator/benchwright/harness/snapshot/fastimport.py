"""Feeding `git fast-import`: blobs by mark, then commits that change paths of a parent.

fast-import takes any path as bytes, reads no attributes, filters or hooks and needs no work tree.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from . import git
from .git import GitError

_IDENTITY = "benchwright <benchwright@invalid> 0 +0000"  # fixed: equal trees make equal commits


@dataclass(frozen=True, slots=True)
class Put:
    """Content at a path: a blob's mark and git's mode; deletes the path where `mark` is None."""

    path: bytes
    mark: int | None
    mode: int = 0


class Importer:
    """A running import into `repo`. Use as a context manager and call `finish` at the end: without
    it nothing is kept. GitError from any method where git died."""

    def __init__(self, repo: Path) -> None:
        arguments = ["fast-import", "--quiet", "--done", "--force", "--depth=0"]
        self._process = git.start(repo, arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self._marks = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End git, finished or not."""
        self._process.kill()
        git.close(self._process)

    def blob(self, data: bytes) -> int:
        """Store a blob; its mark."""
        self._marks += 1
        self._write(b"blob\nmark :%d\ndata %d\n" % (self._marks, len(data)), data, b"\n")
        return self._marks

    def commit(self, ref: str, parent: str, puts: Iterable[Put]) -> None:
        """A commit at `ref`: the commit `parent` (an id) with `puts`. Deletions go first, so that a
        path may turn from file into directory and back."""
        header = f"commit {ref}\ncommitter {_IDENTITY}\ndata 0\nfrom {parent}\n"
        self._write(header.encode("ascii"))
        for put in sorted(puts, key=lambda put: put.mark is not None):
            self._write(_command(put))
        self._write(b"\n")

    def finish(self, timeout: float) -> None:
        """Wait until everything is stored."""
        self._write(b"done\n")
        try:
            _, err = self._process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise GitError(f"git fast-import: no end after {timeout:g} s") from None
        if self._process.returncode != 0:
            raise GitError(f"git fast-import: {err[-500:].decode('utf-8', 'backslashreplace')}")

    def _write(self, *parts: bytes) -> None:
        assert self._process.stdin is not None
        try:
            for part in parts:
                self._process.stdin.write(part)
        except OSError as error:
            raise GitError(f"git fast-import: {error}") from error


def _command(put: Put) -> bytes:
    if put.mark is None:
        return b"D %b\n" % quote(put.path)
    return b"M %o :%d %b\n" % (put.mode, put.mark, quote(put.path))


def quote(path: bytes) -> bytes:
    """A path in git's C style: any byte but plain text as three octal digits."""
    return b'"' + b"".join(map(_quoted, path)) + b'"'


def _quoted(byte: int) -> bytes:
    plain = 0x20 <= byte < 0x7F and byte not in b'"\\'
    return bytes([byte]) if plain else b"\\%03o" % byte
