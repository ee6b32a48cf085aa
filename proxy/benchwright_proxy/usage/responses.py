"""Usage of OpenAI Responses and of servers that imitate it.

Input tokens include cached and cache-written ones, output tokens include reasoning. In a stream only
the response object of the last event (completed, incomplete or failed) has them; there is no [DONE],
and the events before carry `usage: null`. A response that failed before it wrote anything says none.
"""

import re
from collections import Counter
from typing import ClassVar

from msgspec.structs import replace

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_list, as_object, as_text

from . import modalities
from .openai import error_type, written
from .record import UNKNOWN, Answer, Usage, reasoning_notes, source, uncached

#: Output items that ask the agent to run something, and those that the provider has run.
_CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call"}
)
_SERVER_TOOLS = {
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
}

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


def usage_of(said: JsonObject, *, final: bool) -> Usage:
    """The canonical usage of a `usage` object."""
    whole, output = as_count(said.get("input_tokens")), as_count(said.get("output_tokens"))
    details = as_object(said.get("input_tokens_details"))
    read, write = as_count(details.get("cached_tokens")), written(details)
    output_details = as_object(said.get("output_tokens_details"))
    reasoning = as_count(output_details.get("reasoning_tokens"))
    return Usage(
        input_tokens=whole,
        input_uncached=uncached(whole, read, write.whole),
        cache_read=read,
        cache_write=write.whole,
        output_tokens=output,
        reasoning_tokens=reasoning,
        source=source(final=final, input_tokens=whole, output_tokens=output),
        notes=write.notes + _total_notes(said, whole, output) + reasoning_notes(reasoning, output),
        cache_write_by=write.by,
        modalities=modalities.of_openai(details, output_details),
    )


def _total_notes(said: JsonObject, whole: int | None, output: int | None) -> tuple[str, ...]:
    """Whether the provider's own sum is another one."""
    total = as_count(said.get("total_tokens"))
    if whole is None or output is None or total is None or total == whole + output:
        return ()
    return ("total_mismatch",)


def answer_of_body(body: Json) -> Answer:
    """What a response without streaming says."""
    return _answer(as_object(body), complete=True)


def _answer(response: JsonObject, *, complete: bool, error: str | None = None) -> Answer:
    said = as_object(response.get("usage"))
    kinds = [as_text(as_object(item).get("type")) for item in as_list(response.get("output"))]
    usage = usage_of(said, final=complete) if said else UNKNOWN
    return Answer(
        usage=replace(usage, server_tools=_server_tools(kinds)),
        said=said,
        model=as_text(response.get("model")),
        stop_reason=_stop_reason(response),
        error=error or error_type(response),
        complete=complete,
        service_tier=as_text(response.get("service_tier")),
        tool_calls=sum(kind in _CALLS for kind in kinds) if complete else None,
    )


def _server_tools(kinds: list[str | None]) -> dict[str, int]:
    return dict(Counter(_SERVER_TOOLS[kind] for kind in kinds if kind in _SERVER_TOOLS))


def _stop_reason(response: JsonObject) -> str | None:
    """Why it is incomplete, where it is; else its status."""
    why = as_text(as_object(response.get("incomplete_details")).get("reason"))
    return why or as_text(response.get("status"))


class ResponseStream:
    """Reads the events of a streamed response."""

    telling: ClassVar[re.Pattern[bytes] | None] = re.compile(rb'"response"\s*:|error')

    def __init__(self) -> None:
        self._response: JsonObject = {}
        self._ended = False
        self._error: str | None = None

    def event(self, name: str, data: Json) -> bool:
        """Take one event. Never True: no event here carries nothing but usage."""
        top = as_object(data)
        kind = as_text(top.get("type")) or name
        if kind == "error":
            nested = as_object(top.get("error"))
            self._error = as_text(nested.get("type")) or as_text(top.get("code")) or "error"
        elif kind.startswith("response.") and isinstance(top.get("response"), dict):
            self._ended |= kind in _ENDS
            self._response = as_object(top["response"])
        return False

    def done(self) -> None:
        """The stream said [DONE], as some imitations do after their last event."""

    def answer(self, *, clean: bool) -> Answer:
        """What was said; `clean` is whether the body ended as HTTP says it must."""
        response = self._response
        if not self._ended:
            # Its status is then that of a response that is being made: no reason to have stopped.
            response = {key: value for key, value in response.items() if key != "status"}
        return _answer(response, complete=self._ended, error=self._error)
