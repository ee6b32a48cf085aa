"""Which files are meant: manifests and task directories, named or found in folders."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.cli.documents import Document, read
from benchwright.cli.findings import Finding
from benchwright.cli.taskdirs import is_task
from benchwright.tasks.layout import TASK_FILE

_SUFFIXES = (".yaml", ".yml")


@dataclass
class Inputs:
    """What was read."""

    documents: list[Document] = field(default_factory=list)
    task_folders: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def collect(paths: Iterable[Path]) -> Inputs:
    """Read files; in folders, every *.yaml and *.yml that is not inside a task directory."""
    inputs = Inputs()
    for path in paths:
        if path.is_dir():
            _folder(path, inputs)
        elif path.name == TASK_FILE and _is_bare_task(path):
            inputs.task_folders.append(path.parent)
        else:
            _add(path, inputs, named=True)
    return inputs


def _is_bare_task(path: Path) -> bool:
    documents, _ = read(path)
    return not any("apiVersion" in d.data for d in documents)


def _folder(folder: Path, inputs: Inputs) -> None:
    before = len(inputs.documents) + len(inputs.task_folders) + len(inputs.findings)
    for path in _walk(folder):
        if path.is_dir():
            inputs.task_folders.append(path)
        else:
            _add(path, inputs, named=False)
    if before == len(inputs.documents) + len(inputs.task_folders) + len(inputs.findings):
        text = "holds neither a manifest (*.yaml) nor a task directory (task.yaml)"
        inputs.findings.append(Finding(str(folder), "", "", text))


def _walk(folder: Path) -> Iterator[Path]:
    """Task directories and manifests below, in order of names; hidden folders are passed over."""
    for top, folders, files in os.walk(folder):
        here = Path(top)
        if is_task(here):
            folders.clear()
            yield here
            continue
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (here / f for f in sorted(files) if f.endswith(_SUFFIXES))


def _add(path: Path, inputs: Inputs, *, named: bool) -> None:
    documents, findings = read(path, named=named)
    inputs.documents += documents
    inputs.findings += findings
