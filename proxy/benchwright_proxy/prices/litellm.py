"""Imports prices from LiteLLM's file (model_prices_and_context_window.json, MIT).

That file has no dates, so its rows are valid from the day on which it was retrieved. Its prices are
read as the decimals that they are written as, per token, and become decimals per million. What has no
counterpart here is named, not guessed: it costs unknown.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase

from .table import PriceClass, PriceRow, Rates, Tier, Variant

Entry = Mapping[str, object]
MODES = ("chat", "responses", "embedding")
_KEY = re.compile(
    r"(?P<name>input_cost_per_token|output_cost_per_token|output_cost_per_reasoning_token"
    r"|cache_read_input_token_cost|cache_creation_input_token_cost)"
    r"(?:_above_(?P<hours>1|12)hr)?(?:_above_(?P<above>\d+)k_tokens)?(?:_(?P<tier>[a-z]+))?"
)
_CLASSES: Mapping[str, PriceClass] = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "output_cost_per_reasoning_token": "reasoning",
    "cache_read_input_token_cost": "cache_read",
}
#: The batch API is not relayed.
_NOT_HERE = frozenset({"batches"})
_DEFAULT_SOURCE = "https://github.com/BerriAI/litellm"


@dataclass(slots=True)
class _Lists:
    """Prices of one service tier ("": the usual one) by threshold (0: none)."""

    by: dict[int, dict[PriceClass, Decimal]] = field(default_factory=dict)

    def base(self) -> Rates:
        return self.by.get(0, {})

    def tiers(self) -> tuple[Tier, ...]:
        return tuple(
            Tier(min_input_tokens=start, per_million=rates)
            for start, rates in sorted(self.by.items())
            if start
        )


@dataclass(slots=True)
class Imported:
    """Rows, and one line for each thing that was left out."""

    rows: list[PriceRow] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def convert(
    text: str, providers: Iterable[str], retrieved: date, exclude: Iterable[str] = ()
) -> Imported:
    """The rows of `providers` in a file's text, without models that a glob of `exclude` fits.
    Raises ValueError if it is not such a file."""
    data = json.loads(text, parse_float=Decimal)
    if not isinstance(data, dict):
        raise ValueError("expected a JSON object of models")
    wanted, found, seen = set(providers), Imported(), set()
    for key, entry in data.items():
        if not isinstance(entry, dict) or entry.get("litellm_provider") not in wanted:
            continue
        provider, model = str(entry["litellm_provider"]), key.rpartition("/")[2]
        if entry.get("mode") not in MODES or (provider, model) in seen:
            continue
        if any(fnmatchcase(key, glob) for glob in exclude):
            continue
        try:
            found.rows.append(_row(provider, model, entry, retrieved, found.skipped))
            seen.add((provider, model))
        except ValueError as error:
            found.skipped.append(f"{key}: {_plain(str(error))}")
    return found


def _plain(text: str) -> str:
    """The words of our own in pydantic's message."""
    match = re.search(r"Value error, ([^\[\n]+)", text)
    return match.group(1).strip() if match else " ".join(text.split())


def _row(provider: str, model: str, entry: Entry, retrieved: date, skipped: list[str]) -> PriceRow:
    lists = _lists(provider, entry)
    usual = lists.pop("", _Lists())
    source = entry.get("source")
    return PriceRow(
        provider=provider,
        model=model,
        effective_from=retrieved,
        retrieved_at=retrieved,
        source_url=source
        if isinstance(source, str) and source[:8] == "https://"
        else _DEFAULT_SOURCE,
        per_million=usual.base(),
        tiers=usual.tiers(),
        variants=(*_tier_variants(lists), *_factors(model, entry, skipped)),
        server_tools=dict(_searches(provider, entry)),
    )


def _lists(provider: str, entry: Entry) -> dict[str, _Lists]:
    found: dict[str, _Lists] = {}
    for key, value in entry.items():
        match = _KEY.fullmatch(key)
        if match is None or not isinstance(value, int | Decimal) or value == 0:
            continue
        tier = match["tier"] or ""
        if tier in _NOT_HERE:
            continue
        start = int(match["above"]) * 1000 + 1 if match["above"] else 0
        rates = found.setdefault(tier, _Lists()).by.setdefault(start, {})
        rates[_class(provider, match["name"], match["hours"])] = _tidy(value, 1_000_000)
    for prices in found.values():
        for rates in prices.by.values():
            if rates.get("reasoning") == rates.get("output"):
                rates.pop("reasoning", None)
    return found


def _class(provider: str, name: str, hours: str | None) -> PriceClass:
    if name != "cache_creation_input_token_cost":
        return _CLASSES[name]
    if hours is not None:
        return "cache_write_1h" if hours == "1" else "cache_write_12h"
    return "cache_write_5m" if provider == "anthropic" else "cache_write"


def _tidy(price: int | Decimal, times: int) -> Decimal:
    """A price times as much, without an exponent or zeros at its end."""
    return Decimal(f"{(Decimal(price) * times).normalize():f}")


def _tier_variants(lists: Mapping[str, _Lists]) -> Iterator[Variant]:
    for tier, prices in lists.items():
        if "input" in prices.base():
            yield Variant(service_tier=tier, per_million=prices.base(), tiers=prices.tiers())


def _factors(model: str, entry: Entry, skipped: list[str]) -> Iterator[Variant]:
    """{"us": 1.1, "fast": 2}: factors for where and how fast it was served."""
    special = entry.get("provider_specific_entry")
    for key, factor in special.items() if isinstance(special, dict) else ():
        if key == "us":
            yield Variant(geo="us", multiplier=Decimal(factor))
        elif key == "fast":
            yield Variant(speed="fast", multiplier=Decimal(factor))
        else:
            skipped.append(f"{model}: provider_specific_entry.{key}: no counterpart here")


def _searches(provider: str, entry: Entry) -> Iterator[tuple[str, Decimal]]:
    """Only where the price does not depend on a size that no response says."""
    prices = entry.get("search_context_cost_per_query")
    values = set(prices.values()) if isinstance(prices, dict) else set()
    if len(values) == 1 and (price := Decimal(values.pop())):
        name = "google_search" if provider == "gemini" else "web_search"
        yield name, _tidy(price, 1000)


def as_yaml(name: str, rows: Iterable[PriceRow], notes: Iterable[str]) -> str:
    """The rows as a file, one row a line (JSON is YAML too, and is read faster)."""
    head = "".join(f"# {note}\n" for note in notes)
    lines = [json.dumps(_plain_row(row), ensure_ascii=False) for row in rows]
    body = "\n".join(f"  - {line}" for line in lines)
    return f"{head}name: {name}\ncurrency: USD\nprices:\n{body}\n"


def _plain_row(row: PriceRow) -> dict[str, object]:
    dumped: dict[str, object] = row.model_dump(mode="json", exclude_defaults=True)
    return dumped
