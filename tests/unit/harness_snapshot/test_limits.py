"""Limits say which they are, what is missing, and never turn the unknown into the deleted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.changes import paths
from benchwright.changes.overlay import Policy, select
from benchwright.harness.snapshot.difftree import Trees
from benchwright.harness.snapshot.git import GitError
from benchwright.harness.snapshot.limits import Limits
from benchwright.harness.snapshot.take import take
from tests.unit.harness_snapshot.support import Case, File, Node, changed, kinds, text

Maker = Callable[[dict[bytes, Node]], Case]


@pytest.mark.parametrize(
    ("limits", "limit", "left_out"),
    [
        (Limits(max_files=1), "max_files", b"src/a.py"),
        (Limits(max_file_bytes=10), "max_file_bytes", b"src/a.py"),
        (Limits(max_total_bytes=10), "max_total_bytes", b"src/a.py"),
        (Limits(max_path_bytes=7), "max_path_bytes", b"src/a.py"),
        (Limits(max_depth=1), "max_depth", b"src/a.py"),
    ],
)
def test_each_limit_names_itself_and_keeps_the_test(
    case: Maker, limits: Limits, limit: str, left_out: bytes
) -> None:
    c = case({b"src/old.py": text("1")})
    c.put(b"src/a.py", text("x" * 100))
    c.put(b"test_a.py" if limit != "max_path_bytes" else b"test.py", text("1"))
    result = c.take(limits)
    assert result.manifest.limits == (limit,)
    assert [item.path for item in result.manifest.left_out] == [left_out]
    assert len(result.manifest.entries) == 1
    assert result.truncated
    assert result.changes.truncated


def test_long_names_cannot_make_a_manifest_that_nobody_reads(case: Maker) -> None:
    c = case({b"a.py": text("1")})
    for n in range(9):
        c.put(b"%d" % n + b"\xff" * 200, text("1"))
    result = c.take(Limits(max_listing_bytes=3000))
    assert result.manifest.limits == ("max_listing_bytes",)
    assert sum(len(paths.encode(e.path)) for e in result.manifest.entries) < 3900
    assert len(result.manifest.entries) + result.manifest.left_out_files == 9


def test_junk_that_is_left_out_costs_no_tests(case: Maker) -> None:
    c = case({b"a.py": text("1")})
    for n in range(20):
        c.put(b"vendor/%d.py" % n, text("x"))
    c.put(b"tests/test_a.py", text("1"))
    result = c.take(Limits(max_files=5))
    assert result.truncated
    assert (result.manifest.left_out_files, result.manifest.left_out_tests) == (16, 0)
    assert select(result.manifest, Policy.TESTS_ONLY).complete
    assert not select(result.manifest, Policy.EVERYTHING).complete


def test_base_files_are_compared_whatever_the_limit_of_entries(case: Maker) -> None:
    c = case({b"d/%d.py" % n: text(str(n)) for n in range(20)})
    for n in range(20):
        c.put(b"d/junk%d" % n, text(""))
    c.delete(b"d/3.py")
    c.put(b"d/4.py", text("new"))
    result = c.take(Limits(max_entries=5))
    assert kinds(result).items() >= {b"d/3.py": "deleted", b"d/4.py": "modified"}.items()
    assert "max_entries" in result.manifest.limits


def test_a_huge_ignored_directory_makes_no_result_incomplete(case: Maker) -> None:
    c = case({b".gitignore": File(b"node_modules\n")})
    for n in range(20):
        c.put(b"node_modules/%d/index.js" % n, text("x"))
    c.put(b"tests/test_a.py", text("1"))
    result = c.take(Limits(max_entries=15))
    assert kinds(result) == {b"tests/test_a.py": "added"}
    assert not result.truncated
    assert not result.manifest.ignored.complete


def test_no_time_at_all_leaves_everything_out_and_deletes_nothing(case: Maker) -> None:
    c = case({b"a.py": text("1"), b"d/b.py": text("1")})
    c.delete(b"d/b.py")
    clock = itertools.count(0, 100).__next__
    result = take(c.workspace, c.repo, c.out, Limits(seconds=1), clock=clock)
    assert result.manifest.entries == ()
    assert [item.path for item in result.manifest.left_out] == [b"/", b"a.py", b"d/b.py"]
    assert result.manifest.limits == ("seconds",)
    assert result.manifest.left_out_tests == 1  # the root may hold some
    assert result.truncated


@pytest.mark.parametrize("steps", range(1, 40, 7))
def test_the_deadline_may_come_at_any_step(case: Maker, steps: int) -> None:
    c = case({b"a.py": text("1"), b"d/b.py": text("1"), b"e/f/c.py": text("1")})
    c.delete(b"d/b.py")
    c.put(b"a.py", text("2"))
    c.put(b"new/tests/test_a.py", text("2"))
    ticks = itertools.chain(itertools.repeat(0.0, steps), itertools.repeat(100.0))
    result = take(c.workspace, c.repo, c.out, Limits(seconds=1), clock=ticks.__next__)
    seen = kinds(result)
    assert (
        seen.items()
        <= {
            b"a.py": "modified",
            b"d/b.py": "deleted",
            b"new/tests/test_a.py": "added",
        }.items()
    )
    assert len(seen) == 3 or result.truncated


def test_the_patch_is_cut_with_a_note(case: Maker) -> None:
    c = case({b"a.py": text("1")})
    c.put(b"tests/test_a.py", text("first"))
    c.put(b"a.py", text(*map(str, range(5000))))
    c.put(b"node_modules/x.js", text("z"))
    result = c.take(Limits(max_patch_bytes=2000))
    patch = result.patch.read_bytes()
    assert not result.patch_complete
    assert len(patch) < 2100
    assert patch.endswith(b"\n# benchwright: the patch ends here: more than 2000 bytes\n")
    assert not result.truncated  # the numbers and the overlay are whole
    assert result.changes.added == 5000


def test_a_patch_of_just_the_limit_is_whole(case: Maker) -> None:
    c = case({b"a.py": text("1")})
    c.put(b"a.py", text("2"))
    size = len(c.take().patch.read_bytes())
    assert c.take(Limits(max_patch_bytes=size)).patch_complete
    assert not c.take(Limits(max_patch_bytes=size - 1)).patch_complete


def test_files_with_too_many_lines_count_as_rewritten_from_first_to_last_change(
    case: Maker,
) -> None:
    c = case({b"a.py": text(*"abc"), b"b.py": text("1")})
    c.put(b"a.py", text(*map(str, range(200))))
    c.put(b"b.py", text("2"))
    result = c.take(Limits(max_file_lines=100))
    assert changed(result)[b"a.py"].flags == ("bulk",)  # nothing of a, b, c is left
    assert (result.changes.added, result.changes.removed) == (201, 4)
    assert (result.changes.files, result.changes.bulk_files) == (2, 1)
    assert not result.patch_complete
    assert b"1 files too large to compare are not in this patch" in result.patch.read_bytes()
    assert c.applied(result)[b"a.py"] == text(*map(str, range(200)))


def test_large_binaries_are_kept_from_git(case: Maker) -> None:
    c = case({b"small.bin": File(b"\0")})
    c.put(b"large.bin", File(b"\0" * (2 << 20)))
    result = c.take()
    assert (result.changes.binary_files, result.changes.binary_bytes) == (1, 2 << 20)
    assert result.changes.bulk_files == 0
    assert not result.patch_complete
    assert len(result.patch.read_bytes()) < 100


def test_the_budget_of_lines_goes_to_tests_first(case: Maker) -> None:
    c = case({b"z": text("1")})
    for path in (b"a.txt", b"tests/test_z.py", b"node_modules/b.js"):
        c.put(path, text(*map(str, range(60))))
    result = c.take(Limits(max_total_lines=100))
    flags = {path: change.flags for path, change in changed(result).items()}
    assert flags == {
        b"tests/test_z.py": (),
        b"a.txt": ("bulk",),
        b"node_modules/b.js": ("bulk",),
    }
    assert result.changes.added == 120
    assert result.changes.excluded.added == 60


def test_where_git_cannot_diff_lines_are_counted_as_bags(
    case: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise GitError("no end after 1 s")

    monkeypatch.setattr(Trees, "lines", fails)
    monkeypatch.setattr(Trees, "patch", fails)
    c = case({b"a.py": text(*"abc"), b"gone.py": text("1", "2"), b"e.txt": text("1")})
    c.put(b"a.py", text("c", "a", "new"))
    c.delete(b"gone.py")
    c.put(b"e.txt", File(b"1\r\n"))
    c.put(b"yarn.lock", text("1"))
    result = c.take()
    assert result.changes.method == "multiset"
    assert not result.changes.renames_complete
    assert (result.changes.files, result.changes.added, result.changes.removed) == (3, 1, 3)
    assert result.changes.excluded.added == 1
    assert result.changes.eol_only.files == 1
    assert result.manifest.notes == ("no end after 1 s",) * 2
    assert not result.patch_complete
    assert b"git could not make this patch" in result.patch.read_bytes()


def test_a_failing_import_loses_nothing(case: Maker, tmp_path: Path) -> None:
    c = case({b"a.py": text(*"abc")})
    c.put(b"a.py", text("a", "b"))
    (c.repo / "refs" / "benchwright" / "counted").mkdir()
    (c.repo / "refs" / "benchwright" / "counted" / "x").write_text("0" * 40 + "\n")
    result = c.take()
    assert result.changes.method == "multiset"
    assert (result.changes.added, result.changes.removed) == (0, 1)
    assert result.manifest.notes
    assert c.applied(result) == {b"a.py": text("a", "b")}


def test_too_many_candidates_for_renames_are_said_so(
    case: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.harness.snapshot.measure.RENAME_LIMIT", 1)
    c = case({b"a.py": text("1", "2", "3"), b"b.py": text("4", "5", "6")})
    for name in (b"a", b"b"):
        c.put(name + b"2.py", File(c.place(name + b".py").read_bytes() + b"x\n"))
        c.delete(name + b".py")
    assert not c.take().changes.renames_complete
