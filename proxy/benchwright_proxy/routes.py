"""What the data port answers: an exact table, and paths that hold a model's name between two exact
parts. Anything else is refused, never forwarded.

Paths are compared as they came, before any decoding: an encoded slash or dot, a doubled slash or a
trailing one is another path, and so is unknown (BerriAI/litellm PR#26938).
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from .dialect import Dialect


class Endpoint(StrEnum):
    """What a path asks for."""

    PROBE = "probe"
    MODELS = "models"
    CHAT = "chat"
    RESPONSES = "responses"
    EMBEDDINGS = "embeddings"
    MESSAGES = "messages"
    COUNT_TOKENS = "count_tokens"
    GENERATE = "generate"
    STREAM_GENERATE = "stream_generate"
    COUNT_CONTENT = "count_content"


GEMINI_ENDPOINTS = frozenset({Endpoint.GENERATE, Endpoint.STREAM_GENERATE, Endpoint.COUNT_CONTENT})
#: They generate nothing and cost nothing.
FREE = frozenset({Endpoint.COUNT_TOKENS, Endpoint.COUNT_CONTENT})


class Route(Struct, frozen=True):
    """A known method and path. `dialect` None: it depends on the caller's headers. `model` is the
    name in the path, where it is there and not in the body."""

    endpoint: Endpoint
    dialect: Dialect | None
    model: str | None = None


_OPENAI = {
    "chat/completions": Endpoint.CHAT,
    "responses": Endpoint.RESPONSES,
    "embeddings": Endpoint.EMBEDDINGS,
}
_GEMINI = {
    "generateContent": Endpoint.GENERATE,
    "streamGenerateContent": Endpoint.STREAM_GENERATE,
    "countTokens": Endpoint.COUNT_CONTENT,
}


def _table() -> dict[tuple[str, str], Route]:
    table: dict[tuple[str, str], Route] = {}
    for method in ("GET", "HEAD"):
        for path in ("/", "/healthz"):
            table[method, path] = Route(Endpoint.PROBE, None)
    for prefix in ("", "/v1"):
        table["GET", f"{prefix}/models"] = Route(Endpoint.MODELS, None)
        table["GET", f"/openai{prefix}/models"] = Route(Endpoint.MODELS, Dialect.OPENAI)
        table["GET", f"/anthropic{prefix}/models"] = Route(Endpoint.MODELS, Dialect.ANTHROPIC)
        for mount in ("", "/openai"):
            for name, endpoint in _OPENAI.items():
                table["POST", f"{mount}{prefix}/{name}"] = Route(endpoint, Dialect.OPENAI)
        for mount in ("", "/anthropic"):
            path = f"{mount}{prefix}/messages"
            table["POST", path] = Route(Endpoint.MESSAGES, Dialect.ANTHROPIC)
            table["POST", f"{path}/count_tokens"] = Route(Endpoint.COUNT_TOKENS, Dialect.ANTHROPIC)
    for path in ("/v1beta/models", "/gemini/v1beta/models", "/gemini/v1/models"):
        table["GET", path] = Route(Endpoint.MODELS, Dialect.GEMINI)
    return table


ROUTES = _table()

_MODEL = r"(?P<model>[A-Za-z0-9][A-Za-z0-9._@-]{0,252})"
_GEMINI_PATH = re.compile(
    rf"(?:/gemini)?/v1(?:beta)?/models/{_MODEL}:(?P<name>{'|'.join(_GEMINI)})", re.ASCII
)
#: As Azure's clients ask: the deployment stands for the model, and its name is the model's here.
_AZURE_PATH = re.compile(
    rf"/openai/deployments/{_MODEL}/(?P<name>chat/completions|embeddings)", re.ASCII
)


def wants_websocket(raw_path: str, headers: Mapping[str, str]) -> bool:
    """Whether someone asks for Responses over a WebSocket, which the proxy does not speak."""
    if headers.get("upgrade", "").lower() != "websocket":
        return False
    route = find("POST", raw_path)
    return route is not None and route.endpoint is Endpoint.RESPONSES


def find(method: str, raw_path: str) -> Route | None:
    """The route of a request line, or None."""
    path = raw_path.partition("?")[0]
    route = ROUTES.get((method, path))
    return _with_model(path) if route is None and method == "POST" else route


def _with_model(path: str) -> Route | None:
    if found := _GEMINI_PATH.fullmatch(path):
        return Route(_GEMINI[found["name"]], Dialect.GEMINI, found["model"])
    if found := _AZURE_PATH.fullmatch(path):
        return Route(_OPENAI[found["name"]], Dialect.OPENAI, found["model"])
    return None


def caller_dialect(raw_path: str, headers: Mapping[str, str]) -> Dialect:
    """The dialect in which to answer someone whose route says nothing of it."""
    path = raw_path.partition("?")[0]
    if path.startswith("/openai") or path.endswith("/chat/completions"):
        return Dialect.OPENAI
    if path.startswith(("/gemini", "/v1beta/")) or "x-goog-api-key" in headers:
        return Dialect.GEMINI
    if path.startswith("/anthropic") or "/messages" in path or "anthropic-version" in headers:
        return Dialect.ANTHROPIC
    return Dialect.OPENAI
