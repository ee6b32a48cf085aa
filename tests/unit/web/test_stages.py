"""The timeline: seconds of a trial, and how each command ended."""

from typing import Any

import pytest

from benchwright.api.facts import HarnessError, StageFacts, StepFacts
from benchwright.web.ports import FactsRow
from benchwright.web.stages import WIDTH, ReadStage, read_facts, timeline
from tests.unit.core.evidence import step, worked

RECORD: dict[str, Any] = {"attempt": 2, "stage_seconds": {"write": 10.0, "evaluate": 4.0}}


def _stage(attempt: int = 2, name: str = "write", facts: StageFacts | None = None) -> ReadStage:
    return ReadStage(attempt, name, worked() if facts is None else facts)


def test_stages_are_in_the_order_in_which_they_were() -> None:
    found = timeline(RECORD, [_stage(2, "evaluate"), _stage(2), _stage(1, "evaluate"), _stage(1)])
    assert [(v.attempt, v.name) for v in found] == [
        (1, "write"), (1, "evaluate"), (2, "write"), (2, "evaluate"),
    ]  # fmt: skip


@pytest.mark.parametrize("order", [1, -1], ids=["oldest first", "newest first"])
def test_seconds_are_of_the_attempt_that_counts_alone(order: int) -> None:
    found = timeline(RECORD, [_stage(1), _stage(2)][::order])
    assert [(v.attempt, v.seconds) for v in found] == [(1, None), (2, 10.0)]


def test_what_the_pod_took_beyond_its_commands_is_a_piece_of_its_own() -> None:
    (view,) = timeline(RECORD, [_stage()])
    assert [(s.kind, s.seconds) for s in view.segments] == [
        ("rest", 7.0), ("prepare", 1.0), ("step", 2.0),
    ]  # fmt: skip
    assert view.segments[-1].x + view.segments[-1].width == WIDTH


def test_all_bars_have_one_scale() -> None:
    write, evaluate = timeline(RECORD, [_stage(), _stage(name="evaluate")])
    ends = [v.segments[-1].x + v.segments[-1].width for v in (write, evaluate)]
    assert ends == [WIDTH, 400.0]


def test_nothing_known_is_no_bar_and_not_one_of_zero() -> None:
    (view,) = timeline({"attempt": 1}, [_stage(1, facts=StageFacts(steps=()))])
    assert (view.seconds, view.segments) == (None, [])


@pytest.mark.parametrize(
    ("facts", "end", "good"),
    [
        (step("measure", 0), "✓ exit 0", True),
        (step("measure", 3), "✗ exit 3", False),
        (step("measure", None), "did not run to its end", False),
        (step("measure", None, timed_out=True), "◷ ran past its limit and was ended", False),
        (step("measure", 0, timed_out=True), "◷ ran past its limit and was ended", False),
    ],
)
def test_a_command_says_how_it_ended(facts: StepFacts, end: str, good: bool) -> None:
    (view,) = timeline(RECORD, [_stage(facts=StageFacts(steps=(facts,)))])
    assert [(s.end, s.good) for s in view.steps] == [(end, good)]


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        (worked(), ""),
        (worked(runner_finished=False), "the runner left no closing record"),
        (
            worked(error=HarnessError(reason="UploadTooLarge", message="3 GiB")),
            "UploadTooLarge: 3 GiB",
        ),
        (None, "the stored facts of this stage cannot be read"),
    ],
)
def test_what_went_wrong_with_a_stage_is_said(facts: StageFacts | None, problem: str) -> None:
    (view,) = timeline(RECORD, [ReadStage(2, "write", facts)])
    assert view.problem.startswith(problem)
    assert bool(view.problem) == bool(problem)


def test_facts_that_cannot_be_read_are_told_apart_from_none() -> None:
    rows = [
        FactsRow(1, "write", "{"),
        FactsRow(1, "evaluate", worked().model_dump_json(by_alias=True)),
    ]
    assert [(s.stage, s.facts is None) for s in read_facts(rows)] == [
        ("write", True), ("evaluate", False),
    ]  # fmt: skip
