"""Which headers pass. Lists of what may, never of what may not: a credential that nobody thought of
must not travel (BerriAI/litellm#32202), and neither may a hop-by-hop header."""

from collections.abc import Iterable, Mapping

#: Both ways in which trial tokens and providers' keys travel.
CREDENTIALS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")

_REQUEST = (
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "openai-beta",
    "user-agent",
    "x-client-request-id",
)
#: Not the organisation's id, cookies or Location: they are not the agent's business.
_RESPONSE = frozenset(
    {
        "apim-request-id",
        "content-encoding",
        "content-length",
        "content-type",
        "openai-processing-ms",
        "openai-version",
        "request-id",
        "retry-after",
        "retry-after-ms",
        "x-request-id",
        "x-should-retry",
    }
)
_RESPONSE_PREFIXES = ("anthropic-ratelimit-", "x-ratelimit-")
#: Query parameters that a provider gets; `?key=` and the like are not among them.
_QUERY = ("beta", "alt")
_KEY_HEADER = {
    "anthropic": "x-api-key",
    "azure": "api-key",
    "gemini": "x-goog-api-key",
}


def trial_token(
    headers: Mapping[str, str], prefix: str, query_key: str | None = None
) -> str | None:
    """The token of a request: the first credential with the prefix of ours, else the first at all.

    Some agents send a second, foreign credential; it is ignored.
    """
    first = None
    for value in (*_credentials(headers), query_key):
        if value and value.startswith(prefix):
            return value
        first = first or value
    return first


def _credentials(headers: Mapping[str, str]) -> list[str]:
    """All of a request, "" for one that is none."""
    return [_credential(headers, name) for name in CREDENTIALS if name in headers]


def _credential(headers: Mapping[str, str], name: str) -> str:
    value = headers[name].strip()
    if name != "authorization":
        return value
    scheme, _, rest = value.partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else ""


def upstream(kind: str, client: Mapping[str, str], key: str | None) -> dict[str, str]:
    """The headers of a request to a provider of a kind (config.HttpProvider.dialect): the client's
    allowed ones and the provider's key."""
    headers = _ascii(client, _REQUEST)
    headers["accept-encoding"] = "identity"
    if key is not None and kind in _KEY_HEADER:
        headers[_KEY_HEADER[kind]] = key
    elif key is not None:
        headers["authorization"] = f"Bearer {key}"
    return headers


def upstream_query(client: Mapping[str, str]) -> dict[str, str]:
    """The query parameters of a request to a provider."""
    return _ascii(client, _QUERY)


def _ascii(values: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The named values that can be sent on: odd bytes arrive as characters that cannot."""
    return {name: values[name] for name in names if name in values and values[name].isascii()}


def downstream(provider: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The headers of a provider's response, whose names are in lower case, that the client gets."""
    return {
        name: value
        for name, value in provider
        if (name in _RESPONSE or name.startswith(_RESPONSE_PREFIXES)) and value.isascii()
    }
