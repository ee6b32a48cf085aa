"""The outcome table (research/operators.md 1.5): raw pod JSON → what it means for the stage.

Each row runs through parse_pod, and its id names the public report that taught it.
"""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from benchwright.api.run import FailurePolicy
from benchwright.core.classify import StageEnd, Wait, classify
from tests.builders import NOW, PodBuilder, a_pod

POLICY = FailurePolicy(
    image_pull_grace_seconds=300,
    container_grace_seconds=200,
    pending_timeout_seconds=900,
    node_lost_grace_seconds=120,
)
NODE_LOW = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 20Mi. "


@dataclass(frozen=True)
class Row:
    """One row: after `age` seconds this pod is worth (kind, reason, retry); None: wait."""

    id: str
    pod: PodBuilder
    ends: tuple[str, str, bool] | None
    age: float = 60.0


def _again(reason: str) -> tuple[str, str, bool]:
    return ("invalid", reason, True)


def _final(reason: str) -> tuple[str, str, bool]:
    return ("invalid", reason, False)


def _charged(reason: str) -> tuple[str, str, bool]:
    return ("failure", reason, True)


DISRUPTIONS = [
    Row(
        f"disrupted while the agent works, {reason} (KEP-3329): repeated",
        a_pod().running().disrupted(reason),
        _again("Disrupted"),
    )
    for reason in (
        "PreemptionByScheduler",
        "DeletionByTaintManager",
        "EvictionByEvictionAPI",
        "DeletionByPodGC",
        "TerminationByKubelet",
    )
] + [
    Row(
        "Kueue preempts with TerminationTarget, not DisruptionTarget (jobset#1117): repeated",
        a_pod().running().disrupted("KueueWorkloadEvicted", kind="TerminationTarget"),
        _again("Disrupted"),
    ),
    Row(
        "a disruption that was called off (condition False) is none",
        a_pod().running().condition("DisruptionTarget", "False", "PreemptionByScheduler"),
        None,
    ),
    Row(
        "main ended 0 before the disruption: its result is kept (k8s#115688)",
        a_pod().main_ended(0).disrupted("EvictionByEvictionAPI"),
        None,
    ),
    Row(
        "main ended 0 and the pod is being deleted: facts are on their way (k8s#115688)",
        a_pod().main_ended(0).deleting(),
        None,
    ),
    Row(
        "disrupted and ended without facts: repeated, not charged (argo#2881)",
        a_pod().main_ended(143).harness_ended(137).failed().disrupted("DeletionByTaintManager"),
        _again("Disrupted"),
    ),
    Row(
        "somebody deleted the pod while the agent worked: repeated",
        a_pod().running().deleting(),
        _again("PodDeleted"),
    ),
]

EVICTIONS = [
    Row(
        "evicted by node pressure (gemini-k8s#433): the node's doing, repeated",
        a_pod().running().failed("Evicted", NODE_LOW),
        _again("NodePressure"),
    ),
    Row(
        "evicted by node pressure on disk, the message names usage and request: not the agent's",
        a_pod()
        .running()
        .failed(
            "Evicted",
            "The node was low on resource: ephemeral-storage. Container main was using 9Gi, request "
            "is 64Mi, has larger consumption of ephemeral-storage. ",
        ),
        _again("NodePressure"),
    ),
    Row(
        "workspace filled its emptyDir (tekton#6145): the agent's doing",
        a_pod()
        .running()
        .failed("Evicted", 'Usage of EmptyDir volume "workspace" exceeds the limit "2Gi". '),
        _charged("DiskLimit"),
    ),
    Row(
        "workspace's container went over its ephemeral storage: the agent's doing",
        a_pod()
        .running()
        .failed("Evicted", 'Container main exceeded its local ephemeral storage limit "2Gi". '),
        _charged("DiskLimit"),
    ),
    Row(
        "workspace pod went over the sum of its limits: the agent's doing",
        a_pod()
        .running()
        .failed(
            "Evicted",
            "Pod ephemeral local storage usage exceeds the total limit of containers 6Gi. ",
        ),
        _charged("DiskLimit"),
    ),
    Row(
        "the bundle is larger than its volume, which the agent cannot write: not its doing",
        a_pod()
        .running()
        .failed("Evicted", 'Usage of EmptyDir volume "agent" exceeds the limit "4Gi". '),
        _again("NodePressure"),
    ),
    Row(
        "the harness's own folder is full, which the agent cannot write: not its doing",
        a_pod()
        .running()
        .failed("Evicted", 'Usage of EmptyDir volume "control" exceeds the limit "256Mi". '),
        _again("NodePressure"),
    ),
    Row(
        "evaluator filled its disk: nothing learnt about the agent, repeated",
        a_pod("evaluate")
        .running()
        .failed("Evicted", 'Usage of EmptyDir volume "workspace" exceeds the limit "2Gi". '),
        _again("NodePressure"),
    ),
    Row(
        "evicted without any reason, only ContainerStatusUnknown/137 (k8s#105467): repeated",
        a_pod().main_ended(137, "ContainerStatusUnknown").harness_ended(137).failed(),
        _again("HarnessLost"),
    ),
]

NODES = [
    Row(
        f"kubelet or node gave the pod up, {reason} (argo pod-restarts.md): repeated",
        a_pod().failed(reason, "Pod was rejected"),
        _again("NodeLost"),
    )
    for reason in (
        "NodeShutdown",
        "Terminated",
        "NodeAffinity",
        "UnexpectedAdmissionError",
        "OutOfcpu",
        "OutOfmemory",
        "OutOfpods",
        "OutOfephemeral-storage",
    )
] + [
    Row(
        "activeDeadlineSeconds fired (argo#7081): the backstop is never the agent's timeout",
        a_pod()
        .main_ended(137)
        .harness_ended(137)
        .failed("DeadlineExceeded", "Pod was active too long"),
        _again("Backstop"),
    ),
]

WAITING = (
    [
        Row(
            "no node yet: waits (tekton#4078)",
            a_pod().condition("PodScheduled", "False", "Unschedulable"),
            None,
        ),
        Row(
            "no node past the pending timeout (argo#11025): repeated",
            a_pod().condition(
                "PodScheduled", "False", "Unschedulable", "0/3 nodes: insufficient cpu"
            ),
            _again("Unschedulable"),
            age=900,
        ),
        Row(
            "containers not made yet: waits",
            a_pod().waiting("main", "PodInitializing"),
            None,
            age=899,
        ),
        Row(
            "scheduled and never started (kuberay#4178): no phase waits for ever",
            a_pod().waiting("main", "PodInitializing"),
            _again("PendingTimeout"),
            age=900,
        ),
        Row(
            "a running main is never 'pending', however old the pod",
            a_pod().running(),
            None,
            age=10_000,
        ),
    ]
    + [
        Row(
            f"image not pulled yet, {reason}, within the grace (tekton#5987): waits",
            a_pod().waiting("main", reason),
            None,
            age=299,
        )
        for reason in ("ErrImagePull", "ImagePullBackOff", "RegistryUnavailable")
    ]
    + [
        Row(
            f"image of {container} still not pulled after the grace (tekton#7666): says so",
            a_pod().waiting(container, "ImagePullBackOff"),
            _final("ImagePull"),
            age=300,
        )
        for container in ("main", "harness", "bundle")
    ]
    + [
        Row(
            f"{reason}: no waiting helps, at once and without repeating (tekton#4895)",
            a_pod().waiting("main", reason),
            _final("PodConfig"),
            age=0,
        )
        for reason in ("InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError")
    ]
    + [
        Row(
            f"{reason} within its grace: the kubelet tries again, so it is waited for",
            a_pod().waiting("main", reason, "failed to reserve container name"),
            None,
            age=199,
        )
        for reason in ("CreateContainerError", "RunContainerError")
    ]
    + [
        Row(
            f"{reason} for longer than its grace: says so",
            a_pod().waiting("main", reason, "failed to reserve container name"),
            _final("PodConfig"),
            age=200,
        )
        for reason in ("CreateContainerError", "RunContainerError")
    ]
    + [
        Row(
            f"{reason} of a pod that waited long for its node: the grace begins with the node",
            a_pod().scheduled(890).waiting("main", reason),
            None,
            age=895,
        )
        for reason in ("ErrImagePull", "CreateContainerError")
    ]
)

# Deadline 1000 s from the start at 10 s, 240 s of grace, 120 s of slack: 1370 s.
LONG = a_pod().lasting(1000, grace=240).started(10)
DEAD_NODE = [
    Row(
        "runs until its own deadline, grace and slack: waits",
        LONG.running(),
        None,
        age=1369,
    ),
    Row(
        "runs for ever on a node that does not answer (argo#5543): the node is given up",
        LONG.running(),
        _again("NodeLost"),
        age=1370,
    ),
    Row(
        "main ended and its facts never came: the node is given up at the same deadline",
        LONG.main_ended(0),
        _again("NodeLost"),
        age=1370,
    ),
    Row(
        "main ended 0 and the pod is being deleted for ever (k8s#115688): not waited for for ever",
        LONG.main_ended(0).deleting(by=400),
        _again("NodeLost"),
        age=520,
    ),
    Row(
        "main ended 0 and the pod is being deleted: its facts have until grace and slack are over",
        LONG.main_ended(0).deleting(by=400),
        None,
        age=519,
    ),
    Row(
        "phase Unknown, as of a node that is gone: no end but the deadline",
        LONG.running().with_status(phase="Unknown"),
        _again("NodeLost"),
        age=2000,
    ),
    Row(
        "a kubelet that never said when it started: the creation counts",
        a_pod().lasting(1000, grace=240).running(),
        _again("NodeLost"),
        age=1360,
    ),
    Row(
        "pending for a long pendingTimeout is no lost node, nobody has started it",
        a_pod().lasting(100, grace=30),
        None,
        age=899,
    ),
]

CONTAINERS = [
    Row(
        "harness restarted: the workspace may have been prepared over the agent's work",
        a_pod().running().container("harness", restarts=1, running={}),
        _again("HarnessRestarted"),
    ),
    Row(
        "harness killed by memory and restarted (inspect ContainerRestartedError): repeated",
        a_pod().running().container("harness", restarts=2, waiting={"reason": "CrashLoopBackOff"}),
        _again("HarnessRestarted"),
    ),
    Row(
        "copying the agent's bundle failed: repeating is useless",
        a_pod().running().container("bundle", terminated={"exitCode": 1, "reason": "Error"}),
        _final("BundleFailed"),
    ),
    Row(
        "the bundle was copied and main works: waits",
        a_pod().running().container("bundle", terminated={"exitCode": 0, "reason": "Completed"}),
        None,
    ),
    Row(
        "main ended and the harness collects: waits, whatever main's code was",
        a_pod().main_ended(3),
        None,
    ),
    Row(
        "sidecar ended 137 after main, pod over, no facts (buildkite PR#862): repeated",
        a_pod().main_ended(0).harness_ended(137).failed(),
        _again("HarnessLost"),
    ),
    Row(
        "pod succeeded and left no facts (katib#1877): never a failure of the agent",
        a_pod().succeeded(),
        _again("HarnessLost"),
    ),
]

OOM = [
    Row(
        "main OOMKilled with 137 and no facts: out of memory",
        a_pod().main_ended(137, "OOMKilled").harness_ended(0).failed(),
        _again("OutOfMemory"),
    ),
    Row(
        "evaluator OOMKilled (table 1.5): nothing learnt about the agent",
        a_pod("evaluate").main_ended(137, "OOMKilled").harness_ended(0).failed(),
        _again("EnvOOM"),
    ),
    Row(
        "OOMKilled with exit 0 is a child that was killed (k8s#131530): not out of memory",
        a_pod().main_ended(0, "OOMKilled").harness_ended(0).with_status(phase="Succeeded"),
        _again("HarnessLost"),
    ),
    Row(
        "OOMKilled with 143 is an earlier child's (k8s PR#140718): not out of memory",
        a_pod().main_ended(143, "OOMKilled").harness_ended(0).failed(),
        _again("HarnessLost"),
    ),
    Row(
        "137 with reason Error is some other SIGKILL (tekton#10371): not out of memory",
        a_pod().main_ended(137, "Error").harness_ended(0).failed(),
        _again("HarnessLost"),
    ),
]

ROWS = DISRUPTIONS + EVICTIONS + NODES + WAITING + DEAD_NODE + CONTAINERS + OOM


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_outcome_table(row: Row) -> None:
    found = classify(row.pod.view(), POLICY, NOW + timedelta(seconds=row.age))
    if row.ends is None:
        assert isinstance(found, Wait), found
    else:
        assert isinstance(found, StageEnd), found
        kind, reason, retry = row.ends
        assert (found.kind, found.retry) == (kind, retry)
        assert found.reason == reason


@pytest.mark.parametrize("row", [r for r in ROWS if r.ends], ids=lambda row: row.id)
def test_every_end_says_which_pod_or_container_it_was(row: Row) -> None:
    found = classify(row.pod.view(), POLICY, NOW + timedelta(seconds=row.age))
    assert isinstance(found, StageEnd)
    assert row.pod.view().name in found.message or "bundle" in found.message
    assert len(found.reason) <= 64
    assert found.reason.isalnum()


def test_the_kubelets_own_words_are_quoted() -> None:
    pod = a_pod().running().failed("Evicted", NODE_LOW)
    found = classify(pod.view(), POLICY, NOW)
    assert isinstance(found, StageEnd)
    assert "low on resource: memory" in found.message


def test_while_an_image_is_not_pulled_it_is_looked_at_again_before_the_grace_ends() -> None:
    pod = a_pod().waiting("main", "ImagePullBackOff")
    found = classify(pod.view(), POLICY, NOW + timedelta(seconds=100))
    assert isinstance(found, Wait)
    assert found.recheck_after is not None
    assert 0 < found.recheck_after <= 200


@pytest.mark.parametrize(
    ("pod", "age", "seconds"),
    [
        (a_pod(), 100, 800),
        (a_pod().waiting("main", "ImagePullBackOff"), 100, 200),
        (a_pod().waiting("main", "CreateContainerError"), 100, 100),
        (LONG.running(), 100, 1270),
        (LONG.running().deleting(by=400).main_ended(0), 100, 420),
    ],
    ids=["no node yet", "image not pulled", "container not made", "runs", "is being deleted"],
)
def test_a_pod_is_looked_at_again_when_its_time_is_over_and_not_before(
    pod: PodBuilder, age: float, seconds: float
) -> None:
    """Whatever happens before is an event; asking every few seconds costs 500 trials a core."""
    found = classify(pod.view(), POLICY, NOW + timedelta(seconds=age))
    assert found == Wait(recheck_after=seconds)


def test_the_node_that_does_not_answer_is_named() -> None:
    found = classify(LONG.running().view(), POLICY, NOW + timedelta(seconds=5000))
    assert isinstance(found, StageEnd)
    assert "node-1" in found.message
    assert "120 s" in found.message


def test_a_pending_pod_is_looked_at_again_exactly_when_its_timeout_ends() -> None:
    found = classify(a_pod().view(), POLICY, NOW + timedelta(seconds=897.5))
    assert found == Wait(recheck_after=2.5)


def test_a_pod_without_creation_time_is_not_judged_by_its_age() -> None:
    pod = a_pod()
    del pod.body["metadata"]["creationTimestamp"]
    assert isinstance(classify(pod.view(), POLICY, NOW), Wait)
