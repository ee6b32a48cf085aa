"""What a snapshot may cost, and the book of what it therefore left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchwright.changes import paths
from benchwright.changes.classify import EXCLUDED, TESTS, PathClass
from benchwright.changes.model import Entry, Ignored, LeftOut, Manifest

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what an agent can make the sidecar do. Bytes, counts and seconds.

    The defaults keep a sidecar of 256 MiB and 1 GiB of disk alive whatever the tree. Lines are
    bounded because each takes git's diff some 150 bytes (16 MiB of line feeds: 2 GiB), and two
    files of 100,000 lines with nothing in order 0.7 s. `max_listing_bytes` bounds what the manifest
    says of paths, so that the evaluator can read it. `seconds` is for walking and copying,
    `git_seconds` for all that git does after it; counting without git, where that was not enough,
    takes some seconds more.
    """

    max_entries: int = 300_000
    max_files: int = 20_000
    max_file_bytes: int = 16 * MIB
    max_total_bytes: int = 256 * MIB
    max_path_bytes: int = paths.MAX_TREE_PATH
    max_depth: int = paths.MAX_TREE_DEPTH
    max_listing_bytes: int = 32 * MIB
    max_file_lines: int = 100_000
    max_total_lines: int = 1_000_000
    max_patch_bytes: int = 16 * MIB
    max_listed: int = 1000
    seconds: float = 60.0
    git_seconds: float = 60.0


class Timer:
    """Seconds that run out. `clock` never goes back."""

    def __init__(self, clock: Callable[[], float], seconds: float) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def late(self) -> bool:
        """Whether no time is left."""
        return self._clock() > self._end

    def left(self) -> float:
        """Seconds until then, and a moment when it has passed: a timeout for one more command."""
        return max(0.1, self._end - self._clock())


class LimitError(OSError):
    """`limit` (a field of `Limits`) is used up. An OSError, because to the walk it is one more
    reason why something cannot be looked at."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


@dataclass(slots=True)
class Ledger:
    """Everything seen that does not cross. Counts are exact; lists stop at `max_listed`."""

    max_listed: int
    classify: Callable[[bytes], PathClass]
    left_out: list[LeftOut] = field(default_factory=list)
    left_out_files: int = 0
    left_out_tests: int = 0
    limits: set[str] = field(default_factory=set)
    special: list[LeftOut] = field(default_factory=list)
    special_files: int = 0
    nested_git: list[bytes] = field(default_factory=list)
    nested_git_dirs: int = 0
    ignored_sample: list[bytes] = field(default_factory=list)
    ignored_files: int = 0
    ignored_bytes: int = 0
    ignored_tests: int = 0
    ignored_complete: bool = True
    notes: list[str] = field(default_factory=list)

    def leave_out(self, path: bytes, reason: str, size: int = 0) -> None:
        """A part of the agent's result is lost: the snapshot is truncated. A directory (with a
        slash at its end) may hold tests, unless all that it can hold is vendored or generated."""
        self.left_out_files += 1
        if path.endswith(b"/"):
            self.left_out_tests += self.classify(path + b"_") not in EXCLUDED
        else:
            self.left_out_tests += self.classify(path) in TESTS
        self.limits.add(reason)
        if len(self.left_out) < self.max_listed:
            self.left_out.append(LeftOut(path, reason, size))

    def note_special(self, path: bytes, kind: str) -> None:
        """A fifo, socket or device: never opened, never part of a result."""
        self.special_files += 1
        if len(self.special) < self.max_listed:
            self.special.append(LeftOut(path, kind))

    def note_git(self, path: bytes) -> None:
        """Repository metadata besides the top-level `.git`."""
        self.nested_git_dirs += 1
        if len(self.nested_git) < self.max_listed:
            self.nested_git.append(path)

    def note_ignored(self, path: bytes, size: int) -> None:
        """An untracked file that the base's rules ignore and that is no test."""
        self.ignored_files += 1
        self.ignored_bytes += size
        if len(self.ignored_sample) < self.max_listed:
            self.ignored_sample.append(path)

    def ignored(self) -> Ignored:
        """The summary for the manifest."""
        return Ignored(
            files=self.ignored_files,
            size=self.ignored_bytes,
            test_files=self.ignored_tests,
            complete=self.ignored_complete,
            sample=tuple(self.ignored_sample),
        )

    def manifest(self, base: str, entries: Sequence[Entry]) -> Manifest:
        """The document about `entries` and everything that is not among them."""
        return Manifest(
            base=base,
            entries=tuple(entries),
            ignored=self.ignored(),
            special_files=self.special_files,
            special=tuple(sorted(self.special, key=lambda item: item.path)),
            nested_git_dirs=self.nested_git_dirs,
            nested_git=tuple(sorted(self.nested_git)),
            left_out_files=self.left_out_files,
            left_out_tests=self.left_out_tests,
            left_out=tuple(sorted(self.left_out, key=lambda item: item.path)),
            limits=tuple(sorted(self.limits)),
            notes=tuple(self.notes),
            truncated=self.left_out_files > 0,
        )
