"""Cobertura XML, as coverage.py, gcovr, istanbul, JVM tools and others write it.

Of each `<class filename>` only `class/lines/line` counts: `methods` repeat the same lines. A file
may be in many classes (aconrad/pycobertura#112, jenkinsci/cobertura-plugin#166), so lines are
merged by file and number with the larger hits. `class` is not always under `classes`
(aconrad/pycobertura#80). Rates are rounded or wrong (coveragepy/coveragepy#2293) and not read.
"""

import re

from benchwright.coverage.errors import CoverageError, Reason, malformed, too_large
from benchwright.coverage.figures import hits, whole
from benchwright.coverage.model import NoteKind, Totals
from benchwright.coverage.tally import RawFile, Tally
from benchwright.hostile.xmlstream import XmlError, stream

_CONDITIONS = re.compile(r"\((\d{1,18})/(\d{1,18})\)", re.ASCII)
_MAX_BRANCHES_OF_A_LINE = 65_536


def parse(data: bytes, tally: Tally) -> None:
    """Fill `tally`; raises `CoverageError`."""
    limits = tally.limits
    reader = _Reader(tally)
    try:
        stream(data, reader, max_depth=limits.xml_depth, max_elements=limits.rows)
    except XmlError as error:
        raise CoverageError(Reason(error.reason), str(error)) from None
    tally.compare("", tally.claimed, tally.recomputed())


class _Reader:
    """Follows the elements; `_parents` are the open ones."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._parents: list[str] = []
        self._source: str | None = None
        self._path = ""
        self._file: RawFile | None = None
        self._own_lines = self._method_lines = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._parents:
            self._start_root(tag, attributes)
        elif tag == "line":
            self._start_line(attributes)
        elif tag == "class":
            self._start_class(attributes)
        elif tag == "source":
            self._source = ""
        elif tag == "project" and len(self._parents) == 1:
            raise CoverageError(Reason.UNSUPPORTED_FORMAT, "this is Clover, not Cobertura")
        self._parents.append(tag)

    def end(self, tag: str) -> None:
        self._parents.pop()
        if tag == "class":
            self._end_class()
        elif tag == "source" and self._source is not None:
            self._add_source(self._source.strip())
            self._source = None

    def data(self, text: str) -> None:
        if self._source is not None:
            self._source += text
            if len(self._source) > self._tally.limits.path_chars:
                raise malformed("a <source> of too many characters")

    def _start_root(self, tag: str, attributes: dict[str, str]) -> None:
        if tag != "coverage":
            raise malformed(f"the root element is <{tag}>, not <coverage>")
        self._tally.claimed = Totals(
            lines_covered=_claim(attributes.get("lines-covered")),
            lines_total=_claim(attributes.get("lines-valid")),
            branches_covered=_claim(attributes.get("branches-covered")),
            branches_total=_claim(attributes.get("branches-valid")),
        )

    def _add_source(self, source: str) -> None:
        if len(self._tally.sources) >= self._tally.limits.sources:
            raise too_large(f"more than {self._tally.limits.sources} <source> elements")
        self._tally.sources.append(source)

    def _start_class(self, attributes: dict[str, str]) -> None:
        if self._file is not None:
            raise malformed("a <class> inside a <class>")
        self._path = attributes.get("filename", "")
        if not self._path:
            raise malformed("a <class> without a filename")
        self._file = self._tally.file(self._path)
        self._own_lines = self._method_lines = 0

    def _end_class(self) -> None:
        if self._method_lines and not self._own_lines:
            self._tally.note(NoteKind.METHOD_LINES_ONLY, self._path)
        self._file = None

    def _start_line(self, attributes: dict[str, str]) -> None:
        if self._parents[-2:] != ["class", "lines"] or self._file is None:
            self._method_lines += 1
            return
        self._own_lines += 1
        try:
            number, covered = whole(attributes["number"]), hits(attributes["hits"])
        except (KeyError, ValueError) as error:
            raise malformed(f"{self._path}: a <line> with {error}") from None
        if number < 1:
            self._tally.note_line(self._path)
            return
        if covered is None:
            self._tally.note(NoteKind.BAD_HITS, self._path)
        self._tally.add_line(self._file, number, bool(covered))
        if conditions := _CONDITIONS.search(attributes.get("condition-coverage", "")):
            self._add_conditions(self._file, number, *map(int, conditions.groups()))

    def _add_conditions(self, file: RawFile, number: int, covered: int, total: int) -> None:
        if covered > total or total > _MAX_BRANCHES_OF_A_LINE:
            self._tally.note(NoteKind.BAD_BRANCH, self._path)
        elif total:
            self._tally.add_branch_count(file, number, covered, total)


def _claim(text: str | None) -> int | None:
    try:
        return None if text is None else whole(text)
    except ValueError:
        return None
