"""Facts of a trial's stages → a timeline: where the seconds went, and how each command ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from benchwright.api.facts import StageFacts, StepFacts
from benchwright.reports import words
from benchwright.web.ports import FactsRow, Record

WIDTH = 1000
"""Of a bar, in units of its drawing."""


@dataclass(frozen=True, slots=True)
class ReadStage:
    """A stage's facts, or None where they cannot be read."""

    attempt: int
    stage: str
    facts: StageFacts | None


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar: `kind` is its class, `x` and `width` are of WIDTH."""

    kind: str
    label: str
    seconds: float
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Step:
    """One command: how it ended in words, and whether that is as it should be."""

    name: str
    end: str
    good: bool
    seconds: float | None
    log_bytes: int


@dataclass(frozen=True, slots=True)
class StageView:
    """One stage of one attempt. `seconds`: of its pod, for the attempt that counts."""

    attempt: int
    name: str
    seconds: float | None
    segments: Sequence[Segment]
    steps: Sequence[Step]
    problem: str


def read_facts(rows: Sequence[FactsRow]) -> list[ReadStage]:
    """They were checked when they came; what cannot be read any more is told apart."""
    return [ReadStage(r.attempt, r.stage, parse_facts(r.document)) for r in rows]


def parse_facts(document: str) -> StageFacts | None:
    try:
        return StageFacts.model_validate_json(document)
    except ValidationError:
        return None


def timeline(record: Record, stages: Sequence[ReadStage]) -> list[StageView]:
    """Bars of one scale, in the order of attempts and stages."""
    ordered = sorted(stages, key=lambda s: (s.attempt, s.stage == "evaluate", s.stage))
    parts = [_parts(s, _whole_seconds(record, s)) for s in ordered]
    longest = max((sum(p[2] for p in each) for each in parts), default=0.0)
    scale = WIDTH / longest if longest else 0.0
    return [
        StageView(
            attempt=stage.attempt,
            name=stage.stage,
            seconds=_whole_seconds(record, stage),
            segments=_segments(each, scale),
            steps=[_step(s) for s in stage.facts.steps] if stage.facts else [],
            problem=_problem(stage),
        )
        for stage, each in zip(ordered, parts, strict=True)
    ]


def _whole_seconds(record: Record, stage: ReadStage) -> float | None:
    """From the pod's creation to its end; the record has them of the attempt that counts."""
    if stage.attempt != record.get("attempt"):
        return None
    value = (record.get("stage_seconds") or {}).get(stage.stage)
    return float(value) if isinstance(value, int | float) else None


def _parts(stage: ReadStage, whole: float | None) -> list[tuple[str, str, float]]:
    """Kind, label and seconds of what is known. What the pod took beyond that comes first: most of
    it is waiting for a node and for containers."""
    facts = stage.facts
    known: list[tuple[str, str, float | None]] = []
    if facts is not None:
        known.append(("prepare", "prepare", facts.prepare_seconds))
        known += [("step", step.name, step.seconds) for step in facts.steps]
        known.append(("collect", "collect", facts.collect_seconds))
    parts = [(kind, label, seconds) for kind, label, seconds in known if seconds]
    rest = (whole or 0.0) - sum(seconds for _, _, seconds in parts)
    return [("rest", "pod start and the rest", rest), *parts] if rest > 0 else parts


def _segments(parts: Sequence[tuple[str, str, float]], scale: float) -> list[Segment]:
    segments, x = [], 0.0
    for kind, label, seconds in parts:
        width = seconds * scale
        segments.append(Segment(kind, label, seconds, round(x, 1), round(max(width, 1.0), 1)))
        x += width
    return segments


def _step(step: StepFacts) -> Step:
    if step.timed_out:
        end, good = "◷ ran past its limit and was ended", False
    elif step.exit_code is None:
        end, good = "did not run to its end", False
    else:
        end, good = (
            f"{'✓' if step.exit_code == 0 else '✗'} exit {step.exit_code}",
            step.exit_code == 0,
        )
    return Step(step.name, end, good, step.seconds, step.log_bytes)


def _problem(stage: ReadStage) -> str:
    facts = stage.facts
    if facts is None:
        return "the stored facts of this stage cannot be read"
    if facts.error is not None:
        return f"{facts.error.reason}: {words.one_line(facts.error.message, 600)}"
    if not facts.runner_finished:
        return "the runner left no closing record: its container was killed"
    return ""


def evaluated(record: Record, stages: Sequence[ReadStage]) -> StageFacts | None:
    """The evaluator's facts of the attempt that counts."""
    mine: Mapping[str, StageFacts | None] = {
        s.stage: s.facts for s in stages if s.attempt == record.get("attempt")
    }
    return mine.get("evaluate")
