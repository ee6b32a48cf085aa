"""What reconcilers share."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from benchwright.control.addresses import Addresses
from benchwright.control.backoff import Backoff
from benchwright.control.events import EventRecorder
from benchwright.control.facts import FactsCache
from benchwright.control.keeping import InputsCache
from benchwright.control.metrics import Metrics
from benchwright.control.pace import Pace
from benchwright.control.queue import WorkQueue
from benchwright.control.roster import Roster
from benchwright.control.services import ProxyClient, ResultsClient
from benchwright.control.settings import OperatorSettings
from benchwright.control.tokens import Tokens
from benchwright.core.observed import PodView
from benchwright.core.trialview import TrialView
from benchwright.kube.client import KubeClient
from benchwright.kube.informer import Informer
from benchwright.resources.settings import PodSettings

Key = tuple[str, str]
"""Kind and name; everything is in one namespace."""


def wall_clock() -> datetime:
    """The operator's clock, as an aware datetime."""
    return datetime.fromtimestamp(time.time(), UTC)


@dataclass
class Context:
    """Clients, caches and settings."""

    settings: OperatorSettings
    kube: KubeClient
    results: ResultsClient
    facts: FactsCache
    proxy: ProxyClient
    tokens: Tokens
    queue: WorkQueue[Key]
    trials: Informer[TrialView]
    pods: Informer[PodView]
    events: EventRecorder
    metrics: Metrics
    roster: Roster
    inputs: InputsCache
    run_pace: Pace[str]
    """By name of a run: when its counters were last written."""
    own_writes: dict[str, str]
    """Run → resource version of the operator's own last write, whose echo is no news."""
    trial_pauses: Backoff[str]
    """By name of a run whose trials the API server refuses."""
    pod_pauses: Backoff[str]
    """By name of a trial whose pods it refuses."""
    addresses: Addresses
    now: Callable[[], datetime] = wall_clock

    async def pod_settings(self, proxy_number: int) -> PodSettings:
        """Where pods of a trial find the services."""
        s = self.settings
        proxy, results = await asyncio.gather(
            self.addresses.of(s.proxy_host_of(proxy_number)), self.addresses.of(s.results_host)
        )
        return PodSettings(
            harness_image=s.harness_image,
            proxy_ip=proxy,
            results_ip=results,
            proxy_port=s.proxy_port,
            results_port=s.trial_port,
            image_pull_policy=s.image_pull_policy,
            runtime_class=s.runtime_class,
        )
