"""What documents say of each other: names that meet twice or nowhere, tasks inside task sets."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchwright.api.run import BenchmarkRunSpec
from benchwright.api.taskset import ConfigMapTasks, InlineTask, TaskSetSpec
from benchwright.cli.check import Checked
from benchwright.cli.documents import Document
from benchwright.cli.findings import Finding, Path, Severity, dotted
from benchwright.core.plan import SelectorError, select
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import LoadedTask, load_directory, load_inline
from benchwright.tasks.pack import unpack

Key = tuple[str, str]
"""Namespace as written, and name."""


@dataclass
class Known:
    """What the files define."""

    agents: set[Key] = field(default_factory=set)
    task_sets: dict[Key, list[LoadedTask] | None] = field(default_factory=dict)
    """Tasks by set; None where they are elsewhere, or wrong."""


def crosscheck(checked: Sequence[Checked], others: Sequence[Document]) -> list[Finding]:
    """Findings that need more than one document, or the files inside one."""
    findings = [*_twice([c.document for c in checked])]
    known = Known()
    for item in checked:
        key = (item.document.namespace, item.document.name)
        if item.document.kind == "Agent":
            known.agents.add(key)
        elif item.document.kind == "TaskSet":
            tasks, wrong = _tasks_of(item, others)
            known.task_sets[key] = None if wrong else tasks
            findings += wrong
    for item in checked:
        if isinstance(item.spec, BenchmarkRunSpec):
            findings += _run(item.document, item.spec, known)
    return findings


def _finding(document: Document, path: Path, text: str, severity: Severity = "error") -> Finding:
    return Finding(document.where(path), document.subject, dotted(path), text, severity)


def _twice(documents: Sequence[Document]) -> Iterator[Finding]:
    first: dict[tuple[str, str, str], Document] = {}
    for document in documents:
        key = (document.kind, document.namespace, document.name)
        if document.name and key in first:
            text = f"is defined at {first[key].where()} already: rename one or remove it"
            yield _finding(document, (), text)
        first.setdefault(key, document)


def _tasks_of(
    item: Checked, others: Sequence[Document]
) -> tuple[list[LoadedTask] | None, list[Finding]]:
    if not isinstance(item.spec, TaskSetSpec):
        return None, []
    source = item.spec.source
    if source.inline is not None:
        return _inline(item.document, source.inline)
    if source.config_map is not None:
        return _packed(item.document, source.config_map, others)
    return None, []


def _inline(
    document: Document, items: Sequence[InlineTask]
) -> tuple[list[LoadedTask], list[Finding]]:
    tasks: list[LoadedTask] = []
    findings = []
    for index, item in enumerate(items):
        path = ("spec", "source", "inline", index)
        if any(item.task.name == other.task.name for other in items[:index]):
            text = f"two tasks have the name {item.task.name!r}: rename one"
            findings.append(_finding(document, (*path, "task", "name"), text))
        try:
            tasks.append(load_inline(item))
        except TaskError as error:
            findings.append(_finding(document, path, error.message))
    return tasks, findings


def _packed(
    document: Document, source: ConfigMapTasks, others: Sequence[Document]
) -> tuple[list[LoadedTask] | None, list[Finding]]:
    """Tasks in a ConfigMap of the same files; elsewhere they can't be looked into."""
    found = [d for d in others if d.kind == "ConfigMap" and d.name == source.name]
    if not found:
        text = f"ConfigMap {source.name!r} is not in these files: it must be in the cluster"
        path = ("spec", "source", "configMap", "name")
        return None, [_finding(document, path, text, "warning")]
    try:
        return _unpacked(found[0], source.key), []
    except (TaskError, ValueError) as error:
        return None, [_finding(found[0], ("binaryData", source.key), str(error))]


def _unpacked(config_map: Document, key: str) -> list[LoadedTask]:
    binary = config_map.data.get("binaryData")
    text = binary.get(key) if isinstance(binary, dict) else None
    if not isinstance(text, str):
        raise ValueError("is missing: make the ConfigMap with `benchwright pack DIR`")
    folders = unpack(base64.b64decode("".join(text.split()), validate=True))
    return [load_directory(name, files) for name, files in sorted(folders.items())]


def _run(document: Document, spec: BenchmarkRunSpec, known: Known) -> Iterator[Finding]:
    for index, agent in enumerate(spec.agents):
        if (document.namespace, agent) not in known.agents:
            text = f"Agent {agent!r} is not in these files: it must be in the cluster"
            yield _finding(document, ("spec", "agents", index), text, "warning")
    key = (document.namespace, spec.task_set)
    if key not in known.task_sets:
        text = f"TaskSet {spec.task_set!r} is not in these files: it must be in the cluster"
        yield _finding(document, ("spec", "taskSet"), text, "warning")
        return
    tasks = known.task_sets[key]
    if tasks is None:
        return
    try:
        select([t.snapshot for t in tasks], spec.selector)
    except SelectorError as error:
        text = str(error).removeprefix("spec.selector.names: ").removeprefix("spec.selector ")
        yield _finding(document, ("spec", "selector"), text)
