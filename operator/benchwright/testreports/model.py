"""What a test report is here: test ids and how each ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


class ReportReason(StrEnum):
    """Why a report is none."""

    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    REFUSED_XML = "refused_xml"
    UNSUPPORTED_FORMAT = "unsupported_format"


class ReportError(Exception):
    """A report that cannot be used; `message` is one line, safe to show."""

    def __init__(self, reason: ReportReason, message: str) -> None:
        self.reason = reason
        self.message = "".join(c if c.isprintable() else "�" for c in message[:400])
        super().__init__(f"{reason}: {self.message}")


class Status(StrEnum):
    """How a test ended, from best to worst. xfail is `skipped`; a strict xpass `failed`."""

    PASSED = "passed"
    SKIPPED = "skipped"
    FAILED = "failed"
    ERROR = "error"


_WORST_FIRST = tuple(reversed(Status))


def worst(statuses: Iterable[Status]) -> Status:
    """The worst of at least one status."""
    return min(statuses, key=_WORST_FIRST.index)


@dataclass(frozen=True, slots=True)
class ReportLimits:
    """Caps on one report; past `bytes` and `cases` it is refused, texts are cut."""

    bytes: int = 64 * 1024 * 1024
    cases: int = 200_000
    """As many as facts hold (benchwright.api.facts)."""
    elements: int = 5_000_000
    depth: int = 64
    id_chars: int = 1024
    message_chars: int = 1000


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test: `[file::]classname::name`, printable and bounded."""

    __test__: ClassVar[bool] = False  # pytest: not a test class

    id: str
    status: Status
    seconds: float | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """Tests by status."""

    passed: int = 0
    skipped: int = 0
    failed: int = 0
    error: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.skipped + self.failed + self.error


@dataclass(frozen=True, slots=True)
class TestReport:
    """The tests of one run, sorted by id, each id once.

    `duplicates` are ids that came more than once, with how often; `disagreements` are totals of
    the report that its own test cases do not bear out; `flaky` are ids that failed and then
    passed when run again by the tool.
    """

    __test__: ClassVar[bool] = False

    cases: tuple[TestCase, ...]
    duplicates: tuple[tuple[str, int], ...] = ()
    flaky: tuple[str, ...] = ()
    disagreements: tuple[str, ...] = ()

    @property
    def counts(self) -> Counts:
        """Recomputed from the cases."""
        statuses = [case.status for case in self.cases]
        return Counts(**{status.value: statuses.count(status) for status in Status})


def collect(
    rows: Sequence[TestCase], *, flaky: Iterable[str] = (), disagreements: Iterable[str] = ()
) -> TestReport:
    """Rows as a tool wrote them → a report with each id once.

    An id that comes again has its worst status. Telling the rows apart by their order (`#2`) would
    give ids that swap when tests run in another order, and a test that passes but fails in its
    teardown is two rows of one test in pytest's reports. The worst status cannot be improved by
    adding a test of the same name. Times add up.
    """
    by_id: dict[str, list[TestCase]] = {}
    for row in rows:
        by_id.setdefault(row.id, []).append(row)
    return TestReport(
        cases=tuple(_one(by_id[each]) for each in sorted(by_id)),
        duplicates=tuple(
            (each, len(by_id[each])) for each in sorted(by_id) if len(by_id[each]) > 1
        ),
        flaky=tuple(sorted(set(flaky))),
        disagreements=tuple(disagreements),
    )


def join(reports: Sequence[TestReport]) -> TestReport:
    """The files of one run as one report (surefire writes one a class)."""
    joined = collect(
        [case for report in reports for case in report.cases],
        flaky=[each for report in reports for each in report.flaky],
        disagreements=[each for report in reports for each in report.disagreements],
    )
    repeats = dict(joined.duplicates)
    for report in reports:
        for each, count in report.duplicates:
            repeats[each] = repeats.get(each, 1) + count - 1
    return TestReport(
        joined.cases, tuple(sorted(repeats.items())), joined.flaky, joined.disagreements
    )


def _one(rows: list[TestCase]) -> TestCase:
    if len(rows) == 1:
        return rows[0]
    status = worst(row.status for row in rows)
    times = [row.seconds for row in rows if row.seconds is not None]
    messages = sorted(row.message for row in rows if row.status is status)
    return TestCase(rows[0].id, status, sum(times) if times else None, messages[0])
