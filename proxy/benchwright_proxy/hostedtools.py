"""Tools that a provider would run by itself and that reach the network: a workspace without a way
out must not have one through its model.

Requests that offer one are refused, not edited: an agent that was promised a search and gets none
would be another agent than the one that is compared.
"""

from .bodyscan import TopLevel
from .jsonvalue import Json, JsonObject, as_list, as_object, as_text
from .refusal import RefusalError

#: Beginnings of `type` in OpenAI's and Anthropic's tools, with or without a date behind.
_TYPES = ("web_search", "web_fetch", "mcp", "computer_use", "x_search")
#: Fields of Gemini's tools, in both spellings.
_GEMINI = frozenset(
    {
        "googleSearch",
        "google_search",
        "googleSearchRetrieval",
        "google_search_retrieval",
        "urlContext",
        "url_context",
        "googleMaps",
        "google_maps",
        "enterpriseWebSearch",
        "enterprise_web_search",
    }
)
#: Fields of a whole request that offer one.
_FIELDS = ("web_search_options", "mcp_servers")
_OFFERING = frozenset({*_FIELDS, "tools"})


#: Tools without any of these words are none of them, and are not parsed.
_HINTS = (
    b"web_search",
    b"web_fetch",
    b"mcp",
    b"computer_use",
    b"x_search",
    b"oogle",
    b"rl_context",
    b"rlContext",
    b"nterprise",
    b"\\u",  # any of them, escaped
)


def check(top: TopLevel) -> None:
    """Raises RefusalError (403) naming the tool."""
    if _OFFERING.isdisjoint(top.spans):
        return
    offered = [name for name in _FIELDS if top.value(name)]
    start, end = top.spans.get("tools", (0, 0))
    if any(hint in top.body[start:end] for hint in _HINTS):
        for tool in as_list(top.value("tools")):
            offered += _hosted(as_object(tool))
    if offered:
        message = (
            f"{offered[0]!r} is run by the provider and reaches the network, which this trial must "
            "not: take it out of the agent's configuration"
        )
        raise RefusalError(403, "permission_error", message, "hosted_tool", retry=False)


def _hosted(tool: JsonObject) -> list[str]:
    kind = as_text(tool.get("type")) or ""
    if kind.startswith(_TYPES):
        return [kind]
    return [name for name in tool if name in _GEMINI] or _nested(tool.get("tools"))


def _nested(tools: Json) -> list[str]:
    """Tools within a namespace of tools."""
    return [name for tool in as_list(tools) for name in _hosted(as_object(tool))]
