"""The canonical usage of one call, and what else a response says about itself."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from benchwright_proxy.jsonvalue import JsonObject, as_count

Source = Literal["provider", "partial", "unknown"]
#: How long what was written to a cache is kept there; its price depends on it.
Lifetime = Literal["5m", "30m", "1h", "12h"]


class Usage(Struct, frozen=True):
    """Tokens of one call as its provider reported them. None: not said, which is never 0.

    `input_tokens` is all input; `input_uncached`, `cache_read` and `cache_write` are its parts, and
    `cache_write_by` is `cache_write` by lifetime where that was said. `output_tokens` includes
    `reasoning_tokens`. `server_tools` counts what the provider ran by itself and may bill (searches
    and the like), `modalities` the tokens that are no text (modalities.py) and are in the sums too.
    `source` is "provider" if these are the final figures, "partial" if the response ended before the
    provider gave them (what is there is what it had said until then), "unknown" if it said nothing.
    `notes` names contradictions found.
    """

    input_tokens: int | None = None
    input_uncached: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    source: Source = "unknown"
    notes: tuple[str, ...] = ()
    cache_write_by: Mapping[Lifetime, int] = field(default_factory=dict)
    server_tools: Mapping[str, int] = field(default_factory=dict)
    modalities: Mapping[str, int] = field(default_factory=dict)


UNKNOWN = Usage()


class Answer(Struct, frozen=True):
    """What a response said: usage, `said` (the provider's own usage object, kept as evidence), the
    model that answered and the `fingerprint` of its system, why it stopped, the type of an error
    inside a response, and what decides the price: service tier, speed and region. `tool_calls` is
    how many tools it asked the agent to run, None where that is not known. `complete` is whether the
    response reached its proper end."""

    usage: Usage = UNKNOWN
    said: JsonObject = field(default_factory=dict)
    model: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    complete: bool = False
    service_tier: str | None = None
    speed: str | None = None
    geo: str | None = None
    fingerprint: str | None = None
    tool_calls: int | None = None


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


class CacheWrite(Struct, frozen=True):
    """Tokens written to the cache, all of them and by lifetime; a 0 is a value
    (Wei-Shaw/sub2api#6125: one split was billed twice)."""

    whole: int | None
    by: Mapping[Lifetime, int]
    notes: tuple[str, ...] = ()


def cache_write(whole: int | None, split: JsonObject, names: Mapping[str, Lifetime]) -> CacheWrite:
    """The aggregate, else the sum of its parts. `names` are the provider's for each lifetime; a part
    that has none makes the split unknown, and so does one that does not add up."""
    if not split:
        return CacheWrite(whole, {})
    counts = {key: count for key, value in split.items() if (count := as_count(value)) is not None}
    if not counts:
        return CacheWrite(whole, {})
    total = sum(counts.values())
    if whole is not None and whole != total:
        return CacheWrite(whole, {}, ("cache_write_split_mismatch",))
    known = all(key in names for key, count in counts.items() if count)
    by = {names[key]: count for key, count in counts.items() if key in names} if known else {}
    return CacheWrite(total, by)
