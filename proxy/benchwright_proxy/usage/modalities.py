"""Tokens that are no text and that providers charge by prices of their own: audio both ways, and images
that were written. Images that were read are charged as text."""

from collections.abc import Iterable, Mapping

from benchwright_proxy.jsonvalue import Json, JsonObject, as_count, as_list, as_object, as_text

#: What it is called here: where the prompt has it, and where the answer has.
_OPENAI = (
    (("input_audio", "audio_tokens"),),
    (
        ("output_audio", "audio_tokens"),
        ("output_image", "image_tokens"),
    ),
)
_GEMINI = {"AUDIO": "input_audio"}, {"AUDIO": "output_audio", "IMAGE": "output_image"}


def of_openai(prompt: JsonObject, answer: JsonObject) -> Mapping[str, int]:
    """Of the details objects of OpenAI's APIs."""
    found = {}
    for details, names in zip((prompt, answer), _OPENAI, strict=True):
        for name, key in names:
            if count := as_count(details.get(key)):
                found[name] = count
    return found


def of_gemini(prompt: Iterable[Json], answer: Iterable[Json]) -> Mapping[str, int]:
    """Of Gemini's lists of modalities."""
    found: dict[str, int] = {}
    for details, names in zip((prompt, answer), _GEMINI, strict=True):
        for entry in details:
            name = names.get(as_text(as_object(entry).get("modality")) or "")
            count = as_count(as_object(entry).get("tokenCount"))
            if name and count:
                found[name] = found.get(name, 0) + count
    return found


def gemini_lists(said: JsonObject) -> tuple[list[Json], list[Json]]:
    """What a prompt and its tools had, and what an answer had."""
    prompt = as_list(said.get("promptTokensDetails"))
    tools = as_list(said.get("toolUsePromptTokensDetails"))
    answer = said.get("candidatesTokensDetails") or said.get("responseTokensDetails")
    return [*prompt, *tools], as_list(answer)
