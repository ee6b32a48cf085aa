"""The harness's repository: from a bundle of one commit, and back to files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchwright.harness.snapshot import baserepo
from benchwright.harness.snapshot.baserepo import BaseError
from benchwright.harness.snapshot.git import GitError
from tests.unit.harness_snapshot.support import File, Link, Node, make_base, read_tree, text

TREE: dict[bytes, Node] = {
    b"a.py": text("1"),
    b"d/run.sh": File(b"#!/bin/sh\r\n", True),
    b"d/link": Link(b"../a.py"),
    b"d/dangling": Link(b"/nowhere"),
    b"\377": File(b"\0"),
    b".gitattributes": File(b"* text eol=crlf export-ignore\n"),
}


def bundle(top: Path, *refs: str, tree: dict[bytes, Node] | None = None) -> Path:
    repo = make_base(top / "made.git", TREE if tree is None else tree)
    env = {**os.environ, "GIT_DIR": str(repo)}
    out = top / "base.bundle"
    for ref in refs:
        subprocess.run(["git", "update-ref", ref, baserepo.BASE], env=env, check=True)
    subprocess.run(["git", "bundle", "create", "-q", str(out), "--all"], env=env, check=True)
    return out


def test_a_bundle_becomes_a_bare_repository_with_one_commit(tmp_path: Path) -> None:
    repo = tmp_path / "new" / "base.git"
    commit = baserepo.create(bundle(tmp_path, "refs/heads/main"), repo)
    env = {**os.environ, "GIT_DIR": str(repo)}
    count = subprocess.run(
        ["git", "rev-list", "--all", "--count"], env=env, capture_output=True, check=True
    )
    assert count.stdout == b"1\n"
    assert len(commit) == 40
    head = (repo / "HEAD").read_text().split()[1]
    assert not (repo / head).exists(), "HEAD must stay unborn"
    assert not (repo / "hooks").exists()


def test_the_tree_is_listed_with_modes_ids_and_sizes(tmp_path: Path) -> None:
    tree = baserepo.list_tree(make_base(tmp_path / "r.git", TREE))
    assert tree.keys() == TREE.keys()
    assert tree[b"d/run.sh"].mode == 0o100755
    assert (tree[b"d/link"].mode, tree[b"d/link"].size) == (0o120000, 7)
    assert tree[b"a.py"].id == "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"


def test_files_are_written_as_they_are_whatever_the_attributes(tmp_path: Path) -> None:
    repo = make_base(tmp_path / "r.git", TREE)
    baserepo.materialise(repo, tmp_path / "tree")
    assert read_tree(tmp_path / "tree") == TREE


def test_an_empty_base(tmp_path: Path) -> None:
    repo = tmp_path / "base.git"
    baserepo.create(bundle(tmp_path, tree={}), repo)
    assert baserepo.list_tree(repo) == {}
    baserepo.materialise(repo, tmp_path / "tree")
    assert read_tree(tmp_path / "tree") == {}


def test_history_in_the_bundle_is_refused_SWE_bench_465(tmp_path: Path) -> None:
    repo = make_base(tmp_path / "made.git", TREE)
    env = {**os.environ, "GIT_DIR": str(repo)}
    stream = b"commit refs/benchwright/base\ncommitter a <a@b> 0 +0000\ndata 0\n"
    stream += b"from refs/benchwright/base^0\nD a.py\n\ndone\n"
    subprocess.run(["git", "fast-import", "--quiet"], input=stream, env=env, check=True)
    out = tmp_path / "b.bundle"
    subprocess.run(["git", "bundle", "create", "-q", str(out), "--all"], env=env, check=True)
    with pytest.raises(BaseError, match="has a parent"):
        baserepo.create(out, tmp_path / "base.git")


def test_two_commits_are_refused(tmp_path: Path) -> None:
    repo = make_base(tmp_path / "made.git", TREE)
    env = {**os.environ, "GIT_DIR": str(repo)}
    stream = b"commit refs/heads/b\ncommitter a <a@b> 0 +0000\ndata 0\n\ndone\n"
    subprocess.run(["git", "fast-import", "--quiet"], input=stream, env=env, check=True)
    out = tmp_path / "b.bundle"
    subprocess.run(["git", "bundle", "create", "-q", str(out), "--all"], env=env, check=True)
    with pytest.raises(BaseError, match="2 heads"):
        baserepo.create(out, tmp_path / "base.git")


def test_what_is_no_bundle_raises(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"junk")
    with pytest.raises(GitError):
        baserepo.create(tmp_path / "x", tmp_path / "base.git")
