"""Reading objects of the harness's repository: one `git cat-file --batch` for a whole snapshot."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Self

from . import git
from .git import GitError


class Blobs:
    """Use as a context manager. It finds objects that are added while it runs, too."""

    def __init__(self, repo: Path) -> None:
        self._process = git.start(repo, ["cat-file", "--batch"], stdin=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        git.close(self._process)

    def read(self, blob: str) -> bytes:
        """The content of a blob by its id. GitError where there is none."""
        return self._object(blob, b"blob")[1]

    def commit_id(self, ref: str) -> str:
        """The id of the commit at `ref`. GitError where there is none."""
        return self._object(ref, b"commit")[0]

    def _object(self, name: str, kind: bytes) -> tuple[str, bytes]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(name.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise GitError(f"git cat-file: {error}") from error
        header = self._process.stdout.readline().split()
        if len(header) != 3:
            raise GitError(f"no object {name}")
        size = int(header[2])
        data = self._process.stdout.read(size + 1)
        if header[1] != kind or len(data) != size + 1:
            raise GitError(f"{name} is no {kind.decode()}, or ends early")
        return header[0].decode("ascii"), data[:-1]
