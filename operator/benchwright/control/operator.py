"""`benchwright operator`: wire everything and run until terminated."""

import asyncio
import logging
import time

import aiohttp

from benchwright.api import labels
from benchwright.control import health, inputs, news, refusals, runs
from benchwright.control import trials as trial_control
from benchwright.control.addresses import Addresses
from benchwright.control.backoff import Backoff
from benchwright.control.context import Context, Key
from benchwright.control.events import EventRecorder
from benchwright.control.facts import FactsCache
from benchwright.control.handlers import Stopped, run_kopf
from benchwright.control.keeping import InputsCache
from benchwright.control.metrics import Metrics
from benchwright.control.pace import Pace
from benchwright.control.queue import WorkQueue
from benchwright.control.roster import Roster
from benchwright.control.services import ProxyClient, ResultsClient, ServiceError
from benchwright.control.settings import OperatorSettings
from benchwright.control.tokens import Tokens
from benchwright.control.trialviews import TrialViews
from benchwright.core.observed import PodView, parse_pod
from benchwright.core.trialview import TrialView
from benchwright.kube.client import PODS, RUNS, TRIALS, KubeClient
from benchwright.kube.config import login
from benchwright.kube.errors import ApiError
from benchwright.kube.informer import Informer
from benchwright_proxy.token import parse_key

log = logging.getLogger(__name__)
RESYNC_SECONDS = 60.0
_COUNTS_SECONDS = 1.0
"""How often a run's counters are written at most."""
_RECONCILERS = {
    "Trial": trial_control.reconcile,
    "BenchmarkRun": runs.reconcile,
    "Agent": inputs.reconcile_agent,
    "TaskSet": inputs.reconcile_taskset,
}


async def run(settings: OperatorSettings) -> None:
    """Run the operator until cancelled."""
    async with KubeClient(login()) as kube, _session() as session:
        ctx = build(settings, kube, session)
        server = await health.serve(ctx)
        try:
            await _run_all(ctx)
        except* Stopped:
            log.info("terminated")
        finally:
            await server.cleanup()


def _session() -> aiohttp.ClientSession:
    """To the services, which set no cookies: to look for them costs each call something."""
    return aiohttp.ClientSession(trust_env=False, cookie_jar=aiohttp.DummyCookieJar())


def build(settings: OperatorSettings, kube: KubeClient, session: aiohttp.ClientSession) -> Context:
    """All parts, nothing started."""
    queue: WorkQueue[Key] = WorkQueue(
        time.monotonic,
        expected=(ServiceError, ApiError, aiohttp.ClientError, OSError),
        asked=lambda error: error.come_back if isinstance(error, ApiError) else None,
    )
    tokens = Tokens(parse_key(settings.key_file.read_bytes()), time.time)
    roster = Roster()

    def trial_changed(trial: TrialView) -> None:
        queue.add(("Trial", trial.name))
        if trials.get(trial.name) is None:
            roster.drop(trial)
        elif not roster.take(trial):
            return
        queue.add(("BenchmarkRun", trial.spec.run_name))

    def pod_changed(pod: PodView) -> None:
        queue.add(("Trial", pod.trial))

    trials = Informer(
        kube, TRIALS, settings.namespace, parse=TrialViews(), changed=trial_changed,
        monotonic=time.monotonic,
    )  # fmt: skip
    results = ResultsClient(session, settings.results_url, tokens)
    return Context(
        settings=settings,
        kube=kube,
        results=results,
        facts=FactsCache(results.facts),
        proxy=ProxyClient(session, settings.proxy_admin_urls, tokens),
        tokens=tokens,
        queue=queue,
        trials=trials,
        pods=Informer(
            kube, PODS, settings.namespace, parse=parse_pod, changed=pod_changed, monotonic=time.monotonic,
            selector=labels.TRIAL,
        ),
        events=EventRecorder(kube),
        metrics=Metrics(),
        roster=roster,
        inputs=InputsCache(time.monotonic),
        run_pace=Pace(time.monotonic, _COUNTS_SECONDS),
        own_writes={},
        addresses=Addresses(time.monotonic),
        trial_pauses=Backoff(time.monotonic, *refusals.TRIAL_PAUSE),
        pod_pauses=Backoff(time.monotonic, *refusals.POD_PAUSE),
    )  # fmt: skip


async def _run_all(ctx: Context) -> None:
    def changed(kind: str, name: str, version: str) -> None:
        if kind == "BenchmarkRun" and ctx.own_writes.get(name) == version:
            return
        ctx.queue.add((kind, name))
        if kind in {"Agent", "TaskSet"}:  # runs may wait for it
            ctx.inputs.forget_all()
            ctx.queue.add(("Waiting", ""))

    async with asyncio.TaskGroup() as group:
        group.create_task(ctx.trials.run())
        group.create_task(ctx.pods.run())
        group.create_task(news.hear(ctx))
        group.create_task(_resync(ctx))
        group.create_task(run_kopf([ctx.settings.namespace], changed))
        await ctx.trials.synced.wait()
        await ctx.pods.synced.wait()
        log.info("synced: %d trials, %d pods", len(ctx.trials), len(ctx.pods))
        group.create_task(ctx.queue.run(ctx.settings.workers, lambda key: _reconcile(ctx, key)))


async def _reconcile(ctx: Context, key: Key) -> float | None:
    kind, name = key
    if kind == "Waiting":
        await _wake_runs(ctx)
        return None
    with (
        ctx.metrics.reconcile.labels(kind).time(),
        ctx.metrics.failures.labels(kind).count_exceptions(),
    ):
        return await _RECONCILERS[kind](ctx, name)


async def _wake_runs(ctx: Context) -> None:
    for raw in await ctx.kube.list_all(RUNS, ctx.settings.namespace):
        if not (raw.get("status") or {}).get("finishedAt"):
            ctx.queue.add(("BenchmarkRun", raw["metadata"]["name"]))


async def _resync(ctx: Context) -> None:
    """Whatever was missed is found within a minute."""
    while True:
        await asyncio.sleep(RESYNC_SECONDS)
        ctx.facts.forget_all()
        for trial in ctx.trials:
            if not trial.status.outcome:
                ctx.queue.add(("Trial", trial.name))
        ctx.queue.add(("Waiting", ""))
