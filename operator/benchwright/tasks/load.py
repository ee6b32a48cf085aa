"""A task directory (or its inline form) → task, visible files, hidden files, digest (pure)."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from benchwright.api.task import Task, TaskSnapshot
from benchwright.api.taskset import InlineTask
from benchwright.tasks import layout
from benchwright.tasks.errors import TaskError
from benchwright.tasks.layout import TASK_FILE, Files
from benchwright.tasks.yamlfile import YamlProblem, explain, load_all, plain


@dataclass(frozen=True)
class LoadedTask:
    """A task with its files, split by who may see them."""

    task: Task
    prompts: Mapping[str, str]
    """Prompt by stage."""
    starter: Files
    """Laid over the source, path relative to the repository."""
    hidden: Files
    """For evaluator pods only, path relative to the evaluation folder."""
    digest: str

    @property
    def snapshot(self) -> TaskSnapshot:
        spec = self.task.model_copy(update={"prompt": None, "prompts": {}})
        return TaskSnapshot(name=self.task.name, digest=self.digest, spec=spec)


def load_inline(item: InlineTask) -> LoadedTask:
    """The inline form."""
    return build(item.task, {path: text.encode() for path, text in item.files.items()})


def load_directory(name: str, files: Files) -> LoadedTask:
    """A directory's files by relative path; task.yaml is among them."""
    if TASK_FILE not in files:
        raise TaskError("TaskInvalid", name, f"there is no {TASK_FILE} in this directory")
    where = f"{name}/{TASK_FILE}"
    try:
        documents = load_all(files[TASK_FILE].decode("utf-8", "replace"), where)
    except YamlProblem as error:
        raise TaskError("TaskInvalid", name, str(error)) from error
    if len(documents) != 1:
        raise TaskError(
            "TaskInvalid", where, f"holds {len(documents)} YAML documents instead of one"
        )
    try:
        task = Task.model_validate(plain(documents[0]))
    except ValidationError as error:
        raise TaskError(
            "TaskInvalid", name, "; ".join(explain(error, documents[0], where))
        ) from error
    return build(task, {path: data for path, data in files.items() if path != TASK_FILE})


def build(task: Task, files: Files) -> LoadedTask:
    """Check the files, split them and compute the digest."""
    files = {path: data for path, data in files.items() if not layout.beside(path)}
    layout.check(task, files)
    prompts = _prompts(task, files)
    return LoadedTask(
        task=task,
        prompts=prompts,
        starter=_below(files, layout.WORKSPACE),
        hidden=_below(files, layout.EVALUATION),
        digest=digest(task, files),
    )


def _prompts(task: Task, files: Files) -> Mapping[str, str]:
    out = {}
    for stage in task.stages:
        text = _prompt(task, files, stage)
        if not text:
            raise TaskError(
                "PromptMissing",
                task.name,
                f"stage {stage} has no prompt: write prompts/{stage}.md, prompt.md or spec prompt",
            )
        out[stage] = text
    return out


def _prompt(task: Task, files: Files, stage: str) -> str | None:
    from_file = files.get(f"{layout.PROMPTS}{stage}.md") or files.get(layout.PROMPT_FILE)
    if stage in task.prompts:
        return task.prompts[stage]
    return from_file.decode("utf-8", "replace") if from_file else task.prompt


def _below(files: Files, folder: str) -> Files:
    return {p.removeprefix(folder): data for p, data in files.items() if p.startswith(folder)}


def digest(task: Task, files: Files) -> str:
    """Covers task.yaml and every file but solutions and mutants, which cannot change a verdict.

    The source is in task.yaml by its own hash (commit or sha256).
    """
    rows = [
        [path, hashlib.sha256(data).hexdigest()]
        for path, data in sorted(files.items())
        if not path.startswith(layout.UNGRADED)
    ]
    text = json.dumps([task.dump(), rows], sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def corpus_digest(digests: Mapping[str, str]) -> str:
    """Identity of a set of tasks: names and digests, in order of names."""
    text = json.dumps(sorted(digests.items()), separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
