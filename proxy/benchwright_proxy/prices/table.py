"""The table of prices as a file: who charges how much for what, from when until when.

::

    name: my-prices
    currency: USD
    prices:
      - provider: anthropic          # what a provider's `prices` in the proxy's configuration names
        model: some-model            # the name that the provider knows (`priceModel`)
        effective_from: 2026-10-01   # 00:00 UTC of that day
        effective_to: 2026-12-01     # exclusive; left out: still valid
        source_url: https://example.com/pricing
        retrieved_at: 2026-11-30
        per_million: {input: "3", output: "15", cache_read: "0.30", cache_write_5m: "3.75"}
        tiers:                       # by the whole prompt, cached tokens included
          - {min_input_tokens: 200001, per_million: {input: "6", output: "22.50"}}
        variants:                    # by what the response says of itself
          - {service_tier: priority, per_million: {input: "6", output: "30"}}
          - {geo: us, multiplier: "1.1"}
        server_tools: {web_search: "10"}   # for a thousand uses

Prices are decimal strings: binary fractions would not be what the provider's page says. What a row
does not price costs an unknown sum; nothing is ever derived from another price
(BerriAI/litellm#38056).
"""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from benchwright_proxy.usage.record import Lifetime

#: Dollars for a million tokens (or a thousand uses) past which a unit must have been mixed up
#: (maximhq/bifrost#3559: a price per million in a field per token).
MOST, LEAST = Decimal(10_000), Decimal("0.0001")

PriceClass = Literal[
    "input",
    "output",
    "reasoning",
    "cache_read",
    "cache_write",
    "cache_write_5m",
    "cache_write_30m",
    "cache_write_1h",
    "cache_write_12h",
]


def _decimal(value: object) -> object:
    if not isinstance(value, str | Decimal):
        raise ValueError('expected a decimal in quotes, such as "0.30"')
    return value


Price = Annotated[
    Decimal,
    BeforeValidator(_decimal),
    Field(ge=0, le=MOST, max_digits=20, decimal_places=10, allow_inf_nan=False),
]
Rates = Mapping[PriceClass, Price]
Name = Annotated[str, Field(min_length=1, max_length=253)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Tier(_Part):
    """Prices of a whole call whose prompt has at least so many tokens."""

    min_input_tokens: int = Field(ge=1)
    per_million: Rates


class Variant(_Part):
    """Prices of calls that were served in another way, by the response's own word: either prices of
    their own or a factor on all token prices."""

    service_tier: Name | None = None
    speed: Name | None = None
    geo: Name | None = None
    per_million: Rates | None = None
    tiers: tuple[Tier, ...] = ()
    multiplier: Price | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "Variant":
        if not self.when:
            raise ValueError("say of which service_tier, speed or geo these prices are")
        if (self.per_million is None) == (self.multiplier is None):
            raise ValueError("either per_million or multiplier is needed")
        if self.tiers and self.per_million is None:
            raise ValueError("tiers belong to per_million")
        return self

    @property
    def when(self) -> dict[str, str]:
        """What the response must say."""
        said = {"service_tier": self.service_tier, "speed": self.speed, "geo": self.geo}
        return {name: value for name, value in said.items() if value is not None}


class PriceRow(_Part):
    """The prices of one model at one provider for some time."""

    provider: Name
    model: Name
    effective_from: date
    effective_to: date | None = None
    source_url: str = Field(pattern=r"^https://", max_length=2000)
    retrieved_at: date
    free: bool = False
    per_million: Rates
    tiers: tuple[Tier, ...] = ()
    variants: tuple[Variant, ...] = ()
    server_tools: Mapping[Name, Price] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _sound(self) -> "PriceRow":
        if self.effective_to is not None and self.effective_to <= self.effective_from:
            raise ValueError("effective_to must be later than effective_from")
        for where, rates in self.all_rates():
            _check_rates(where, rates, free=self.free)
        for tiers in (self.tiers, *(variant.tiers for variant in self.variants)):
            starts = [tier.min_input_tokens for tier in tiers]
            if starts != sorted(set(starts)):
                raise ValueError("tiers: min_input_tokens must rise")
        whens = [tuple(v.when.items()) for v in self.variants if v.per_million is not None]
        if len(set(whens)) != len(whens):
            raise ValueError("variants: two have prices for the same case")
        return self

    def all_rates(self) -> Iterator[tuple[str, Rates]]:
        """Every list of prices in it, with where it is."""
        yield "per_million", self.per_million
        for index, tier in enumerate(self.tiers):
            yield f"tiers[{index}]", tier.per_million
        for index, variant in enumerate(self.variants):
            if variant.per_million is not None:
                yield f"variants[{index}]", variant.per_million
            for at, tier in enumerate(variant.tiers):
                yield f"variants[{index}].tiers[{at}]", tier.per_million


def _check_rates(where: str, rates: Rates, *, free: bool) -> None:
    """What would make a cost wrong for sure. What is only odd is lint.py's."""
    if "input" not in rates:
        raise ValueError(f"{where}: input is needed")
    for name, price in rates.items():
        if price == 0 and not free:
            raise ValueError(f"{where}.{name}: 0 needs `free: true`; leave out what is not known")
        if price and price < LEAST:
            raise ValueError(f"{where}.{name}: {price} is no price of a million tokens, in dollars")


class PriceTable(_Part):
    """A whole file."""

    name: Name
    currency: Literal["USD"] = "USD"
    prices: tuple[PriceRow, ...] = Field(max_length=20_000)

    @model_validator(mode="after")
    def _no_overlap(self) -> "PriceTable":
        last: dict[tuple[str, str], PriceRow] = {}
        for row in sorted(self.prices, key=lambda row: row.effective_from):
            key = row.provider, row.model
            before = last.get(key)
            if before is not None and (
                before.effective_to is None or before.effective_to > row.effective_from
            ):
                raise ValueError(
                    f"{row.provider} {row.model}: two prices are valid on {row.effective_from}: "
                    "give the earlier one an effective_to"
                )
            last[key] = row
        return self


#: What a lifetime is called in a list of prices.
WRITE_CLASSES: Mapping[Lifetime, PriceClass] = {
    "5m": "cache_write_5m",
    "30m": "cache_write_30m",
    "1h": "cache_write_1h",
    "12h": "cache_write_12h",
}
