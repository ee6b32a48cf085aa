"""Resolve a TaskSet's source: load every task, get its source, store bundles, name the corpus."""

import asyncio
import base64
import hashlib
import io
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from pydantic import ValidationError

from benchwright.api.task import ArchiveSource, TaskSnapshot
from benchwright.api.taskset import TaskSetSource
from benchwright.results.objects import archive_key, task_key
from benchwright.results.sources import checkout, make_bundle
from benchwright.results.store import Store
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import LoadedTask, corpus_digest, load_directory, load_inline
from benchwright.tasks.pack import unpack

MAX_ARCHIVE = 512 * 1024 * 1024
_DOWNLOAD = aiohttp.ClientTimeout(total=300)


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
        root = Path(folder) / path
        if not root.is_dir():
            raise TaskError(
                "NoTasks", "source.git.path", f"{path!r} is no folder at {ref} of {url}"
            )
        found = {
            d.name: {
                f.relative_to(d).as_posix(): f.read_bytes()
                for f in sorted(d.rglob("*"))
                if f.is_file() and not f.is_symlink()
            }
            for d in sorted(root.iterdir())
            if (d / "task.yaml").is_file()
        }
        return _load_all(found)


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
        archive = await _archive(store, task, Path(folder))
        out = Path(folder) / "repository.bundle"
        await asyncio.to_thread(make_bundle, task, archive, out)
        await store.objects.put(repository, out)
    await store.put_task(task.snapshot)


async def _archive(store: Store, task: LoadedTask, folder: Path) -> Path | None:
    source = task.task.source.archive
    if source is None:
        return None
    path = folder / "archive"
    if not await store.objects.exists(archive_key(source.sha256)):
        await _download(store, source, task.task.name)
    path.write_bytes(await store.objects.get(archive_key(source.sha256)))
    return path


async def _download(store: Store, source: ArchiveSource, task: str) -> None:
    if source.url is None:
        raise TaskError(
            "ArchiveMissing",
            task,
            f"no archive with sha256 {source.sha256} is in the results store: push it with "
            "`benchwright push FILE`, or set source.archive.url",
        )
    try:
        data = await _fetch(source.url)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise TaskError("ArchiveFetchFailed", task, f"{source.url}: {error!r}") from error
    await put_archive(store, data, source.sha256, f"{task}: {source.url}")


async def _fetch(url: str) -> bytes:
    async with aiohttp.ClientSession(timeout=_DOWNLOAD) as session, session.get(url) as answer:
        answer.raise_for_status()
        data = b""
        async for chunk in answer.content.iter_chunked(1024 * 1024):
            data += chunk
            if len(data) > MAX_ARCHIVE:
                raise ValueError(f"larger than {MAX_ARCHIVE} bytes")
        return data


async def put_archive(store: Store, data: bytes, sha256: str, where: str) -> None:
    """Keep an archive under its hash; another file is refused."""
    actual = hashlib.sha256(data).hexdigest()
    if actual != sha256:
        raise TaskError(
            "ArchiveDigestMismatch",
            where,
            f"the archive has sha256 {actual} where {sha256} was declared: it is another file. Check "
            "the address, and correct sha256 only if you know why it changed",
        )
    await store.objects.put(archive_key(sha256), data)


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
