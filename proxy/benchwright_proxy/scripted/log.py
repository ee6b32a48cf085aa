"""What the scripted model says it claimed: a witness that is independent of the journal.

One JSON object a line in `scripted.jsonl`. `usage` is null where a fault keeps the answer from
claiming it, so the sums over this file must equal the journal's totals of known calls.
"""

import os
from pathlib import Path

from benchwright_proxy.jsonvalue import JsonObject, dump


class ScriptedLog:
    """Appends lines; each is one write, so a reader never sees half of one."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def write(self, line: JsonObject) -> None:
        os.write(self._fd, dump(line) + b"\n")

    def close(self) -> None:
        os.close(self._fd)
