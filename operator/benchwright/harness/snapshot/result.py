"""What a snapshot is: four files and what is in two of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchwright.changes.model import Changes, Manifest

OVERLAY, MANIFEST, PATCH, CHANGES = "overlay.tar", "manifest.json", "patch.diff", "changes.json"


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    """`out` holds the files. `patch_complete` is False where the patch was cut, leaves files out or
    git made none."""

    out: Path
    manifest: Manifest
    changes: Changes
    patch_complete: bool

    @property
    def truncated(self) -> bool:
        """Whether a part of the agent's result is not in the overlay and the numbers."""
        return self.manifest.truncated

    @property
    def overlay(self) -> Path:
        """The tar of what was added and modified."""
        return self.out / OVERLAY

    @property
    def manifest_file(self) -> Path:
        """`manifest` as JSON."""
        return self.out / MANIFEST

    @property
    def patch(self) -> Path:
        """The patch for people."""
        return self.out / PATCH

    @property
    def changes_file(self) -> Path:
        """`changes` as JSON."""
        return self.out / CHANGES

    def written(self) -> SnapshotResult:
        """Itself, with the two documents on disk."""
        self.manifest_file.write_bytes(self.manifest.to_json())
        self.changes_file.write_bytes(self.changes.to_json())
        return self
