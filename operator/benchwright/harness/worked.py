"""Facts of a stage in which an agent worked: its changes and its answers."""

from benchwright.api.factsdoc import ObservedDoc
from benchwright.api.stageplan import StagePlan
from benchwright.changes.classify import Overrides
from benchwright.harness.folders import Files, Folders
from benchwright.harness.hostile import read_regular
from benchwright.harness.snapshot.take import take

MAX_ANSWER = 4096


def worked_facts(plan: StagePlan, folders: Folders) -> tuple[ObservedDoc, Files]:
    """The update of the facts, and the files of evidence."""
    out = folders.private / "snapshot"
    out.mkdir(exist_ok=True)
    overrides = Overrides(tests=tuple(plan["tests"]), sources=tuple(plan["sources"]))
    taken = take(folders.repository, folders.base, out, overrides=overrides)
    answers = _answers(plan, folders)
    files: Files = {
        name: out / name for name in ("overlay.tar", "manifest.json", "patch.diff", "changes.json")
    }
    files |= {f"answers/{name}": text.encode() for name, text in answers.items()}
    return {"changes": taken.changes.to_json().decode(), "answers": answers}, files


def _answers(plan: StagePlan, folders: Folders) -> dict[str, str]:
    """Answers as text; what is too long, no regular file or no UTF-8 is no answer."""
    found = {}
    for name in plan["answers"]:
        data = read_regular(folders.answers, name, MAX_ANSWER)
        if data is None:
            continue
        try:
            found[name] = data.decode()
        except UnicodeDecodeError:
            continue
    return found
