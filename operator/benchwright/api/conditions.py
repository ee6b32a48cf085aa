"""Conditions shaped like metav1.Condition, and their algebra (pure)."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.base import Model, Timestamp

Reason = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9]*$", max_length=64)]
MESSAGE_MAX = 1024


class Condition(Model):
    """One aspect of the state, in the form of metav1.Condition."""

    type: Annotated[str, StringConstraints(max_length=64)]
    """What is spoken of, such as Resolved or Complete."""
    status: Literal["True", "False", "Unknown"]
    """Whether it holds; Unknown while it cannot be told yet."""
    reason: Reason
    """One CamelCase word for programs."""
    message: Annotated[str, StringConstraints(max_length=MESSAGE_MAX)] = ""
    """A sentence for people: what is wrong, where, and what to do."""
    observed_generation: Annotated[int, Field(ge=0)] = 0
    """The spec's generation that this was said of."""
    last_transition_time: Timestamp
    """When the status last changed."""


def set_condition(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """Replace the condition of the same type; the transition time stays while the status does."""
    old = next((c for c in conditions if c.type == new.type), None)
    if old is not None and old.status == new.status:
        new = new.model_copy(update={"last_transition_time": old.last_transition_time})
    rest = tuple(c for c in conditions if c.type != new.type)
    return tuple(sorted((*rest, new), key=lambda c: c.type))


def drop_condition(conditions: tuple[Condition, ...], kind: str) -> tuple[Condition, ...]:
    """Without the condition of this type."""
    return tuple(c for c in conditions if c.type != kind)


def truncate(message: str, limit: int = MESSAGE_MAX) -> str:
    """Messages quote what others said, which may be long."""
    return message if len(message) <= limit else message[: limit - 1] + "…"
