"""Dividing what was collected, so that junk neither slows nor distorts the numbers that count.

The first two tiers are commits (base → counted; base → counted and excluded) with a diff of their own.
So generated and vendored files cannot use up git's rename limit or the patch's cap, and files that git
would take minutes or gigabytes to compare never get to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from benchwright.changes.classify import EXCLUDED, is_text_name
from benchwright.changes.lines import count_lines, looks_binary
from benchwright.changes.model import Entry
from benchwright.changes.modes import SYMLINK

from .limits import Limits

COUNTED = "refs/benchwright/counted"
EXCLUDED_REF = "refs/benchwright/excluded"
# Beyond it, a binary file is not given to git: it has no lines, and nobody reads it in a patch.
MAX_BINARY = 1 << 20


@dataclass(slots=True)
class Tiers:
    """`counted`: files of the classes that count. `excluded`: generated and vendored. `bulk`: of
    any class, but too much for git's diff. `lines` are those that git was given."""

    counted: list[Entry] = field(default_factory=list)
    excluded: list[Entry] = field(default_factory=list)
    bulk: list[Entry] = field(default_factory=list)
    lines: int = 0

    def add(self, entry: Entry, data: bytes, limits: Limits) -> bool:
        """Put an entry with its content where it belongs; whether git is to have it. The budget of
        lines is taken in the order of the calls."""
        lines = 0 if entry.mode == SYMLINK else count_lines(data)
        bounded = lines <= min(limits.max_file_lines, limits.max_total_lines - self.lines)
        if not bounded or _is_large_binary(entry, data):
            self.bulk.append(entry)
            return False
        self.lines += lines
        (self.excluded if entry.cls in EXCLUDED else self.counted).append(entry)
        return True


def _is_large_binary(entry: Entry, data: bytes) -> bool:
    return len(data) > MAX_BINARY and looks_binary(data) and not is_text_name(entry.path)
