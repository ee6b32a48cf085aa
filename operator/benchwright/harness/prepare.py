"""Before the main container may go: source, prompt or hidden files, earlier stages' work, steps."""

import shutil
import tarfile
from pathlib import Path

from benchwright.api.stageplan import StagePlan, StepPlan
from benchwright.harness.folders import Folders
from benchwright.harness.snapshot import baserepo
from benchwright.harness.transport import Transport


class PrepareError(Exception):
    """The pod cannot be made ready; `reason` is one word for the trial."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


def prepare(plan: StagePlan, folders: Folders, transport: Transport) -> list[StepPlan]:
    """Lay out everything but the sign to go; returns the steps that will run."""
    bundle = folders.private / "repository.bundle"
    transport.fetch(f"/v1/tasks/{plan['taskDigest']}/repository", bundle)
    commit = baserepo.create(bundle, folders.base)
    if plan["role"] == "workspace":
        baserepo.clone(folders.base, commit, folders.repository)
        _workspace(plan, folders, transport)
    else:
        _evaluator(plan, folders, transport)
    return _steps(plan, folders, transport)


def _workspace(plan: StagePlan, folders: Folders, transport: Transport) -> None:
    folders.answers.mkdir()
    visible = folders.private / "visible.tar"
    transport.fetch(f"/v1/tasks/{plan['taskDigest']}/visible", visible)
    _unpack(visible, folders.private / "visible")
    prompt = folders.private / "visible" / "prompts" / f"{plan['stage']}.md"
    shutil.copyfile(prompt, folders.control / "prompt.md")


def _evaluator(plan: StagePlan, folders: Folders, transport: Transport) -> None:
    baserepo.materialise(folders.base, folders.repository)
    for stage in plan["overlays"]:
        _lay_over(plan, stage, folders, transport)
    hidden = folders.private / "hidden.tar"
    transport.fetch(f"/v1/tasks/{plan['taskDigest']}/hidden", hidden)
    _unpack(hidden, folders.control / "evaluation")
    folders.reports.mkdir()


def _lay_over(plan: StagePlan, stage: str, folders: Folders, transport: Transport) -> None:
    from benchwright.harness.crossing import cross

    source = f"/v1/attempts/{plan['trialUid']}/{plan['attempt']}/{stage}/files"
    overlay, manifest = folders.private / f"{stage}.tar", folders.private / f"{stage}.json"
    transport.fetch(f"{source}/overlay.tar", overlay)
    transport.fetch(f"{source}/manifest.json", manifest)
    cross(plan, overlay, manifest, folders)


def _steps(plan: StagePlan, folders: Folders, transport: Transport) -> list[StepPlan]:
    """Write the runner and its steps; a step whose answer was not left is not run."""
    target = folders.control / "steps"
    target.mkdir()
    # Not importlib.resources: its import costs as much as everything else that is done here.
    shutil.copyfile(Path(__file__).with_name("runner.sh"), folders.control / "runner")
    steps = []
    for step in plan["steps"]:
        script = _script(plan, step, transport)
        if script is not None:
            (target / f"{step['name']}.sh").write_bytes(script)
            steps.append(step)
    (target / "list").write_text("".join(f"{s['name']} {s['seconds']}\n" for s in steps))
    return steps


def _script(plan: StagePlan, step: StepPlan, transport: Transport) -> bytes | None:
    if "script" in step:
        return step["script"].encode()
    answer = step["answer"]
    return transport.get(
        f"/v1/attempts/{plan['trialUid']}/{plan['attempt']}/{answer['stage']}/files/answers/{answer['name']}"
    )


def _unpack(archive: Path, into: Path) -> None:
    """Files of an archive that the results service made itself."""
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            path = into / member.name
            stream = tar.extractfile(member)
            if stream is None or not path.resolve().is_relative_to(into.resolve()):
                raise PrepareError("BadBundle", f"{member.name!r} in a bundle of task files")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stream.read())
