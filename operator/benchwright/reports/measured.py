"""What a trial's kind measures, in words: a headline and details. Unknown is said, never 0."""

from collections.abc import Mapping
from typing import Any

from benchwright.reports.summary import Record
from benchwright.reports.words import NOTHING, UNKNOWN, number

Words = tuple[str, str]
GAINS_LINES = frozenset({"testWriting"})
CHANGES_FILES = frozenset({"testWriting", "repair"})
"""Kinds of task for which a number applies; for the others it is neither 0 nor unknown."""


def added_or_passed(record: Record) -> Words:
    """Tests added, tests replayed, or criteria passed."""
    kind = record.get("kind")
    if kind == "testRunning":
        return _replayed(record.get("replay"))
    if kind == "repair":
        return _criteria(record)
    found = record.get("tests")
    if not found:
        return UNKNOWN, ""
    parts = [f"{number(found['passed'])} pass", f"{number(found['failed'])} fail"]
    parts += [f"{number(found[k])} {k}" for k in ("skipped", "broken") if found.get(k)]
    return f"{number(found['added'])} added", ", ".join(parts)


def lines(record: Record) -> Words:
    """Lines gained, or lines that a replayed suite covers."""
    kind = record.get("kind")
    if kind == "testRunning":
        covered = (record.get("replay") or {}).get("covered_lines")
        return number(covered), "covered by the replay"
    if kind not in GAINS_LINES:
        return NOTHING, ""
    found = record.get("coverage")
    if not found:
        return UNKNOWN, ""
    span = f"{number(found['base_covered'])} → {number(found['after_covered'])}"
    lost = f", {number(found['lost_lines'])} lost" if found.get("lost_lines") else ""
    return number(found["gained_lines"]), f"{span} of {number(found['base_total'])}{lost}"


def _replayed(replay: Mapping[str, Any] | None) -> Words:
    if not replay:
        return UNKNOWN, ""
    if not replay.get("delivered"):
        return "none", "no test command was left"
    right = replay.get("tests_right")
    label = "" if right is None else "as labelled" if right else "not as labelled"
    return f"{number(replay.get('tests'))} ran", label


def _criteria(record: Record) -> Words:
    criteria = record.get("criteria") or []
    if not criteria:
        return UNKNOWN, ""
    passed = sum(bool(c["passed"]) for c in criteria)
    score = record.get("criterion_score")
    detail = f"score {UNKNOWN if score is None else f'{score:.2f}'}"
    return f"{passed}/{len(criteria)} criteria", detail
