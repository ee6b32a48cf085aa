"""Where a trial's time went (pure).

Differences are taken between stamps of one clock only: the operator's for stages and the whole,
the pod's own for commands (argo CronWorkflow#12625).
"""

from collections.abc import Iterable, Mapping

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import SecondsSpent
from benchwright.api.trial import TrialStatus
from benchwright.core.clock import parse_time, seconds_between
from benchwright.core.trialview import EVALUATE


def seconds_spent(
    created_at: str, status: TrialStatus, facts: Mapping[tuple[int, str], StageFacts]
) -> SecondsSpent | None:
    """Seconds of the attempt that counts; None where no pod was ever made."""
    if not status.stages:
        return None
    total = seconds_between(status.stages[0].created_at, status.finished_at) or 0.0
    mine = {stage: f for (attempt, stage), f in facts.items() if attempt == status.attempt}
    work = {s: _commands(f) for s, f in mine.items() if s != EVALUATE}
    evaluate = _evaluate(status, mine)
    complete = all(s.name in mine for s in status.stages)
    lost = any(s.name not in mine for s in status.stages if s.name != EVALUATE)
    agent = None if lost else _sum(work.values())
    return SecondsSpent(
        queued=_queued(created_at, status.stages[0].created_at),
        prepare=_sum(f.prepare_seconds for f in mine.values()) if complete else None,
        agent=agent,
        evaluate=evaluate,
        total=_round(total),
        harness=_harness(total, agent, evaluate) if complete else None,
    )


def _evaluate(status: TrialStatus, mine: Mapping[str, StageFacts]) -> float | None:
    """0 where it is known that nothing was evaluated: a graded trial that had no evaluator."""
    if EVALUATE in mine:
        return _commands(mine[EVALUATE])
    pods = {s.name for s in status.stages}
    return 0.0 if status.outcome not in {None, "invalid"} and EVALUATE not in pods else None


def _queued(created_at: str, first_pod: str) -> float | None:
    """A trial that was not made by an operator has the API server's stamp only: a pod before its
    trial is a contradiction, not a wait of 0 s."""
    created, pod = parse_time(created_at), parse_time(first_pod)
    if created is None or pod is None or pod < created:
        return None
    return _round((pod - created).total_seconds())


def _commands(facts: StageFacts) -> float | None:
    """Unknown where the runner was killed; a step that a failed setup kept from running took none."""
    if not facts.runner_finished:
        return None
    return _sum(s.seconds for s in facts.steps if s.seconds is not None)


def _harness(total: float, agent: float | None, evaluate: float | None) -> float | None:
    if agent is None or evaluate is None:
        return None
    return _round(max(0.0, total - agent - evaluate))


def _sum(values: Iterable[float | None]) -> float | None:
    """Unknown where one is unknown."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return _round(total)


def _round(value: float) -> float:
    return round(value, 3)
