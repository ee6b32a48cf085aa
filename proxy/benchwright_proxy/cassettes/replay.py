"""Plays a cassette in a provider's place: strictly, a request that was not recorded is an error."""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Sequence

from benchwright_proxy.dialect import Dialect
from benchwright_proxy.providers.base import Asked, BrokenReplyError, Reply, final_error, nothing

from .tape import Answer, Tape, canonical, digest

log = logging.getLogger(__name__)


class Player:
    """Answers the n-th time that an attempt asks something with the n-th answer that was recorded of
    its trial and stage, else with the n-th of any."""

    def __init__(
        self,
        name: str,
        dialect: Dialect,
        tape: Tape,
        *,
        paced: bool,
        ignore: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self.name = name
        self._dialect = dialect
        self._tape = tape
        self._paced = paced
        self._ignore = ignore
        self._asked: Counter[tuple[str, int, str, str]] = Counter()

    def speaks(self, dialect: Dialect) -> bool:
        return dialect is self._dialect

    async def open(self, asked: Asked, on_sent: Callable[[], None] = nothing) -> Reply:
        request, claims = canonical(asked, self._ignore), asked.claims
        name = digest(request)
        who = claims.trial_uid, claims.attempt, claims.stage, name
        try:
            answers = await asyncio.to_thread(self._tape.answers, name)
        except ValueError as error:
            return _miss(
                asked.dialect, f"the cassette's answer {name[:12]} cannot be read: {error}"
            )
        mine = [a for a in answers if (a.trial, a.stage) == (claims.trial, claims.stage)] or answers
        number = self._asked[who]
        self._asked[who] += 1
        if number >= len(mine):
            await asyncio.to_thread(self._tape.missed, name, request)
            times = f"its answer number {number + 1}" if mine else "an answer"
            message = f"the cassette has not {times} to this request ({name[:12]}): record it again"
            log.warning("provider %s: %s", self.name, message)
            return _miss(asked.dialect, message)
        return PlayedReply(mine[number], paced=self._paced)

    async def close(self) -> None:
        """Nothing to let go of."""


class PlayedReply:
    """A recorded answer, at the pace at which it came or at once."""

    def __init__(self, answer: Answer, *, paced: bool) -> None:
        self.status, self.headers = answer.status, dict(answer.headers)
        self.request_id = answer.request_id
        self._paced, self._broken = paced, answer.broken
        self._chunks = iter(answer.chunks)

    async def read(self) -> bytes:
        for chunk in self._chunks:
            if self._paced:
                await asyncio.sleep(chunk.after)
            if content := chunk.content():
                return content
        if self._broken:
            raise BrokenReplyError("the recorded answer ended here")
        return b""

    def close(self) -> None:
        """Nothing to hang up."""


def _miss(dialect: Dialect, message: str) -> Reply:
    return final_error(dialect, 404, "not_found_error", message)
