"""Arithmetic on Kubernetes quantities."""

import re
from decimal import Decimal


def multiply(quantity: str, factor: int) -> str:
    """`512Mi` × 3 → `1536Mi`; the unit stays, so that the result reads like the input."""
    match = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", quantity)
    if not match:
        raise ValueError(f"{quantity!r} is not a quantity")
    number = Decimal(match[1]) * factor
    return f"{number.normalize():f}{match[2]}"
