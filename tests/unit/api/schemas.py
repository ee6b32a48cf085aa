"""What an API server does with a structural schema: defaults, validation, walking."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.api.crd import KINDS, definition
from tests.unit.api.cel import evaluate

Schema = Mapping[str, Any]


def schema_of(kind: str) -> Schema:
    """The openAPIV3Schema of a kind."""
    found = next(definition(k) for k in KINDS if k.kind == kind)
    root: Schema = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return root


def walk(schema: Schema, at: str = "") -> Iterator[tuple[str, Schema]]:
    """Every node with its path; list items are `[]`, map values `{}`."""
    yield at, schema
    for name, child in schema.get("properties", {}).items():
        yield from walk(child, f"{at}.{name}")
    if "items" in schema:
        yield from walk(schema["items"], f"{at}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from walk(schema["additionalProperties"], f"{at}{{}}")


def defaulted(schema: Schema, value: Any) -> Any:
    """The value with defaults where nothing is given, as the API server stores it."""
    if isinstance(value, dict) and "properties" in schema:
        filled = dict(value)
        for name, child in schema["properties"].items():
            if name not in filled and "default" in child:
                filled[name] = child["default"]
            if name in filled:
                filled[name] = defaulted(child, filled[name])
        return filled
    if isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        return {k: defaulted(schema["additionalProperties"], v) for k, v in value.items()}
    if isinstance(value, list) and "items" in schema:
        return [defaulted(schema["items"], v) for v in value]
    return value


_TYPES: Mapping[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
    "number": (int, float),
}  # fmt: skip


def problems(schema: Schema, value: Any, at: str = "") -> list[str]:
    """What the API server would refuse, CEL rules aside."""
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return [f"{at}: {value!r} is no {kind}"]
    found = [f"{at}: {text}" for text in _bounds(schema, value)]
    if kind == "array":
        for item in value:
            found += problems(schema["items"], item, f"{at}[]")
    if kind == "object":
        found += [f"{at}.{n}: required" for n in schema.get("required", []) if n not in value]
        found += _fields(schema, value, at)
    return found


def _fields(schema: Schema, value: Mapping[str, Any], at: str) -> list[str]:
    found: list[str] = []
    properties, rest = schema.get("properties"), schema.get("additionalProperties")
    for name, item in value.items():
        if properties is not None and name in properties:
            found += problems(properties[name], item, f"{at}.{name}")
        elif isinstance(rest, dict):
            found += problems(rest, item, f"{at}{{{name}}}")
        elif properties is not None:
            found.append(f"{at}.{name}: pruned, the schema does not have it")
    return found


def _bounds(schema: Schema, value: Any) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{value!r} is none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{value!r} does not match {schema['pattern']}"
    for low, high, size in (
        ("minLength", "maxLength", len),
        ("minItems", "maxItems", len),
        ("minProperties", "maxProperties", len),
        ("minimum", "maximum", lambda v: v),
    ):
        if low in schema and size(value) < schema[low]:
            yield f"{value!r} is under {low} {schema[low]}"
        if high in schema and size(value) > schema[high]:
            yield f"over {high} {schema[high]}"


def violations(schema: Schema, value: Any, old: Any = None) -> list[str]:
    """Messages of the CEL rules that do not hold; transition rules need an old value."""
    found = []
    for rule in schema.get("x-kubernetes-validations", []):
        if ("oldSelf" not in rule["rule"] or old is not None) and not evaluate(
            rule["rule"], value, old
        ):
            found.append(rule["message"])
    if isinstance(value, dict):
        for name, child in schema.get("properties", {}).items():
            if name in value:
                before = old.get(name) if isinstance(old, dict) else None
                found += violations(child, value[name], before)
    if isinstance(value, list) and "items" in schema:
        for item in value:
            found += violations(schema["items"], item)
    return found
