"""What a call cost, from its usage and a row of prices. Pure, exact, and never a guess.

Money is integers of nano-dollars (10⁻⁹ USD): a million tokens at "0.075" are 75 nano-dollars a
token, so sums of records are exact whatever their order.
"""

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext

from msgspec import Struct

from benchwright_proxy.usage.record import Answer, Usage

from .table import WRITE_CLASSES, PriceClass, PriceRow, Rates, Tier

#: One dollar for a million tokens is so many nano-dollars for one; for a thousand uses likewise.
_PER_MILLION, _PER_THOUSAND = 1_000, 1_000_000
#: What a response says where nothing special was done.
_STANDARD: Mapping[str, frozenset[str]] = {
    "service_tier": frozenset({"standard", "default", "ON_DEMAND"}),
    "speed": frozenset({"standard"}),
    "geo": frozenset({"global", "not_available"}),
}


class Cost(Struct, frozen=True):
    """`nanos` nano-dollars, or None and `why` nobody can say how many."""

    nanos: int | None
    why: str | None = None


class _Unpriced(Exception):
    """Something that the row has no price for."""


def cost_of(row: PriceRow | None, answer: Answer) -> Cost:
    """What the call behind `answer` cost by `row`, which is None where no price is known."""
    usage = answer.usage
    if usage.source != "provider":
        return Cost(None, "usage_unknown")
    if row is None:
        return Cost(None, "no_price")
    try:
        rates, factor = _rates(row, answer)
        amounts = _amounts(rates, usage)
        with localcontext(prec=60):
            tokens = sum((_rate(rates, name) * count for name, count in amounts), Decimal(0))
            total = tokens * factor * _PER_MILLION + _tools(row, usage)
            return Cost(int(total.quantize(Decimal(1), ROUND_HALF_UP)))
    except _Unpriced as error:
        return Cost(None, str(error))


def _rates(row: PriceRow, answer: Answer) -> tuple[Rates, Decimal]:
    """The prices that apply to the whole call, and the factor on them."""
    special = _special(answer)
    fitting = [v for v in row.variants if v.when.items() <= special.items()]
    own = max((v for v in fitting if v.per_million), key=lambda v: len(v.when), default=None)
    factor, covered = Decimal(1), set(own.when if own else ())
    for variant in fitting:
        if variant.multiplier is not None and not covered.issuperset(variant.when):
            factor *= variant.multiplier
            covered |= variant.when.keys()
    for name in special:
        if name not in covered:
            raise _Unpriced(f"no_price_for_{name}")
    tokens = answer.usage.input_tokens or 0
    if own is not None and own.per_million is not None:
        return _tier(own.per_million, own.tiers, tokens), factor
    return _tier(row.per_million, row.tiers, tokens), factor


def _special(answer: Answer) -> dict[str, str]:
    """What was not served as usual."""
    said = {"service_tier": answer.service_tier, "speed": answer.speed, "geo": answer.geo}
    return {name: value for name, value in said.items() if value and value not in _STANDARD[name]}


def _tier(base: Rates, tiers: Iterable[Tier], input_tokens: int) -> Rates:
    """The threshold is on the whole prompt, cached tokens included (litellm#15055, #18988)."""
    found = base
    for tier in tiers:
        if input_tokens >= tier.min_input_tokens:
            found = tier.per_million
    return found


def _amounts(rates: Rates, usage: Usage) -> list[tuple[PriceClass, int]]:
    """Tokens by the class that they are charged in; each token once. Those that are no text have prices
    that no table has yet."""
    for name, count in usage.modalities.items():
        if count:
            raise _Unpriced(f"no_price_for_{name}")
    reasoning = min(usage.reasoning_tokens or 0, usage.output_tokens or 0)
    apart = reasoning if "reasoning" in rates else 0
    written: list[tuple[PriceClass, int]] = [
        ("output", (usage.output_tokens or 0) - apart),
        ("reasoning", apart),
    ]
    return [pair for pair in [*_input(rates, usage), *written] if pair[1]]


def _input(rates: Rates, usage: Usage) -> list[tuple[PriceClass, int]]:
    whole, read = usage.input_tokens or 0, usage.cache_read
    if read is None and usage.input_uncached is None:
        if "cache_read" in rates:
            raise _Unpriced("cached_tokens_not_said")
        return [("input", whole)]
    fresh = usage.input_uncached
    if fresh is None:
        raise _Unpriced("cached_tokens_contradict")
    return [("input", fresh), ("cache_read", read or 0), *_writes(usage)]


def _writes(usage: Usage) -> list[tuple[PriceClass, int]]:
    if usage.cache_write_by:
        return [(WRITE_CLASSES[lifetime], n) for lifetime, n in usage.cache_write_by.items()]
    return [("cache_write", usage.cache_write or 0)]


def _rate(rates: Rates, name: PriceClass) -> Decimal:
    """A price for writes of any lifetime stands for those of each."""
    found = rates.get(name)
    if found is None and name.startswith("cache_write_"):
        found = rates.get("cache_write")
    if found is None:
        raise _Unpriced(f"no_price_for_{name}")
    return found


def _tools(row: PriceRow, usage: Usage) -> Decimal:
    total = Decimal(0)
    for name, count in usage.server_tools.items():
        price = row.server_tools.get(name)
        if price is None:
            raise _Unpriced("no_price_for_server_tool")
        total += price * count * _PER_THOUSAND
    return total


class Ceiling(Struct, frozen=True):
    """The most that a call can cost by a row: the dearest class, tier, variant and factor."""

    #: (from how many input tokens, for an input token, for an output token), in nano-dollars.
    steps: tuple[tuple[int, Decimal, Decimal], ...]

    def nanos(self, input_tokens: int, output_tokens: int) -> int:
        """Of a call with at most so many tokens. Tools that the provider runs are not in it."""
        reached = [step for step in self.steps if step[0] <= input_tokens]
        with localcontext(prec=60):
            most = max(i * input_tokens + o * output_tokens for _, i, o in reached)
            return int(most.to_integral_value(ROUND_HALF_UP)) + 1


def ceiling(row: PriceRow) -> Ceiling:
    """The ceiling of a row (litellm PR#40002: a prompt's tier counts, not the base rate alone)."""
    factor = Decimal(1)
    for variant in row.variants:
        factor *= max(Decimal(1), variant.multiplier or Decimal(1))
    lists = [(row.per_million, row.tiers)]
    lists += [(v.per_million, v.tiers) for v in row.variants if v.per_million is not None]
    steps = []
    for base, tiers in lists:
        for start, rates in [(0, base), *((t.min_input_tokens, t.per_million) for t in tiers)]:
            given, written = _most(rates, output=False), _most(rates, output=True)
            steps.append((start, given * factor * _PER_MILLION, written * factor * _PER_MILLION))
    return Ceiling(tuple(steps))


def _most(rates: Rates, *, output: bool) -> Decimal:
    names = {"output", "reasoning"}
    return max((p for n, p in rates.items() if (n in names) == output), default=Decimal(0))
