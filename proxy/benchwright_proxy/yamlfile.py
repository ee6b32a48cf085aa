"""YAML files checked against a pydantic model, with errors that name the file and the field."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

Model = TypeVar("Model", bound=BaseModel)


class FileError(Exception):
    """A file that cannot be used. The message is `<file>: <field>: <what is wrong>`, one a line."""


def load(path: Path, model: type[Model]) -> Model:
    """`path` as a `model`. Raises FileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise FileError(f"{path}: cannot be read: {_reason(error)}") from error
    return parse(text, path, model)


def parse(text: str, path: Path, model: type[Model]) -> Model:
    """`text`, which came from `path`, as a `model`. Raises FileError."""
    try:
        data: object = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        raise FileError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise FileError(f"{path}: expected a mapping at the top, found {type(data).__name__}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = [f"{path}: {_describe(item)}" for item in error.errors(include_url=False)]
        raise FileError("\n".join(lines)) from error


def _reason(error: OSError | UnicodeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _describe(error: ErrorDetails) -> str:
    where = ""
    for part in error["loc"]:
        where += f"[{part}]" if isinstance(part, int) else f".{part}"
    message = error["msg"].removeprefix("Value error, ")
    return f"{where.lstrip('.')}: {message}" if where else message
