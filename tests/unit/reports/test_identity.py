"""A model that was exchanged in a run is a finding on it."""

from typing import Any

from benchwright.reports.identity import changed_models, changed_systems


def row(agent: str = "a", digest: str = "sha256:1", **usage: Any) -> dict[str, Any]:
    return {"agent": agent, "agent_digest": digest, "usage": usage or None}


def test_one_model_is_no_finding_however_many_trials() -> None:
    rows = [
        row(answered={"m-1": 3}),
        row(answered={"m-1": 9}),
        row(),
        row("b", answered={"m-2": 1}),
    ]
    assert list(changed_models(rows)) == []


def test_two_models_of_one_agent_are_told_with_their_calls() -> None:
    rows = [row(answered={"m-1": 3}), row(answered={"m-1": 2, "m-2": 1}), row("b", answered={})]
    (text,) = changed_models(rows)
    assert text.startswith("Agent a was answered by 2 models (m-1: 5 calls, m-2: 1 calls)")


def test_two_configurations_of_one_name_are_two_agents() -> None:
    rows = [row(answered={"m-1": 3}), row(digest="sha256:2", answered={"m-2": 3})]
    assert list(changed_models(rows)) == []


def test_fingerprints_are_told_apart_from_models() -> None:
    rows = [
        row(fingerprints={"fp_1": 3}),
        row(fingerprints={"fp_2": 1}),
        {"agent": "a", "usage": {}},
    ]
    assert list(changed_models(rows)) == []
    (text,) = changed_systems(rows)
    assert "2 fingerprints (fp_1: 3 calls, fp_2: 1 calls)" in text


def test_many_values_are_cut() -> None:
    (text,) = changed_systems([row(fingerprints={f"fp_{n}": 1 for n in range(9)})])
    assert text.count("fp_") == 4
    assert "and 5 more" in text
