"""Times by node: unlike machines are never put together without being said."""

import pytest

from benchwright.analysis.environments import Stratum, strata
from benchwright.analysis.records import dataset
from tests.unit.reports.samples import record


def _of(*nodes: dict[str, str | None] | None) -> list[Stratum]:
    rows = [record("a", index=n, nodes=node) for n, node in enumerate(nodes)]
    return strata(dataset("x", rows))


@pytest.mark.parametrize(
    "nodes",
    [
        (),
        (None, None),
        ({"write": "n-1"}, {"write": "n-1"}),
        ({"write": "n-1", "evaluate": "n-1"}, {"write": "n-1", "evaluate": "n-2"}),
    ],
    ids=["no trial", "nothing known", "one node", "another one for the evaluator only"],
)
def test_what_ran_on_one_node_is_in_no_strata(nodes: tuple[dict[str, str | None] | None]) -> None:
    assert _of(*nodes) == []


def test_an_unknown_node_is_no_node_of_another_trial() -> None:
    found = _of({"write": "n-1"}, None, {"write": "n-1"})
    assert [(s.node, s.trials) for s in found] == [(None, 1), ("n-1", 2)]


def test_stages_on_several_nodes_are_an_environment_of_their_own() -> None:
    found = _of({"detect": "n-2", "setup": "n-1"}, {"detect": "n-1", "setup": "n-1"})
    assert [s.node for s in found] == ["n-1", "n-1 + n-2"]


def test_medians_are_of_valid_trials_and_unknown_where_one_is() -> None:
    rows = [
        record("a", index=0, nodes={"write": "n-1"}),
        record("a", index=1, nodes={"write": "n-1"}, outcome="invalid"),
        record("a", index=2, nodes={"write": "n-2"}, seconds=None),
    ]
    found = strata(dataset("x", rows))
    assert [(s.node, s.trials, s.median_seconds) for s in found] == [
        ("n-1", 1, 9.5), ("n-2", 1, None),
    ]  # fmt: skip
