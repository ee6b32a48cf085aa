"""A cluster in memory with the real operator in it, which can be killed and started anew."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from benchwright.api.base import API_VERSION
from benchwright.control import operator
from benchwright.control.context import Context
from benchwright.control.settings import OperatorSettings
from benchwright.kube.client import KubeClient
from benchwright.kube.config import Login
from tests.builders import a_measurement, a_task, an_agent
from tests.sim.apiserver import ApiServer, Write
from tests.sim.kubelet import Kubelet, Life
from tests.sim.services import KEY, Proxy, Results
from tests.sim.store import NAMESPACE, Store

Json = dict[str, Any]
Changed = Callable[[str, str, str], None]
KINDS = {"benchmarkruns": "BenchmarkRun", "agents": "Agent", "tasksets": "TaskSet"}
WRITING = a_task(name="parse", prompt="Add tests.", source={}, measurement=a_measurement())
REPAIR = a_task("repair", name="mend", prompt="Mend it.", source={})

_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""SQLite waits for the disk at every commit."""


def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter pauses; nothing else of the operator is changed."""
    monkeypatch.setattr("benchwright.control.queue._FIRST_BACKOFF", 0.01)
    monkeypatch.setattr("benchwright.control.refusals.POD_PAUSE", (0.05, 0.1))
    monkeypatch.setattr("benchwright.control.refusals.TRIAL_PAUSE", (0.05, 0.2))
    monkeypatch.setattr("benchwright.kube.informer._BACKOFF", (0.02, 0.05))


HANGS = 60.0
"""Seconds after which a wait is taken for a hang. Nothing is measured by it: the machine may be
busy with other things."""


@dataclass
class World:
    """Everything but the operator survives its death."""

    store: Store
    api: ApiServer
    kubelet: Kubelet
    results: Results
    proxy: Proxy
    folder: Path
    deaths: int = 0
    ctx: Context | None = None
    _task: asyncio.Task[None] | None = None
    _reaper: asyncio.Task[None] | None = None

    # What a user does

    def apply(self, plural: str, name: str, spec: Json) -> Json:
        kind = KINDS[plural]
        body = {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
        return self.store.create(plural, body)

    def apply_inputs(self, *agents: str, tasks: tuple[Any, ...] = (REPAIR,)) -> None:
        for name in agents:
            self.apply("agents", name, an_agent(name).spec.dump())
        inline = [
            {"task": task.dump(), "files": {"workspace/pkg/a.py": "x = 1\n"}} for task in tasks
        ]
        self.apply("tasksets", "set", {"source": {"inline": inline}})

    def apply_run(self, *agents: str, **spec: Any) -> Json:
        return self.apply(
            "benchmarkruns", "run-1", {"agents": list(agents), "taskSet": "set", **spec}
        )

    # The operator

    def start_operator(self) -> None:
        self.ctx = None
        self._task = asyncio.create_task(self._operate())

    async def kill_operator(self) -> None:
        """All of its tasks are cancelled: what it had in hand is neither finished nor undone."""
        task, self._task = self._task, None
        if task:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self.deaths += 1

    def kill_at(
        self, fatal: Callable[[int, Write], bool], *, applied: bool, downtime: float = 0.0
    ) -> None:
        """The operator dies at the writes that are fatal, before they are applied or after, and is
        started anew after the downtime."""

        async def trap(number: int, write: Write, done: bool) -> None:
            if done is applied and fatal(number, write):
                self._reaper = asyncio.create_task(self._die_and_rise(downtime))
                await asyncio.sleep(60)  # cancelled when the operator's connection goes

        self.api.trap = trap

    async def _die_and_rise(self, downtime: float) -> None:
        await self.kill_operator()
        await asyncio.sleep(downtime)
        self.start_operator()

    async def _operate(self) -> None:
        key_file = self.folder / "key"
        key_file.write_bytes(KEY)
        settings = OperatorSettings(
            namespace=NAMESPACE, harness_image="harness:1", results_host="127.0.0.1",
            proxy_host="127.0.0.1", key_file=key_file, results_port=self.results.internal_port,
            proxy_admin_port=self.proxy.port, trial_port=self.results.trial_port,
        )  # fmt: skip
        login = Login(self.api.url, None, None, None, NAMESPACE)
        async with KubeClient(login) as kube, aiohttp.ClientSession() as session:
            self.ctx = operator.build(settings, kube, session)
            await operator._run_all(self.ctx)

    async def run_kopf(self, namespaces: object, changed: Changed) -> None:
        """In kopf's place: says which runs, agents and task sets changed, nothing else."""

        def heard(plural: str, kind: str, raw: Json) -> None:
            if plural in KINDS:
                meta = raw["metadata"]
                changed(KINDS[plural], meta["name"], meta["resourceVersion"])

        for plural in KINDS:
            for raw in self.store.all(plural):
                heard(plural, "ADDED", raw)
        self.store.listeners.append(heard)
        try:
            await asyncio.Event().wait()
        finally:
            self.store.listeners.remove(heard)

    # What can be seen

    @property
    def run(self) -> Json:
        return self.store.find("benchmarkruns", "run-1")

    @property
    def status(self) -> Json:
        found: Json = self.run.get("status") or {}
        return found

    def condition(self, kind: str) -> tuple[str, str] | None:
        found = [c for c in self.status.get("conditions", []) if c["type"] == kind]
        return (found[0]["status"], found[0]["reason"]) if found else None

    @property
    def trials(self) -> dict[str, Json]:
        return {raw["metadata"]["name"]: raw for raw in self.store.all("trials")}

    def failures(self, kind: str) -> float:
        """Reconciles of this kind that raised, in the operator that runs now."""
        return self._counted("benchwright_reconcile_failures_total", kind)

    def reconciles(self, kind: str) -> float:
        """Reconciles of this kind that ended, in the operator that runs now."""
        return self._counted("benchwright_reconcile_duration_seconds_count", kind)

    def _counted(self, metric: str, kind: str) -> float:
        if self.ctx is None:
            return 0.0
        return self.ctx.metrics.registry.get_sample_value(metric, {"kind": kind}) or 0.0

    def calls_a_model(self, uid: str) -> bool:
        trial = next(t for t in self.trials.values() if t["metadata"]["uid"] == uid)
        return "model" in trial["spec"].get("agent", {}).get("spec", {})

    def outcomes(self) -> dict[tuple[str, str, int], tuple[str, str]]:
        """(agent, task, index) → outcome and reason, of the measurements."""
        return {
            (t["spec"]["agent"]["name"], t["spec"]["task"]["name"], t["spec"]["index"]): (
                t["status"].get("outcome", ""),
                t["status"].get("reason", ""),
            )
            for t in self.trials.values()
            if t["spec"]["purpose"] == "measurement"
        }

    def only_trial(self) -> Json:
        (found,) = self.trials.values()
        status: Json = found["status"]
        return status

    def only_trial_or_none(self) -> Json | None:
        return next((t.get("status") for t in self.trials.values()), None)

    async def until(self, holds: Callable[[], Any], seconds: float = HANGS) -> None:
        """Wait for a condition; a problem of the kubelet or the operator's end ends the waiting."""
        try:
            async with asyncio.timeout(seconds):
                while not holds():
                    await asyncio.sleep(0.004)
                    assert not self.kubelet.problems, self.kubelet.problems
                    if self._task and self._task.done():
                        self._task.result()
        except TimeoutError:
            raise AssertionError(f"not in time; {self._words()}") from None

    async def until_complete(self, seconds: float = HANGS) -> None:
        await self.until(
            lambda: self.status.get("finishedAt") and not self.store.all("pods"), seconds
        )

    def _words(self) -> str:
        trials = {n: (t.get("status") or {}).get("phase") for n, t in self.trials.items()}
        pods = {p["metadata"]["name"]: p["status"]["phase"] for p in self.store.all("pods")}
        run = self.store.objects.get(("benchmarkruns", "run-1"), {}).get("status", "is not there")
        return f"run {run}, trials {trials}, pods {pods}, deaths {self.deaths}"


@asynccontextmanager
async def a_world(
    monkeypatch: pytest.MonkeyPatch, script: Mapping[tuple[str, str, int], Life] | None = None
) -> AsyncIterator[World]:
    """A cluster without any object; the operator is not started."""
    fast(monkeypatch)
    logging.getLogger("benchwright").setLevel(logging.CRITICAL)
    folder = tempfile.TemporaryDirectory(prefix="bw-sim-", dir=_IN_MEMORY)
    store = Store()
    api, results, proxy = ApiServer(store), Results(folder), Proxy()
    for part in (api, results, proxy):
        await part.start()
    kubelet = Kubelet(store, f"http://127.0.0.1:{results.trial_port}", script or {})
    kubelet.start()
    world = World(store, api, kubelet, results, proxy, Path(folder.name))
    proxy.calls = world.calls_a_model
    monkeypatch.setattr(operator, "run_kopf", world.run_kopf)
    try:
        yield world
    finally:
        api.trap = None
        await asyncio.gather(*filter(None, [world._reaper]), return_exceptions=True)
        await world.kill_operator()
        await kubelet.stop()
        for service in (api, proxy, results):
            await service.stop()
