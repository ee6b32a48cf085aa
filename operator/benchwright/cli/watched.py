"""A run, its trials and its pods, kept up to date in the background."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from benchwright.api import labels
from benchwright.cli.target import Session
from benchwright.cli.views import RunProgress, TrialProgress, parse_run, parse_trial
from benchwright.core.observed import PodView, parse_pod
from benchwright.kube.client import PODS, RUNS, TRIALS, Json, Resource
from benchwright.kube.informer import Informer

V = TypeVar("V")
_SYNC_SECONDS = 60.0


@dataclass(frozen=True)
class Watched:
    """What the API server has told so far."""

    runs: Informer[RunProgress]
    """At most the one."""
    trials: Informer[TrialProgress]
    pods: Informer[PodView]


@asynccontextmanager
async def watch(session: Session, name: str) -> AsyncIterator[Watched]:
    """The run, its trials and pods."""
    one, mine = f"metadata.name={name}", f"{labels.RUN}={name}"
    selectors = {RUNS: {"fieldSelector": one}, TRIALS: {"labelSelector": mine}}
    for resource, selector in selectors.items():  # refused? say so now
        await session.kube.list_page(resource, session.namespace, {"limit": "1", **selector})
    # Who may not list pods sees all but whether containers have started: not worth a warning.
    logging.getLogger("benchwright.kube.informer").setLevel(logging.ERROR)
    watched = Watched(
        runs=_informer(session, RUNS, parse_run, fields=one),
        trials=_informer(session, TRIALS, parse_trial, selector=mine),
        pods=_informer(session, PODS, parse_pod, selector=mine),
    )
    tasks = [asyncio.create_task(i.run()) for i in (watched.runs, watched.trials, watched.pods)]
    try:
        async with asyncio.timeout(_SYNC_SECONDS):
            await watched.runs.synced.wait()
            await watched.trials.synced.wait()
        yield watched
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _informer(
    session: Session,
    resource: Resource,
    parse: Callable[[Json], V],
    *,
    selector: str = "",
    fields: str = "",
) -> Informer[V]:
    return Informer(
        session.kube, resource, session.namespace, parse=parse, changed=lambda _: None,
        monotonic=time.monotonic, selector=selector, fields=fields,
    )  # fmt: skip
