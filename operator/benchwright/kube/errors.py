"""What the API server refused, with its own words."""

_SOONEST = 0.1
"""A Retry-After of 0 is no invitation to hammer."""


class ApiError(Exception):
    """An answer that is not a success."""

    def __init__(self, status: int, reason: str, message: str, retry_after: float | None = None):
        super().__init__(f"{status} {reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after = retry_after

    @property
    def come_back(self) -> float | None:
        """Seconds after which the server, busy now, asks to be called again."""
        if self.status not in {429, 503} or self.retry_after is None:
            return None
        return max(_SOONEST, self.retry_after)

    @property
    def not_found(self) -> bool:
        return self.status == 404

    @property
    def already_exists(self) -> bool:
        return self.status == 409 and self.reason == "AlreadyExists"

    @property
    def conflict(self) -> bool:
        return self.status == 409 and self.reason != "AlreadyExists"

    @property
    def gone(self) -> bool:
        return self.status == 410

    @property
    def over_quota(self) -> bool:
        return self.status == 403 and "exceeded quota" in self.message

    @property
    def impossible(self) -> bool:
        """This object will never be taken, whoever asks."""
        return self.status in {400, 413, 422}

    @property
    def passing(self) -> bool:
        """Says nothing of the object: the same request may be taken a moment later."""
        return self.status in {429, 503, 504} or self.conflict

    @property
    def rejected(self) -> bool:
        """Neither this object nor, by the policies that there are, one like it is admitted."""
        return self.impossible or (self.status == 403 and not self.over_quota)
