"""Results of the analysis as plain JSON values: nothing undefined becomes a number on the way."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from math import isfinite

from benchwright.stats.values import Undefined

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def plain(value: object) -> Json:
    """Dataclasses → objects by field, Undefined → {"undefined": code, "reason": …}, Decimal → string.

    Raises TypeError for what has no JSON form, and for NaN and infinity, which are none either.
    """
    if isinstance(value, Undefined):
        return {"undefined": value.code, "reason": value.reason}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(of) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return _scalar(value)


def _scalar(value: object) -> Json:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    raise TypeError(f"{value!r} has no JSON form")
