"""Times by the node that an agent worked on: those of unlike machines cannot be compared."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.analysis.observations import ConfigKey, Dataset, Observation
from benchwright.analysis.standings import median_of


@dataclass(frozen=True)
class Stratum:
    """Valid trials of one configuration on one node. Medians are None where a time is unknown."""

    config: ConfigKey
    node: str | None
    """None: nobody said."""
    trials: int
    median_seconds: float | None
    median_agent_seconds: float | None


def strata(data: Dataset) -> list[Stratum]:
    """By configuration and node; none where everything ran on one node, or nothing is known."""
    found: defaultdict[tuple[ConfigKey, str | None], list[Observation]] = defaultdict(list)
    for one in data.observations:
        if one.valid:
            found[one.config, one.node].append(one)
    if len({node for _, node in found}) < 2:
        return []
    ordered = sorted(found.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    return [_stratum(*key, trials) for key, trials in ordered]


def _stratum(config: ConfigKey, node: str | None, trials: Sequence[Observation]) -> Stratum:
    return Stratum(
        config=config,
        node=node,
        trials=len(trials),
        median_seconds=median_of([t.seconds.total for t in trials]),
        median_agent_seconds=median_of([t.seconds.agent for t in trials]),
    )
