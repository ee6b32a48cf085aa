"""What happened to the tests: added, removed, broken, still passing. Absent is not passed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from benchwright.testreports.model import Status, TestReport, worst


@dataclass(frozen=True, slots=True)
class TestDelta:
    """Every id seen, in classes; ids are sorted.

    Of the tests of the base, each is in one of: `broken`, `newly_skipped`, `still_passing`,
    `fixed`, `not_passing` (counts for the last three), so that nothing can drop out unseen.
    """

    __test__: ClassVar[bool] = False

    added: tuple[str, ...]
    """In no run before; the next three divide them."""
    added_passed: tuple[str, ...]
    """Passed in every run after."""
    added_failed: tuple[str, ...]
    """Failed, errored or were missing in at least one run after."""
    added_skipped: tuple[str, ...]
    removed: tuple[str, ...]
    """In at least one run before, and in no run after."""
    broken: tuple[str, ...]
    """Passed in every run before; failed, errored or was missing in at least one after."""
    newly_skipped: tuple[str, ...]
    """Passed in every run before, skipped after: hides a failure as well as a removal does."""
    still_passing: int
    fixed: int
    """Did not pass in every run before, passed in every run after."""
    not_passing: int
    """Did not pass in every run, neither before nor after."""
    unstable_before: tuple[str, ...]
    """Passed in some runs before and not in others: they can neither be broken nor blamed."""
    unstable_after: tuple[str, ...]


def compare(base: Sequence[TestReport], after: TestReport | Sequence[TestReport]) -> TestDelta:
    """Compare runs of the same tests before and after; each report is one whole run.

    Raises ValueError without a run on either side, for every test would have passed all of none.
    """
    before = _Runs(base)
    later = _Runs([after] if isinstance(after, TestReport) else after)
    added = later.ids - before.ids
    kept, others = before.passed_in_all(), before.ids - before.passed_in_all()
    return TestDelta(
        added=_sorted(added),
        added_passed=_sorted(added & later.passed_in_all()),
        added_failed=_where(added, later.failed),
        added_skipped=_where(added, later.skipped),
        removed=_sorted(before.ids - later.ids),
        broken=_where(kept, later.failed),
        newly_skipped=_where(kept, later.skipped),
        still_passing=len(kept & later.passed_in_all()),
        fixed=len(others & later.passed_in_all()),
        not_passing=len(others - later.passed_in_all()),
        unstable_before=_where(before.ids, before.unstable),
        unstable_after=_where(later.ids, later.unstable),
    )


class _Runs:
    """Statuses of each id over several runs; a run without the id counts as an error."""

    def __init__(self, reports: Sequence[TestReport]) -> None:
        if not reports:
            raise ValueError("no reports")
        self._runs: list[Mapping[str, Status]] = [
            {case.id: case.status for case in report.cases} for report in reports
        ]
        self.ids = frozenset(id_ for run in self._runs for id_ in run)

    def _statuses(self, id_: str) -> list[Status]:
        return [run.get(id_, Status.ERROR) for run in self._runs]

    def passed_in_all(self) -> frozenset[str]:
        return frozenset(id_ for id_ in self.ids if worst(self._statuses(id_)) is Status.PASSED)

    def failed(self, id_: str) -> bool:
        return worst(self._statuses(id_)) in (Status.FAILED, Status.ERROR)

    def skipped(self, id_: str) -> bool:
        return worst(self._statuses(id_)) is Status.SKIPPED

    def unstable(self, id_: str) -> bool:
        statuses = set(self._statuses(id_))
        return Status.PASSED in statuses and len(statuses) > 1


def _where(ids: Collection[str], holds: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(sorted(id_ for id_ in ids if holds(id_)))


def _sorted(ids: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(ids))
