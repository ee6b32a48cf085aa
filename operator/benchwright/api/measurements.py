"""Measurements of a trial: the bounded summary in Trial.status and in results.json.

Unknown is None, never 0: `coverage: null` says that it was not measured.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from benchwright.api.base import Count, Model, Name, ShortText
from benchwright.api.conditions import MESSAGE_MAX, Reason

Outcome = Literal["success", "failure", "timeout", "invalid"]
Number = Annotated[float, Field(ge=0)]
PriceLabel = Annotated[str, StringConstraints(max_length=320)]
ModelName = Annotated[str, StringConstraints(max_length=256)]


class TestNumbers(Model):
    """Tests that the agent added, by the evaluator's test report against the baseline's."""

    __test__ = False  # not a pytest class

    added: Count
    """Test cases that the base does not have."""
    passed: Count
    """Of these, passed."""
    failed: Count
    """Of these, failed or in error."""
    skipped: Count = 0
    """Of these, skipped."""
    broken: Count = 0
    """Tests of the base that always passed there and do not any more."""
    total: Count = 0
    """All test cases of the report."""


class CoverageNumbers(Model):
    """Lines of the base sources as sets; test code never counts."""

    base_covered: Count
    """Covered before, in any baseline run."""
    base_total: Count
    """Measurable lines of the base sources."""
    after_covered: Count
    """Of these, covered after the agent's work."""
    gained_lines: Count
    """Covered after, and in no baseline run."""
    lost_lines: Count = 0
    """Covered in every baseline run and not after."""


class ChangeNumbers(Model):
    """Size of the modification, from the diff of the trees."""

    files: Count
    """Files added, changed or deleted."""
    added: Count
    """Lines added."""
    removed: Count
    """Lines removed."""
    test_files: Count
    """Files that are tests or their support."""
    other_files: Count
    """All other files."""
    test_lines_added: Count = 0
    """Lines added in tests and their support."""
    other_lines_added: Count = 0
    """Lines added elsewhere."""
    dropped_files: Count = 0
    """Changed files that did not cross into the evaluator (only tests do, in testWriting)."""
    truncated: bool = False
    """A limit was hit: the numbers are lower bounds."""


class CriterionResult(Model):
    """One criterion of a repair."""

    name: Name
    """Its name in the task."""
    passed: bool
    """Exit code 0 within the time limit."""
    required: bool
    """Whether complete success needs it."""
    weight: Count
    """Weight in the score."""


class DetectResult(Model):
    """testRunning, stage detect: the agent's answer against the labelled truth."""

    answered: bool
    """Whether an answer of the right form was there."""
    tooling: ShortText | None = None
    """What the agent said."""
    tooling_right: bool = False
    """Whether it is the truth."""
    runner_right: bool | None = None
    """Whether a runner named is one of the truth's; None where the truth has none."""


class ReplayResult(Model):
    """testRunning, stage setup: the agent's script and command, replayed in a fresh pod."""

    delivered: bool
    """Whether a test command was there."""
    setup_exit: int | None = None
    """Exit code of the setup script; None where there was none or it was killed."""
    test_exit: int | None = None
    """Exit code of the test command."""
    tests: Count | None = None
    """Test cases that ran, by the replay's report."""
    tests_right: bool | None = None
    """Within the truth's tolerance; None where the truth has no number."""
    covered_lines: Count | None = None
    """Lines of the sources that the replay covered."""
    covered_lines_right: bool | None = None
    """Within the truth's tolerance; None where the truth has no number."""


class Finding(Model):
    """What a reader must know beside the numbers; it changes no outcome."""

    reason: Reason
    """One word."""
    message: Annotated[str, StringConstraints(max_length=MESSAGE_MAX)]
    """What was seen, and what to do."""


class Measurements(Model):
    """What was measured; which parts are there depends on the task's kind."""

    tests: TestNumbers | None = None
    """testWriting: tests added."""
    coverage: CoverageNumbers | None = None
    """testWriting, testRunning: lines of the base sources."""
    changes: ChangeNumbers | None = None
    """Size of the modification."""
    criteria: Annotated[tuple[CriterionResult, ...], Field(max_length=20)] = ()
    """repair: result by criterion."""
    criterion_score: Annotated[float, Field(ge=0, le=1)] | None = None
    """repair: weight of passed criteria / weight of all (secondary measure)."""
    detect: DetectResult | None = None
    """testRunning: the answer."""
    replay: ReplayResult | None = None
    """testRunning: the replay."""
    findings: Annotated[tuple[Finding, ...], Field(max_length=8)] = ()
    """What is odd about the result."""
    would_pass: bool | None = None
    """After a time-out: whether what the agent left would have been a success."""


class StageUsage(Model):
    """Tokens of one stage or of the whole trial, as the provider reported them to the proxy."""

    requests: Count
    """Model calls that were made (refused ones are not)."""
    refused: Count = 0
    """Calls refused by a limit."""
    unknown_usage: Count = 0
    """Calls whose usage the provider did not say; the sums lack them."""
    input_tokens: Count | None = None
    """Input, cached included; None while unknownUsage is above 0."""
    cached_input_tokens: Count | None = None
    """Of these, read from the provider's cache."""
    output_tokens: Count | None = None
    """Output, reasoning included."""
    reasoning_tokens: Count | None = None
    """Of these, reasoning; None where the provider does not say."""
    known_input_tokens: Count = 0
    """Sum over the calls whose usage is known: a lower bound."""
    known_output_tokens: Count = 0
    """Likewise for output."""
    operations: Count | None = None
    """What clients wanted; a request that failed and was tried again is one operation of two."""
    tool_calls: Count | None = None
    """Tools that the model asked the agent to run."""
    cost_usd: Number | None = None
    """Money; None while the cost of a call is not known."""
    known_cost_usd: Number = 0.0
    """Sum over the calls whose cost is known: a lower bound."""
    unknown_cost: Count | None = None
    """Calls whose cost is not known: no price, or no usage."""
    mismatches: Count | None = None
    """Calls whose usage contradicts itself."""


class Usage(Model):
    """Usage of the attempt that counts."""

    total: StageUsage
    """All stages."""
    stages: Annotated[dict[Name, StageUsage], Field(max_length=4)] = {}
    """By stage."""
    cost_usd: Number | None = None
    """Money; None where no price is known."""
    prices: Annotated[tuple[PriceLabel, ...], Field(max_length=4)] = ()
    """Tables of prices that it was computed by: name, day and digest."""
    answered: Annotated[dict[ModelName, Count], Field(max_length=8)] = {}
    """Models that answered, by their own word, and how often."""
    fingerprints: Annotated[dict[ModelName, Count], Field(max_length=8)] = {}
    """What providers say identifies their system, and how often."""


class SecondsSpent(Model):
    """Where the time of the attempt that counts went, in seconds."""

    queued: Number | None = None
    """From the trial's creation to its first pod; None where two clocks contradict each other."""
    prepare: Number | None = None
    """From pod creation to the agent's start, over all stages."""
    agent: Number | None = None
    """The agent's own commands (setup script and agent), over all stages."""
    evaluate: Number | None = None
    """The evaluator's own commands."""
    total: Number
    """From the first pod's creation to the outcome."""
    harness: Number | None = None
    """total less agent and evaluate: what Benchwright and the cluster took."""
