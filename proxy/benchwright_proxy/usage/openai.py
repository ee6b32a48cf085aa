"""Usage of OpenAI Chat Completions and of servers that imitate it.

Prompt tokens include cached and cache-written ones, completion tokens include reasoning. In a
stream the last `usage` that is not null counts, on whichever chunk it comes (BerriAI/litellm#36168:
not always the one without choices; vLLM repeats a running total on each): it is never summed.
"""

import re
from collections.abc import Mapping
from typing import ClassVar

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_list, as_object, as_text

from . import modalities
from .record import (
    UNKNOWN,
    Answer,
    CacheWrite,
    Lifetime,
    Usage,
    cache_write,
    reasoning_notes,
    source,
    uncached,
)

_LIFETIMES: Mapping[str, Lifetime] = {"ttl_30m_tokens": "30m", "ttl_12h_tokens": "12h"}


def usage_of(said: JsonObject, *, final: bool) -> Usage:
    """The canonical usage of a `usage` object."""
    prompt = as_count(said.get("prompt_tokens"))
    output = as_count(said.get("completion_tokens"))
    prompt_details = as_object(said.get("prompt_tokens_details"))
    read = as_count(prompt_details.get("cached_tokens"))
    write = written(prompt_details)
    total = as_count(said.get("total_tokens"))
    whole, notes = _whole_input(prompt, output, total, (read or 0) + (write.whole or 0))
    output_details = as_object(said.get("completion_tokens_details"))
    reasoning = as_count(output_details.get("reasoning_tokens"))
    return Usage(
        input_tokens=whole,
        input_uncached=uncached(whole, read, write.whole),
        cache_read=read,
        cache_write=write.whole,
        output_tokens=output,
        reasoning_tokens=reasoning,
        source=source(final=final, input_tokens=whole, output_tokens=output),
        notes=write.notes + notes + reasoning_notes(reasoning, output),
        cache_write_by=write.by,
        modalities=modalities.of_openai(prompt_details, output_details),
    )


def written(details: JsonObject) -> CacheWrite:
    """Tokens written to the cache, of a details object (Responses has the same)."""
    return cache_write(
        as_count(details.get("cache_write_tokens")),
        as_object(details.get("cache_write_tokens_details")),
        _LIFETIMES,
    )


def _whole_input(
    prompt: int | None, output: int | None, total: int | None, cached: int
) -> tuple[int | None, tuple[str, ...]]:
    """All input tokens. Some servers leave cached ones out of the prompt but count them in the
    total (Portkey-AI/gateway#1754): the total decides."""
    if prompt is None or output is None or total is None or total == prompt + output:
        return prompt, ()
    if cached and total == prompt + output + cached:
        return prompt + cached, ("prompt_excluded_cache",)
    return prompt, ("total_mismatch",)


def answer_of_body(body: Json) -> Answer:
    """What a response without streaming says."""
    top = as_object(body)
    choices = as_list(top.get("choices"))
    said = as_object(top.get("usage"))
    return Answer(
        usage=usage_of(said, final=True) if said else UNKNOWN,
        said=said,
        model=as_text(top.get("model")),
        stop_reason=as_text(as_object(choices[0]).get("finish_reason")) if choices else None,
        error=error_type(top),
        complete=True,
        service_tier=as_text(top.get("service_tier")),
        fingerprint=as_text(top.get("system_fingerprint")),
        tool_calls=sum(_calls(as_object(as_object(c).get("message"))) for c in choices),
    )


def _calls(message: JsonObject) -> int:
    return len(as_list(message.get("tool_calls"))) + bool(message.get("function_call"))


def error_type(top: JsonObject) -> str | None:
    """The type of an error object, None if there is none."""
    error = top.get("error")
    if not error:
        return None
    fields = as_object(error)
    return as_text(fields.get("type")) or as_text(fields.get("code")) or "error"


class ChatStream:
    """Reads the events of a streamed chat completion."""

    telling: ClassVar[re.Pattern[bytes] | None] = re.compile(
        rb'"(?:usage|error|finish_reason|service_tier)"\s*:\s*[^n\s]|"tool_calls"|\[DONE\]'
    )

    def __init__(self) -> None:
        self._said: JsonObject = {}
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._error: str | None = None
        self._service_tier: str | None = None
        self._done = False
        self._final_usage = False
        self._fingerprint: str | None = None
        self._calls: set[tuple[int, int]] = set()

    def event(self, name: str, data: Json) -> bool:
        """Take one event; True if it is the chunk that carries nothing but usage."""
        top = as_object(data)
        choices = as_list(top.get("choices"))
        self._model = self._model or as_text(top.get("model"))
        self._error = self._error or error_type(top)
        self._fingerprint = as_text(top.get("system_fingerprint")) or self._fingerprint
        self._service_tier = as_text(top.get("service_tier")) or self._service_tier
        for choice in choices:
            self._choice(as_object(choice))
        said = as_object(top.get("usage"))
        if not said:
            return False
        self._said = said
        usage_only = top.get("choices") == []
        self._final_usage |= usage_only
        return usage_only

    def _choice(self, choice: JsonObject) -> None:
        self._stop_reason = as_text(choice.get("finish_reason")) or self._stop_reason
        for call in as_list(as_object(choice.get("delta")).get("tool_calls")):
            which = as_count(choice.get("index")), as_count(as_object(call).get("index"))
            self._calls.add((which[0] or 0, which[1] or 0))

    def done(self) -> None:
        """The stream said [DONE]."""
        self._done = True

    def answer(self, *, clean: bool) -> Answer:
        """What was said; `clean` is whether the body ended as HTTP says it must."""
        ended = self._done or (clean and self._stop_reason is not None)
        final = self._final_usage or (ended and self._error is None)
        return Answer(
            usage=usage_of(self._said, final=final) if self._said else UNKNOWN,
            said=self._said,
            model=self._model,
            stop_reason=self._stop_reason,
            error=self._error,
            complete=ended,
            service_tier=self._service_tier,
            fingerprint=self._fingerprint,
            tool_calls=len(self._calls),
        )
