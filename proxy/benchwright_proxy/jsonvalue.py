"""JSON as typed values: what providers and agents send is looked at without trusting its shape."""

import json
from typing import TypeAlias

import msgspec

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, Json]

#: More than any call can use: a larger number is a broken one.
MAX_COUNT = 10**12
#: Longer than any name, id or error type, in characters.
MAX_TEXT = 1000
_DECODER = msgspec.json.Decoder()


def parse(data: bytes | str) -> Json:
    """The value of a JSON text, in UTF-8. Raises ValueError, also for nesting that is too deep.

    What msgspec takes it reads as Python's json does, only faster; of the rest json decides, which
    takes half characters and infinities too.
    """
    try:
        read: Json = _DECODER.decode(data)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error
    except (msgspec.MsgspecError, ValueError):
        return _patiently(data)
    return read


def _patiently(data: bytes | str) -> Json:
    if isinstance(data, bytes):
        # Told which, json need not find out; half characters come, and are `clean`ed where they go.
        data = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogatepass")
    try:
        value: Json = json.loads(data)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error
    return value


def dump(value: Json) -> bytes:
    """Compact JSON in UTF-8."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def as_object(value: Json) -> JsonObject:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str | None:
    """`value` if it is a string, made fit for a record, else None."""
    if not isinstance(value, str):
        return None
    return value if value.isascii() and len(value) <= MAX_TEXT else clean(value)


def clean(text: str) -> str:
    """`text` as UTF-8 can hold it (JSON and headers may smuggle in half characters), bounded."""
    return text[:MAX_TEXT].encode("utf-8", "replace").decode()


def as_count(value: Json) -> int | None:
    """`value` as a whole number ≥ 0 (12.0 is 12), else None: never a guess."""
    if type(value) is int:  # and not a bool
        return value if 0 <= value <= MAX_COUNT else None
    if isinstance(value, float) and value.is_integer():
        return as_count(int(value))
    return None
