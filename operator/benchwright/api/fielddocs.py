"""What the text below a field says of it, for schemas.

pydantic can read these texts too, but does so for every class whenever a program starts: a sixth of
the time that `benchwright validate` takes. Only who makes a schema needs them.
"""

import ast
import inspect
import textwrap
from itertools import pairwise

from pydantic import BaseModel


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Texts by the name of the field, those of base classes included."""
    found: dict[str, str] = {}
    for definition in reversed(model.__mro__):
        if issubclass(definition, BaseModel) and definition is not BaseModel:
            found |= _own(definition)
    return found


def _own(model: type[BaseModel]) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(definition, ast.ClassDef)
    texts = {_field(one): _text(other) for one, other in pairwise(definition.body)}
    return {name: text for name, text in texts.items() if name and text}


def _field(node: ast.stmt) -> str | None:
    target = node.target if isinstance(node, ast.AnnAssign) else None
    return target.id if isinstance(target, ast.Name) else None


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return inspect.cleandoc(node.value.value) if isinstance(node.value.value, str) else None
    return None
