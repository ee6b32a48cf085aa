"""Bundles of sources, read as the harness reads them."""

import os
import subprocess
from pathlib import Path

from benchwright.harness.snapshot import baserepo
from benchwright.results.sources import make_bundle
from benchwright.tasks.load import LoadedTask, build
from tests.builders import a_task
from tests.unit.results.archives import Member, file, folder, link, tar

TREE = (
    folder("pkg/sub"),
    file("pkg/a.py", b"x = 1\n"),
    file("pkg/run", b"#!/bin/sh\n", 0o755),
    link("pkg/sub/l", "../a.py"),
)


def a_source(files: dict[str, bytes] | None = None) -> LoadedTask:
    """A task whose source is an archive."""
    source = {"archive": {"sha256": "a" * 64, "stripComponents": 0}}
    return build(a_task("repair", prompt="Mend it.", source=source), files or {})


def no_source(files: dict[str, bytes]) -> LoadedTask:
    return build(a_task("repair", prompt="Mend it.", source={}), files)


def git(repo: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repo), *args], capture_output=True, text=True, check=True,
        errors="surrogateescape",
    )  # fmt: skip
    return done.stdout


class Bundles:
    """Makes bundles, and reads them as the harness does."""

    def __init__(self, folder: Path):
        self._folder, self._count = folder, 0

    def make(self, task: LoadedTask, *members: Member) -> Path:
        self._count += 1
        archive, out = (
            self._folder / f"archive{self._count}",
            self._folder / f"{self._count}.bundle",
        )
        archive.write_bytes(tar(*members))
        make_bundle(task, archive if members else None, out)
        return out

    def tree(self, bundle: Path) -> dict[str, bytes]:
        """Every file of the base, as an evaluator gets it."""
        repo, base = bundle.with_suffix(".git"), bundle.with_suffix(".tree")
        baserepo.create(bundle, repo)
        baserepo.materialise(repo, base)
        return {
            os.fsdecode(path): os.fsencode((base / os.fsdecode(path)).readlink())
            if (base / os.fsdecode(path)).is_symlink()
            else (base / os.fsdecode(path)).read_bytes()
            for path in baserepo.list_tree(repo)
        }

    def clone(self, bundle: Path) -> Path:
        repo = bundle.with_suffix(".clone")
        subprocess.run(["git", "clone", "--quiet", bundle, repo], check=True, capture_output=True)
        return repo
