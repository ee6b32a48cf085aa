"""What the proxy must know of a model request, and the two edits that it may make to it."""

from collections.abc import Mapping

from msgspec import Struct

from . import hostedtools
from .bodyscan import ScanError, TopLevel
from .jsonvalue import Json, JsonObject, as_count, as_object, as_text, dump
from .refusal import bad_request
from .routes import GEMINI_ENDPOINTS, Endpoint


def _spelled(*names: str) -> Mapping[str, str]:
    return {name.lower(): name for name in names}


#: Fields that decide what a call costs. Some servers match names without regard to case.
_DECISIVE = _spelled(
    "model",
    "stream",
    "stream_options",
    "n",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "background",
)
_GEMINI_DECISIVE = _spelled("model", "generationConfig", "generation_config")
_OUTPUT_LIMITS = {
    Endpoint.CHAT: ("max_tokens", "max_completion_tokens"),
    Endpoint.RESPONSES: ("max_output_tokens",),
}


_BACKGROUND = "background: true goes on after its request, where nobody can count it: leave it out"


class CallRequest(Struct, frozen=True):
    """A request body (`top`) and what it says.

    `max_output_tokens` is the most that one answer may have, None if undeclared; `answers` is how
    many are asked for; `said_model` is the model's name as the body has it, if it does.
    """

    top: TopLevel
    model: str
    stream: bool
    max_output_tokens: int | None
    answers: int
    wants_stream_usage: bool
    said_model: str | None = None


def read(endpoint: Endpoint, body: bytes, path_model: str | None = None) -> CallRequest:
    """The request in `body`, to a path with `path_model` in it. Raises RefusalError (400) naming
    what is wrong with it."""
    try:
        top = TopLevel(body)
        hostedtools.check(top)
        if endpoint in GEMINI_ENDPOINTS:
            return _gemini(endpoint, top, path_model or "")
        _check_names(top, _DECISIVE)
        said = top.value("model")
        if endpoint is Endpoint.RESPONSES and _flag(top, "background"):
            raise bad_request(_BACKGROUND)
        return CallRequest(
            top=top,
            model=_model(said, path_model),
            said_model=as_text(said),
            stream=_flag(top, "stream"),
            max_output_tokens=_max_output(endpoint, top),
            answers=_answers(endpoint, top),
            wants_stream_usage=_wants_usage(top),
        )
    except ScanError as error:
        raise bad_request(f"the request body is not usable JSON: {error}") from error


def edited(request: CallRequest, model: str | None, *, stream_usage: bool) -> bytes:
    """The body asking for `model` (None: as it is), and for `stream_options.include_usage` where that
    is wanted; other options stay. The same bytes if nothing of it changes."""
    top = request.top
    values: dict[str, bytes] = {}
    if model is not None and request.said_model != model:
        values["model"] = dump(model)
    if stream_usage:
        options = {**as_object(top.value("stream_options")), "include_usage": True}
        values["stream_options"] = dump(options)
    return top.replaced(values) if values else top.body


def _gemini(endpoint: Endpoint, top: TopLevel, path_model: str) -> CallRequest:
    """Gemini has model and streaming in the path, and takes two spellings of each field."""
    _check_names(top, _GEMINI_DECISIVE)
    said = top.value("model")
    if said not in (None, path_model, f"models/{path_model}"):
        raise ScanError("model must be the one in the path, or be left out")
    configs = [as_object(top.value(key)) for key in ("generationConfig", "generation_config")]
    limits = [_in(c, key) for c in configs for key in ("maxOutputTokens", "max_output_tokens")]
    counts = [_in(c, key) for c in configs for key in ("candidateCount", "candidate_count")]
    return CallRequest(
        top=top,
        model=path_model,
        said_model=as_text(said),
        stream=endpoint is Endpoint.STREAM_GENERATE,
        max_output_tokens=max((limit for limit in limits if limit is not None), default=None),
        answers=max((count for count in counts if count), default=1),
        wants_stream_usage=True,
    )


def _in(config: JsonObject, key: str) -> int | None:
    return _count(config.get(key), f"generationConfig.{key}")


def _check_names(top: TopLevel, decisive: Mapping[str, str]) -> None:
    for key in top.spans:
        right = decisive.get(key.lower(), key)
        if key != right:
            raise ScanError(f"field {key!r} must be spelled {right!r}")


def _model(model: Json, path_model: str | None) -> str:
    if path_model is not None:
        if model not in (None, path_model):
            raise ScanError("model must be the deployment in the path, or be left out")
        return path_model
    if not isinstance(model, str) or not model:
        raise ScanError("model must be a non-empty string")
    return model


def _flag(top: TopLevel, key: str) -> bool:
    value = top.value(key)
    if value is not None and not isinstance(value, bool):
        raise ScanError(f"{key} must be true or false")
    return bool(value)


def _max_output(endpoint: Endpoint, top: TopLevel) -> int | None:
    """The larger one where it has two names; embeddings are no output."""
    if endpoint is Endpoint.EMBEDDINGS:
        return 0
    declared = [_number(top, name) for name in _OUTPUT_LIMITS.get(endpoint, ("max_tokens",))]
    return max((value for value in declared if value is not None), default=None)


def _answers(endpoint: Endpoint, top: TopLevel) -> int:
    return (_number(top, "n") or 1) if endpoint is Endpoint.CHAT else 1


def _number(top: TopLevel, key: str) -> int | None:
    return _count(top.value(key), key)


def _count(value: Json, key: str) -> int | None:
    if value is None:
        return None
    count = as_count(value)
    if count is None:
        raise ScanError(f"{key} must be a whole number")
    return count


def _wants_usage(top: TopLevel) -> bool:
    options: Json = top.value("stream_options")
    return as_object(options).get("include_usage") is True
