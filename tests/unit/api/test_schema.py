"""schema.structural: what pydantic writes becomes what a CRD may hold, or an error that says where."""

from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field, create_model

from benchwright.api.base import Model
from benchwright.api.schema import SchemaError, structural


class Inner(Model):
    """The inner part."""

    size: Annotated[int, Field(ge=0)] = 1
    """How large."""


class Outer(Model):
    """The outer part."""

    first_part: Inner
    """Beside the reference."""
    maybe: Inner | None = None
    many: Annotated[tuple[Inner, ...], Field(max_length=3)] = ()
    named: Annotated[dict[str, Inner], Field(max_length=2)] = {}
    fixed: Literal["only"] = "only"
    choice: Literal["a", "b"] = "a"
    word: Annotated[str, Field(max_length=9)] | None = None
    """A word, or nothing."""


FOUND = structural(Outer, {"Inner": [{"rule": "true", "message": "m"}]})["properties"]


def test_references_are_inlined_with_both_descriptions() -> None:
    assert FOUND["firstPart"]["properties"]["size"] == {
        "type": "integer", "minimum": 0, "default": 1, "description": "How large.",
    }  # fmt: skip
    # What it is for here, and what it is anywhere.
    assert FOUND["firstPart"]["description"] == "Beside the reference. The inner part."


class Wider(Outer):
    """Has what the outer part has."""

    choice: Literal["a", "b"] = "b"
    """Said again."""
    bare: int = 0
    limit: ClassVar[int] = 3
    """No field."""


def test_what_is_said_below_a_field_is_its_description_also_in_a_class_that_inherits_it() -> None:
    found = structural(Wider, {})["properties"]
    said = {name: field.get("description") for name, field in found.items()}
    assert said["word"] == "A word, or nothing."
    assert said["choice"] == "Said again."
    assert said["bare"] is None
    assert "limit" not in said


def test_a_rule_is_put_wherever_its_model_is_used() -> None:
    places = [
        FOUND["firstPart"],
        FOUND["maybe"],
        FOUND["many"]["items"],
        FOUND["named"]["additionalProperties"],
    ]
    assert all(place["x-kubernetes-validations"] for place in places)


def test_optional_is_a_field_that_may_be_left_out_not_a_union() -> None:
    assert FOUND["word"] == {"type": "string", "maxLength": 9, "description": "A word, or nothing."}
    assert "default" not in FOUND["maybe"]


def test_one_literal_is_an_enum_of_one() -> None:
    assert FOUND["fixed"]["enum"] == ["only"]
    assert FOUND["choice"]["enum"] == ["a", "b"]


def test_what_was_given_is_not_changed() -> None:
    before = Outer.model_json_schema(by_alias=True)
    structural(Outer, {})
    assert Outer.model_json_schema(by_alias=True) == before


@pytest.mark.parametrize(
    "field",
    [(int | str, ...), (Annotated[int, Field(gt=0)], ...), (tuple[int, str], ...)],
    ids=["a union", "an exclusive bound", "a tuple of different things"],
)
def test_what_a_crd_cannot_say_is_an_error_that_names_the_field(field: object) -> None:
    bad: type[BaseModel] = create_model("Bad", part=field)  # type: ignore[call-overload]
    with pytest.raises(SchemaError, match=r"Bad\.part"):
        structural(bad, {})
