"""Records what a provider answers while it passes."""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from benchwright_proxy.clock import Clock
from benchwright_proxy.dialect import Dialect
from benchwright_proxy.providers.base import Asked, BrokenReplyError, Provider, Reply, nothing

from .tape import Answer, Chunk, Tape, canonical, chunk, digest

log = logging.getLogger(__name__)


class Recorder:
    """A provider that is listened to."""

    def __init__(
        self,
        inner: Provider,
        tape: Tape,
        clock: Clock,
        secrets: Callable[[], Iterable[str]],
        ignore: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self.name = inner.name
        self._inner = inner
        self._tape = tape
        self._clock = clock
        self._secrets = secrets
        self._ignore = ignore
        self._numbers: Counter[tuple[str, str, str]] = Counter()

    def speaks(self, dialect: Dialect) -> bool:
        return self._inner.speaks(dialect)

    async def open(self, asked: Asked, on_sent: Callable[[], None] = nothing) -> Reply:
        reply = await self._inner.open(asked)
        request = canonical(asked, self._ignore)
        who = digest(request), asked.claims.trial, asked.claims.stage
        self._numbers[who] += 1
        answer = Answer(
            digest=who[0], trial=who[1], stage=who[2], number=self._numbers[who] - 1,
            request=request, status=reply.status, headers=reply.headers,
            request_id=reply.request_id, chunks=[],
        )  # fmt: skip
        return RecordedReply(reply, answer, self._tape, self._clock, list(self._secrets()))

    async def close(self) -> None:
        await self._inner.close()


class RecordedReply:
    """An answer that is written down when it has ended; one that nobody read to its end is not."""

    def __init__(
        self, inner: Reply, answer: Answer, tape: Tape, clock: Clock, secrets: list[str]
    ) -> None:
        self.status, self.headers, self.request_id = inner.status, inner.headers, inner.request_id
        self._inner, self._answer, self._tape = inner, answer, tape
        self._clock, self._secrets = clock, secrets
        self._came: list[Chunk] = []
        self._last = clock.monotonic()

    async def read(self) -> bytes:
        try:
            data = await self._inner.read()
        except BrokenReplyError:
            await self._keep(broken=True)
            raise
        if data:
            now = self._clock.monotonic()
            self._came.append(chunk(now - self._last, data, self._secrets))
            self._last = now
        else:
            await self._keep(broken=False)
        return data

    async def _keep(self, *, broken: bool) -> None:
        kept = self._answer.model_copy(update={"chunks": self._came, "broken": broken})
        try:
            await asyncio.to_thread(self._tape.write, kept)
        except OSError as error:
            log.error("cassette: an answer could not be recorded: %s", error)

    def close(self) -> None:
        self._inner.close()
