"""One document against the rules of the API server: types, bounds, unknown fields, CEL rules."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from benchwright.api.base import API_VERSION, Name
from benchwright.api.crd import KINDS, RULES, Kind
from benchwright.api.schema import structural
from benchwright.cli.documents import Document
from benchwright.cli.findings import Finding, dotted
from benchwright.cli.rules import broken_rules
from benchwright.cli.wording import Schema, say

KIND = {kind.kind: kind for kind in KINDS}
_LABEL_KEY = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"
_LABEL_VALUE = r"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"
LabelKey = Annotated[str, StringConstraints(pattern=_LABEL_KEY, max_length=317)]
LabelValue = Annotated[str, StringConstraints(pattern=_LABEL_VALUE)]
Path = Sequence[str | int]


class Metadata(BaseModel):
    """What is checked of metadata; a run refers to the others by name, so names are labels."""

    model_config = ConfigDict(extra="allow")

    name: Name
    namespace: Name = "default"
    labels: dict[LabelKey, LabelValue] = {}
    annotations: dict[LabelKey, str] = {}


class Envelope(BaseModel):
    """A resource without its kind's own part."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)

    api_version: Annotated[Literal["benchwright.dev/v1alpha1"], Field(alias="apiVersion")]
    kind: str
    metadata: Metadata
    spec: dict[str, Any]
    status: dict[str, Any] = {}


@dataclass(frozen=True)
class Checked:
    """A document of ours; `spec` is None where it is wrong."""

    document: Document
    spec: BaseModel | None
    findings: tuple[Finding, ...]


def check(document: Document) -> Checked:
    """All problems of a document whose group is ours."""
    kind = KIND.get(document.kind)
    if kind is None:
        there = ", ".join(KIND)
        text = f"is no kind of {API_VERSION}: choose one of {there}"
        finding = Finding(document.where(("kind",)), document.subject, "kind", text)
        return Checked(document, None, (finding,))
    _, findings = check_part(document, Envelope, (), dict)
    spec, more = check_part(document, kind.spec, ("spec",), partial(schema_of, kind, "spec"))
    findings += more
    if isinstance(document.data.get("status"), Mapping):
        schema = partial(schema_of, kind, "status")
        findings += check_part(document, kind.status, ("status",), schema)[1]
    return Checked(document, spec, tuple(findings))


@cache
def schema_of(kind: Kind, part: str) -> Schema:
    """The structural schema of a kind's spec or status."""
    return structural(kind.spec if part == "spec" else kind.status, RULES)


def check_part(
    document: Document,
    model: type[BaseModel],
    prefix: Path,
    schema: Callable[[], Schema],
    subject: str | None = None,
) -> tuple[BaseModel | None, list[Finding]]:
    """The part of the document at `prefix` as `model`, or what is wrong with it.

    Checked as strict JSON with the resource's own spelling: what pydantic would convert ("3" to 3,
    snake_case names) the API server refuses. The schema, for what is said, is made only where
    something is wrong.
    """
    data: Any = document.data
    for step in prefix:
        data = data.get(step) if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping):
        return None, []  # the envelope has said so
    found = [] if model is Envelope else list(_nulls(data))
    problems = [(path, "is empty: give it a value or remove the line") for path in found]
    parsed = None
    try:
        text = json.dumps(data)
        parsed = model.model_validate_json(text, strict=True, by_alias=True, by_name=False)
        problems += broken_rules(parsed)
    except ValidationError as error:
        problems += [(p["loc"], say(p, schema())) for p in _own(error) if p["loc"] not in found]
    except (ValueError, RecursionError) as error:
        problems.append(((), f"cannot be written as JSON: {error}"))
    subject = document.subject if subject is None else subject
    findings = [
        Finding(document.where((*prefix, *path)), subject, dotted((*prefix, *path)), text)
        for path, text in problems
    ]
    return (None if findings else parsed), findings


def _own(error: ValidationError) -> list[ErrorDetails]:
    """Without lists that are "too short" only because their items are wrong."""
    every = error.errors(include_url=False)
    inner = {p["loc"][:n] for p in every for n in range(len(p["loc"]))}
    return [p for p in every if p["type"] != "too_short" or p["loc"] not in inner]


def _nulls(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where nothing was written. pydantic takes it for a default, the API server does not always."""
    if node is None:
        yield path
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from _nulls(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _nulls(value, (*path, index))
