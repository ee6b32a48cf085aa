"""The API server's errors as the rules see them."""

from benchwright.core.refusal import Refusal
from benchwright.kube.errors import ApiError

TRIAL_PAUSE = (1.0, 60.0)
"""First and longest pause of a run whose trials are refused."""
POD_PAUSE = (1.0, 10.0)
"""Shorter: a quota gets room whenever some other trial's pod has ended."""


def refused_trial(error: ApiError, name: str) -> Refusal:
    """A policy may be mended while the run waits; a trial that does not fit stays as it is."""
    return Refusal(
        f"Trial {name}", str(error), final=error.impossible, quota=error.over_quota,
        forbidden=error.status == 403,
    )  # fmt: skip


def refused_pod(error: ApiError, name: str) -> Refusal:
    """A forbidden pod ends its trial (operators.md 1.5): its security context will not change."""
    return Refusal(
        f"pod {name}", str(error), final=error.rejected, quota=error.over_quota,
        forbidden=error.status == 403,
    )  # fmt: skip
