"""After a kill: do the journal, the admin port and the callers tell the same story?

The journal is read as what it says of itself, lines of JSON, and not by the proxy's own reader: a
fault in that one would hide itself.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import ours
from .measuring import Load


@dataclass(slots=True)
class Book:
    """What the journal says of a trial: calls, how often each ended, and what was counted."""

    dispatched: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    by_status: Counter[str] = field(default_factory=Counter)
    output_tokens: int = 0

    def take(self, record: Mapping[str, Any]) -> None:
        if record["t"] == "dispatch":
            self.dispatched[record["call"]] += 1
        elif record["t"] == "settle":
            self.ended[record["call"]] += 1
            self.by_status[record["status"]] += 1
            self.output_tokens += record["usage"]["output_tokens"] or 0


def problems(journal: Path, admin_port: int, loads: Mapping[str, Load]) -> list[str]:
    """Every contradiction found, as a sentence; `loads` are what callers saw, by trial."""
    books: dict[str, Book] = {}
    for record in _records(journal):
        books.setdefault(record["trial_uid"], Book()).take(record)
    found: list[str] = []
    for trial, load in loads.items():
        book, said = books.get(trial, Book()), ours.usage(admin_port, trial)
        sentences = [*_once(book), *_same(book, said), *_callers(book, load)]
        found += [f"PROBLEM: {trial}: {sentence}" for sentence in sentences]
    return found


def _records(journal: Path) -> Iterator[dict[str, Any]]:
    """All records; a line without its newline is one that the kill tore."""
    for path in sorted(journal.glob("journal-*.jsonl")):
        with path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield json.loads(line)


def _once(book: Book) -> Iterator[str]:
    for call, count in book.dispatched.items():
        if count != 1 or book.ended[call] != 1:
            yield f"call {call} was dispatched {count} times and ended {book.ended[call]} times"
    for call in book.ended.keys() - book.dispatched.keys():
        yield f"call {call} ended and was never dispatched"


def _same(book: Book, said: Mapping[str, Any]) -> Iterator[str]:
    """The admin port counts what the journal has."""
    total, ended = said["total"], book.ended.total()
    expected = {
        "requests": book.dispatched.total(),
        "succeeded": book.by_status["ok"],
        "failed": ended - book.by_status["ok"],
        "output_tokens": book.output_tokens,
    }
    for name, value in expected.items():
        if total[name] != value:
            yield f"usage says {total[name]} {name}, the journal {value}"
    if said["in_flight"] or said["interrupted"] != book.by_status["interrupted"]:
        yield f"usage says {said['in_flight']} in flight, {said['interrupted']} interrupted"


def _callers(book: Book, load: Load) -> Iterator[str]:
    """Who has read an answer finds it counted, and nothing is counted that nobody asked for."""
    if load.calls > book.by_status["ok"]:
        yield f"callers have {load.calls} whole answers, the journal {book.by_status['ok']}"
    if book.dispatched.total() > load.calls + load.errors:
        yield f"callers made {load.calls + load.errors} calls, the journal has more"
