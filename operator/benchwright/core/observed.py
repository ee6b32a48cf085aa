"""Views of what the API server reports: the few fields that rules use, from raw JSON.

Whole pods cost 79 KB each in memory and 1.3–3.4 ms to read through client models; these views
cost under 1 KB (research/operators.md 1.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from benchwright.api import labels
from benchwright.core.clock import parse_time

Json = Mapping[str, Any]
_DEFAULT_GRACE = 30
"""terminationGracePeriodSeconds of a pod that says nothing of it."""


@dataclass(frozen=True, slots=True)
class ContainerView:
    """State of one container. Exactly one of waiting, running and terminated is the case."""

    name: str
    waiting_reason: str | None = None
    waiting_message: str = ""
    running: bool = False
    exit_code: int | None = None
    end_reason: str = ""
    end_message: str = ""
    restarts: int = 0
    image_id: str = ""

    @property
    def ended(self) -> bool:
        return self.exit_code is not None

    @property
    def oom_killed(self) -> bool:
        # The flag alone lies: OOMKilled with exit 0 (k8s#131530) is a child that was killed, and
        # 143 comes from an earlier one (k8s PR#140718). Only 137 means that the container died.
        return self.end_reason == "OOMKilled" and self.exit_code == 137


@dataclass(frozen=True, slots=True)
class PodView:
    """A pod of a trial."""

    name: str
    uid: str
    owner_uid: str
    trial: str
    attempt: int
    stage: str
    role: str
    created_at: datetime | None
    phase: str = "Pending"
    reason: str = ""
    message: str = ""
    deleting: bool = False
    disruption: str = ""
    unschedulable: str = ""
    node: str = ""
    scheduled_at: datetime | None = None
    over_by: datetime | None = None
    """When the kubelet must have ended it, at the latest; unknown before a kubelet has it."""
    containers: Mapping[str, ContainerView] = field(default_factory=dict)

    @property
    def terminal(self) -> bool:
        return self.phase in {"Succeeded", "Failed"}

    @property
    def main(self) -> ContainerView | None:
        return self.containers.get("main")

    @property
    def harness(self) -> ContainerView | None:
        return self.containers.get("harness")


def parse_pod(raw: Json) -> PodView:
    """Raw pod JSON → view. Fields that are not there are unknown, not errors."""
    meta, status = raw["metadata"], raw.get("status") or {}
    tags = meta.get("labels") or {}
    owners = meta.get("ownerReferences") or [{}]
    conditions = {c["type"]: c for c in status.get("conditions") or []}
    return PodView(
        name=meta["name"],
        uid=meta.get("uid", ""),
        owner_uid=owners[0].get("uid", ""),
        trial=tags.get(labels.TRIAL, ""),
        attempt=_number(tags.get(labels.ATTEMPT, "")),
        stage=tags.get(labels.STAGE, ""),
        role=tags.get(labels.ROLE, ""),
        created_at=parse_time(meta.get("creationTimestamp")),
        phase=status.get("phase", "Pending"),
        reason=status.get("reason", ""),
        message=status.get("message", ""),
        deleting="deletionTimestamp" in meta,
        disruption=_disruption(conditions),
        unschedulable=_unschedulable(conditions),
        node=(raw.get("spec") or {}).get("nodeName", ""),
        scheduled_at=_scheduled_at(conditions),
        over_by=_over_by(meta, raw.get("spec") or {}, status),
        containers={c.name: c for c in _containers(status)},
    )


def _number(text: str) -> int:
    """0 for what is no number: somebody else's pod may carry our labels."""
    return int(text) if text.isascii() and text.isdigit() else 0


def _disruption(conditions: Mapping[str, Json]) -> str:
    # Kueue's preemption sets TerminationTarget and not DisruptionTarget (kueue pod_controller.go).
    for kind in ("DisruptionTarget", "TerminationTarget"):
        found = conditions.get(kind)
        if found and found.get("status") == "True":
            return str(found.get("reason") or kind)
    return ""


def _unschedulable(conditions: Mapping[str, Json]) -> str:
    found = conditions.get("PodScheduled")
    if found and found.get("status") == "False":
        return str(found.get("message") or found.get("reason") or "not scheduled")
    return ""


def _scheduled_at(conditions: Mapping[str, Json]) -> datetime | None:
    found = conditions.get("PodScheduled") or {}
    known = found.get("status") == "True"
    return parse_time(found.get("lastTransitionTime")) if known else None


def _over_by(meta: Json, spec: Json, status: Json) -> datetime | None:
    """The kubelet kills at activeDeadlineSeconds from its start and after the grace period; the
    deletion's stamp lies a grace period ahead already. Both by the API server's clock."""
    started = parse_time(status.get("startTime"))
    if started is None and status.get("phase", "Pending") != "Pending":
        started = parse_time(meta.get("creationTimestamp"))
    seconds = spec.get("activeDeadlineSeconds")
    ends = [parse_time(meta.get("deletionTimestamp"))]
    if started is not None and seconds is not None:
        grace = spec.get("terminationGracePeriodSeconds", _DEFAULT_GRACE)
        ends.append(started + timedelta(seconds=seconds + grace))
    return min((end for end in ends if end is not None), default=None)


def _containers(status: Json) -> list[ContainerView]:
    # Native sidecars appear in initContainerStatuses.
    groups = ("initContainerStatuses", "containerStatuses")
    return [_container(c) for group in groups for c in status.get(group) or []]


def _container(raw: Json) -> ContainerView:
    state = raw.get("state") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    return ContainerView(
        name=raw.get("name", ""),
        waiting_reason=waiting.get("reason", "") if "waiting" in state else None,
        waiting_message=waiting.get("message", ""),
        running="running" in state,
        exit_code=ended.get("exitCode") if "terminated" in state else None,
        end_reason=ended.get("reason", ""),
        end_message=ended.get("message", ""),
        restarts=int(raw.get("restartCount", 0)),
        image_id=raw.get("imageID", ""),
    )
