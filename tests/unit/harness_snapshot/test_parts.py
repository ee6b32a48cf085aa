"""The parts by themselves: reading, git's failures, large files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.changes.gitformat import DiffLine
from benchwright.harness.snapshot import git as git_module
from benchwright.harness.snapshot import openat
from benchwright.harness.snapshot.blobs import Blobs
from benchwright.harness.snapshot.difftree import Trees
from benchwright.harness.snapshot.fastimport import Importer
from benchwright.harness.snapshot.git import GitError
from benchwright.harness.snapshot.index import Index
from tests.unit.harness_snapshot.support import Case, File, Node, kinds, make_base, text

Maker = Callable[[dict[bytes, Node]], Case]
LARGE = b"0123456789abcdef" * (1 << 17)  # 2 MiB


def test_large_files_of_the_base_are_compared_in_pieces(case: Maker) -> None:
    c = case({b"same.bin": File(LARGE), b"other.bin": File(LARGE)})
    c.put(b"other.bin", File(LARGE[:-1] + b"X"))
    assert kinds(c.take()) == {b"other.bin": "modified"}


def test_only_regular_files_of_the_expected_size_are_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("f")
    directory = openat.open_root(tmp_path)
    try:
        assert openat.read_file(directory, b"f", 3) == b"abc"
        for size in (0, 2, 4):
            with pytest.raises(openat.ChangedError):
                openat.read_file(directory, b"f", size)
        with pytest.raises(openat.ChangedError):
            openat.read_file(directory, b"fifo", 0)
        with pytest.raises(OSError, match="symbolic link"):
            openat.read_file(directory, b"link", 3)
    finally:
        os.close(directory)


def test_a_file_that_cannot_be_read_is_left_out(
    case: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = case({b"a.py": text("1"), b"b.py": text("1")})
    c.put(b"new.py", text("1"))
    c.put(b"b.py", text("2"))

    def fails(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(openat, "read_file", fails)
    result = c.take()
    left_out = [(item.path, item.reason) for item in result.manifest.left_out]
    assert left_out == [(name, "unreadable") for name in (b"a.py", b"b.py", b"new.py")]
    assert result.manifest.entries == ()
    assert result.truncated


def test_git_that_does_not_end_or_start_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "command", lambda *_: ["sleep", "30"])
    with pytest.raises(GitError, match=r"git status: no end after 0\.01 s"):
        git_module.run(tmp_path, ["status"], timeout=0.01)
    monkeypatch.setattr(git_module, "command", lambda *_: ["/no/such/git"])
    with pytest.raises(GitError, match="No such file"):
        git_module.run(tmp_path, ["status"])


def test_git_that_fails_raises_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="git ls-tree: 128: fatal: not a git repository"):
        git_module.run(tmp_path, ["ls-tree", "x"])


def test_absent_objects_and_a_dead_process_raise(tmp_path: Path) -> None:
    repo = make_base(tmp_path / "r.git", {b"a": text("1")})
    with Blobs(repo) as blobs:
        assert blobs.read("d00491fd7e5bb6fa28c517a0bb32b8b506539d4d") == b"1\n"
        with pytest.raises(GitError, match="no object"):
            blobs.read("0" * 40)
        with pytest.raises(GitError, match="is no commit"):
            blobs.commit_id("d00491fd7e5bb6fa28c517a0bb32b8b506539d4d")
        blobs._process.kill()
        blobs._process.wait()
        with pytest.raises(GitError):
            blobs.read("d00491fd7e5bb6fa28c517a0bb32b8b506539d4d")


def test_an_import_that_git_refuses_raises(tmp_path: Path) -> None:
    repo = make_base(tmp_path / "r.git", {})
    with Importer(repo) as importer:
        importer.commit("refs/heads/x", "no-such-commit", [])
        with pytest.raises(GitError, match="fast-import"):
            importer.finish(30)


def test_where_only_renames_fail_there_are_none_and_it_is_said(
    case: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Trees.lines

    def lines(self: Trees, *, renames: bool, **more: object) -> list[DiffLine]:
        if renames:
            raise GitError("too slow")
        return real(self, renames=renames, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Trees, "lines", lines)
    c = case({b"old.py": text(*"abc")})
    c.place(b"old.py").rename(c.place(b"new.py"))
    changes = c.take().changes
    assert (changes.files, changes.added, changes.removed) == (2, 3, 3)
    assert not changes.renames_complete
    assert changes.method == "git-myers"


def test_the_index_knows_directories_and_files() -> None:
    index = Index([b"a/b/c", b"a/d", b"e"])
    assert index.names(b"") == {b"a", b"e"}
    assert index.names(b"a") == {b"b", b"d"}
    assert index.names(b"a/d") == set()
    assert sorted(index.files_at(b"a")) == [b"a/b/c", b"a/d"]
    assert list(index.files_at(b"e")) == [b"e"]
