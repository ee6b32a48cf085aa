"""After the main container's end: what it left → evidence files and facts.

Imported while the agent works: pydantic and the readers would otherwise cost each trial a part of
a second at its end.
"""

from collections.abc import Callable
from pathlib import Path

from benchwright.api.facts import HarnessError, StageFacts, StepFacts
from benchwright.api.stageplan import StagePlan, StepPlan
from benchwright.harness import closing
from benchwright.harness.folders import Folders
from benchwright.harness.measured import measured_facts
from benchwright.harness.pipes import Pipes
from benchwright.harness.transport import Transport, TransportError
from benchwright.harness.worked import worked_facts

LOG_TAIL = 4000
_FACTS_PATIENCE = 90.0


class Collector:
    """Facts and evidence of one stage."""

    def __init__(self, plan: StagePlan, folders: Folders, transport: Transport):
        self.plan, self.folders, self.transport = plan, folders, transport
        self._files: dict[str, bytes | Path] = {}

    def facts(
        self, steps: list[StepPlan], pipes: Pipes | None, error: tuple[str, str] | None
    ) -> StageFacts:
        """What was observed. Nothing that an agent left may make this raise."""
        if error or pipes is None:
            reason, message = error or ("PrepareFailed", "the harness did not prepare the pod")
            return _broken(reason, message)
        ends = closing.parse(pipes.logs["result"].text())
        base = StageFacts(
            steps=tuple(_step(s, ends or (), pipes) for s in steps),
            runner_finished=ends is not None,
        )
        for step in steps:
            self._files[f"logs/{step['name']}.log"] = pipes.logs[f"log-{step['name']}"].text()
        try:
            return self._observe(base)
        except Exception as failure:  # an honest "not known" beats a lost trial
            return base.model_copy(
                update={"error": _error("CollectFailed", f"{type(failure).__name__}: {failure}")}
            )

    def _observe(self, base: StageFacts) -> StageFacts:
        if self.plan["role"] == "workspace":
            update, files = worked_facts(self.plan, self.folders)
        elif base.runner_finished:
            update, files = measured_facts(self.plan, self.folders)
        else:
            return base
        self._files |= files
        return base.model_copy(update=update)

    def store(
        self, facts: StageFacts, prepared: float | None, elapsed: Callable[[], float]
    ) -> None:
        """Evidence first, facts last: where there are facts, everything is there."""
        place = f"/v1/attempts/{self.plan['trialUid']}/{self.plan['attempt']}/{self.plan['stage']}"
        for name, data in self._files.items():
            self.transport.store(f"{place}/files/{name}", data)
        timed = facts.model_copy(
            update={
                "prepare_seconds": round(prepared, 3) if prepared is not None else None,
                "collect_seconds": round(elapsed(), 3),
            }
        )
        self._store_facts(f"{place}/facts", timed)

    def _store_facts(self, path: str, facts: StageFacts) -> None:
        try:
            self.transport.store(path, facts.model_dump_json(by_alias=True).encode())
        except TransportError as error:
            if error.status is None or error.status >= 500:
                raise
            # The trial must learn that its facts were refused, rather than wait for them.
            broken = _broken("FactsRefused", str(error))
            self.transport.store(path, broken.model_dump_json(by_alias=True).encode())


def _step(step: StepPlan, ends: tuple[closing.StepEnd, ...], pipes: Pipes) -> StepFacts:
    log = pipes.logs[f"log-{step['name']}"]
    end = next((e for e in ends if e.name == step["name"]), None)
    return StepFacts(
        name=step["name"],
        exit_code=end.exit_code if end else None,
        timed_out=end.timed_out if end else False,
        seconds=end.seconds if end else None,
        log_bytes=log.total,
        log_tail=log.last(LOG_TAIL),
    )


def _broken(reason: str, message: str) -> StageFacts:
    return StageFacts(runner_finished=False, error=_error(reason, message))


def _error(reason: str, message: str) -> HarnessError:
    return HarnessError(reason=reason, message=message[:4000])
