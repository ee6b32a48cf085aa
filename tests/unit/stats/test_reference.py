"""Every reference case of tests/data/stats_reference.json, and a checker that misses nothing."""

from copy import deepcopy
from typing import Any

import pytest

from benchwright.stats.adapters import ADAPTERS
from benchwright.stats.reference import NotReferenceError, agreeing, check
from tests.unit.stats.data import reference

CASES: list[dict[str, Any]] = reference()["cases"]
WILSON: dict[str, Any] = {
    "id": "w", "statistic": "wilson", "tol_abs": 1e-9,
    "inputs": {"successes": 0, "n": 1, "confidence": 0.95},
    "expected": {"low": 0.0, "high": 0.7934506856227627},
}  # fmt: skip
NOTHING: dict[str, Any] = {
    "id": "u", "statistic": "pass_at_k", "tol_abs": 0,
    "inputs": {"n": 3, "c": 0, "k": 5}, "expected": {"undefined": True},
}  # fmt: skip
RESTS: dict[str, Any] = {
    "id": "r", "statistic": "item_rest", "tol_abs": 0,
    "inputs": {"matrix_configs_by_tasks": [[1, 0, 1], [0, 1, 0]]},
    "expected": {"r": [None, -1.0, None]},
}  # fmt: skip


def disagreements(case: object) -> tuple[str, ...]:
    (checked,) = check({"cases": [case]})
    return checked.disagreements


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_reference_case(case: dict[str, Any]) -> None:
    assert disagreements(case) == ()


def test_every_statistic_has_a_case() -> None:
    assert {case["statistic"] for case in CASES} == set(ADAPTERS)
    assert len(CASES) == 138


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all numbers, flags and nulls."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, v in pairs for leaf in leaves(v, (*path, key))]
    return [path]


def altered(value: Any, tolerance: float) -> Any:
    """Another value: just out of the tolerance, the other flag, or a number for null."""
    if isinstance(value, bool) or value is None:
        return 0.5 if value is None else not value
    return value + tolerance * 2.01 + 1e-9


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_each_altered_value_is_noticed(case: dict[str, Any]) -> None:
    for path in leaves(case["expected"]):
        wrong = deepcopy(case)
        at = wrong["expected"]
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = altered(at[path[-1]], case["tol_abs"])
        assert disagreements(wrong), path


@pytest.mark.parametrize(
    ("case", "told"),
    [
        pytest.param({**WILSON, "statistic": "median"}, "unknown statistic 'median'", id="unknown"),
        pytest.param({**WILSON, "expected": {}}, "it expects nothing", id="empty"),
        pytest.param({**WILSON, "expected": None}, "it expects nothing", id="null"),
        pytest.param({**WILSON, "expected": {"low": 0.0}}, "high: 0.793", id="missing-key"),
        pytest.param(
            {**WILSON, "expected": {**WILSON["expected"], "se": 1}}, "se: not computed", id="extra-key"
        ),
        pytest.param({**WILSON, "expected": {"undefined": True}}, "expected undefined", id="defined"),
        pytest.param(
            {**NOTHING, "expected": {"undefined": True, "value": 0}},
            "value: expected of what is undefined",
            id="undefined-with-a-value",
        ),
        pytest.param(
            {**NOTHING, "expected": {"value": 1.0}}, "result: undefined (3 valid trials", id="undefined"
        ),
        pytest.param({**NOTHING, "expected": {"undefined": False}}, "undefined (3", id="not-undefined"),
        pytest.param(
            {**RESTS, "expected": {"r": [None, -1.0]}}, "r: 3 values, expected 2", id="shorter-list"
        ),
        pytest.param(
            {**RESTS, "expected": {"r": [0.0, -1.0, None]}}, "r[0]: undefined", id="zero-for-null"
        ),
        pytest.param({**WILSON, "tol_abs": None}, "tol_abs is None", id="no-tolerance"),
        pytest.param({**WILSON, "tol_abs": float("nan")}, "tol_abs is nan", id="nan-tolerance"),
        pytest.param({**WILSON, "tol_abs": float("inf")}, "tol_abs is inf", id="any-tolerance"),
        pytest.param(
            {**WILSON, "expected": {"low": float("nan"), "high": 0.7934506856227627}},
            "low: 0.0, expected nan",
            id="nan-expected",
        ),
        pytest.param({**WILSON, "expected": {"low": False, "high": 0.7934506856227627}}, "low", id="flag"),
        pytest.param({**WILSON, "tol_abs": 10**400}, "tol_abs is 1000", id="no-float-tolerance"),
        pytest.param(
            {**WILSON, "expected": {"low": 10**400, "high": 0.7934506856227627}},
            "low: 0.0, expected 1000",
            id="no-float-expected",
        ),
        pytest.param({**WILSON, "inputs": {}}, "cannot be computed: KeyError", id="no-inputs"),
        pytest.param(
            {**WILSON, "inputs": {"successes": 2, "n": 1, "confidence": 0.95}},
            "cannot be computed: ValueError: 2 successes of 1 trials",
            id="impossible-inputs",
        ),
        pytest.param("case", "unknown statistic", id="no-case"),
    ],
)  # fmt: skip
def test_what_disagrees_is_told(case: object, told: str) -> None:
    assert told in " ".join(disagreements(case))


@pytest.mark.parametrize(
    "document", [None, [], {}, {"cases": []}, {"cases": {}}, {"real_data": {}}]
)
def test_no_case_is_no_agreement(document: object) -> None:
    with pytest.raises(NotReferenceError, match="cases"):
        check(document)


def test_agreeing_cases_are_counted() -> None:
    assert agreeing(check({"cases": [WILSON, {**WILSON, "tol_abs": None}, NOTHING]})) == 2
