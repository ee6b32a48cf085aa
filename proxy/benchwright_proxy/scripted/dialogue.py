"""Dialogue files: what the scripted model answers, and how it fails.

::

    name: fix-the-parser
    turns:                      # by turn: the number of assistant messages in the request so far
      - text: I will look first.
        tool_calls: [{name: bash, arguments: {command: ls}}]
        usage: {input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 55}
    match:                      # before turns: by the last user or tool message, first hit wins
      - when: {contains: "Traceback"}
        then: {text: "That did not work."}
    conversations:              # before both: by a user message, i.e. by the task; turns from there
      - name: another-task
        when: {contains: "intervals"}
        turns: [{text: Hello}]
    on_exhausted: error         # or repeat_last

Counting assistant messages keeps no state, so any number of trials can play one file at once, and
an agent that asks again gets the same answer again.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from benchwright_proxy import yamlfile

from .conversation import Conversation

Tokens = Annotated[int, Field(ge=0, le=10**9)]
Seconds = Annotated[float, Field(ge=0, le=3600)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolCall(_Part):
    """A tool that the answer calls."""

    name: str = Field(min_length=1, max_length=64)
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class TurnUsage(_Part):
    """What the answer claims. `input_tokens` includes the cached and written ones. What is left out
    is derived from the request and the answer (claims.py); `reasoning_tokens` is then not said."""

    input_tokens: Tokens | None = None
    cached_input_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    output_tokens: Tokens | None = None
    reasoning_tokens: Tokens | None = None

    @model_validator(mode="after")
    def _parts_fit(self) -> "TurnUsage":
        cached = self.cached_input_tokens + self.cache_write_tokens
        if self.input_tokens is not None and cached > self.input_tokens:
            raise ValueError("input_tokens must include cached_input_tokens and cache_write_tokens")
        if None not in (self.output_tokens, self.reasoning_tokens):
            assert self.output_tokens is not None
            if (self.reasoning_tokens or 0) > self.output_tokens:
                raise ValueError("output_tokens must include reasoning_tokens")
        return self


class StatusFault(_Part):
    """The provider refuses: an HTTP error, with Retry-After if given (seconds)."""

    status: int = Field(ge=400, le=599)
    retry_after: float | None = Field(default=None, ge=0)


#: truncate_stream: the connection drops half way through the answer. disconnect: it drops before
#: any answer, so the client gets the proxy's 502. no_usage: an answer that does not say its usage.
Fault = StatusFault | Literal["truncate_stream", "disconnect", "no_usage"]


class Turn(_Part):
    """One answer."""

    text: str | None = None
    tool_calls: list[ToolCall] = Field(default_factory=list, max_length=100)
    usage: TurnUsage = TurnUsage()
    delay_seconds: Seconds = 0.0
    chunk_delay_seconds: Seconds = 0.0
    chunks: int = Field(default=5, ge=1, le=10_000)
    fault: Fault | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "Turn":
        silent = isinstance(self.fault, StatusFault) or self.fault == "disconnect"
        if self.text is None and not self.tool_calls and not silent:
            raise ValueError("text or tool_calls is needed")
        return self


class When(_Part):
    """A condition on the last user or tool message: exactly one of the two."""

    contains: str | None = Field(default=None, min_length=1)
    regex: str | None = Field(default=None, min_length=1)

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return value

    @model_validator(mode="after")
    def _one(self) -> "When":
        if (self.contains is None) == (self.regex is None):
            raise ValueError("exactly one of contains and regex is needed")
        return self

    def holds(self, message: str) -> bool:
        """Whether `message` meets the condition."""
        if self.contains is not None:
            return self.contains in message
        return re.search(self.regex or "", message) is not None


class Match(_Part):
    """An answer to a message rather than to a turn."""

    when: When
    then: Turn


class Play(_Part):
    """Answers by message, and else by turn."""

    name: str = Field(min_length=1, max_length=253)
    turns: list[Turn] = Field(default_factory=list, max_length=10_000)
    match: list[Match] = Field(default_factory=list, max_length=1000)


class Scene(Play):
    """One of several conversations in a file: the first whose `when` holds of a user message of the
    request, the earliest first, so that one model can play all tasks of a run."""

    when: When

    @model_validator(mode="after")
    def _not_empty(self) -> "Scene":
        if not self.turns and not self.match:
            raise ValueError("turns or match is needed")
        return self


class Dialogue(Play):
    """A whole file."""

    conversations: list[Scene] = Field(default_factory=list, max_length=1000)
    on_exhausted: Literal["repeat_last", "error"] = "error"

    @model_validator(mode="after")
    def _not_empty(self) -> "Dialogue":
        if not self.turns and not self.match and not self.conversations:
            raise ValueError("turns, match or conversations is needed")
        return self


def load(path: Path) -> Dialogue:
    """The dialogue in `path`. Raises yamlfile.FileError naming file and field."""
    return yamlfile.load(path, Dialogue)


def choose(dialogue: Dialogue, heard: Conversation) -> Turn | None:
    """The answer to a request; None when there is none left."""
    play, turn = _play(dialogue, heard)
    for match in play.match:
        if match.when.holds(heard.last_message):
            return match.then
    if turn < len(play.turns):
        return play.turns[turn]
    if dialogue.on_exhausted == "repeat_last" and play.turns:
        return play.turns[-1]
    return None


def _play(dialogue: Dialogue, heard: Conversation) -> tuple[Play, int]:
    """The conversation that is played, and its turn: agents put examples and their surroundings
    before the task (Aider, Codex), so turns are counted from the message that tells which it is."""
    for before, text in heard.asked:
        for scene in dialogue.conversations:
            if scene.when.holds(text):
                return scene, heard.turn - before
    return dialogue, heard.turn
