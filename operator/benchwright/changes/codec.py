"""Frozen dataclasses ↔ JSON, strictly: what is read was written by something that we wrote.

The bytes come from a pod that an agent shared, so reading is bounded and checks every value
against the field's type: no unknown or missing key, no integer outside 0 … 2^53-1, no string or
list beyond its bound. `bytes` fields are paths (`paths.encode`); output is ASCII and sorted, so
equal documents are equal bytes.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
from enum import StrEnum
from typing import Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from . import paths

MAX_DOCUMENT = 256 * 1024 * 1024  # a base of a million files may be deleted
MAX_ITEMS = 1_000_000
MAX_TEXT = 3 * paths.MAX_PATH + 16  # the longest `paths.encode` can make of a path
MAX_INTEGER = 2**53 - 1  # what every JSON reader holds exactly


class DocumentError(ValueError):
    """The bytes are not the document that was asked for."""


class Document:
    """Mixin of a frozen dataclass that is a file of its own, with `VERSION` in it as `version`."""

    VERSION: ClassVar[int] = 1

    def to_json(self) -> bytes:
        """One line of ASCII JSON with a final newline."""
        body = {"version": self.VERSION, **_plain_fields(self)}
        return json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"

    @classmethod
    def from_json(cls, data: bytes, *, limit: int = MAX_DOCUMENT) -> Self:
        """Read what `to_json` wrote. DocumentError for anything else, whatever the bytes."""
        if len(data) > limit:
            raise DocumentError(f"document of {len(data)} bytes, at most {limit}")
        try:
            body = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise DocumentError(f"not JSON: {error}") from None
        if not isinstance(body, dict) or body.pop("version", None) != cls.VERSION:
            raise DocumentError(f"not a {cls.__name__} of version {cls.VERSION}")
        found = _read(cls, body, cls.__name__)
        assert isinstance(found, cls)
        found.check()
        return found

    def check(self) -> None:
        """Raise DocumentError where values contradict each other."""


def _plain_fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return paths.encode(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return _plain_fields(value)
    return value


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _read(kind: Any, value: Any, where: str) -> Any:
    """`value` as the type `kind`; `where` names it in errors."""
    if dataclasses.is_dataclass(kind):
        return _read_object(kind, value, where)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(get_args(kind)[0], value, where)
    if origin is tuple:
        _sized(list, value, where)
        return tuple(_read(get_args(kind)[0], item, where) for item in value)
    if origin is dict:
        _sized(dict, value, where)
        key, item = get_args(kind)
        return {_read(key, k, where): _read(item, v, where) for k, v in value.items()}
    return _read_scalar(kind, value, where)


def _sized(kind: type[list[Any] | dict[str, Any]], value: Any, where: str) -> None:
    if not isinstance(value, kind) or len(value) > MAX_ITEMS:
        raise DocumentError(f"{where}: not a {kind.__name__} of at most {MAX_ITEMS} items")


def _read_object(kind: Any, value: Any, where: str) -> Any:
    hints = _hints(kind)
    if type(value) is not dict or value.keys() != hints.keys():
        raise DocumentError(f"{where}: not the fields of {kind.__name__}")
    return kind(**{name: _read(hints[name], value[name], f"{where}.{name}") for name in hints})


def _read_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind in (int, bool):
        if type(value) is not kind or (kind is int and not 0 <= value <= MAX_INTEGER):
            raise DocumentError(f"{where}: not a {kind.__name__} in range")
        return value
    if type(value) is not str or len(value) > MAX_TEXT:
        raise DocumentError(f"{where}: not a string of at most {MAX_TEXT} characters")
    try:
        if kind is bytes:
            return paths.decode(value)
        return kind(value) if issubclass(kind, StrEnum) else value
    except ValueError:
        raise DocumentError(f"{where}: not a {kind.__name__}") from None
