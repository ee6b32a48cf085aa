"""Facts of an evaluator: its reports, read against the base."""

from benchwright.api.factsdoc import ObservedDoc, ProblemDoc
from benchwright.api.stageplan import REPOSITORY, StagePlan
from benchwright.changes.globs import compile_any
from benchwright.coverage.codec import to_json
from benchwright.coverage.errors import CoverageError
from benchwright.coverage.model import BaseTree, count_lines
from benchwright.coverage.readers import read as read_coverage
from benchwright.harness.folders import Files, Folders
from benchwright.harness.hostile import read_regular
from benchwright.harness.snapshot import baserepo
from benchwright.harness.snapshot.blobs import Blobs
from benchwright.testreports.model import ReportError
from benchwright.testreports.readers import read as read_tests

MAX_REPORT = 64 * 1024 * 1024


def measured_facts(plan: StagePlan, folders: Folders) -> tuple[ObservedDoc, Files]:
    """The update of the facts, and the reports as evidence."""
    update: ObservedDoc = {"droppedFiles": _dropped(folders)}
    files: Files = {}
    if "coverage" in plan:
        update |= _coverage(plan, folders, files)
    if "junit" in plan:
        update |= _tests(plan["junit"], folders, files)
    crossing = folders.private / "crossing.json"
    return update, files | ({"crossing.json": crossing} if crossing.exists() else {})


def _dropped(folders: Folders) -> int | None:
    counter = folders.private / "dropped"
    return int(counter.read_text()) if counter.exists() else None


def _coverage(plan: StagePlan, folders: Folders, files: Files) -> ObservedDoc:
    path, form = plan["coverage"]["path"], plan["coverage"]["format"]
    data = read_regular(folders.reports, path, MAX_REPORT)
    if data is None:
        return {"coverageProblem": _missing(path)}
    files["reports/coverage"] = data
    try:
        report = read_coverage(data, form, source_tree(plan, folders), root=REPOSITORY)
        return {"coverage": to_json(report).decode()}
    except CoverageError as error:
        return {"coverageProblem": {"reason": str(error.reason), "message": error.message}}


def source_tree(plan: StagePlan, folders: Folders) -> BaseTree:
    """Line counts of the base's sources: what counts for coverage, from the pristine base."""
    wanted = compile_any(plan["sources"])
    base = baserepo.list_tree(folders.base)
    tree = {p: f for p, f in base.items() if wanted.fullmatch(p)}
    with Blobs(folders.base) as blobs:
        lines = {
            path.decode("utf-8", "surrogateescape"): count_lines(blobs.read(file.id))
            for path, file in tree.items()
        }
    # What else was there, so that no overlaid file can pass for a source of the base.
    others = (base.keys() | _crossed(folders)) - tree.keys()
    return BaseTree(lines, frozenset(p.decode("utf-8", "surrogateescape") for p in others))


def _crossed(folders: Folders) -> set[bytes]:
    listing = folders.private / "crossed"
    return set(listing.read_bytes().split(b"\0")[:-1]) if listing.exists() else set()


def _tests(path: str, folders: Folders, files: Files) -> ObservedDoc:
    data = read_regular(folders.reports, path, MAX_REPORT)
    if data is None:
        return {"testsProblem": _missing(path)}
    files["reports/junit"] = data
    try:
        report = read_tests(data, "junit")
    except ReportError as error:
        return {"testsProblem": {"reason": str(error.reason), "message": error.message}}
    return {"tests": {"cases": [{"id": c.id, "status": c.status.value} for c in report.cases]}}


def _missing(path: str) -> ProblemDoc:
    text = f"no regular file of at most {MAX_REPORT} bytes at $BENCHWRIGHT_REPORTS/{path}"
    return {"reason": "missing", "message": text}
