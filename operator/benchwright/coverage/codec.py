"""A report as compact JSON, to be stored as a fact and judged again later.

    {"kind": "benchwright.coverage", "version": 1, "format": "lcov",
     "files": {"src/a.py": ["1-3,7", "1-2", "3:1/2"]},        measured, covered, branches by line
     "unmapped": [[path, reason, measured, covered]], "notes": [[kind, path, count, detail]],
     "claimed": [lines covered, lines, branches covered, branches], "recomputed": [same],
     "matched": {"exact": 1}}

Equal reports give equal bytes. What is read may come from a hostile place: it is bounded before
it is expanded, and nothing is taken that `to_json` would not have written.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from benchwright.coverage import checked, ranges
from benchwright.coverage.errors import CoverageError, Reason, malformed, too_large
from benchwright.coverage.jsontext import load
from benchwright.coverage.limits import DEFAULT_LIMITS, Limits
from benchwright.coverage.model import (
    Branches,
    CoverageReport,
    FileCoverage,
    Match,
    Note,
    NoteKind,
    Totals,
    Unmapped,
    UnmappedReason,
    require_clean,
)

KIND, VERSION = "benchwright.coverage", 1
_BRANCHES = re.compile(r"([1-9]\d{0,8}):(\d{1,9})/([1-9]\d{0,8})", re.ASCII)
_FORMAT = re.compile(r"[a-z0-9+-]{1,200}", re.ASCII)
_DETAIL_CHARS = 400


def to_json(report: CoverageReport, *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """ASCII, keys sorted; names that are not UTF-8 come back as they were (surrogateescape).

    Raises `CoverageError(too_large)` rather than write what nobody would store or read again.
    """
    document = {
        "kind": KIND,
        "version": VERSION,
        "format": report.format,
        "files": {path: _dump_file(file) for path, file in report.files.items()},
        "unmapped": [list(each) for each in report.unmapped],
        "notes": [list(each) for each in report.notes],
        "claimed": _dump_totals(report.claimed),
        "recomputed": _dump_totals(report.recomputed),
        "matched": dict(report.matched),
    }
    stored = json.dumps(document, sort_keys=True, separators=(",", ":")).encode("ascii")
    if len(stored) > limits.stored_bytes:
        raise too_large(f"{len(stored)} bytes to store, more than {limits.stored_bytes}")
    return stored


def from_json(data: bytes, *, limits: Limits = DEFAULT_LIMITS) -> CoverageReport:
    """Read what `to_json` wrote; raises `CoverageError`.

    Reasons: `unsupported_format` for another kind or version, `path_escape` for a file outside
    the repository, `too_large`, and `malformed` for anything else. Whether lines exist in the
    base is not checked here: `read` did.
    """
    document = load(data, limits)
    if (document.get("kind"), document.get("version")) != (KIND, VERSION):
        raise CoverageError(Reason.UNSUPPORTED_FORMAT, f"not {KIND} version {VERSION}")
    try:
        return _load_report(document, limits)
    except OverflowError as error:
        raise too_large(str(error)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise malformed(f"stored report: {type(error).__name__} {error}") from None


def _dump_file(file: FileCoverage) -> list[str]:
    lines = [ranges.encode(file.measured), ranges.encode(file.covered)]
    branches = ",".join(f"{n}:{b.covered}/{b.total}" for n, b in sorted(file.branches.items()))
    return [*lines, branches] if branches else lines


def _dump_totals(totals: Totals) -> list[int | None]:
    return [getattr(totals, name) for name in Totals.__slots__]


def _load_report(document: Mapping[str, Any], limits: Limits) -> CoverageReport:
    return CoverageReport(
        format=checked.matching(_FORMAT, document["format"])[0],
        files=_load_files(checked.mapping(document["files"]), limits),
        unmapped=tuple(
            _load_unmapped(each, limits) for each in checked.array(document["unmapped"])
        ),
        notes=tuple(_load_note(each, limits) for each in checked.array(document["notes"])),
        claimed=Totals(*(checked.claim(n) for n in checked.array(document["claimed"], 4))),
        recomputed=Totals(*(checked.claim(n) for n in checked.array(document["recomputed"], 4))),
        matched={
            Match(how): checked.count(n) for how, n in checked.mapping(document["matched"]).items()
        },
    )


def _load_files(entries: Mapping[str, Any], limits: Limits) -> dict[str, FileCoverage]:
    if len(entries) > limits.files:
        raise OverflowError(f"more than {limits.files} files")
    files: dict[str, FileCoverage] = {}
    room = limits.lines
    for path, entry in entries.items():
        require_clean(checked.text(path, limits.path_chars))
        files[path] = _load_file(checked.array(entry), room)
        room -= len(files[path].measured) + len(files[path].branches)
    return files


def _load_file(entry: list[Any], room: int) -> FileCoverage:
    if not all(isinstance(text, str) for text in entry):
        raise TypeError("lines that are no text")
    measured, covered, branches = entry if len(entry) == 3 else [*entry, ""]
    lines = ranges.decode(measured, room)
    return FileCoverage(
        measured=lines,
        covered=ranges.decode(covered, len(lines)),
        branches=_load_branches(branches, room - len(lines)),
    )


def _load_branches(text: str, room: int) -> dict[int, Branches]:
    parts = text.split(",") if text else []
    if len(parts) > room:
        raise OverflowError("too many lines with branches")
    found: dict[int, Branches] = {}
    for part in parts:
        line, covered, total = map(int, checked.matching(_BRANCHES, part).groups())
        if covered > total or line in found:
            raise ValueError(f"branches {part!r}")
        found[line] = Branches(covered, total)
    return found


def _load_unmapped(entry: object, limits: Limits) -> Unmapped:
    path, reason, measured, covered = checked.array(entry, 4)
    name = checked.text(path, limits.path_chars)
    return Unmapped(name, UnmappedReason(reason), checked.count(measured), checked.count(covered))


def _load_note(entry: object, limits: Limits) -> Note:
    kind, path, count, detail = checked.array(entry, 4)
    name = checked.text(path, limits.path_chars)
    return Note(NoteKind(kind), name, checked.count(count), checked.text(detail, _DETAIL_CHARS))
