"""Model calls of a trial on its page: a row for each, and what was said where it was kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.reports.calls import CallsError, ModelCall, parse
from benchwright.web.files import LOST
from benchwright.web.ports import Evidence, FileRow
from benchwright.web.text import cut

NAME = "calls.jsonl"
FILE_BYTES = 8 * 2**20
SHOWN_CALLS, SHOWN_BODIES = 500, 60
BODY_CHARACTERS = 6000


@dataclass(frozen=True, slots=True)
class CallView:
    """A call, and the end of its request (what is new in it) and of its answer as text."""

    call: ModelCall
    request: str | None
    response: str | None


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """The calls of one attempt."""

    file: FileRow
    calls: Sequence[CallView]
    notes: Sequence[str]


async def transcripts(evidence: Evidence, files: Sequence[FileRow]) -> list[TranscriptView]:
    """Of each attempt that called a model, the last first."""
    mine = sorted((f for f in files if f.name == NAME), key=lambda f: -f.attempt)
    return [await _transcript(evidence, f) for f in mine]


async def _transcript(evidence: Evidence, file: FileRow) -> TranscriptView:
    try:
        data = await evidence.part(file, 0, FILE_BYTES)
    except FileNotFoundError:
        return TranscriptView(file, (), (LOST,))
    whole, notes = file.size <= len(data), []
    lines = data.splitlines() if whole else data.splitlines()[:-1]
    try:
        found = list(parse(lines))
    except CallsError as error:
        return TranscriptView(file, (), (f"The stored calls cannot be read: {error}.",))
    if not whole or len(found) > SHOWN_CALLS:
        notes.append(f"Only the first {min(len(found), SHOWN_CALLS)} calls are shown here.")
    if len(found) > SHOWN_BODIES and found[0].request is not None:
        notes.append(f"What was said is shown of the first {SHOWN_BODIES} calls.")
    views = [_view(c, shown=n < SHOWN_BODIES) for n, c in enumerate(found[:SHOWN_CALLS])]
    return TranscriptView(file, views, notes)


def _view(call: ModelCall, *, shown: bool) -> CallView:
    if not shown:
        return CallView(call, None, None)
    return CallView(call, _end(call.request), _end(call.response))


def _end(text: str | None) -> str | None:
    """What is new in a request stands at its end, and so do an answer's last words and its usage."""
    if text is None:
        return None
    text = _readable(text)
    left = "" if len(text) <= BODY_CHARACTERS else f"[{len(text) - BODY_CHARACTERS} characters]\n"
    return left + "\n".join(cut(line) for line in text[-BODY_CHARACTERS:].split("\n"))


def _readable(text: str) -> str:
    """JSON with a line for each value; anything else, a stream or a cut body, as it came."""
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
