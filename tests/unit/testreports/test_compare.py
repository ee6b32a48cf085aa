"""What happened to the tests, and the laws of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.testreports import Status, TestCase, TestDelta, TestReport, compare


def run(**statuses: str) -> TestReport:
    return TestReport(tuple(TestCase(id_, Status(s)) for id_, s in sorted(statuses.items())))


RUN = st.dictionaries(
    st.sampled_from("abcde"), st.sampled_from(["passed", "failed", "skipped"])
).map(lambda statuses: run(**statuses))
RUNS = st.lists(RUN, min_size=1, max_size=3)


def test_added_tests_by_how_they_ended() -> None:
    delta = compare([run(old="passed")], run(old="passed", a="passed", b="error", c="skipped"))
    assert delta.added == ("a", "b", "c")
    assert (delta.added_passed, delta.added_failed, delta.added_skipped) == (("a",), ("b",), ("c",))
    assert (delta.still_passing, delta.broken, delta.removed) == (1, (), ())


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("passed", "passed", "still_passing"),
        ("passed", "failed", "broken"),
        ("passed", "error", "broken"),
        ("passed", None, "broken"),
        ("passed", "skipped", "newly_skipped"),
        ("failed", "passed", "fixed"),
        ("skipped", "passed", "fixed"),
        ("failed", "failed", "not_passing"),
        ("failed", None, "not_passing"),
        ("skipped", "skipped", "not_passing"),
    ],
)
def test_a_test_of_the_base(before: str, after: str | None, expected: str) -> None:
    delta = compare([run(t=before)], run(t=after) if after else run())
    assert classes(delta) == {name: int(name == expected) for name in CLASSES}
    assert (delta.removed == ("t",)) is (after is None)


def test_a_test_that_was_unstable_before_is_not_broken() -> None:
    delta = compare([run(t="passed"), run(t="failed")], run(t="failed"))
    assert delta.broken == ()
    assert delta.unstable_before == ("t",)
    assert compare([run(t="passed"), run()], run(t="failed")).unstable_before == ("t",)


def test_one_run_after_that_fails_or_lacks_it_is_enough() -> None:
    delta = compare([run(t="passed")], [run(t="passed", new="passed"), run(new="passed")])
    assert delta.broken == ("t",)
    assert delta.removed == ()  # one run has it
    assert delta.unstable_after == ("t",)
    assert compare([run()], [run(n="passed"), run()]).added_failed == ("n",)


def test_no_runs_are_no_comparison() -> None:
    """Every test would have passed all of none."""
    for before, after in (([], [run()]), ([run()], [])):
        with pytest.raises(ValueError, match="no reports"):
            compare(before, after)


CLASSES = ("broken", "newly_skipped", "still_passing", "fixed", "not_passing")


def classes(delta: TestDelta) -> dict[str, int]:
    found = {name: getattr(delta, name) for name in CLASSES}
    return {name: n if isinstance(n, int) else len(n) for name, n in found.items()}


@given(RUNS, RUNS)
def test_every_test_is_in_exactly_one_class(
    before: list[TestReport], after: list[TestReport]
) -> None:
    delta = compare(before, after)
    base = {case.id for report in before for case in report.cases}
    later = {case.id for report in after for case in report.cases}
    assert sum(classes(delta).values()) == len(base)
    parts = (delta.added_passed, delta.added_failed, delta.added_skipped)
    assert sorted(id_ for part in parts for id_ in part) == list(delta.added)
    assert set(delta.added) == later - base
    assert set(delta.removed) == base - later
    assert not set(delta.broken) & set(delta.newly_skipped)


@given(RUNS)
def test_doing_nothing_changes_nothing(runs: list[TestReport]) -> None:
    delta = compare(runs, runs)
    assert delta.added == delta.removed == delta.broken == delta.newly_skipped == ()
    assert delta.fixed == 0
    assert delta.unstable_before == delta.unstable_after


@given(RUNS, RUNS)
def test_what_is_added_one_way_is_removed_the_other(
    before: list[TestReport], after: list[TestReport]
) -> None:
    assert compare(before, after).added == compare(after, before).removed


@given(RUNS, RUNS, RUN)
def test_a_further_run_after_never_makes_it_better(
    before: list[TestReport], after: list[TestReport], further: TestReport
) -> None:
    once, twice = compare(before, after), compare(before, [*after, further])
    assert set(twice.added_passed) <= set(once.added_passed)
    assert set(once.broken) <= set(twice.broken)
    assert twice.still_passing <= once.still_passing
    assert twice.fixed <= once.fixed
