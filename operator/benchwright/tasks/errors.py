"""What is wrong with a task directory, where, and what to do."""


class TaskError(Exception):
    """One problem of one task; `where` names the task and file, `file` one in its directory."""

    def __init__(self, reason: str, where: str, message: str, *, file: str | None = None):
        super().__init__(f"{where}: {message}")
        self.reason = reason
        self.where = where
        self.message = message
        self.file = file
