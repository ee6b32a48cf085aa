"""Nothing in an agent's tree runs, blocks or locks the harness out."""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from benchwright.harness.snapshot import baserepo, openat
from benchwright.harness.snapshot.fastimport import Importer, Put
from benchwright.harness.snapshot.git import environment
from benchwright.harness.snapshot.limits import Limits
from benchwright.harness.snapshot.result import SnapshotResult
from tests.unit.harness_snapshot.support import Case, File, Node, kinds, text

NOBODY = 65534
Maker = Callable[[dict[bytes, Node]], Case]


def _script(marker: Path, name: str) -> str:
    """A program that says that it ran, and then behaves like `cat`."""
    script = marker / f"{name}.sh"
    script.write_text(f"#!/bin/sh\n: > {marker}/RAN-{name}\nexec cat\n")
    script.chmod(0o755)
    return str(script)


def _hostile_config(marker: Path) -> str:
    run = {
        name: _script(marker, name)
        for name in [
            "fsmonitor",
            "clean",
            "smudge",
            "process",
            "textconv",
            "external",
            "editor",
            "include",
            "pager",
        ]
    }
    return f"""
[core]
\trepositoryformatversion = 0
\tfsmonitor = {run["fsmonitor"]}
\thooksPath = {marker}/hooks
\tattributesFile = {marker}/attributes
\teditor = {run["editor"]}
\tpager = {run["pager"]}
[filter "evil"]
\tclean = {run["clean"]}
\tsmudge = {run["smudge"]}
[filter "evil-process"]
\tprocess = {run["process"]}
[diff "evil"]
\ttextconv = {run["textconv"]}
\tcommand = {run["external"]}
[diff]
\texternal = {run["external"]}
[include]
\tpath = {marker}/more.config
"""


@pytest.fixture
def hostile(case: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A repository that an agent armed in every way of the table of §4, environment and all."""
    marker = tmp_path / "marker"
    (marker / "hooks").mkdir(parents=True)
    (marker / "attributes").write_text("*.txt filter=evil-process diff=evil\n")
    c = case(
        {
            b"a.py": text("1", "2"),
            b"c.txt": text("1"),
            b".gitattributes": File(b"*.py filter=evil diff=evil\n"),
        }
    )
    git = ["git", "-C", str(c.workspace), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    config = c.workspace / ".git" / "config"
    config.write_text(_hostile_config(marker))
    include = _script(marker, "include")
    (marker / "more.config").write_text(f"[core]\n\tfsmonitor = {include}\n")
    for directory in (c.workspace / ".git" / "hooks", marker / "hooks"):
        directory.mkdir(exist_ok=True)
        for hook in ["post-index-change", "reference-transaction", "pre-commit", "post-checkout"]:
            (directory / hook).write_text(f"#!/bin/sh\n: > {marker}/RAN-{hook}\n")
            (directory / hook).chmod(0o755)
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(config))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", _script(marker, "environment"))
    monkeypatch.setenv("GIT_DIR", str(c.workspace / ".git"))
    monkeypatch.setenv("HOME", str(marker))
    (marker / ".gitconfig").write_text(config.read_text())
    c.put(b"a.py", text("1", "changed"))
    c.put(b"b.py", text("new"))
    c.put(b"c.txt", text("changed"))
    return c


def _ran(c: Case) -> list[str]:
    return sorted(path.name for path in (c.top / "marker").glob("RAN-*"))


def test_the_fixture_is_armed(hostile: Case) -> None:
    """Otherwise the next test would prove nothing."""
    subprocess.run(["git", "status"], cwd=hostile.workspace)
    subprocess.run(["git", "diff"], cwd=hostile.workspace)
    subprocess.run(["git", "add", "-A"], cwd=hostile.workspace)
    ran = {name.removeprefix("RAN-") for name in _ran(hostile)}
    assert ran >= {"include", "clean", "process", "external", "post-index-change"}


def test_nothing_of_a_hostile_repository_runs_CVE_2026_71963(
    hostile: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile.workspace)
    result = hostile.take()
    assert kinds(result) == {b"a.py": "modified", b"b.py": "added", b"c.txt": "modified"}
    assert (result.changes.added, result.changes.removed) == (3, 2)
    assert _ran(hostile) == []


def test_the_environment_of_git_is_made_from_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor=evil'")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/evil")
    kept = environment(tmp_path)
    assert not {"GIT_CONFIG_PARAMETERS", "GIT_ALTERNATE_OBJECT_DIRECTORIES"} & kept.keys()
    assert kept["GIT_CONFIG_GLOBAL"] == "/dev/null"
    assert kept["HOME"] == "/nonexistent"


def test_a_symlink_swapped_for_a_directory_on_the_way_is_not_followed(case: Maker) -> None:
    """Even were a process of the agent alive: every component is opened without following."""
    c = case({b"a/b/c.py": text("1")})
    (c.top / "out").mkdir()
    (c.top / "out" / "c.py").write_text("secret")
    c.delete(b"a/b/c.py")
    c.place(b"a/b").rmdir()
    c.place(b"a/b").symlink_to(c.top / "out")
    root = openat.open_root(c.workspace)
    try:
        with pytest.raises(OSError, match="Not a directory"):
            openat.open_directory(root, b"a/b")
    finally:
        os.close(root)


def test_names_cannot_inject_commands_into_fast_import(tmp_path: Path, case: Maker) -> None:
    c = case({b"a": text("1")})
    evil = b'x\nD a\nM 100644 inline y\ndata 0\n"'
    with Importer(c.repo) as importer:
        mark = importer.blob(b"x")
        importer.commit(
            "refs/benchwright/result", baserepo.BASE + "^0", [Put(evil, mark, 0o100644)]
        )
        importer.finish(10)
    out = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--name-only", "refs/benchwright/result"],
        env={**os.environ, "GIT_DIR": str(c.repo)},
        capture_output=True,
        check=True,
    ).stdout
    assert sorted(out.split(b"\0")) == [b"", b"a", evil]


def _take_as_nobody(c: Case) -> SnapshotResult:
    """In a process without privileges, as the sidecar is; forked, since what Python itself is made
    of may not be readable for others."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _become_nobody()
            os.write(write, pickle.dumps(c.take()))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        result = pickle.load(pipe)
    os.waitpid(child, 0)
    assert isinstance(result, SnapshotResult)
    return result


def _become_nobody() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        # Changing users makes /proc/self root's, as starting a program as another user does not.
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE


def _give(top: Path, *, but: Collection[Path] = ()) -> None:
    for path in (top, *top.rglob("*")) if os.getuid() == 0 else ():
        if path not in but:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


@pytest.fixture
def open_top() -> Iterator[Path]:
    """A directory that another user can get to, unlike pytest's."""
    with tempfile.TemporaryDirectory() as top:
        yield Path(top)


def test_chmod_000_locks_nobody_out(open_top: Path) -> None:
    c = Case(open_top, {b"a.py": text("1"), b"d/b.py": text("1"), b"d/e/c.py": text("1")})
    c.put(b"a.py", text("22"))
    c.put(b"new/x.py", text("1"))
    c.put(b"d/e/c.py", text("2"))
    _give(open_top)
    for locked in (b"a.py", b"new/x.py", b"new", b"d/e", b"d"):
        c.place(locked).chmod(0)
    c.workspace.chmod(0)
    result = _take_as_nobody(c)
    assert kinds(result) == {b"a.py": "modified", b"d/e/c.py": "modified", b"new/x.py": "added"}
    assert not result.truncated


@pytest.mark.skipif(os.getuid() != 0, reason="needs another user's files")
def test_what_another_user_locked_is_left_out_not_deleted(open_top: Path) -> None:
    c = Case(open_top, {b"a.py": text("1"), b"d/b.py": text("1"), b"e.py": text("1")})
    c.put(b"a.py", text("2"))
    c.put(b"new.py", text("1"))
    c.delete(b"e.py")
    locked = [c.place(name) for name in (b"a.py", b"d", b"new.py")]
    _give(open_top, but=locked)
    for path in locked:
        path.chmod(0)
    result = _take_as_nobody(c)
    assert kinds(result) == {b"e.py": "deleted"}
    left_out = [(item.path, item.reason) for item in result.manifest.left_out]
    names = (b"a.py", b"d/", b"d/b.py", b"new.py")
    assert left_out == [(name, "unreadable") for name in names]
    assert result.truncated


def test_a_sparse_file_of_10_gib_is_not_read(case: Maker) -> None:
    c = case({b"a.py": text("1"), b"b.py": text("1")})
    for name in (b"big.bin", b"b.py"):
        c.place(name).touch()
        os.truncate(c.place(name), 10 << 30)
    c.put(b"a.py", text("2"))
    result = c.take()
    assert kinds(result) == {b"a.py": "modified"}
    assert [(item.path, item.reason, item.size) for item in result.manifest.left_out] == [
        (b"b.py", "max_file_bytes", 10 << 30),
        (b"big.bin", "max_file_bytes", 10 << 30),
    ]
    assert result.truncated
    assert result.changes.truncated


def test_a_thousand_levels_of_long_names(case: Maker) -> None:
    c = case({b"a.py": text("1")})
    c.put(b"tests/test_a.py", text("1"))
    fd = os.open(c.workspace, os.O_RDONLY)
    for _ in range(1000):
        os.mkdir("n" * 255, dir_fd=fd)
        below = os.open("n" * 255, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    result = c.take()
    assert kinds(result) == {b"tests/test_a.py": "added"}
    assert result.manifest.limits == ("max_path_bytes",)
    subprocess.run(["rm", "-rf", str(c.workspace)], check=True)


def test_thousands_of_junk_files_do_not_push_the_tests_out(case: Maker) -> None:
    c = case({b"zz/kept.py": text("1")})
    (c.workspace / "aaa").mkdir()
    for n in range(300):
        (c.workspace / "aaa" / f"{n}.tmp").touch()
        (c.workspace / f"{n}.tmp").touch()
    c.put(b"zz/tests/test_new.py", text("1"))
    c.put(b"zz/kept.py", text("2"))
    result = c.take(Limits(max_files=50, max_listed=10))
    assert {b"zz/tests/test_new.py", b"zz/kept.py"} <= kinds(result).keys()
    assert (len(result.manifest.entries), result.manifest.left_out_files) == (50, 552)
    assert len(result.manifest.left_out) == 10
    assert result.truncated
