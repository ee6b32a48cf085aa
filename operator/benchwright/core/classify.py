"""What a pod's state means for its stage (pure; the table of research/operators.md 1.5).

The harness's facts come first: this is asked only while a stage has none, or where the facts say
that the runner did not report. Whatever the infrastructure did is Invalid, and never charged to
the agent; what the agent did to itself (disk, memory) is a failure.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from benchwright.api.run import FailurePolicy
from benchwright.core.observed import ContainerView, PodView

_NODE_REASONS = {
    "NodeShutdown", "Terminated", "NodeAffinity", "UnexpectedAdmissionError", "NodeLost",
    "OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "Shutdown",
}  # fmt: skip
_CONFIG_REASONS = {
    "InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError",
    "CreateContainerError", "RunContainerError",
}  # fmt: skip
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
    end = _lost(pod) or _failed_pod(pod) or _bad_containers(pod, policy, now)
    if end is not None:
        return end
    if pod.terminal:
        return _ended_without_facts(pod)
    return _pending(pod, policy, now)


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


def _bad_containers(pod: PodView, policy: FailurePolicy, now: datetime) -> StageEnd | None:
    for container in pod.containers.values():
        if container.name == "harness" and container.restarts:
            return _invalid("HarnessRestarted", f"the harness of pod {pod.name} died and restarted")
        end = _waiting(pod, container, policy, now)
        if end:
            return end
    bundle = pod.containers.get("bundle")
    if bundle and bundle.ended and bundle.exit_code != 0:
        return _invalid(
            "BundleFailed",
            f"copying the agent's bundle ended with {bundle.exit_code}: the image needs sh, cp and "
            f"a /bundle folder. It printed: {bundle.end_message[-400:]}",
            retry=False,
        )
    return None


def _waiting(
    pod: PodView, container: ContainerView, policy: FailurePolicy, now: datetime
) -> StageEnd | None:
    reason = container.waiting_reason
    said = f"container {container.name} of pod {pod.name}: {reason}: {container.waiting_message}"
    if reason in _CONFIG_REASONS:
        return _invalid(
            "PodConfig", f"{said}; check the image's name and configuration", retry=False
        )
    if reason in _PULL_REASONS and _age(pod, now) >= policy.image_pull_grace_seconds:
        return _invalid(
            "ImagePull",
            f"{said}; waited {policy.image_pull_grace_seconds} s: check the image's name, that the "
            "nodes can pull it, or load it on the nodes",
            retry=False,
        )
    return None


def _ended_without_facts(pod: PodView) -> StageEnd:
    main = pod.main
    if main and main.oom_killed:
        return _invalid(
            "OutOfMemory", f"pod {pod.name} ran out of memory and its evidence was lost"
        )
    harness = pod.harness
    detail = (
        f"exit {harness.exit_code}, {harness.end_message or harness.end_reason}"
        if harness
        else "unknown"
    )
    return _invalid("HarnessLost", f"pod {pod.name} ended and left no facts (harness: {detail})")


def _pending(pod: PodView, policy: FailurePolicy, now: datetime) -> Wait | StageEnd:
    if any(c.running or c.ended for c in pod.containers.values() if c.name == "main"):
        return Wait()
    left = policy.pending_timeout_seconds - _age(pod, now)
    if left > 0:
        return Wait(recheck_after=min(left, 5.0))
    if pod.unschedulable:
        return _invalid(
            "Unschedulable",
            f"pod {pod.name} found no node in {policy.pending_timeout_seconds} s: {pod.unschedulable}",
        )
    return _invalid(
        "PendingTimeout", f"pod {pod.name} did not start in {policy.pending_timeout_seconds} s"
    )


def _age(pod: PodView, now: datetime) -> float:
    return (now - pod.created_at).total_seconds() if pod.created_at else 0.0
