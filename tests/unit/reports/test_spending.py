"""What a run has spent: all attempts and outcomes, and a lower bound is called one."""

from typing import Any

import pytest

from benchwright.reports.spending import spending
from tests.unit.reports.samples import record, usage

HALF = usage(
    unknown_usage=1, input_tokens=None, output_tokens=None, known_input_tokens=700,
    known_output_tokens=9,
)  # fmt: skip
OLD = {k: v for k, v in record(index=4).items() if k != "spent"}
AGAIN = record(index=5, attempts=[{"attempt": 1}, {"attempt": 2}])


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([record()], "1,000 in, 50 out, 3 calls"),
        ([record(spent=usage(requests=1))], "1,000 in, 50 out, 1 call"),
        ([record(), record(index=1, outcome="invalid")], "2,000 in, 100 out, 6 calls"),
        ([record(spent=HALF), record(index=1)],
         "≥ 1,700 in, 59 out, 6 calls (a lower bound: of 1 trial not all is known)"),
        ([AGAIN], "1,000 in, 50 out, 3 calls (2 invalid attempts included)"),
        ([AGAIN, record(spent=HALF), OLD],
         "≥ 1,700 in, 59 out, 6 calls (2 invalid attempts included; a lower bound: of 2 trials not all "
         "is known)"),
        ([record(spent=usage(requests=0, input_tokens=0, output_tokens=0))], "0 in, 0 out, 0 calls"),
    ],
    ids=[
        "one trial", "one call", "an invalid trial is paid for too", "a call of unknown usage",
        "attempts that were repeated", "all of it, and a record from before there was such a sum",
        "nothing was spent, and that is known",
    ],
)  # fmt: skip
def test_in_words(records: list[dict[str, Any]], said: str) -> None:
    assert str(spending(records)) == said


def priced(cost: float | None) -> dict[str, Any]:
    return {**record(), "spent": {**record()["spent"], "cost_usd": cost}}


@pytest.mark.parametrize(
    ("costs", "total"), [([0.5, 0.25], 0.75), ([0.5, None], None), ([None], None), ([], None)]
)
def test_money_is_told_where_all_of_it_is_known(
    costs: list[float | None], total: float | None
) -> None:
    found = spending([priced(cost) for cost in costs])
    assert found.cost_usd == total
    assert ("$0.75" in str(found)) is (total == 0.75)
