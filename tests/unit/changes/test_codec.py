"""The documents: exact round trips, and nothing else is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.changes.classify import PathClass
from benchwright.changes.codec import MAX_INTEGER, DocumentError
from benchwright.changes.model import (
    Changes,
    Entry,
    FileChange,
    Ignored,
    Kind,
    LeftOut,
    Manifest,
    Tally,
)
from benchwright.changes.paths import problem

COUNT = st.integers(0, MAX_INTEGER)
PATH = st.binary(min_size=1, max_size=20).filter(lambda path: problem(path) is None)
CLASS = st.sampled_from(PathClass)
TALLY = st.builds(Tally, COUNT, COUNT, COUNT)
LEFT_OUT = st.builds(LeftOut, st.binary(max_size=20), st.text(max_size=5), COUNT)
DIGEST = st.text("0123456789abcdef", min_size=64, max_size=64)
FLAGS = st.lists(st.sampled_from(["setuid", "base_ignored"]), max_size=2).map(tuple)


def _tuple(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(items, max_size=3).map(tuple)


KEPT = st.sampled_from([Kind.ADDED, Kind.MODIFIED, Kind.TYPECHANGE])
ENTRY = (
    st.builds(Entry, PATH, KEPT, CLASS, st.just(0o100755), COUNT, DIGEST, COUNT, st.none(), FLAGS)
    | st.builds(Entry, PATH, KEPT, CLASS, st.just(0o120000), COUNT, DIGEST, COUNT, PATH, FLAGS)
    | st.builds(Entry, PATH, st.just(Kind.DELETED), CLASS, *map(st.just, (0, 0, "")))
)
MANIFEST = st.builds(
    Manifest,
    base=st.just("a" * 40),
    entries=st.lists(ENTRY, max_size=4, unique_by=lambda entry: entry.path).map(tuple),
    ignored=st.builds(Ignored, COUNT, COUNT, COUNT, st.booleans(), _tuple(PATH)),
    special=_tuple(LEFT_OUT),
    left_out=_tuple(LEFT_OUT),
    left_out_files=COUNT,
    nested_git=_tuple(st.binary(max_size=9)),
    limits=_tuple(st.text(max_size=5)),
    truncated=st.booleans(),
)
CHANGES = st.builds(
    Changes,
    files=COUNT,
    by_class=st.dictionaries(CLASS, TALLY),
    excluded=TALLY,
    changed=_tuple(st.builds(FileChange, PATH, KEPT, CLASS, COUNT, COUNT, st.none() | PATH, FLAGS)),
)


@given(MANIFEST | CHANGES)
def test_round_trip(document: Manifest | Changes) -> None:
    data = document.to_json()
    assert type(document).from_json(data) == document
    assert type(document).from_json(data).to_json() == data
    assert data.isascii()
    assert data.count(b"\n") == 1


def _broken(change: dict[str, Any], **entry: Any) -> bytes:
    one = Entry(b"a", Kind.ADDED, PathClass.TEST, 0o100644, 1, "0" * 64)
    body = json.loads(Manifest("base", (one,)).to_json())
    body.update(change)
    body["entries"][0].update(entry) if isinstance(body.get("entries"), list) else None
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        _broken({"version": 2}),
        _broken({"version": None}),
        _broken({"extra": 1}),
        _broken({"truncated": 0}),
        _broken({"left_out_files": -1}),
        _broken({"left_out_files": 2**53}),
        _broken({"left_out_files": True}),
        _broken({"left_out_files": 1.0}),
        _broken({"base": 1}),
        _broken({"base": "x" * 20_000}),
        _broken({"entries": {}}),
        _broken({"ignored": []}),
        _broken({}, path="../a"),
        _broken({}, path="/a"),
        _broken({}, path="a/.git/config"),
        _broken({}, path="bytes:%zz"),
        _broken({}, path="bytes:plain"),
        _broken({}, path="\ud800"),
        _broken({}, kind="renamed"),
        _broken({}, cls="nice"),
        _broken({}, mode=0o104755),
        _broken({}, sha256="A" * 64),
        _broken({}, target="x"),
        _broken({}, mode=0o120000),
        _broken({}, kind="deleted"),
        _broken({}, flags=[1]),
        _broken({}, extra=1),
    ],
)
def test_what_is_no_manifest_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError):
        Manifest.from_json(data)


def test_a_path_is_there_once() -> None:
    entry = Entry(b"a", Kind.DELETED, PathClass.TEST, 0, 0, "")
    with pytest.raises(DocumentError, match="twice"):
        Manifest.from_json(Manifest("b", (entry, entry)).to_json())


def test_size_is_bounded_before_anything_is_read() -> None:
    with pytest.raises(DocumentError, match="at most 10"):
        Changes.from_json(Changes().to_json(), limit=10)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    st.sampled_from(sorted(json.loads(Changes().to_json()))),
)
def test_any_value_in_any_field_is_read_exactly_or_refused(value: Any, name: str) -> None:
    data = json.dumps({**json.loads(Changes().to_json()), name: value}).encode()
    try:
        read = Changes.from_json(data)
    except DocumentError:
        return
    assert json.loads(read.to_json()) == json.loads(data)
