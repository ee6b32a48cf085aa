"""A fake kubelet: lives the life that a script gives to each pod, and a fake harness in it.

The harness uses the token and the plan that the pod's own environment holds, so that a wrong token
or plan shows as it would in a cluster.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from benchwright.api import labels
from benchwright.api.facts import StageFacts
from benchwright.api.stageplan import PLAN_ENV, TOKEN_ENV, StagePlan
from tests.builders import PodBuilder, a_pod
from tests.sim.store import Store
from tests.unit.core.evidence import broken, killed, measured, step, worked

Json = dict[str, Any]
TICK = 0.004
NEW_TESTS = {"tests.test_new::covers": "passed"}
FULL = 'Usage of EmptyDir volume "workspace" exceeds the limit "2Gi". '


@dataclass(frozen=True)
class Seen:
    """A pod as the kubelet got it."""

    name: str
    trial: str
    agent: str
    task: str
    stage: str
    attempt: int
    plan: StagePlan
    token: str

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.agent, self.stage, self.attempt)


_PATIENCE = 30.0
"""Seconds to go on trying while the results service is away."""


@dataclass
class Kubelet:
    """Lives pods. `script` is by (agent, stage, attempt); an agent of "" is a baseline's."""

    store: Store
    results_url: str
    script: Mapping[tuple[str, str, int], "Life"] = field(default_factory=dict)
    started: list[Seen] = field(default_factory=list)
    pace: float = 1.0
    most_at_once: int = 0
    dead: set[str] = field(default_factory=set)
    """Pods whose node does not answer: nobody does what the API server is asked for."""
    problems: list[str] = field(default_factory=list)
    _lives: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _session: aiohttp.ClientSession | None = None

    def start(self) -> None:
        self._session = aiohttp.ClientSession()
        self.store.terminate = lambda raw: raw["metadata"]["name"] in self._lives
        self.store.listeners.append(self._event)

    async def stop(self) -> None:
        self.store.listeners.remove(self._event)
        for task in list(self._lives.values()):
            task.cancel()
        await asyncio.gather(*self._lives.values(), return_exceptions=True)
        if self._session:
            await self._session.close()

    def _event(self, plural: str, kind: str, raw: Json) -> None:
        if plural != "pods":
            return
        name = raw["metadata"]["name"]
        if kind == "ADDED" and not self._has_trial(raw):
            return  # the garbage collector takes it before anybody has started it
        if kind == "ADDED":
            pod = self._seen(raw)
            task = self._lives[name] = asyncio.create_task(self._live(pod))
            task.add_done_callback(lambda task: self._ended(pod, task))
        elif name in self._lives and (kind == "DELETED" or self._hears_of_deletion(raw)):
            self._lives[name].cancel()

    def _ended(self, pod: Seen, task: asyncio.Task[None]) -> None:
        """Not in the life itself: one that was cancelled before its first step runs none of it."""
        if self._lives.get(pod.name) is not task:
            return  # another pod has the name by now
        del self._lives[pod.name]
        raw = self.store.objects.get(("pods", pod.name))
        if raw and (task.cancelled() or "deletionTimestamp" in raw["metadata"]):
            self.store.remove("pods", pod.name)

    def _has_trial(self, raw: Json) -> bool:
        return ("trials", raw["metadata"]["labels"][labels.TRIAL]) in self.store.objects

    def _hears_of_deletion(self, raw: Json) -> bool:
        meta = raw["metadata"]
        return "deletionTimestamp" in meta and meta["name"] not in self.dead

    def _seen(self, raw: Json) -> Seen:
        tags = raw["metadata"]["labels"]
        spec = self.store.find("trials", tags[labels.TRIAL])["spec"]
        env = {v["name"]: v["value"] for v in raw["spec"]["initContainers"][0]["env"]}
        return Seen(
            name=raw["metadata"]["name"],
            trial=tags[labels.TRIAL],
            agent=spec.get("agent", {}).get("name", ""),
            task=spec["task"]["name"],
            stage=tags[labels.STAGE],
            attempt=int(tags[labels.ATTEMPT]),
            plan=json.loads(env[PLAN_ENV]),
            token=env[TOKEN_ENV],
        )

    async def _live(self, pod: Seen) -> None:
        life = self.script.get(pod.key, ok)
        self.most_at_once = max(self.most_at_once, len(self._lives))
        try:
            await life(self, pod)
        except asyncio.CancelledError:
            await asyncio.sleep(TICK)
            raise
        except Exception as error:  # a test must hear of it
            self.problems.append(f"{pod.name}: {error!r}")
            raise

    # What lives are made of

    async def pause(self, ticks: float = 1.0) -> None:
        await asyncio.sleep(TICK * ticks * self.pace)

    def show(self, pod: Seen, change: Callable[[PodBuilder], PodBuilder]) -> None:
        """Change the status as a builder would."""
        raw = self.store.find("pods", pod.name)
        builder = a_pod().with_status(**raw["status"])
        status = change(builder).obj()["status"]
        if status["phase"] != "Pending":
            status["startTime"] = raw["metadata"]["creationTimestamp"]
        self.store.set_pod_status(pod.name, **status)

    async def run(self, pod: Seen) -> None:
        await self.pause()
        self.started.append(pod)
        self.show(pod, PodBuilder.running)
        await self.pause()

    async def upload(self, pod: Seen, facts: StageFacts) -> None:
        """As the harness does: a service that is away is waited for (harness/transport.py)."""
        assert self._session is not None
        place = (
            f"/v1/attempts/{pod.plan['trialUid']}/{pod.plan['attempt']}/{pod.plan['stage']}/facts"
        )
        headers = {"Authorization": f"Bearer {pod.token}"}
        data = facts.model_dump_json(by_alias=True)
        deadline = asyncio.get_running_loop().time() + _PATIENCE
        while True:
            try:
                async with self._session.put(
                    self.results_url + place, data=data, headers=headers
                ) as answer:
                    if answer.status != 200:
                        text = await answer.text()
                        self.problems.append(f"{pod.name}: upload {answer.status} {text}")
                    return
            except aiohttp.ClientConnectionError:
                if asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(0.02)


Life = Callable[[Kubelet, Seen], Awaitable[None]]


def facts_of(pod: Seen) -> StageFacts:
    """nop does nothing; the others do well."""
    idle = pod.agent in {"nop", ""}
    if pod.stage != "evaluate":
        return worked(files=0 if idle else 1)
    criteria = [s["name"] for s in pod.plan["steps"] if s["name"].startswith("criterion-")]
    if criteria:
        return StageFacts(
            steps=tuple(step(name, 1 if idle else 0, seconds=0.5) for name in criteria),
            prepare_seconds=1.0,
        )
    return measured() if idle else measured(NEW_TESTS, range(1, 8))


def working(facts: Callable[[Seen], StageFacts], end: Callable[[PodBuilder], PodBuilder]) -> Life:
    """Run, store facts, end."""

    async def live(kubelet: Kubelet, pod: Seen) -> None:
        await kubelet.run(pod)
        await kubelet.upload(pod, facts(pod))
        kubelet.show(pod, lambda b: b.main_ended(0))
        await kubelet.pause()
        kubelet.show(pod, end)

    return live


ok = working(facts_of, PodBuilder.succeeded)
past_its_limit = working(lambda pod: worked(None, timed_out=True), PodBuilder.succeeded)
setup_fails = working(
    lambda pod: StageFacts(
        steps=(step("setup", 1, log_tail="no such module"), step("agent", None, seconds=None))
    ),
    PodBuilder.succeeded,
)
cannot_fetch = working(lambda pod: broken("FetchFailed"), PodBuilder.succeeded)
no_facts_of_tests = working(
    lambda pod: measured({"tests.test_a::one": "failed"}), PodBuilder.succeeded
)


async def out_of_memory(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    await kubelet.upload(pod, killed())
    kubelet.show(pod, lambda b: b.main_ended(137, "OOMKilled"))
    await kubelet.pause()
    kubelet.show(pod, lambda b: b.main_ended(137, "OOMKilled").harness_ended(0).failed())


async def node_pressure(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    kubelet.show(pod, lambda b: b.failed("Evicted", "The node was low on resource: memory. "))


async def disk_full(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    kubelet.show(pod, lambda b: b.failed("Evicted", FULL))


async def node_lost(kubelet: Kubelet, pod: Seen) -> None:
    """The taint manager marks it; nobody ever reports how the containers ended."""
    await kubelet.run(pod)
    kubelet.show(pod, lambda b: b.disrupted("DeletionByTaintManager"))
    await asyncio.sleep(60)


async def _node_dies(kubelet: Kubelet, pod: Seen) -> None:
    kubelet.dead.add(pod.name)
    await asyncio.sleep(60)


async def node_dies(kubelet: Kubelet, pod: Seen) -> None:
    """Power loss: the pod is Running, for ever, by all that the API server knows."""
    await kubelet.run(pod)
    await _node_dies(kubelet, pod)


async def node_dies_with_a_taint(kubelet: Kubelet, pod: Seen) -> None:
    """The taint manager deletes the pod, which stays Terminating."""
    await kubelet.run(pod)
    kubelet.show(pod, lambda b: b.disrupted("DeletionByTaintManager"))
    kubelet.dead.add(pod.name)
    kubelet.store.delete("pods", pod.name)
    await asyncio.sleep(60)


async def node_dies_after_the_facts(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    await kubelet.upload(pod, facts_of(pod))
    await _node_dies(kubelet, pod)


async def disrupted(kubelet: Kubelet, pod: Seen) -> None:
    """Evicted by the API: the containers are told to end, and nothing could be stored."""
    await kubelet.run(pod)
    kubelet.show(pod, lambda b: b.disrupted("EvictionByEvictionAPI"))
    await kubelet.pause()
    kubelet.show(pod, lambda b: b.main_ended(143).harness_ended(137).failed())


async def vanishes(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    kubelet.store.remove("pods", pod.name)


async def ends_silently(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    kubelet.show(pod, lambda b: b.main_ended(0).harness_ended(1, "upload: no route").failed())


async def _for_ever(
    kubelet: Kubelet, pod: Seen, change: Callable[[PodBuilder], PodBuilder]
) -> None:
    await kubelet.pause()
    kubelet.show(pod, change)
    await asyncio.sleep(60)


async def unschedulable(kubelet: Kubelet, pod: Seen) -> None:
    reason = "0/3 nodes are available: insufficient memory"
    await _for_ever(
        kubelet, pod, lambda b: b.condition("PodScheduled", "False", "Unschedulable", reason)
    )


async def container_hiccup(kubelet: Kubelet, pod: Seen) -> None:
    """The runtime could not make the container at first (containerd under load)."""
    await kubelet.pause()
    words = "context deadline exceeded"
    kubelet.show(pod, lambda b: b.waiting("main", "CreateContainerError", words))
    await kubelet.pause(5)
    await ok(kubelet, pod)


async def container_never_made(kubelet: Kubelet, pod: Seen) -> None:
    words = "exec: sh: not found"
    await _for_ever(kubelet, pod, lambda b: b.waiting("main", "RunContainerError", words))


async def image_pull_backoff(kubelet: Kubelet, pod: Seen) -> None:
    await _for_ever(kubelet, pod, lambda b: b.waiting("main", "ImagePullBackOff", "not found"))


async def invalid_image_name(kubelet: Kubelet, pod: Seen) -> None:
    await _for_ever(kubelet, pod, lambda b: b.waiting("main", "InvalidImageName", "bad reference"))


async def hangs(kubelet: Kubelet, pod: Seen) -> None:
    await kubelet.run(pod)
    await asyncio.sleep(60)
