"""Totals that suites claim, held against their test cases."""

from collections import Counter
from collections.abc import Mapping

from benchwright.testreports.model import Status

_CLAIMS = {
    "tests": None,
    "failures": Status.FAILED,
    "errors": Status.ERROR,
    "skipped": Status.SKIPPED,
}
"""Attribute → status that it counts; None for all."""


class Suite:
    """Rows of one suite by status, with and without those of suites nested in it.

    Writers differ in whether a suite's totals include nested ones: a claim that fits either way
    is none to complain of.
    """

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.name = attributes.get("name", "")
        self._claims = {key: _number(attributes.get(key)) for key in _CLAIMS}
        self._own: Counter[Status | None] = Counter()
        self._nested: Counter[Status | None] = Counter()

    def add_case(self, status: Status) -> None:
        self._own.update((None, status))

    def add_nested(self, suite: "Suite") -> None:
        self._nested += suite._own + suite._nested

    def disagreements(self) -> list[str]:
        """One line for each total that neither way of counting gives."""
        found = []
        for key, status in _CLAIMS.items():
            claimed, own = self._claims[key], self._own[status]
            every = own + self._nested[status]
            if claimed is not None and claimed not in (own, every):
                found.append(f"{key}: claimed {claimed}, counted {every}")
        return found


def _number(text: str | None) -> int | None:
    plain = (text or "").strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 18 else None
