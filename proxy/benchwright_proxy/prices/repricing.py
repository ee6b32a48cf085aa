"""Costs of recorded calls by another table: what was said is kept, so prices may be put right later
(litellm#20615: one wrong price must not poison what was counted)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_object, as_text
from benchwright_proxy.usage.record import Answer, Lifetime, Usage

from .book import PriceBook
from .cost import Cost, cost_of
from .table import WRITE_CLASSES


@dataclass(slots=True)
class Repriced:
    """Sums over calls: nano-dollars of those whose cost is known, and how many are not."""

    calls: int = 0
    nanos: int = 0
    unknown: int = 0


def reprice(calls: Iterable[JsonObject], book: PriceBook, sums: Repriced) -> Iterator[JsonObject]:
    """Calls as the admin port lists them, each with its cost by `book`; counts them in `sums`."""
    for call in calls:
        cost = _cost(call, book)
        sums.calls += 1
        sums.nanos += cost.nanos or 0
        sums.unknown += cost.nanos is None
        yield {**call, "cost_nanos": cost.nanos, "cost_unknown": cost.why, "prices": book.label}


def _cost(call: JsonObject, book: PriceBook) -> Cost:
    if call.get("ran") is False:
        return Cost(0)
    provider, model = as_text(call.get("price_provider")), as_text(call.get("price_model"))
    at = call.get("started_at")
    row = None
    if provider and model and isinstance(at, int | float):
        row = book.find(provider, model, at)
    return cost_of(row, _answer(call))


def _answer(call: JsonObject) -> Answer:
    return Answer(
        usage=_usage(call),
        service_tier=as_text(call.get("service_tier")),
        speed=as_text(call.get("speed")),
        geo=as_text(call.get("geo")),
    )


def _usage(call: JsonObject) -> Usage:
    source = call.get("usage_source")
    return Usage(
        input_tokens=as_count(call.get("input_tokens")),
        input_uncached=as_count(call.get("input_uncached")),
        cache_read=as_count(call.get("cache_read")),
        cache_write=as_count(call.get("cache_write")),
        output_tokens=as_count(call.get("output_tokens")),
        reasoning_tokens=as_count(call.get("reasoning_tokens")),
        source="provider" if source == "provider" else "unknown",
        cache_write_by=_writes(call.get("cache_write_by")),
        server_tools=_counts(call.get("server_tools")),
        modalities=_counts(call.get("modalities")),
    )


def _counts(value: Json) -> dict[str, int]:
    counts = {name: as_count(count) for name, count in as_object(value).items()}
    return {name: count for name, count in counts.items() if count is not None}


def _writes(value: Json) -> dict[Lifetime, int]:
    counts = _counts(value)
    return {lifetime: counts[lifetime] for lifetime in WRITE_CLASSES if lifetime in counts}
