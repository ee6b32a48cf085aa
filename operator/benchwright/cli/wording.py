"""pydantic's complaints as sentences that say what to do."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from benchwright.api.base import DNS_LABEL

Schema = Mapping[str, Any]
_PATTERNS = {
    DNS_LABEL: "use lower-case letters, digits and '-', at most 63, with a letter or digit at both "
    "ends",
    r"^[0-9a-f]{64}$": "write the 64 hexadecimal digits of `sha256sum FILE`",
    r"^[0-9a-f]{40}$": "write the full commit hash, 40 hexadecimal digits: branches and tags move",
    r"^[^/\x00][^\x00]*$": "write a relative path",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "use letters, digits and '_', not starting with a digit",
    r"^[0-9]+(\.[0-9]+)?(m|Ki|Mi|Gi|Ti)?$": "write a number with an optional unit m, Ki, Mi, Gi or "
    "Ti, such as 512Mi",
}
_TYPES = {
    "string": "text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "tuple": "a list", "list": "a list", "dict": "a mapping", "model": "a mapping",
}  # fmt: skip


def say(problem: ErrorDetails, schema: Schema) -> str:
    """What is wrong at `problem["loc"]`, and what to do. `schema` is that of the whole part."""
    kind, given = problem["type"], problem["input"]
    context = problem.get("ctx") or {}
    if kind == "extra_forbidden":
        return f"unknown field: {_meant(problem['loc'], schema)}"
    if kind == "missing":
        return f"is missing: {_purpose(problem['loc'], schema)}"
    if given is None:
        return "is empty: give it a value or remove the line"
    if kind == "string_pattern_mismatch":
        pattern = str(context.get("pattern"))
        return (
            f"{_quoted(given)} does not fit: {_PATTERNS.get(pattern, f'it must match {pattern}')}"
        )
    if kind == "literal_error":
        return f"{_quoted(given)} is none of its values: choose {context.get('expected')}"
    if kind in {"too_short", "too_long"}:
        most = f"{context.get('max_length')} at most" if kind == "too_long" else "more are needed"
        return f"has {context.get('actual_length')} items, {most}"
    wanted = _TYPES.get(kind.removesuffix("_type"))
    if kind.endswith("_type") and wanted:
        return f"must be {wanted}, not {_quoted(given)}{_quotes_hint(wanted, given)}"
    message = problem["msg"].removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _quotes_hint(wanted: str, given: object) -> str:
    if wanted == "text":
        return ": put it in quotes"
    if isinstance(given, str) and wanted in {"a whole number", "a number", "true or false"}:
        return ": without quotes" if wanted != "true or false" else ": write true or false"
    return ""


def _meant(loc: Sequence[str | int], schema: Schema) -> str:
    known = list((at(schema, loc[:-1]).get("properties") or {}).keys())
    name = str(loc[-1])
    if to_camel(name) in known:
        return f"write {to_camel(name)!r}"
    close = get_close_matches(name, known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"remove it (there are: {', '.join(known)})" if known else "remove it"


def _purpose(loc: Sequence[str | int], schema: Schema) -> str:
    description = str(at(schema, loc).get("description") or "")
    return f"add it ({description.split('. ')[0].rstrip('.')})" if description else "add it"


def at(schema: Schema, path: Sequence[str | int]) -> Schema:
    """The part of a structural schema that speaks of `path`; empty where it has none."""
    for step in path:
        properties = schema.get("properties") or {}
        inner = schema.get("items") if isinstance(step, int) else properties.get(step)
        found = inner if inner is not None else schema.get("additionalProperties")
        if not isinstance(found, Mapping):
            return {}
        schema = found
    return schema
