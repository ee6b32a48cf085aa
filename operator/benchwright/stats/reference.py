"""Checks the statistics against a file of reference cases: inputs, expected outputs, tolerance.

A file is {"cases": [{"id", "statistic", "inputs", "expected", "tol_abs"}, …], "real_data": {…}}.
`expected` of {"undefined": true}, and null in it, want `Undefined`. An expected output that a
statistic does not compute, a computed one that is not expected (unless it is Undefined), and an
unknown statistic are disagreements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeGuard

from benchwright.stats.adapters import ADAPTERS
from benchwright.stats.values import Undefined
from benchwright.stats.wholesets import NOT_COMPUTED, SETS, Rows

WHOLE_SET_TOLERANCE = 1e-9
_SHOWN = 200
_LARGEST = 10**300
_UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What inputs of the wrong shape raise."""


class NotReferenceError(ValueError):
    """The document has no cases."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One case, and what disagrees in it: a sentence for each value."""

    case: str
    statistic: str
    disagreements: tuple[str, ...]


def check(document: object) -> list[Checked]:
    """All cases in their order. Raises NotReferenceError where `document` holds none."""
    cases = document.get("cases") if isinstance(document, Mapping) else None
    if not isinstance(cases, list) or not cases:
        raise NotReferenceError('it has no list of "cases"')
    return [_check(case, position) for position, case in enumerate(cases, 1)]


def check_whole_sets(document: object, tables: Mapping[str, Rows]) -> list[Checked]:
    """The sets of `real_data` whose tables are given, each as one case.

    `tables`: name of the set → its rows. Raises NotReferenceError where the document lacks one.
    """
    real = document.get("real_data") if isinstance(document, Mapping) else None
    checked = []
    for name, rows in tables.items():
        wanted = real.get(name) if isinstance(real, Mapping) else None
        if not isinstance(wanted, Mapping):
            raise NotReferenceError(f'its "real_data" says nothing of {name}')
        checked.append(Checked(f"real_data.{name}", name, tuple(_whole_set(name, rows, wanted))))
    return checked


def compare(found: object, expected: object, tolerance: float, at: str = "") -> list[str]:
    """What differs between a computed and an expected value: numbers, flags, lists and mappings."""
    if expected is None:
        if isinstance(found, Undefined):
            return []
        return [f"{at}: {_shown(found)}, expected undefined"]
    if isinstance(found, Undefined):
        return [f"{at}: undefined ({found.reason}), expected {_shown(expected)}"]
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return _compare_keys(found, expected, tolerance, at)
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return [f"{at}: {len(found)} values, expected {len(expected)}"]
        both = enumerate(zip(found, expected, strict=True))
        return [d for i, (f, e) in both for d in compare(f, e, tolerance, f"{at}[{i}]")]
    if _agree(found, expected, tolerance):
        return []
    return [f"{at}: {_shown(found)}, expected {_shown(expected)} ± {tolerance:g}"]


def _check(case: object, position: int) -> Checked:
    given: Mapping[str, Any] = case if isinstance(case, Mapping) else {}
    statistic = str(given.get("statistic"))
    name = str(given.get("id") or f"case {position}")
    return Checked(name, statistic, tuple(_disagreements(given, statistic)))


def _disagreements(case: Mapping[str, Any], statistic: str) -> list[str]:
    expected, tolerance = case.get("expected"), case.get("tol_abs")
    if statistic not in ADAPTERS:
        return [f"unknown statistic {_shown(statistic)}"]
    if not isinstance(expected, Mapping) or not expected:
        return ["it expects nothing"]
    if not _is_number(tolerance) or not (isfinite(tolerance) and tolerance >= 0):
        return [f"tol_abs is {_shown(tolerance)}: a number from 0 on"]
    try:
        found = ADAPTERS[statistic](case["inputs"])
    except _UNREADABLE as error:
        return [f"cannot be computed: {type(error).__name__}: {error}"]
    if expected.get("undefined") is True:
        extra = [f"{key}: expected of what is undefined" for key in expected if key != "undefined"]
        return extra or compare(found, None, tolerance, "result")
    return compare(found, expected, tolerance, "result" if isinstance(found, Undefined) else "")


def _whole_set(name: str, rows: Rows, wanted: Mapping[str, Any]) -> list[str]:
    compared = {key: value for key, value in wanted.items() if key not in NOT_COMPUTED}
    try:
        found = SETS[name][1](rows, wanted)
    except _UNREADABLE as error:
        return [f"cannot be computed: {type(error).__name__}: {error}"]
    return compare(found, compared, WHOLE_SET_TOLERANCE)


def _compare_keys(
    found: Mapping[str, Any], expected: Mapping[str, Any], tolerance: float, at: str
) -> list[str]:
    prefix = f"{at}." if at else ""
    unknown = [f"{prefix}{key}: not computed" for key in expected if key not in found]
    unasked = [
        f"{prefix}{key}: {_shown(value)}, expected nothing"
        for key, value in found.items()
        if key not in expected and not isinstance(value, Undefined)
    ]
    shared = [key for key in expected if key in found]
    differ = [
        d for key in shared for d in compare(found[key], expected[key], tolerance, f"{prefix}{key}")
    ]
    return unknown + unasked + differ


def _agree(found: object, expected: object, tolerance: float) -> bool:
    """Numbers within the tolerance; everything else, flags too, only if the same."""
    if _is_number(found) and _is_number(expected):
        return abs(found - expected) <= tolerance
    return type(found) is type(expected) and found == expected


def _is_number(value: object) -> TypeGuard[int | float]:
    # JSON has integers that no float can hold; they are no numbers here.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) <= _LARGEST


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def agreeing(checked: Sequence[Checked]) -> int:
    return sum(not c.disagreements for c in checked)
