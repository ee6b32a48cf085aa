"""After the main container's end: what it left → evidence files and facts.

Imported while the agent works, since a trial waits for its end.
"""

import json
from collections.abc import Callable

from benchwright.api.factsdoc import ObservedDoc, ProblemDoc, StageFactsDoc, StepFactsDoc
from benchwright.api.stageplan import StagePlan, StepPlan
from benchwright.harness import closing
from benchwright.harness.folders import Files, Folders
from benchwright.harness.pipes import Pipes
from benchwright.harness.transport import Transport, TransportError

LOG_TAIL = 4000


class Collector:
    """Facts and evidence of one stage."""

    def __init__(self, plan: StagePlan, folders: Folders, transport: Transport):
        self.plan, self.folders, self.transport = plan, folders, transport
        self._files: Files = {}

    def facts(
        self, steps: list[StepPlan], pipes: Pipes | None, error: tuple[str, str] | None
    ) -> StageFactsDoc:
        """What was observed. Nothing that an agent left may make this raise."""
        if error or pipes is None:
            return _broken(*(error or ("PrepareFailed", "the harness did not prepare the pod")))
        ends = closing.parse(pipes.logs["result"].text())
        facts: StageFactsDoc = {
            "version": 1,
            "steps": [_step(s, ends or (), pipes) for s in steps],
            "runnerFinished": ends is not None,
        }
        for step in steps:
            self._files[f"logs/{step['name']}.log"] = pipes.logs[f"log-{step['name']}"].text()
        try:
            return {**facts, **self._observe(runner_finished=ends is not None)}
        except Exception as failure:  # an honest "not known" beats a lost trial
            facts["error"] = _error("CollectFailed", f"{type(failure).__name__}: {failure}")
        return facts

    def _observe(self, *, runner_finished: bool) -> ObservedDoc:
        if self.plan["role"] == "evaluator" and not runner_finished:
            return {}
        observed, files = observer(self.plan)(self.plan, self.folders)
        self._files |= files
        return observed

    def store(
        self, facts: StageFactsDoc, prepared: float | None, elapsed: Callable[[], float]
    ) -> None:
        """Evidence first, facts last: where there are facts, everything is there."""
        place = f"/v1/attempts/{self.plan['trialUid']}/{self.plan['attempt']}/{self.plan['stage']}"
        for name, data in self._files.items():
            self.transport.store(f"{place}/files/{name}", data)
        facts["prepareSeconds"] = round(prepared, 3) if prepared is not None else None
        facts["collectSeconds"] = round(elapsed(), 3)
        self._store_facts(f"{place}/facts", facts)

    def _store_facts(self, path: str, facts: StageFactsDoc) -> None:
        try:
            self.transport.store(path, json.dumps(facts).encode())
        except TransportError as error:
            if error.status is None or error.status >= 500:
                raise
            # The trial must learn that its facts were refused, rather than wait for them.
            self.transport.store(path, json.dumps(_broken("FactsRefused", str(error))).encode())


def observer(plan: StagePlan) -> Callable[[StagePlan, Folders], tuple[ObservedDoc, Files]]:
    """What looks at this stage's leavings; each role's readers are imported by it alone."""
    if plan["role"] == "workspace":
        from benchwright.harness.worked import worked_facts

        return worked_facts
    from benchwright.harness.measured import measured_facts

    return measured_facts


def _step(step: StepPlan, ends: tuple[closing.StepEnd, ...], pipes: Pipes) -> StepFactsDoc:
    log = pipes.logs[f"log-{step['name']}"]
    end = next((e for e in ends if e.name == step["name"]), None)
    return {
        "name": step["name"],
        "exitCode": end.exit_code if end else None,
        "timedOut": end.timed_out if end else False,
        "seconds": end.seconds if end else None,
        "logBytes": log.total,
        "logTail": log.last(LOG_TAIL),
    }


def _broken(reason: str, message: str) -> StageFactsDoc:
    return {"version": 1, "runnerFinished": False, "error": _error(reason, message)}


def _error(reason: str, message: str) -> ProblemDoc:
    return {"reason": reason, "message": message[:4000]}
