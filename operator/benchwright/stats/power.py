"""How many tasks or trials show a difference, and how small a difference they show.

Two questions that must not be mixed:

- Task composition: would the difference hold with other tasks? Needs tasks. `tasks_needed`,
  `detectable_difference`, `miller_tasks`, `miller_difference`.
- Run noise: is there a difference on these tasks? Needs trials. `trials_needed`,
  `detectable_run_noise`.

All tests are two-sided; `alpha` is the false-positive rate and `power` 1 - the false-negative one.
The standard deviation of observed differences holds the trial noise already: adding σ²/K to it
counts that twice (see `true_difference_variance`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite, isnan, sqrt
from statistics import NormalDist

from scipy.special import nctdtr

from benchwright.stats.runs import t_quantile
from benchwright.stats.values import ONE_TASK, Undefined

ALPHA = 0.05
POWER = 0.8
_NO_VARIANCE = Undefined("no-variance", "the differences do not vary")
_NO_NOISE = Undefined("no-variance", "no trial varies around its task's rate")


@dataclass(frozen=True, slots=True)
class TasksNeeded:
    """Numbers of tasks before rounding up."""

    normal: float
    t: float
    """By Student's t: the one to use below 60 tasks. At least 2."""

    @property
    def tasks(self) -> int:
        """By Student's t, rounded up."""
        return whole(self.t)


@dataclass(frozen=True, slots=True)
class Detectable:
    """Smallest detectable differences of rates."""

    normal: float
    t: float
    """By Student's t: the one to use below 60 tasks."""


def tasks_needed(
    sd_diff: float, delta: float, alpha: float = ALPHA, power: float = POWER
) -> TasksNeeded | Undefined:
    """Tasks for which a paired test finds a mean difference of `delta`.

    `sd_diff`: standard deviation of the differences of tasks. Undefined where it is 0.
    """
    z = _z(alpha, power)
    _positive(delta=delta)
    if not _variance(sd_diff):
        return _NO_VARIANCE
    normal = (z * sd_diff / delta) ** 2

    def reached(n: float) -> bool:
        return _t_power(n, delta / sd_diff, alpha) >= power

    return TasksNeeded(normal, _least(reached, 2.0))


def detectable_difference(
    sd_diff: float, tasks: int, alpha: float = ALPHA, power: float = POWER
) -> Detectable | Undefined:
    """Mean difference that a paired test of `tasks` tasks finds.

    Undefined for fewer than 2 tasks, and where `sd_diff` is 0.
    """
    z = _z(alpha, power)
    if tasks < 2:
        return ONE_TASK
    if not _variance(sd_diff):
        return _NO_VARIANCE
    effect = _least(lambda d: _t_power(tasks, d, alpha) >= power, 0.0)
    return Detectable(z * sd_diff / sqrt(tasks), effect * sd_diff)


def miller_tasks(
    omega2: float, sigma2_a: float, sigma2_b: float, k_a: int, k_b: int,
    delta: float, alpha: float = ALPHA, power: float = POWER,
) -> float | Undefined:  # fmt: skip
    """Tasks needed with `k_a` and `k_b` trials of each (Miller 2024, arXiv 2411.00640).

    `omega2`: variance of the difference of TRUE task rates; `sigma2_*`: variance of one trial
    around its task's rate, as `corpus.within_task_variance` gives it.
    """
    _positive(delta=delta)
    variance = _miller_variance(omega2, sigma2_a, sigma2_b, k_a, k_b)
    return (_z(alpha, power) / delta) ** 2 * variance if variance else _NO_VARIANCE


def miller_difference(
    omega2: float, sigma2_a: float, sigma2_b: float, k_a: int, k_b: int,
    tasks: int, alpha: float = ALPHA, power: float = POWER,
) -> float | Undefined:  # fmt: skip
    """Difference that `tasks` tasks detect; the other inputs are those of `miller_tasks`."""
    _positive(tasks=tasks)
    variance = _miller_variance(omega2, sigma2_a, sigma2_b, k_a, k_b)
    return _z(alpha, power) * sqrt(variance / tasks) if variance else _NO_VARIANCE


def true_difference_variance(
    observed: float, sigma2_a: float, sigma2_b: float, k_a: int, k_b: int
) -> float | Undefined:
    """ω²: the `observed` variance of differences of tasks without the trials' share of it.

    Undefined where the trials alone explain what was observed.
    """
    noise = _miller_variance(0.0, sigma2_a, sigma2_b, k_a, k_b)
    if not _variance(observed) or observed <= noise:
        return Undefined("no-true-variance", "the trials' noise explains all differences of tasks")
    return observed - noise


def trials_needed(
    sigma2_a: float, sigma2_b: float, tasks: int, delta: float,
    alpha: float = ALPHA, power: float = POWER,
) -> float | Undefined:  # fmt: skip
    """Trials of each agent at each task that show `delta` on these tasks: run noise alone."""
    _positive(tasks=tasks, delta=delta)
    variance = _variance(sigma2_a) + _variance(sigma2_b)
    return (_z(alpha, power) / delta) ** 2 * variance / tasks if variance else _NO_NOISE


def detectable_run_noise(
    sigma2_a: float, sigma2_b: float, tasks: int, trials: int,
    alpha: float = ALPHA, power: float = POWER,
) -> float | Undefined:  # fmt: skip
    """Difference on these tasks that `trials` trials a task show: run noise alone."""
    _positive(tasks=tasks, trials=trials)
    variance = _variance(sigma2_a) + _variance(sigma2_b)
    return _z(alpha, power) * sqrt(variance / (tasks * trials)) if variance else _NO_NOISE


def whole(number: float) -> int:
    """Tasks or trials, rounded up; what is over an integer by rounding alone is that integer."""
    return ceil(number - 1e-9 * max(1.0, abs(number)))


def _z(alpha: float, power: float) -> float:
    if not 0 < alpha < power < 1:
        raise ValueError(f"alpha {alpha} and power {power}: 0 < alpha < power < 1")
    return NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)


def _variance(value: float) -> float:
    if not (isfinite(value) and value >= 0):
        raise ValueError(f"a variance or deviation of {value}")
    return value


def _miller_variance(omega2: float, sigma2_a: float, sigma2_b: float, k_a: int, k_b: int) -> float:
    _positive(k_a=k_a, k_b=k_b)
    return _variance(omega2) + _variance(sigma2_a) / k_a + _variance(sigma2_b) / k_b


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (isfinite(value) and value > 0):
            raise ValueError(f"{name} is {value}: it is above 0")


def _t_power(n: float, effect: float, alpha: float) -> float:
    """Power of the two-sided paired t test of `n` pairs; `effect` = difference / deviation."""
    df, centre = n - 1, effect * sqrt(n)
    critical = t_quantile(1 - alpha / 2, df)
    far = float(nctdtr(df, centre, -critical))
    # Far in the tail scipy gives NaN for what is below any power that could matter.
    return 1 - float(nctdtr(df, centre, critical)) + (0.0 if isnan(far) else far)


def _least(reached: Callable[[float], bool], low: float) -> float:
    """Smallest number from `low` on for which `reached` holds; it holds for all larger ones."""
    if low and reached(low):
        return low
    high = max(1.0, low)
    while not reached(high):
        low, high = high, high * 2
        if high > 1e12:
            raise ValueError("the difference is too small to be planned for")
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
