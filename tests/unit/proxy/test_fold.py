"""Totals from records."""

from dataclasses import asdict

import pytest

from benchwright_proxy.journal.fold import Attempt
from benchwright_proxy.journal.records import (
    AttemptRecord,
    Close,
    Dispatch,
    Refused,
    Settle,
    Status,
    decode,
    encode,
)
from benchwright_proxy.limits import Amount
from benchwright_proxy.usage.record import UNKNOWN, Usage

USAGE = Usage(100, 20, 70, 10, 30, 12, "provider")


def dispatch(call: str, stage: str = "work", model: str = "demo") -> Dispatch:
    return Dispatch(
        trial_uid="u",
        attempt=1,
        at=1.0,
        call=call,
        stage=stage,
        role="workspace",
        namespace="n",
        run="r",
        trial="t",
        dialect="openai",
        provider="p",
        model=model,
        upstream_model=model,
        stream=False,
        request_bytes=10,
        reserved_input=1000,
        reserved_output=500,
    )


def settle(
    call: str, usage: Usage = USAGE, status: Status = "ok", http_status: int | None = 200
) -> Settle:
    return Settle(
        trial_uid="u",
        attempt=1,
        at=2.0,
        call=call,
        stage="work",
        status=status,
        usage=usage,
        http_status=http_status,
    )


def fold(*records: AttemptRecord) -> Attempt:
    attempt = Attempt()
    for record in records:
        attempt.apply(record)
    return attempt


def test_a_call_from_start_to_end() -> None:
    attempt = fold(dispatch("a"))
    assert (attempt.total().requests, len(attempt.in_flight)) == (1, 1)
    assert attempt.spent.held == Amount(1000, 500)
    attempt.apply(settle("a"))
    assert attempt.in_flight == {}
    assert (attempt.spent.held, attempt.spent.used) == (Amount(0, 0), Amount(100, 30))
    assert asdict(attempt.total()) == {
        "requests": 1,
        "succeeded": 1,
        "failed": 0,
        "refused": 0,
        "unknown_usage": 0,
        "input_tokens": 100,
        "cached_input_tokens": 70,
        "cache_write_tokens": 10,
        "output_tokens": 30,
        "reasoning_tokens": 12,
        "operations": 1,
        "tool_calls": 0,
        "cost_nanos": 0,
        "unknown_cost": 1,
        "mismatches": 0,
        "models": {"demo": 1},
        "answered": {},
        "fingerprints": {},
        "prices": {},
    }


def test_stages_are_apart_and_add_up() -> None:
    attempt = fold(dispatch("a"), dispatch("b", "review", "big"), settle("a"), settle("b", UNKNOWN))
    assert attempt.stages["work"].input_tokens == 100
    assert attempt.stages["review"].unknown_usage == 1
    assert attempt.total().models == {"demo": 1, "big": 1}
    assert attempt.total().requests == 2


def test_sub2api_2332_and_litellm_15740_a_second_settle_counts_nothing() -> None:
    attempt = fold(dispatch("a"), settle("a"), settle("a"), settle("never dispatched"))
    assert (attempt.total().succeeded, attempt.total().input_tokens) == (1, 100)


def test_reasoning_is_null_until_somebody_says_it() -> None:
    silent = Usage(1, 1, None, None, 1, None, "provider")
    assert fold(dispatch("a"), settle("a", silent)).total().reasoning_tokens is None
    said = fold(dispatch("a"), settle("a", silent), dispatch("b"), settle("b"))
    assert said.total().reasoning_tokens == 12


PARTIAL = Usage(100, 30, 70, None, None, None, "partial")
ENDS: list[tuple[str, Status, int | None, Usage, int, Amount]] = [
    ("a known call", "ok", 200, USAGE, 0, Amount(100, 30)),
    (
        "otari#256: unknown is not 0, and keeps its reservation",
        "ok",
        200,
        UNKNOWN,
        1,
        Amount(1000, 500),
    ),
    ("half known", "truncated", 200, PARTIAL, 1, Amount(100, 500)),
    ("interrupted", "interrupted", None, UNKNOWN, 1, Amount(1000, 500)),
    ("the provider was busy: nothing ran", "http_error", 429, UNKNOWN, 0, Amount(0, 0)),
    ("the provider refused: nothing ran", "http_error", 400, UNKNOWN, 0, Amount(0, 0)),
    ("a gateway gave up: it may have run", "http_error", 504, UNKNOWN, 1, Amount(1000, 500)),
    ("an error that says its usage", "http_error", 500, USAGE, 0, Amount(100, 30)),
    ("nothing was sent", "unreachable", None, UNKNOWN, 0, Amount(0, 0)),
    ("nothing came back", "no_response", None, UNKNOWN, 1, Amount(1000, 500)),
    ("an error in the stream", "error_in_body", 200, PARTIAL, 1, Amount(100, 500)),
]


@pytest.mark.parametrize(
    ("status", "http_status", "usage", "unknown", "used"),
    [row[1:] for row in ENDS],
    ids=[row[0] for row in ENDS],
)
def test_how_a_call_ends(
    status: Status, http_status: int | None, usage: Usage, unknown: int, used: Amount
) -> None:
    attempt = fold(dispatch("a"), settle("a", usage, status, http_status))
    total = attempt.total()
    assert (total.succeeded, total.failed) == ((1, 0) if status == "ok" else (0, 1))
    assert total.unknown_usage == unknown
    assert attempt.spent.used == used
    assert attempt.interrupted == (status == "interrupted")


def refused(count: int, reason: str = "requests", stage: str = "work") -> Refused:
    return Refused(trial_uid="u", attempt=1, at=1, stage=stage, reason=reason, count=count)


def test_refusals_are_running_totals_and_no_requests() -> None:
    attempt = fold(refused(1, "closed"), refused(7), refused(7), refused(3), refused(2, stage="b"))
    assert attempt.total().refused == 10
    assert attempt.stages["work"].refused == 8
    assert attempt.total().requests == 0


def test_the_first_limit_is_remembered_and_other_refusals_are_no_limits() -> None:
    assert fold(refused(1, "closed"), refused(1, "model_not_allowed")).limit_hit is None
    assert fold(refused(1, "output_tokens"), refused(1)).limit_hit == "output_tokens"


def test_closing() -> None:
    assert fold(Close(trial_uid="u", attempt=1, at=1)).closed


RECORDS: list[AttemptRecord] = [
    dispatch("a"),
    settle("a"),
    settle("a", UNKNOWN),
    refused(3),
    Close(trial_uid="u", attempt=1, at=1),
]


@pytest.mark.parametrize("record", RECORDS, ids=[type(record).__name__ for record in RECORDS])
def test_records_survive_their_line(record: AttemptRecord) -> None:
    line = encode(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == record
    assert decode(line.replace(b"{", b'{"added_later":1,', 1)) == record
