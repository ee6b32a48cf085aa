"""What the scripted model needs of a request, in any dialect."""

from dataclasses import dataclass
from itertools import pairwise

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
    if "input" in body and "messages" not in body:
        return _of_responses(body)
    if "contents" in body:
        return _of_gemini(body)
    messages = [as_object(message) for message in as_list(body.get("messages"))]
    heard = [message for message in messages if message.get("role") in ("user", "tool")]
    return Conversation(
        turn=sum(message.get("role") == "assistant" for message in messages),
        last_message=_text(heard[-1].get("content")) if heard else "",
        first_message=_text(heard[0].get("content")) if heard else "",
        size=len(dump([body.get("system"), body.get("messages"), body.get("tools")])),
    )


def _of_responses(body: JsonObject) -> Conversation:
    """A Responses request: its input is a text, or items of which several may be of one turn."""
    said = body.get("input")
    items = [_item(item) for item in as_list(said)] or [("heard", _text(said))]
    kinds = ["heard", *(kind for kind, _ in items if kind)]
    heard = [text for kind, text in items if kind == "heard"]
    return Conversation(
        turn=sum(pair == ("heard", "answered") for pair in pairwise(kinds)),
        last_message=heard[-1] if heard else "",
        first_message=heard[0] if heard else "",
        size=len(dump([body.get("instructions"), said, body.get("tools")])),
    )


def _of_gemini(body: JsonObject) -> Conversation:
    """A Gemini request: turns of `user` (the answers of tools too) and `model`."""
    contents = [as_object(content) for content in as_list(body.get("contents"))]
    heard = [_parts(content) for content in contents if content.get("role") != "model"]
    asked = [body.get("systemInstruction"), body.get("contents"), body.get("tools")]
    return Conversation(
        turn=sum(content.get("role") == "model" for content in contents),
        last_message=heard[-1] if heard else "",
        first_message=heard[0] if heard else "",
        size=len(dump(asked)),
    )


def _parts(content: JsonObject) -> str:
    """The texts of a content, and what its functions answered as JSON."""
    texts: list[str] = []
    for part in map(as_object, as_list(content.get("parts"))):
        text, answered = part.get("text"), part.get("functionResponse")
        texts += [text] if isinstance(text, str) else []
        texts += [_answer(as_object(answered))] if answered else []
    return "\n".join(texts)


def _answer(answered: JsonObject) -> str:
    response = as_object(answered.get("response"))
    values = [value for value in response.values() if isinstance(value, str)]
    return "\n".join(values) if values else dump(response).decode()


def _item(item: Json) -> tuple[str, str]:
    """Whose an input item is ("" where it is nobody's turn), and its text."""
    fields = as_object(item)
    kind, role = fields.get("type", "message"), fields.get("role")
    if kind == "function_call_output":
        return "heard", _text(fields.get("output"))
    if kind in ("function_call", "reasoning") or (kind == "message" and role == "assistant"):
        return "answered", ""
    return ("heard", _text(fields.get("content"))) if role == "user" else ("", "")


def _text(content: Json) -> str:
    """The text of a content field: a string, or blocks of text and of tool results."""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in map(as_object, as_list(content)):
        text = block.get("text")
        parts.append(text if isinstance(text, str) else _text(block.get("content")))
    return "\n".join(parts)
