"""The dialects that agents speak, and what of them belongs to the transport."""

from enum import StrEnum

from .jsonvalue import Json, dump


class Dialect(StrEnum):
    """A family of API shapes: OpenAI's are Chat Completions and Responses. A later issue adds Gemini."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


def error_body(dialect: Dialect, kind: str, message: str) -> bytes:
    """An error as that dialect's SDKs expect it, so that agents show `message` to their users."""
    if dialect is Dialect.ANTHROPIC:
        return dump({"type": "error", "error": {"type": kind, "message": message}})
    error: Json = {"message": message, "type": kind, "param": None, "code": kind}
    return dump({"error": error})
