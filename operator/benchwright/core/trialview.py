"""What the rules of a trial look at, and what they answer (pure data)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Usage
from benchwright.api.trial import TrialSpec, TrialStatus
from benchwright.core.observed import PodView
from benchwright.core.verdict import Verdict

EVALUATE = "evaluate"
StageKey = tuple[int, str]
"""Attempt number and stage name."""


@dataclass(frozen=True, slots=True)
class TrialView:
    """A Trial as the API server has it."""

    namespace: str
    name: str
    uid: str
    spec: TrialSpec
    status: TrialStatus
    created_at: str
    """By the operator's clock where an operator made it, else by the API server's."""
    generation: int = 1
    resource_version: str = ""
    deleting: bool = False
    run_uid: str = ""


@dataclass(frozen=True, slots=True)
class ProxyUsage:
    """What the proxy says of one attempt after it was closed. `handed_over`: the results service
    keeps its calls already, if it was to keep them."""

    usage: Usage
    interrupted: int = 0
    limit_hit: str | None = None
    handed_over: bool = False


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that the next step depends on."""

    trial: TrialView
    pods: Mapping[StageKey, PodView] = field(default_factory=dict)
    facts: Mapping[StageKey, StageFacts] = field(default_factory=dict)
    usage: ProxyUsage | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Steps in the order in which they are done. `again`: decide anew with what came of them."""

    create: StageKey | None = None
    delete: tuple[str, ...] = ()
    force: tuple[str, ...] = ()
    """Pods to remove without waiting for their node, which does not answer."""
    close_proxy: int | None = None
    grade: int | None = None
    status: TrialStatus | None = None
    again: bool = False
    requeue_after: float | None = None

    @property
    def idle(self) -> bool:
        """Nothing to do but to look again."""
        return self == Decision(requeue_after=self.requeue_after)


def stage_names(spec: TrialSpec) -> tuple[str, ...]:
    """The pods of an attempt, in order."""
    return (EVALUATE,) if spec.purpose == "baseline" else (*spec.task.spec.stages, EVALUATE)
