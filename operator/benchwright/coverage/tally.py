"""What readers fill in: a report as its tool wrote it, before its paths are mapped."""

from collections import Counter
from dataclasses import dataclass, field

from benchwright.coverage.errors import malformed, too_large
from benchwright.coverage.limits import Limits
from benchwright.coverage.model import Branches, Note, NoteKind, Totals

_NOTES_OF_A_FILE = 4


@dataclass(slots=True)
class RawFile:
    """One file of a report: line → covered, and branches by identity or as counts by line."""

    lines: dict[int, bool] = field(default_factory=dict)
    branches: dict[tuple[int, str], bool] = field(default_factory=dict)
    counts: dict[int, Branches] = field(default_factory=dict)

    def branches_by_line(self) -> dict[int, Branches]:
        found = dict(self.counts)
        for (line, _), taken in self.branches.items():
            covered, total = found.get(line, (0, 0))
            found[line] = Branches(covered + taken, total + 1)
        return found

    def totals(self) -> Totals:
        branches = self.branches_by_line().values()
        return Totals(
            lines_covered=sum(self.lines.values()),
            lines_total=len(self.lines),
            branches_covered=sum(pair.covered for pair in branches),
            branches_total=sum(pair.total for pair in branches),
        )


class Tally:
    """Collects a report and enforces its limits as it grows."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.files: dict[str, RawFile] = {}
        self.sources: list[str] = []
        self.claimed = Totals()
        self._notes: Counter[tuple[NoteKind, str, str]] = Counter()
        self._room = limits.lines

    def file(self, path: str) -> RawFile:
        """The file of that name, made on first mention; repeated mentions are merged."""
        known = self.files.get(path)
        if known is not None:
            return known
        if len(path) > self.limits.path_chars:
            raise malformed(f"a path of {len(path)} characters: {path}")
        if len(self.files) >= self.limits.files:
            raise too_large(f"more than {self.limits.files} files")
        return self.files.setdefault(path, RawFile())

    def add_line(self, file: RawFile, line: int, covered: bool) -> None:
        """A measured line; covered if any row of the report says so."""
        if line in file.lines:
            file.lines[line] |= covered
        else:
            self._take_room()
            file.lines[line] = covered

    def add_branch(self, file: RawFile, line: int, identity: str, taken: bool) -> None:
        """A branch that the format tells apart from others of its line."""
        key = (line, identity)
        if key in file.branches:
            file.branches[key] |= taken
        else:
            self._take_room()
            file.branches[key] = taken

    def add_branch_count(self, file: RawFile, line: int, covered: int, total: int) -> None:
        """Branches of a line as bare counts: the best row of the line is kept."""
        known = file.counts.get(line)
        if known is None:
            self._take_room()
            known = Branches(0, 0)
        file.counts[line] = Branches(max(known.covered, covered), max(known.total, total))

    def note(self, kind: NoteKind, path: str, detail: str = "") -> None:
        """Something odd; the same of one file is counted, not repeated."""
        self._notes[kind, path, detail] += 1
        if len(self._notes) > _NOTES_OF_A_FILE * self.limits.files:
            raise too_large("too many oddities")

    def note_line(self, path: str) -> None:
        """A line number below 1, which no file has (coveragepy/coveragepy#1846)."""
        self.note(NoteKind.LINE_OUT_OF_RANGE, path, "line 0 or below")

    def compare(self, path: str, claimed: Totals, counted: Totals) -> None:
        """Note where what is claimed is not what was counted; what is not said claims nothing."""
        for name in Totals.__slots__:
            said, true = getattr(claimed, name), getattr(counted, name)
            if said is not None and said != true:
                self.note(NoteKind.DISAGREES, path, f"{name}: claimed {said}, counted {true}")

    def recomputed(self) -> Totals:
        """What the rows add up to, each file once."""
        totals = [file.totals() for file in self.files.values()]
        return Totals(
            lines_covered=sum(each.lines_covered or 0 for each in totals),
            lines_total=sum(each.lines_total or 0 for each in totals),
            branches_covered=sum(each.branches_covered or 0 for each in totals),
            branches_total=sum(each.branches_total or 0 for each in totals),
        )

    def notes(self) -> list[Note]:
        return [Note(kind, path, n, detail) for (kind, path, detail), n in self._notes.items()]

    def _take_room(self) -> None:
        self._room -= 1
        if self._room < 0:
            raise too_large(f"more than {self.limits.lines} lines and branches")
