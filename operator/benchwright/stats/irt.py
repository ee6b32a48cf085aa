"""Birnbaum's two-parameter logistic model: values only. Nothing here fits it.

With 134 agents some slopes of a fit still hit the bound of the fitting program, so a fit would be
a number that nobody should publish.
"""

from math import exp
from typing import NamedTuple

from benchwright.stats.values import finite


class Response(NamedTuple):
    """What the model says of one agent at one task."""

    p: float
    """Probability of success."""
    information: float
    """Fisher's, about the agent's ability."""


def two_parameter(theta: float, a: float, b: float) -> Response:
    """p = 1/(1+exp(-a(θ-b))) and a²p(1-p), for ability θ, discrimination `a` and difficulty `b`."""
    finite((theta, a, b))
    z = a * (theta - b)
    return Response(_logistic(z), a * a * _logistic(z) * _logistic(-z))


def _logistic(z: float) -> float:
    """Without overflow, however far from 0."""
    small = exp(-abs(z))
    return 1 / (1 + small) if z >= 0 else small / (1 + small)
