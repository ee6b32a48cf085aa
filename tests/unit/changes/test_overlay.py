"""What crosses to the evaluator, and why the rest does not."""

from __future__ import annotations

import pytest

from benchwright.changes.classify import PathClass
from benchwright.changes.model import Entry, Kind, Manifest
from benchwright.changes.overlay import Policy, Selection, select

C = PathClass


def entry(path: bytes, cls: PathClass, kind: Kind = Kind.ADDED, *flags: str) -> Entry:
    gone = kind is Kind.DELETED
    digest = "" if gone else "0" * 64
    return Entry(path, kind, cls, 0 if gone else 0o100644, 0, digest, flags=flags)


def selected(policy: Policy, *entries: Entry) -> Selection:
    return select(Manifest("base", entries), policy)


def reasons(selection: Selection) -> dict[bytes, str]:
    return {item.entry.path: item.reason for item in selection.dropped}


@pytest.mark.parametrize("cls", list(PathClass))
@pytest.mark.parametrize("kind", list(Kind))
def test_tests_only_takes_tests_that_were_added_or_modified(cls: PathClass, kind: Kind) -> None:
    selection = selected(Policy.TESTS_ONLY, entry(b"p", cls, kind))
    crosses = cls in (C.TEST, C.TEST_SUPPORT) and kind is not Kind.DELETED
    assert [e.path for e in selection.applied] == ([b"p"] if crosses else [])
    if not crosses:
        expected = "deletion" if kind is Kind.DELETED else f"class:{cls}"
        assert reasons(selection) == {b"p": expected}


@pytest.mark.parametrize("cls", list(PathClass))
@pytest.mark.parametrize("kind", list(Kind))
def test_everything_takes_everything(cls: PathClass, kind: Kind) -> None:
    selection = selected(Policy.EVERYTHING, entry(b"p", cls, kind))
    assert len(selection.applied) == 1
    assert selection.dropped == ()
    flags = [flag.reason for flag in selection.flags]
    assert flags == (["test_config"] if cls is C.TEST_CONFIG else [])


def test_links_that_leave_the_tree_do_not_cross_with_tests() -> None:
    links = [
        entry(b"t/a", C.TEST, Kind.ADDED, "symlink_absolute"),
        entry(b"t/b", C.TEST, Kind.ADDED, "base_ignored", "symlink_escapes"),
    ]
    assert reasons(selected(Policy.TESTS_ONLY, *links)) == {
        b"t/a": "symlink_absolute",
        b"t/b": "symlink_escapes",
    }
    assert [flag.reason for flag in selected(Policy.EVERYTHING, *links).flags] == [
        "symlink_absolute",
        "base_ignored",
        "symlink_escapes",
    ]


def test_hooks_that_decide_what_passes_are_flagged() -> None:
    conftest = entry(b"a/conftest.py", C.TEST_SUPPORT)
    assert selected(Policy.TESTS_ONLY, conftest).flags[0].reason == "collection_hook"
    gone = entry(b"conftest.py", C.TEST_SUPPORT, Kind.DELETED)
    assert selected(Policy.EVERYTHING, gone).flags == ()


def test_a_directory_cannot_cross_where_a_base_file_stays() -> None:
    selection = selected(
        Policy.TESTS_ONLY,
        entry(b"tests", C.SOURCE, Kind.DELETED),
        entry(b"tests/test_a.py", C.TEST),
        entry(b"tests2/test_a.py", C.TEST),
    )
    assert reasons(selection) == {b"tests": "deletion", b"tests/test_a.py": "needs_deletion"}
    assert [e.path for e in selection.applied] == [b"tests2/test_a.py"]


def test_a_file_cannot_cross_where_a_base_directory_stays() -> None:
    selection = selected(
        Policy.TESTS_ONLY,
        entry(b"d/test_x.py", C.TEST),
        entry(b"d/test_x.py/deep/old", C.SOURCE, Kind.DELETED),
    )
    assert reasons(selection)[b"d/test_x.py"] == "needs_deletion"
    both = selected(Policy.EVERYTHING, *selection.applied, *(d.entry for d in selection.dropped))
    assert len(both.applied) == 2


@pytest.mark.parametrize(
    ("files", "tests", "tests_only", "everything"),
    [(0, 0, True, True), (5, 0, True, False), (5, 1, False, False)],
)
def test_a_selection_is_complete_where_nothing_it_would_apply_is_lost(
    files: int, tests: int, tests_only: bool, everything: bool
) -> None:
    manifest = Manifest("base", left_out_files=files, left_out_tests=tests, truncated=files > 0)
    assert select(manifest, Policy.TESTS_ONLY).complete is tests_only
    assert select(manifest, Policy.EVERYTHING).complete is everything
