"""The harness sidecar: prepare, let the main container go, wait for its end, collect, store.

It is a native sidecar: the kubelet sends SIGTERM when the main container has ended, however that
came, and then gives it the pod's grace period to collect and store.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping

from benchwright.api.stageplan import PLAN_ENV, TOKEN_ENV, StagePlan, StepPlan
from benchwright.harness import prepare
from benchwright.harness.folders import Folders
from benchwright.harness.gate import Gate
from benchwright.harness.pipes import Pipes
from benchwright.harness.snapshot.baserepo import BaseError
from benchwright.harness.snapshot.git import GitError
from benchwright.harness.transport import Transport, TransportError

_PREPARE_ERRORS = (
    prepare.PrepareError, TransportError, BaseError, GitError, OSError, ValueError,
)  # fmt: skip


class Sidecar:
    """One pod's harness."""

    def __init__(self, plan: StagePlan, folders: Folders, transport: Transport):
        self.plan, self.folders, self.transport = plan, folders, transport
        self._ended = False
        self._gate = Gate(folders.gate)
        self._started = time.monotonic()
        self._prepared: float | None = None

    def main_ended(self, *_: object) -> None:
        """Signal handler."""
        self._ended = True

    def run(self) -> None:
        """The whole life of the pod."""
        steps, pipes, error = self._prepare()
        self._preload()
        while not self._ended:
            if pipes is None:
                time.sleep(0.05)
            else:
                pipes.pump(0.5)
        self._collect(steps, pipes, error)

    def _prepare(self) -> tuple[list[StepPlan], Pipes | None, tuple[str, str] | None]:
        try:
            steps = prepare.prepare(self.plan, self.folders, self.transport)
            names = ["result", *(f"log-{s['name']}" for s in steps)]
            pipes = Pipes(self.folders.exchange, names)
        except _PREPARE_ERRORS as error:
            self._gate.refuse()
            return [], None, (_reason(error), _words(error))
        self._prepared = time.monotonic() - self._started
        self._gate.open()
        return steps, pipes, None

    def _preload(self) -> None:
        """Import what collecting needs while the agent works, not when the trial waits for it."""
        from benchwright.harness.collect import observer

        observer(self.plan)

    def _collect(
        self, steps: list[StepPlan], pipes: Pipes | None, error: tuple[str, str] | None
    ) -> None:
        from benchwright.harness.collect import Collector

        collector = Collector(self.plan, self.folders, self.transport)
        began = time.monotonic()
        if pipes is not None:
            pipes.drain()
        facts = collector.facts(steps, pipes, error)
        collector.store(facts, self._prepared, lambda: time.monotonic() - began)


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, prepare.PrepareError) else "PrepareFailed"


def _words(error: Exception) -> str:
    return f"the harness could not prepare the pod: {type(error).__name__}: {error}"


def main(env: Mapping[str, str] = os.environ) -> int:
    """Entry point of the harness image."""
    folders = Folders()
    started = folders.private / "started"
    if started.exists():
        # A restart would prepare a pod that the agent has worked in already.
        print("the harness was restarted: this pod's evidence cannot be trusted", file=sys.stderr)
        return 1
    started.touch()
    plan: StagePlan = json.loads(env[PLAN_ENV])
    sidecar = Sidecar(plan, folders, Transport(plan["resultsUrl"], env[TOKEN_ENV]))
    signal.signal(signal.SIGTERM, sidecar.main_ended)
    try:
        sidecar.run()
    except Exception as error:  # the kubelet keeps the last lines as the reason
        sys.excepthook(type(error), error, error.__traceback__)
        print(f"harness: {type(error).__name__}: {error}"[:1000], file=sys.stderr)
        return 1
    return 0
