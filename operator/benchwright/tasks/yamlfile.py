"""YAML with line numbers, and pydantic's complaints put in words with file, line and field."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedBase
from ruamel.yaml.error import MarkedYAMLError, StreamMark
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, Event
from ruamel.yaml.parser import RoundTripParser
from ruamel.yaml.scanner import RoundTripScanner

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 60


class YamlProblem(Exception):
    """The text is not YAML, or not as expected; the message starts with file:line."""


class _Refused(MarkedYAMLError):
    """YAML that is well-formed and not taken."""

    def __init__(self, problem: str, mark: StreamMark):
        super().__init__(problem=problem, problem_mark=mark)


_TOO_DEEP = f"nested deeper than {MAX_DEPTH}"


class _Scanner(RoundTripScanner):
    """Bounds nesting while it reads ahead: ruamel looks at all of 2,000 open brackets, for seconds,
    before the parser hears of the first."""

    def fetch_flow_collection_start(self, TokenClass: Any, to_push: str) -> None:  # noqa: N803
        if len(self.flow_context) >= MAX_DEPTH:
            raise _Refused(_TOO_DEEP, self.reader.get_mark())
        super().fetch_flow_collection_start(TokenClass, to_push)


class _Parser(RoundTripParser):
    """Refuses aliases (a bomb is 400 bytes) and deep nesting before anything is built of them."""

    _depth = 0

    def get_event(self) -> Event:
        event: Event = super().get_event()
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            raise _Refused("anchors and aliases are not supported: write it out", event.start_mark)
        self._depth += isinstance(event, CollectionStartEvent)
        self._depth -= isinstance(event, CollectionEndEvent)
        if self._depth > MAX_DEPTH:
            raise _Refused(_TOO_DEEP, event.start_mark)
        return event


def load_all(text: str, name: str) -> list[Any]:
    """Documents of a file: plain data with positions."""
    if len(text) > MAX_BYTES:
        raise YamlProblem(f"{name}: larger than {MAX_BYTES} bytes")
    yaml = YAML(typ="rt")
    yaml.allow_duplicate_keys = False
    yaml.Scanner, yaml.Parser = _Scanner, _Parser
    try:
        return [d for d in yaml.load_all(text) if d is not None]
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise YamlProblem(f"{name}:{line}: {error.problem or error.context}") from error
    except Exception as error:
        # ruamel raises what it likes on odd input (tags, timestamps); none of it is a bug of ours.
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise YamlProblem(f"{name}: is not readable as YAML: {said}") from error


def plain(node: Any) -> Any:
    """ruamel's containers → dict, list and scalars."""
    if isinstance(node, Mapping):
        return {str(k): plain(v) for k, v in node.items()}
    if isinstance(node, Sequence) and not isinstance(node, str | bytes):
        return [plain(v) for v in node]
    if isinstance(node, bool) or node is None:
        return node
    for kind in (int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return str(node)


def line_of(document: Any, path: Sequence[object]) -> int:
    """Line (from 1) of the deepest part of `path` that the document has."""
    node, line = document, 1
    for step in path:
        if not isinstance(node, CommentedBase):
            break
        line = _position(node, step) or line
        try:
            node = node[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            break
    return line


def _position(node: CommentedBase, step: object) -> int | None:
    try:
        position = node.lc.key(step) if hasattr(node, "keys") else node.lc.item(step)
        return int(position[0]) + 1
    except (KeyError, AttributeError, TypeError, IndexError):
        return None


def explain(
    error: ValidationError, document: Any, name: str, prefix: Sequence[object] = ()
) -> list[str]:
    """One line a problem: `file:line: field: what is wrong`."""
    out = []
    for problem in error.errors(include_url=False):
        path = [*prefix, *problem["loc"]]
        field = ".".join(str(p) for p in path) or "document"
        message = problem["msg"].removeprefix("Value error, ")
        out.append(f"{name}:{line_of(document, path)}: {field}: {message}")
    return out
