"""The exact table of what the data port answers. Anything else is refused, never forwarded.

Paths are compared as they came, before any decoding: an encoded slash or dot, a doubled slash or a
trailing one is another path, and so is unknown (BerriAI/litellm PR#26938).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

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


@dataclass(frozen=True, slots=True)
class Route:
    """A known method and path. `dialect` None: it depends on the caller's headers."""

    endpoint: Endpoint
    dialect: Dialect | None


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
            table["POST", f"{mount}{prefix}/chat/completions"] = Route(
                Endpoint.CHAT, Dialect.OPENAI
            )
            for endpoint in (Endpoint.RESPONSES, Endpoint.EMBEDDINGS):
                table["POST", f"{mount}{prefix}/{endpoint}"] = Route(endpoint, Dialect.OPENAI)
        for mount in ("", "/anthropic"):
            path = f"{mount}{prefix}/messages"
            table["POST", path] = Route(Endpoint.MESSAGES, Dialect.ANTHROPIC)
            table["POST", f"{path}/count_tokens"] = Route(Endpoint.COUNT_TOKENS, Dialect.ANTHROPIC)
    return table


ROUTES = _table()


def wants_websocket(raw_path: str, headers: Mapping[str, str]) -> bool:
    """Whether someone asks for Responses over a WebSocket, which the proxy does not speak."""
    route = find("POST", raw_path)
    known = route is not None and route.endpoint is Endpoint.RESPONSES
    return known and headers.get("upgrade", "").lower() == "websocket"


def find(method: str, raw_path: str) -> Route | None:
    """The route of a request line, or None."""
    return ROUTES.get((method, raw_path.partition("?")[0]))


def caller_dialect(raw_path: str, headers: Mapping[str, str]) -> Dialect:
    """The dialect in which to answer someone whose route says nothing of it."""
    path = raw_path.partition("?")[0]
    if path.startswith("/openai") or path.endswith("/chat/completions"):
        return Dialect.OPENAI
    if path.startswith("/anthropic") or "/messages" in path or "anthropic-version" in headers:
        return Dialect.ANTHROPIC
    return Dialect.OPENAI
