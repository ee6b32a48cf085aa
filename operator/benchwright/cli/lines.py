"""A run's progress in lines of text (pure)."""

from benchwright.cli.progress import Progress, counts
from benchwright.cli.views import TrialProgress
from benchwright.reports.words import SIGNS

_WORK = ("queued", "preparing", "running", "evaluating")


def counts_line(progress: Progress) -> str:
    """`3/12 finished: 2 success, 1 failure; 1 running, 8 queued`."""
    found = counts(progress)
    ended = ", ".join(f"{found[o]} {o}" for o in SIGNS if found[o])
    work = ", ".join(f"{found[w]} {w}" for w in _WORK if found[w])
    baselines = sum(t.baseline for t in progress.active)
    if baselines:
        work = f"{work}; measuring {baselines} baseline{'' if baselines == 1 else 's'}"
    total = "?" if progress.run.planned is None else progress.run.planned
    done = f"{progress.finished}/{total} finished"
    return f"{done}: {ended}; {work}".replace(": ;", ";").rstrip("; ")


def events(progress: Progress) -> list[str]:
    """All that has happened to trials: attempts that are repeated, and outcomes."""
    lines = []
    for trial in progress.trials:
        for failed in trial.failed_attempts[: -1 if trial.outcome == "invalid" else None]:
            again = f"attempt {failed.number} was invalid and is repeated: {failed.reason}"
            lines.append(f"▨ {trial.name}: {again}: {failed.message}")
        if trial.outcome:
            lines.append(f"{outcome_sign(trial)} {trial.name}: {ended(trial)}")
    return lines


def outcome_sign(trial: TrialProgress) -> str:
    """The outcome for those who see no colours."""
    return SIGNS.get(trial.outcome or "", "?")


def ended(trial: TrialProgress) -> str:
    """`failure, NoChanges: the agent left the repository as it was`."""
    what = "baseline " if trial.baseline else ""
    return f"{what}{trial.outcome}, {trial.reason}: {trial.message}"
