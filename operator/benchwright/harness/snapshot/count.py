"""The numbers and the patch of what was collected, whatever git makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.changes.model import Changes, Entry, FileChange, Manifest
from benchwright.changes.numbers import Counted, is_counted, summarise

from . import own
from .baserepo import BASE, BaseTree
from .blobs import Blobs
from .difftree import Trees
from .limits import Limits, Timer
from .measure import Measure, Measured
from .tiers import COUNTED, EXCLUDED_REF, Tiers


@dataclass(frozen=True, slots=True)
class Counting:
    """What counting needs: the repository with the tiers in it, the base's files, overlay.tar and
    what it holds."""

    repo: Path
    blobs: Blobs
    base: BaseTree
    overlay: Path
    manifest: Manifest
    limits: Limits
    timer: Timer

    def by_git(self, tiers: Tiers) -> Changes:
        """The numbers. GitError where git fails or is too slow."""
        counted = self._measured(BASE, COUNTED, tiers.counted)
        excluded = self._measured(COUNTED, EXCLUDED_REF, tiers.excluded)
        bulk = self._own(tiers.bulk, 0) if tiers.bulk else []
        return self._summary(
            primary=[*counted.primary, *bulk],
            plain=[*counted.plain, *excluded.plain, *bulk],
            eol=counted.eol,
            renames_complete=counted.renames_complete,
        )

    def by_hand(self) -> Changes:
        """The numbers where git could not tell: lines compared as bags, no renames."""
        changes = self._own(self.manifest.entries, self.limits.max_file_lines)
        return self._summary(
            primary=changes, plain=changes, eol={}, renames_complete=False, method="multiset"
        )

    def _summary(
        self,
        *,
        primary: Sequence[FileChange],
        plain: Sequence[FileChange],
        eol: Mapping[bytes, tuple[int, int]],
        renames_complete: bool,
        method: str = "git-myers",
    ) -> Changes:
        # By class and not by tier: a vendored directory that became a source file is deleted in the
        # first tier already.
        return summarise(
            Counted(
                primary=[change for change in primary if is_counted(change.cls)],
                plain=[change for change in plain if is_counted(change.cls)],
                excluded=[change for change in plain if not is_counted(change.cls)],
                eol=eol,
                sizes={entry.path: entry.size for entry in self.manifest.entries},
                ignored=self.manifest.ignored,
                method=method,
                renames_complete=renames_complete,
                truncated=self.manifest.truncated,
            )
        )

    def write_patch(self, out: Path, tiers: Tiers) -> bool:
        """Append the patch for people, what counts first, to the empty file `out`; whether it is
        whole. GitError as above."""
        complete = True
        for old, new, entries in (
            (BASE, COUNTED, tiers.counted),
            (COUNTED, EXCLUDED_REF, tiers.excluded),
        ):
            left = self.limits.max_patch_bytes - out.stat().st_size
            if entries and complete:
                complete = self._trees(old, new).patch(out, left)
        if not complete:
            _note(out, f"the patch ends here: more than {self.limits.max_patch_bytes} bytes")
        if tiers.bulk:
            _note(out, f"{len(tiers.bulk)} files too large to compare are not in this patch")
        return complete and not tiers.bulk

    def _trees(self, old: str, new: str) -> Trees:
        return Trees(self.repo, old, new, self.timer)

    def _measured(self, old: str, new: str, entries: Sequence[Entry]) -> Measured:
        if not entries:
            return Measured()
        classes = {entry.path: entry.cls for entry in self.manifest.entries}
        as_text = self.overlay.with_name("attributes.part")
        as_text.write_bytes(b"* diff\n")
        try:
            return Measure(self._trees(old, new), self.blobs, classes, as_text).run()
        finally:
            as_text.unlink()

    def _own(self, entries: Sequence[Entry], max_lines: int) -> list[FileChange]:
        return own.count(self.blobs, self.base, self.overlay, entries, max_lines)


def _note(out: Path, text: str) -> None:
    with out.open("ab") as file:
        file.write(b"\n# benchwright: " + text.encode() + b"\n")
