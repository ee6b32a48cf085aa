"""Values: dataclasses that are never changed. mypy sees to it, not each construction: a frozen
dataclass costs three times as much to make, and a call makes some thirty."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(cls: type[T]) -> type[T]:
    """Class decorator: fields, equality, hash and slots."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
