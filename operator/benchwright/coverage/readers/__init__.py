"""One reader a format. To add one: a module with `parse(data, tally)`, and a row in `FORMATS`."""

from collections.abc import Callable, Mapping

from benchwright.coverage.assemble import assemble
from benchwright.coverage.errors import CoverageError, Reason, too_large
from benchwright.coverage.limits import DEFAULT_LIMITS, Limits
from benchwright.coverage.model import BaseTree, CoverageReport
from benchwright.coverage.readers import cobertura, coveragepy_json, lcov
from benchwright.coverage.tally import Tally

FORMATS: Mapping[str, Callable[[bytes, Tally], None]] = {
    "cobertura": cobertura.parse,
    "coveragepy-json": coveragepy_json.parse,
    "lcov": lcov.parse,
}


def read(
    data: bytes,
    format: str,  # noqa: A002 - the word that task.yaml uses
    base: BaseTree,
    *,
    root: str,
    cwd: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> CoverageReport:
    """Read a report that was made in a workspace at the absolute path `root`.

    `cwd` is the absolute directory in which the tool ran, where it was not `root`: relative
    paths of a report without `<source>` are tried from there first. Raises `CoverageError`, with
    `no_measurable_lines` where no line of the base was measured, whatever else there is.
    """
    parse = FORMATS.get(format)
    if parse is None:
        known = ", ".join(sorted(FORMATS))
        raise CoverageError(Reason.UNSUPPORTED_FORMAT, f"{format!r}; known are {known}")
    if len(data) > limits.bytes:
        raise too_large(f"{len(data)} bytes, more than {limits.bytes}")
    tally = Tally(limits)
    parse(data, tally)
    return assemble(tally, format, base, root=root, cwd=cwd)
