"""`git diff-tree` between two trees of the harness's repository, and nothing that an agent sets.

The repository is bare with an unborn HEAD, so no .gitattributes of any tree is read (`-diff`,
`binary` and textconv hide changes in a working tree); no external diff, no textconv, no order file.
"""

from __future__ import annotations

import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from benchwright.changes.gitformat import DiffLine, FormatError, parse_diff

from . import git
from .git import GitError
from .limits import Timer

_CHUNK = 1 << 20
_BASIC = ["diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv", "--no-color"]
_COUNTS = [*_BASIC, "--raw", "--numstat", "--no-abbrev"]
_PATCH = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv"]
_PATCH += ["--no-color", "--src-prefix=a/", "--dst-prefix=b/"]
# Pairs that git compares for renames: candidates² at most, beyond it identical files alone.
RENAME_LIMIT = 1000
_RENAMES = ["-M50%", f"-l{RENAME_LIMIT}"]


@dataclass(frozen=True, slots=True)
class Trees:
    """Two commits of `repo` to compare, while `timer` has time left."""

    repo: Path
    old: str
    new: str
    timer: Timer

    def lines(
        self, *, renames: bool, ignore_eol: bool = False, as_text: Path | None = None
    ) -> list[DiffLine]:
        """Every changed path with its counts. `as_text`: an attributes file that makes everything
        text. GitError where git fails or is too slow."""
        arguments = [*_COUNTS, *(_RENAMES if renames else ["--no-renames"])]
        arguments += ["--ignore-cr-at-eol"] * ignore_eol
        settings = [f"core.attributesFile={as_text}"] if as_text else []
        arguments += [self.old, self.new]
        timeout = self.timer.left()
        output = git.run(self.repo, arguments, settings=settings, timeout=timeout)
        try:
            return parse_diff(output)
        except FormatError as error:
            raise GitError(str(error)) from error

    def patch(self, out: Path, limit: int) -> bool:
        """Append the patch to `out`, at most `limit` bytes of it; whether that was all."""
        arguments = [*_PATCH, *_RENAMES, self.old, self.new]
        process = git.start(self.repo, arguments)
        killer = threading.Timer(self.timer.left(), process.kill)
        killer.start()
        try:
            with process, out.open("ab") as file:
                complete = _copy(process, file, limit)
                if not complete:
                    process.kill()
        finally:
            killer.cancel()
        if complete and process.returncode != 0:
            raise GitError(f"git diff-tree -p: {process.returncode}")
        return complete


def _copy(process: subprocess.Popen[bytes], file: BinaryIO, limit: int) -> bool:
    assert process.stdout is not None
    left = limit
    while chunk := process.stdout.read(min(left, _CHUNK) or 1):
        if not left:
            return False
        file.write(chunk)
        left -= len(chunk)
    return True
