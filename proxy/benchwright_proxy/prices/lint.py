"""What is odd about a table of prices: most likely a slip, though it can be true."""

from collections.abc import Iterator
from decimal import Decimal

from .table import PriceClass, PriceRow, PriceTable, Rates

#: The left one is not dearer than the right one, as far as anybody has seen.
_RISING: tuple[tuple[PriceClass, PriceClass], ...] = (
    ("cache_read", "input"),
    ("input", "cache_write_5m"),
    ("input", "cache_write_30m"),
    ("input", "cache_write"),
    ("cache_write_5m", "cache_write_1h"),
    ("cache_write_30m", "cache_write_12h"),
    ("input", "output"),
)
#: A tier or variant is not dearer than the base by more than this.
_MOST_FACTOR = Decimal(20)


def findings(table: PriceTable) -> list[str]:
    """One line for each oddity: `<provider> <model> from <date>: <where>: <what>`."""
    found = []
    for row in table.prices:
        head = f"{row.provider} {row.model} from {row.effective_from}"
        found += [f"{head}: {text}" for text in _of_row(row)]
    return found


def _of_row(row: PriceRow) -> Iterator[str]:
    for where, rates in row.all_rates():
        yield from _order(where, rates)
        if rates is not row.per_million:
            yield from _against_base(where, rates, row.per_million)
    if row.retrieved_at < row.effective_from:
        yield "retrieved_at: is before effective_from: who knew the price then?"


def _order(where: str, rates: Rates) -> Iterator[str]:
    for low, high in _RISING:
        if low in rates and high in rates and rates[low] > rates[high]:
            yield f"{where}: {low} {rates[low]} is dearer than {high} {rates[high]}"


def _against_base(where: str, rates: Rates, base: Rates) -> Iterator[str]:
    for name, price in rates.items():
        if base.get(name) and not base[name] / _MOST_FACTOR <= price <= base[name] * _MOST_FACTOR:
            yield f"{where}: {name} {price} is far from the base price {base[name]}"
    for name in base:
        if name not in rates:
            yield f"{where}: {name} has a base price and none here, so such a call costs unknown"
