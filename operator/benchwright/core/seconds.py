"""Where a trial's time went (pure).

Differences are taken between stamps of one clock only: the operator's for stages and the whole,
the pod's own for commands (argo CronWorkflow#12625).
"""

from collections.abc import Mapping

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import SecondsSpent
from benchwright.api.trial import TrialStatus
from benchwright.core.clock import seconds_between

_EVALUATE = "evaluate"


def seconds_spent(
    created_at: str, status: TrialStatus, facts: Mapping[tuple[int, str], StageFacts]
) -> SecondsSpent | None:
    """Seconds of the attempt that counts; None where no pod was ever made."""
    if not status.stages:
        return None
    total = seconds_between(status.stages[0].created_at, status.finished_at) or 0.0
    mine = {stage: f for (attempt, stage), f in facts.items() if attempt == status.attempt}
    work = {s: _commands(f) for s, f in mine.items() if s != _EVALUATE}
    evaluate = _commands(mine[_EVALUATE]) if _EVALUATE in mine else None
    agent = _sum(work.values())
    complete = all(s.name in mine for s in status.stages)
    return SecondsSpent(
        queued=_round(seconds_between(created_at, status.stages[0].created_at) or 0.0),
        prepare=_sum(f.prepare_seconds for f in mine.values()),
        agent=agent,
        evaluate=evaluate,
        total=_round(total),
        harness=_round(max(0.0, total - (agent or 0.0) - (evaluate or 0.0))) if complete else None,
    )


def _commands(facts: StageFacts) -> float | None:
    return _sum(s.seconds for s in facts.steps if s.seconds is not None)


def _sum(values: object) -> float | None:
    known = list(values)  # type: ignore[call-overload]
    return None if any(v is None for v in known) else _round(sum(known, 0.0))


def _round(value: float) -> float:
    return round(value, 3)
