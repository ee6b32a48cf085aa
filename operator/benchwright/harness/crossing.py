"""What of an agent's work crosses into the evaluator's pristine base."""

import json
from pathlib import Path

from benchwright.api.stageplan import StagePlan
from benchwright.changes.model import Manifest
from benchwright.changes.overlay import Policy, Selection, select
from benchwright.changes.paths import show
from benchwright.harness.folders import Folders
from benchwright.harness.snapshot.apply import ApplyResult, apply


def cross(plan: StagePlan, overlay: Path, manifest: Path, folders: Folders) -> None:
    """Apply the selected files; list what was dropped, for the facts and the evidence."""
    policy = Policy(plan["selection"])
    selection = select(Manifest.from_json(manifest.read_bytes()), policy)
    result = apply(folders.repository, overlay, selection)
    _note(selection, result, folders)


def _note(selection: Selection, result: ApplyResult, folders: Folders) -> None:
    record = {
        "applied": [show(e.path) for e in selection.applied[:1000]],
        "dropped": [[show(d.entry.path), d.reason] for d in selection.dropped[:1000]],
        "flags": [[show(f.entry.path), f.reason] for f in selection.flags[:1000]],
        "refused": [[show(r.path), r.reason] for r in result.refused[:1000]],
        "complete": selection.complete,
    }
    (folders.private / "crossing.json").write_text(json.dumps(record, indent=1))
    with (folders.private / "crossed").open("ab") as crossed:
        crossed.writelines(entry.path + b"\0" for entry in selection.applied)
    counter = folders.private / "dropped"
    before = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(before + len(selection.dropped) + len(result.refused)))
