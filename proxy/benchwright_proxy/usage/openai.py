"""Usage of OpenAI Chat Completions and of servers that imitate it.

Prompt tokens include cached and cache-written ones, completion tokens include reasoning. In a
stream the last `usage` that is not null counts, on whichever chunk it comes (BerriAI/litellm#36168:
not always the one without choices; vLLM repeats a running total on each): it is never summed.
"""

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_list, as_object, as_text

from .record import UNKNOWN, Answer, Usage, reasoning_notes, source, uncached


def usage_of(said: JsonObject, *, final: bool) -> Usage:
    """The canonical usage of a `usage` object."""
    prompt = as_count(said.get("prompt_tokens"))
    output = as_count(said.get("completion_tokens"))
    prompt_details = as_object(said.get("prompt_tokens_details"))
    read = as_count(prompt_details.get("cached_tokens"))
    write = as_count(prompt_details.get("cache_write_tokens"))
    total = as_count(said.get("total_tokens"))
    whole, notes = _whole_input(prompt, output, total, (read or 0) + (write or 0))
    reasoning = as_count(as_object(said.get("completion_tokens_details")).get("reasoning_tokens"))
    return Usage(
        input_tokens=whole,
        input_uncached=uncached(whole, read, write),
        cache_read=read,
        cache_write=write,
        output_tokens=output,
        reasoning_tokens=reasoning,
        source=source(final=final, input_tokens=whole, output_tokens=output),
        notes=notes + reasoning_notes(reasoning, output),
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
    )


def error_type(top: JsonObject) -> str | None:
    """The type of an error object, None if there is none."""
    error = top.get("error")
    if not error:
        return None
    fields = as_object(error)
    return as_text(fields.get("type")) or as_text(fields.get("code")) or "error"


class ChatStream:
    """Reads the events of a streamed chat completion."""

    def __init__(self) -> None:
        self._said: JsonObject = {}
        self._model: str | None = None
        self._stop_reason: str | None = None
        self._error: str | None = None
        self._service_tier: str | None = None
        self._done = False
        self._final_usage = False

    def event(self, name: str, data: Json) -> bool:
        """Take one event; True if it is the chunk that carries nothing but usage."""
        top = as_object(data)
        choices = as_list(top.get("choices"))
        self._model = self._model or as_text(top.get("model"))
        self._error = self._error or error_type(top)
        self._service_tier = as_text(top.get("service_tier")) or self._service_tier
        for choice in choices:
            self._stop_reason = as_text(as_object(choice).get("finish_reason")) or self._stop_reason
        said = as_object(top.get("usage"))
        if not said:
            return False
        self._said = said
        usage_only = top.get("choices") == []
        self._final_usage |= usage_only
        return usage_only

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
        )
