"""Which models answered, by their own word: an agent that was answered by two is not one agent (pure).

Providers exchange models behind a name without telling (an alias that moves, a fallback, another
build). The proxy keeps on each trial what answered; here it is compared over all trials of an agent.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Record = Mapping[str, Any]
_SHOWN = 4


def changed_models(records: Iterable[Record]) -> Iterator[str]:
    """A sentence for each agent whose calls were answered by more than one model."""
    for agent, answered in _counts(records, "answered"):
        if len(answered) > 1:
            yield (
                f"Agent {agent} was answered by {len(answered)} models ({_some(answered)}): what was "
                "asked for was exchanged in the run, and its trials are not of one agent."
            )


def changed_systems(records: Iterable[Record]) -> Iterator[str]:
    """A sentence for each agent whose provider changed the system behind its model."""
    for agent, fingerprints in _counts(records, "fingerprints"):
        if len(fingerprints) > 1:
            yield (
                f"The provider's system behind agent {agent} changed between trials: it gave "
                f"{len(fingerprints)} fingerprints ({_some(fingerprints)}). Results of one model may "
                "differ by that."
            )


def _counts(records: Iterable[Record], what: str) -> list[tuple[str, Counter[str]]]:
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record in records:
        counts = (record.get("usage") or {}).get(what) or {}
        key = str(record.get("agent")), str(record.get("agent_digest"))
        found[key].update({str(name): int(n) for name, n in counts.items()})
    return [(agent, counts) for (agent, _), counts in sorted(found.items())]


def _some(counts: Counter[str]) -> str:
    most = counts.most_common(_SHOWN)
    more = f" and {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else ""
    return ", ".join(f"{name}: {n} calls" for name, n in most) + more
