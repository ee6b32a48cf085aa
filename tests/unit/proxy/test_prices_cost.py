"""What calls cost: each class at its price, tiers and variants by what was said, never a guess."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_proxy.jsonvalue import Json, JsonObject
from benchwright_proxy.prices.cost import Cost, ceiling, cost_of
from benchwright_proxy.prices.table import PriceRow
from benchwright_proxy.usage import anthropic, gemini, openai
from benchwright_proxy.usage.record import Answer, Usage

BASE: JsonObject = {
    "input": "3",
    "output": "15",
    "cache_read": "0.30",
    "cache_write_5m": "3.75",
    "cache_write_1h": "6",
}
LONG: JsonObject = {
    "input": "6",
    "output": "22.50",
    "cache_read": "0.60",
    "cache_write_5m": "7.50",
    "cache_write_1h": "12",
}


def row(**fields: Json) -> PriceRow:
    """A row of prices, one thing different."""
    whole: JsonObject = {
        "provider": "p",
        "model": "m",
        "effective_from": "2026-10-01",
        "source_url": "https://prices.example",
        "retrieved_at": "2026-10-02",
        "per_million": BASE,
        "tiers": [{"min_input_tokens": 200_001, "per_million": LONG}],
        "variants": [
            {"service_tier": "priority", "per_million": {"input": "6", "output": "30"}},
            {"speed": "fast", "multiplier": "2"},
            {"geo": "us", "multiplier": "1.1"},
        ],
        "server_tools": {"web_search": "10"},
        **fields,
    }
    return PriceRow.model_validate(whole)


def usage(**fields: object) -> Usage:
    found: dict[str, object] = {
        "input_tokens": 1000,
        "input_uncached": 1000,
        "cache_read": 0,
        "cache_write": 0,
        "output_tokens": 100,
        "source": "provider",
        **fields,
    }
    return Usage(**found)  # type: ignore[arg-type]


#: 1000 × $3 + 100 × $15 for a million, in nano-dollars.
PLAIN = 3_000_000 + 1_500_000
COSTS: list[tuple[str, Answer, Cost]] = [
    ("input and output", Answer(usage()), Cost(PLAIN)),
    (
        "litellm#11789, bifrost#904: cached input at its own price, and only there",
        Answer(usage(input_uncached=200, cache_read=800)),
        Cost(600_000 + 240_000 + 1_500_000),
    ),
    (
        "sub2api#6125: writes by lifetime, each token once",
        Answer(
            usage(
                input_uncached=100,
                cache_write=900,
                cache_write_by={"5m": 400, "1h": 500},
            )
        ),
        Cost(300_000 + 1_500_000 + 3_000_000 + 1_500_000),
    ),
    (
        "audio is not charged as text",
        Answer(usage(modalities={"input_audio": 10})),
        Cost(None, "no_price_for_input_audio"),
    ),
    ("no audio is none", Answer(usage(modalities={"input_audio": 0})), Cost(PLAIN)),
    (
        "writes without a lifetime where only lifetimes have prices: unknown",
        Answer(usage(input_uncached=100, cache_write=900)),
        Cost(None, "no_price_for_cache_write"),
    ),
    (
        "litellm#15055, #18988: the threshold is on the whole prompt, and all classes follow it",
        Answer(
            usage(
                input_tokens=200_001,
                input_uncached=1,
                cache_read=100_000,
                cache_write=100_000,
                cache_write_by={"1h": 100_000},
                output_tokens=1,
            )
        ),
        Cost(6_000 + 60_000_000 + 1_200_000_000 + 22_500),
    ),
    (
        "a prompt at the threshold is not over it",
        Answer(usage(input_tokens=200_000, input_uncached=200_000, output_tokens=0)),
        Cost(600_000_000),
    ),
    (
        "axonhub#1881, qm#1394: the tier that was served, by the response's word",
        Answer(usage(), service_tier="priority"),
        Cost(6_000_000 + 3_000_000),
    ),
    ("factors multiply", Answer(usage(), speed="fast", geo="us"), Cost(PLAIN * 22 // 10)),
    ("a factor on another tier", Answer(usage(), service_tier="priority", geo="us"), Cost(9_900_000)),
    ("standard is no variant", Answer(usage(), service_tier="standard", geo="global"), Cost(PLAIN)),
    ("the default tier neither", Answer(usage(), service_tier="default"), Cost(PLAIN)),
    (
        "a tier without a price is unknown, not the usual price",
        Answer(usage(), service_tier="flex"),
        Cost(None, "no_price_for_service_tier"),
    ),
    (
        "a class that the tier does not price is unknown",
        Answer(usage(input_uncached=200, cache_read=800), service_tier="priority"),
        Cost(None, "no_price_for_cache_read"),
    ),
    ("searches by the thousand", Answer(usage(server_tools={"web_search": 3})), Cost(PLAIN + 30_000_000)),
    (
        "a tool without a price is unknown",
        Answer(usage(server_tools={"code_interpreter": 1})),
        Cost(None, "no_price_for_server_tool"),
    ),
    (
        "otari#256, helm-api#6: no usage is unknown, not $0.00",
        Answer(Usage()),
        Cost(None, "usage_unknown"),
    ),
    ("a partial usage too", Answer(usage(source="partial")), Cost(None, "usage_unknown")),
    (
        "whether tokens were cached was not said, and it makes a difference",
        Answer(usage(input_uncached=None, cache_read=None, cache_write=None)),
        Cost(None, "cached_tokens_not_said"),
    ),
    (
        "more cached than there was",
        Answer(usage(input_uncached=None, cache_read=2000)),
        Cost(None, "cached_tokens_contradict"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "cost"), [c[1:] for c in COSTS], ids=[c[0] for c in COSTS])
def test_cost(answer: Answer, cost: Cost) -> None:
    assert cost_of(row(), answer) == cost


def test_without_a_price_the_cost_is_unknown() -> None:
    assert cost_of(None, Answer(usage())) == Cost(None, "no_price")


def test_where_nothing_is_cheaper_from_a_cache_it_need_not_be_said() -> None:
    plain = row(per_million={"input": "3", "output": "15"}, tiers=[], variants=[])
    answer = Answer(usage(input_uncached=None, cache_read=None, cache_write=None))
    assert cost_of(plain, answer) == Cost(PLAIN)


def test_a_price_of_reasoning_is_charged_instead_not_besides() -> None:
    """new-api#7229: a subset is never added."""
    prices = row(per_million={**BASE, "reasoning": "20"}, tiers=[], variants=[])
    assert cost_of(prices, Answer(usage(reasoning_tokens=40))) == Cost(
        3_000_000 + 900_000 + 800_000
    )


def test_a_writes_price_of_any_lifetime_stands_for_each() -> None:
    prices = row(per_million={"input": "3", "output": "15", "cache_read": "1", "cache_write": "4"})
    answer = Answer(usage(input_uncached=0, cache_write=1000, cache_write_by={"30m": 1000}))
    assert cost_of(prices, answer) == Cost(4_000_000 + 1_500_000)


def test_litellm_5364_streamed_and_not_cost_the_same() -> None:
    said: JsonObject = {
        "input_tokens": 10,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 0,
        "output_tokens": 7,
    }
    stream = anthropic.MessageStream()
    for event in (
        {"type": "message_start", "message": {"model": "m", "usage": {**said, "output_tokens": 1}}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": said},
        {"type": "message_stop"},
    ):
        stream.event("", event)  # type: ignore[arg-type]
    whole = anthropic.answer_of_body({"usage": said, "content": []})
    assert cost_of(row(), stream.answer(clean=True)) == cost_of(row(), whole) == Cost(162_000)


def test_bifrost_904_openai_cached_tokens() -> None:
    said: JsonObject = {
        "prompt_tokens": 1000,
        "completion_tokens": 0,
        "total_tokens": 1000,
        "prompt_tokens_details": {"cached_tokens": 900, "cache_write_tokens": 0},
    }
    assert cost_of(row(), Answer(openai.usage_of(said, final=True))) == Cost(300_000 + 270_000)


def test_gemini_thoughts_are_paid_as_output() -> None:
    said: JsonObject = {
        "promptTokenCount": 1000,
        "candidatesTokenCount": 60,
        "thoughtsTokenCount": 40,
        "totalTokenCount": 1100,
    }
    assert cost_of(row(), Answer(gemini.usage_of(said, final=True))) == Cost(PLAIN)


counts = st.integers(0, 10**7)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    fresh, read, short, long, output = (draw(counts) for _ in range(5))
    return usage(
        input_tokens=fresh + read + short + long,
        input_uncached=fresh,
        cache_read=read,
        cache_write=short + long,
        cache_write_by={"5m": short, "1h": long},
        output_tokens=output,
    )


@given(
    found=usages(),
    tier=st.sampled_from([None, "priority", "default"]),
    speed=st.sampled_from([None, "fast"]),
    geo=st.sampled_from([None, "us"]),
)
def test_no_call_costs_more_than_its_ceiling(
    found: Usage, tier: str | None, speed: str | None, geo: str | None
) -> None:
    """litellm PR#40002: a long prompt is reserved at the tier that applies."""
    prices = row()
    cost = cost_of(prices, Answer(found, service_tier=tier, speed=speed, geo=geo))
    most = ceiling(prices).nanos(found.input_tokens or 0, found.output_tokens or 0)
    assert cost.nanos is None or 0 <= cost.nanos <= most


@given(a=usages(), b=usages())
def test_more_tokens_never_cost_less_within_a_tier(a: Usage, b: Usage) -> None:
    flat = row(tiers=[], variants=[])
    one, two = cost_of(flat, Answer(a)).nanos, cost_of(flat, Answer(b)).nanos
    assert one is not None
    assert two is not None
    both = usage(
        input_tokens=(a.input_tokens or 0) + (b.input_tokens or 0),
        input_uncached=(a.input_uncached or 0) + (b.input_uncached or 0),
        cache_read=(a.cache_read or 0) + (b.cache_read or 0),
        cache_write=(a.cache_write or 0) + (b.cache_write or 0),
        cache_write_by={
            "5m": a.cache_write_by["5m"] + b.cache_write_by["5m"],
            "1h": a.cache_write_by["1h"] + b.cache_write_by["1h"],
        },
        output_tokens=(a.output_tokens or 0) + (b.output_tokens or 0),
    )
    together = cost_of(flat, Answer(both)).nanos
    assert together is not None
    # Exact but for the rounding of each to a nano-dollar.
    assert abs(together - one - two) <= 1


def test_a_price_is_exact() -> None:
    """Binary fractions would make 0.1 + 0.2 of it."""
    prices = row(per_million={"input": "0.1", "output": "0.2"}, tiers=[], variants=[])
    answer = Answer(usage(input_uncached=None, cache_read=None, input_tokens=10**9))
    assert cost_of(prices, answer) == Cost(100_000_000_000 + 20_000)
    assert prices.per_million["input"] == Decimal("0.1")
    assert prices.effective_from == date(2026, 10, 1)
