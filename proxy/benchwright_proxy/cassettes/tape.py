"""What a cassette holds: one file for each answer, found by a canonical digest of its request.

Headers are no part of the digest, and of the body neither are fields that clients fill with something
new each time, nor what `ignore` patterns match: else nothing would ever match (litellm PR#28826).
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from benchwright_proxy.jsonvalue import Json, JsonObject, parse
from benchwright_proxy.providers.base import Asked
from benchwright_proxy.secretsout import masked, scrubbed

VERSION = 1
#: Top-level fields that say who asks or how answers are delivered, not what is asked.
VOLATILE = frozenset(
    {"user", "metadata", "prompt_cache_key", "safety_identifier", "client_metadata", "store"}
)
IGNORED = "[ignored]"


class Chunk(BaseModel):
    """Bytes that came together, `after` so many seconds."""

    after: float
    data: str

    def content(self) -> bytes:
        return base64.b64decode(self.data)


class Answer(BaseModel):
    """One recorded answer, and what it answered. `broken`: it ended before its end."""

    model_config = ConfigDict(extra="forbid")

    version: int = VERSION
    digest: str
    trial: str
    stage: str
    number: int
    request: dict[str, JsonValue]
    status: int
    headers: dict[str, str]
    request_id: str | None
    chunks: list[Chunk]
    broken: bool = False


def canonical(asked: Asked, ignore: Sequence[re.Pattern[str]]) -> JsonObject:
    """What is asked, without what is new each time and without secrets."""
    try:
        body = parse(asked.body)
    except ValueError:
        body = asked.body.decode("utf-8", "replace")
    if isinstance(body, dict):
        body = {key: value for key, value in body.items() if key not in VOLATILE}
    return {
        "endpoint": asked.endpoint.value,
        "model": asked.model.sent_as,
        "alt": asked.query.get("alt"),
        "body": _cleaned(body, ignore),
    }


def digest(request: JsonObject) -> str:
    """The name of a canonical request."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _cleaned(value: Json, ignore: Sequence[re.Pattern[str]]) -> Json:
    if isinstance(value, str):
        value = scrubbed(value)
        for pattern in ignore:
            value = pattern.sub(IGNORED, value)
        return value
    if isinstance(value, list):
        return [_cleaned(item, ignore) for item in value]
    if isinstance(value, dict):
        return {key: _cleaned(item, ignore) for key, item in value.items()}
    return value


def chunk(after: float, data: bytes, secrets: Iterable[str]) -> Chunk:
    """A chunk to be kept, without secrets that are whole in it."""
    return Chunk(after=round(after, 6), data=base64.b64encode(masked(data, secrets)).decode())


class Tape:
    """The files of a cassette: <digest>-<n>.json."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, answer: Answer) -> Path:
        """Keep an answer beside those to the same request."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = answer.model_dump_json()
        for number in range(1_000_000):
            path = self.folder / f"{answer.digest}-{number}.json"
            try:
                with path.open("x", encoding="utf-8") as file:
                    file.write(text)
                return path
            except FileExistsError:
                continue
        raise OSError(f"{self.folder}: too many answers to one request")

    def answers(self, name: str) -> list[Answer]:
        """All answers to a request, in the order of recording. Raises ValueError for a bad file."""
        found = sorted(self.folder.glob(f"{name}-*.json"), key=lambda p: int(p.stem.split("-")[1]))
        return [Answer.model_validate_json(path.read_bytes()) for path in found]

    def missed(self, name: str, request: JsonObject) -> None:
        """Leave word of a request that has no answer, to compare with those that have."""
        folder = self.folder / "missed"
        folder.mkdir(parents=True, exist_ok=True)
        if len(list(folder.iterdir())) < 100:
            (folder / f"{name}.json").write_text(json.dumps(request, indent=1), encoding="utf-8")
