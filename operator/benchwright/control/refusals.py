"""The API server's errors as the rules see them."""

from benchwright.core.refusal import Refusal
from benchwright.kube.errors import ApiError

TRIAL_PAUSE = (1.0, 60.0)
"""First and longest pause of a run whose trials are refused."""
POD_PAUSE = (1.0, 10.0)
"""Shorter: a quota gets room whenever some other trial's pod has ended."""


def refused_trial(error: ApiError, name: str) -> Refusal:
    """A policy may be mended while the run waits; a trial that does not fit stays as it is."""
    return _refusal(f"Trial {name}", error, final=error.impossible)


def refused_pod(error: ApiError, name: str) -> Refusal:
    """A forbidden pod ends its trial (operators.md 1.5): its security context will not change."""
    return _refusal(f"pod {name}", error, final=error.rejected)


def _refusal(what: str, error: ApiError, *, final: bool) -> Refusal:
    return Refusal(
        what, str(error), final=final, quota=error.over_quota, forbidden=error.status == 403
    )
