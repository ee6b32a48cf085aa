"""Resolve a TaskSet's source: load every task, get its source, store bundles, name the corpus."""

import asyncio
import base64
import io
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from benchwright.api.task import TaskSnapshot
from benchwright.api.taskset import TaskSetSource
from benchwright.results import taskfolders
from benchwright.results.objects import task_key
from benchwright.results.repositories import checkout
from benchwright.results.sourcearchives import obtain
from benchwright.results.sources import make_bundle
from benchwright.results.store import Store
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import LoadedTask, corpus_digest, load_directory, load_inline
from benchwright.tasks.pack import unpack


@dataclass(frozen=True)
class Corpus:
    """A resolved task set."""

    digest: str
    tasks: tuple[TaskSnapshot, ...]


async def resolve(store: Store, source: TaskSetSource, packed: str | None) -> Corpus:
    """Load and store all tasks. `packed`: base64 of the ConfigMap's archive. Raises TaskError."""
    loaded = await asyncio.to_thread(_load, source, packed)
    _check_names(loaded)
    for task in loaded:
        await _store_task(store, task)
    digest = corpus_digest({t.task.name: t.digest for t in loaded})
    await store.put_corpus(digest, [t.digest for t in loaded])
    return Corpus(digest, tuple(t.snapshot for t in loaded))


def _load(source: TaskSetSource, packed: str | None) -> list[LoadedTask]:
    if source.inline is not None:
        return [load_inline(item) for item in source.inline]
    if source.git is not None:
        return _load_git(source.git.url, source.git.ref, source.git.path)
    try:
        data = base64.b64decode(packed or "", validate=True)
    except ValueError as error:
        raise TaskError("PackUnreadable", "configMap", f"not base64: {error}") from error
    return _load_all(unpack(data))


def _load_all(directories: Mapping[str, Mapping[str, bytes]]) -> list[LoadedTask]:
    tasks = [load_directory(name, files) for name, files in sorted(directories.items())]
    if not tasks:
        raise TaskError("NoTasks", "source", "there is no task directory in it")
    return tasks


def _load_git(url: str, ref: str, path: str) -> list[LoadedTask]:
    with tempfile.TemporaryDirectory(prefix="bw-tasks-") as folder:
        checkout(url, ref, Path(folder), "source.git")
        return _load_all(taskfolders.read(Path(folder), path))


def _check_names(tasks: Sequence[LoadedTask]) -> None:
    names = [t.task.name for t in tasks]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise TaskError(
            "TaskInvalid", "source", f"two tasks have the name {twice[0]!r}: rename one"
        )


async def _store_task(store: Store, task: LoadedTask) -> None:
    repository = task_key(task.digest, "repository")
    # The bundle is stored last: where it exists, everything of the task does.
    if await store.objects.exists(repository):
        await store.put_task(task.snapshot)
        return
    prompts = {f"prompts/{stage}.md": text.encode() for stage, text in task.prompts.items()}
    await store.objects.put(task_key(task.digest, "visible"), tar(prompts))
    await store.objects.put(task_key(task.digest, "hidden"), tar(task.hidden))
    with tempfile.TemporaryDirectory(prefix="bw-bundle-") as folder:
        source = task.task.source.archive
        archive = await obtain(store, source, task.task.name, Path(folder)) if source else None
        out = Path(folder) / "repository.bundle"
        await asyncio.to_thread(make_bundle, task, archive, out)
        await store.objects.put(repository, out)
    await store.put_task(task.snapshot)


def tar(files: Mapping[str, bytes]) -> bytes:
    """A deterministic tar of regular files."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as out:
        for path, data in sorted(files.items()):
            info = tarfile.TarInfo(path)
            info.size, info.mode = len(data), 0o644
            out.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def parse_source(raw: object) -> TaskSetSource:
    """The source of a request body; ValidationError becomes TaskError."""
    try:
        return TaskSetSource.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "source." + ".".join(str(p) for p in first["loc"])
        raise TaskError("TaskInvalid", where, first["msg"].removeprefix("Value error, ")) from error
