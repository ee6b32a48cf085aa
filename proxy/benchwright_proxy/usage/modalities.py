"""Tokens that are no text and that providers charge by prices of their own: audio both ways, and images
that were written. Images that were read are charged as text."""

from collections.abc import Mapping

from benchwright_proxy.jsonvalue import JsonObject, as_count, as_list, as_object, as_text

#: Gemini's names in its lists of a prompt and of an answer.
_PROMPT = {"AUDIO": "input_audio"}
_ANSWER = {"AUDIO": "output_audio", "IMAGE": "output_image"}


def of_openai(prompt: JsonObject, answer: JsonObject) -> Mapping[str, int]:
    """Of the details objects of OpenAI's APIs."""
    said = {
        "input_audio": prompt.get("audio_tokens"),
        "output_audio": answer.get("audio_tokens"),
        "output_image": answer.get("image_tokens"),
    }
    return {name: count for name, value in said.items() if (count := as_count(value))}


def of_gemini(said: JsonObject) -> Mapping[str, int]:
    """Of a `usageMetadata` object."""
    lists = (
        (said.get("promptTokensDetails"), _PROMPT),
        (said.get("toolUsePromptTokensDetails"), _PROMPT),
        (said.get("candidatesTokensDetails") or said.get("responseTokensDetails"), _ANSWER),
    )
    found: dict[str, int] = {}
    for details, names in lists:
        for entry in map(as_object, as_list(details)):
            name = names.get(as_text(entry.get("modality")) or "")
            count = as_count(entry.get("tokenCount"))
            if name and count:
                found[name] = found.get(name, 0) + count
    return found
