"""A table of prices to look things up in."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

from benchwright_proxy import yamlfile

from .cost import Ceiling, ceiling
from .table import PriceRow, PriceTable

BUILT_IN = "builtin.yaml"


class PriceBook:
    """Prices by provider, model and day. `label` is on each record: the table's name, the day of
    its newest price, and a digest of its content."""

    def __init__(self, rows: Iterable[PriceRow], name: str = "none") -> None:
        self._rows: dict[tuple[str, str], list[PriceRow]] = defaultdict(list)
        self._ceilings: dict[tuple[str, str, date], Ceiling] = {}
        for row in rows:
            self._rows[row.provider, row.model].append(row)
        lines = sorted(row.model_dump_json() for found in self._rows.values() for row in found)
        newest = max(
            (row.retrieved_at for found in self._rows.values() for row in found), default=""
        )
        self.digest = "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()
        self.label = f"{name} {newest} {self.digest[:23]}".replace("  ", " ")

    def find(self, provider: str, model: str, at: float) -> PriceRow | None:
        """The row that is valid at unix second `at`."""
        day = datetime.fromtimestamp(at, UTC).date()
        for row in self._rows.get((provider, model), ()):
            if row.effective_from <= day and (row.effective_to is None or day < row.effective_to):
                return row
        return None

    def ceiling(self, row: PriceRow) -> Ceiling:
        """The ceiling of a row, made once."""
        key = row.provider, row.model, row.effective_from
        found = self._ceilings.get(key)
        if found is None:
            found = self._ceilings[key] = ceiling(row)
        return found


def load(path: Path) -> PriceTable:
    """The table in `path`. Raises yamlfile.FileError naming file and field."""
    return yamlfile.load(path, PriceTable)


def built_in() -> PriceTable:
    """The table that comes with the proxy."""
    text = files(__package__).joinpath(BUILT_IN).read_text(encoding="utf-8")
    return yamlfile.parse(text, Path(BUILT_IN), PriceTable)


def merged(base: PriceTable, own: PriceTable | None) -> PriceBook:
    """The rows of `base`, where `own` has none of that provider and model, and those of `own`."""
    if own is None:
        return PriceBook(base.prices, base.name)
    replaced = {(row.provider, row.model) for row in own.prices}
    kept = [row for row in base.prices if (row.provider, row.model) not in replaced]
    return PriceBook([*kept, *own.prices], f"{base.name}+{own.name}" if kept else own.name)
