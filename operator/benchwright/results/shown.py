"""What pages show of a trial: its record, facts and files, out of the store."""

from collections.abc import AsyncIterator, Sequence

from benchwright.results.objects import evidence_key
from benchwright.results.store import Store
from benchwright.web.ports import FactsRow, FileRow, Record


class StoredEvidence:
    """Reads, and nothing else."""

    def __init__(self, store: Store):
        self._store = store

    async def record(self, trial_uid: str) -> Record | None:
        return await self._store.record(trial_uid)

    async def facts(self, trial_uid: str) -> Sequence[FactsRow]:
        rows = await self._store.all_facts(trial_uid)
        return [FactsRow(r.attempt, r.stage, r.document) for r in rows]

    async def baselines(self, task_digest: str) -> Sequence[str]:
        """Facts of the evaluator of each good baseline, as the grader takes them."""
        found = []
        for trial_uid, attempt in await self._store.good_baselines(task_digest):
            stages = await self._store.facts(trial_uid, attempt)
            if "evaluate" in stages:
                found.append(stages["evaluate"])
        return found

    async def files(self, trial_uid: str) -> Sequence[FileRow]:
        rows = await self._store.files(trial_uid)
        return [FileRow(r.trial_uid, r.attempt, r.stage, r.name, r.sha256, r.size) for r in rows]

    async def part(self, file: FileRow, start: int, length: int) -> bytes:
        return await self._store.objects.part(_key(file), start, length)

    async def read(self, file: FileRow) -> tuple[int, AsyncIterator[bytes]]:
        stored = await self._store.objects.read(_key(file))
        return stored.size, stored.chunks


def _key(file: FileRow) -> str:
    return evidence_key(file.trial_uid, file.attempt, file.stage, file.name)
