"""The proxy's totals: what the provider did not say is unknown, never 0."""

from typing import Any

from benchwright.api.measurements import StageUsage
from benchwright.control.services import parse_usage


def totals(**more: Any) -> dict[str, Any]:
    """As the proxy's /v1/close answers."""
    values = {
        "requests": 3, "succeeded": 2, "failed": 1, "refused": 1, "unknown_usage": 0,
        "input_tokens": 900, "cached_input_tokens": 100, "output_tokens": 60, "reasoning_tokens": 10,
        "operations": 2, "tool_calls": 4, "cost_nanos": 1_500_000_000, "unknown_cost": 1, "mismatches": 0,
    }  # fmt: skip
    return {**values, **more}


def test_known_totals_are_taken_as_they_are() -> None:
    found = parse_usage({"total": totals(), "stages": {"write": totals(requests=2, succeeded=1)}})
    assert found.usage.total == StageUsage(
        requests=3, refused=1, input_tokens=900, cached_input_tokens=100, output_tokens=60,
        reasoning_tokens=10, known_input_tokens=900, known_output_tokens=60,
        operations=2, tool_calls=4, cost_usd=None, known_cost_usd=1.5, unknown_cost=1, mismatches=0,
    )  # fmt: skip
    assert found.usage.stages["write"].requests == 2
    assert (found.interrupted, found.limit_hit, found.usage.cost_usd) == (0, None, None)


def test_one_call_of_unknown_usage_makes_every_sum_unknown_and_keeps_the_known_part() -> None:
    total = parse_usage({"total": totals(unknown_usage=1), "stages": {}}).usage.total
    assert (total.input_tokens, total.cached_input_tokens) == (None, None)
    assert (total.output_tokens, total.reasoning_tokens) == (None, None)
    assert (total.known_input_tokens, total.known_output_tokens) == (900, 60)
    assert (total.requests, total.unknown_usage) == (3, 1)


def test_a_call_under_way_when_the_books_are_closed_makes_every_sum_unknown() -> None:
    """An attempt can be given up while its pod still works: no later answer is counted for it."""
    total = parse_usage({"total": totals(requests=4), "stages": {}, "in_flight": 1}).usage.total
    assert (total.input_tokens, total.output_tokens, total.unknown_usage) == (None, None, 1)
    assert (total.requests, total.known_input_tokens) == (4, 900)


def test_a_stage_with_known_usage_stays_known_beside_one_without() -> None:
    answer = {
        "total": totals(unknown_usage=1),
        "stages": {"detect": totals(), "setup": totals(unknown_usage=1)},
    }
    stages = parse_usage(answer).usage.stages
    assert stages["detect"].input_tokens == 900
    assert stages["setup"].input_tokens is None


def test_a_provider_that_never_speaks_of_reasoning_leaves_it_unknown() -> None:
    total = parse_usage({"total": totals(reasoning_tokens=None)}).usage.total
    assert total.reasoning_tokens is None
    assert total.output_tokens == 60


NOTHING = totals(
    requests=0, succeeded=0, failed=0, refused=0, input_tokens=0, cached_input_tokens=0,
    output_tokens=0, reasoning_tokens=None, operations=0, tool_calls=0, cost_nanos=0, unknown_cost=0,
)  # fmt: skip


def test_an_agent_that_made_no_call_used_exactly_nothing() -> None:
    total = parse_usage({"total": NOTHING, "stages": {}}).usage.total
    assert total == StageUsage(
        requests=0, input_tokens=0, cached_input_tokens=0, output_tokens=0, reasoning_tokens=0,
        operations=0, tool_calls=0, cost_usd=0.0, unknown_cost=0, mismatches=0,
    )  # fmt: skip


def test_refused_calls_alone_are_no_use() -> None:
    total = parse_usage({"total": {**NOTHING, "refused": 4}}).usage.total
    assert (total.requests, total.refused, total.reasoning_tokens) == (0, 4, 0)


def test_interruptions_and_limits_are_kept() -> None:
    found = parse_usage(
        {"total": totals(), "stages": None, "interrupted": 2, "limit_hit": "requests"}
    )
    assert (found.interrupted, found.limit_hit) == (2, "requests")
    assert found.usage.stages == {}


def test_money_is_known_where_every_call_has_a_price() -> None:
    prices = {"built-in 2026-12-02 sha256:1": 3}
    answer = {
        "total": totals(unknown_cost=0, prices=prices, answered={"m-1": 2, "m-2": 1}),
        "stages": {"write": totals(unknown_cost=0, cost_nanos=1)},
    }
    usage = parse_usage(answer).usage
    assert (usage.cost_usd, usage.total.cost_usd) == (1.5, 1.5)
    assert usage.stages["write"].cost_usd == 1e-9
    assert usage.prices == tuple(prices)
    assert usage.answered == {"m-1": 2, "m-2": 1}


def test_a_call_under_way_leaves_the_cost_unknown() -> None:
    usage = parse_usage({"total": totals(requests=4, unknown_cost=0), "stages": {}}).usage
    assert (usage.cost_usd, usage.total.known_cost_usd, usage.total.unknown_cost) == (None, 1.5, 1)


def test_a_provider_with_a_new_name_each_time_fills_no_status() -> None:
    answered = {f"m-{n}": n for n in range(100)}
    usage = parse_usage({"total": totals(answered=answered), "stages": {}}).usage
    assert usage.answered == {f"m-{n}": n for n in range(99, 91, -1)}
