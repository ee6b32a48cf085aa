"""LCOV tracefiles (geninfo(1)), as lcov, gcovr, llvm-cov, istanbul and coverage.py write them.

    SF:<path>  DA:<line>,<hits>[,<md5>]  BRDA:<line>,[e]<block>,<branch>,<taken|->
    LF: LH: BRF: BRH: (totals)  end_of_record

A path may be in several records (one a test or translation unit): they are merged. Totals may be
absent (raw captures of lcov 1.16) or false, so each record's are compared with its own rows. Of
branches, `-` (the line was never reached) and 0 (not taken) are both not taken
(foundry-rs/foundry#13151); coverage.py names branches by text that may hold commas.
"""

import io
import re
from collections.abc import Callable

from benchwright.coverage.errors import malformed, too_large
from benchwright.coverage.figures import hits, whole
from benchwright.coverage.model import NoteKind, Totals
from benchwright.coverage.tally import Tally

_RECORD = re.compile(r"[A-Z][A-Z0-9_]{1,15}(:|$)", re.ASCII)
_PLAIN_DA = re.compile(rb"DA:(\d{1,18}),(\d{1,18})[\r\n]")
# Known, and not needed: names of tests, versions, functions, MC/DC.
_IGNORED = {"TN", "VER", "FN", "FNDA", "FNF", "FNH", "FNL", "FNA", "MCDC", "MCF", "MCH"}
_TOTALS = {"LF": 0, "LH": 1, "BRF": 2, "BRH": 3}


def parse(data: bytes, tally: Tally) -> None:
    """Fill `tally`; raises `CoverageError(malformed)` naming the row, or `too_large`."""
    if data.count(b"\n") > tally.limits.rows:
        raise too_large(f"more than {tally.limits.rows} rows")
    reader = _Reader(tally)
    for number, raw in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        try:
            if not reader.plain_line(raw):
                reader.row(raw.decode("utf-8", "surrogateescape").rstrip("\r\n"))
        except ValueError as error:
            raise malformed(f"row {number}: {error}") from None
    reader.finish()


class _Reader:
    """One record at a time; `claimed` of the tally adds up those of all records."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._claims: list[int | None] = [None] * 4
        self._handlers: dict[str, Callable[[str], None]] = {"DA": self._line, "BRDA": self._branch}
        self._begin(None)

    def _begin(self, path: str | None) -> None:
        self._path = path
        self._lines: dict[int, bool] = {}
        self._branches: dict[tuple[int, str], bool] = {}
        self._record_claims: list[int | None] = [None] * 4

    def plain_line(self, raw: bytes) -> bool:
        """Take nine of ten rows at a third of the price of `row`; False for all others."""
        match = _PLAIN_DA.match(raw)
        if match is None or self._path is None:
            return False
        self._add_line(int(match[1]), int(match[2]) > 0)
        return True

    def row(self, row: str) -> None:
        """Take one row; raises ValueError for what is none."""
        keyword, colon, rest = row.partition(":")
        if self._path is None:
            self._between_records(keyword, rest, row)
        elif handler := self._handlers.get(keyword):
            handler(rest)
        elif keyword in _TOTALS:
            self._record_claims[_TOTALS[keyword]] = whole(rest.strip())
        elif row.rstrip() == "end_of_record":
            self._end(self._path)
        elif keyword == "SF":
            raise ValueError("SF inside a record: the one before has no end_of_record")
        elif not (colon and keyword in _IGNORED):
            self._unknown(row)

    def finish(self) -> None:
        """A file that stops inside a record is a broken one: what it lacks would be lost."""
        if self._path is not None:
            raise malformed(f"{self._path}: cut off, no end_of_record")
        total, covered, branches, taken = self._claims
        self._tally.claimed = Totals(covered, total, taken, branches)

    def _between_records(self, keyword: str, rest: str, row: str) -> None:
        if keyword == "SF":
            if not rest:
                raise ValueError("SF without a path")
            self._begin(rest)
        elif keyword in _TOTALS or keyword in self._handlers or row.rstrip() == "end_of_record":
            raise ValueError(f"{row[:40]!r} outside a record")
        elif keyword not in _IGNORED:
            self._unknown(row)

    def _unknown(self, row: str) -> None:
        if not row.strip() or row.startswith("#"):
            return
        if not _RECORD.match(row):
            raise ValueError(f"no LCOV: {row[:40]!r}")
        keyword = row.partition(":")[0]
        self._tally.note(NoteKind.UNKNOWN_RECORD, self._path or "", keyword)

    def _line(self, rest: str) -> None:
        number, _, tail = rest.partition(",")
        line, covered = whole(number), self._hits(tail.partition(",")[0])
        self._add_line(line, covered)

    def _add_line(self, line: int, covered: bool) -> None:
        if line < 1:
            self._tally.note_line(self._path or "")
        else:
            self._lines[line] = covered or self._lines.get(line, False)

    def _branch(self, rest: str) -> None:
        number, _, tail = rest.partition(",")
        identity, comma, taken = tail.rpartition(",")
        if not comma or "," not in identity:
            raise ValueError(f"BRDA with too few fields: {rest[:40]!r}")
        line, covered = whole(number), taken != "-" and self._hits(taken)
        if line < 1:
            self._tally.note_line(self._path or "")
        else:
            key = (line, identity)
            self._branches[key] = self._branches.get(key, False) or covered

    def _hits(self, text: str) -> bool:
        covered = hits(text)
        if covered is None:
            self._tally.note(NoteKind.BAD_HITS, self._path or "")
        return bool(covered)

    def _end(self, path: str) -> None:
        tally = self._tally
        file = tally.file(path)
        for line, covered in self._lines.items():
            tally.add_line(file, line, covered)
        for (line, identity), taken in self._branches.items():
            tally.add_branch(file, line, identity, taken)
        total, covered_lines, branches, taken_branches = self._record_claims
        tally.compare(
            path,
            Totals(covered_lines, total, taken_branches, branches),
            Totals(
                lines_covered=sum(self._lines.values()),
                lines_total=len(self._lines),
                branches_covered=sum(self._branches.values()),
                branches_total=len(self._branches),
            ),
        )
        for index, claim in enumerate(self._record_claims):
            if claim is not None:
                self._claims[index] = (self._claims[index] or 0) + claim
        self._begin(None)
