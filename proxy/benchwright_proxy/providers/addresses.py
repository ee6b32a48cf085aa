"""Where an endpoint of a provider is, given the base URL that the dialect's own SDK would take."""

from collections.abc import Callable, Mapping
from urllib.parse import quote, urlsplit

from benchwright_proxy.config import HttpProvider
from benchwright_proxy.routes import Endpoint

_OPENAI = {
    Endpoint.CHAT: "/chat/completions",
    Endpoint.RESPONSES: "/responses",
    Endpoint.EMBEDDINGS: "/embeddings",
}
_ANTHROPIC = {
    Endpoint.MESSAGES: "/messages",
    Endpoint.COUNT_TOKENS: "/messages/count_tokens",
}
_GEMINI = {
    Endpoint.GENERATE: "generateContent",
    Endpoint.STREAM_GENERATE: "streamGenerateContent",
    Endpoint.COUNT_CONTENT: "countTokens",
}


def endpoint_url(provider: HttpProvider, endpoint: Endpoint, model: str) -> str:
    """The URL, without the query that the caller sent. OpenAI's base URLs have their version in
    them, others' have not; all are served from a bare host too."""
    return _URLS[provider.dialect](provider, endpoint, model)


def _openai(provider: HttpProvider, endpoint: Endpoint, model: str) -> str:
    return _based(provider.base_url, "/v1", any_path=True) + _OPENAI[endpoint]


def _anthropic(provider: HttpProvider, endpoint: Endpoint, model: str) -> str:
    return _based(provider.base_url, "/v1") + _ANTHROPIC[endpoint]


def _gemini(provider: HttpProvider, endpoint: Endpoint, model: str) -> str:
    base = _based(provider.base_url, "/v1beta")
    return f"{base}/models/{quote(model, safe='')}:{_GEMINI[endpoint]}"


def _azure(provider: HttpProvider, endpoint: Endpoint, model: str) -> str:
    base = provider.base_url.removesuffix("/openai")
    if provider.api_version is None:
        return _based(base, "/openai/v1") + _OPENAI[endpoint]
    version = f"?api-version={provider.api_version}"
    if endpoint is Endpoint.RESPONSES:  # the one that has the deployment in its body
        return f"{base}/openai/responses{version}"
    return f"{base}/openai/deployments/{quote(model, safe='')}{_OPENAI[endpoint]}{version}"


def _based(base_url: str, version: str, *, any_path: bool = False) -> str:
    """`base_url` with its version, unless it has one (or any path at all, with `any_path`)."""
    path = urlsplit(base_url).path
    versioned = path.endswith(("/v1", version)) or (any_path and path != "")
    return base_url + ("" if versioned else version)


_URLS: Mapping[str, Callable[[HttpProvider, Endpoint, str], str]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "azure": _azure,
}
