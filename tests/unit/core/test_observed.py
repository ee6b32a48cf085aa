"""parse_pod: the few fields of a raw pod that the rules use, and nothing that is not there."""

from typing import Any

import pytest

from benchwright.core.observed import parse_pod
from tests.builders import NOW, a_pod


def test_identity_comes_from_labels_and_owner() -> None:
    pod = a_pod("evaluate", attempt=3).view()
    assert (pod.trial, pod.attempt, pod.stage, pod.role) == (
        "run-1-script-task-0", 3, "evaluate", "evaluator",
    )  # fmt: skip
    assert (pod.owner_uid, pod.created_at) == ("uid-trial", NOW)


def test_a_pod_that_the_kubelet_has_not_seen_yet_has_no_status() -> None:
    raw = a_pod().obj()
    del raw["status"]
    pod = parse_pod(raw)
    assert (pod.phase, pod.reason, dict(pod.containers)) == ("Pending", "", {})
    assert pod.main is None
    assert pod.harness is None
    assert not pod.terminal


def test_native_sidecars_are_found_among_the_init_containers() -> None:
    pod = a_pod().running().view()
    assert pod.harness is not None
    assert pod.harness.running
    assert pod.main is not None
    assert pod.main.running


@pytest.mark.parametrize(
    ("state", "waiting", "running", "code"),
    [
        ({"waiting": {"reason": "PodInitializing"}}, "PodInitializing", False, None),
        ({"waiting": {}}, "", False, None),
        ({"running": {"startedAt": "2026-11-30T12:00:00Z"}}, None, True, None),
        ({"terminated": {"exitCode": 0}}, None, False, 0),
        ({}, None, False, None),
    ],
    ids=["waiting", "waiting without a reason", "running", "ended with 0 is ended", "unknown"],
)
def test_a_container_is_in_one_state(
    state: dict[str, Any], waiting: str | None, running: bool, code: int | None
) -> None:
    main = a_pod().container("main", **state).view().main
    assert main is not None
    assert (main.waiting_reason, main.running, main.exit_code) == (waiting, running, code)
    assert main.ended is (code is not None)


@pytest.mark.parametrize(
    ("reason", "code", "dead"),
    [("OOMKilled", 137, True), ("OOMKilled", 0, False), ("OOMKilled", 143, False), ("Error", 137, False)],
    ids=[
        "killed itself",
        "a child was killed (k8s#131530)",
        "an earlier child was killed (k8s PR#140718)",
        "killed by something else (tekton#10371)",
    ],
)  # fmt: skip
def test_only_oomkilled_with_137_means_that_the_container_died_of_memory(
    reason: str, code: int, dead: bool
) -> None:
    main = a_pod().main_ended(code, reason).view().main
    assert main is not None
    assert main.oom_killed is dead


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_only_ended_phases_are_terminal(phase: str) -> None:
    assert a_pod().with_status(phase=phase).view().terminal
    assert not a_pod().running().view().terminal
    assert not a_pod().running().deleting().view().terminal


def test_a_pod_of_somebody_else_with_our_label_does_not_raise() -> None:
    """Whoever may create pods in the namespace could otherwise blind the whole operator."""
    raw = a_pod().obj()
    raw["metadata"]["labels"]["benchwright.dev/attempt"] = "not a number"
    raw["metadata"]["ownerReferences"] = None
    pod = parse_pod(raw)
    assert pod.owner_uid == ""
