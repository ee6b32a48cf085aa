"""What a pod's state means for its stage (pure; the table of research/operators.md 1.5).

The harness's facts come first: this is asked only while a stage has none, or where the facts say
that the runner did not report. Whatever the infrastructure did is Invalid, and never charged to
the agent; what the agent did to itself (disk, memory) is a failure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from benchwright.api.run import FailurePolicy
from benchwright.core.observed import ContainerView, PodView

_NODE_REASONS = {
    "NodeShutdown", "Terminated", "NodeAffinity", "UnexpectedAdmissionError", "NodeLost",
    "OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "Shutdown",
}  # fmt: skip
_CONFIG_REASONS = {"InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError"}
_START_REASONS = {"CreateContainerError", "RunContainerError"}
"""Often a hiccup of the container runtime, which the kubelet tries again."""
_PULL_REASONS = {"ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError"}
_DISK_MARKERS = (
    "exceeds the limit",
    "exceeded its local ephemeral storage",
    "ephemeral local storage usage exceeds",
)
_NOT_THE_AGENTS = re.compile(r'EmptyDir volume "(agent|harness|control)"')
"""Volumes that an agent cannot write: that one of them is full is not its doing."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing wrong yet; look again after so many seconds even if nothing happens."""

    recheck_after: float | None = None


@dataclass(frozen=True, slots=True)
class StageEnd:
    """The stage ended without usable facts."""

    kind: Literal["invalid", "failure"]
    reason: str
    message: str
    retry: bool = True


def classify(pod: PodView, policy: FailurePolicy, now: datetime) -> Wait | StageEnd:
    """What to make of a pod whose stage has no facts."""
    end = _lost(pod) or _failed_pod(pod) or _bad_container(pod)
    if end is not None:
        return end
    if pod.terminal:
        return _ended_without_facts(pod)
    limits = list(_limits(pod, policy))
    due = next((end for moment, end in limits if moment <= now), None)
    if due is not None:
        return due
    return Wait(min(((moment - now).total_seconds() for moment, _ in limits), default=None))


def out_of_memory(pod: PodView, what_became: str) -> StageEnd:
    """A workspace may be at fault itself; with an evaluator nothing was learnt about the agent."""
    reason = "EnvOOM" if pod.role == "evaluator" else "OutOfMemory"
    return _invalid(reason, f"pod {pod.name} ran out of memory{what_became}")


def _invalid(reason: str, message: str, retry: bool = True) -> StageEnd:
    return StageEnd("invalid", reason, message, retry)


def _lost(pod: PodView) -> StageEnd | None:
    if pod.main and pod.main.exit_code == 0 and not pod.terminal:
        return (
            None  # the work was done before the disruption; its facts are on their way (k8s#115688)
        )
    if pod.disruption:
        return _invalid(
            "Disrupted", f"pod {pod.name} was disrupted by the cluster: {pod.disruption}"
        )
    if pod.deleting:
        return _invalid("PodDeleted", f"pod {pod.name} was deleted before it had finished")
    return None


def _failed_pod(pod: PodView) -> StageEnd | None:
    if pod.phase != "Failed" or not pod.reason:
        return None
    said = f"pod {pod.name}: {pod.reason}: {pod.message}"
    if pod.reason == "Evicted":
        return _evicted(pod, said)
    if pod.reason in _NODE_REASONS:
        return _invalid("NodeLost", said)
    if pod.reason == "DeadlineExceeded":
        return _invalid("Backstop", f"{said} (the runner's own limit should have ended it)")
    return None


def _evicted(pod: PodView, said: str) -> StageEnd:
    by_limit = any(marker in pod.message for marker in _DISK_MARKERS)
    if by_limit and pod.role == "workspace" and not _NOT_THE_AGENTS.search(pod.message):
        return StageEnd(
            "failure", "DiskLimit", f"{said}; raise resources.ephemeralStorage if that is unfair"
        )
    return _invalid("NodePressure", said)


def _bad_container(pod: PodView) -> StageEnd | None:
    for container in pod.containers.values():
        if container.name == "harness" and container.restarts:
            return _invalid("HarnessRestarted", f"the harness of pod {pod.name} died and restarted")
        if container.waiting_reason in _CONFIG_REASONS:
            said = f"{_said(pod, container)}; check the image's name and configuration"
            return _invalid("PodConfig", said, retry=False)
    bundle = pod.containers.get("bundle")
    if bundle and bundle.ended and bundle.exit_code != 0:
        return _invalid(
            "BundleFailed",
            f"copying the agent's bundle ended with {bundle.exit_code}: the image needs sh, cp and "
            f"a /bundle folder. It printed: {bundle.end_message[-400:]}",
            retry=False,
        )
    return None


def _said(pod: PodView, container: ContainerView) -> str:
    where = f"container {container.name} of pod {pod.name}"
    return f"{where}: {container.waiting_reason}: {container.waiting_message}"


def _ended_without_facts(pod: PodView) -> StageEnd:
    main = pod.main
    if main and main.oom_killed:
        return out_of_memory(pod, " and its evidence was lost")
    harness = pod.harness
    detail = (
        f"exit {harness.exit_code}, {harness.end_message or harness.end_reason}"
        if harness
        else "unknown"
    )
    return _invalid("HarnessLost", f"pod {pod.name} ended and left no facts (harness: {detail})")


def _limits(pod: PodView, policy: FailurePolicy) -> Iterator[tuple[datetime, StageEnd]]:
    """How long a pod that stays as it is is waited for, and what it is given up for then: no state
    may last for ever (kuberay#4178)."""
    placed = pod.scheduled_at or pod.created_at
    for container in pod.containers.values():
        if placed and container.waiting_reason in _PULL_REASONS:
            yield _after(
                placed, policy.image_pull_grace_seconds, _not_pulled(pod, container, policy)
            )
        if placed and container.waiting_reason in _START_REASONS:
            yield _after(placed, policy.container_grace_seconds, _not_made(pod, container, policy))
    main = pod.main
    if pod.created_at and not (main and (main.running or main.ended)):
        yield _after(pod.created_at, policy.pending_timeout_seconds, _not_started(pod, policy))
    if pod.over_by:
        yield _after(pod.over_by, policy.node_lost_grace_seconds, _never_over(pod, policy))


def _after(start: datetime, seconds: int, end: StageEnd) -> tuple[datetime, StageEnd]:
    return start + timedelta(seconds=seconds), end


def _not_pulled(pod: PodView, container: ContainerView, policy: FailurePolicy) -> StageEnd:
    waited = f"{_said(pod, container)}; waited {policy.image_pull_grace_seconds} s"
    advice = "check the image's name, that the nodes can pull it, or load it on the nodes"
    return _invalid("ImagePull", f"{waited}: {advice}", retry=False)


def _not_made(pod: PodView, container: ContainerView, policy: FailurePolicy) -> StageEnd:
    waited = f"{_said(pod, container)}; the kubelet tried for {policy.container_grace_seconds} s"
    advice = "check the image and its configuration, or the node's container runtime"
    return _invalid("PodConfig", f"{waited}: {advice}", retry=False)


def _not_started(pod: PodView, policy: FailurePolicy) -> StageEnd:
    seconds = policy.pending_timeout_seconds
    if pod.unschedulable:
        text = f"pod {pod.name} found no node in {seconds} s: {pod.unschedulable}"
        return _invalid("Unschedulable", text)
    return _invalid("PendingTimeout", f"pod {pod.name} did not start in {seconds} s")


def _never_over(pod: PodView, policy: FailurePolicy) -> StageEnd:
    late = f"is not over {policy.node_lost_grace_seconds} s after it must have been"
    return _invalid(
        "NodeLost", f"pod {pod.name} {late}: its node {pod.node or '(unknown)'} does not answer"
    )
