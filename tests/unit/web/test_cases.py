"""Test cases of an evaluator's report, beside those of the base."""

import pytest

from benchwright.api.facts import ReportProblem, StageFacts
from benchwright.web.cases import MAX_CASES, cases_view
from tests.unit.core.evidence import measured


def test_what_was_broken_comes_first_then_what_was_added() -> None:
    after = measured(
        {"tests.test_a::two": "failed", "tests.test_b::new": "passed", "tests.test_b::no": "failed"}
    )
    found = cases_view([measured()], after, compared=True)
    assert [(c.id, c.status, c.note) for c in found.cases] == [
        ("tests.test_a::two", "failed", "broken"),
        ("tests.test_b::no", "failed", "added"),
        ("tests.test_b::new", "passed", "added"),
        ("tests.test_a::one", "passed", ""),
    ]
    assert found.compared


@pytest.mark.parametrize("baselines", [[], [StageFacts(steps=())]])
def test_without_a_base_nothing_is_called_added(baselines: list[StageFacts]) -> None:
    found = cases_view(baselines, measured({"new": "passed"}), compared=True)
    assert not found.compared
    assert {c.note for c in found.cases} == {""}


@pytest.mark.parametrize(
    ("after", "missing"),
    [
        (None, "no evaluator ran"),
        (StageFacts(steps=()), "no test report"),
        (
            StageFacts(
                steps=(), tests_problem=ReportProblem(reason="ReportMissing", message="junit.xml")
            ),
            "ReportMissing: junit.xml",
        ),
    ],
)
def test_no_report_is_said_and_is_no_empty_one(after: StageFacts | None, missing: str) -> None:
    assert missing in cases_view([measured()], after, compared=True).missing


def test_more_cases_than_a_page_holds_are_counted() -> None:
    many = {f"t::{n:05}": "passed" for n in range(MAX_CASES + 5)}
    found = cases_view([], measured(many), compared=False)
    assert (len(found.cases), found.left_out) == (MAX_CASES, 7)  # two are the base's
