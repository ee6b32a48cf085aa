"""What the walk asks and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from benchwright.changes.classify import EXCLUDED, PathClass, is_output
from benchwright.changes.ignore import Ignore

from .compare import Found
from .limits import LimitError, Limits


@dataclass(frozen=True, slots=True)
class Rules:
    """What the walk asks: the base's ignore rules, a path's class, the limits, and `late`, which
    says whether the time is up."""

    ignore: Ignore
    classify: Callable[[bytes], PathClass]
    limits: Limits
    late: Callable[[], bool]

    def check_time(self) -> None:
        """LimitError when the time is up."""
        if self.late():
            raise LimitError("seconds")

    def over(self, path: bytes) -> str | None:
        """The limit that a new path is beyond, if any."""
        if len(path) > self.limits.max_path_bytes:
            return "max_path_bytes"
        return "max_depth" if path.count(b"/") >= self.limits.max_depth else None

    def is_junk(self, directory: bytes) -> bool:
        """Whether whatever a directory holds is vendored or generated."""
        return self.classify(directory + b"/_") in EXCLUDED

    def is_hidden_test(self, path: bytes) -> bool:
        """Whether a file that the base ignores is a test that somebody wrote."""
        return self.classify(path) is PathClass.TEST and not is_output(path)


@dataclass(slots=True)
class Walked:
    """`changed`: base paths with other content, mode or type. `deleted`: base paths with nothing
    there that a repository can hold. `added`: new paths, tests among ignored ones too."""

    changed: list[Found] = field(default_factory=list)
    deleted: list[bytes] = field(default_factory=list)
    added: list[Found] = field(default_factory=list)
