"""Tidy CSV files."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from benchwright.analysis.tidy import TidyError, dataset

HEAD = "config,model_family,task,trial,outcome,cost_usd,tokens_in,tokens_out,seconds"


def read(*rows: str, head: str = HEAD) -> object:
    return dataset("x", [f"{line}\n" for line in (head, *rows)])


def test_empty_fields_are_unknown_and_zero_is_zero() -> None:
    found = dataset("x", [HEAD + "\n", "a,m,t,1,success,,0,,\n", "a,m,t,2,timeout,0.10,7,8,1.5\n"])
    first, second = found.observations
    assert (first.spent.cost_usd, first.spent.tokens_in, first.spent.tokens_out) == (None, 0, None)
    assert first.seconds.total is None
    assert (second.spent.cost_usd, second.seconds.total) == (Decimal("0.10"), 1.5)
    assert (second.outcome, found.configs[0].family, found.planned) == ("timeout", "m", None)


def test_optional_columns_may_be_missing() -> None:
    found = dataset("x", ["config,task,trial,outcome\n", "a,t,1,failure\n"])
    assert found.configs[0].family is None
    assert found.observations[0].spent.cost_usd is None


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (("a\x1b[2J,m,t,1,success,,,,",), "line 2: config 'a\\x1b[2J' has a control character"),
        (
            ["a,m,t,1,passed,,,,"],
            "line 2: outcome 'passed': it is one of success, failure, timeout",
        ),
        (["a,m,t,1,success,,,,", "a,m,t,1,failure,,,,"], "line 3: trial 1 of a at t again"),
        (["a,m,t,1,success,free,,,"], "line 2: cost_usd 'free' is no number of 0 or more"),
        (["a,m,t,1,success,-1,,,"], "line 2: cost_usd '-1' is no number of 0 or more"),
        (["a,m,t,1,success,nan,,,"], "line 2: cost_usd 'nan' is no number"),
        (["a,m,t,1,success,1e999,,,"], "line 2: cost_usd '1e999' is no number"),
        (["a,m,t,1,success,,1.5,,"], "line 2: tokens_in 1.5 is no whole number"),
        (["a,m,t,1,success,,,"], "line 2: it should have 9 fields"),
        (["a,m,t,1,success,,,,,"], "line 2: it should have 9 fields"),
        ([",m,t,1,success,,,,"], "line 2: config is empty"),
        (["a,m,,1,success,,,,"], "line 2: task is empty"),
        (["a,m,t,,success,,,,"], "line 2: trial is empty"),
        (["a,m,t,1,success,,,,", "a,n,t,2,success,,,,"], "line 3: a had model_family 'm' before"),
        (['a,m,"t,1,success,,,,'], "line 2: "),
        ([], "there is no trial in it"),
    ],
)
def test_what_cannot_be_right_is_refused_with_its_line(rows: Sequence[str], said: str) -> None:
    with pytest.raises(TidyError) as caught:
        read(*rows)
    assert said in str(caught.value)


@pytest.mark.parametrize("head", ["", "config,task,trial", "config,task,trial,outcome,task"])
def test_a_file_of_other_columns_is_refused(head: str) -> None:
    with pytest.raises(TidyError, match="line 1: columns config, task, trial, outcome are needed"):
        read("a,t,1,success", head=head)
