"""Coverage by file: the grader's sets, for reading."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.api.facts import ReportProblem, StageFacts
from benchwright.coverage import ranges
from benchwright.web.covered import BUCKETS, RANGE_CHARS, coverage_view
from tests.unit.core.evidence import coverage, measured

_SETS = st.frozensets(st.integers(1, 400), min_size=1, max_size=60)


@given(measured_lines=_SETS, data=st.data())
def test_numbers_and_ranges_are_of_base_lines_only(
    measured_lines: frozenset[int], data: st.DataObject
) -> None:
    lines = sorted(measured_lines)
    before = data.draw(st.frozensets(st.sampled_from(lines)))
    after = data.draw(st.frozensets(st.sampled_from(lines)))
    found = coverage_view([_facts(before, measured_lines)], _facts(after, measured_lines))
    (file,) = found.files
    assert (file.gained, file.lost) == (len(after - before), len(before - after))
    assert (file.before, file.after, file.measured) == (len(before), len(after), len(lines))
    assert found.gained == file.gained
    if len(file.gained_ranges) < RANGE_CHARS:
        assert ranges.decode(file.gained_ranges.replace(", ", ","), 400) == after - before
    assert sum(band.width for band in file.strip) <= BUCKETS
    assert all(b.x >= 0 and b.x + b.width <= BUCKETS for b in file.strip)
    # A gain is never hidden by its neighbours.
    assert ("gained" in {b.kind for b in file.strip}) == bool(after - before)


def _facts(covered: frozenset[int], lines: frozenset[int]) -> StageFacts:
    return measured().model_copy(update={"coverage": coverage(covered, lines)})


def test_a_file_that_is_only_of_the_agent_gains_nothing() -> None:
    after = measured().model_copy(update={"coverage": coverage([1, 2], [1, 2], path="pkg/new.py")})
    found = coverage_view([measured()], after)
    assert [(f.path, f.gained) for f in found.files] == [("pkg/a.py", 0)]


@pytest.mark.parametrize(
    ("before", "after", "missing"),
    [
        ([measured()], None, "no evaluator ran"),
        ([], measured(), "no good baseline"),
        ([measured()], StageFacts(steps=()), "the evaluator's facts have no line sets"),
        (
            [measured()],
            StageFacts(
                steps=(), coverage_problem=ReportProblem(reason="ReportMissing", message="x.xml")
            ),
            "ReportMissing: x.xml",
        ),
        (
            [measured()],
            measured().model_copy(update={"coverage": '{"version": 99}'}),
            "the stored line sets cannot be read",
        ),
    ],
)
def test_where_there_is_no_comparison_it_says_why(
    before: list[StageFacts], after: StageFacts | None, missing: str
) -> None:
    found = coverage_view(before, after)
    assert missing in found.missing
    assert (found.files, found.gained) == ((), 0)


def test_more_files_than_a_page_holds_are_counted() -> None:
    found = coverage_view([measured()], measured(covered=[1, 9]), max_files=0)
    assert (found.files, found.left_out, found.gained) == ([], 1, 1)
