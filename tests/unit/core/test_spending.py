"""What a trial has cost over all attempts: unknown is never zero, and nothing is counted twice."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.api.measurements import StageUsage, Usage
from benchwright.api.spent import Spent
from benchwright.api.trial import AttemptRecord, StageRecord, TrialStatus
from benchwright.core.spending import spent
from tests.builders import at
from tests.unit.core.evidence import tokens

HALF_KNOWN = tokens(
    unknown_usage=1, input_tokens=None, cached_input_tokens=None, output_tokens=None,
    reasoning_tokens=None, known_input_tokens=400, known_output_tokens=7,
)  # fmt: skip


def given_up(number: int, usage: StageUsage | None, cost: float | None = None) -> AttemptRecord:
    return AttemptRecord(
        attempt=number, reason="Disrupted", finished_at=at(number), usage=usage, cost_usd=cost
    )


def status(
    *attempts: AttemptRecord, attempt: int, last: StageUsage | None, cost: float | None = None
) -> TrialStatus:
    stage = StageRecord(name="write", pod="p", created_at=at(0))
    usage = Usage(total=last, cost_usd=cost) if last else None
    return TrialStatus(attempt=attempt, attempts=attempts, usage=usage, stages=(stage,))


def test_one_attempt_is_its_own_usage() -> None:
    assert spent(status(attempt=1, last=tokens())) == Spent(
        attempts=1, requests=3, input_tokens=900, cached_input_tokens=100, output_tokens=60,
        reasoning_tokens=10, known_requests=3, known_input_tokens=900, known_output_tokens=60,
    )  # fmt: skip


def test_attempts_that_were_given_up_are_added() -> None:
    found = spent(status(given_up(1, tokens()), given_up(2, tokens()), attempt=3, last=tokens()))
    assert (found.attempts, found.unknown_attempts) == (3, 0)
    assert (found.requests, found.input_tokens, found.cached_input_tokens) == (9, 2700, 300)
    assert (found.output_tokens, found.reasoning_tokens) == (180, 30)


def test_the_attempt_that_ended_the_trial_as_invalid_is_listed_and_counted_once() -> None:
    every = (given_up(1, tokens()), given_up(2, tokens()))
    assert spent(status(*every, attempt=2, last=tokens())).input_tokens == 1800


@pytest.mark.parametrize(
    ("given_up_usage", "last", "unknown", "known"),
    [
        (HALF_KNOWN, tokens(), 1, (6, 1300, 67)),
        (tokens(), HALF_KNOWN, 1, (6, 1300, 67)),
        (None, tokens(), 1, (3, 900, 60)),
        (tokens(), None, 1, (3, 900, 60)),
        (HALF_KNOWN, HALF_KNOWN, 2, (6, 800, 14)),
        (None, None, 2, (0, 0, 0)),
    ],
    ids=[
        "a call of the attempt before", "a call of the last", "nobody noted the attempt before",
        "the last one's status was refused", "calls of both", "nothing is known",
    ],
)  # fmt: skip
def test_what_lacks_anything_is_unknown_with_the_known_part_beside(
    given_up_usage: StageUsage | None,
    last: StageUsage | None,
    unknown: int,
    known: tuple[int, int, int],
) -> None:
    found = spent(status(given_up(1, given_up_usage), attempt=2, last=last))
    assert (found.input_tokens, found.output_tokens, found.cost_usd) == (None, None, None)
    assert found.unknown_attempts == unknown
    assert (found.known_requests, found.known_input_tokens, found.known_output_tokens) == known


def test_calls_are_counted_even_where_their_tokens_are_unknown() -> None:
    assert spent(status(attempt=1, last=HALF_KNOWN)).requests == 3


def test_money_is_known_where_it_is_of_every_attempt() -> None:
    first = given_up(1, tokens(), 0.5)
    assert spent(status(first, attempt=2, last=tokens(), cost=0.25)).cost_usd == 0.75
    assert spent(status(first, attempt=2, last=tokens())).cost_usd is None


@pytest.mark.parametrize(
    ("attempt", "before", "requests"), [(0, (), 0), (1, (), 0), (2, (given_up(1, tokens()),), 3)]
)
def test_without_a_pod_nothing_was_spent(
    attempt: int, before: tuple[AttemptRecord, ...], requests: int
) -> None:
    """Its task's baseline failed, or the API server took no pod: the proxy need not be asked."""
    found = spent(TrialStatus(attempt=attempt, attempts=before))
    assert (found.attempts, found.unknown_attempts) == (attempt, 0)
    assert (found.requests, found.known_requests) == (requests, requests)


COUNTS = st.integers(0, 10**6)


def usages() -> st.SearchStrategy[StageUsage | None]:
    def usage(known: bool, requests: int, used: int, made: int) -> StageUsage:
        some: dict[str, Any] = {"input_tokens": used, "output_tokens": made} if known else {}
        return StageUsage(
            requests=requests, unknown_usage=0 if known else 1, known_input_tokens=used,
            known_output_tokens=made, **some,
        )  # fmt: skip

    return st.none() | st.builds(usage, st.booleans(), COUNTS, COUNTS, COUNTS)


@given(st.lists(usages(), min_size=1, max_size=9))
def test_a_sum_is_either_the_sum_of_all_or_unknown_and_never_below_the_known_part(
    every: list[StageUsage | None],
) -> None:
    *before, last = every
    attempts = [given_up(n, usage) for n, usage in enumerate(before, 1)]
    found = spent(status(*attempts, attempt=len(every), last=last))
    whole = all(u is not None and u.input_tokens is not None for u in every)
    assert (found.input_tokens is not None) is whole
    assert (found.unknown_attempts == 0) is whole
    assert found.input_tokens in {None, found.known_input_tokens}
    assert found.known_input_tokens == sum(u.known_input_tokens for u in every if u)
