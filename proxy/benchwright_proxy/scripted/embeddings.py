"""Scripted embeddings: a vector for each text, the same for the same text."""

import base64
import hashlib
import struct

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, dump

from .claims import Claimed, tokens

_DIMENSIONS = 8


def claimed(asked: JsonObject) -> Claimed:
    """The usage of an answer: tokens are derived from the size of the input."""
    return Claimed(tokens(len(dump(asked.get("input")))), 0, 0, 0, None)


def body(asked: JsonObject, model: str) -> bytes:
    """The answer to a request."""
    given = asked.get("input")
    texts = as_list(given) or [given]
    count = claimed(asked).input_tokens
    encoded = asked.get("encoding_format") == "base64"
    data: list[Json] = [
        {"object": "embedding", "index": index, "embedding": _vector(dump(text), encoded)}
        for index, text in enumerate(texts)
    ]
    usage: JsonObject = {"prompt_tokens": count, "total_tokens": count}
    return dump({"object": "list", "data": data, "model": model, "usage": usage})


def _vector(text: bytes, encoded: bool) -> Json:
    digest = hashlib.sha256(text).digest()[:_DIMENSIONS]
    numbers = [byte / 128 - 1 for byte in digest]
    if encoded:
        return base64.b64encode(struct.pack(f"<{_DIMENSIONS}f", *numbers)).decode()
    return list(numbers)
