"""One peer in one scenario, once: the load's figures and what the process spent meanwhile."""

import os
import subprocess
import time
from pathlib import Path

from pydantic import BaseModel

from . import proc
from .peers import Peer
from .scenarios import Scenario

#: A stream that a proxy does not get done in this time is an error.
CALL_SECONDS = 15
QUIET_SECONDS, QUIET_TRIES = 0.1, 100


class Quantiles(BaseModel):
    p50: float
    p99: float


class Load(BaseModel):
    """What callers saw. Only whole answers are `calls`."""

    calls: int
    errors: int
    first_error: str
    seconds: float
    latency_ms: Quantiles
    first_byte_ms: Quantiles
    gap_ms: Quantiles


class Spent(BaseModel):
    """What a process and its children used, MiB for memory."""

    cpu_seconds: float
    rss_before: float
    rss_after: float
    rss_peak: float


class Sample(BaseModel):
    """`others_cpu` is how many processors were busy with what is not of the benchmark: this many
    could neither load nor serve."""

    round: int
    scenario: str
    peer: str
    load: Load
    spent: Spent | None
    others_cpu: float


def measure(program: Path, peer: Peer, scenario: Scenario, number: int) -> Sample:
    """Round `number` of a peer in a scenario. `program` is the load generator."""
    pid = peer.process.pid if peer.process else None
    began, others = time.monotonic(), _others_seconds()
    if pid is None:
        load, spent = run(program, peer, scenario), None
    else:
        proc.reset_peak(pid)
        cpu, before = proc.cpu_seconds(pid), proc.resident(pid)
        load = run(program, peer, scenario)
        spent = Spent(
            cpu_seconds=proc.cpu_seconds(pid) - cpu,
            rss_before=before,
            rss_after=proc.resident(pid),
            rss_peak=proc.peak(pid),
        )
    others = (_others_seconds() - others) / (time.monotonic() - began)
    if pid is not None:
        _quiet(pid)
    return Sample(
        round=number,
        scenario=scenario.name,
        peer=peer.name,
        load=load,
        spent=spent,
        others_cpu=others,
    )


def _others_seconds() -> float:
    """CPU time of the machine without this process and all that it started."""
    return proc.machine_seconds() - proc.cpu_seconds(os.getpid())


def _quiet(pid: int) -> None:
    """Wait for a process to finish what callers have given up on, else it disturbs the next one."""
    for _ in range(QUIET_TRIES):
        before = proc.cpu_seconds(pid)
        time.sleep(QUIET_SECONDS)
        if proc.cpu_seconds(pid) - before <= QUIET_SECONDS / 5:
            return


def run(program: Path, peer: Peer, scenario: Scenario) -> Load:
    """The load of a scenario on a peer."""
    done = subprocess.run(
        command(program, peer, scenario), stdout=subprocess.PIPE, check=True, timeout=300
    )
    return Load.model_validate_json(done.stdout)


def command(program: Path, peer: Peer, scenario: Scenario, *more: str) -> list[str]:
    """The load generator's command line; `more` options go before the scenario's."""
    return [
        str(program),
        f"-url={peer.url}",
        f"-token={peer.token}",
        f"-timeout={CALL_SECONDS}s",
        f"-model={scenario.model}",
        f"-stream={str(scenario.stream).lower()}",
        f"-prompt={scenario.prompt_bytes}",
        f"-concurrency={scenario.concurrency}",
        f"-count={scenario.count}",
        f"-seconds={scenario.seconds}s",
        f"-spread={scenario.spread}s",
        *more,
    ]
