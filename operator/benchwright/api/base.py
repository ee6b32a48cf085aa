"""Base model and bounded types: every string and list in a resource has a limit (CEL costs, etcd)."""

from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, StringConstraints
from pydantic.alias_generators import to_camel

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

GROUP = "benchwright.dev"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"

DNS_LABEL = r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"

Name = Annotated[str, StringConstraints(pattern=DNS_LABEL, max_length=63)]
ShortText = Annotated[str, StringConstraints(max_length=256)]
Text = Annotated[str, StringConstraints(max_length=4096)]
Script = Annotated[str, StringConstraints(min_length=1, max_length=65536)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$", max_length=64)]
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$", max_length=71)]
ImageRef = Annotated[str, StringConstraints(min_length=1, max_length=512)]
RelPath = Annotated[
    str, StringConstraints(pattern=r"^[^/\x00][^\x00]*$", min_length=1, max_length=512)
]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=256)]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]
Quantity = Annotated[
    str, StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)?(m|Ki|Mi|Gi|Ti)?$", max_length=16)
]
Timestamp = Annotated[
    str, StringConstraints(max_length=40), Field(json_schema_extra={"format": "date-time"})
]
Seconds = Annotated[int, Field(ge=1, le=604800)]
Count = Annotated[int, Field(ge=0)]

M = TypeVar("M", bound=BaseModel)


class Model(BaseModel):
    """A part of a resource: camelCase outside, snake_case inside, frozen, unknown fields refused."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: "CoreSchema", handler: GetJsonSchemaHandler
    ) -> "JsonSchemaValue":
        """What the text below a field says is its description."""
        from benchwright.api.fielddocs import field_docs

        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        texts = field_docs(cls)
        for name in cls.model_fields.keys() & texts.keys():
            properties[cls.model_fields[name].alias or name]["description"] = texts[name]
        return schema

    def dump(self) -> dict[str, object]:
        """As JSON-ready data in the resource's own spelling; what was never set is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def parse_stored(model: type[M], data: object) -> M:
    """Read what the API server stored: fields that a newer CRD added are ignored, not refused."""
    return model.model_validate(data, extra="ignore")
