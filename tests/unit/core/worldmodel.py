"""A pure model of the world around trial.decide: pods, facts, proxy and store, and an operator that
can be killed before each effect of a decision.

Effects come in the order of control/trials.py: close the proxy, grade, create, record, status,
deletions. Time is a counter; what a pod does is a script by (attempt, stage).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Measurements
from benchwright.api.trial import TrialStatus
from benchwright.core.trial import decide
from benchwright.core.trialview import Decision, Observed, StageKey, TrialView
from benchwright.core.verdict import Verdict
from tests.builders import NOW, PodBuilder, a_pod
from tests.unit.core.evidence import broken, killed, measured, spent, worked

Life = tuple[str, ...]
"""What a pod goes through, one a tick after it runs."""
LIVES: Mapping[str, Life] = {
    "ok": ("facts", "succeeded"),
    "slow": ("", "", "", "facts", "", "succeeded"),
    "vanishes": ("gone",),
    "oom": ("oom",),
    "full disk": ("evicted",),
    "cannot fetch": ("broken", "succeeded"),
    "disrupted": ("disrupted", "gone"),
    "killed": ("killed",),
    "dies silently": ("failed",),
    "its node dies": ("dead",),
    "its node dies after its facts": ("facts", "dead"),
}
DISK = 'Usage of EmptyDir volume "workspace" exceeds the limit "2Gi". '


GRACE = 5


class Killed(Exception):
    """The operator died just before an effect."""


@dataclass
class Pod:
    """A pod and where it is in its life."""

    builder: PodBuilder
    life: Life
    age: int = -1
    dead: bool = False
    """Nobody does what the API server is asked for, and nothing is reported."""


@dataclass
class World:
    """Everything that survives a crash of the operator."""

    trial: TrialView
    script: Mapping[StageKey, str] = field(default_factory=dict)
    pods: dict[StageKey, Pod] = field(default_factory=dict)
    facts: dict[StageKey, StageFacts] = field(default_factory=dict)
    closed: list[int] = field(default_factory=list)
    created: list[StageKey] = field(default_factory=list)
    recorded: list[TrialStatus] = field(default_factory=list)
    effects: int = 0
    kill_before: int | None = None
    now: datetime = NOW

    # The operator

    def step(self) -> None:
        """Observe, decide, apply, as control/trials.reconcile does."""
        seen = Observed(
            trial=self.trial,
            pods={key: pod.builder.view() for key, pod in self.pods.items()},
            facts={
                k: f for k, f in self.facts.items() if k[0] == max(1, self.trial.status.attempt)
            },
        )
        for _ in range(6):
            decision = decide(seen, self.now)
            seen = self._apply(seen, decision)
            if not decision.again:
                return
        raise AssertionError("six decisions in a row and no end")

    def _apply(self, seen: Observed, decision: Decision) -> Observed:
        if decision.close_proxy is not None:
            self._effect()
            assert decision.again, "what was spent is for the next decision"
            self.closed.append(decision.close_proxy)
            seen = replace(seen, usage=spent())
        if decision.grade is not None:
            self._effect()
            seen = replace(seen, verdict=self._grade(decision.grade))
        if decision.create is not None:
            self._effect()
            self._create(decision.create)
        if decision.status is not None:
            self._write(decision.status)
        for name in decision.delete:
            self._effect()
            self._delete(name)
        for name in decision.force:
            self._effect()
            self.pods = {k: p for k, p in self.pods.items() if p.builder.view().name != name}
        return seen

    def _effect(self) -> None:
        self.effects += 1
        if self.effects == self.kill_before:
            raise Killed

    def _grade(self, attempt: int) -> Verdict:
        stages = {stage for number, stage in self.facts if number == attempt}
        assert {"write", "evaluate"} <= stages, f"graded with facts of {stages} only"
        return Verdict.success("CoverageGained", "fine", Measurements())

    def _create(self, key: StageKey) -> None:
        assert key not in self.pods, f"a second pod of {key} while one exists"
        assert key not in self.facts, f"a pod of {key}, which has facts already"
        alive = [k for k, p in self.pods.items() if k[0] < key[0] and not p.builder.view().terminal]
        assert not alive, f"attempt {key[0]} starts while {alive} may still run"
        open_books = set(range(1, key[0])) - set(self.closed)
        assert not open_books, f"attempt {key[0]} starts while {open_books} may still spend"
        self.created.append(key)
        pod = a_pod(key[1], key[0]).lasting(20, grace=GRACE)
        pod = pod.started((self.now - NOW).total_seconds())
        self.pods[key] = Pod(pod, LIVES[self.script.get(key, "ok")])

    def _write(self, status: TrialStatus) -> None:
        before = self.trial.status
        assert before.outcome in {None, status.outcome}, "the outcome is written once"
        assert status.attempt >= before.attempt, "attempts only go forward"
        assert status.attempts[: len(before.attempts)] == before.attempts, "history is kept"
        if status.outcome:
            self._effect()
            self.recorded.append(status)
        self._effect()
        self.trial = replace(self.trial, status=status)

    def _delete(self, name: str) -> None:
        for key, pod in list(self.pods.items()):
            if pod.builder.view().name == name:
                if pod.builder.view().terminal:
                    del self.pods[key]
                elif pod.dead:
                    pod.builder = pod.builder.deleting(by=(self.now - NOW).total_seconds() + GRACE)
                else:
                    pod.builder, pod.life, pod.age = pod.builder.deleting(), ("gone",), 0

    # The node

    def tick(self) -> None:
        """Every pod goes one step further in its life."""
        self.now += timedelta(seconds=1)
        for key, pod in list(self.pods.items()):
            pod.age += 1
            if pod.age == 0:
                pod.builder = pod.builder.running()
            elif pod.age <= len(pod.life) and pod.life[pod.age - 1]:
                _EVENTS[pod.life[pod.age - 1]](self, key, pod)

    @property
    def over(self) -> bool:
        return self.trial.status.outcome is not None and not self.pods


def _dead(world: World, key: StageKey, pod: Pod) -> None:
    pod.dead = True


def _gone(world: World, key: StageKey, pod: Pod) -> None:
    del world.pods[key]


def _facts(world: World, key: StageKey, pod: Pod) -> None:
    world.facts[key] = measured() if key[1] == "evaluate" else worked()
    pod.builder = pod.builder.main_ended(0)


def _succeeded(world: World, key: StageKey, pod: Pod) -> None:
    pod.builder = pod.builder.succeeded()


def _oom(world: World, key: StageKey, pod: Pod) -> None:
    world.facts[key] = killed()
    pod.builder = pod.builder.main_ended(137, "OOMKilled").harness_ended(0).failed()


def _evicted(world: World, key: StageKey, pod: Pod) -> None:
    pod.builder = pod.builder.main_ended(137).failed("Evicted", DISK)


def _broken(world: World, key: StageKey, pod: Pod) -> None:
    world.facts[key] = broken()


def _disrupted(world: World, key: StageKey, pod: Pod) -> None:
    pod.builder = pod.builder.disrupted("DeletionByTaintManager").deleting()


def _killed(world: World, key: StageKey, pod: Pod) -> None:
    world.facts[key] = killed()
    pod.builder = pod.builder.main_ended(137, "Error").harness_ended(0).failed()


def _failed(world: World, key: StageKey, pod: Pod) -> None:
    pod.builder = pod.builder.main_ended(0).harness_ended(1).failed()


_EVENTS: Mapping[str, Callable[[World, StageKey, Pod], None]] = {
    "gone": _gone,
    "facts": _facts,
    "succeeded": _succeeded,
    "oom": _oom,
    "evicted": _evicted,
    "broken": _broken,
    "disrupted": _disrupted,
    "killed": _killed,
    "failed": _failed,
    "dead": _dead,
}


def run_to_the_end(world: World, ticks: Callable[[], int], downtime: int = 0) -> None:
    """Operator steps and ticks until the trial is over; a killed operator is started anew."""
    for _ in range(300):
        try:
            world.step()
        except Killed:
            world.kill_before = None
            for _ in range(downtime):
                world.tick()
        if world.over:
            return
        for _ in range(ticks()):
            world.tick()
    raise AssertionError(f"not over after 300 steps: {world.trial.status}, pods {list(world.pods)}")
