"""Prices of the calls that are under way: which row applies, its ceiling before and its cost after."""

from collections.abc import Mapping

from msgspec import Struct

from .config import Config, Model
from .prices import book
from .prices.book import PriceBook
from .prices.cost import Ceiling, Cost, cost_of
from .prices.table import PriceRow
from .usage.record import Answer


class Quote(Struct, frozen=True):
    """What a call that starts now is charged by. `row` is None where no price is known."""

    provider: str | None
    model: str
    row: PriceRow | None
    ceiling: Ceiling | None
    prices: str

    def cost(self, answer: Answer, *, ran: bool) -> Cost:
        """The cost of the call with this answer; where no model can have run it costs nothing."""
        return cost_of(self.row, answer) if ran else Cost(0)


class Pricing:
    """The tables that a proxy was configured with."""

    def __init__(self, config: Config) -> None:
        """Raises FileError for a bad table."""
        own = book.load(config.prices_file) if config.prices_file else None
        self._who: Mapping[str, str | None] = {p.name: p.prices for p in config.providers}
        used = own is not None or any(self._who.values())
        # Nobody should wait for a table that nobody asks.
        self.book = book.merged(book.built_in(), own) if used else PriceBook(())

    def quote(self, model: Model, at: float) -> Quote:
        """The prices of `model` at unix second `at`, when its call starts."""
        provider = self._who[model.provider]
        name = model.price_model or model.sent_as
        row = self.book.find(provider, name, at) if provider else None
        ceiling = self.book.ceiling(row) if row else None
        return Quote(provider, name, row, ceiling, self.book.label)
