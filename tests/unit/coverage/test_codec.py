"""Stored reports: what comes back, and what does not get in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.coverage import (
    CoverageError,
    CoverageReport,
    Limits,
    Reason,
    from_json,
    ranges,
    to_json,
)
from tests.unit.coverage.samples import report, sample
from tests.unit.coverage.strategies import whole_reports

GOOD = json.loads(to_json(report(**{"src/a.py": ({1, 2, 3, 7}, {1, 2})})))


def refused(document: object, limits: Limits | None = None) -> Reason:
    with pytest.raises(CoverageError) as error:
        from_json(json.dumps(document).encode(), limits=limits or Limits())
    return error.value.reason


@given(whole_reports())
def test_a_report_comes_back_as_it_was(each: CoverageReport) -> None:
    stored = to_json(each)
    assert from_json(stored) == each
    assert to_json(from_json(stored)) == stored


def test_the_form_is_compact_and_documented() -> None:
    assert to_json(report(**{"src/a.py": ({1, 2, 3, 7}, {1, 2})})) == (
        b'{"claimed":[null,null,null,null],"files":{"src/a.py":["1-3,7","1-2"]},"format":"lcov",'
        b'"kind":"benchwright.coverage","matched":{},"notes":[],'
        b'"recomputed":[null,null,null,null],"unmapped":[],"version":1}'
    )


@pytest.mark.parametrize("name", ["coveragepy/branch.json", "c/llvm-cov.lcov"])
def test_samples_come_back(name: str) -> None:
    assert from_json(to_json(sample(name))) == sample(name)


@pytest.mark.parametrize(
    "change",
    [{"version": 2}, {"version": "1"}, {"version": None}, {"kind": "other"}],
)
def test_another_version_is_not_guessed_at(change: dict[str, object]) -> None:
    assert refused(GOOD | change) is Reason.UNSUPPORTED_FORMAT


@pytest.mark.parametrize("path", ["/etc/passwd", "../a", "a/../../b", "a//b", "", "a\0b"])
def test_a_file_outside_the_repository_is_refused(path: str) -> None:
    assert refused(GOOD | {"files": {path: ["1", "1"]}}) is Reason.PATH_ESCAPE


@pytest.mark.parametrize(
    "change",
    [
        {"files": []},
        {"files": {"a": "1"}},
        {"files": {"a": ["1"]}},
        {"files": {"a": ["1", "1", "", ""]}},
        {"files": {"a": [1, 1]}},
        {"files": {"a": ["1", "2"]}},
        {"files": {"a": ["2,1", ""]}},
        {"files": {"a": ["1-2,2-3", ""]}},
        {"files": {"a": ["1,2", ""]}},
        {"files": {"a": ["3-1", ""]}},
        {"files": {"a": ["1-1", ""]}},
        {"files": {"a": ["0", ""]}},
        {"files": {"a": ["-1", ""]}},
        {"files": {"a": ["1,", ""]}},
        {"files": {"a": ["01", ""]}},
        {"files": {"a": ["1e3", ""]}},
        {"files": {"a": ["1", "", "1:2/1"]}},
        {"files": {"a": ["1", "", "1:1/1,1:1/1"]}},
        {"files": {"a": ["1", "", "x"]}},
        {"files": {"x" * 5000: ["1", ""]}},
        {"format": None},
        {"format": "<script>"},
        {"notes": [["odd", "", 1, ""]]},
        {"notes": [["bad_hits", "", -1, ""]]},
        {"notes": [["bad_hits", "", True, ""]]},
        {"notes": [["bad_hits", "", 1]]},
        {"notes": [["bad_hits", "", 1, "x" * 500]]},
        {"unmapped": [["a", "why", 1, 1]]},
        {"unmapped": [["a", "outside", 1.5, 1]]},
        {"unmapped": [[["a"], "outside", 1, 1]]},
        {"matched": {"guess": 1}},
        {"matched": []},
        {"claimed": [1, 2, 3]},
        {"claimed": [1, 2, 3, "4"]},
        {"recomputed": None},
    ],
)
def test_what_to_json_would_not_write_is_malformed(change: dict[str, object]) -> None:
    assert refused(GOOD | change) is Reason.MALFORMED


@pytest.mark.parametrize("key", sorted(GOOD.keys() - {"kind", "version"}))
def test_every_key_is_needed(key: str) -> None:
    assert refused({name: value for name, value in GOOD.items() if name != key}) is Reason.MALFORMED


def test_more_bytes_than_the_limit_are_not_parsed() -> None:
    assert refused(GOOD, Limits(bytes=10)) is Reason.TOO_LARGE


@pytest.mark.parametrize(
    "files",
    [
        {"a": ["1-999999999", ""]},
        {"a": ["1-4", ""], "b": ["1-4", ""], "c": ["1-4", ""]},
        {"a": ["1-9", "", "1:1/1,2:1/1"]},
        {name: ["", ""] for name in "abcdefghijk"},
    ],
)
def test_a_range_is_measured_before_it_is_expanded(files: dict[str, Any]) -> None:
    assert refused(GOOD | {"files": files}, Limits(lines=10, files=10)) is Reason.TOO_LARGE


def test_what_nobody_would_store_is_not_written() -> None:
    stored = to_json(report(**{"src/a.py": ({1}, {1})}))
    assert to_json(from_json(stored), limits=Limits(stored_bytes=len(stored))) == stored
    with pytest.raises(CoverageError) as error:
        to_json(from_json(stored), limits=Limits(stored_bytes=len(stored) - 1))
    assert error.value.reason is Reason.TOO_LARGE


@given(st.frozensets(st.integers(1, 999_999_999), max_size=50))
def test_ranges_round_trip(lines: frozenset[int]) -> None:
    assert ranges.decode(ranges.encode(lines), room=50) == lines


@given(st.binary(max_size=60))
def test_bytes_at_random_raise_nothing_else(data: bytes) -> None:
    with pytest.raises(CoverageError):
        from_json(data)
