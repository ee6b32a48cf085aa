"""TaskSet: a corpus of tasks with an immutable identity."""

from typing import Annotated

from pydantic import Field, StringConstraints

from benchwright.api.base import Count, Digest, Model, Name, RelPath
from benchwright.api.conditions import Condition
from benchwright.api.task import Task

FileText = Annotated[str, StringConstraints(max_length=262144)]


class InlineTask(Model):
    """A task directory written into the resource."""

    task: Task
    """What task.yaml would say."""
    files: Annotated[dict[RelPath, FileText], Field(max_length=200)] = {}
    """The directory's other files by path: workspace/…, evaluation/…, prompts/…, solutions/…."""


class GitTasks(Model):
    """Task directories in a git repository."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2048)]
    """Where the results service clones from."""
    ref: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    """Commit, tag or branch. The digest in the status says which tasks it was."""
    path: Annotated[str, StringConstraints(max_length=512)] = ""
    """Folder that holds the task directories."""


class ConfigMapTasks(Model):
    """Task directories as a .tar.gz in a ConfigMap, as `benchwright pack DIR` makes it."""

    name: Name
    """ConfigMap in the same namespace."""
    key: Annotated[str, StringConstraints(max_length=253)] = "tasks.tar.gz"
    """Key in its binaryData."""


class TaskSetSource(Model):
    """Exactly one of these."""

    git: GitTasks | None = None
    """Task directories in a repository."""
    config_map: ConfigMapTasks | None = None
    """Task directories in a ConfigMap."""
    inline: Annotated[tuple[InlineTask, ...], Field(min_length=1, max_length=100)] | None = None
    """Tasks written out here."""


class TaskSetSpec(Model):
    """Where the tasks come from."""

    source: TaskSetSource
    """git, configMap or inline."""


TASKSET_RULES = [
    {
        "rule": "[has(self.source.git), has(self.source.configMap), has(self.source.inline)]"
        ".filter(x, x).size() == 1",
        "message": "source takes exactly one of git, configMap and inline",
    },
]


class TaskCounts(Model):
    """How many tasks there are."""

    total: Count = 0
    """All of them."""
    test_writing: Count = 0
    """Of kind testWriting."""
    test_running: Count = 0
    """Of kind testRunning."""
    repair: Count = 0
    """Of kind repair."""


class TaskSetStatus(Model):
    """What the operator found in the source."""

    observed_generation: Annotated[int, Field(ge=0)] = 0
    """The spec's generation that this status speaks of."""
    digest: Digest | None = None
    """Identity of the corpus: a hash over all task digests."""
    counts: TaskCounts | None = None
    """Tasks by kind."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=8)] = ()
    """Resolved: whether all tasks were loaded and their sources are at hand."""
