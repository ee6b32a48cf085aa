"""coverage.py's JSON report, formats 1 to 3 (coverage/jsonreport.py: FORMAT_VERSION).

`files{path: {executed_lines, missing_lines, executed_branches [[from, to]], …}}`. Lines are
executed + missing. `percent_covered` mixes in branches (coveragepy/coveragepy#2090), so no
percentage is read. Format 1 had no format number; 3 added functions and classes, which repeat
the lines and are not read.
"""

from collections.abc import Iterator
from typing import Any

from benchwright.coverage.errors import CoverageError, Reason, malformed
from benchwright.coverage.figures import LARGEST
from benchwright.coverage.jsontext import load
from benchwright.coverage.model import Totals
from benchwright.coverage.tally import RawFile, Tally

_KNOWN_FORMATS = (1, 2, 3)


def parse(data: bytes, tally: Tally) -> None:
    """Fill `tally`; raises `CoverageError`."""
    document = load(data, tally.limits)
    _check_format(_object(document, "meta").get("format", 1))
    for path, entry in _object(document, "files").items():
        if not isinstance(entry, dict):
            raise malformed(f"files[{path}] is no object")
        _parse_file(path, entry, tally)
    tally.claimed = _claims(document.get("totals"))
    tally.compare("", tally.claimed, tally.recomputed())


def _check_format(number: object) -> None:
    if number not in _KNOWN_FORMATS or isinstance(number, bool):
        raise CoverageError(Reason.UNSUPPORTED_FORMAT, f"coverage.py JSON format {number!r}")


def _parse_file(path: str, entry: dict[str, Any], tally: Tally) -> None:
    file = tally.file(path)
    for key, covered in (("executed_lines", True), ("missing_lines", False)):
        for line in _lines(entry, key, path):
            if file.lines.get(line, covered) is not covered:
                raise malformed(f"{path}: line {line} is both executed and missing")
            if line < 1:
                tally.note_line(path)
            else:
                tally.add_line(file, line, covered)
    _parse_branches(path, file, entry, tally)
    tally.compare(path, _claims(entry.get("summary")), file.totals())


def _parse_branches(path: str, file: RawFile, entry: dict[str, Any], tally: Tally) -> None:
    for key, taken in (("executed_branches", True), ("missing_branches", False)):
        for arc in _list(entry, key, path, required=False):
            if not (isinstance(arc, list) and len(arc) == 2 and all(map(_is_line, arc))):
                raise malformed(f"{path}: {key} has something that is no [from, to]")
            if arc[0] < 1:
                tally.note_line(path)
            else:
                tally.add_branch(file, arc[0], str(arc[1]), taken)


def _lines(entry: dict[str, Any], key: str, path: str) -> Iterator[int]:
    for line in _list(entry, key, path, required=True):
        if not _is_line(line):
            raise malformed(f"{path}: {key} has {line!r:.40}, which is no line number")
        yield line


def _is_line(value: object) -> bool:
    # Of exits the number is negative. JSON's true is an int to isinstance.
    return type(value) is int and -LARGEST <= value <= LARGEST


def _list(entry: dict[str, Any], key: str, path: str, *, required: bool) -> list[Any]:
    found = entry.get(key, None if required else [])
    if not isinstance(found, list):
        raise malformed(f"{path}: {key} is no list")
    return found


def _object(document: dict[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    if not isinstance(found, dict):
        raise malformed(f"{key} is no object")
    return found


def _claims(summary: object) -> Totals:
    if not isinstance(summary, dict):
        return Totals()

    def number(key: str) -> int | None:
        value = summary.get(key)
        return max(-LARGEST, min(value, LARGEST)) if type(value) is int else None

    return Totals(
        lines_covered=number("covered_lines"),
        lines_total=number("num_statements"),
        branches_covered=number("covered_branches"),
        branches_total=number("num_branches"),
    )
