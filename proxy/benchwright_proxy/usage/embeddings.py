"""Usage of OpenAI embeddings: input alone. Nothing is written, so its output is known to be 0."""

from benchwright_proxy.jsonvalue import Json, as_count, as_object, as_text

from .openai import error_type
from .record import UNKNOWN, Answer, Usage


def answer_of_body(body: Json) -> Answer:
    """What a response says; some servers give the total alone."""
    top = as_object(body)
    said = as_object(top.get("usage"))
    count, total = as_count(said.get("prompt_tokens")), as_count(said.get("total_tokens"))
    whole = total if count is None else count
    notes = ("total_mismatch",) if None not in (count, total) and count != total else ()
    return Answer(
        usage=UNKNOWN
        if whole is None
        else Usage(whole, output_tokens=0, source="provider", notes=notes),
        said=said,
        model=as_text(top.get("model")),
        error=error_type(top),
        complete=True,
    )
