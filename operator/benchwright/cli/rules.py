"""Python twins of the CEL rules that do not compare with an older object.

They are keyed by the very message that the API server gives; a unit test holds this table against
the rules of the CRDs, so that neither can be changed alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar, cast

from pydantic import BaseModel

from benchwright.api.agent import AGENT_RULES, LIBRARIES, PRESET_DIALECTS, AgentSpec
from benchwright.api.run import RUN_RULES, BenchmarkRunSpec
from benchwright.api.task import TASK_RULES, Task, first_problem
from benchwright.api.taskset import TASKSET_RULES, TaskSetSpec
from benchwright.api.trial import TRIAL_SPEC_RULES, TRIAL_STATUS_RULES, TrialSpec, TrialStatus

Path = tuple[str | int, ...]
Broken = Callable[[BaseModel], Path | None]
M = TypeVar("M", bound=BaseModel)
_Entry = tuple[str, type[BaseModel], Broken]


def _rule(
    rules: Sequence[Mapping[str, str]],
    words: str,
    model: type[M],
    broken: Callable[[M], Path | None],
) -> _Entry:
    """The rule whose message starts with `words`, and its twin: the field at fault, or None."""
    (message,) = [r["message"] for r in rules if r["message"].startswith(words)]
    return message, model, cast(Broken, broken)


def _no_model(agent: AgentSpec) -> Path | None:
    return ("dialect",) if agent.dialect != "none" and agent.model is None else None


def _no_dialect(agent: AgentSpec) -> Path | None:
    lacking = agent.model is not None and agent.dialect == "none" and agent.preset is None
    return ("model",) if lacking else None


def _preset_no_model(agent: AgentSpec) -> Path | None:
    return ("preset",) if agent.preset is not None and agent.model is None else None


def _no_run(agent: AgentSpec) -> Path | None:
    has_command = agent.preset is not None and agent.preset not in LIBRARIES
    return ("run",) if agent.run is None and not has_command else None


def _preset_dialect(agent: AgentSpec) -> Path | None:
    if agent.preset is None or agent.dialect == "none":
        return None
    return None if agent.dialect in PRESET_DIALECTS[agent.preset] else ("dialect",)


def _harness_names(agent: AgentSpec) -> Path | None:
    taken = (i for i, e in enumerate(agent.env) if e.name.startswith("BENCHWRIGHT_"))
    return next((("env", i, "name") for i in taken), None)


def _one_source(tasks: TaskSetSpec) -> Path | None:
    source = tasks.source
    given = sum(s is not None for s in (source.git, source.config_map, source.inline))
    return ("source",) if given != 1 else None


def _agents_once(run: BenchmarkRunSpec) -> Path | None:
    twice = (i for i, name in enumerate(run.agents) if name in run.agents[:i])
    return next((("agents", i) for i in twice), None)


def _agent_by_purpose(trial: TrialSpec) -> Path | None:
    wrong = (trial.purpose == "baseline") == (trial.agent is not None)
    return ("agent",) if wrong else None


def _outcome_explained(status: TrialStatus) -> Path | None:
    bare = status.reason is None or status.phase != "Finished"
    return ("outcome",) if status.outcome is not None and bare else None


def _task_rules() -> Iterable[_Entry]:
    """The models hold these already, by the same messages."""
    for rule in TASK_RULES:
        message = rule["message"]

        def broken(task: Task, message: str = message) -> Path | None:
            return () if first_problem(task) == message else None

        yield message, Task, cast(Broken, broken)


_ENTRIES: tuple[_Entry, ...] = (
    _rule(AGENT_RULES, "dialect needs a model", AgentSpec, _no_model),
    _rule(AGENT_RULES, "model needs a dialect", AgentSpec, _no_dialect),
    _rule(AGENT_RULES, "preset needs a model", AgentSpec, _preset_no_model),
    _rule(AGENT_RULES, "run is needed", AgentSpec, _no_run),
    _rule(AGENT_RULES, "preset does not speak", AgentSpec, _preset_dialect),
    _rule(AGENT_RULES, "environment names that start with", AgentSpec, _harness_names),
    _rule(TASKSET_RULES, "source takes exactly one", TaskSetSpec, _one_source),
    _rule(RUN_RULES, "an agent is named twice", BenchmarkRunSpec, _agents_once),
    _rule(TRIAL_SPEC_RULES, "a measurement needs spec.agent", TrialSpec, _agent_by_purpose),
    _rule(TRIAL_STATUS_RULES, "an outcome needs a reason", TrialStatus, _outcome_explained),
    *_task_rules(),
)
TWINS: Mapping[str, tuple[type[BaseModel], Broken]] = {m: (t, b) for m, t, b in _ENTRIES}
"""Message → model and twin."""


def broken_rules(model: BaseModel) -> list[tuple[Path, str]]:
    """Field and message of each rule that `model` breaks."""
    found = ((b(model), m) for m, (kind, b) in TWINS.items() if isinstance(model, kind))
    return [(path, message) for path, message in found if path is not None]
