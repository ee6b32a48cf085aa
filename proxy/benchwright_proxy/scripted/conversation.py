"""What the scripted model needs of a request, in any dialect."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object, dump

#: Whose a message is: a user's, a tool's answer, or the model's own; "" is nobody's turn.
Who = Literal["user", "tool", "model", ""]
Message = tuple[Who, str]


class Conversation(Struct, frozen=True):
    """`turn` is how often the model has answered, `last_message` the text of the last user or tool
    message, `asked` the texts of user messages, each with how often the model had answered before
    it, `size` the bytes of all that the model would read (messages, system prompt, tools)."""

    turn: int
    last_message: str
    asked: tuple[tuple[int, str], ...]
    size: int


def read(body: JsonObject) -> Conversation:
    """The conversation in a request body, with nothing where a field is missing."""
    if "input" in body and "messages" not in body:
        return _of_responses(body)
    if "contents" in body:
        parts = [body.get("systemInstruction"), body.get("contents"), body.get("tools")]
        return _read(map(_content, as_list(body.get("contents"))), parts, grouped=False)
    parts = [body.get("system"), body.get("messages"), body.get("tools")]
    return _read(map(_message, as_list(body.get("messages"))), parts, grouped=False)


def _of_responses(body: JsonObject) -> Conversation:
    """A Responses request: its input is a text, or items of which several may be of one turn."""
    said = body.get("input")
    items: list[Message] = [_item(item) for item in as_list(said)] or [("user", _text(said))]
    return _read(items, [body.get("instructions"), said, body.get("tools")], grouped=True)


def _read(messages: Iterable[Message], parts: list[Json], *, grouped: bool) -> Conversation:
    """`grouped`: what the model said in a row is one answer."""
    turn, last, asked, answering = 0, "", list[tuple[int, str]](), False
    for who, text in messages:
        if who == "model":
            turn += not (grouped and answering)
        elif who == "user":
            asked.append((turn, text))
        if who in ("user", "tool"):
            last = text
        if who:
            answering = who == "model"
    return Conversation(turn, last, tuple(asked), len(dump(parts)))


def _message(message: Json) -> Message:
    """A message of Chat Completions or Anthropic's, whose tool results are a user's blocks."""
    fields = as_object(message)
    role, content = fields.get("role"), fields.get("content")
    if role == "assistant":
        return "model", ""
    if role == "tool":
        return "tool", _text(content)
    if role != "user":
        return "", ""
    kinds = {as_object(block).get("type") for block in as_list(content)}
    return ("tool" if "tool_result" in kinds else "user"), _text(content)


def _content(content: Json) -> Message:
    """A content of Gemini's; what functions answered is a user's part."""
    fields = as_object(content)
    if fields.get("role") == "model":
        return "model", ""
    parts = [as_object(part) for part in as_list(fields.get("parts"))]
    texts = [text for part in parts if isinstance(text := part.get("text"), str)]
    answers = [
        _answer(as_object(part["functionResponse"])) for part in parts if "functionResponse" in part
    ]
    return ("tool" if answers else "user"), "\n".join([*texts, *answers])


def _answer(answered: JsonObject) -> str:
    response = as_object(answered.get("response"))
    values = [value for value in response.values() if isinstance(value, str)]
    return "\n".join(values) if values else dump(response).decode()


def _item(item: Json) -> Message:
    """An item of a Responses request."""
    fields = as_object(item)
    kind, role = fields.get("type", "message"), fields.get("role")
    if kind in ("function_call_output", "custom_tool_call_output"):
        return "tool", _text(fields.get("output"))
    if kind in ("function_call", "custom_tool_call", "reasoning"):
        return "model", ""
    if kind == "message" and role == "assistant":
        return "model", ""
    return ("user", _text(fields.get("content"))) if role == "user" else ("", "")


def _text(content: Json) -> str:
    """The text of a content field: a string, or blocks of text and of tool results."""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in map(as_object, as_list(content)):
        text = block.get("text")
        parts.append(text if isinstance(text, str) else _text(block.get("content")))
    return "\n".join(parts)
