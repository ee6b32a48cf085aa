"""The one error of this tool: what is wrong, and what to do about it."""


class ClusterError(Exception):
    """Shown to the user as it is, without a stack trace."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  → {self.hint}" if self.hint else self.message
