"""How pods are made to go (pure): asked once, and by force where their node does not answer.

A pod of a dead node stays for ever, Running or Terminating, whatever the API server is asked
(argo#5543). Removed by force it may still work on a node that is only cut off; that harms nothing
here: its attempt is closed at the proxy and given up, and what it stores is stored under it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from benchwright.core.observed import PodView


@dataclass(frozen=True, slots=True)
class Removal:
    """Names of pods to ask and to force; `look_again`: seconds until one is to be forced."""

    ask: tuple[str, ...] = ()
    force: tuple[str, ...] = ()
    look_again: float | None = None


def removal(pods: Iterable[PodView], grace: int, now: datetime) -> Removal:
    """`grace`: seconds for which a pod that must be over is waited for."""
    ask, force, later = list[str](), list[str](), list[float]()
    for pod in pods:
        left = _seconds_left(pod, grace, now)
        if left is not None and left <= 0:
            force.append(pod.name)
        elif not pod.deleting:
            ask.append(pod.name)
        elif left is not None:
            later.append(left)
    return Removal(tuple(sorted(ask)), tuple(sorted(force)), min(later, default=None))


def _seconds_left(pod: PodView, grace: int, now: datetime) -> float | None:
    if pod.over_by is None or (pod.terminal and not pod.deleting):
        return None
    return (pod.over_by + timedelta(seconds=grace) - now).total_seconds()
