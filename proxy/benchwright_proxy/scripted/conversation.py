"""What the scripted model needs of a request, in either dialect."""

from dataclasses import dataclass

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object, dump


@dataclass(frozen=True, slots=True)
class Conversation:
    """`turn` is the number of assistant messages, `last_message` the text of the last user or tool
    message, `first_message` that of the first one (the task), `size` the bytes of all that the
    model would read (messages, system prompt, tools)."""

    turn: int
    last_message: str
    first_message: str
    size: int


def read(body: JsonObject) -> Conversation:
    """The conversation in a request body, with nothing where a field is missing."""
    messages = [as_object(message) for message in as_list(body.get("messages"))]
    heard = [message for message in messages if message.get("role") in ("user", "tool")]
    return Conversation(
        turn=sum(message.get("role") == "assistant" for message in messages),
        last_message=_text(heard[-1].get("content")) if heard else "",
        first_message=_text(heard[0].get("content")) if heard else "",
        size=len(dump([body.get("system"), body.get("messages"), body.get("tools")])),
    )


def _text(content: Json) -> str:
    """The text of a content field: a string, or blocks of text and of tool results."""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in map(as_object, as_list(content)):
        text = block.get("text")
        parts.append(text if isinstance(text, str) else _text(block.get("content")))
    return "\n".join(parts)
