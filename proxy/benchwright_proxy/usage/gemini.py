"""Usage of Gemini's generateContent, streamed or not.

Prompt tokens include cached ones; what tools put into the prompt and what the model thought are
counted beside prompt and candidates, and the total is the sum of all four. Some servers count
thoughts among the candidates as well (headroomlabs-ai/headroom#2639): the total tells. Every event
of a stream may carry the sums so far: the last ones count. In JSON of protocol buffers a 0 is left
out, so where the total agrees what is not said is 0.
"""

import re
from typing import ClassVar

from msgspec.structs import replace

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_list, as_object, as_text

from . import modalities
from .record import UNKNOWN, Answer, Usage, source


def usage_of(said: JsonObject, *, final: bool) -> Usage:
    """The canonical usage of a `usageMetadata` object."""
    prompt, output = as_count(said.get("promptTokenCount")), _output(said)
    thoughts = as_count(said.get("thoughtsTokenCount"))
    tools = as_count(said.get("toolUsePromptTokenCount"))
    whole = None if prompt is None else prompt + (tools or 0)
    total = as_count(said.get("totalTokenCount"))
    written, notes = _written(whole, output, thoughts, total)
    read = as_count(said.get("cachedContentTokenCount"))
    if read is None and total is not None and not notes:
        read = 0
    return Usage(
        input_tokens=whole,
        input_uncached=None if whole is None or read is None or read > whole else whole - read,
        cache_read=read,
        cache_write=None if read is None else 0,  # caches are made by calls of their own
        output_tokens=written,
        reasoning_tokens=thoughts,
        source=source(final=final, input_tokens=whole, output_tokens=written),
        notes=notes,
        modalities=modalities.of_gemini(said),
    )


def _output(said: JsonObject) -> int | None:
    """Candidates; `responseTokenCount` is what some servers call them."""
    count = as_count(said.get("candidatesTokenCount"))
    return as_count(said.get("responseTokenCount")) if count is None else count


def _written(
    whole: int | None, output: int | None, thoughts: int | None, total: int | None
) -> tuple[int | None, tuple[str, ...]]:
    """All that was written, and what contradicts itself."""
    if whole is None or total is None:
        return (None if output is None else output + (thoughts or 0)), ()
    rest = total - whole
    apart = (output or 0) + (thoughts or 0)
    if rest == apart:
        return apart, ()
    if output is not None and thoughts and rest == output:
        return output, ("thoughts_inside_candidates",)
    return (None if output is None else apart), ("total_mismatch",)


def answer_of_body(body: Json) -> Answer:
    """What a response says: one object, or a stream's array of them."""
    chunks = as_list(body) or [body]
    reader = ContentStream()
    for chunk in chunks:
        reader.event("", chunk)
    return reader.answer(clean=True, whole=isinstance(body, dict))


class ContentStream:
    """Reads the events of a streamed answer."""

    telling: ClassVar[re.Pattern[bytes] | None] = None  # each says what was used so far

    def __init__(self) -> None:
        self._said: JsonObject = {}
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._error: str | None = None
        self._calls = 0
        self._searches: set[str] = set()

    def event(self, name: str, data: Json) -> bool:
        """Take one event. Never True: no event here carries nothing but usage."""
        top = as_object(data)
        self._said = as_object(top.get("usageMetadata")) or self._said
        self._model = as_text(top.get("modelVersion")) or self._model
        self._error = self._error or _error(top)
        blocked = as_text(as_object(top.get("promptFeedback")).get("blockReason"))
        self._stop_reason = blocked or self._stop_reason
        for candidate in as_list(top.get("candidates")):
            self._candidate(as_object(candidate))
        return False

    def _candidate(self, candidate: JsonObject) -> None:
        self._stop_reason = as_text(candidate.get("finishReason")) or self._stop_reason
        for part in as_list(as_object(candidate.get("content")).get("parts")):
            self._calls += "functionCall" in as_object(part)
        queries = as_list(as_object(candidate.get("groundingMetadata")).get("webSearchQueries"))
        self._searches.update(query for query in queries if isinstance(query, str))

    def done(self) -> None:
        """The stream said [DONE], as some imitations do after their last event."""

    def answer(self, *, clean: bool, whole: bool = False) -> Answer:
        """What was said; `clean` is whether the body ended as HTTP says it must, `whole` that it was
        no stream, which need not say why it ended."""
        ended = clean and (whole or self._stop_reason is not None)
        return Answer(
            usage=self._usage(final=ended),
            said=self._said,
            model=self._model,
            stop_reason=self._stop_reason,
            error=self._error,
            complete=ended,
            service_tier=as_text(self._said.get("trafficType")),
            tool_calls=self._calls,
        )

    def _usage(self, *, final: bool) -> Usage:
        usage = usage_of(self._said, final=final) if self._said else UNKNOWN
        if not self._searches:
            return usage
        return replace(usage, server_tools={"google_search": len(self._searches)})


def _error(top: JsonObject) -> str | None:
    error = top.get("error")
    if not error:
        return None
    return as_text(as_object(error).get("status")) or "error"
