"""From an agent's tree to an overlay, a patch and numbers (`take`); onto a fresh base (`apply`)."""

from .apply import ApplyResult, OverlayError, Refused, apply
from .baserepo import BaseError
from .git import GitError
from .limits import Limits
from .result import SnapshotResult
from .take import take

__all__ = [
    "ApplyResult",
    "BaseError",
    "GitError",
    "Limits",
    "OverlayError",
    "Refused",
    "SnapshotResult",
    "apply",
    "take",
]
