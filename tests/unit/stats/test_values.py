"""Undefined values, intervals and counts; and what the light modules import."""

import subprocess
import sys

import pytest

from benchwright.stats.values import Count, Interval, Uncertainty, Undefined, finite

LIGHT = [
    "stats.values", "stats.proportions", "stats.passes", "stats.cells", "stats.sets",
    "stats.pareto", "stats.corpus", "stats.spread", "reports.summary", "cli.stats",
]  # fmt: skip


def test_nobody_asks_whether_a_statistic_is_true() -> None:
    """deepeval#2967: `if score:` made pass@k of 0 an unknown one."""
    with pytest.raises(TypeError, match="isinstance"):
        bool(Undefined("no-trials", "no valid trial"))


def test_a_rate_without_trials_is_unknown_and_without_success_is_zero() -> None:
    assert Count(0, 0).rate == Undefined("no-trials", "no valid trial")
    assert Count(5, 0).rate == 0.0


@pytest.mark.parametrize("ends", [(1.0, 0.0), (float("nan"), 1.0), (0.0, float("nan"))])
def test_an_interval_has_its_ends_in_order(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="an interval from"):
        Interval(*ends, Uncertainty.CELL)


@pytest.mark.parametrize(("value", "inside"), [(0.2, True), (0.5, True), (0.51, False)])
def test_an_interval_contains_its_ends(value: float, inside: bool) -> None:
    assert Interval(0.2, 0.5, Uncertainty.CELL).contains(value) is inside


def test_a_missing_value_is_not_nan() -> None:
    with pytest.raises(ValueError, match="value 1 is nan"):
        finite([0.5, float("nan")])


@pytest.mark.parametrize("module", LIGHT)
def test_the_light_modules_import_neither_scipy_nor_numpy(module: str) -> None:
    code = f"import sys, benchwright.{module}; print(*({{'scipy', 'numpy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
