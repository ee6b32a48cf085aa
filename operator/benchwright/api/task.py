"""task.yaml: one problem, how it is presented, limited and measured."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from benchwright.api.base import (
    Digest,
    Glob,
    ImageRef,
    Model,
    Name,
    Quantity,
    RelPath,
    Script,
    Seconds,
    Sha256,
    ShortText,
)

Kind = Literal["testWriting", "testRunning", "repair"]
CoverageFormat = Literal["coveragepy-json", "cobertura", "lcov"]
STAGES: dict[str, tuple[str, ...]] = {
    "testWriting": ("write",),
    "testRunning": ("detect", "setup"),
    "repair": ("repair",),
}
"""The stages in which the agent works, by kind; an evaluator follows the last one."""


class GitSource(Model):
    """A commit of a git repository. Only its tree is used: the agent sees one commit, no history."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2048)]
    """Where the results service clones from."""
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$", max_length=40)]
    """Full commit hash; branches and tags move and are refused."""


class ArchiveSource(Model):
    """A source archive (.tar.gz, .tar.bz2, .tar.xz, .zip), pinned by its hash."""

    sha256: Sha256
    """Hash of the archive file. Another file is refused."""
    url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    """Where the results service gets it. Left out: it was pushed before (`benchwright push FILE`)."""
    strip_components: Annotated[int, Field(ge=0, le=8)] = 1
    """Leading folders to drop from each name."""


class Source(Model):
    """Where the repository comes from. Files in the task's workspace/ folder are laid over it."""

    git: GitSource | None = None
    """A commit of a repository."""
    archive: ArchiveSource | None = None
    """An archive, such as a release from a package registry."""


class TaskLimits(Model):
    """Time limits in seconds, each on one clock in the pod; what runs past its limit is killed."""

    setup_seconds: Seconds = 300
    """For the agent's setup script."""
    agent_seconds: Seconds = 1800
    """For the agent, in each stage. Running past it is a valid failure (outcome: timeout)."""
    evaluate_seconds: Seconds = 900
    """For each command of the evaluation."""


class Resources(Model):
    """What each pod of the task requests; the memory limit is the request times memoryHeadroom."""

    cpu: Quantity = "500m"
    """CPU request; there is no CPU limit, so that throttling doesn't change results."""
    memory: Quantity = "512Mi"
    """Memory request."""
    memory_headroom: Annotated[int, Field(ge=1, le=8)] = 3
    """Memory limit as a multiple of the request."""
    ephemeral_storage: Quantity = "2Gi"
    """Limit of what may be written, logs included."""


class CoverageReportSpec(Model):
    """The coverage report that the measure command writes."""

    path: RelPath
    """Path below $BENCHWRIGHT_REPORTS."""
    format: CoverageFormat
    """Its format."""


class JUnitReportSpec(Model):
    """The JUnit XML report that the measure command writes."""

    path: RelPath
    """Path below $BENCHWRIGHT_REPORTS."""


class Measurement(Model):
    """How the evaluator measures coverage and tests."""

    command: Script | None = None
    """Shell script run in the evaluator pod, in the repository; hidden files are in
    $BENCHWRIGHT_EVALUATION and reports go to $BENCHWRIGHT_REPORTS. testRunning: left out, since
    the agent's own test command is what is replayed."""
    coverage: CoverageReportSpec
    """The coverage report."""
    junit: JUnitReportSpec
    """The test report."""
    sources: Annotated[tuple[Glob, ...], Field(min_length=1, max_length=64)]
    """Which files of the base count for coverage (globs, `**` allowed). Tests should not."""
    tests: Annotated[tuple[Glob, ...], Field(max_length=64)] = ()
    """Which files are tests, beside the usual names of the ecosystem."""
    baseline_runs: Annotated[int, Field(ge=1, le=10)] = 2
    """How often the untouched base is measured before any agent is judged."""


class Criterion(Model):
    """One command in the evaluator pod that passes by exit code 0."""

    name: Name
    """Short name, unique in the task."""
    command: Script
    """Shell script run in the repository; hidden files are in $BENCHWRIGHT_EVALUATION."""
    required: bool = True
    """Whether complete success needs it."""
    weight: Annotated[int, Field(ge=0, le=1000)] = 1
    """Weight in the normalised criterion score (the secondary measure)."""


class Truth(Model):
    """testRunning: what a person found out about the project."""

    tooling: Literal["none", "partial", "full"]
    """Whether the project has test tooling: none, some that does not run as it is, or complete."""
    runners: Annotated[tuple[Name, ...], Field(max_length=16)] = ()
    """Test runners that the project uses, such as pytest. Naming any one of them is right."""
    tests: Annotated[int, Field(ge=0, le=1000000)] | None = None
    """How many tests its suite has."""
    tests_tolerance: Annotated[int, Field(ge=0, le=1000000)] = 0
    """How far the replay's count may differ."""
    covered_lines: Annotated[int, Field(ge=0)] | None = None
    """How many lines of `sources` its suite covers."""
    covered_lines_tolerance: Annotated[int, Field(ge=0)] = 0
    """How far the replay's count may differ."""


class Identities(Model):
    """What the task comes from; statistics use it to find clusters."""

    repository: ShortText | None = None
    """The project."""
    issue: ShortText | None = None
    """The issue or change."""
    family: ShortText | None = None
    """Tasks that were made in the same way."""


class Task(Model):
    """One problem. In a task directory this is task.yaml; the prompt may be prompt.md there."""

    name: Name
    """Unique in its task set."""
    kind: Kind
    """testWriting: add tests. testRunning: find out how to run the tests. repair: mend a defect."""
    source: Source = Source()
    """The repository. With neither git nor archive it is the workspace/ folder alone."""
    image: ImageRef
    """Image of workspace and evaluator pods. It needs `sh` and `sleep`, nothing else."""
    prompt: Script | None = None
    """What the agent is asked (or prompt.md in the task directory)."""
    prompts: Annotated[dict[Name, Script], Field(max_length=4)] = {}
    """Prompts by stage, where stages differ (testRunning: detect, setup; or prompts/<stage>.md)."""
    limits: TaskLimits = TaskLimits()
    """Time limits."""
    resources: Resources = Resources()
    """Requests and limits of each pod."""
    measurement: Measurement | None = None
    """Coverage and tests (testWriting and testRunning need it)."""
    criteria: Annotated[tuple[Criterion, ...], Field(max_length=20)] = ()
    """What a repair must satisfy (repair needs 1 to 20, at least one required)."""
    truth: Truth | None = None
    """The labelled answer (testRunning needs it). Never shown to the agent."""
    identities: Identities = Identities()
    """Where the task comes from."""
    split: Literal["public", "private", "calibration"] = "public"
    """Which part of the corpus it belongs to."""
    lifecycle: Literal["draft", "active", "retired"] = "active"
    """Drafts and retired tasks are run only where the run selects them by name."""

    @model_validator(mode="after")
    def _consistent(self) -> "Task":
        problem = first_problem(self)
        if problem:
            raise ValueError(problem)
        return self

    @property
    def stages(self) -> tuple[str, ...]:
        """The agent's stages in order."""
        return STAGES[self.kind]


TASK_RULES = [
    {
        "rule": "!(has(self.source) && has(self.source.git) && has(self.source.archive))",
        "message": "source takes git or archive, not both: remove one of them",
    },
    {
        "rule": "self.kind != 'testWriting' || (has(self.measurement) && has(self.measurement.command))",
        "message": "a testWriting task needs measurement.command: the command that runs the tests "
        "with coverage in the evaluator",
    },
    {
        "rule": "self.kind != 'testRunning' || (has(self.measurement) && has(self.truth))",
        "message": "a testRunning task needs measurement (reports, sources) and truth (the labelled "
        "answer)",
    },
    {
        "rule": "self.kind != 'repair' || (has(self.criteria) && self.criteria.exists(c, c.required))",
        "message": "a repair task needs criteria, at least one of them required",
    },
    {
        "rule": "!has(self.criteria) || self.criteria.all(c, self.criteria.exists_one(d, d.name == c.name))",
        "message": "two criteria have the same name: rename one",
    },
]
"""The same rules as `first_problem`, for the API server; tests keep the two in step."""


def first_problem(task: Task) -> str | None:
    """The first impossible combination, in the words of `TASK_RULES`; None where there is none."""
    names = [c.name for c in task.criteria]
    measurement = task.measurement
    broken = (
        task.source.git is not None and task.source.archive is not None,
        task.kind == "testWriting" and (measurement is None or measurement.command is None),
        task.kind == "testRunning" and (measurement is None or task.truth is None),
        task.kind == "repair" and not any(c.required for c in task.criteria),
        len(set(names)) != len(names),
    )
    return next((r["message"] for r, bad in zip(TASK_RULES, broken, strict=True) if bad), None)


class TaskSnapshot(Model):
    """A task as it was when the trial was planned."""

    name: Name
    """The task's name."""
    digest: Digest
    """Covers every byte that can change a verdict: task.yaml, visible and hidden files, source."""
    spec: Task
    """task.yaml, frozen (prompts are in the visible bundle and left out here)."""
