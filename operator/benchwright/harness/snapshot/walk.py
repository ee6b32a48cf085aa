"""Walking the agent's tree: what of the base is changed or gone, and what is there besides.

Order makes limits fair. Base files are looked up by name before anything is listed, then come
new directories, and last what the base ignores and what is vendored or generated (node_modules,
caches): so a million junk files cannot push a test out of the snapshot. Whatever was not reached
is left out by name, and is never taken for deleted.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from benchwright.changes.paths import is_git_name

from . import openat
from .baserepo import BaseTree
from .compare import found, same_content
from .index import Index, join
from .limits import Ledger, LimitError
from .rules import Rules, Walked


@dataclass(frozen=True, slots=True)
class _Directory:
    path: bytes
    ignored: bool = False


def walk(root: int, base: BaseTree, rules: Rules, ledger: Ledger) -> Walked:
    """Everything below the open directory `root`, as far as the limits allow."""
    walker = _Walker(root, base, rules, ledger)
    walker.run()
    return walker.walked


class _Walker:
    def __init__(self, root: int, base: BaseTree, rules: Rules, ledger: Ledger) -> None:
        self.root, self.base, self.rules, self.ledger = root, base, rules, ledger
        self.index = Index(base)
        self.walked = Walked()
        self.entries = 0
        self.of_base: list[_Directory] = [_Directory(b"")]
        self.new: list[_Directory] = []
        self.last: list[_Directory] = []

    def run(self) -> None:
        """Visit every directory, the most important ones first."""
        while queue := self.of_base or self.new or self.last:
            self._visit(queue.pop())

    def _visit(self, directory: _Directory) -> None:
        names = self.index.names(directory.path)
        try:
            self.rules.check_time()
            fd = openat.open_directory(self.root, directory.path)
        except OSError as error:
            self._lose_directory(directory, error)
            for name in sorted(names):
                self._lose_base(join(directory.path, name), error)
            return
        try:
            for name in sorted(names):
                self._known(fd, name, directory)
            self._list(fd, directory)
        finally:
            os.close(fd)

    def _lose_base(self, path: bytes, error: OSError) -> None:
        for lost in self.index.files_at(path):
            self.ledger.leave_out(lost, _reason(error))

    def _lose_new(self, path: bytes, reason: str, size: int, *, ignored: bool) -> None:
        """A new path, or what a directory holds besides base files. Where nothing in it could have
        counted, only the summary of ignored files suffers: a large node_modules must not make every
        result incomplete."""
        if ignored and self.rules.is_junk(path.removesuffix(b"/")):
            self.ledger.ignored_complete = False
        else:
            self.ledger.leave_out(path, reason, size)

    def _lose_directory(self, directory: _Directory, error: OSError) -> None:
        self._lose_new(directory.path + b"/", _reason(error), 0, ignored=directory.ignored)

    def _known(self, fd: int, name: bytes, directory: _Directory) -> None:
        """A name that the base has: a file, or a directory with files in it."""
        path = join(directory.path, name)
        try:
            self.rules.check_time()
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            if path in self.base:
                self._base_file(fd, name, path, status, directory)
                return
        except FileNotFoundError:
            self.walked.deleted.extend(self.index.files_at(path))
            return
        except OSError as error:
            self._lose_base(path, error)
            return
        if stat.S_ISDIR(status.st_mode):
            ignored = directory.ignored or self.rules.ignore.matches(path, is_dir=True)
            self.of_base.append(_Directory(path, ignored))
        else:
            self.walked.deleted.extend(self.index.files_at(path))
            self._unknown(path, status, directory)

    def _base_file(
        self, fd: int, name: bytes, path: bytes, status: os.stat_result, directory: _Directory
    ) -> None:
        there, base = found(path, status), self.base[path]
        if there is None:
            self.walked.deleted.append(path)
            self._unknown(path, status, directory)
        elif not same_content(fd, name, there, base) or there.mode != base.mode:
            self.walked.changed.append(there)

    def _list(self, fd: int, directory: _Directory) -> None:
        """The names that the base does not have."""
        names = self.index.names(directory.path)
        try:
            with os.scandir(fd) as entries:
                for entry in entries:
                    name = os.fsencode(entry.name)
                    if name not in names:
                        self._listed(name, entry, directory)
        except OSError as error:
            self._lose_directory(directory, error)

    def _listed(self, name: bytes, entry: os.DirEntry[str], directory: _Directory) -> None:
        path = join(directory.path, name)
        self.rules.check_time()
        self.entries += 1
        if self.entries > self.rules.limits.max_entries:
            raise LimitError("max_entries")
        if not is_git_name(name):
            self._unknown(path, entry.stat(follow_symlinks=False), directory)
        elif path != b".git":
            self.ledger.note_git(path)

    def _unknown(self, path: bytes, status: os.stat_result, directory: _Directory) -> None:
        """Something at a path that the base does not have, or not of that kind."""
        is_dir = stat.S_ISDIR(status.st_mode)
        if (limit := self.rules.over(path)) is not None:
            size = 0 if is_dir else status.st_size
            self._lose_new(path + b"/" * is_dir, limit, size, ignored=directory.ignored)
            return
        ignored = directory.ignored or self.rules.ignore.matches(path, is_dir=is_dir)
        if is_dir:
            queue = self.last if ignored or self.rules.is_junk(path) else self.new
            queue.append(_Directory(path, ignored))
        elif (there := found(path, status, base_ignored=ignored)) is None:
            self.ledger.note_special(path, _special(status.st_mode))
        elif ignored and not self.rules.is_hidden_test(path):
            self.ledger.note_ignored(path, there.size)
        else:
            self.ledger.ignored_tests += ignored
            self.walked.added.append(there)


def _reason(error: OSError) -> str:
    return error.limit if isinstance(error, LimitError) else "unreadable"


def _special(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "fifo"), (stat.S_ISSOCK, "socket"), (stat.S_ISBLK, "block_device"))
    return next((kind for test, kind in kinds if test(mode)), "character_device")
