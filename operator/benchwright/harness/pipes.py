"""Logs of the main container through named pipes, capped while they are read.

An agent may print gigabytes: the head and the tail are kept, the rest is counted and dropped, and
nothing is ever written to the node's disk.
"""

import os
import selectors
from collections import deque
from pathlib import Path

HEAD_BYTES = 512 * 1024
TAIL_BYTES = 512 * 1024
_CHUNK = 64 * 1024


class CappedLog:
    """The first and last bytes of a stream, and how many there were."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES):
        self._head_limit, self._tail_limit = head, tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def write(self, data: bytes) -> None:
        self.total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        rest = data[room:] if room > 0 else data
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._tail_size -= len(self._tail.popleft())

    def text(self) -> bytes:
        """What is kept, with a line that says how much is missing."""
        tail = b"".join(self._tail)[-self._tail_limit :] if self._tail_limit else b""
        missing = self.total - len(self._head) - len(tail)
        note = f"\n[benchwright: {missing} bytes left out]\n".encode() if missing > 0 else b""
        return bytes(self._head) + note + tail

    def last(self, size: int) -> str:
        """The end, for messages."""
        data = (bytes(self._head) + b"".join(self._tail))[-size:]
        return data.decode("utf-8", "replace").replace("\0", "�").strip()


class Pipes:
    """Named pipes in a folder, each read into a capped log."""

    def __init__(self, folder: Path, names: list[str]):
        self.logs = {name: CappedLog() for name in names}
        self._selector = selectors.DefaultSelector()
        for name in names:
            path = folder / name
            os.mkfifo(path, 0o666)
            # Read and write, so that the pipe has no end as long as we want to read on.
            descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
            self._selector.register(descriptor, selectors.EVENT_READ, name)

    def pump(self, timeout: float) -> bool:
        """Read what is there; False where there was nothing within `timeout` seconds."""
        ready = self._selector.select(timeout)
        for key, _ in ready:
            try:
                self.logs[key.data].write(os.read(key.fd, _CHUNK))
            except BlockingIOError:
                continue
        return bool(ready)

    def drain(self, rounds: int = 4096) -> None:
        """What is left in the pipes, after all writers are gone."""
        for _ in range(rounds):
            if not self.pump(0):
                return
