"""An operator killed anywhere: the next one comes to the same outcome, and nothing happens twice.

The model asserts at every effect: no second pod of an attempt's stage, none of a stage that has
facts, no attempt beside a living older one, an outcome written once, attempts only forward.
"""

from collections.abc import Mapping
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.core import spending
from benchwright.core.trialview import StageKey
from tests.builders import a_trial
from tests.unit.core.worldmodel import LIVES, World, run_to_the_end

Script = Mapping[StageKey, str]

SCENARIOS: Mapping[str, tuple[Script, str, str]] = {
    "all goes well": ({}, "success", "CoverageGained"),
    "a slow agent": ({(1, "write"): "slow"}, "success", "CoverageGained"),
    "the first workspace vanishes": ({(1, "write"): "vanishes"}, "success", "CoverageGained"),
    "the first evaluator is disrupted": (
        {(1, "evaluate"): "disrupted"},
        "success",
        "CoverageGained",
    ),
    "out of memory once": ({(1, "write"): "oom"}, "success", "CoverageGained"),
    "out of memory twice": (
        {(1, "write"): "oom", (2, "write"): "oom"},
        "failure",
        "MemoryLimit",
    ),
    "a full disk": ({(1, "write"): "full disk"}, "failure", "DiskLimit"),
    "a harness that never fetches": (
        {(1, "write"): "cannot fetch", (2, "write"): "cannot fetch", (3, "write"): "cannot fetch"},
        "invalid",
        "FetchFailed",
    ),
    "the first workspace's node dies": (
        {(1, "write"): "its node dies"},
        "success",
        "CoverageGained",
    ),
    "a node dies after it has stored its facts": (
        {(1, "write"): "its node dies after its facts"},
        "success",
        "CoverageGained",
    ),
    "three kinds of loss": (
        {(1, "write"): "killed", (2, "evaluate"): "dies silently", (3, "write"): "cannot fetch"},
        "invalid",
        "FetchFailed",
    ),
}


def _world(script: Script) -> World:
    return World(a_trial().with_policy(node_lost_grace_seconds=10).view(), script)


def _undisturbed(script: Script) -> World:
    world = _world(script)
    run_to_the_end(world, lambda: 1)
    return world


@pytest.mark.parametrize("name", SCENARIOS)
def test_without_a_crash_the_scenario_ends_as_it_should(name: str) -> None:
    script, outcome, reason = SCENARIOS[name]
    status = _undisturbed(script).trial.status
    assert (status.outcome, status.reason) == (outcome, reason)


@pytest.mark.parametrize("downtime", [0, 1, 12], ids=["back at once", "a tick", "everything ended"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_before_any_one_effect_the_outcome_is_the_same(name: str, downtime: int) -> None:
    script, outcome, reason = SCENARIOS[name]
    total = _undisturbed(script).effects
    for number in range(1, total + 1):
        world = _world(script)
        world.kill_before = number
        run_to_the_end(world, lambda: 1, downtime)
        status = world.trial.status
        assert (status.outcome, status.reason) == (outcome, reason), (
            f"killed before effect {number}"
        )
        assert {s.outcome for s in world.recorded} == {outcome}
        assert status.attempt in world.closed, "the attempt that counts is published and was closed"
        assert all(a.usage for a in status.attempts), "what was spent is known of every attempt"
        assert spending.spent(status).input_tokens == 900 * status.attempt


# A pod that vanished before anybody recorded it has to be made again.
SEEN = [
    n
    for n, (script, _, _) in SCENARIOS.items()
    if not {"vanishes", "disrupted"} & {*script.values()}
]


@pytest.mark.parametrize("name", SEEN)
def test_where_no_pod_vanishes_every_stage_runs_once_whenever_the_operator_dies(name: str) -> None:
    script, _, _ = SCENARIOS[name]
    total = _undisturbed(script).effects
    for number in range(1, total + 1):
        world = _world(script)
        world.kill_before = number
        run_to_the_end(world, lambda: 1, downtime=12)
        assert len(world.created) == len(set(world.created)), f"killed before effect {number}"


@given(
    lives=st.dictionaries(
        st.tuples(st.integers(1, 3), st.sampled_from(["write", "evaluate"])),
        st.sampled_from(sorted(LIVES)),
        max_size=4,
    ),
    kills=st.lists(st.integers(1, 9), max_size=4),
    pace=st.lists(st.integers(0, 4), min_size=1, max_size=8),
)
@settings(max_examples=60, deadline=None)
def test_any_lives_any_pace_and_several_kills_end_with_the_outcome_of_an_undisturbed_run(
    lives: dict[StageKey, str], kills: list[int], pace: list[int]
) -> None:
    expected = _undisturbed(lives).trial.status.outcome
    world = _world(lives)
    turns = cycle([*pace, 1])
    left = list(kills)

    def ticks() -> int:
        if world.kill_before is None and left:
            world.kill_before = world.effects + left.pop()
        return next(turns)

    run_to_the_end(world, ticks, downtime=pace[0])
    assert world.trial.status.outcome == expected
