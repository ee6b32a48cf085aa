"""What was asked and answered, where a run wants it kept: bodies of calls, without secrets.

Usage is never lost for a trace: bodies wait in a bounded queue for a thread that writes them, and a
body that finds no room there is dropped and counted (BerriAI/litellm#38193). Each attempt has one
file of JSON lines, which the operator takes to the results service and then lets go.
"""

import contextlib
import errno
import hashlib
import json
import logging
import queue
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .bodyroom import BodyRoom
from .journal.records import Dispatch
from .jsonvalue import JsonObject, as_object, dump, parse
from .secretsout import scrubbed

log = logging.getLogger(__name__)

#: Bytes of a request or an answer that are kept at most, and that may wait to be written.
BODY_BYTES, QUEUE_BYTES = 4 * 2**20, 64 * 2**20
#: Of one attempt on the disk, which is that of the journal too, and is taken to the results service.
ATTEMPT_BYTES = 256 * 2**20
#: Of the disk, where usage is written: traces leave so much of it to the journal.
LEFT_BYTES = 512 * 2**20
#: Of all calls under way (bodyroom.py); one that finds no room is not kept.
CALLS_BYTES = 64 * 2**20

Key = tuple[str, int]


@dataclass(slots=True)
class Body:
    """The beginning of a body; `size` is that of all of it."""

    data: bytearray = field(default_factory=bytearray)
    size: int = 0

    def add(self, chunk: bytes) -> int:
        """Take a piece; how much of it is kept."""
        before = len(self.data)
        if before < BODY_BYTES:
            self.data += chunk[: BODY_BYTES - before]
        self.size += len(chunk)
        return len(self.data) - before

    def told(self, name: str, secrets: Iterable[str]) -> JsonObject:
        return {
            name: scrubbed(self.data.decode("utf-8", "replace"), secrets),
            f"{name}_size": self.size,
            f"{name}_truncated": self.size > len(self.data),
        }


@dataclass(slots=True)
class Trace:
    """One call's bodies, as they went out and came back. `lost`: there was no room for them."""

    key: Key
    call: str
    room: BodyRoom
    request: Body = field(default_factory=Body)
    response: Body = field(default_factory=Body)
    encoding: str = ""
    lost: bool = False

    def asked(self, body: bytes) -> None:
        """The body that went out."""
        self._took(self.request.add(body))

    def heard(self, chunk: bytes) -> None:
        """A piece of what came back."""
        if not self.lost:
            self._took(self.response.add(chunk))

    def _took(self, size: int) -> None:
        if not self.room.take(self.key[0], size):
            self.room.give(self.key[0], self.waiting - size)
            self.lost = True
            self.request, self.response = Body(), Body()

    @property
    def waiting(self) -> int:
        """Bytes that it takes while it waits."""
        return len(self.request.data) + len(self.response.data)


class Traces:
    """The files, and the thread that writes them."""

    def __init__(
        self,
        folder: Path,
        secrets: Callable[[], Iterable[str]] = tuple,
        queue_bytes: int = QUEUE_BYTES,
    ) -> None:
        """`secrets` are texts that are never kept, such as providers' keys."""
        self._folder = folder
        self._secrets = secrets
        self._limit = queue_bytes
        # Of calls under way.
        self._room = BodyRoom(CALLS_BYTES)
        self._queue: queue.SimpleQueue[Trace | threading.Event | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._queued = 0
        self._thread: threading.Thread | None = None
        self.kept = self.dropped = 0

    def begin(self, dispatch: Dispatch, body: bytes) -> Trace:
        """The trace of a call that goes out with `body`."""
        trace = Trace((dispatch.trial_uid, dispatch.attempt), dispatch.call, self._room)
        trace.asked(body)
        return trace

    def offer(self, trace: Trace) -> None:
        """Have a trace written, or count it as dropped."""
        trace.room.give(trace.key[0], trace.waiting)
        with self._lock:
            if trace.lost or self._queued + trace.waiting > self._limit:
                self.dropped += 1
                return
            self._queued += trace.waiting
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="traces", daemon=True)
            self._thread.start()
        self._queue.put(trace)

    def flush(self) -> None:
        """Wait until all that was offered is written."""
        if self._thread is not None:
            done = threading.Event()
            self._queue.put(done)
            done.wait()

    def close(self) -> None:
        """Write what waits, and end the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def merged(self, key: Key, calls: Iterable[JsonObject]) -> Iterator[bytes]:
        """Calls as JSON lines, each with its bodies where they were kept. Blocks: for a thread."""
        self.flush()
        where = self._where(key)
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(self._path(key).open("rb")) if where else None
            for call in calls:
                at = where.get(str(call.get("call")))
                bodies: JsonObject = {}
                if file is not None and at is not None:
                    file.seek(at)
                    bodies = as_object(parse(file.readline()))
                yield dump({**call, **bodies}) + b"\n"

    def forget(self, key: Key) -> None:
        """Let go of an attempt's bodies."""
        self.flush()
        self._path(key).unlink(missing_ok=True)

    def _where(self, key: Key) -> Mapping[str, int]:
        """Call → offset of its line."""
        found, offset = {}, 0
        with contextlib.suppress(FileNotFoundError), self._path(key).open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):  # or a crash tore it
                    found[json.loads(line[: line.index(b",")] + b"}")["call"]] = offset
                offset += len(line)
        return found

    def _path(self, key: Key) -> Path:
        name = hashlib.sha256(key[0].encode()).hexdigest()[:32]
        return self._folder / f"{name}-{key[1]}.jsonl"

    def _write_all(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, threading.Event):
                item.set()
                continue
            try:
                self._write(item)
                self.kept += 1
            except OSError as error:
                self.dropped += 1
                log.warning("a trace could not be written: %s", error.strerror)
            with self._lock:
                self._queued -= item.waiting

    def _write(self, trace: Trace) -> None:
        secrets = list(self._secrets())
        line: JsonObject = {"call": trace.call, **trace.request.told("request", secrets)}
        line |= {**trace.response.told("response", secrets), "response_encoding": trace.encoding}
        self._folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(self._folder).free < LEFT_BYTES:
            raise OSError(errno.ENOSPC, "what is left of the disk is the journal's")
        written = dump(line) + b"\n"
        with self._path(trace.key).open("ab") as file:
            if file.tell() + len(written) > ATTEMPT_BYTES:
                raise OSError(errno.EFBIG, f"more than {ATTEMPT_BYTES} bytes of one attempt")
            file.write(written)
