"""The canonical usage of one call, and what else a response says about itself."""

from dataclasses import dataclass, field
from typing import Literal

from benchwright_proxy.jsonvalue import JsonObject

Source = Literal["provider", "partial", "unknown"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as its provider reported them. None: not said, which is never 0.

    `input_tokens` is all input; `input_uncached`, `cache_read` and `cache_write` are its parts.
    `output_tokens` includes `reasoning_tokens`. `source` is "provider" if these are the final
    figures, "partial" if the response ended before the provider gave them (what is there is what
    it had said until then), "unknown" if it said nothing. `notes` names contradictions found.
    """

    input_tokens: int | None = None
    input_uncached: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    source: Source = "unknown"
    notes: tuple[str, ...] = ()


UNKNOWN = Usage()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a response said: usage, `said` (the provider's own usage object, kept as evidence), the
    model that answered, why it stopped, the type of an error inside a response, and the service
    tier that was used (it decides the price). `complete` is whether the
    response reached its proper end."""

    usage: Usage = UNKNOWN
    said: JsonObject = field(default_factory=dict)
    model: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    complete: bool = False
    service_tier: str | None = None


def source(*, final: bool, input_tokens: int | None, output_tokens: int | None) -> Source:
    """How far figures can be trusted: final ones are whole only if both sums were said."""
    if input_tokens is None and output_tokens is None:
        return "unknown"
    return "provider" if final and None not in (input_tokens, output_tokens) else "partial"


def uncached(whole: int | None, read: int | None, write: int | None) -> int | None:
    """Input at full price, where all input includes the cached part; unknown unless that was said."""
    if whole is None or read is None:
        return None
    rest = whole - read - (write or 0)
    return rest if rest >= 0 else None


def reasoning_notes(reasoning: int | None, output: int | None) -> tuple[str, ...]:
    """Reasoning is a part of the output: more of it is a contradiction."""
    if reasoning is None or output is None or reasoning <= output:
        return ()
    return ("reasoning_exceeds_output",)
