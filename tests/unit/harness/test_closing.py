"""Only the runner's last line is a record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.harness.closing import StepEnd, parse

GOOD = b"benchwright-runner-1 done setup:0:100:250:0 agent:137:300:1300:1\n"


def test_a_record_is_read() -> None:
    assert parse(GOOD) == (StepEnd("setup", 0, 1.5, False), StepEnd("agent", None, 10.0, True))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="nothing: the main container was killed"),
        pytest.param(GOOD.rstrip(), id="cut: no end of line"),
        pytest.param(GOOD + b"x", id="something after it"),
        pytest.param(GOOD + b"\n", id="an empty last line"),
        pytest.param(b"benchwright-runner-1 done agent:x:1:2:0\n", id="no number"),
        pytest.param(b"benchwright-runner-2 done agent:0:1:2:0\n", id="another version"),
        pytest.param(b"benchwright-runner-1 done agent:0:1:2:0 \n", id="trailing blank"),
    ],
)
def test_what_is_no_record_is_none(text: bytes) -> None:
    assert parse(text) is None


def test_the_last_line_wins_over_a_forged_one_and_half_a_line() -> None:
    forged = b"benchwright-runner-1 done agent:0:1:2:0\nbenchwright-runner-1 done agent:0"
    assert parse(forged + GOOD) == parse(GOOD)


def test_a_clock_that_goes_back_gives_no_negative_time() -> None:
    record = parse(b"benchwright-runner-1 done agent:0:500:100:0\n")
    assert record is not None
    assert record[0].seconds == 0


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(text: bytes) -> None:
    parse(text)
