"""Names: DNS labels, bounded, deterministic, and never the same for two different things."""

import re
from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.api import labels
from benchwright.api.base import DNS_LABEL

NAMES = st.from_regex(r"\A[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
WILD = st.text(min_size=1, max_size=80)
INDEX = st.integers(0, 999)


def _is_label(name: str, limit: int = 63) -> bool:
    return len(name) <= limit and re.fullmatch(DNS_LABEL, name) is not None


@given(st.lists(WILD, min_size=1, max_size=4), st.integers(12, 63))
def test_any_text_becomes_a_dns_label_within_the_limit(parts: list[str], limit: int) -> None:
    assert _is_label(labels.bounded_name(*parts, limit=limit), limit)


@given(NAMES, NAMES, NAMES, INDEX)
def test_names_of_trials_and_of_their_pods_are_dns_labels(
    run: str, agent: str, task: str, i: int
) -> None:
    trial = labels.trial_name(run, agent, task, i)
    assert _is_label(trial, labels.TRIAL_NAME_MAX)
    for stage in ("detect", "setup", "write", "repair", "evaluate"):
        assert _is_label(labels.pod_name(trial, 10, stage))


@given(NAMES, NAMES, INDEX)
def test_names_of_baselines_are_dns_labels(run: str, task: str, i: int) -> None:
    assert _is_label(labels.baseline_name(run, task, i), labels.TRIAL_NAME_MAX)


CELL = st.tuples(NAMES, NAMES, NAMES, INDEX)


@given(CELL, CELL)
@example(("r", "a-b", "c", 0), ("r", "a", "b-c", 0))
@example(("r", "a", "t" * 63, 0), ("r", "a", "t" * 62 + "u", 0))
@example(("r", "a", "t" * 63, 1), ("r", "a", "t" * 63, 11))
def test_different_trials_have_different_names(
    one: tuple[str, str, str, int], other: tuple[str, str, str, int]
) -> None:
    assert (labels.trial_name(*one) == labels.trial_name(*other)) is (one == other)


@given(CELL)
def test_the_same_trial_has_the_same_name_each_time(cell: tuple[str, str, str, int]) -> None:
    assert labels.trial_name(*cell) == labels.trial_name(*cell)


BASELINE = st.tuples(NAMES, NAMES, INDEX)


@given(BASELINE, BASELINE)
@example(("a", "b-baseline-c", 0), ("a-baseline-b", "c", 0))
def test_different_baselines_have_different_names(
    one: tuple[str, str, int], other: tuple[str, str, int]
) -> None:
    """Two runs of one namespace would otherwise wait for ever for each other's trial."""
    assert (labels.baseline_name(*one) == labels.baseline_name(*other)) is (one == other)


@given(CELL, BASELINE)
def test_a_trial_never_has_a_baselines_name(
    cell: tuple[str, str, str, int], baseline: tuple[str, str, int]
) -> None:
    assert labels.trial_name(*cell) != labels.baseline_name(*baseline)


def test_no_two_cells_of_one_run_share_a_name_even_where_their_words_join_to_the_same() -> None:
    """Such a pair would make a run that never completes. Agents and tasks that split one text
    differently are told apart by a hash alone: with four hex digits this loop finds a pair."""
    for number in range(600):
        words = [f"w{number}", *"abcdefghijklm"]
        cells = [("-".join(words[:cut]), "-".join(words[cut:])) for cut in range(1, len(words))]
        names = [labels.trial_name("r", agent, task, 0) for agent, task in cells]
        for (i, a), (j, b) in combinations(enumerate(names), 2):
            assert a != b, f"{cells[i]} and {cells[j]} are both {a}"


@given(
    st.tuples(NAMES, st.integers(1, 9)),
    st.tuples(NAMES, st.integers(1, 9)),
    st.sampled_from(["write", "evaluate"]),
)
@example(("t", 1), ("t-1", 1), "write")
def test_different_pods_have_different_names(
    one: tuple[str, int], other: tuple[str, int], stage: str
) -> None:
    same = labels.pod_name(*one, stage) == labels.pod_name(*other, stage)
    assert same is (one == other)


def test_a_name_that_needs_no_change_is_kept_readable() -> None:
    assert labels.bounded_name("demo", "script", "parse") == "demo-script-parse"
    assert labels.trial_name("demo", "nop", "parse", 3).startswith("demo-nop-parse-")
    assert labels.trial_name("demo", "nop", "parse", 3).endswith("-3")
    assert labels.baseline_name("demo", "parse", 1).startswith("demo-baseline-parse-")
    assert labels.baseline_name("demo", "parse", 1).endswith("-1")


def test_a_name_that_was_cut_or_changed_says_so_by_a_hash() -> None:
    assert re.fullmatch(r"my-run-[0-9a-f]{8}", labels.bounded_name("My.Run"))
    long = labels.bounded_name("x" * 70)
    assert re.fullmatch(r"x{54}-[0-9a-f]{8}", long)


def test_slug_of_nothing_usable_is_still_a_name() -> None:
    assert labels.slug("…/…") == "x"
