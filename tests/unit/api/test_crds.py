"""The generated CRDs: structural, bounded everywhere, documented, and the same as in crds/."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.api.crd import KINDS, Kind, definition
from benchwright.cli.crds import rendered
from tests.unit.api.schemas import Schema, problems, schema_of, walk

ROOT = Path(__file__).parents[3]
NODES = [(k.kind + at, node) for k in KINDS for at, node in walk(schema_of(k.kind))]
OUTSIDE = re.compile(r"\w+(\.apiVersion|\.kind|\.metadata)?")
"""The object's own type, kind and metadata are bounded by the API server itself."""
OURS = [(at, node) for at, node in NODES if not OUTSIDE.fullmatch(at)]


def _of_type(kind: str) -> Iterator[tuple[str, Schema]]:
    return ((at, node) for at, node in OURS if node["type"] == kind)


def test_the_directory_holds_what_the_models_say() -> None:
    """Run `make crds` where this fails."""
    on_disk = {path.name: path.read_text() for path in (ROOT / "crds").glob("*.yaml")}
    assert on_disk == rendered()


def test_a_crd_fits_into_what_kubectl_apply_remembers() -> None:
    """The last-applied annotation holds 262,144 bytes in all."""
    sizes = {kind.kind: len(json.dumps(definition(kind))) for kind in KINDS}
    assert max(sizes.values()) < 200_000, sizes


FORBIDDEN = {
    "$ref", "$defs", "anyOf", "oneOf", "allOf", "const", "exclusiveMinimum", "exclusiveMaximum",
    "prefixItems", "propertyNames", "title", "examples", "discriminator", "definitions", "not",
    "patternProperties", "nullable",
}  # fmt: skip


def test_nothing_is_used_that_a_structural_schema_may_not_hold() -> None:
    """dynamo#6509, kopf#524, kubernetes#85127."""
    assert [(at, key) for at, node in NODES for key in FORBIDDEN & node.keys()] == []
    assert [at for at, node in NODES if node.get("additionalProperties") in (True, False)] == []


def test_every_node_has_one_type() -> None:
    kinds = {"object", "array", "string", "boolean", "integer", "number"}
    assert [at for at, node in NODES if node.get("type") not in kinds] == []


def test_every_string_is_bounded() -> None:
    """By maxLength, enum or a format of fixed form: CEL's cost and etcd's size depend on it."""
    free = [at for at, n in _of_type("string") if not {"maxLength", "enum"} & n.keys()]
    assert free == []


def test_every_list_is_bounded() -> None:
    assert [at for at, node in _of_type("array") if "maxItems" not in node] == []


def test_every_map_is_bounded() -> None:
    free = [
        at
        for at, n in _of_type("object")
        if "additionalProperties" in n and "maxProperties" not in n
    ]
    assert free == []


EXIT_CODES = {f"Trial.status.measurements.replay.{name}" for name in ("setupExit", "testExit")}
"""Whatever the kernel said."""


def test_every_number_has_a_lower_bound() -> None:
    found = [*_of_type("integer"), *_of_type("number")]
    assert {at for at, node in found if "minimum" not in node} == EXIT_CODES


def test_no_part_is_of_unknown_form() -> None:
    loose = [at for at, node in OURS if node.get("x-kubernetes-preserve-unknown-fields")]
    assert loose == []
    empty = [
        at for at, n in _of_type("object") if not {"properties", "additionalProperties"} & n.keys()
    ]
    assert empty == []


def test_kubectl_explain_says_something_about_every_field() -> None:
    silent = [
        at for at, node in OURS if not at.endswith(("[]", "{}")) and not node.get("description")
    ]
    assert silent == []


def test_defaults_are_what_the_schema_itself_accepts() -> None:
    found = [(at, p) for at, n in NODES if "default" in n for p in problems(n, n["default"], at)]
    assert found == []
    assert [at for at, node in NODES if "default" in node and node["default"] is None] == []


def test_required_fields_are_fields() -> None:
    for at, node in NODES:
        assert set(node.get("required", [])) <= set(node.get("properties", {})), at


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.kind)
def test_conventions_of_each_kind(kind: Kind) -> None:
    spec = definition(kind)["spec"]
    assert spec["group"] == "benchwright.dev"
    assert spec["names"]["categories"] == ["benchwright"]
    (version,) = spec["versions"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)
    assert version["subresources"] == {"status": {}}
    status = schema_of(kind.kind)["properties"]["status"]["properties"]
    conditions = status["conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]
    assert "type" in conditions["items"]["required"]
    assert "observedGeneration" in status


def test_short_names() -> None:
    names = {k.kind: definition(k)["spec"]["names"]["shortNames"] for k in KINDS}
    assert names == {"BenchmarkRun": ["brun"], "Agent": ["bagent"], "TaskSet": [], "Trial": []}


def _resolve(root: Schema, path: str) -> Schema:
    node = root
    for name in re.sub(r"\[[^]]*\]", "[]", path).lstrip(".").split("."):
        node = node["properties"][name.removesuffix("[]")]
        node = node["items"] if name.endswith("[]") else node
    return node


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.kind)
def test_every_column_of_kubectl_get_shows_a_field_that_exists(kind: Kind) -> None:
    columns = definition(kind)["spec"]["versions"][0]["additionalPrinterColumns"]
    assert columns[-1]["name"] == "Age"
    for column in columns[:-1]:
        assert _resolve(schema_of(kind.kind), column["jsonPath"])["type"] == column["type"]


@pytest.mark.parametrize("kind", [k for k in KINDS if k.selectable], ids=lambda k: k.kind)
def test_every_selectable_field_is_a_string(kind: Kind) -> None:
    (version,) = definition(kind)["spec"]["versions"]
    for field in version["selectableFields"]:
        assert _resolve(schema_of(kind.kind), field["jsonPath"])["type"] == "string"
