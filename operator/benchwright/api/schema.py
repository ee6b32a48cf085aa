"""pydantic's JSON schema → the structural schema that a CRD may hold (pure).

Kubernetes takes no $ref, const, anyOf with null, exclusiveMinimum or additionalProperties: false
(research: ai-dynamo/dynamo#6509, nolar/kopf#524, kubernetes/kubernetes#85127).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]
_DROPPED = {"title", "examples", "discriminator", "$defs"}


class SchemaError(Exception):
    """A model uses something that a CRD cannot express; the message says where."""


def structural(model: type[BaseModel], rules: Mapping[str, list[dict[str, str]]]) -> Schema:
    """Schema of `model` with references inlined; `rules` adds CEL rules by model class name."""
    raw = model.model_json_schema(by_alias=True)
    return _convert(raw, raw.get("$defs", {}), rules, model.__name__)


def _convert(
    node: Schema, defs: Schema, rules: Mapping[str, list[dict[str, str]]], at: str
) -> Schema:
    node, name = _resolve(node, defs, at)
    out: Schema = {}
    for key, value in node.items():
        if key in _DROPPED or (key == "additionalProperties" and value is False):
            continue
        if key in {
            "exclusiveMinimum",
            "exclusiveMaximum",
            "prefixItems",
            "allOf",
            "oneOf",
            "anyOf",
        }:
            raise SchemaError(f"{at}: {key} has no place in a CRD schema")
        out[key] = _value(key, value, defs, rules, at)
    if "const" in out:
        out["enum"] = [out.pop("const")]
    # What keys of a map may look like is checked by `benchwright validate` and the operator.
    out.pop("propertyNames", None)
    patterns = out.pop("patternProperties", None)
    if patterns:
        out["additionalProperties"] = next(iter(patterns.values()))
    if "default" in out:
        out["default"] = _without_null(out["default"])
    if name in rules:
        out["x-kubernetes-validations"] = [dict(r) for r in rules[name]]
    if _is_condition_list(out):
        out["x-kubernetes-list-type"] = "map"
        out["x-kubernetes-list-map-keys"] = ["type"]
    if (
        out.get("type") == "object"
        and "properties" not in out
        and "additionalProperties" not in out
    ):
        out["x-kubernetes-preserve-unknown-fields"] = True
    return out


def _value(
    key: str, value: Any, defs: Schema, rules: Mapping[str, list[dict[str, str]]], at: str
) -> Any:
    if key == "properties":
        return {n: _convert(v, defs, rules, f"{at}.{n}") for n, v in value.items()}
    if key in {"items", "additionalProperties"} and isinstance(value, dict):
        return _convert(value, defs, rules, f"{at}[]")
    if key == "patternProperties":
        return {p: _convert(v, defs, rules, f"{at}[]") for p, v in value.items()}
    if key == "description":
        return " ".join(str(value).split())
    return value


def _without_null(value: Any) -> Any:
    """A field that may be left out has no null in Kubernetes: it is not there."""
    if isinstance(value, dict):
        return {k: _without_null(v) for k, v in value.items() if v is not None}
    return value


def _resolve(node: Schema, defs: Schema, at: str) -> tuple[Schema, str]:
    """Follow $ref and collapse Optional; a description beside the reference wins."""
    name = str(node.get("title", "")) if "properties" in node else ""
    if "anyOf" in node:
        real = [n for n in node["anyOf"] if n.get("type") != "null"]
        if len(real) != 1:
            raise SchemaError(f"{at}: a union of {len(real)} types has no place in a CRD schema")
        rest = {k: v for k, v in node.items() if k not in {"anyOf", "default"} or v is None}
        rest.pop("anyOf", None)
        rest.pop("default", None)
        return _resolve({**real[0], **rest}, defs, at)
    if "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        target, _ = _resolve(defs[name], defs, at)
        rest = {k: v for k, v in node.items() if k != "$ref"}
        both = [d for d in (node.get("description"), target.get("description")) if d]
        return {**target, **rest, **({"description": " ".join(both)} if both else {})}, name
    return node, name


def _is_condition_list(node: Schema) -> bool:
    properties = node.get("items", {}).get("properties", {})
    return node.get("type") == "array" and "lastTransitionTime" in properties
