"""Taking a snapshot: what an agent left, compared with the base, as files that can be trusted.

Runs in the sidecar after every process of the agent has ended. Nothing in the workspace is
executed, followed or obeyed, and nothing in it makes this raise: what cannot be taken is named in
the manifest. What raises is the harness's own: a broken base repository, a full disk.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

from benchwright.changes.classify import Overrides, PathClass, classify
from benchwright.changes.ignore import Ignore
from benchwright.changes.model import Changes, Entry, Manifest
from benchwright.changes.modes import SYMLINK
from benchwright.changes.rustinline import is_confined

from . import baserepo, openat, tarfmt
from .baserepo import BaseTree
from .blobs import Blobs
from .collect import Collector
from .count import Counting
from .git import GitError
from .limits import Ledger, Limits, Timer
from .result import OVERLAY, PATCH, SnapshotResult
from .rules import Rules, Walked
from .store import Store
from .tiers import Tiers
from .walk import walk

_GONE = {errno.ENOENT: "missing", errno.ENOTDIR: "no directory", errno.ELOOP: "no directory"}


def take(
    workspace: Path,
    base_repo: Path,
    out: Path,
    limits: Limits | None = None,
    *,
    overrides: Overrides | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> SnapshotResult:
    """Write overlay.tar, manifest.json, patch.diff and changes.json to `out` (made if absent).

    `workspace`: the agent's tree. `base_repo`: made by `baserepo.create`; the result is added to
    it as refs/benchwright/{counted,excluded}. `clock`: seconds that never go back.
    BaseError, GitError or OSError where the harness's own side fails; never for what the agent did.
    """
    out.mkdir(parents=True, exist_ok=True)
    with Blobs(base_repo) as blobs:
        snapshot = _Snapshot(base_repo, blobs, out, limits or Limits(), overrides, clock)
        snapshot.collect(workspace)
        return snapshot.report()


class _Snapshot:
    def __init__(
        self,
        repo: Path,
        blobs: Blobs,
        out: Path,
        limits: Limits,
        overrides: Overrides | None,
        clock: Callable[[], float],
    ) -> None:
        self.repo, self.out, self.limits, self.overrides = repo, out, limits, overrides
        self.blobs, self.clock = blobs, clock
        self.timer = Timer(clock, limits.seconds)
        self.ledger = Ledger(limits.max_listed, self._classify)
        self.commit = blobs.commit_id(baserepo.BASE)
        self.base: BaseTree = baserepo.list_tree(repo)
        self.entries: list[Entry] = []
        self.tiers: Tiers | None = None

    def collect(self, workspace: Path) -> None:
        """Walk, copy to overlay.tar and into the repository. No `tiers` where git failed."""
        if not workspace.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "no volume", str(workspace.parent))
        try:
            root = openat.open_root(workspace)
        except OSError as error:
            self._copy(-1, self._without_root(error))
            return
        try:
            rules = Rules(self._ignore(), self._classify, self.limits, self.timer.late)
            self._copy(root, walk(root, self.base, rules, self.ledger))
        finally:
            os.close(root)

    def report(self) -> SnapshotResult:
        """Count, and write the other three files."""
        counting = Counting(
            repo=self.repo,
            blobs=self.blobs,
            base=self.base,
            overlay=self.out / OVERLAY,
            manifest=self._manifest(),
            limits=self.limits,
            timer=self.timer,
        )
        changes = self._numbers(counting)
        patch_complete = self._patch(counting)
        manifest = self._manifest()  # with the notes of these
        return SnapshotResult(self.out, manifest, changes, patch_complete).written()

    def _without_root(self, error: OSError) -> Walked:
        """The agent removed its tree: everything is deleted. It locked us out: nothing is known."""
        if error.errno in _GONE:
            self.ledger.notes.append(f"workspace: {_GONE[error.errno]}")
            return Walked(deleted=list(self.base))
        for path in self.base:
            self.ledger.leave_out(path, "unreadable")
        return Walked()

    def _copy(self, root: int, walked: Walked) -> None:
        with (self.out / OVERLAY).open("wb") as tar, Store(self.repo, self.limits) as store:
            collector = Collector(
                root=root,
                base=self.base,
                limits=self.limits,
                ledger=self.ledger,
                late=self.timer.late,
                classify=self._classify,
                inline=self._is_inline_test,
                tar=tar,
                store=store.add,
            )
            self.entries = collector.collect(walked)
            tarfmt.write_end(tar)
            self.timer = Timer(self.clock, self.limits.git_seconds)
            store.finish(self.commit, self.timer)
        if store.error is None:
            self.tiers = store.tiers
        else:
            self._note(store.error)

    def _manifest(self) -> Manifest:
        return self.ledger.manifest(self.commit, self.entries)

    def _numbers(self, counting: Counting) -> Changes:
        if self.tiers is not None:
            try:
                return counting.by_git(self.tiers)
            except GitError as error:
                self._note(error)
        return counting.by_hand()

    def _patch(self, counting: Counting) -> bool:
        patch = self.out / PATCH
        patch.write_bytes(b"")
        if self.tiers is not None:
            try:
                return counting.write_patch(patch, self.tiers)
            except GitError as error:
                self._note(error)
        with patch.open("ab") as file:
            file.write(b"\n# benchwright: git could not make this patch, see overlay.tar\n")
        return False

    def _note(self, error: GitError) -> None:
        self.ledger.notes.append(str(error)[:500])

    def _ignore(self) -> Ignore:
        """The base's .gitignore files; git reads none that is a symlink."""
        found = {
            path.rpartition(b"/")[0]: file.id
            for path, file in self.base.items()
            if path.rpartition(b"/")[2] == b".gitignore" and file.mode != SYMLINK
        }
        return Ignore.of({where: self.blobs.read(blob) for where, blob in found.items()})

    def _classify(self, path: bytes) -> PathClass:
        return classify(path, self.overrides)

    def _is_inline_test(self, path: bytes, data: bytes) -> bool:
        if not path.endswith(b".rs") or b"test" not in data:
            return False
        if self.overrides is not None and self.overrides.find(path) is not None:
            return False
        return is_confined(self.blobs.read(self.base[path].id), data)
