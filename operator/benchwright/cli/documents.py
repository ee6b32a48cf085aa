"""Reading YAML files into documents that know their lines. No input ends in a stack trace."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.api.base import GROUP
from benchwright.cli.findings import Finding
from benchwright.tasks.yamlfile import MAX_BYTES, YamlProblem, line_of, load_all, plain


@dataclass(frozen=True)
class Document:
    """One document of a file."""

    file: str
    node: Any
    """With positions."""
    data: dict[str, Any]
    """Plain."""
    named: bool = True
    """Whether the user named the file, or it was found in a folder."""

    @property
    def api_version(self) -> str:
        return _text(self.data.get("apiVersion"))

    @property
    def kind(self) -> str:
        return _text(self.data.get("kind"))

    @property
    def metadata(self) -> Mapping[str, Any]:
        found = self.data.get("metadata")
        return found if isinstance(found, Mapping) else {}

    @property
    def name(self) -> str:
        return _text(self.metadata.get("name"))

    @property
    def namespace(self) -> str:
        return _text(self.metadata.get("namespace"))

    @property
    def ours(self) -> bool:
        return self.api_version.split("/")[0] == GROUP

    @property
    def subject(self) -> str:
        return f"{self.kind or '?'}/{self.name or '?'}"

    def where(self, path: Sequence[object] = ()) -> str:
        """file:line of the deepest part of `path` that is there."""
        start = getattr(getattr(self.node, "lc", None), "line", None)
        first = (start if isinstance(start, int) else 0) + 1
        return f"{self.file}:{max(_line(self.node, path), first)}"


def _line(node: Any, path: Sequence[object]) -> int:
    """Line of the deepest part of `path` that has a position; ruamel gives none to some."""
    for length in range(len(path), 0, -1):
        with contextlib.suppress(TypeError):
            return line_of(node, path[:length])
    return 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read(path: Path, *, named: bool = True) -> tuple[list[Document], list[Finding]]:
    """Documents of a file that are mappings, and what is wrong with the others."""
    name = str(path)
    try:
        nodes = _load(path, name)
    except YamlProblem as error:
        return [], [Finding(*_split(str(error), name))]
    documents, findings = [], []
    for node in nodes:
        if isinstance(node, Mapping):
            documents.append(Document(name, node, plain(node), named))
        else:
            where = Document(name, node, {}).where()
            findings.append(Finding(where, "", "", "is no mapping of fields: not a manifest"))
    return documents, findings


def _split(message: str, name: str) -> tuple[str, str, str, str]:
    """`file:line: text` → where and message."""
    rest = message.removeprefix(name)
    line, _, text = rest.partition(": ")
    return f"{name}{line}", "", "", text or message


def _load(path: Path, name: str) -> list[Any]:
    try:
        if not path.is_file():
            what = "is no plain file" if path.exists() else "there is no such file or folder"
            raise YamlProblem(f"{name}: {what}")
        if path.stat().st_size > MAX_BYTES:
            raise YamlProblem(f"{name}: larger than {MAX_BYTES} bytes: not a manifest")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise YamlProblem(f"{name}: is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise YamlProblem(f"{name}: cannot be read: {error.strerror}") from error
    return load_all(text, name)
