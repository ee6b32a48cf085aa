"""A folder that is filled by names nobody vouches for.

Nothing is written through a link, whoever made it; what git takes for its own metadata (and runs:
hooks, fsmonitor) is left out; and what is written is counted as it is written, since sizes lie.
"""

import os
import stat
from pathlib import Path
from typing import IO

from benchwright.changes import paths

MAX_FILES = 200_000
MAX_BYTES = 2 * 1024**3
_CHUNK = 1024 * 1024


class Tree:
    """Writes below `root`. Paths are relative and may hold any bytes (surrogateescape)."""

    def __init__(self, root: Path):
        self._root = root
        self._folders = {root}
        self._links: set[Path] = set()
        self._entries = 0
        self._bytes = 0

    def folder(self, path: str) -> None:
        """Make a folder, and those above it."""
        if place := self._place(path):
            self._make(place)

    def file(self, path: str, stream: IO[bytes], *, size: int, executable: bool | None) -> None:
        """Write a file in place of whatever file or link is there. None: executable as that was."""
        if not 0 <= size <= MAX_BYTES - self._bytes:
            raise ValueError(f"{show(path)}: more than {MAX_BYTES} bytes in all")
        if place := self._place(path):
            was_executable = self._clear(place)
            self._write(place, stream)
            runs = was_executable if executable is None else executable
            place.chmod(0o755 if runs else 0o644)

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link that stays in the tree."""
        if not target or paths.link_problem(os.fsencode(path), os.fsencode(target)):
            raise ValueError(
                f"link {show(path)} to {show(target)} leads out of the tree or nowhere"
            )
        if place := self._place(path):
            self._clear(place)
            place.symlink_to(target)
            self._links.add(place)

    def copy(self, path: str, original: str) -> None:
        """What tar calls a hard link: the same content under a second name."""
        place = self._root / original
        if place.parent not in self._folders or not (place.is_symlink() or place.is_file()):
            text = f"{show(path)} is a hard link to {show(original)}, which is no file before it"
            raise ValueError(text)
        if place.is_symlink():
            self.link(path, os.readlink(place))  # noqa: PTH115 - a Path would tidy it
            return
        with place.open("rb") as stream:
            status = os.fstat(stream.fileno())
            executable = bool(status.st_mode & stat.S_IXUSR)
            self.file(path, stream, size=status.st_size, executable=executable)

    def check_links(self) -> None:
        """Each link may stay inside and several together not: look where they really end."""
        root = os.path.realpath(self._root)
        for place in self._links:
            end = os.path.realpath(place)
            if place.is_symlink() and not f"{end}/".startswith(f"{root}/"):
                name = show(str(place.relative_to(self._root)))
                raise ValueError(f"link {name} leads out of the tree by way of other links")

    def _place(self, path: str) -> Path | None:
        """Where `path` goes; None for git's metadata."""
        self._entries += 1
        if self._entries > MAX_FILES:
            raise ValueError(f"more than {MAX_FILES} entries")
        raw = os.fsencode(path)
        if paths.has_git_name(raw):
            return None
        if problem := problem_of(raw):
            raise ValueError(f"{show(path)}: {problem}")
        return self._root / path

    def _make(self, place: Path) -> None:
        missing = []
        while place not in self._folders:
            missing.append(place)
            place = place.parent
        for folder in reversed(missing):
            try:
                folder.mkdir()
            except FileExistsError:
                if folder.is_symlink() or not folder.is_dir():
                    name = show(str(folder.relative_to(self._root)))
                    raise ValueError(
                        f"{name} is a link or a file, and something is to go below it"
                    ) from None
            self._folders.add(folder)

    def _clear(self, place: Path) -> bool:
        """Make room; whether an executable file was there."""
        self._make(place.parent)
        if not os.path.lexists(place):
            return False
        mode = place.lstat().st_mode
        if stat.S_ISDIR(mode):
            name = show(str(place.relative_to(self._root)))
            raise ValueError(f"{name} is a folder, and something else is to be there")
        place.unlink()
        return stat.S_ISREG(mode) and bool(mode & stat.S_IXUSR)

    def _write(self, place: Path, stream: IO[bytes]) -> None:
        with place.open("xb") as out:
            while chunk := stream.read(_CHUNK):
                self._bytes += len(chunk)
                if self._bytes > MAX_BYTES:
                    raise ValueError(f"more than {MAX_BYTES} bytes in all")
                out.write(chunk)


def problem_of(path: bytes) -> str | None:
    """Why no file may have this path: what the harness could not snapshot is no base either."""
    longest, deepest = paths.MAX_TREE_PATH, paths.MAX_TREE_DEPTH
    if (problem := paths.problem(path)) is not None:
        return problem
    if len(path) > longest or path.count(b"/") >= deepest:
        return f"longer than {longest} bytes or deeper than {deepest} folders"
    return None


def show(path: str) -> str:
    """A name for one line of a message."""
    text = paths.show(os.fsencode(path))
    return repr(text if len(text) <= 200 else f"{text[:200]}…")
