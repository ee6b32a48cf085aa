"""The dialects that agents speak, and what of them belongs to the transport."""

from enum import StrEnum

from .jsonvalue import Json, JsonObject, dump


class Dialect(StrEnum):
    """A family of API shapes: OpenAI's are Chat Completions, Responses and Embeddings."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


#: google.rpc.Code names, as Gemini's clients expect beside the HTTP status.
_GOOGLE_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    426: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def error_body(dialect: Dialect, status: int, kind: str, message: str) -> bytes:
    """An error as that dialect's SDKs expect it, so that agents show `message` to their users."""
    if dialect is Dialect.ANTHROPIC:
        return dump({"type": "error", "error": {"type": kind, "message": message}})
    if dialect is Dialect.GEMINI:
        name = _GOOGLE_STATUS.get(status, "INTERNAL" if status >= 500 else "FAILED_PRECONDITION")
        if kind == "budget_exceeded":
            name = "FAILED_PRECONDITION"  # as when billing is not enabled
        detail: Json = {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": kind,
            "domain": "benchwright.dev",
        }
        error: JsonObject = {
            "code": status,
            "message": message,
            "status": name,
            "details": [detail],
        }
        return dump({"error": error})
    error = {"message": message, "type": kind, "param": None, "code": kind}
    return dump({"error": error})
