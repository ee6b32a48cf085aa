"""Everything that a trial's page shows."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.api.facts import StageFacts
from benchwright.reports import measured
from benchwright.reports.summary import findings
from benchwright.web.cases import CasesView, cases_view
from benchwright.web.colouring import Colourer
from benchwright.web.covered import CoverageView, coverage_view
from benchwright.web.files import LogView, PatchView, logs, patches
from benchwright.web.ports import Evidence, FactsRow, FileRow, Record
from benchwright.web.render import shown_dict
from benchwright.web.stages import StageView, evaluated, parse_facts, read_facts, timeline
from benchwright.web.transcript import TranscriptView, transcripts

WRITING = "testWriting"
_COVERED = frozenset({WRITING})
_FIELDS = (
    "trial", "run", "run_uid", "namespace", "agent", "agent_digest", "scaffold", "model", "effort",
    "task", "task_digest", "kind", "network", "index", "order", "attempt", "outcome", "reason",
    "message", "coverage", "started_at", "finished_at", "usage", "would_pass",
    "corpus_digest", "protocol", "nodes", "prices",
)  # fmt: skip
"""What the page reads by name: an older record may lack some, which is unknown."""
_TESTED = frozenset({WRITING, "testRunning"})


@dataclass(frozen=True, slots=True)
class TrialPage:
    """A trial, from its record, its facts by stage and its evidence."""

    record: Record
    tests: tuple[str, str]
    lines: tuple[str, str]
    findings: Mapping[str, str]
    parts: Mapping[str, Mapping[str, str]]
    """Measured parts as words: title → label → value."""
    criteria: Sequence[Mapping[str, Any]]
    stages: Sequence[StageView]
    coverage: CoverageView | None
    """None for a kind of task that compares no coverage."""
    cases: CasesView | None
    """None for a kind of task without a test report."""
    patches: Sequence[PatchView]
    logs: Sequence[LogView]
    transcripts: Sequence[TranscriptView]
    usage: Mapping[str, Mapping[str, Any]]
    """Stage → tokens; the last is the sum."""
    attempts: Sequence[Mapping[str, Any]]
    files: Sequence[FileRow]


async def trial_page(evidence: Evidence, colourer: Colourer, record: Record) -> TrialPage:
    """Reads what is stored; heavy reading is done in a thread."""
    record = {**dict.fromkeys(_FIELDS), **record}
    uid, kind = str(record["trial_uid"]), record.get("kind")
    facts, files = await evidence.facts(uid), await evidence.files(uid)
    digest = str(record.get("task_digest"))
    baselines = await evidence.baselines(digest) if kind in _COVERED else ()
    stages, coverage, cases = await asyncio.to_thread(_facts, record, facts, baselines)
    return TrialPage(
        record=record,
        tests=measured.added_or_passed(record),
        lines=measured.lines(record),
        findings=findings(record),
        parts=_parts(record),
        criteria=record.get("criteria") or [],
        stages=stages,
        coverage=coverage if kind in _COVERED else None,
        cases=cases if kind in _TESTED else None,
        patches=await patches(evidence, files, colourer),
        logs=await logs(evidence, sorted(files, key=_last_first)),
        transcripts=await transcripts(evidence, files),
        usage=_usage(record),
        attempts=record.get("attempts") or [],
        files=files,
    )


def _facts(
    record: Record, facts: Sequence[FactsRow], baselines: Sequence[str]
) -> tuple[list[StageView], CoverageView, CasesView]:
    read = read_facts(facts)
    after = evaluated(record, read)
    before: list[StageFacts] = [f for f in map(parse_facts, baselines) if f is not None]
    writing = record.get("kind") == WRITING
    return (
        timeline(record, read),
        coverage_view(before, after),
        cases_view(before, after, compared=writing),
    )


def _last_first(file: FileRow) -> tuple[int, bool, str, str]:
    """What a reader looks for first: the last attempt, and in it the agent's stages."""
    return -file.attempt, file.stage == "evaluate", file.stage, file.name


def _parts(record: Record) -> dict[str, dict[str, str]]:
    titles = {
        "Tests": "tests", "Coverage": "coverage", "Changes": "changes", "Answer": "detect",
        "Replay": "replay", "Seconds": "seconds",
    }  # fmt: skip
    return {title: shown_dict(record[key]) for title, key in titles.items() if record.get(key)}


def _usage(record: Record) -> dict[str, Mapping[str, Any]]:
    stages = dict(record.get("usage_by_stage") or {})
    total = record.get("usage")
    return {**stages, "all stages": total} if total else stages
